#include "tests/support/error_of.h"

#include "isa/support/error.h"

namespace vta {

std::string ErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace vta
