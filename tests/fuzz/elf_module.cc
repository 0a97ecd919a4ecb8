// Any bytes either are refused with an Error or are a kernel module: they are mapped, protected and
// hold what the file says, and every function lies in code. Nothing of them runs.
#include <elf.h>

#include <algorithm>

#include "isa/support/error.h"
#include "runtime/elf/module.h"

namespace {

using namespace vta;

void CheckFunctions(const runtime::ElfFile& file) {
  for (const runtime::ElfFunction& function : file.functions) {
    const auto holds = [&](const runtime::ElfSegment& segment) {
      return segment.executable && function.begin_bytes >= segment.begin_bytes &&
             function.begin_bytes < segment.begin_bytes + segment.file_bytes;
    };
    VTA_CHECK(std::ranges::any_of(file.segments, holds), function.begin_bytes);
    VTA_CHECK(file.Find(function.name) == &function);
  }
}

void CheckSegments(const runtime::ElfFile& file, std::span<const uint8_t> bytes) {
  int64_t end = 0;  // in whole pages
  for (const runtime::ElfSegment& segment : file.segments) {
    const int64_t page = segment.alignment;
    VTA_CHECK(segment.begin_bytes / page * page >= end && page >= 4096, segment.begin_bytes);
    end = (segment.begin_bytes + segment.memory_bytes + 4095) / 4096 * 4096;
    VTA_CHECK(!(segment.writable && segment.executable));
    VTA_CHECK(segment.file_bytes <= segment.memory_bytes &&
              segment.file_offset + segment.file_bytes <= static_cast<int64_t>(bytes.size()));
  }
  VTA_CHECK(end <= runtime::kMaxModuleBytes, end);
}

// An image holds each readable segment: the file's bytes, and zeros at the end.
void CheckImage(const runtime::ElfFile& file, const runtime::ElfImage& image,
                std::span<const uint8_t> bytes) {
  for (const runtime::ElfSegment& segment : file.segments) {
    if (!segment.readable) continue;
    const uint8_t* at = image.At(segment.begin_bytes);
    VTA_CHECK(std::equal(at, at + segment.file_bytes, bytes.begin() + segment.file_offset));
    if (segment.memory_bytes > segment.file_bytes)
      VTA_CHECK(at[segment.file_bytes] == 0 && at[segment.memory_bytes - 1] == 0);
    if (segment.writable) *const_cast<volatile uint8_t*>(at) = 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  // The architecture that the file names, and so any of them.
  const isa::CpuArchRow* arch = &isa::kCpuArchs[0];
  for (const isa::CpuArchRow& row : isa::kCpuArchs)
    if (size > EI_NIDENT + 2 && data[EI_NIDENT + 2] == row.elf_machine) arch = &row;
  try {
    const runtime::ElfFile file = runtime::ParseElf(bytes, *arch, "input");
    CheckSegments(file, bytes);
    CheckFunctions(file);
    CheckImage(file, runtime::ElfImage(file, bytes, "input"), bytes);
    const isa::PackageModule module{"elf", std::string(arch->name), {}, {data, data + size}};
    const std::vector<isa::PackageKernel> kernels = {{"store_range"}};
    runtime::ElfModule(module, kernels, "input");
  } catch (const Error&) {
  }
  return 0;
}
