// Accesses of the fake board's registers: their page cannot be read or written, so each traps, and
// the board makes it.
#pragma once

namespace vta::test::uio {

/// From now on. An access that is no mov of 32 bits ends the process with a message; one that the
/// board refuses raises SIGBUS, as the kernel does.
void CatchRegisterAccesses();

}  // namespace vta::test::uio
