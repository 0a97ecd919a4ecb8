#include "tools/vta/measure/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/tune/parallel.h"
#include "compiler/tune/tuner.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/shared/log.h"
#include "tools/vta/common/trials/batch.h"
#include "tools/vta/common/trials/gpu_measurer.h"
#include "tools/vta/common/trials/search_lines.h"

namespace vta::tools {
namespace {

using compiler::tune::Candidate;
using compiler::tune::LogEntry;
using compiler::tune::Task;

struct Tally {
  int64_t tried = 0, failed = 0;
  std::string why;  // the first of these did
};

/// The lines of a task. Candidates have for their points the places of theirs.
class TaskRun {
 public:
  TaskRun(std::span<const BatchLine> lines, const GpuMeasurer& measurer,
          compiler::tune::LogWriter* writer)
      : lines_(lines), measurer_(measurer), writer_(*writer) {
    const LogEntry& first = lines[0].entry;
    task_.step = first.step, task_.key = first.key, task_.macs = lines[0].macs;
    for (const BatchLine& line : lines)
      task_.candidates.push_back(
          {{std::ssize(task_.candidates)}, line.entry.estimate, line.entry.cost, line.entry.times});
  }

  /// What these have is not tried again.
  void Know(std::span<const LogEntry> results) {
    for (const LogEntry& result : results) {
      if (result.key != task_.key || !IsOf(measurer_, result)) continue;
      for (size_t i = 0; i < lines_.size(); ++i) {
        const LogEntry& entry = lines_[i].entry;
        Candidate& one = task_.candidates[i];
        if (result.point != entry.point || result.compiler != entry.compiler ||
            result.times < one.times)
          continue;
        one.cost = result.cost, one.failure = result.failure, one.times = result.times;
      }
    }
  }

  void Run(SearchLines* lines, Tally* tally) {
    const auto tell = [&] { lines->Tell(task_, std::ssize(lines_)); };
    tell();
    compiler::tune::InParallel(GpuMeasurer::Jobs(), lines_.size(), [&](size_t i) {
      const Candidate& one = task_.candidates[i];
      if (!one.cost && one.failure.empty() && lines_[i].package)
        measurer_.Prepare(*lines_[i].package);
    });
    for (size_t i = 0; i < lines_.size(); ++i) {
      Candidate& one = task_.candidates[i];
      if (one.cost || !one.failure.empty()) continue;
      const Candidate result = Try(i);
      one.cost = result.cost, one.failure = result.failure;
      Write({&one, 1});
      ++tally->tried;
      if (!one.cost && ++tally->failed == 1) tally->why = one.failure;
      tell();
    }
    Write(Confirm(&task_, [&](std::span<Candidate> again) {
      for (Candidate& one : again) one = Try(one.point[0]);
    }));
    tell();
  }

 private:
  /// Behind the first, to whose outputs those of others are held.
  Candidate Try(size_t i) {
    if (!std::exchange(has_outputs_, true) && i > 0)
      if (const Candidate first = Measure(0); !first.cost)
        Log(LogLevel::kWarning, StrCat(task_.step,
                                       ": outputs are held to those of another "
                                       "candidate than the first: ",
                                       first.failure));
    return Measure(i);
  }
  Candidate Measure(size_t i) const {
    const BatchLine& line = lines_[i];
    Candidate result = task_.candidates[i];
    result.cost.reset(), result.failure = line.entry.failure;
    try {
      if (line.package) result.cost = measurer_.Measure(*line.package, task_.key.workload);
    } catch (const Error& error) {
      result.failure = error.what();
    }
    return result;
  }
  void Write(std::span<const Candidate> tried) {
    std::vector<LogEntry> results;
    for (const Candidate& one : tried) {
      LogEntry& result = results.emplace_back(lines_[one.point[0]].entry);
      result.measured_on = measurer_.Hash();
      result.cost = one.cost, result.failure = one.failure, result.times = one.times;
    }
    if (!results.empty()) writer_.Append(results);
  }

  const std::span<const BatchLine> lines_;
  const GpuMeasurer& measurer_;
  compiler::tune::LogWriter& writer_;
  Task task_;
  bool has_outputs_ = false;
};

std::vector<std::span<const BatchLine>> TasksOf(const Batch& batch) {
  std::vector<std::span<const BatchLine>> tasks;
  for (size_t begin = 0, end = 0; begin < batch.lines.size(); begin = end) {
    while (end < batch.lines.size() && batch.lines[end].entry.key == batch.lines[begin].entry.key)
      ++end;
    tasks.push_back(std::span(batch.lines).subspan(begin, end - begin));
  }
  return tasks;
}

}  // namespace

void MeasureBatch(const std::string& file, const std::string& results, const EngineOptions& engine,
                  double limit_s) {
  const auto start = std::chrono::steady_clock::now();
  const Batch batch = ReadBatch(file);
  const isa::GpuRow& kind = *isa::FindGpu(batch.target);
  if (&engine.GpuKind(kind) != &kind)
    throw Error(file, "target", batch.target,
                StrCat("must be ", engine.GpuKind(kind).name, ", for ", engine.device));
  const GpuMeasurer measurer(kind, engine.DeviceOf(kind), limit_s);
  compiler::tune::LogWriter writer(results);
  std::vector<LogEntry> known;
  const std::string text = ReadTextFile(results);
  for (const compiler::tune::Line& line : compiler::tune::LinesOf(text, results))
    known.push_back(compiler::tune::ParseEntry(line.text, line.where));
  const std::vector<std::span<const BatchLine>> tasks = TasksOf(batch);
  Progress progress(StrCat("measure ", file));
  SearchLines lines(kNanoseconds, std::ssize(tasks), &progress,
                    [](const std::string& line) { fmt::print("{}", line); });
  Tally tally;
  for (const std::span<const BatchLine> task : tasks) {
    TaskRun run(task, measurer, &writer);
    run.Know(known);
    run.Run(&lines, &tally);
    lines.End();
  }
  progress.Hide();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {}, {} in {:.1f} s; {}\n", Visible(measurer.gpu()), Counted(tasks.size(), "task"),
             CountedWithCommas(tally.tried, "trial"), took.count(), Visible(results));
  if (tally.tried > 0 && tally.failed == tally.tried)
    throw Error(results, "candidates", StrCat(tally.tried),
                StrCat("all failed, the first: ", tally.why));
}

}  // namespace vta::tools
