#include "tools/vta/explore/reports.h"

#include <map>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/temporary.h"
#include "tools/shared/log.h"
#include "tools/vta/common/self.h"

namespace vta::tools {
namespace {

struct Wanted {
  const PointRow* row;
  size_t network;
  std::string file;  // in the folder
};

std::vector<std::string> WordsOf(const Wanted& wanted, const std::string& model,
                                 const ReportsOptions& options, const ReadWith& read_with) {
  std::vector<std::string> words = {
      "run",      model,
      "-c",       StrCat(options.folder, "/front/", wanted.row->facts->config.name, ".json"),
      "--engine", "cycle",
      "--effort", StrCat(read_with.effort),
      "--html",   StrCat(options.folder, "/", wanted.file)};
  for (const std::string& dim : read_with.dims) words.insert(words.end(), {"--dim", dim});
  if (!read_with.assume.empty()) words.insert(words.end(), {"--assume", read_with.assume});
  if (!options.energy.empty()) words.insert(words.end(), {"--energy", options.energy});
  return words;
}

}  // namespace

void WriteReports(const ReportsOptions& options, const std::vector<PointRow>& rows,
                  Exploration* exploration, const std::function<void(const std::string&)>& at) {
  const std::vector<WorkloadNetwork>& networks = exploration->workload->networks();
  const Temporary folder(NewTemporaryFolder("vta-explore"));
  std::vector<std::string> models;
  std::vector<Wanted> wanted;
  int64_t points = 0;
  for (const WorkloadNetwork& one : networks)
    models.push_back(ModelFile(one.name, folder.path(), exploration->workload->files()));
  for (const PointRow& row : rows) {
    if (!row.on_front || ++points > options.most) continue;
    for (size_t i = 0; i < networks.size(); ++i)
      wanted.push_back({&row, i,
                        StrCat("front/", row.facts->config.name,
                               networks.size() > 1 ? StrCat(".", i) : "", ".html")});
  }
  RunInProcesses(
      EachOf(std::ssize(wanted)), {.at_once = options.jobs, .on_wait = options.on_wait},
      [&](int64_t job) {
        const Wanted& one = wanted[static_cast<size_t>(job)];
        RunSelf(WordsOf(one, models[one.network], options, exploration->read_with));
        return std::string();
      },
      [&](int64_t job, const JobEnd& end) {
        const Wanted& one = wanted[static_cast<size_t>(job)];
        const std::string& name = one.row->facts->config.name;
        if (end.failure.empty())
          exploration->reports[one.row->facts->point][one.network] = one.file;
        else
          Log(LogLevel::kWarning, StrCat(name, ": no report: ", end.failure));
        at(name + ", report");
        return true;
      });
}

}  // namespace vta::tools
