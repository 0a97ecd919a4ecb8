#include "tools/vta/run/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

using isa::Cause;

constexpr std::string_view kFree = "free";

// An end of a text is one of a part, too: "a," has two.
std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

struct Key {
  std::string_view name, meaning;
  std::vector<Question::Booked> booked;
  // Sets what a number says, or what "free" does.
  std::function<void(driver::WhatIf& run, int64_t value)> set;
  bool is_free = false;
};

const std::vector<Key>& Keys() {
  static const std::vector<int> kMovers = {isa::UnitOf(isa::Module::kLoad),
                                           isa::UnitOf(isa::Module::kStore)};
  static const std::vector<int> kCompute = {isa::UnitOf(isa::Module::kCompute)};
  static const std::vector<Key> keys = {
      {"bus",
       "bits of the bus",
       {{Cause::kBusy, kMovers}, {Cause::kContention}, {Cause::kBandwidth}},
       [](driver::WhatIf& run, int64_t value) { run.config.uarch.bus_bits = value; }},
      {"bytes",
       "of the memory, a cycle",
       {{Cause::kBusy, kMovers}, {Cause::kContention}, {Cause::kBandwidth}},
       [](driver::WhatIf& run, int64_t value) { run.config.memory.bytes_per_cycle = value; }},
      {"latency",
       "of the memory, in cycles",
       {{Cause::kLatency}},
       [](driver::WhatIf& run, int64_t value) {
         run.config.memory.read_latency_cycles = run.config.memory.write_latency_cycles = value;
       }},
      {"row_miss",
       "of the memory, in cycles",
       {{Cause::kRowMiss}},
       [](driver::WhatIf& run, int64_t value) { run.config.memory.row_miss_cycles = value; }},
      {"banks",
       "of the accumulator",
       {{Cause::kBusy, kCompute}, {Cause::kPipeline, kCompute}},
       [](driver::WhatIf& run, int64_t value) { run.config.uarch.acc_banks = value; }},
      {"uop",
       "loads of micro-ops",
       {{Cause::kUops}},
       [](driver::WhatIf& run, int64_t) { run.freed.uops = true; },
       true},
      {"tokens",
       "tokens and space for them",
       {{Cause::kToken}, {Cause::kSpace}},
       [](driver::WhatIf& run, int64_t) { run.freed.tokens = true; },
       true},
  };
  return keys;
}

// Changes a run as a part of an entry says. Errors: throws UsageError.
const Key& Change(const std::string& part, driver::WhatIf& run) {
  const size_t equals = part.find('=');
  const std::string name = part.substr(0, equals);
  const auto key =
      std::find_if(Keys().begin(), Keys().end(), [&](const Key& row) { return row.name == name; });
  if (equals == std::string::npos || key == Keys().end())
    throw UsageError("--what-if", "", part, StrCat("must be one of ", WhatIfKeys()));
  const std::string value = part.substr(equals + 1);
  int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const bool good =
      key->is_free ? value == kFree : error == std::errc() && stop == end && !value.empty();
  if (!good)
    throw UsageError("--what-if", name, value,
                     key->is_free ? StrCat("must be ", kFree) : "must be an integer");
  key->set(run, number);
  return *key;
}

// Errors: as ParseWhatIf.
void Ask(const std::string& entry, const isa::Config& config, Questions& questions) {
  driver::WhatIf run{.config = config};
  Question question{entry};
  for (const std::string& part : Split(entry, '+')) {
    const Key& key = Change(part, run);
    for (const Question::Booked& booked : key.booked) {
      const bool is_there =
          std::any_of(question.booked.begin(), question.booked.end(), [&](const auto& other) {
            return other.cause == booked.cause && other.units == booked.units;
          });
      if (!is_there) question.booked.push_back(booked);
    }
  }
  // Its ranges, and what they allow together.
  run.config = isa::ParseConfig(isa::ConfigToJson(run.config), StrCat("--what-if ", entry));
  isa::CheckHardware(run.config, StrCat("--what-if ", entry));
  questions.asked.push_back(std::move(question));
  questions.runs.push_back(std::move(run));
}

int64_t BookedOf(int unit, const isa::CauseCycles& cycles,
                 const std::vector<Question::Booked>& booked) {
  int64_t sum = 0;
  for (const auto& [cause, units] : booked)
    if (units.empty() || std::find(units.begin(), units.end(), unit) != units.end())
      sum += cycles[static_cast<size_t>(cause)];
  return sum;
}

// Percent.
double Share(int64_t cycles, const isa::Time& time) {
  return 100.0 * static_cast<double>(cycles) /
         static_cast<double>(std::max<int64_t>(1, time.cycles));
}

struct Line {
  int64_t cycles;
  double gain, path, compute;  // percent
};

Line LineOf(const Questions& questions, size_t i, const isa::Time& time,
            const isa::Causes& causes) {
  const std::vector<Question::Booked>& booked = questions.asked[i].booked;
  const int64_t cycles = questions.runs[i].cycles;
  int64_t path = 0;
  for (int u = 0; u < isa::kUnits; ++u) path += BookedOf(u, causes.path[u], booked);
  const int compute = isa::UnitOf(isa::Module::kCompute);
  return {cycles, Share(time.cycles - cycles, time), Share(path, time),
          Share(BookedOf(compute, causes.spent[compute], booked), time)};
}

}  // namespace

std::string WhatIfKeys() {
  std::string text;
  for (const Key& key : Keys())
    text += StrCat(text.empty() ? "" : ", ", key.name, "=", key.is_free ? kFree : "N", " (",
                   key.meaning, ")");
  return text;
}

Questions ParseWhatIf(const std::string& text, const isa::Config& config) {
  Questions questions;
  for (const std::string& entry : Split(text, ',')) Ask(entry, config, questions);
  return questions;
}

std::string WhatIfTable(const Questions& questions, const isa::Time& time,
                        const isa::Causes& causes) {
  std::vector<std::vector<std::string>> rows = {
      {"what if", "cycles", "gain %", "of the critical path %", "of compute's cycles %"}};
  for (size_t i = 0; i < questions.asked.size(); ++i) {
    const Line line = LineOf(questions, i, time, causes);
    rows.push_back({questions.asked[i].text, WithCommas(line.cycles),
                    fmt::format("{:.2f}", line.gain), fmt::format("{:.2f}", line.path),
                    fmt::format("{:.2f}", line.compute)});
  }
  return FormatTable(rows, {false, true, true, true, true});
}

Json WhatIfJson(const Questions& questions, const isa::Time& time, const isa::Causes& causes) {
  Json::Array lines;
  for (size_t i = 0; i < questions.asked.size(); ++i) {
    const Line line = LineOf(questions, i, time, causes);
    lines.push_back(Json()
                        .Set("what_if", questions.asked[i].text)
                        .Set("cycles", line.cycles)
                        .Set("timing_hash", Hex(isa::TimingHash(questions.runs[i].config), 16))
                        .Set("gain", line.gain / 100)
                        .Set("path", line.path / 100)
                        .Set("compute", line.compute / 100));
  }
  return lines;
}

}  // namespace vta::tools
