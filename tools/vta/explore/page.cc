#include "tools/vta/explore/page.h"

#include "compiler/models/models.h"
#include "tools/report/page_files.h"

namespace vta::tools {

std::string ExplorePage(const Json& summary) {
  // Networks that a command has to build before another one can read them.
  Json::Array built;
  for (const Json& network : *summary.Find("networks")->as_array())
    for (const auto& model : compiler::KnownModels())
      if (model.name == *network.Find("name")->as_string()) built.emplace_back(model.name);
  return PageWith(kExplorePage, Json(summary).Set("built", std::move(built)).Dump(-1));
}

}  // namespace vta::tools
