// What servers say of themselves to a tracker, and what it answers to clients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/remote/client.h"

namespace vta::driver::remote {

/// A server, as a tracker knows it.
struct AnnouncedServer {
  std::string host;  // as clients reach it; empty: as the tracker sees it
  int64_t port = 0;
  std::string config_json;  // as Client has it
  ServedCpu cpu;
  ServerState state;
};

/// What a client asks a tracker for.
struct FindOptions {
  std::string key;                 // empty for any
  std::string at;                  // HOST:PORT of the server in whose queue it is
  std::vector<std::string> avoid;  // servers that it lost
  bool looks = false;              // it goes nowhere: nothing is kept for it
};

struct FoundServer {
  Address address;  // with the key
  bool is_free = false;
  std::string config_json;
  ServedCpu cpu;
};
struct Found {
  std::vector<FoundServer> servers;  // the one to go to is the first
  std::vector<std::string> keys;     // that there are or were
  double up_s = 0;                   // since the tracker's start
};

/// After its start a tracker may not have heard of each server yet.
inline constexpr double kTrackerLearnsSeconds = 2;
/// A server announces itself so many times in the time after which it is given up.
inline constexpr int kAnnouncesInLimit = 4;

}  // namespace vta::driver::remote
