// Tests of served devices; with --serve it is the server that they start.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/remote/fake_server.h"

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == "--serve")
    return vta::serve::ServeFake({argv + 2, argv + argc});
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
