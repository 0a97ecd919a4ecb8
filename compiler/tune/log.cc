#include "compiler/tune/log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"

namespace vta::compiler::tune {
namespace {

constexpr int64_t kVersion = 1;
constexpr std::string_view kSum = ", \"sum\": \"";  // ends what it is the hash of
constexpr int kDigits = 16;

std::string SumOf(std::string_view line) { return Hex(Hasher().Text(line).value(), kDigits); }

uint64_t ParseHash(JsonReader& json, std::string_view key) {
  const std::string text = json.String(key);
  uint64_t value = 0;
  for (const char c : text.substr(std::min<size_t>(text.size(), 2))) {
    const size_t digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) throw json.Fail(key, "must be hexadecimal digits");
    value = value << 4 | digit;
  }
  if (!text.starts_with("0x") || text.size() != 2 + kDigits)
    throw json.Fail(key, StrCat("must be 0x and ", kDigits, " digits"));
  return value;
}

int32_t ParseFeature(const JsonReader& json, const Json& value) {
  using Limits = std::numeric_limits<int32_t>;
  const int64_t* number = value.as_int();
  if (!number || *number < Limits::min() || *number > Limits::max())
    throw json.Fail("features", "must be integers of 32 bits");
  return static_cast<int32_t>(*number);
}

[[noreturn]] void FailAtSystem(const std::string& path, const std::string& what) {
  throw Error(path, what, "", std::strerror(errno));
}

void WriteAll(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailAtSystem(path, "cannot write");
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

uint64_t SpaceHash(const Space& space) {
  Hasher hash;
  for (const Choice& choice : space.Choices()) {
    hash.Text(choice.name).Number(choice.values.size());
    for (const int64_t value : choice.values) hash.Number(static_cast<uint64_t>(value));
  }
  return hash.value();
}

std::string Sealed(const Json& json) {
  std::string line = json.Dump(-1);
  line.pop_back();  // the brace
  return StrCat(line, kSum, SumOf(line), "\"}\n");
}

Json Unsealed(std::string_view line, const std::string& where) {
  const size_t end = line.rfind(kSum);
  if (end == std::string_view::npos ||
      line.substr(end + kSum.size()) != SumOf(line.substr(0, end)) + "\"}")
    throw Error(where, "line", "",
                "was cut or edited: its sum is not that of what stands before it");
  return Json::Parse(line, where);
}

Json ToJson(const LogEntry& entry) {
  Json json;
  json.Set("version", kVersion)
      .Set("target", entry.key.target)
      .Set("workload", entry.key.workload)
      .Set("arch", Hex(entry.key.arch, kDigits))
      .Set("space", Hex(entry.key.space, kDigits))
      .Set("measurer", entry.measurer)
      .Set("measured_on", Hex(entry.measured_on, kDigits));
  if (!entry.machine.empty()) json.Set("machine", entry.machine);
  json.Set("compiler", entry.compiler)
      .Set("step", entry.step)
      .Set("point", entry.point)
      .Set("estimate", entry.estimate);
  if (entry.times != 1) json.Set("times", entry.times);
  if (const std::vector<int32_t>& values = entry.features.values; !values.empty())
    json.Set("features_of", Hex(entry.features.kind, kDigits))
        .Set("features", Json::Array(values.begin(), values.end()));
  if (entry.cost)
    json.Set("cost", *entry.cost);
  else if (!entry.failure.empty())
    json.Set("failure", entry.failure);
  return json;
}

LogEntry ReadEntry(JsonReader& json) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  json.Int("version", kVersion, kVersion);
  LogEntry entry;
  entry.key.target = json.String("target");
  entry.key.workload = json.String("workload");
  entry.key.arch = ParseHash(json, "arch");
  entry.key.space = ParseHash(json, "space");
  entry.measurer = json.String("measurer");
  entry.measured_on = ParseHash(json, "measured_on");
  if (json.Has("machine")) entry.machine = json.String("machine");
  entry.compiler = json.String("compiler");
  entry.step = json.String("step");
  entry.point = json.String("point");
  entry.estimate = json.Int("estimate", 0, kMost);
  if (json.Has("times")) entry.times = json.Int("times", 1, kMost);
  if (json.Has("features")) {
    entry.features.kind = ParseHash(json, "features_of");
    for (const Json& value : json.Array("features"))
      entry.features.values.push_back(ParseFeature(json, value));
  }
  if (json.Has("cost"))
    entry.cost = json.Int("cost", 1, kMost);
  else if (json.Has("failure"))
    entry.failure = json.String("failure");
  json.String("sum");
  return entry;
}

bool IsOf(const Measurer& measurer, const LogEntry& entry) {
  return entry.measurer == measurer.Name() && entry.measured_on == measurer.Hash() &&
         entry.machine == measurer.Machine();
}

std::string Print(const LogEntry& entry) { return Sealed(ToJson(entry)); }

LogEntry ParseEntry(std::string_view line, const std::string& where) {
  const Json parsed = Unsealed(line, where);
  JsonReader json(parsed, where);
  LogEntry entry = ReadEntry(json);
  json.Finish();
  if (!entry.cost && entry.failure.empty()) throw json.Fail("cost", "is missing");
  return entry;
}

std::vector<Line> LinesOf(std::string_view text, const std::string& file) {
  std::vector<Line> lines;
  int64_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    if (end > begin) lines.push_back({StrCat(file, ":", number), text.substr(begin, end - begin)});
    begin = end + 1;
  }
  return lines;
}

LogLines ReadLog(const std::string& path) {
  const std::string text = ReadTextFile(path);
  LogLines lines;
  for (const Line& line : LinesOf(text, path)) {
    try {
      lines.entries.push_back(ParseEntry(line.text, line.where));
    } catch (const Error& error) {
      lines.left_out.emplace_back(error.what());
    }
  }
  return lines;
}

MeasuredOn MeasuredOnOf(const LogEntry& entry) { return {entry.measured_on, entry.machine}; }

std::optional<MeasuredOn> LastMeasuredOn(std::span<const LogEntry> entries,
                                         std::string_view target) {
  std::optional<MeasuredOn> last;
  for (const LogEntry& entry : entries)
    if (entry.key.target == target) last = MeasuredOnOf(entry);
  return last;
}

LogWriter::LogWriter(const std::string& path) : path_(path) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) FailAtSystem(path, "cannot open to write");
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        throw Error(path, "", "", "another search writes this log: wait for it, or name another");
      FailAtSystem(path, "cannot lock");
    }
    struct stat facts = {};
    if (fstat(file_, &facts) != 0 || !S_ISREG(facts.st_mode))
      throw Error(path, "", "", "must be a file");
    char last = '\n';
    if (facts.st_size > 0 && pread(file_, &last, 1, facts.st_size - 1) != 1)
      FailAtSystem(path, "cannot read");
    if (last != '\n') WriteAll(file_, "\n", path_);
    // A disk without room says so before anything is measured; not all file systems can be asked.
    constexpr off_t kRoom = 1 << 16;
    if (fallocate(file_, FALLOC_FL_KEEP_SIZE, facts.st_size, kRoom) != 0 && errno == ENOSPC)
      FailAtSystem(path, "cannot write");
  } catch (...) {
    close(file_);
    throw;
  }
}

LogWriter::~LogWriter() { close(file_); }

void LogWriter::Append(const std::vector<LogEntry>& entries) {
  std::string text;
  for (const LogEntry& entry : entries) text += Print(entry);
  Append(text);
}

void LogWriter::Append(const std::string& text) {
  WriteAll(file_, text, path_);
  if (fdatasync(file_) != 0) FailAtSystem(path_, "cannot write");
}

}  // namespace vta::compiler::tune
