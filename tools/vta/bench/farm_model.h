// A farm as a model of queues: what it would do with more workers than there are.
#pragma once

#include <cstdint>

namespace vta::tools {

/// Units: seconds of one core.
struct FarmTimes {
  double job_s = 0;           // of a worker, on average; each job's is exponentially distributed
  double tuner_s = 0;         // of the search, for a job: it is described, sent, heard of and kept
  double append_s = 0;        // of the log, for what was heard together
  double server_s = 0;        // of the server, for a batch and its answers
  double search_share = 0;    // of the server's time, for a search that waits
  double worker_share = 0;    // the same, for a worker that does
  double network_s = 0.0005;  // for each message, one way
};

struct FarmForecast {
  double jobs_per_s = 0;
  double efficiency = 0;                  // beside as many workers that never wait
  double tuner = 0, log = 0, server = 0;  // shares of the time that each is busy
};

/// So many workers of one job at a time, and a search that has always more jobs: batches of about a
/// second as FarmSearch makes them, two for each worker on their way. The same seed gives the same.
FarmForecast SimulateFarm(const FarmTimes& times, int64_t workers, uint64_t seed);

}  // namespace vta::tools
