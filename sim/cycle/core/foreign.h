// A memory of somebody else behind the core: who owns it says when it takes the address of a burst,
// and when the beats come.
#pragma once

#include <deque>

#include "sim/cycle/core/clock.h"

namespace vta::sim::cycle {

/// A burst whose address is on AR or AW. One of each is at a time.
struct Offer {
  bool write = false;
  int client = 0;        // of a read: Reads::kFetch and so on
  uint64_t address = 0;  // in the memory
  int64_t beats = 0;
  int64_t cycle = 0;  // the first one in which it is there
};

/// What the memory says of a burst, before that cycle is evaluated; that a write begins, before it
/// is answered. The addresses of each direction are taken in the order in which they are offered;
/// the reads of a client begin in that order, and so do writes, which are answered in it, too.
struct Answer {
  enum class Kind : uint8_t {
    kTaken,     // its address is taken in the cycle
    kBegins,    // a read: its first beat comes in the cycle; a write: beats are taken from then on
    kAnswered,  // a write: B comes in the cycle
  };
  Kind kind = Kind::kTaken;
  Offer burst;
  int64_t cycle = 0;
  bool refused = false;  // a read that begins, a write that is answered
};

/// What passes between the core and that memory.
struct Foreign {
  std::deque<Offer> offers;                           // that nobody has looked at
  int64_t read_taken = kNever, write_taken = kNever;  // of what is on AR and AW
};

}  // namespace vta::sim::cycle
