// The rules of AXI by themselves: right traffic breaks none, and each is broken once, by whoever
// has to keep it.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tests/rtl/bench/bench_test.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

constexpr char kFull[] = "hw/check/vta_axi_check.sv", kLite[] = "hw/check/vta_axi_lite_check.sv";
constexpr int64_t kBursts = 3;  // outstanding, as the bench has it

std::vector<std::string> LinesOf(const std::string& file) {
  std::istringstream text(ReadTextFile(SourcePath(file)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The label of an assertion, "FILE: manager_...", or nothing.
std::string LabelIn(const std::string& file, const std::string& line) {
  for (const char* end : {"manager_", "subordinate_"}) {
    const size_t at = line.find(end);
    if (at == std::string::npos || line.find_first_not_of(' ') != at) continue;
    return StrCat(file, ": ", line.substr(at, line.find(':') - at));
  }
  return "";
}

// What the ports of one checker say in a cycle; those that are not named keep what they say.
using Ports = std::vector<std::pair<std::string, uint64_t>>;

class Player {
 public:
  explicit Player(const isa::Config& config) : bench_(config) {
    // What every request of this manager says.
    for (const char* channel : {"check_ar_", "check_aw_"})
      Set({{StrCat(channel, "size_i"), 3},
           {StrCat(channel, "burst_i"), 1},
           {StrCat(channel, "cache_i"), 3}});
    Set({{"check_r_ready_i", 1}, {"check_b_ready_i", 1}});
    bench_.Clock();
  }
  void Set(const Ports& ports) {
    for (const auto& [port, value] : ports) bench_.Set(port, value);
  }
  /// A cycle, after which all VALIDs are low.
  Player& Cycle(const Ports& ports) {
    Set(ports);
    bench_.Clock();
    for (const char* port : {"check_ar_", "check_r_", "check_aw_", "check_w_", "check_b_",
                             "lite_aw_", "lite_w_", "lite_b_", "lite_ar_", "lite_r_"})
      Set({{StrCat(port, "valid_i"), 0}});
    return *this;
  }
  Player& Read(uint64_t id, uint64_t beats) {
    return Cycle({{"check_ar_valid_i", 1},
                  {"check_ar_ready_i", 1},
                  {"check_ar_id_i", id},
                  {"check_ar_len_i", beats - 1}});
  }
  Player& Beat(uint64_t id, bool last) {
    return Cycle({{"check_r_valid_i", 1}, {"check_r_id_i", id}, {"check_r_last_i", last}});
  }
  Player& Write(uint64_t id, uint64_t beats) {
    return Cycle({{"check_aw_valid_i", 1},
                  {"check_aw_ready_i", 1},
                  {"check_aw_id_i", id},
                  {"check_aw_len_i", beats - 1}});
  }
  Player& Data(bool last) {
    return Cycle({{"check_w_valid_i", 1}, {"check_w_ready_i", 1}, {"check_w_last_i", last}});
  }
  Player& Answer(uint64_t id) { return Cycle({{"check_b_valid_i", 1}, {"check_b_id_i", id}}); }
  void AfterReset(const std::string& valid) {
    Set({{"rst_ni", 0}});
    Cycle({});
    Cycle({{"rst_ni", 1}, {valid, 1}});
  }
  // Offers something that is not taken, and in the next cycle something else.
  void Change(const std::string& channel, const Ports& offered, const Ports& then) {
    const std::string valid = StrCat(channel, "valid_i");
    Set(offered);
    Cycle({{valid, 1}, {StrCat(channel, "ready_i"), 0}});
    Set({{valid, 1}});
    Cycle(then);
  }

 private:
  Bench bench_;
};

class RulesTest : public testing::Test {
 protected:
  // The rule that is broken, or nothing.
  std::string Broken(const std::function<void(Player&)>& play) {
    Player player(config_);
    try {
      play(player);
    } catch (const Error& error) {
      const std::string what = error.what();
      for (const char* file : {kFull, kLite}) {
        const size_t at = what.find(StrCat(file, ":"));
        if (at == std::string::npos) continue;
        const std::vector<std::string> lines = LinesOf(file);
        for (size_t line = std::stoul(what.substr(at + std::string(file).size() + 1)); line > 0;
             --line)
          if (std::string label = LabelIn(file, lines[line - 1]); !label.empty()) return label;
      }
      return what;
    }
    return "";
  }
  void Expect(const std::string& file, const std::string& rule,
              const std::function<void(Player&)>& play) {
    EXPECT_EQ(Broken(play), StrCat(file, ": ", rule));
    tried_.insert(StrCat(file, ": ", rule));
  }
  // Every rule has been broken by one of the tests.
  static void TearDownTestSuite() {
    const testing::TestSuite& suite = *testing::UnitTest::GetInstance()->current_test_suite();
    if (suite.test_to_run_count() != suite.total_test_count()) return;  // a filter left some out
    for (const char* file : {kFull, kLite})
      for (const std::string& line : LinesOf(file))
        if (const std::string label = LabelIn(file, line); !label.empty()) {
          EXPECT_TRUE(tried_.contains(label)) << label << " is never broken";
        }
  }

  isa::Config config_ = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
  inline static std::set<std::string> tried_;
};

TEST_F(RulesTest, RightTrafficBreaksNone) {
  EXPECT_EQ(Broken([](Player& p) {
              // Three bursts of a reader, one of another that overtakes, and one that comes in the
              // cycle in which the oldest ends.
              p.Read(1, 2).Read(1, 1).Read(1, 16).Read(2, 1);
              p.Beat(2, true).Beat(1, false);
              p.Set({{"check_r_valid_i", 1}, {"check_r_id_i", 1}, {"check_r_last_i", 1}});
              p.Beat(1, true).Read(1, 1).Beat(1, true);
              for (int i = 1; i <= 16; ++i) p.Beat(1, i == 16);
              p.Beat(1, true);
              // An address that waits, its data before it is taken; the answer after both.
              p.Cycle({{"check_aw_valid_i", 1},
                       {"check_aw_ready_i", 0},
                       {"check_aw_len_i", 1},
                       {"check_w_valid_i", 1},
                       {"check_w_ready_i", 1}});
              p.Cycle({{"check_aw_valid_i", 1},
                       {"check_aw_ready_i", 1},
                       {"check_w_valid_i", 1},
                       {"check_w_last_i", 1}});
              p.Write(0, 1);
              p.Cycle({{"check_b_valid_i", 1}, {"check_w_valid_i", 1}});
              p.Cycle({{"check_b_valid_i", 1}, {"check_b_resp_i", 2}, {"check_aw_valid_i", 1}});
              p.Data(true).Answer(0);
              // The host's port: parts of a write in any order, answers that wait.
              p.Set({{"lite_aw_ready_i", 1}, {"lite_w_ready_i", 1}, {"lite_ar_ready_i", 1}});
              p.Cycle({{"lite_w_valid_i", 1}}).Cycle({}).Cycle({{"lite_aw_valid_i", 1}});
              for (uint64_t ready : {0, 0, 1})
                p.Cycle({{"lite_b_valid_i", 1}, {"lite_b_resp_i", 2}, {"lite_b_ready_i", ready}});
              p.Cycle({{"lite_ar_valid_i", 1}});
              for (uint64_t ready : {0, 0, 1})
                p.Cycle({{"lite_r_valid_i", 1}, {"lite_r_data_i", 5}, {"lite_r_ready_i", ready}});
              for (int i = 0; i < 40; ++i) p.Cycle({});
            }),
            "");
}

TEST_F(RulesTest, EachRuleOfReadsIsFound) {
  const auto expect = [this](const char* rule, auto play) { Expect(kFull, rule, play); };
  const Ports offered = {{"check_ar_address_i", 0x1000}};
  expect("manager_ar_reset", [](Player& p) { p.AfterReset("check_ar_valid_i"); });
  expect("subordinate_r_reset", [](Player& p) { p.AfterReset("check_r_valid_i"); });
  for (const Ports& then : {Ports{{"check_ar_valid_i", 0}},
                            {{"check_ar_address_i", 0x1008}},
                            {{"check_ar_len_i", 1}},
                            {{"check_ar_prot_i", 1}},
                            {{"check_ar_qos_i", 1}},
                            {{"check_ar_cache_i", 2}},
                            {{"check_ar_id_i", 1}}})
    expect("manager_ar_stays", [&](Player& p) { p.Change("check_ar_", offered, then); });
  expect("manager_ar_length", [](Player& p) { p.Read(0, 17); });
  expect("manager_ar_page", [](Player& p) {
    p.Set({{"check_ar_address_i", 0x1ff8}});
    p.Read(0, 1).Read(0, 2);
  });
  expect("manager_ar_room", [](Player& p) {
    for (int64_t i = 0; i <= kBursts; ++i) p.Read(1, 1);
  });
  for (const Ports& then : {Ports{{"check_r_valid_i", 0}},
                            {{"check_r_data_i", 1}},
                            {{"check_r_resp_i", 2}},
                            {{"check_r_last_i", 0}}})
    expect("subordinate_r_stays", [&](Player& p) {
      p.Read(0, 1);
      p.Set({{"check_r_last_i", 1}});
      p.Change("check_r_", {}, then);
    });
  expect("subordinate_r_asked", [](Player& p) { p.Read(1, 1).Beat(2, true); });
  expect("subordinate_r_asked", [](Player& p) { p.Read(1, 1).Beat(1, true).Beat(1, true); });
  expect("subordinate_r_asked", [](Player& p) {
    p.Set({{"check_r_valid_i", 1}, {"check_r_last_i", 1}});
    p.Read(0, 1);  // in the cycle of its address
  });
  expect("subordinate_r_last", [](Player& p) { p.Read(1, 2).Beat(1, true); });
  expect("subordinate_r_last", [](Player& p) { p.Read(1, 2).Beat(1, false).Beat(1, false); });
  expect("subordinate_r_last", [](Player& p) {
    p.Read(1, 2).Read(2, 1).Beat(1, false).Beat(2, false);  // that of the other ID
  });
  expect("subordinate_r_response", [](Player& p) {
    p.Set({{"check_r_resp_i", 1}});
    p.Read(0, 1).Beat(0, true);
  });
  expect("manager_r_taken", [](Player& p) {
    p.Read(0, 1);
    for (int i = 0; i < 9; ++i)
      p.Cycle({{"check_r_valid_i", 1}, {"check_r_ready_i", 0}, {"check_r_last_i", 1}});
  });
}

TEST_F(RulesTest, EachRuleOfWritesIsFound) {
  const auto expect = [this](const char* rule, auto play) { Expect(kFull, rule, play); };
  expect("manager_aw_reset", [](Player& p) { p.AfterReset("check_aw_valid_i"); });
  expect("manager_w_reset", [](Player& p) { p.AfterReset("check_w_valid_i"); });
  expect("subordinate_b_reset", [](Player& p) { p.AfterReset("check_b_valid_i"); });
  for (const Ports& then : {Ports{{"check_aw_valid_i", 0}},
                            {{"check_aw_address_i", 8}},
                            {{"check_aw_len_i", 1}},
                            {{"check_aw_prot_i", 1}},
                            {{"check_aw_qos_i", 1}},
                            {{"check_aw_cache_i", 2}},
                            {{"check_aw_id_i", 1}}})
    expect("manager_aw_stays", [&](Player& p) { p.Change("check_aw_", {}, then); });
  expect("manager_aw_length", [](Player& p) { p.Write(0, 17); });
  expect("manager_aw_page", [](Player& p) {
    p.Set({{"check_aw_address_i", 0xff0}});
    p.Write(0, 2).Write(0, 3);
  });
  expect("manager_aw_room", [](Player& p) {
    for (int64_t i = 0; i <= kBursts; ++i) p.Write(0, 1);
  });
  for (const Ports& then : {Ports{{"check_w_valid_i", 0}},
                            {{"check_w_data_i", 1}},
                            {{"check_w_strb_i", 1}},
                            {{"check_w_last_i", 1}}})
    expect("manager_w_stays", [&](Player& p) {
      p.Write(0, 2);
      p.Change("check_w_", {}, then);
    });
  expect("manager_w_addressed", [](Player& p) { p.Data(true); });
  expect("manager_w_addressed", [](Player& p) { p.Write(0, 1).Data(true).Data(true); });
  expect("manager_w_last", [](Player& p) { p.Write(0, 2).Data(true); });
  expect("manager_w_last", [](Player& p) { p.Write(0, 2).Data(false).Data(false); });
  expect("manager_w_last", [](Player& p) { p.Write(0, 1).Write(0, 2).Data(true).Data(true); });
  for (const Ports& then :
       {Ports{{"check_b_valid_i", 0}}, {{"check_b_resp_i", 2}}, {{"check_b_id_i", 1}}})
    expect("subordinate_b_stays",
           [&](Player& p) { p.Write(0, 1).Data(true).Change("check_b_", {}, then); });
  expect("subordinate_b_asked", [](Player& p) { p.Answer(0); });
  expect("subordinate_b_asked", [](Player& p) { p.Write(0, 2).Data(false).Answer(0); });
  expect("subordinate_b_asked", [](Player& p) { p.Write(1, 1).Data(true).Answer(2); });
  expect("subordinate_b_asked", [](Player& p) { p.Write(0, 1).Data(true).Answer(0).Answer(0); });
  expect("subordinate_b_asked", [](Player& p) {
    const Ports waits = {{"check_aw_valid_i", 1}, {"check_aw_ready_i", 0}};
    p.Set(waits);
    p.Data(true).Set(waits);
    p.Answer(0);
  });
  expect("subordinate_b_response", [](Player& p) {
    p.Set({{"check_b_resp_i", 1}});
    p.Write(0, 1).Data(true).Answer(0);
  });
  expect("manager_b_taken", [](Player& p) {
    p.Write(0, 1).Data(true).Set({{"check_b_ready_i", 0}});
    for (int i = 0; i < 9; ++i) p.Answer(0);
  });
}

TEST_F(RulesTest, EachRuleOfRequestsIsFound) {
  for (const auto& [field, value, rule] : {std::tuple("size", 2, "size"),
                                           {"burst", 0, "burst"},
                                           {"burst", 2, "burst"},
                                           {"burst", 3, "burst"},
                                           {"address", 4, "aligned"},
                                           {"cache", 4, "cache"},
                                           {"cache", 9, "cache"},
                                           {"lock", 1, "lock"}})
    for (const char* channel : {"ar", "aw"})
      Expect(kFull, StrCat("manager_", channel, "_", rule), [&](Player& p) {
        p.Cycle({{StrCat("check_", channel, "_", field, "_i"), static_cast<uint64_t>(value)},
                 {StrCat("check_", channel, "_valid_i"), 1}});
      });
}

TEST_F(RulesTest, EachRuleOfTheHostsPortIsFound) {
  const auto expect = [this](const char* rule, auto play) { Expect(kLite, rule, play); };
  const Ports takes = {{"lite_aw_ready_i", 1}, {"lite_w_ready_i", 1}, {"lite_ar_ready_i", 1}};
  const Ports write = {{"lite_aw_valid_i", 1}, {"lite_w_valid_i", 1}};
  for (const char* channel : {"aw", "w", "ar"})
    expect("manager_reset", [&](Player& p) { p.AfterReset(StrCat("lite_", channel, "_valid_i")); });
  for (const char* channel : {"b", "r"})
    expect("subordinate_reset",
           [&](Player& p) { p.AfterReset(StrCat("lite_", channel, "_valid_i")); });
  for (const char* channel : {"aw", "ar"})
    for (const char* field : {"address_i", "prot_i"})
      expect(channel[1] == 'w' ? "manager_aw_stays" : "manager_ar_stays", [&](Player& p) {
        const std::string ports = StrCat("lite_", channel, "_");
        p.Change(ports, {}, {{ports + field, 1}});
      });
  expect("manager_aw_stays", [](Player& p) { p.Cycle({{"lite_aw_valid_i", 1}}).Cycle({}); });
  expect("manager_ar_stays", [](Player& p) { p.Cycle({{"lite_ar_valid_i", 1}}).Cycle({}); });
  for (const Ports& then :
       {Ports{{"lite_w_valid_i", 0}}, {{"lite_w_data_i", 1}}, {{"lite_w_strb_i", 1}}})
    expect("manager_w_stays", [&](Player& p) { p.Change("lite_w_", {}, then); });
  for (const Ports& then : {Ports{{"lite_b_valid_i", 0}}, {{"lite_b_resp_i", 2}}})
    expect("subordinate_b_stays", [&](Player& p) {
      p.Set(takes);
      p.Cycle(write).Change("lite_b_", {}, then);
    });
  for (const Ports& then :
       {Ports{{"lite_r_valid_i", 0}}, {{"lite_r_resp_i", 2}}, {{"lite_r_data_i", 1}}})
    expect("subordinate_r_stays", [&](Player& p) {
      p.Set(takes);
      p.Cycle({{"lite_ar_valid_i", 1}}).Change("lite_r_", {}, then);
    });
  for (const Ports& part : {Ports{}, {{"lite_aw_valid_i", 1}}, {{"lite_w_valid_i", 1}}})
    expect("subordinate_b_asked", [&](Player& p) {
      p.Set(takes);
      p.Cycle(part).Cycle({{"lite_b_valid_i", 1}});
    });
  expect("subordinate_r_asked", [](Player& p) { p.Cycle({{"lite_r_valid_i", 1}}); });
  expect("subordinate_b_response", [&](Player& p) {
    p.Set(takes);
    p.Cycle(write).Cycle({{"lite_b_valid_i", 1}, {"lite_b_resp_i", 1}});
  });
  expect("subordinate_r_response", [&](Player& p) {
    p.Set(takes);
    p.Cycle({{"lite_ar_valid_i", 1}}).Cycle({{"lite_r_valid_i", 1}, {"lite_r_resp_i", 1}});
  });
  for (bool taken : {true, false}) {
    const auto late = [&](const Ports& asks) {
      return [&takes, asks, taken](Player& p) {
        if (taken) p.Set(takes);
        p.Cycle(asks);
        for (int i = 0; i < 10; ++i) p.Cycle(taken ? Ports{} : asks);
      };
    };
    expect("subordinate_b_comes", late(write));
    expect("subordinate_r_comes", late({{"lite_ar_valid_i", 1}}));
  }
}

}  // namespace
}  // namespace vta::test
