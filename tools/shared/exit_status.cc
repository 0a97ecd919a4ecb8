#include "tools/shared/exit_status.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "tools/shared/usage.h"

namespace vta::tools {

int ExitStatus(const std::string& program, const std::function<int()>& work) {
  const auto fail = [&](const char* message, int status) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), message);
    return status;
  };
  try {
    const int status = work();
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    return fail(("stdout: cannot write: " + std::string(std::strerror(errno))).c_str(), 1);
  } catch (const UsageError& e) {
    return fail(e.what(), 2);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& e) {  // an Error, or what the system refuses
    return fail(e.what(), 1);
  }
}

}  // namespace vta::tools
