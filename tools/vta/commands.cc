#include "tools/vta/commands.h"

namespace vta::tools {

std::span<const CommandRow> Commands() {
  static constexpr CommandRow kRows[] = {
      {"demo", "compile and run the shipped network, check and report it", AddDemoCommand},
      {"run", "run a model or package on an engine, compare and report", AddRunCommand},
      {"compile", "compile an ONNX model to a package", AddCompileCommand},
      {"model", "write a known network with seeded weights as int8 ONNX", AddModelCommand},
      {"exec", "run a raw instruction stream on a flat DRAM image", AddExecCommand},
      {"check", "prove that no timing can break a program", AddCheckCommand},
      {"asm", "assemble program text to a DRAM image", AddAsmCommand},
      {"hw", "check the RTL of a config, and say what it takes of an FPGA", AddHwCommand},
      {"dis", "print a program as text", AddDisCommand},
      {"isa", "print the ISA manual and generated files of a config", AddIsaCommand},
  };
  return kRows;
}

}  // namespace vta::tools
