// A compiled network in memory, as vta.Package has it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "isa/package.h"
#include "runtime/model.h"
#include "runtime/modules/kernel_runner.h"
#include "tools/vta/common/session.h"

namespace vta::python {

/// Any number of threads may use it.
class Package {
 public:
  Package(tools::OpenedModel opened, std::string file, bool native = true);

  const std::string& file() const { return file_; }
  double compile_s() const { return compile_s_; }
  const runtime::KernelOptions& kernels() const { return kernels_; }
  std::shared_ptr<const isa::Package> package() const;
  /// Proved and loaded by whoever asks first. Errors: as runtime::Model.
  std::shared_ptr<const runtime::Model> Load();

 private:
  const std::string file_;
  const double compile_s_;
  const runtime::KernelOptions kernels_;
  const bool native_;
  std::mutex loading_;
  mutable std::mutex mutex_;  // of what follows, held for no longer than a pointer takes
  std::shared_ptr<const isa::Package> package_;
  std::shared_ptr<const runtime::Model> model_;  // null before somebody asks; then package_ is its
};

/// A config that is a dict; a shipped name or a path is `name` then, and nothing is
/// returned. Errors: as isa::ParseConfig; throws Error where it is something else.
std::optional<isa::Config> OwnConfig(nanobind::handle config, std::string* name);

/// A network that is compiled, a Model or a file's path, for a config that OwnConfig takes or None:
/// sets them, and `options` as the command has them. Returns the file, or what stands for it.
/// Errors: throws Error where it is neither, or an option is for a file alone.
std::string SetSource(nanobind::handle source, nanobind::handle config, tools::ModelOptions* model,
                      nanobind::dict* options);

/// The tensors that some indices name.
std::vector<isa::PackageTensor> TensorsOf(const isa::Package& package,
                                          const std::vector<int64_t>& indices);

void BindPackage(nanobind::module_& module);

}  // namespace vta::python
