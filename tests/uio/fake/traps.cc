#include "tests/uio/fake/traps.h"

#include <sys/ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tests/uio/fake/devices.h"
#include "tests/uio/fake/mov.h"

namespace vta::test::uio {
namespace {

// By their numbers in the processor's encoding.
constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};

[[noreturn]] void Refuse(const uint8_t* code, uint32_t offset) {
  std::fprintf(stderr, "fake board: register %#x: no access of one word: %02x %02x %02x %02x\n",
               offset, code[0], code[1], code[2], code[3]);
  std::_Exit(99);
}

// True: the board answered.
bool Access(const Mov& mov, uint32_t offset, greg_t* registers) {
  FakeBoard& board = Devices::Get().board();
  if (!mov.is_load) {
    const uint32_t value =
        mov.reg < 0 ? mov.constant : static_cast<uint32_t>(registers[kRegisters[mov.reg]]);
    return board.Store(offset, value);
  }
  const std::optional<uint32_t> value = board.Load(offset);
  if (value) registers[kRegisters[mov.reg]] = *value;
  return value.has_value();
}

void OnFault(int signal, siginfo_t* info, void* context) {
  const std::optional<uint32_t> offset = Devices::Get().RegisterAt(info->si_addr);
  if (!offset) {
    std::signal(signal, SIG_DFL);  // and the access is made again
    return;
  }
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* const code = reinterpret_cast<const uint8_t*>(registers[REG_RIP]);
  const std::optional<Mov> mov = DecodeMov(code);
  if (!mov || *offset % sizeof(uint32_t) != 0) Refuse(code, *offset);
  if (!Access(*mov, *offset, registers)) raise(SIGBUS);
  registers[REG_RIP] += mov->bytes;
}

}  // namespace

// SA_NODEFER: who handles the SIGBUS may jump away.
void CatchRegisterAccesses() {
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace vta::test::uio
