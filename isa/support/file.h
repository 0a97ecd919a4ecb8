// Whole-file reads and writes that are never half done.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vta {

/// More than any file that we read may hold; and a pipe or a device, which does not say how much
/// will come and may have no end.
inline constexpr int64_t kMostFileBytes = int64_t{1} << 32;
inline constexpr int64_t kMostStreamBytes = int64_t{1} << 28;

/// Reads a file whole.
/// Errors: throws Error naming the path and the system's reason; also for more than `most` bytes,
/// or kMostStreamBytes of what is no regular file. A text goes without the byte-order mark of UTF-8
/// that editors of Windows begin it with.
std::vector<uint8_t> ReadFile(const std::string& path, int64_t most = kMostFileBytes);
std::string ReadTextFile(const std::string& path, int64_t most = kMostFileBytes);

/// Writes a temporary file beside `path` and renames it: readers see the old bytes or the new,
/// never a part. A link stays a link, whether its target is there or not, and a file keeps its
/// permissions; what is no file (a pipe, a device) is written as it is. The temporary file is a
/// Temporary. Long runs of zeros take no room on the disk.
/// Errors: throws Error naming the path and the system's reason.
void WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes);
void WriteFileAtomically(const std::string& path, std::string_view text);

/// What the symbolic links at a path lead to, whether it is there or not; links that never end
/// stay.
std::string LinkTarget(const std::string& path);

/// For before long work: would a write to `path` find its folder, and no folder in its place?
/// Errors: throws Error as the write would.
void RequireWritable(const std::string& path);

}  // namespace vta
