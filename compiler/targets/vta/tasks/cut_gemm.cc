#include "compiler/targets/vta/tasks/cut_gemm.h"

#include <algorithm>
#include <vector>

#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

bool CutsOuter(const LoopNest& nest) { return nest.iter_out >= nest.iter_in; }

int64_t Intern(UopKernel kernel, TaskProgram* program) {
  std::vector<UopKernel>& kernels = program->kernels;
  const auto found = std::find(kernels.begin(), kernels.end(), kernel);
  const int64_t index = found - kernels.begin();
  if (found == kernels.end()) kernels.push_back(std::move(kernel));
  return index;
}

}  // namespace

int64_t CutIterations(const Gemm& gemm) { return std::max(gemm.nest.iter_out, gemm.nest.iter_in); }

std::pair<Gemm, Gemm> CutGemm(const Gemm& gemm, int64_t iterations, TaskProgram* program) {
  VTA_CHECK(iterations > 0 && iterations < CutIterations(gemm));
  Gemm first = gemm, second = gemm;
  const LoopNest& nest = gemm.nest;
  const bool outer = CutsOuter(nest);
  int64_t LoopNest::*const iter = outer ? &LoopNest::iter_out : &LoopNest::iter_in;
  first.nest.*iter = iterations;
  second.nest.*iter -= iterations;
  UopKernel moved = program->kernels[nest.kernel];
  for (isa::Uop& uop : moved) {
    uop.dst += iterations * (outer ? nest.dst_out : nest.dst_in);
    uop.src += iterations * (outer ? nest.src_out : nest.src_in);
    uop.wgt += iterations * (outer ? nest.wgt_out : nest.wgt_in);
  }
  second.nest.kernel = Intern(std::move(moved), program);
  return {first, second};
}

void DropUnusedKernels(TaskProgram* program) {
  std::vector<int64_t> index(program->kernels.size(), -1);
  for (const Task& task : program->tasks)
    if (const LoopNest* nest = NestOf(task)) index[nest->kernel] = 0;
  std::vector<UopKernel> used;
  for (size_t kernel = 0; kernel < index.size(); ++kernel) {
    if (index[kernel] < 0) continue;
    index[kernel] = std::ssize(used);
    used.push_back(std::move(program->kernels[kernel]));
  }
  program->kernels = std::move(used);
  for (Task& task : program->tasks)
    if (LoopNest* nest = NestOf(task)) nest->kernel = index[nest->kernel];
}

}  // namespace vta::compiler::targets
