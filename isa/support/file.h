// Whole-file reads and writes that are never half done.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vta {

/// More than any file that we read may hold, so that an endless one (a device) has an end.
inline constexpr int64_t kMostFileBytes = int64_t{1} << 32;

/// Reads a file whole.
/// Errors: throws Error naming the path and the system's reason; also for more than `most` bytes.
std::vector<uint8_t> ReadFile(const std::string& path, int64_t most = kMostFileBytes);
std::string ReadTextFile(const std::string& path, int64_t most = kMostFileBytes);

/// Writes a temporary file beside `path` and renames it: readers see the old bytes or the new,
/// never a part. A link stays a link and a file keeps its permissions; what is no file (a pipe, a
/// device) is written as it is. Signals that end the process wait until the write is done.
/// Errors: throws Error naming the path and the system's reason; the temporary file is removed.
void WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes);
void WriteFileAtomically(const std::string& path, std::string_view text);

/// For before long work: would a write to `path` find its folder, and no folder in its place?
/// Errors: throws Error as the write would.
void RequireWritable(const std::string& path);

}  // namespace vta
