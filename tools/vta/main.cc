// The vta tool as a program.
#include "tools/shared/stack.h"
#include "tools/shared/version.h"
#include "tools/vta/log_writer.h"
#include "tools/vta/tool.h"

int main(int argc, char** argv) {
  using namespace vta::tools;
  return OnOwnStack("vta", [&] { return RunTool(argc, argv, kCommit, LibraryWriter); });
}
