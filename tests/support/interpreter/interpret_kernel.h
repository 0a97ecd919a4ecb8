// A kernel of the interpreter: one block inside the loops that run with it, compiled to lane
// instructions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/interpreter/interpret_code.h"

namespace vta::compiler::loop {

/// Numbers of the variables and buffers of a function.
struct Names {
  std::map<const VarNode*, int> vars;
  std::map<const BufferNode*, int> buffers;
};

struct Kernel {
  struct Loop {
    int slot;
    int64_t extent;
  };
  struct Guard {
    bool affine;  // form >= 0, which may depend on the lane; else scalar != 0
    Form form;
    Scalar scalar;
  };
  std::string block;
  Loop lane{-1, 1};         // slot -1: no lane loop
  std::vector<Loop> inner;  // inside the lane loop, outermost first
  std::vector<Guard> guards;
  std::vector<Form> reduce;  // init runs where all of them are 0
  std::vector<Instr> init, body;
  std::vector<Address> addresses;
  std::vector<Form> forms;
  std::vector<Lanes> regs;  // constants are filled in

  void Run(Frame& frame);

 private:
  void RunLanes(Frame& frame, int lanes);
};

/// How many of `nest`'s loops (outermost first) run outside the kernel: the next one becomes the
/// lane loop and the rest runs inside it. nest.size() when no loop may be the lanes.
size_t ChooseLaneLoop(const Block& block, const std::vector<Stmt>& nest, const Facts& facts);

/// Compiles a block that stores. `nest` = the loops inside the kernel, the first of which is the
/// lane loop; it may be empty. `facts` knows the ranges of all loops around.
Kernel CompileKernel(const Block& block, const std::vector<Stmt>& nest, const Facts& facts,
                     const Names& names);

}  // namespace vta::compiler::loop
