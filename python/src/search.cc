#include "python/src/search.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "python/src/arguments.h"
#include "python/src/model.h"
#include "python/src/package.h"
#include "python/src/work.h"
#include "tools/shared/log.h"
#include "tools/shared/stack.h"
#include "tools/shared/version.h"
#include "tools/vta/common/self.h"
#include "tools/vta/explore/explorer.h"
#include "tools/vta/tool.h"
#include "tools/vta/tune/search.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

/// The JSON of a result, and the tool's text of it.
using Found = std::pair<std::string, std::string>;

void Say(const std::string& text) {
  tools::Log(tools::LogLevel::kInfo, text.substr(0, text.find_last_not_of('\n') + 1));
}

std::string ThisModule() {
  const auto file = nb::cast<std::string>(nb::module_::import_("vta._core").attr("__file__"));
  return tools::ThisBuild(StrCat("vta ", tools::Version()), file);
}

/// What is a run of the tool (a report, trials on a GPU) is one of `python -m vta`, wherever the
/// package lies.
void BeStartedByPython() {
  const nb::module_ path = nb::module_::import_("os.path");
  const nb::object file = nb::module_::import_("vta._core").attr("__file__");
  const nb::object folder = path.attr("dirname")(path.attr("dirname")(path.attr("abspath")(file)));
  tools::BeStartedBy(
      {nb::cast<std::string>(nb::module_::import_("sys").attr("executable")), "-c",
       StrCat("import sys; sys.path.insert(0, ", nb::cast<std::string>(nb::repr(folder)),
              "); from vta.__main__ import main; main()")});
}

Found Tune(nb::handle source, nb::handle config, const nb::dict& options, nb::handle listener) {
  tools::TuningOptions search;
  Arguments arguments;
  search.AddTo(arguments.app());
  nb::dict all = CopyOf(options);
  const std::string file = SetSource(source, config, &search.model, &all);
  arguments.Parse(all, {file});
  BeStartedByPython();
  const std::string build = ThisModule();
  return WithProgress(StrCat("tune ", file), listener, [&](tools::Progress* progress) {
    const tools::SearchResult result = tools::Search(search, build, progress, Say).Run();
    return Found(tools::SearchJson(result.facts, result.tasks).Dump(-1), result.text);
  });
}

/// The names of networks, each a path, a name of vta model, a Model, or what load_model takes; what
/// is in memory is written into the folder.
std::vector<std::string> ModelNames(nb::handle models, const std::string& folder,
                                    tools::ModelFiles* files) {
  std::vector<std::string> names;
  for (const nb::handle model : models) {
    std::optional<std::vector<uint8_t>> bytes = FileBytesOf(model);
    std::string name = "model";
    if (nb::isinstance<Model>(model)) {
      const Model& own = nb::cast<const Model&>(model);
      name = own.name;
      bytes = OnLargeStack([&] { return OnnxOf(own); });
    }
    if (!bytes) {
      names.push_back(TextOf(model, "model"));
      continue;
    }
    const std::string first = name;
    for (int number = 2; std::ranges::count(names, name) > 0; ++number)
      name = StrCat(first, " (", number, ")");
    const std::string file = StrCat(folder, "/", names.size());
    WriteFileAtomically(file, *bytes);
    files->emplace(name, file);
    names.push_back(std::move(name));
  }
  return names;
}

Found Explore(nb::handle models, nb::handle space, nb::handle config, const nb::dict& options,
              nb::handle listener) {
  tools::ExploreOptions explore;
  Arguments arguments;
  explore.AddTo(arguments.app());
  nb::dict all = CopyOf(options);
  std::string name;
  if (nb::isinstance<nb::dict>(space)) {
    explore.own_space = JsonOf(space);
    all["space"] = "space";
  } else if (!space.is_none()) {
    all["space"] = TextOf(space, "space");
  }
  if (!config.is_none()) {
    explore.own_config = OwnConfig(config, &name);
    all["config"] = name;
    all["sensitivity"] = true;
  }
  const Temporary folder(NewTemporaryFolder("vta-python"));
  arguments.Parse(all, ModelNames(models, folder.path(), &explore.files));
  explore.command = nullptr;
  explore.RequireTogether(arguments.app());
  BeStartedByPython();
  const std::string build = ThisModule();
  return WithProgress("explore", listener, [&](tools::Progress* progress) {
    const tools::ExploreResult result = explore.sensitivity
                                            ? tools::ExploreSteps(explore, progress)
                                            : tools::Explore(explore, build, progress, Say);
    return Found(result.json.Dump(-1), result.text);
  });
}

/// The command line; messages go to stderr, and what is printed to stdout.
int RunCommand(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"vta"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return tools::RunTool(static_cast<int>(argv.size()), argv.data(), tools::kCommit,
                        tools::PlainWriter);
}

}  // namespace

void BindSearch(nb::module_& module) {
  module.def("tune", &Tune, nb::arg("source").none(), nb::arg("config").none(), nb::arg("options"),
             nb::arg("listener").none());
  module.def("explore", &Explore, nb::arg("models").none(), nb::arg("space").none(),
             nb::arg("config").none(), nb::arg("options"), nb::arg("listener").none());
  module.def("main", [](const nb::list& words) {
    std::vector<std::string> all;
    for (const nb::handle word : words) all.push_back(nb::cast<std::string>(nb::str(word)));
    const nb::gil_scoped_release unlocked;
    int status = 1;
    tools::OnOwnStack("vta", [&] {
      status = RunCommand(all);
      return 0;
    });
    return status;
  });
}

}  // namespace vta::python
