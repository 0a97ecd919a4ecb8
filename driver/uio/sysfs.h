// The kernel's files about a device: one value each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vta::driver::uio {

/// The one line of a file, without its end.
/// Errors: throws Error naming the file where it cannot be read or holds anything else.
std::string ReadSysfsLine(const std::string& path);

/// 0x and hexadecimal digits, or decimal ones. Errors: the same.
uint64_t ReadSysfsNumber(const std::string& path);

/// What lies in a folder, by name, 9 before 10; nothing where it is not there.
/// Errors: throws Error where it cannot be read.
std::vector<std::string> ListSysfs(const std::string& folder);

}  // namespace vta::driver::uio
