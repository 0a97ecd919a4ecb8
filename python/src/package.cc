#include "python/src/package.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "isa/asm.h"
#include "isa/check/check.h"
#include "isa/package_set.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "python/src/arguments.h"
#include "python/src/model.h"
#include "python/src/work.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/program/program_image.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

std::shared_ptr<Package> Compile(nb::handle source, nb::handle config, const nb::dict& options) {
  tools::ModelOptions model;
  Arguments arguments;
  model.AddTo(arguments.app());
  model.AddThreadsTo(arguments.app());
  nb::dict all = CopyOf(options);
  const std::string file = SetSource(source, config, &model, &all);
  if (!model.graph && tools::IsPackage(file))
    throw Error(file, "", "", "is a package: it is compiled already");
  arguments.Parse(all, {file});
  return WithProgress(StrCat("compile ", file), {}, [&](tools::Progress* progress) {
    model.progress = progress;
    return std::make_shared<Package>(tools::OpenModel(model), file);
  });
}

std::shared_ptr<Package> Read(nb::handle path, const nb::dict& options) {
  tools::ModelOptions model;
  Arguments arguments;
  model.AddTo(arguments.app());
  model.native.AddTo(arguments.app());
  model.command = nullptr;
  const std::string file = TextOf(path, "path");
  arguments.Parse(options, {file});
  return OnLargeStack([&] {
    if (!tools::IsPackage(file)) {
      ReadFile(file);  // whose errors come first
      throw Error(file, "", "", "is not a package: vta.compile makes one of a model");
    }
    return std::make_shared<Package>(tools::OpenModel(model), file, model.native.ForModel().native);
  });
}

std::string Check(const Package& package) {
  const tools::ProgramImage programs = tools::ImageOfPackage(*package.package());
  std::vector<tools::ProgramRange> ranges = programs.programs;
  ranges.insert(ranges.end(), programs.launches.begin(), programs.launches.end());
  return ProofsJson(programs, ranges).Dump();
}

nb::bytes FileOf(const Package& package) {
  const std::vector<uint8_t> bytes =
      OnLargeStack([&] { return isa::SerializePackage(*package.package()); });
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

std::optional<isa::Config> OwnConfig(nb::handle config, std::string* name) {
  const std::string json = JsonOf(config);
  if (json.empty()) {
    *name = TextOf(config, "config");
    return std::nullopt;
  }
  *name = "config";
  return isa::ParseConfig(json, *name);
}

std::string SetSource(nb::handle source, nb::handle config, tools::ModelOptions* model,
                      nb::dict* options) {
  model->command = nullptr;  // an error does not say a command again
  std::string name;
  if (!config.is_none()) {
    model->own_config = OwnConfig(config, &name);
    (*options)["config"] = name;
  }
  if (!nb::isinstance<Model>(source)) return TextOf(source, "model");
  const Model& own = nb::cast<const Model&>(source);
  model->graph = &own.graph;
  for (const char* const of_file : {"dim", "assume"})
    if (options->contains(of_file) && !(*options)[of_file].is_none())
      throw Error("", StrCat("--", of_file), "", "is for a file, not for a vta.Model");
  return own.name;
}

Package::Package(tools::OpenedModel opened, std::string file, bool native)
    : file_(std::move(file)),
      compile_s_(opened.compile_s),
      kernels_(opened.kernels),
      native_(native),
      package_(std::make_shared<const isa::Package>(std::move(opened.package))) {}

std::shared_ptr<const isa::Package> Package::package() const {
  const std::lock_guard lock(mutex_);
  return package_;
}

std::shared_ptr<const runtime::Model> Package::Load() {
  const std::lock_guard loading(loading_);
  if (model_) return model_;
  auto model = tools::LoadModel(*package(), file_, nullptr, {.native = native_});
  const std::lock_guard lock(mutex_);
  model_ = std::move(model);
  package_ = {model_, &model_->package()};
  return model_;
}

std::vector<isa::PackageTensor> TensorsOf(const isa::Package& package,
                                          const std::vector<int64_t>& indices) {
  std::vector<isa::PackageTensor> tensors;
  for (const int64_t index : indices) tensors.push_back(package.tensors[index]);
  return tensors;
}

void BindPackage(nb::module_& module) {
  nb::class_<Package>(module, "Package")
      .def_prop_ro("file", &Package::file)
      .def_prop_ro("compile_s", &Package::compile_s)
      .def_prop_ro("model", [](const Package& p) { return p.package()->model; })
      .def("config",
           [](const Package& p) -> nb::object {
             const auto& config = p.package()->config;
             return config ? nb::object(nb::str(isa::ConfigToJson(*config).c_str())) : nb::none();
           })
      .def("targets",
           [](const Package& p) {
             nb::list names;
             for (const std::string& name : isa::TargetsOf(*p.package())) names.append(name);
             return names;
           })
      .def("inputs",
           [](const Package& p) { return TensorsOf(TensorsOf(*p.package(), p.package()->inputs)); })
      .def(
          "outputs",
          [](const Package& p) { return TensorsOf(TensorsOf(*p.package(), p.package()->outputs)); })
      .def("to_bytes", &FileOf)
      .def("save",
           [](const Package& p, nb::handle path) {
             const std::string file = TextOf(path, "path");
             OnLargeStack([&] {
               WriteFileAtomically(file, isa::SerializePackage(*p.package()));
               return true;
             });
           })
      .def("check", [](const Package& p) { return OnLargeStack([&] { return Check(p); }); })
      .def("disassemble", [](const Package& p, bool number) {
        return OnLargeStack(
            [&] { return isa::Disassemble(isa::ProgramOfPackage(*p.package()), number); });
      });
  module.def("compile", &Compile, nb::arg("source").none(), nb::arg("config").none(),
             nb::arg("options"));
  module.def("read_package", &Read, nb::arg("path").none(), nb::arg("options"));
  module.def("configs", [] {
    nb::list names;
    for (const std::string& name : tools::ShippedConfigs()) names.append(name);
    return names;
  });
  module.def("config", [](nb::handle config) {
    std::string name;
    const auto own = OwnConfig(config, &name);
    return isa::ConfigToJson(own ? *own : tools::FindConfig(name));
  });
}

}  // namespace vta::python
