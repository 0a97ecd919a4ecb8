#include "tools/vta/commands.h"

namespace vta::tools {

std::span<const CommandRow> Commands() {
  static constexpr CommandRow kRows[] = {
      {"demo", "compile and run the shipped network, check and report it", AddDemoCommand,
       "demo -c small_8x8"},
      {"run", "run a model or package on an engine, compare and report", AddRunCommand,
       "run net.onnx -c ultra96 --input in.bin --output out.bin --report report.json"},
      {"compile", "compile a model to a package", AddCompileCommand,
       "compile net.onnx -c pynq -o net.vta"},
      {"quantize", "quantise a float network with samples of its inputs", AddQuantizeCommand,
       "quantize net.onnx --data in.npy -o net_int8.onnx"},
      {"eval", "accuracy of a network in float and quantised, and the error of each layer",
       AddEvalCommand, "eval net.onnx --data in.npy --labels labels.txt"},
      {"model", "write a known network with seeded weights as ONNX", AddModelCommand,
       "model resnet18 -o resnet18.onnx"},
      {"exec", "prove raw instruction streams and run them on a flat DRAM image", AddExecCommand,
       "exec dram.img --insn 0x1000 --count 11 -c vta_0.0.2 -o after.img"},
      {"check", "prove that no timing can break a program", AddCheckCommand, "check net.vta"},
      {"asm", "assemble program text to a DRAM image or a package", AddAsmCommand,
       "asm program.s -o program.img"},
      {"hw", "check the RTL of a config, say what it takes of an FPGA, place and route it",
       AddHwCommand, "hw area -c pynq --part xc7z020"},
      {"report", "compare the reports of two runs", AddReportCommand,
       "report diff before.json after.json"},
      {"dis", "print a program as text", AddDisCommand, "dis net.vta"},
      {"bench", "measure simulators and the CPU beside their peers", AddBenchCommand,
       "bench cycle -c default --json"},
      {"isa", "print the ISA manual and generated files of a config", AddIsaCommand,
       "isa --sv -c small.json"},
  };
  return kRows;
}

}  // namespace vta::tools
