// One access of a register that is mapped into this process: a single one on the bus, in order, and
// with an answer also where the bus refuses.
#pragma once

#include <cstdint>
#include <optional>

namespace vta::driver::uio {

/// While one lives, an access that the bus answers with an error, which the kernel reports as
/// SIGBUS, has no value instead of ending the process. Any other SIGBUS goes where it went before.
class BusErrors {
 public:
  BusErrors();
  ~BusErrors();
  BusErrors(const BusErrors&) = delete;
  BusErrors& operator=(const BusErrors&) = delete;
};

/// One load of 32 bits; what follows in the program happens after it.
std::optional<uint32_t> LoadRegister(const volatile uint32_t* address);

/// One store of 32 bits, after everything before it in the program; it has arrived at the register
/// when this returns. False: the bus refused.
bool StoreRegister(volatile uint32_t* address, uint32_t value);

}  // namespace vta::driver::uio
