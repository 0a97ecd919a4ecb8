#include "driver/library.h"

#include <dlfcn.h>

#include <utility>

#include "isa/support/error.h"

namespace vta::driver {

Library::Library(std::string name, std::string if_missing)
    : name_(std::move(name)),
      if_missing_(std::move(if_missing)),
      handle_(dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) throw Error("", name_, "", StrCat("cannot be loaded: ", dlerror()));
}

void* Library::Symbol(const char* name) const {
  void* const symbol = dlsym(handle_, name);
  if (!symbol) throw Error("", name_, name, StrCat("is missing: ", if_missing_));
  return symbol;
}

}  // namespace vta::driver
