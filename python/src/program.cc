#include "python/src/program.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/boards.h"
#include "isa/asm.h"
#include "isa/check/published.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/stop.h"
#include "python/src/arguments.h"
#include "python/src/package.h"
#include "python/src/work.h"
#include "tools/shared/validators.h"
#include "tools/vta/common/flat_launch.h"
#include "tools/vta/program/launch_report.h"
#include "tools/vta/program/program_image.h"
#include "tools/vta/serve/server_state.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

using tools::ProgramImage, tools::ProgramRange;

struct Program {
  std::string name;  // in errors
  ProgramImage file;

  std::vector<uint8_t> Image() const { return ProgramImage(file).TakeImage(name); }
};

Program AssembleProgram(const std::string& text, nb::handle config, const std::string& name) {
  tools::ProgramOptions options{.path = name};
  std::string named;
  if (!config.is_none()) {
    options.own_config = OwnConfig(config, &named);
    options.config = named;
  }
  return OnLargeStack([&] {
    Program program{name, tools::ImageOfText(text, options)};
    if (program.file.image.empty() && !program.file.package)
      throw Error(name, "", "", "holds no program: neither instructions nor data nor a package");
    return program;
  });
}

Program ReadProgram(nb::handle path, nb::handle config, const nb::dict& options) {
  tools::ProgramOptions program;
  Arguments arguments;
  tools::AddProgramOptions(arguments.app(), program);
  nb::dict all = CopyOf(options);
  std::optional<isa::Config> own;
  if (!config.is_none()) {
    std::string named;
    own = OwnConfig(config, &named);
    all["config"] = named;
  }
  const std::string file = TextOf(path, "path");
  arguments.Parse(all, {file});
  program.load_config = {};
  program.own_config = std::move(own);
  return OnLargeStack([&] { return Program{file, tools::LoadProgramImage(program)}; });
}

std::string TextOfProgram(const Program& program, bool number) {
  const ProgramImage& file = program.file;
  if (file.package) return isa::Disassemble(isa::ProgramOfPackage(*file.package), number);
  std::string text;
  for (const ProgramRange& range : file.programs)
    text += isa::Disassemble(
        isa::ProgramInImage(file.config, file.image, range.address, range.count), number);
  return text;
}

std::string CheckProgram(const Program& program, bool published) {
  std::vector<ProgramRange> ranges = program.file.programs;
  ranges.insert(ranges.end(), program.file.launches.begin(), program.file.launches.end());
  return ProofsJson(program.file, ranges, published).Dump(-1);
}

/// Writes arrays into an image, by labels or addresses. Errors: throws Error naming what is none,
/// or does not lie in the image.
void PlaceMemory(const Program& program, const nb::dict& memory, std::vector<uint8_t>* image) {
  for (const auto [key, value] : memory) {
    const std::string where = StrCat("memory ", nb::cast<std::string>(nb::str(key)));
    uint64_t address = 0;
    if (nb::isinstance<nb::str>(key)) {
      const auto label = program.file.labels.find(nb::cast<std::string>(key));
      if (label == program.file.labels.end())
        throw Error(program.name, where, "", "is no label of the program");
      address = label->second;
    } else if (!nb::try_cast(key, address)) {
      throw Error(program.name, where, "", "must be a label or an address");
    }
    Py_buffer view = {};
    const bool is_read = PyObject_GetBuffer(value.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) == 0;
    if (!is_read) PyErr_Clear();
    const bool has_objects = is_read && view.format && std::strchr(view.format, 'O') != nullptr;
    if (has_objects) PyBuffer_Release(&view);
    if (!is_read || has_objects)
      throw Error(program.name, where, nb::type_name(value.type()).c_str(),
                  "must be an array of numbers, or bytes");
    const auto bytes = static_cast<uint64_t>(view.len);
    const bool fits = address <= image->size() && bytes <= image->size() - address;
    if (fits) PyBuffer_ToContiguous(image->data() + address, &view, view.len, 'C');
    PyBuffer_Release(&view);
    if (!fits)
      throw Error(program.name, where, StrCat(bytes, " bytes at ", Hex(address)),
                  StrCat("must lie in the image, of ", image->size(), " bytes"));
  }
}

/// Errors: throws Error with the verdict on the first that is refused.
void RequireProved(const Program& program, const std::vector<ProgramRange>& ranges) {
  for (const ProgramRange& range : ranges) {
    const isa::Report report = program.file.Prove(range);
    if (!report.ok())
      throw Error(program.name, range.name, "",
                  "is refused, and nothing was run; with unproved=True it runs all the same",
                  "\n" + tools::VerdictText(program.file, range, report));
  }
}

/// The JSON of each launch, as vta exec has it, and what memory is then.
std::pair<std::string, nb::bytes> RunProgram(const Program& program, const nb::dict& memory,
                                             const nb::dict& options) {
  tools::EngineOptions engine;
  double limit_s = 0;
  bool apart = false, unproved = false;
  Arguments arguments;
  engine.AddNameTo(arguments.app());
  arguments.app()
      .add_option("--limit", limit_s, "stop a program after so many seconds")
      ->check(tools::NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"));
  arguments.app().add_flag("--apart", apart);
  arguments.app().add_flag("--unproved", unproved);
  arguments.Parse(options);
  if (unproved && (driver::IsBoard(engine.name) || engine.IsRemote()))
    throw Error("", "--unproved", engine.name,
                "may be a board, whose memory is that of its processor, too");
  if (apart && !program.file.package)
    throw Error(program.name, "--apart", "", "is for packages, whose layers share launches");
  std::vector<uint8_t> image = program.Image();
  PlaceMemory(program, memory, &image);
  const std::string text =
      WithProgress(StrCat("exec ", program.name), {}, [&](tools::Progress* progress) {
        engine.progress = progress;
        const StopAsker asker([progress] { return IsAskedToEnd(*progress); });
        const std::vector<ProgramRange> ranges =
            program.file.Launched(apart ? tools::Launches::kApart : tools::Launches::kOfSeveral);
        if (ranges.empty()) throw Error(program.name, "", "", "holds no program");
        if (!unproved) RequireProved(program, ranges);
        std::vector<tools::FlatLaunch> launches;
        for (const ProgramRange& range : ranges) {
          launches.push_back({range.address, range.count});
          if (limit_s > 0)
            launches.back().limit = std::chrono::nanoseconds(static_cast<int64_t>(limit_s * 1e9));
        }
        const auto results = tools::RunFlat(engine, program.file.config, launches, image);
        Json::Array entries;
        for (size_t i = 0; i < results.size(); ++i)
          entries.push_back(tools::LaunchToJson(program.file.config, results[i])
                                .Set("program", ranges[i].name)
                                .Set("text", tools::LaunchToText(program.file.config, results[i])));
        return Json(std::move(entries)).Dump(-1);
      });
  return {text, nb::bytes(image.data(), image.size())};
}

nb::dict LabelsOf(const Program& program) {
  nb::dict labels;
  for (const auto& [name, address] : program.file.labels) labels[name.c_str()] = address;
  return labels;
}

/// (name, address, instructions) of each launch.
nb::list RangesOf(const Program& program) {
  nb::list ranges;
  for (const ProgramRange& range : program.file.programs)
    ranges.append(nb::make_tuple(range.name, range.address, range.count));
  return ranges;
}

/// What vta asm writes: a package, or an image.
std::vector<uint8_t> FileOfProgram(const Program& program) {
  return program.file.package ? isa::SerializePackage(*program.file.package) : program.file.image;
}

std::pair<std::string, std::string> DevicesOf(const std::string& server, const nb::dict& options) {
  std::string credentials;
  Arguments arguments;
  tools::AddCredentialsTo(arguments.app(), &credentials);
  arguments.Parse(options);
  return OnLargeStack([&] {
    const tools::AskedServer asked = tools::AskServer(server, credentials);
    const driver::remote::ServerState state = asked.client->List();
    return std::pair(tools::StateJson(state).Dump(-1), tools::StateText(asked.address, state));
  });
}

}  // namespace

Json ProofsJson(const tools::ProgramImage& programs, const std::vector<ProgramRange>& ranges,
                bool published) {
  Json::Array reports;
  for (const ProgramRange& range : ranges) {
    const isa::Report report = programs.Prove(range);
    Json json = Json()
                    .Set("program", range.name)
                    .Set("ok", report.ok())
                    .Set("text", tools::VerdictText(programs, range, report))
                    .Set("report", Json::Parse(isa::ReportToJson(report), "report"));
    if (published) {
      isa::PublishedReport other;
      programs.WithLaunch(range, [&](const isa::Launch& launch) {
        other = isa::CheckPublished(programs.config, launch);
      });
      json.Set("published", Json::Parse(isa::PublishedToJson(other), "published"));
    }
    reports.push_back(std::move(json));
  }
  return Json(std::move(reports));
}

void BindProgram(nb::module_& module) {
  nb::class_<Program>(module, "Program")
      .def_ro("name", &Program::name)
      .def("config", [](const Program& p) { return isa::ConfigToJson(p.file.config); })
      .def("labels", &LabelsOf)
      .def("ranges", &RangesOf)
      .def("is_package", [](const Program& p) { return p.file.package.has_value(); })
      .def("image",
           [](const Program& p) {
             const std::vector<uint8_t> image = p.Image();
             return nb::bytes(image.data(), image.size());
           })
      .def("save",
           [](const Program& p, nb::handle path) {
             const std::string file = TextOf(path, "path");
             OnLargeStack([&] {
               WriteFileAtomically(file, FileOfProgram(p));
               return true;
             });
           })
      .def("check",
           [](const Program& p, bool published) {
             return OnLargeStack([&] { return CheckProgram(p, published); });
           })
      .def("disassemble",
           [](const Program& p, bool number) {
             return OnLargeStack([&] { return TextOfProgram(p, number); });
           })
      .def("run", &RunProgram);
  module.def("assemble", &AssembleProgram, nb::arg("text"), nb::arg("config").none(),
             nb::arg("name"));
  module.def("read_program", &ReadProgram, nb::arg("path").none(), nb::arg("config").none(),
             nb::arg("options"));
  module.def("devices", &DevicesOf);
}

}  // namespace vta::python
