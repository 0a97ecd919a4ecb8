// FST files, as far as must be known of them here.
#pragma once

#include <string>

namespace vta::sim {

/// Whether a file is a whole wave: its blocks fill it, none is half done, and the last ones, which
/// name the signals, are there. The library that writes it does not say when a write fails.
/// Source: GTKWave's fstapi.c: a block is a byte of type and a big-endian length, itself included.
bool IsWholeWave(const std::string& path);

}  // namespace vta::sim
