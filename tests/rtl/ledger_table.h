// The committed table of a ledger: a row for each program set, config and latency.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace vta::test {

struct LedgerRow {
  std::string program;  // "random", or a network
  std::string config;
  int64_t latency = 0;  // cycles, of the memory's reads
  int64_t programs = 0, left_out = 0, instructions = 0, cycles = 0, different = 0;
  std::string timing_hash;
  std::string rtl, model;  // hashes of the sources of the RTL and of what is held to it
  std::string first;       // difference, in words
  auto key() const { return std::tuple(program, config, latency); }
};

/// Kept in a file after each row, so that a run that ends early is taken up where it was.
class LedgerTable {
 public:
  /// Errors: throws Error naming the line that is no row.
  explicit LedgerTable(std::string path);

  /// The row of this program set, config and latency; null where there is none, or it is of
  /// another RTL.
  const LedgerRow* Find(const LedgerRow& row) const;
  /// Puts a row in, in the place of an older one, and writes the file.
  void Put(LedgerRow row);
  const std::vector<LedgerRow>& rows() const { return rows_; }

 private:
  std::string path_;
  std::vector<LedgerRow> rows_;  // in the order of their keys
};

}  // namespace vta::test
