#include <gmock/gmock.h>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"
#include "tests/support/error_of.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

std::string RefusalOf(const std::string& name) {
  return ErrorOf([&] { FindConfig(name); });
}

TEST(ShareTest, FindsShippedConfigsByNameAndOthersByPath) {
  EXPECT_EQ(FindConfig("default").name, "default");
  EXPECT_EQ(FindConfig("vta_0.0.2").version, isa::Version::k002);
  EXPECT_EQ(FindConfig(ShippedPath("isa/configs/default.json")).name, "default");
}

TEST(ShareTest, NamesWhatThereIs) {
  EXPECT_THAT(RefusalOf("nope"), testing::StartsWith("config: nope: must be the path of a file or "
                                                     "one of "));
  EXPECT_THAT(RefusalOf("nope"), testing::HasSubstr("default"));
  EXPECT_EQ(RefusalOf("./nope.json"), "./nope.json: cannot open: No such file or directory");
  EXPECT_THAT([] { ShippedPath("tools/demo/nope"); },
              testing::ThrowsMessage<Error>(
                  testing::HasSubstr("tools/demo/nope: is shipped with vta, and is in none of ")));
}

}  // namespace
}  // namespace vta::tools
