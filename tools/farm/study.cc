#include "tools/farm/study.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "isa/support/error.h"
#include "isa/support/sha256.h"

namespace vta::farm {
namespace {

constexpr size_t kIdDigits = 32;
constexpr int kHexDigits = 16;
constexpr int64_t kMostFileBytes = int64_t{1} << 32;

std::string Sha256Of(const std::string& text) {
  return Sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::string PieceKey(const std::string& id, size_t file, size_t piece) {
  return StrCat(id, ".", file, ".", piece);
}

Json ToJson(const Machine& machine) {
  return Json()
      .Set("name", machine.name)
      .Set("model", machine.model)
      .Set("target", machine.target)
      .Set("measurer", machine.measurer)
      .Set("measured_on", Hex(machine.measured_on, kHexDigits))
      .Set("arch", Hex(machine.arch, kHexDigits))
      .Set("cpu", machine.cpu)
      .Set("tune", machine.tune)
      .Set("features", Json::Array(machine.features.begin(), machine.features.end()));
}

/// Nothing where there is none.
std::optional<Machine> ReadMachine(JsonReader& of, const std::string& where) {
  if (!of.Has("machine")) return std::nullopt;
  const Json parsed = of.Any("machine");
  JsonReader json(parsed, where, "machine");
  Machine machine;
  machine.name = json.String("name");
  machine.model = json.String("model");
  machine.target = json.String("target");
  machine.measurer = json.String("measurer");
  const auto hash = [&](const char* key) {
    const std::string text = json.String(key);
    char* end = nullptr;
    const uint64_t value = std::strtoull(text.c_str(), &end, 16);
    if (text.empty() || *end != '\0') throw json.Fail(key, "must be hexadecimal digits");
    return value;
  };
  machine.measured_on = hash("measured_on");
  machine.arch = hash("arch");
  machine.cpu = json.String("cpu");
  machine.tune = json.String("tune");
  for (const Json& feature : json.Array("features"))
    if (feature.as_string()) machine.features.push_back(*feature.as_string());
  json.Finish();
  return machine;
}

/// Without what the files hold, which their hashes say.
Json HeadOf(const Study& study) {
  Json::Array files;
  for (const auto& [name, bytes] : study.files)
    files.push_back(
        Json().Set("name", name).Set("bytes", std::ssize(bytes)).Set("sha256", Sha256(bytes)));
  Json head = Json()
                  .Set("kind", study.kind)
                  .Set("build", study.build)
                  .Set("limit_s", study.limit_s)
                  .Set("facts", study.facts)
                  .Set("files", std::move(files));
  if (study.machine) head.Set("machine", ToJson(*study.machine));
  return head;
}

/// A name that stays in the folder where the file is put.
bool IsPlain(const std::string& name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string::npos;
}

}  // namespace

std::string IdOf(const Study& study, const std::string& owner) {
  return Sha256Of(StrCat(HeadOf(study).Dump(-1), owner)).substr(0, kIdDigits);
}

std::string QueueOf(const std::string& build, const std::optional<Machine>& machine) {
  std::string text = build;
  if (machine)
    text += StrCat("\n", machine->name, "\n", machine->target, "\n", Hex(machine->measured_on));
  return Sha256Of(text).substr(0, kIdDigits);
}

std::string Words(const Machine& machine) {
  return StrCat(machine.name, " (", machine.target, " on ", machine.model, ")");
}

std::string KeyOf(const std::string& study, const std::string& job) {
  return Sha256Of(StrCat(study, "\n", job)).substr(0, kIdDigits);
}

void Put(Link& link, const std::string& id, const Study& study) {
  size_t file = 0;
  for (const auto& [name, bytes] : study.files) {
    for (size_t begin = 0, piece = 0; begin < bytes.size(); begin += kMostBytes, ++piece)
      link.Put(Bucket::kStudies, PieceKey(id, file, piece),
               {reinterpret_cast<const char*>(bytes.data()) + begin,
                std::min(kMostBytes, bytes.size() - begin)});
    ++file;
  }
  link.Put(Bucket::kStudies, id, HeadOf(study).Dump(-1));
}

Study GetStudy(Link& link, const std::string& id) {
  const std::string where = StrCat("search ", id);
  const auto gone = [&](const std::string& what) {
    return Error(where, what, "", "is not on the server any more");
  };
  const std::optional<std::string> head = link.Get(Bucket::kStudies, id);
  if (!head) throw gone("");
  const Json parsed = Json::Parse(*head, where);
  JsonReader json(parsed, where);
  Study study;
  study.kind = json.String("kind");
  study.build = json.String("build");
  study.limit_s = json.Double("limit_s");
  study.facts = json.Any("facts");
  study.machine = ReadMachine(json, where);
  size_t file = 0;
  for (const Json& one : json.Array("files")) {
    JsonReader facts(one, where, "files");
    const std::string name = facts.String("name");
    if (!IsPlain(name)) throw facts.Fail("name", "must be without folders");
    const auto bytes = static_cast<size_t>(facts.Int("bytes", 0, kMostFileBytes));
    const std::string sha256 = facts.String("sha256");
    facts.Finish();
    std::vector<uint8_t>& content = study.files[name];
    for (size_t piece = 0; content.size() < bytes; ++piece) {
      const std::optional<std::string> more = link.Get(Bucket::kStudies, PieceKey(id, file, piece));
      if (!more || more->empty()) throw gone(name);
      content.insert(content.end(), more->begin(), more->end());
    }
    if (content.size() != bytes || Sha256(content) != sha256)
      throw Error(where, name, Sha256(content), StrCat("must have the SHA-256 ", sha256));
    ++file;
  }
  json.Finish();
  return study;
}

void Remove(Link& link, const std::string& id) {
  link.Remove(Bucket::kStudies, id);
  for (const std::string& key : link.Keys(Bucket::kStudies))
    if (key.starts_with(id + ".")) link.Remove(Bucket::kStudies, key);
}

std::map<std::string, std::string> BuildsOfStudies(Link& link) {
  std::map<std::string, std::string> builds;
  for (const std::string& key : link.Keys(Bucket::kStudies)) {
    if (key.find('.') != std::string::npos) continue;
    const std::optional<std::string> head = link.Get(Bucket::kStudies, key);
    if (!head) continue;
    const Json parsed = Json::Parse(*head, key);
    builds[JsonReader(parsed, key).String("build")] = key;
  }
  return builds;
}

std::string Print(const JobBatch& batch) {
  return Json()
      .Set("study", batch.study)
      .Set("id", batch.id)
      .Set("jobs", Json::Array(batch.jobs.begin(), batch.jobs.end()))
      .Dump(-1);
}

JobBatch ParseBatch(const std::string& text, const std::string& where) {
  const Json parsed = Json::Parse(text, where);
  JsonReader json(parsed, where);
  JobBatch batch{json.String("study"), json.String("id"), {}};
  for (const Json& job : json.Array("jobs")) {
    if (!job.as_string()) throw json.Fail("jobs", "must be texts");
    batch.jobs.push_back(*job.as_string());
  }
  json.Finish();
  return batch;
}

std::string Print(const BatchAnswers& answers) {
  Json::Array all;
  for (const Answer& one : answers.answers)
    all.push_back(
        Json()
            .Set("key", one.key)
            .Set(one.ended.empty() ? "said" : "ended", one.ended.empty() ? one.said : one.ended));
  Json json = Json()
                  .Set("worker", answers.worker)
                  .Set("batch", answers.batch)
                  .Set("seconds", answers.seconds)
                  .Set("answers", std::move(all));
  if (!answers.refusal.empty()) json.Set("refusal", answers.refusal);
  return json.Dump(-1);
}

BatchAnswers ParseAnswers(const std::string& text, const std::string& where) {
  const Json parsed = Json::Parse(text, where);
  JsonReader json(parsed, where);
  BatchAnswers answers{json.String("worker"), json.String("batch"), "", json.Double("seconds"), {}};
  if (json.Has("refusal")) answers.refusal = json.String("refusal");
  for (const Json& one : json.Array("answers")) {
    JsonReader reader(one, where, "answers");
    Answer& answer = answers.answers.emplace_back(Answer{reader.String("key"), "", ""});
    if (reader.Has("said"))
      answer.said = reader.String("said");
    else
      answer.ended = reader.String("ended");
    reader.Finish();
  }
  json.Finish();
  return answers;
}

void Put(Link& link, const std::string& name, const WorkerFacts& facts) {
  Json json = Json().Set("build", facts.build).Set("slots", facts.slots);
  if (facts.machine) json.Set("machine", ToJson(*facts.machine));
  link.Put(Bucket::kWorkers, name, json.Dump(-1));
}

std::map<std::string, WorkerFacts> Workers(Link& link) {
  std::map<std::string, WorkerFacts> workers;
  for (const std::string& name : link.Keys(Bucket::kWorkers)) {
    const std::optional<std::string> text = link.Get(Bucket::kWorkers, name);
    if (!text) continue;
    const Json parsed = Json::Parse(*text, name);
    JsonReader json(parsed, name);
    workers[name] = {json.String("build"), json.Int("slots", 1, std::numeric_limits<int>::max()),
                     ReadMachine(json, name)};
  }
  return workers;
}

}  // namespace vta::farm
