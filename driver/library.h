// Libraries of drivers, which are loaded when a device of theirs is opened.
#pragma once

#include <string>

namespace vta::driver {

class Library {
 public:
  /// Loads it for as long as the process runs. `if_missing`: what it means where a function is not
  /// there. Errors: throws Error naming the library and the system's reason.
  Library(std::string name, std::string if_missing);

  /// Errors: throws Error where there is no function of that name.
  template <typename Result, typename... Arguments>
  void Find(Result (*&function)(Arguments...), const char* name) const {
    function = reinterpret_cast<Result (*)(Arguments...)>(Symbol(name));
  }

 private:
  void* Symbol(const char* name) const;

  std::string name_, if_missing_;
  void* handle_;
};

}  // namespace vta::driver
