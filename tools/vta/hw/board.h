// The boards that bitstreams are made for: a folder of bitstreams/boards each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/area/area.h"

namespace vta::tools {

/// What a board.json says.
struct Board {
  /// A piece of the board's memory, as the processing system's address segments name it.
  struct Range {
    std::string segment;
    uint64_t address = 0;
    uint64_t bytes = 0;
  };

  std::string name, about;
  std::string vendor_part;  // with package and speed, as Vivado names it
  std::string board_part;   // Vivado's board file, without its version
  const Part* part = nullptr;
  std::string processing_system;  // "zynq7" or "zynqmp"
  std::string config;             // the shipped variant that fits it
  int64_t ps_clock_mhz = 0;       // from which the accelerator's clock is made
  int64_t most_clock_mhz = 0;     // of the ports between the processing system and the logic
  std::string control_port;       // through which the host reaches the registers
  uint64_t control_address = 0;
  std::string memory_port, memory_protocol;  // "AXI3" or "AXI4"
  std::vector<int64_t> memory_widths_bits;
  std::string memory_cache;  // AxCACHE that the port wants
  bool memory_is_coherent = false;
  std::vector<Range> memory_ranges;
  std::string interrupt_port;
  int64_t interrupt_spi = 0;  // the interrupt's number as device trees give it
};

/// Errors: throws Error naming file, key, value and rule.
Board ParseBoard(std::string_view text, const std::string& file);

/// The boards that there are, sorted.
std::vector<std::string> BoardNames();
/// A file of a shipped board's folder.
std::string BoardFile(const std::string& board, const std::string& file);
/// Errors: as ParseBoard; throws UsageError listing the boards.
Board FindBoard(const std::string& name);

}  // namespace vta::tools
