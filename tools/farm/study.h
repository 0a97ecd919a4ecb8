// What the jobs of one search have in common, which a worker has read before it does the first; and
// how jobs and answers cross.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "tools/farm/link.h"

namespace vta::farm {

/// Where a worker measures what code takes, which it does alone there.
struct Machine {
  std::string name;                   // among those of a target
  std::string model;                  // what it is, in words
  std::string target, measurer;       // as a search's log has them
  uint64_t measured_on = 0;           // the same
  uint64_t arch = 0;                  // of code that it runs: the same
  std::string cpu, tune;              // that such code is for, where it is a CPU's:
  std::vector<std::string> features;  // as compiler::lower::CpuSpec has it
  bool operator==(const Machine&) const = default;
};
/// As messages have it.
std::string Words(const Machine& machine);

struct Study {
  std::string kind;     // which jobs: "tune", "explore"
  std::string build;    // whose jobs these are: workers of another one do none
  double limit_s = 60;  // of a job
  Json facts;           // that the kind wants to know
  std::map<std::string, std::vector<uint8_t>> files;  // by names without folders
  std::optional<Machine> machine = std::nullopt;      // that alone does the jobs
};

/// Names the study among others: the same search of the same `owner` has the same.
std::string IdOf(const Study& study, const std::string& owner);
/// From where workers of a build take what any of them may do, or those of a machine alone.
std::string QueueOf(const std::string& build, const std::optional<Machine>& machine);

/// Puts it where workers find it, with its files in pieces, the last piece first: who finds the
/// study finds all of it. Errors: as Link.
void Put(Link& link, const std::string& id, const Study& study);
/// Errors: as Link; throws Error where it is there no more, or a file is not what was sent.
Study GetStudy(Link& link, const std::string& id);
void Remove(Link& link, const std::string& id);

/// Those that are there, by their builds.
std::map<std::string, std::string> BuildsOfStudies(Link& link);

/// Jobs that one worker does one after the other, as texts of the study's kind.
struct JobBatch {
  std::string study, id;
  std::vector<std::string> jobs;
};
std::string Print(const JobBatch& batch);
/// Errors: throws Error naming `where`.
JobBatch ParseBatch(const std::string& text, const std::string& where);

/// Of a job of a study, by its text: under which its answer is known.
std::string KeyOf(const std::string& study, const std::string& job);

/// What became of a job.
struct Answer {
  std::string key;
  std::string said;   // what the work came to, or
  std::string ended;  // what its process ended of, or
};
struct BatchAnswers {
  std::string worker;   // its name
  std::string batch;    // of JobBatch
  std::string refusal;  // why it does no job of the study; or "", and then one for each job
  double seconds = 0;   // that they took in all
  std::vector<Answer> answers;
};
std::string Print(const BatchAnswers& answers);
/// Errors: throws Error naming `where`.
BatchAnswers ParseAnswers(const std::string& text, const std::string& where);

/// A worker, as it says of itself again and again.
struct WorkerFacts {
  std::string build;
  int64_t slots = 1;                              // batches at once
  std::optional<Machine> machine = std::nullopt;  // of one that does nothing but measure there
};
void Put(Link& link, const std::string& name, const WorkerFacts& facts);
/// Those that live, by their names.
std::map<std::string, WorkerFacts> Workers(Link& link);

}  // namespace vta::farm
