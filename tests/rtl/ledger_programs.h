// What the ledgers run: launches of random programs and of networks' layers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/launch.h"
#include "tests/rtl/trial.h"

namespace vta::test {

/// The networks of the ledger: those that the tool builds, and the public cases that are there.
std::vector<std::string> LedgerNetworks();

/// A launch, and what it is in words: "a program of kind racy, seed 7", "step 3 conv1".
struct LedgerLaunch {
  std::string name;
  Image image;
  bool rereads = false;  // it stores over instructions or micro-ops that it reads
  /// Of a program that races: what writes all scratchpads, so that they can be compared again.
  std::optional<Image> refill = {};
};

/// Calls `run` with each program of the network on this config, in order; each has a memory of its
/// own, with the network's constants and noise for tensors. Errors: throws Error where the network
/// cannot be compiled.
void ForEachLayer(const std::string& network, const isa::Config& config,
                  const std::function<void(const LedgerLaunch&)>& run);

/// Calls `run` with so many random programs, of all kinds in turn.
void ForEachRandom(const isa::Config& config, int64_t first_seed, int64_t programs,
                   const std::function<void(const LedgerLaunch&)>& run);

}  // namespace vta::test
