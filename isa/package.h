// The package: one file that holds a compiled network. It is all that compiler and runtime share.
//
// Layout: the magic (package_format.h), a table of sections (name, offset, size, content hash), the
// sections. The manifest is JSON; code (instruction words), constants (a part of the arena) and
// modules (code of kernels, one module after the other) are raw bytes.
//
// The arena is one range of offsets. Its first part is where programs and kernels of CPUs find
// their tensors, its second one lies in the memory of a GPU; each has its constants next to the
// border, so that they are one section. Copies are steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/spec/gpu.h"
#include "isa/spec/work.h"
#include "isa/support/aligned_bytes.h"

namespace vta::isa {

enum class ElementType : uint8_t { kInt8, kUint8, kInt16, kInt32, kInt64, kFloat32, kBool };
std::string_view ElementTypeName(ElementType type);
int64_t ElementTypeBytes(ElementType type);

/// A tensor in the arena. Shape: row-major, [] is a scalar.
struct PackageTensor {
  std::string name;
  ElementType type = ElementType::kInt8;
  std::vector<int64_t> shape;
  int64_t offset_bytes = 0;  // in the arena

  int64_t elements() const;
  int64_t bytes() const { return elements() * ElementTypeBytes(type); }
};

/// One accelerator program: words [first, first + count) of the code section. All base registers
/// hold the arena's address.
struct PackageProgram {
  int64_t first = 0, count = 0;
};

/// What a step's cycles on the accelerator are held against. Units: cycles.
struct LayerBounds {
  int64_t ideal = 0;    // as many MACs as the array does, every byte of the network moved once
  int64_t machine = 0;  // the least of all lay-outs that the compiler had; nothing was quicker
  std::string lost_to;  // why that is well above the ideal, in a phrase; empty where it is not

  bool operator==(const LayerBounds&) const = default;
};

/// What a step computes, for reports; measured facts (cycles, bytes, instructions) come from the
/// device.
struct LayerFacts {
  std::string op;     // conv2d, add, softmax, ...
  std::string shape;  // 64x56x56 3x3 s1 -> 64x56x56
  int64_t macs = 0;   // of the layer as the network states it, without padding
  std::string why;    // of a layer that a CPU takes for want of another: why, in a phrase
  std::optional<LayerBounds> bounds;  // of a program
  /// Of a program whose config has not the network's arithmetic: by how many codes its result may
  /// be from that of the same inputs, at most.
  int64_t off_by = 0;
  std::optional<WorkCounts> work;  // of a kernel, where somebody counted it
};

/// A kernel of the CPU, or of a GPU: the same name, tasks and workspace in each module for it.
struct PackageKernel {
  std::string name;
  int64_t tasks = 1;            // independent of each other: [0, tasks) may be split among threads
  int64_t workspace_bytes = 0;  // of a thread that runs some of them; of a GPU, of a block
  std::vector<int64_t> argument_bytes;  // of each tensor that it takes: inputs, then outputs
  int64_t threads = 0;                  // of a GPU, whose tasks are blocks of so many
  int64_t shared_bytes = 0;  // of a GPU, of a block beside what the code itself says, at a launch

  bool IsForGpu() const { return threads > 0; }
};

/// A shared object of ELF that needs nothing but itself.
inline constexpr std::string_view kElfFormat = "elf";

/// The code of all kernels of CPUs for one kind of them, or of all kernels of a GPU.
struct PackageModule {
  std::string format;  // kElfFormat, or one of kGpus
  std::string arch;    // a name of kCpuArchs, or the one of kGpus
  /// Of kCpuFeatures, that the code was generated with; or the one of the GPU's that runs it.
  std::vector<std::string> features;
  std::vector<uint8_t> code;
  Precision precision = Precision::kFp32;  // of a GPU's products in float

  /// The kind of GPU that it is for; or nullptr.
  const GpuRow* Gpu() const { return FindGpuFormat(format); }
};

/// Consecutive steps whose layers one program computes, in a single launch; each has a program of
/// its own besides, which does the same alone.
struct PackageLaunch {
  int64_t first = 0;            // step
  int64_t program = 0;          // index into programs
  std::vector<int64_t> starts;  // of each step its first instruction in the program; two at least
};

struct PackageStep {
  enum class Kind : uint8_t {
    kProgram,
    kKernel,
    kCopy,  // its input, in one part of the arena, is its output in the other one
  };
  std::string name;
  Kind kind = Kind::kProgram;
  int64_t program = 0;                   // kProgram: index into programs
  int64_t kernel = 0;                    // kKernel: index into kernels
  std::vector<int64_t> inputs, outputs;  // indices into tensors: a kernel's arguments, in order
  LayerFacts facts;
};

/// What the values of an output are, as the network has it.
struct OutputFacts {
  double scale = 1;  // value = (stored - zero_point) * scale
  int64_t zero_point = 0;
  bool is_probability = false;  // a softmax or a sigmoid made it

  bool operator==(const OutputFacts&) const = default;
};

/// What a compiler made up for want of it: outputs mean nothing, cycles are the network's.
struct Assumption {
  int64_t seed = 0;     // of the random inputs that int8 codes and scales are from
  int64_t weights = 0;  // tensors of the network that are random, too

  bool operator==(const Assumption&) const = default;
};
/// In a phrase.
std::string TextOf(const Assumption& assumption);

/// Of a package whose config has not the network's arithmetic: how many of its programs, of steps,
/// that touches, and the most codes that one of their results may be off by.
struct Inexactness {
  int64_t programs = 0, of = 0, codes = 0;

  bool operator==(const Inexactness&) const = default;
};
/// In a phrase.
std::string TextOf(const Inexactness& inexactness);

/// What consecutive steps are called together: "FIRST to LAST", or one by its name.
std::string NameOf(std::span<const PackageStep> steps);

struct Package {
  std::string model;
  std::optional<Config> config;  // of the accelerator; absent where there are no programs
  int64_t arena_bytes = 0;
  std::vector<uint8_t> code;  // instruction words
  AlignedBytes constants;     // weights, parameters, micro-ops: part of the arena
  int64_t constants_offset_bytes = 0;
  /// Where the arena's second part begins; absent: all of it is for a GPU's kernels where there is
  /// a module of theirs, and none of it elsewhere.
  std::optional<int64_t> gpu_offset_bytes;
  std::vector<PackageTensor> tensors;
  std::vector<PackageProgram> programs;
  std::vector<PackageKernel> kernels;
  std::vector<PackageModule> modules;  // of CPUs and of a GPU the first that fits is taken
  std::vector<PackageStep> steps;
  std::vector<PackageLaunch> launches;    // apart, in the order of their steps
  std::vector<int64_t> inputs, outputs;   // indices into tensors, in the model's order
  std::vector<OutputFacts> output_facts;  // of each output; empty where nobody said
  std::optional<Assumption> assumed;      // absent: the network's own codes, scales and weights

  /// The words of one program.
  std::span<const uint8_t> ProgramCode(const PackageProgram& program) const;
  /// The launch that begins with a step; null where that runs alone.
  const PackageLaunch* LaunchAt(int64_t step) const;
  std::span<const PackageStep> StepsOf(const PackageLaunch& launch) const;
  /// The kind of GPU that some of its kernels are for; or nullptr.
  const GpuRow* Gpu() const;
  /// How much of the arena is its first part, of constants those there, and those behind them.
  int64_t host_bytes() const { return gpu_offset_bytes.value_or(Gpu() ? 0 : arena_bytes); }
  std::span<const uint8_t> HostConstants() const;
  std::span<const uint8_t> GpuConstants() const;
  /// Whether the tensor lies in a GPU's memory, where there is some.
  bool IsOnGpu(const PackageTensor& tensor) const {
    return tensor.offset_bytes >= host_bytes() && host_bytes() < arena_bytes;
  }
  /// Whether the step is for a GPU.
  bool IsOnGpu(const PackageStep& step) const {
    return step.kind == PackageStep::Kind::kKernel && kernels[step.kernel].IsForGpu();
  }
  /// Who runs the step: "vta", "cpu", or a GPU by its row; a copy is "to" or "from" that.
  std::string WhereOf(const PackageStep& step) const;
  /// Absent where all results are the network's, to the code.
  std::optional<Inexactness> inexactness() const;
  /// Whether the tensor is one of the constants, which nothing writes.
  bool IsConstant(const PackageTensor& tensor) const;
};

/// Errors: throws Error naming the part and the rule where indices, ranges or sizes do not hold
/// together.
void ValidatePackage(const Package& package, const std::string& file);

/// Whether bytes begin as a package does, of whatever format.
bool IsPackage(std::span<const uint8_t> bytes);

std::vector<uint8_t> SerializePackage(const Package& package);
/// Errors: throws Error naming file, section or manifest place, value and rule; also where the
/// bytes are of another format, or were made with other encoding tables than this build's.
Package ParsePackage(std::span<const uint8_t> bytes, const std::string& file);

/// The manifest section: JSON.
std::string ManifestText(const Package& package);
/// The modules section: their code, one after the other.
std::vector<uint8_t> ModuleBytes(const Package& package);
/// What the manifest says, with the modules: a package without the contents of its other sections,
/// not yet validated. Errors: as ParsePackage.
Package ParseManifest(std::string_view text, std::span<const uint8_t> modules,
                      const std::string& file);

void WritePackage(const Package& package, const std::string& path);
Package ReadPackage(const std::string& path);

/// What names a package's content: equal bytes, equal hash.
uint64_t PackageHash(std::span<const uint8_t> bytes);

}  // namespace vta::isa
