#include "python/src/model.h"

#include <nanobind/stl/string.h>

#include <CLI/CLI.hpp>

#include "compiler/frontend/model.h"
#include "compiler/frontend/onnx/export.h"
#include "compiler/quantize/float_form.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "python/src/arguments.h"
#include "python/src/arrays.h"
#include "python/src/expression.h"
#include "python/src/work.h"
#include "tools/shared/log.h"
#include "tools/shared/samples.h"
#include "tools/vta/accuracy/evaluate.h"
#include "tools/vta/accuracy/quantise_options.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/graph_runner.h"
#include "tools/vta/common/options.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

namespace quantize = compiler::quantize;

compiler::ImportOptions ImportOptions(const std::vector<std::string>& dims) {
  return {.dimensions = tools::Dimensions(dims),
          .on_remark = [](const std::string& text) { tools::Log(tools::LogLevel::kInfo, text); }};
}

Model Load(nb::handle source, const std::string& name, const nb::dict& options) {
  Arguments arguments;
  std::vector<std::string> dims;
  tools::AddDimTo(arguments.app(), &dims);
  arguments.Parse(options);
  if (const std::optional<std::vector<uint8_t>> bytes = FileBytesOf(source))
    return OnLargeStack([&] {
      return Model{name, compiler::ImportModel(*bytes, name, ImportOptions(dims))};
    });
  const std::string path = TextOf(source, "model");
  return OnLargeStack([&] {
    return Model{path, compiler::ImportModelFile(path, ImportOptions(dims))};
  });
}

/// Of each sample the model's inputs. Errors: as ArrayBytes and RequireFinite.
std::vector<std::vector<compiler::Tensor>> SamplesOf(const Model& model, nb::handle samples) {
  const std::vector<isa::PackageTensor> inputs = tools::InputTensors(model.graph);
  std::vector<std::vector<compiler::Tensor>> tensors;
  for (const nb::handle sample : samples) {
    const std::string place = StrCat("sample ", tensors.size());
    std::vector<compiler::Tensor>& own = tensors.emplace_back();
    const bool has_names = nb::isinstance<nb::dict>(sample);
    if (!has_names && inputs.size() != 1)
      throw Error(model.name, place, "",
                  StrCat("must be a dict: the model has ", inputs.size(), " inputs"));
    if (has_names && nb::len(sample) != inputs.size())
      throw Error(model.name, place, std::to_string(nb::len(sample)),
                  StrCat("the model has ", inputs.size(), " inputs"));
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string name = StrCat(place, " ", inputs[i].name);
      nb::object value = nb::borrow(sample);
      if (has_names) {
        if (!PyMapping_HasKeyString(sample.ptr(), inputs[i].name.c_str()))
          throw Error(model.name, name, "", "is missing");
        value = sample[inputs[i].name.c_str()];
      }
      const ArrayBytes array(value, inputs[i], name);
      std::vector<uint8_t> bytes(array.bytes().begin(), array.bytes().end());
      tools::RequireFinite(bytes, inputs[i], name);
      own.emplace_back(model.graph.type(model.graph.inputs()[i]), std::move(bytes));
    }
  }
  if (tensors.empty()) throw Error(model.name, "samples", "0", "must be one at least");
  return tensors;
}

void SetRounding(const tools::QuantiseOptions& options, compiler::Graph& graph) {
  if (!options.rounding.empty())
    graph.set_rounding(options.rounding == "double" ? isa::Rounding::kDouble
                                                    : isa::Rounding::kSingle);
}

Model Quantise(const Model& model, nb::handle samples, const nb::dict& options) {
  tools::QuantiseOptions quantise;
  int64_t threads = 0;
  Arguments arguments;
  quantise.AddTo(arguments.app());
  tools::AddCpuThreadsTo(arguments.app(), &threads);
  nb::dict all = CopyOf(options);
  all["data"] = "samples";  // which the command reads from files
  arguments.Parse(all, {model.name});
  if (quantize::IsQuantised(model.graph))
    throw Error(model.name, "", "",
                "is quantised already; vta.evaluate compares it with itself in float");
  const std::vector<std::vector<compiler::Tensor>> tensors = SamplesOf(model, samples);
  return WithProgress(StrCat("quantize ", model.name), {}, [&](tools::Progress* progress) {
    compiler::Graph graph = model.graph;
    SetRounding(quantise, graph);
    quantize::Calibration calibration = tools::OnSamples(tensors, progress, threads);
    calibration.hold_back = quantize::HoldBackOf(std::ssize(tensors));
    try {
      const quantize::Result result = quantize::Quantise(graph, calibration, quantise.Parsed());
      std::vector<uint8_t> onnx = compiler::ExportOnnx(result.quantised.graph);
      compiler::Graph imported = compiler::ImportModel(onnx, model.name);
      return Model{model.name, std::move(imported), std::move(onnx)};
    } catch (const Error& error) {
      throw error.In(model.name);
    }
  });
}

/// The JSON of what the tool reports.
std::string Evaluate(const Model& model, nb::handle samples, nb::handle labels,
                     nb::handle calibration, const nb::dict& options) {
  tools::QuantiseOptions quantise;
  tools::EngineOptions engine;
  bool no_trials = false;
  Arguments arguments;
  quantise.AddTo(arguments.app());
  engine.AddNameTo(arguments.app());
  arguments.app().add_flag("--no-trials", no_trials);
  nb::dict all = CopyOf(options);
  all["data"] = "samples";  // which the command reads from files
  arguments.Parse(all, {model.name});
  tools::Evaluation evaluation{.model = model.name,
                               .data = {SamplesOf(model, samples), {}},
                               .threads = engine.threads,
                               .trials = !no_trials};
  if (arguments.app().get_option("--engine")->count() > 0) evaluation.engine = &engine;
  tools::Inputs& from = evaluation.data.from;
  from.in_files = std::ssize(evaluation.data.tensors);
  if (!labels.is_none()) {
    from.list = StrCat(model.name, ": labels");
    for (const nb::handle label : labels) from.labels.push_back(WholeOf(label, "label"));
    if (from.labels.empty())
      throw Error(model.name, "labels", "0", StrCat("there are ", from.in_files, " samples"));
  }
  if (!calibration.is_none()) evaluation.calibration = SamplesOf(model, calibration);
  return WithProgress(StrCat("eval ", model.name), {}, [&](tools::Progress* progress) {
    compiler::Graph graph = model.graph;
    SetRounding(quantise, graph);
    return tools::EvalJson(tools::Evaluate(evaluation, graph, quantise.Parsed(), progress)).Dump();
  });
}

nb::tuple TensorRow(const std::string& name, std::string_view dtype,
                    const std::vector<int64_t>& sizes) {
  nb::list shape;
  for (const int64_t size : sizes) shape.append(size);
  return nb::make_tuple(name, std::string(dtype), nb::tuple(shape));
}

nb::list InputsOf(const Model& model) {
  nb::list list;
  for (const compiler::ValueId input : model.graph.inputs()) {
    const compiler::Value& value = model.graph.value(input);
    list.append(TensorRow(value.name, compiler::Name(value.type.dtype), value.type.shape));
  }
  return list;
}

nb::list OutputsOf(const Model& model) {
  nb::list list;
  for (const compiler::GraphOutput& output : model.graph.outputs()) {
    const compiler::TensorType& type = model.graph.type(output.value);
    list.append(TensorRow(output.name, compiler::Name(type.dtype), type.shape));
  }
  return list;
}

}  // namespace

std::vector<uint8_t> OnnxOf(const Model& model) {
  if (!model.onnx.empty()) return model.onnx;
  try {
    return compiler::ExportOnnx(model.graph);
  } catch (const Error& error) {
    throw error.In(model.name);
  }
}

std::optional<std::vector<uint8_t>> FileBytesOf(nb::handle source) {
  nb::object data = nb::borrow(source);
  if (nb::hasattr(source, "SerializeToString")) data = source.attr("SerializeToString")();
  if (!nb::isinstance<nb::bytes>(data)) return std::nullopt;
  const auto bytes = nb::borrow<nb::bytes>(data);
  const auto* const begin = static_cast<const uint8_t*>(bytes.data());
  return std::vector<uint8_t>(begin, begin + bytes.size());
}

nb::list TensorsOf(const std::vector<isa::PackageTensor>& tensors) {
  nb::list list;
  for (const isa::PackageTensor& tensor : tensors)
    list.append(TensorRow(tensor.name, isa::ElementTypeName(tensor.type), tensor.shape));
  return list;
}

void BindModel(nb::module_& module) {
  nb::class_<Model>(module, "Model")
      .def_ro("name", &Model::name)
      .def("is_quantised", [](const Model& model) { return quantize::IsQuantised(model.graph); })
      .def("inputs", &InputsOf)
      .def("outputs", &OutputsOf)
      .def("quantize", &Quantise)
      .def("evaluate", &Evaluate, nb::arg("samples"), nb::arg("labels").none(),
           nb::arg("calibration").none(), nb::arg("options"))
      .def("to_onnx",
           [](const Model& model) {
             const std::vector<uint8_t> bytes = OnLargeStack([&] { return OnnxOf(model); });
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("save", [](const Model& model, nb::handle path) {
        const std::string file = TextOf(path, "path");
        OnLargeStack([&] {
          WriteFileAtomically(file, OnnxOf(model));
          return true;
        });
      });
  module.def("load_model", &Load, nb::arg("source").none(), nb::arg("name"), nb::arg("options"));
}

}  // namespace vta::python
