// A filter of system calls.
#pragma once

namespace vta::runtime {

/// From now on each thread of this process may read, write and wait on what is open, wait for other
/// threads, read clocks and end, no more. Another call is not made: it raises SIGSYS. There is no
/// way back. For a process that gains no privileges (PR_SET_NO_NEW_PRIVS). The error of the system,
/// where it has no such filters; 0.
int EnterSandbox();

}  // namespace vta::runtime
