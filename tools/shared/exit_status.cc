#include "tools/shared/exit_status.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "tools/shared/log.h"
#include "tools/shared/usage.h"

namespace vta::tools {

int ExitStatus(const std::function<int()>& work) {
  const auto fail = [](const std::string& message, int status) {
    Log(LogLevel::kError, message);
    return status;
  };
  try {
    const int status = work();
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    return fail(std::string("stdout: cannot write: ") + std::strerror(errno), 1);
  } catch (const UsageError& e) {
    return fail(e.what(), 2);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& e) {  // an Error, or what the system refuses
    return fail(e.what(), 1);
  }
}

}  // namespace vta::tools
