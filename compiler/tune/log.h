// The log of a search: a line of JSON for each candidate that was tried, kept by what its cost
// depends on, so that a search goes on where it stopped and a compile uses what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/tune/candidates.h"
#include "compiler/tune/measurer.h"
#include "compiler/tune/space.h"
#include "isa/support/json.h"

namespace vta::compiler::tune {

/// Of what a cost is, in words and hashes.
struct LogKey {
  std::string target;    // a word
  std::string workload;  // Space::Workload
  uint64_t arch = 0;     // what code depends on beside it: isa::ArchHash
  uint64_t space = 0;    // SpaceHash
  auto operator<=>(const LogKey&) const = default;
};
/// Of the choices and their domains.
uint64_t SpaceHash(const Space& space);

struct LogEntry {
  LogKey key;
  std::string measurer;      // Measurer::Name
  uint64_t measured_on = 0;  // Measurer::Hash
  std::string compiler;      // that made the code
  std::string step;          // where the workload was met
  std::string point;         // Print of it
  int64_t estimate = 0;
  std::optional<int64_t> cost;   // or
  std::string failure;           // or, where it was not tried, neither
  int64_t times = 1;             // of which the cost is the median: more where it was confirmed
  loop::Features features = {};  // none where no cost model asked
  std::string machine = "";      // Measurer::Machine

  bool operator==(const LogEntry&) const = default;
};
/// Whether the measurer says, or said, what its cost is.
bool IsOf(const Measurer& measurer, const LogEntry& entry);
/// A line, with a hash of itself and a line feed.
std::string Print(const LogEntry& entry);
/// Errors: throws Error with what is wrong with the line, which stands at `where`.
LogEntry ParseEntry(std::string_view line, const std::string& where);

/// Files whose lines have more than that in them, or less, are made of the same.
Json ToJson(const LogEntry& entry);
LogEntry ReadEntry(JsonReader& json);
/// A line of such a file, with a hash of itself and a line feed.
std::string Sealed(const Json& json);
/// Errors: throws Error where the line was cut or edited.
Json Unsealed(std::string_view line, const std::string& where);
/// Those that are not empty, and where each stands, as FILE:NUMBER.
struct Line {
  std::string where;
  std::string_view text;
};
std::vector<Line> LinesOf(std::string_view text, const std::string& file);

struct LogLines {
  std::vector<LogEntry> entries;
  std::vector<std::string> left_out;  // what is wrong with each line that is none, and where
};
/// Errors: throws Error where the file cannot be read.
LogLines ReadLog(const std::string& path);

/// What costs are of: what is the same on all machines of a kind, and which one of them.
struct MeasuredOn {
  uint64_t hash = 0;
  std::string machine;
  bool operator==(const MeasuredOn&) const = default;
};
MeasuredOn MeasuredOnOf(const LogEntry& entry);
/// Of the last of these that is of the target.
std::optional<MeasuredOn> LastMeasuredOn(std::span<const LogEntry> entries,
                                         std::string_view target);

/// Appends lines to a log, which it makes where there is none. While it is open no other one can
/// be: not in another process either.
class LogWriter {
 public:
  /// A last line that was cut is ended there. Errors: throws Error naming the file where it cannot
  /// be written, or another one has it open.
  explicit LogWriter(const std::string& path);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// All of these lines, on the disk when it returns. Errors: throws Error naming the file.
  void Append(const std::vector<LogEntry>& entries);
  void Append(const std::string& lines);

 private:
  const std::string path_;
  int file_ = -1;
};

}  // namespace vta::compiler::tune
