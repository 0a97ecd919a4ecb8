// Graphs on the CPU target, natively and interpreted, against the graph's evaluator.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/graph/evaluate.h"
#include "compiler/targets/cpu/target.h"
#include "runtime/session.h"
#include "tests/support/interpreter/interpreted_module.h"
#include "tests/unit/compiler/graph/pass_testing.h"
#include "tests/unit/compiler/llvm/native.h"

namespace vta::compiler::targets {

/// The first difference of an output from the wanted one: of int8 any, of float32 more than 1e-4 of
/// the largest value; "" for none.
inline std::string Difference(const Tensor& wanted, std::span<const uint8_t> bytes) {
  const Tensor found(wanted.type(), {bytes.begin(), bytes.end()});
  double largest = 1e-3;
  for (int64_t i = 0; i < wanted.elements(); ++i)
    largest = std::max(largest, std::abs(wanted.At(i)));
  const double allowed = wanted.dtype() == DType::kFloat32 ? 1e-4 * largest : 0;
  for (int64_t i = 0; i < wanted.elements(); ++i)
    if (wanted.At(i) != found.At(i) && !(std::abs(wanted.At(i) - found.At(i)) <= allowed))
      return StrCat("[", i, "] = ", found.At(i), ", must be ", wanted.At(i));
  return "";
}

/// Takes any points.
class RandomChooser : public tune::Chooser {
 public:
  explicit RandomChooser(uint64_t seed) : random_(seed) {}
  std::vector<tune::Offer> Choose(const std::string&, int64_t, const tune::Space& space) override {
    for (;;) {
      tune::Point point;
      for (const tune::Choice& choice : space.Choices())
        point.push_back(choice.values[random_() % choice.values.size()]);
      if (!space.Has(point) || !Wants(space, point)) continue;
      ++chosen_;
      return {{point}};
    }
  }
  int64_t chosen() const { return chosen_; }
  virtual bool Wants(const tune::Space& /*space*/, const tune::Point& /*point*/) const {
    return true;
  }

 private:
  std::mt19937_64 random_;
  int64_t chosen_ = 0;
};

inline CompileResult CompileFor(const Graph& graph, const llvm::Machine& machine,
                                Arithmetic arithmetic = Arithmetic::kFast,
                                tune::Chooser* chooser = nullptr, int64_t threads = kSomeThreads) {
  const lower::CpuSpec spec{machine.triple.substr(0, machine.triple.find('-')), machine.features,
                            machine.tune_cpu};
  const CpuTarget cpu({spec}, arithmetic, threads);
  const CodeTarget* const targets[] = {&cpu};
  std::map<std::string, tune::Chooser*> choosers;
  if (chooser) choosers["cpu"] = chooser;
  return Compile(graph, {.targets = targets,
                         .choosers = choosers,
                         .cpus = {&spec, 1},
                         .build_module = [&](std::span<const lower::Kernel> kernels,
                                             const lower::CpuSpec&, bool) {
                           return ModuleCode{llvm::BuildModule(kernels, machine), {}};
                         }});
}

/// Native and interpreted outputs against the evaluator's. Returns the first difference, or "".
inline std::string Try(const Graph& graph, const llvm::Machine& machine, uint32_t seed,
                       tune::Chooser* chooser = nullptr, bool interprets = true) {
  const CompileResult compiled = CompileFor(graph, machine, Arithmetic::kFast, chooser);
  const test::InterpretedModule interpreted(compiled.package, compiled.kernels);
  const std::vector<Tensor> inputs = RandomInputs(graph, seed);
  const std::vector<Tensor> wanted = Evaluate(graph, inputs);
  std::vector<std::span<const uint8_t>> bytes;
  for (const Tensor& input : inputs) bytes.push_back(input.bytes());
  for (const runtime::KernelModule* kernels :
       {static_cast<const runtime::KernelModule*>(nullptr),
        static_cast<const runtime::KernelModule*>(&interpreted)}) {
    if (kernels && !interprets) continue;
    runtime::Session session(
        std::make_shared<runtime::Model>(compiled.package, "layers",
                                         runtime::ModelOptions{.kernels = kernels}),
        nullptr);
    const auto outputs = runtime::Infer(session, bytes);
    for (size_t i = 0; i < wanted.size(); ++i)
      if (const std::string text = Difference(wanted[i], outputs[i]); !text.empty())
        return StrCat(kernels ? "interpreted: " : "native: ", graph.outputs()[i].name, text);
  }
  return "";
}

}  // namespace vta::compiler::targets
