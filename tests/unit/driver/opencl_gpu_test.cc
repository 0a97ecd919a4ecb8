// Devices of OpenCL: memory, programs, launches one by one and recorded, and what goes wrong.
#include "driver/opencl/opencl_gpu.h"

#include <gmock/gmock.h>

#include <cstring>

#include "driver/buffer.h"
#include "driver/opencl/memory.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"
#include "tests/support/opencl_device.h"

namespace vta::driver {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Adds to each of four ints, a thread each; `rounds` of it, one after the other.
constexpr char kAdd[] = R"(
__kernel void add(__global const int* x, ulong x_at, __global int* y, ulong y_at,
                  __global uchar* w, ulong w_at) {
  const int i = (int)get_global_id(0);
  y = (__global int*)((__global uchar*)y + y_at);
  x = (__global const int*)((__global const uchar*)x + x_at);
  for (volatile int round = 0; round < ROUNDS; ++round)
    y[i] = x[i] + 1;
}
)";

std::string Add(int rounds) { return StrCat("#define ROUNDS ", rounds, kAdd); }

isa::Package PackageOf(const std::string& text, int64_t threads = 2) {
  isa::Package package;
  package.kernels = {{"add", 4 / threads, 0, {16, 16}, threads}};
  package.modules = {{"opencl", "opencl", {"1.2"}, {text.begin(), text.end()}}};
  return package;
}

class OpenClGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!device_.gpu()) GTEST_SKIP() << "no OpenCL device: " << device_.why();
  }
  Gpu& gpu() { return *device_.gpu(); }

  static std::vector<uint8_t> Bytes(const std::vector<int32_t>& values) {
    std::vector<uint8_t> bytes(4 * values.size());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  std::vector<int32_t> Read(const Buffer& buffer, int64_t offset) {
    std::vector<uint8_t> bytes(16);
    buffer.CopyOut(offset, bytes);
    std::vector<int32_t> values(4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  test::OpenClDevice device_;
};

TEST_F(OpenClGpuTest, MemoryIsZeroUntilItIsWritten) {
  Buffer none(gpu(), 0), buffer(gpu(), 10000);
  EXPECT_NE(none.address(), buffer.address());
  std::vector<uint8_t> bytes(10000, 1);
  buffer.CopyOut(0, bytes);
  EXPECT_THAT(bytes, testing::Each(0));
  buffer.CopyIn(9984, Bytes({1, 2, 3, 4}));
  EXPECT_EQ(Read(buffer, 9984), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_THAT(ErrorOf([&] { gpu().CopyIn(buffer.address() + 20000, bytes); }),
              HasSubstr("must lie inside one allocation"));
}

TEST_F(OpenClGpuTest, TooMuchMemoryIsToldWithWhatThereIs) {
  const std::string error = ErrorOf([&] { gpu().Allocate(int64_t{1} << 50); });
  EXPECT_THAT(error, StartsWith(gpu().name() +
                                ": memory = 1125899906842624 bytes: are not to be had: of "));
  EXPECT_THAT(error, testing::ContainsRegex("of [0-9]{7,}, [0-9]{7,} at once: "));
}

TEST_F(OpenClGpuTest, LaunchesTakeTensorsAnywhere) {
  const auto module = gpu().Load(PackageOf(Add(1)), "p");
  Buffer arena(gpu(), 4096), other(gpu(), 64);
  arena.CopyIn(64, Bytes({1, 2, 3, 4}));
  module->Launch(
      0, std::vector<uint64_t>{arena.address() + 64, arena.address() + 192, other.address()});
  module->Launch(
      0, std::vector<uint64_t>{arena.address() + 192, other.address() + 16, other.address()});
  EXPECT_TRUE(gpu().Wait(kForever));
  EXPECT_EQ(Read(arena, 64), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(Read(arena, 192), (std::vector<int32_t>{2, 3, 4, 5}));
  EXPECT_EQ(Read(other, 16), (std::vector<int32_t>{3, 4, 5, 6}));
}

TEST_F(OpenClGpuTest, AGraphRunsWhatWasRecordedAndNothingBefore) {
  const auto module = gpu().Load(PackageOf(Add(1)), "p");
  Buffer a(gpu(), 16), b(gpu(), 16);
  const auto graph = gpu().Record([&] {
    module->Launch(0, std::vector<uint64_t>{a.address(), b.address(), b.address()});
    module->Launch(0, std::vector<uint64_t>{b.address(), a.address(), b.address()});
  });
  EXPECT_TRUE(gpu().Wait(kForever));
  EXPECT_EQ(Read(a, 0), (std::vector<int32_t>{0, 0, 0, 0}));
  // What is launched between has no part in it.
  Buffer c(gpu(), 16);
  module->Launch(0, std::vector<uint64_t>{c.address(), c.address(), c.address()});
  for (int run = 0; run < 3; ++run) graph->Start();
  EXPECT_TRUE(gpu().Wait(std::chrono::seconds(60)));
  EXPECT_EQ(Read(a, 0), (std::vector<int32_t>{6, 6, 6, 6}));
  EXPECT_EQ(Read(c, 0), (std::vector<int32_t>{1, 1, 1, 1}));
}

TEST_F(OpenClGpuTest, CodeThatItHasMadeIsKept) {
  const Temporary folder(NewTemporaryFolder("vta-opencl"));
  for (const bool kept : {false, true}) {
    const auto gpu = OpenOpenClGpu(0, folder.path());
    const auto module = gpu->Load(PackageOf(Add(1)), "p");
    EXPECT_EQ(module->is_from_cache(), kept);
    Buffer a(*gpu, 16), b(*gpu, 16);
    a.CopyIn(0, Bytes({1, 2, 3, 4}));
    module->Launch(0, std::vector<uint64_t>{a.address(), b.address(), b.address()});
    EXPECT_TRUE(gpu->Wait(kForever));
    EXPECT_EQ(Read(b, 0), (std::vector<int32_t>{2, 3, 4, 5}));
    EXPECT_FALSE(gpu->Load(PackageOf(Add(kept ? 3 : 2)), "p")->is_from_cache());
  }
  EXPECT_FALSE(gpu().Load(PackageOf(Add(1)), "p")->is_from_cache());
}

TEST_F(OpenClGpuTest, WaitingEndsAtItsLimit) {
  const auto module = gpu().Load(PackageOf(Add(200'000'000)), "p");
  Buffer a(gpu(), 16);
  module->Launch(0, std::vector<uint64_t>{a.address(), a.address(), a.address()});
  EXPECT_FALSE(gpu().Wait(std::chrono::milliseconds(5)));
  EXPECT_TRUE(gpu().Wait(kForever));
}

TEST_F(OpenClGpuTest, WhatItDoesNotRun) {
  const auto refusal = [&](const isa::Package& package) {
    return ErrorOf([&] { gpu().Load(package, "p.vta"); });
  };
  // One line of the compiler's log, whatever the text is.
  const std::string broken = refusal(PackageOf("__kernel void add(\n\x01\x02 \"'/* }}}"));
  EXPECT_THAT(broken, StartsWith("p.vta: modules[0]: code: the driver of " + gpu().name() +
                                 " does not take it: the program cannot be built: "));
  EXPECT_THAT(broken, HasSubstr("error: "));
  EXPECT_EQ(broken.find('\n'), std::string::npos);
  EXPECT_THAT(refusal(PackageOf("")), StartsWith("p.vta: modules[0]: "));
  EXPECT_THAT(refusal(PackageOf("__kernel void other(__global int* x) {}")),
              StartsWith("p.vta: modules[0]: kernel = add: is not there: "));
  isa::Package package = PackageOf(Add(1));
  package.modules[0].format = "ptx", package.modules[0].features = {"sm_70"};
  EXPECT_THAT(refusal(package), StartsWith("p.vta: modules = ptx for sm_70: " + gpu().name() +
                                           " compiles OpenCL C "));
  package = PackageOf(Add(1));
  package.modules[0].features = {"9.1"};
  EXPECT_THAT(refusal(package), StartsWith("p.vta: modules = opencl for 9.1: "));
  EXPECT_THAT(
      refusal(PackageOf(Add(1), int64_t{1} << 40)),
      StartsWith("p.vta: modules[0]: kernel add = 1099511627776 threads: a work-group of "));
  // Fewer arguments than it is launched with.
  const auto module =
      gpu().Load(PackageOf("__kernel void add(__global int* x, ulong x_at) {}"), "p");
  Buffer a(gpu(), 16);
  EXPECT_THAT(ErrorOf([&] {
                module->Launch(0, std::vector<uint64_t>{a.address(), a.address(), a.address()});
              }),
              StartsWith("kernel add: does not take its tensors: "));
}

TEST_F(OpenClGpuTest, DevicesAreCounted) {
  EXPECT_THAT(ErrorOf([] { OpenOpenClGpu(999); }),
              testing::MatchesRegex("OpenCL device = 999: there are [0-9]+"));
}

TEST(OpenClBuffers, AddressesAreThoseOfTheirBuffers) {
  using opencl::Mem;
  const auto a = reinterpret_cast<Mem>(uintptr_t{16}), b = reinterpret_cast<Mem>(uintptr_t{32});
  opencl::Buffers buffers("d");
  const uint64_t first = buffers.Add(a, 100), second = buffers.Add(b, 1 << 20);
  EXPECT_EQ(buffers.At(first, 100).mem, a);
  EXPECT_EQ(buffers.At(second + 12345, 1).mem, b);
  EXPECT_EQ(buffers.At(second + 12345, 1).offset, 12345);
  EXPECT_THAT(ErrorOf([&] { buffers.At(second, 2 << 20); }),
              HasSubstr("must lie inside one allocation"));
  EXPECT_EQ(buffers.Remove(first), a);
  EXPECT_THAT(ErrorOf([&] { buffers.At(first, 1); }), HasSubstr("must lie inside one allocation"));
}

}  // namespace
}  // namespace vta::driver
