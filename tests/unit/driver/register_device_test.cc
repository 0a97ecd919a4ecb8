// What boards share, on the engines that are quick to build.
#include "tests/unit/driver/register_device_suite.h"

namespace vta::driver {
namespace {

INSTANTIATE_TEST_SUITE_P(Engines, RegisterDeviceTest,
                         testing::Values(BoardEngine::kFunctional, BoardEngine::kCycle),
                         [](const auto& info) {
                           return info.param == BoardEngine::kCycle ? "cycle" : "functional";
                         });

TEST(BoardFault, IsFoundByItsName) {
  for (int i = 0; i <= static_cast<int>(BoardFault::kAllOnes); ++i) {
    const auto fault = static_cast<BoardFault>(i);
    EXPECT_EQ(sim::FindBoardFault(std::string(sim::BoardFaultName(fault)), ""), fault);
  }
  EXPECT_EQ(ErrorOf([] { sim::FindBoardEngine("rlt", "VTA_ENGINE"); }),
            "VTA_ENGINE: rlt: must be one of functional, cycle, rtl");
}

}  // namespace
}  // namespace vta::driver
