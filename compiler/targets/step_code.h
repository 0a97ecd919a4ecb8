// What a target makes of a step: code, and what goes with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/loop/ir.h"
#include "isa/package.h"

namespace vta::compiler {

/// One text of one stage, for --dump-dir.
struct Dump {
  std::string stage;  // becomes part of a file name
  std::string text;
};

/// Makes the texts of code when they are asked for; empty where there are none.
using Dumps = std::function<std::vector<Dump>()>;

/// What a target keeps of a program, to make one of several.
class Joinable {
 public:
  virtual ~Joinable() = default;
};

/// A step as a program of an accelerator.
struct ProgramCode {
  std::vector<uint8_t> code;       // instruction words, ended by FINISH
  std::vector<uint8_t> constants;  // to lie at the offset that the compile was given
  Dumps dumps;
  isa::LayerBounds bounds;
  int64_t off_by = 0;  // as in LayerFacts
  std::shared_ptr<const Joinable> joinable;
};

/// The programs of consecutive steps as one.
struct JoinedCode {
  std::vector<uint8_t> code, constants;  // as in ProgramCode
  std::vector<int64_t> starts;           // of each step its first instruction
  int64_t end_bytes = 0;                 // of the arena that it touches
  Dumps dumps;
};

/// A constant that a target makes for its kernel of what the graph has, for example weights in the
/// order in which they are read.
struct KernelConstant {
  std::string name;
  Tensor tensor;
};
using KernelInput = std::variant<ValueId, KernelConstant>;

/// A step as a kernel of CPUs: a function whose parameters are these inputs and then what the step
/// makes for others; one for all CPUs of the compile, or one for each, with the same tasks.
struct KernelCode {
  std::vector<loop::Function> functions;
  std::vector<KernelInput> inputs;
  std::string method =
      "";  // of computing, where there are several: a phrase for the table of a run
};

using StepCode = std::variant<ProgramCode, KernelCode>;

}  // namespace vta::compiler
