#include "runtime/model.h"

#include <algorithm>

#include "runtime/elf/module.h"
#include "runtime/modules/select_module.h"
#include "runtime/proof.h"

namespace vta::runtime {
namespace {

isa::Package Checked(isa::Package package, const std::string& file, const ModelOptions& options) {
  isa::ValidatePackage(package, file);
  if (package.config && options.prove && !options.elsewhere) ProvePackage(package, file);
  if (!options.native && !package.modules.empty())
    throw Error(file, "modules", std::to_string(package.modules.size()),
                "native code is refused here");
  return package;
}

}  // namespace

Model::Model(isa::Package package, const std::string& file, const ModelOptions& options)
    : package_(Checked(std::move(package), file, options)), file_(file) {
  if (options.elsewhere || std::ranges::all_of(package_.kernels, &isa::PackageKernel::IsForGpu))
    return;
  if (!options.kernels) {
    const int64_t module = SelectModule(package_.modules, ThisCpu(), file_);
    loaded_ = std::make_unique<ElfModule>(package_.modules[module], package_.kernels,
                                          StrCat(file_, ": modules[", module, "]"));
  }
  kernels_ = options.kernels ? options.kernels : loaded_.get();
}

int64_t Model::Find(const char* what, const std::vector<int64_t>& list,
                    std::string_view name) const {
  std::string names;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string& have = package_.tensors[list[i]].name;
    if (have == name) return static_cast<int64_t>(i);
    names += StrCat(i > 0 ? ", " : "", have);
  }
  throw ArgumentError(file_, what, std::string(name),
                      StrCat("the model has ", names.empty() ? "none" : names));
}

const isa::PackageTensor& Model::At(const char* what, const std::vector<int64_t>& list,
                                    int64_t index) const {
  if (index < 0 || index >= std::ssize(list))
    throw ArgumentError(file_, what, std::to_string(index), StrCat("the model has ", list.size()));
  return package_.tensors[list[index]];
}

std::string Model::Place(int64_t step) const {
  const isa::PackageStep& s = package_.steps[step];
  std::string layer = s.facts.op;
  if (!s.facts.shape.empty()) layer += StrCat(layer.empty() ? "" : " ", s.facts.shape);
  return StrCat(file_, ": step ", step, " ", s.name, layer.empty() ? "" : StrCat(" (", layer, ")"));
}

std::string Model::PlaceOfGpu() const {
  const auto first = std::ranges::find_if(
      package_.steps, [&](const isa::PackageStep& step) { return package_.IsOnGpu(step); });
  return first == package_.steps.end() ? file_ : Place(first - package_.steps.begin());
}

}  // namespace vta::runtime
