// Bisection on devices that go wrong in known ways: which step is named, with what, and what is
// said where no step can be named.
#include "runtime/diagnosis/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Adds 5, negates, adds 5: the last tensor lies where the input was.
isa::Package ThreeSteps() {
  isa::Package package = AddFiveThenNegate();
  const isa::Layout layout(*package.config);
  const std::vector<uint8_t> first(package.code.begin() + 16, package.code.end());
  package.code.insert(package.code.end(), first.begin(), first.end());
  isa::StoreWord(isa::Encode(layout, sim::LoadOf(isa::MemoryType::kAcc8, 2, kOutput / 8, 1)),
                 package.code.data() + 16 * 7);
  isa::Instruction store = sim::StoreOf(2, kInput / 8, 1);
  store.pop_prev = 1;
  isa::StoreWord(isa::Encode(layout, store), package.code.data() + 16 * 9);
  package.programs.push_back({6, 5});
  package.tensors.push_back({"z", isa::ElementType::kInt8, {2, 4}, kInput});
  package.steps.push_back(
      {"again", isa::PackageStep::Kind::kProgram, 1, 0, {2}, {3}, {"add", "2x4", 0}});
  package.outputs = {3};
  return package;
}

// Does something to itself after some launches.
class Broken : public driver::FunctionalDevice {
 public:
  using After = std::function<void(Broken&, int64_t launch, isa::LaunchResult&)>;
  explicit Broken(After after) : FunctionalDevice(TinyConfig()), after_(std::move(after)) {}
  void Launch(const isa::LaunchRequest& request) override {
    request_ = request;
    FunctionalDevice::Launch(request);
  }
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override {
    isa::LaunchResult result = FunctionalDevice::Wait(limit);
    after_(*this, launches_++, result);
    return result;
  }
  uint8_t& At(int64_t offset) { return Map(request_.base[0] + offset, 1)[0]; }
  /// Which program ran last.
  int64_t program() { return (request_.instruction_address & 0xfff) == 16 ? 0 : 1; }
  std::optional<uint32_t> ReadRegister(isa::Register first, int64_t) override {
    if (!has_registers) return std::nullopt;
    if (first == isa::Register::kModule) throw Error("device broken", "", "", "no answer");
    return static_cast<uint32_t>(first);
  }
  int64_t instructions() const { return request_.instruction_count; }
  bool has_registers = false;

 private:
  After after_;
  isa::LaunchRequest request_;
  int64_t launches_ = 0;
};

class BisectTest : public testing::Test {
 protected:
  Bisection Run(const Broken::After& after, int64_t samples = 1, bool registers = false) {
    Broken device(after);
    device.has_registers = registers;
    driver::FunctionalDevice golden(TinyConfig());
    std::vector<Tensors> inputs;
    for (int64_t i = 0; i < samples; ++i)
      inputs.push_back({{static_cast<uint8_t>(i), 1, 2, 3, 4, 5, 6, 7}});
    const Bisection found = Bisect(model_, device, golden, inputs, {.threads = 1});
    text_ = BisectText(*model_, "broken", found);
    return found;
  }
  Negate negate_;
  std::shared_ptr<const Model> model_ =
      std::make_shared<Model>(ThreeSteps(), "p.vta", ModelOptions{.kernels = &negate_});
  std::string text_;
};

TEST_F(BisectTest, SaysThatAllIsEqual) {
  const Bisection found = Run([](Broken&, int64_t, isa::LaunchResult&) {}, 3);
  EXPECT_TRUE(found.equal());
  EXPECT_EQ(text_,
            "broken: outputs of 3 samples are equal\n"
            "every layer is equal, 3 of 3, each run from the right values\n");
}

TEST_F(BisectTest, NamesTheStepTheElementItsAddressAndBothValues) {
  const Bisection found = Run([](Broken& device, int64_t, isa::LaunchResult&) {
    if (device.program() == 1) device.At(kInput + 3) ^= 1, device.At(kInput + 6) ^= 1;
  });
  EXPECT_FALSE(found.equal());
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->step, 2);
  EXPECT_TRUE(found.first->again);
  EXPECT_EQ(found.steps_differing, 1);
  // -(3 + 5) + 5 = -3. The arena is the first allocation, at the second page.
  EXPECT_EQ(
      text_,
      "broken: sample 0 as a whole: output z, element 3 at 0x1013: expected -3, is -4; 2 of 8 "
      "elements differ\n"
      "first difference: step 2 of 3, layer again (add 2x4): tensor z, element 3 at 0x1013: "
      "expected "
      "-3, is -4; 2 of 8 elements differ; a second try left the same\n"
      "counters of it: equal\n"
      "1 of 3 layers differs, each run from the right values\n"
      "the device has no registers\n");
}

// Both programs are wrong: the first is named, although what the last leaves is wrong of its own.
TEST_F(BisectTest, EachStepRunsFromTheRightValues) {
  const Bisection found = Run([](Broken& device, int64_t, isa::LaunchResult&) {
    ++device.At(device.program() == 0 ? kMiddle : kInput);
  });
  EXPECT_EQ(found.first->step, 0);
  EXPECT_EQ(found.first->value->expected, "5");
  EXPECT_EQ(found.first->value->actual, "6");
  EXPECT_EQ(found.steps, 3);
  EXPECT_EQ(found.steps_differing, 2);  // not the kernel between them
}

TEST_F(BisectTest, FindsTheFirstSampleThatDiffers) {
  const Bisection found = Run(
      [](Broken& device, int64_t, isa::LaunchResult&) {
        if (device.program() == 0 && device.At(kMiddle) == 7) device.At(kMiddle) = 70;
      },
      5);
  EXPECT_EQ(found.sample, 2);
  EXPECT_EQ(found.samples, 3);
  EXPECT_EQ(found.first->step, 0);
  EXPECT_EQ(found.first->value->actual, "70");
}

TEST_F(BisectTest, NamesAStepWhoseCountersDiffer) {
  const Bisection found = Run([](Broken& device, int64_t, isa::LaunchResult& result) {
    if (device.program() == 1) result.counters.bytes[0] += 4, result.counters.alu_uops = 9;
  });
  EXPECT_EQ(found.first->step, 2);
  EXPECT_THAT(found.first->counters,
              ElementsAre("alu_uops 9, expected 1", "bytes of uop 8, expected 4"));
  EXPECT_THAT(
      text_,
      HasSubstr("layer again (add 2x4): values are equal, counters are not; a second try left "
                "the same\ncounters of it: alu_uops 9, expected 1; bytes of uop 8, "
                "expected 4\n"));
}

TEST_F(BisectTest, NamesAStepThatDoesNotEnd) {
  const Bisection found = Run([](Broken& device, int64_t, isa::LaunchResult& result) {
    if (device.program() == 1) result.outcome = isa::Outcome::kDeadlock;
  });
  EXPECT_THAT(found.run_error, HasSubstr("did not finish: deadlock"));
  EXPECT_EQ(found.first->step, 2);
  EXPECT_THAT(text_, HasSubstr("broken: sample 0 as a whole: does not end: p.vta: step 2 again"));
  EXPECT_THAT(text_,
              HasSubstr("first difference: step 2 of 3, layer again (add 2x4): p.vta: step 2 again "
                        "(add 2x4): program 1 did not finish: deadlock\n"));
}

TEST_F(BisectTest, SaysWhereADeviceDoesNotAlwaysDoTheSame) {
  // From run to run, in the last launches of the first two runs alone.
  Bisection found = Run([](Broken& device, int64_t launch, isa::LaunchResult&) {
    if (launch < 4) device.At(kInput) = static_cast<uint8_t>(100 + launch);
  });
  EXPECT_FALSE(found.run_again);
  EXPECT_FALSE(found.first);
  EXPECT_THAT(text_, HasSubstr("the same sample again leaves other outputs: the device does not "
                               "always do the same\nevery layer is equal, 3 of 3"));
  EXPECT_THAT(text_, HasSubstr("what differs as a whole does not layer by layer"));
  // In each run of the layer.
  found = Run([](Broken& device, int64_t launch, isa::LaunchResult&) {
    device.At(kMiddle) = static_cast<uint8_t>(100 + launch);
  });
  EXPECT_EQ(found.first->step, 0);
  EXPECT_FALSE(found.first->again);
  EXPECT_THAT(text_, HasSubstr("a second try left others"));
}

// What one step leaves behind breaks the next one; alone, none does.
TEST_F(BisectTest, SaysWhereOnlyTheWholeRunDiffers) {
  bool after_first = false;
  const Bisection found = Run([&](Broken& device, int64_t launch, isa::LaunchResult&) {
    if (launch < 4 && device.program() == 1 && after_first) device.At(kInput) = 99;
    after_first = device.program() == 0;
  });
  EXPECT_TRUE(found.run_again);
  EXPECT_FALSE(found.first);
  EXPECT_FALSE(found.equal());
  EXPECT_THAT(text_, HasSubstr("output z, element 0"));
  EXPECT_THAT(text_, HasSubstr("or a step finds what another one left"));
  EXPECT_THAT(text_, Not(HasSubstr("first difference")));
}

// Two layers in one launch, of which the joined program alone is wrong.
class LaunchBisectTest : public testing::Test {
 protected:
  // `added`: by the joined program, for each layer; `over`: the second layer takes the input, too,
  // and what it makes lies over what the first one made.
  Bisection Run(const Broken::After& after, std::array<int64_t, 2> added = {5, 5},
                bool over = false) {
    isa::Package package = AddFiveTwice();
    const isa::Layout layout(*package.config);
    const auto set = [&](int64_t word, int64_t isa::Instruction::*field, int64_t value) {
      uint8_t* const at = package.code.data() + 16 * word;
      isa::Instruction insn = isa::Decode(layout, isa::LoadWord(at));
      insn.*field = value;
      isa::StoreWord(isa::Encode(layout, insn), at);
    };
    set(12, &isa::Instruction::imm, added[0]);
    set(15, &isa::Instruction::imm, added[1]);
    if (over) {
      for (const int64_t store : {3, 13}) set(store, &isa::Instruction::dram_base, kOutput / 8);
      for (const int64_t load : {6, 14}) set(load, &isa::Instruction::dram_base, kInput / 8);
      package.tensors[1].offset_bytes = kOutput;
      package.steps[1].inputs = {0};
    }
    const auto model =
        std::make_shared<Model>(std::move(package), "p.vta", ModelOptions{.prove = false});
    Broken device(after);
    driver::FunctionalDevice golden(TinyConfig());
    const Tensors input = {{0, 1, 2, 3, 4, 5, 6, 7}};
    const Bisection found = Bisect(model, device, golden, std::span(&input, 1), {});
    text_ = BisectText(*model, "broken", found);
    return found;
  }
  static void Nothing(Broken&, int64_t, isa::LaunchResult&) {}
  std::string text_;
};

TEST_F(LaunchBisectTest, SaysThatAllIsEqual) {
  EXPECT_TRUE(Run(Nothing).equal());
  EXPECT_EQ(text_,
            "broken: outputs are equal\n"
            "every layer is equal, 2 of 2, each run from the right values\n"
            "every launch of several layers is equal, 1 of 1\n");
}

TEST_F(LaunchBisectTest, NamesTheLaunchAndItsFirstLayerThatDiffers) {
  const Bisection found = Run(Nothing, {6, 5});
  EXPECT_FALSE(found.equal());
  EXPECT_FALSE(found.first);
  ASSERT_TRUE(found.launch);
  EXPECT_EQ(found.launch->step, 0);
  EXPECT_EQ(text_,
            "broken: sample 0 as a whole: output y, element 0 at 0x1030: expected 10, is 11; 8 of "
            "8 elements differ\n"
            "every layer is equal, 2 of 2, each run from the right values\n"
            "first difference: the launch of steps 0 to 1 of 2, layers first to second: layer "
            "first: tensor m, element 0 at 0x1020: expected 5, is 6; 8 of 8 elements differ; a "
            "second try left the same\n"
            "the other engine does not run this launch right, either: its program is wrong\n"
            "the device has no registers\n");
  EXPECT_EQ(Run(Nothing, {5, 6}).launch->step, 1);
}

TEST_F(LaunchBisectTest, TellsADeviceThatIsWrongFromAProgram) {
  const Bisection found = Run([](Broken& device, int64_t, isa::LaunchResult&) {
    if (device.instructions() == 8) ++device.At(kOutput + 2);
  });
  ASSERT_TRUE(found.launch);
  EXPECT_FALSE(found.launch->golden_too);
  EXPECT_THAT(text_, HasSubstr("layer second: tensor y, element 2 at 0x1032: expected 12, is 13"));
  EXPECT_THAT(text_, HasSubstr("\nthe other engine runs this launch right\n"));
}

TEST_F(LaunchBisectTest, NamesALaunchThatDoesNotEnd) {
  const Bisection found = Run([](Broken& device, int64_t, isa::LaunchResult& result) {
    if (device.instructions() == 8) result.outcome = isa::Outcome::kDeadlock;
  });
  EXPECT_THAT(found.launch->error, HasSubstr("did not finish: deadlock"));
  EXPECT_THAT(text_, HasSubstr("layers first to second: p.vta: step 0 first (add 2x4): program 2 "
                               "did not finish: deadlock; a second try left the same\n"));
}

TEST_F(LaunchBisectTest, SaysWhatMemoryDoesNotShow) {
  const Bisection found = Run(
      [](Broken& device, int64_t, isa::LaunchResult&) {
        if (device.instructions() == 8) ++device.At(kOutput);
      },
      {5, 5}, true);
  EXPECT_FALSE(found.first);
  ASSERT_TRUE(found.launch);
  EXPECT_EQ(found.launch->step, 1);
  EXPECT_EQ(found.launch->hidden, 1);
  EXPECT_THAT(text_, HasSubstr("; what 1 layer before it made is written over; a second"));
}

// Memory that does not hold what was put there, which the functional engine still has.
TEST_F(BisectTest, ReadsBackConstantsAndPrograms) {
  const Bisection found = Run([](Broken& device, int64_t, isa::LaunchResult&) {
    if (device.program() == 1)
      device.At(2) = 0xAB;  // the micro-op's third byte, after its last use
  });
  EXPECT_FALSE(found.equal());
  ASSERT_TRUE(found.resident);
  EXPECT_THAT(text_, HasSubstr("read back from the device: the constants, element 2 at 0x1002: "
                               "expected 0, is 171; 1 of 4 elements differs\n"));
}

TEST_F(BisectTest, PrintsRegistersAndWhereTheyEnd) {
  Run(
      [](Broken& device, int64_t, isa::LaunchResult&) {
        if (device.program() == 1) ++device.At(kInput);
      },
      1, true);
  EXPECT_THAT(text_, HasSubstr("registers: status 0x4; interrupt_enable 0x8; interrupt_status 0xc; "
                               "id 0x10; arch_hash_low 0x18; "));
  EXPECT_THAT(text_, testing::EndsWith("base[9] 0x40; device broken: no answer\n"));
}

TEST_F(BisectTest, HonoursTheDeadlineAndWantsASample) {
  driver::FunctionalDevice device(TinyConfig()), golden(TinyConfig());
  const std::vector<Tensors> samples = {{std::vector<uint8_t>(8)}};
  const auto message_of = [&](std::span<const Tensors> inputs, const BisectOptions& options) {
    return vta::ErrorOf([&] { Bisect(model_, device, golden, inputs, options); });
  };
  EXPECT_THAT(message_of(samples, {.deadline = steady_clock::now()}),
              HasSubstr("was stopped: the time for the run ended"));
  EXPECT_EQ(message_of({}, {}), "p.vta: samples = 0: must be at least one");
  EXPECT_EQ(message_of(samples, {}), "no error");
}

}  // namespace
}  // namespace vta::runtime
