#include "driver/remote/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/error_of.h"

namespace vta::driver::remote {
namespace {

using testing::HasSubstr;

TEST(Protocol, AddressesAreReadAndWritten) {
  for (const char* name : {"remote://board:1", "remote://127.0.0.1:7227/ultra96",
                           "remote://[::1]:65535/a.b-c_D", "remote://farm.example.org:4000"}) {
    EXPECT_TRUE(IsRemote(name));
    EXPECT_EQ(ParseAddress(name, "--engine").Name(), name);
  }
  EXPECT_FALSE(IsRemote("cycle"));
  EXPECT_EQ(ParseHostPort("[::1]:0", "").host, "::1");
}

TEST(Protocol, WhatIsNoAddressIsRefusedByItsRule) {
  for (const auto& [name, rule] : {std::pair{"remote://", "must be HOST:PORT"},
                                   {"remote://board", "must be HOST:PORT"},
                                   {"remote://:1", "must begin with the name"},
                                   {"remote://bo ard:1", "must begin with the name"},
                                   {"remote://::1:1", "must have brackets"},
                                   {"remote://board:", "must end with a port"},
                                   {"remote://board:65536", "must end with a port"},
                                   {"remote://board:-1", "must end with a port"},
                                   {"remote://board:0", "must name a port"},
                                   {"remote://board:1/", "must end with a key"},
                                   {"remote://board:1/a/b", "must end with a key"}}) {
    const std::string says = ErrorOf([&] { ParseAddress(name, "--engine"); });
    EXPECT_THAT(says, HasSubstr(std::string("--engine: ") + name + ": "));
    EXPECT_THAT(says, HasSubstr(rule));
  }
}

TEST(Protocol, LoopbackIsThisMachineAlone) {
  for (const char* host : {"localhost", "127.0.0.1", "127.9.9.9", "::1"})
    EXPECT_TRUE((Address{host, "", 1}.IsLoopback())) << host;
  for (const char* host : {"0.0.0.0", "::", "128.0.0.1", "127.example.org"})
    EXPECT_FALSE((Address{host, "", 1}.IsLoopback())) << host;
}

}  // namespace
}  // namespace vta::driver::remote
