// vta-serve --device D [--key NAME] [--listen HOST:PORT]: gives a board's devices to other
// machines, in one program that needs nothing of the board but its kernel. Exit status: 0 done, 1
// failed, 2 wrong usage.
#include <csignal>

#include "driver/cycle/cycle_device.h"
#include "runtime/engine.h"
#include "tools/serve/program/server.h"
#include "tools/shared/stack.h"
#include "tools/shared/version.h"

namespace vta::tools {
namespace {

std::unique_ptr<driver::Device> Open(const std::string& name, const isa::Config& config,
                                     std::optional<int64_t> memory_bytes) {
  const int64_t memory =
      memory_bytes ? driver::MemoryFor(*memory_bytes) : driver::kSimulatedMemoryBytes;
  if (name == "cycle")
    return std::make_unique<driver::CycleDevice>(config,
                                                 driver::CycleOptions{.memory_bytes = memory});
  return runtime::OpenEngine(name, config, memory);
}

int Serve(int argc, const char* const* argv) {
  ServerProgram program = BoardServer();
  program.open = Open;
  program.serve = serve::vta_remote_serve;
  program.make_credentials = serve::vta_remote_make_credentials;
  return RunBoardServer(argc, argv, kCommit, program);
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of sizes is an error like a full disk
  return vta::tools::OnOwnStack("vta-serve", [&] { return vta::tools::Serve(argc, argv); });
}
