// The three calls: their order, what they allocate, and sessions on many threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "runtime/session.h"
#include "tests/support/error_of.h"
#include "tests/unit/runtime/allocations.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

// A device that launches in no time, of memory that it does not map.
class Null : public driver::FunctionalDevice {
 public:
  using FunctionalDevice::FunctionalDevice;
  std::span<uint8_t> Map(uint64_t, int64_t) override { return {}; }
  void Launch(const isa::LaunchRequest&) override { ++launches; }
  isa::LaunchResult Wait(std::chrono::nanoseconds) override {
    isa::LaunchResult result;
    result.outcome = isa::Outcome::kFinished;
    return result;
  }
  int64_t launches = 0;
};

TEST(SessionCalls, AllocateNothing) {
  const Negate negate;
  const Add add;
  Null device(TinyConfig());
  Session on_device(
      std::make_shared<Model>(AddFiveThenNegate(), "p", ModelOptions{.kernels = &negate}), &device,
      {.threads = 3});
  Session on_cpu(std::make_shared<Model>(AddThree(), "p", ModelOptions{.kernels = &add}), nullptr,
                 {.threads = 3});
  const std::vector<uint8_t> input(8, 1);
  std::vector<uint8_t> output(8);
  RunProfile profile;
  profile.steps.reserve(2);
  for (Session* session : {&on_device, &on_cpu}) {
    const int64_t before = test::Allocations();
    for (int i = 0; i < 100; ++i) {
      session->SetInput(0, input);
      session->Run(i % 2 ? &profile : nullptr);
      session->GetOutput(0, output);
    }
    EXPECT_EQ(test::Allocations(), before);
  }
  EXPECT_EQ(device.launches, 100);
  EXPECT_EQ(output, std::vector<uint8_t>(8, 4));
}

TEST(SessionCalls, WantEveryInputForEachRunAndARunForOutputs) {
  const Add add;
  Session session(std::make_shared<Model>(AddThree(), "p", ModelOptions{.kernels = &add}), nullptr);
  std::vector<uint8_t> bytes(8), few(7);
  EXPECT_EQ(ErrorOf([&] { session.Run(); }), "p: input x: was not set since the last run");
  EXPECT_EQ(ErrorOf([&] { session.GetOutput(0, bytes); }), "p: output y: no run has made it");
  EXPECT_EQ(ErrorOf([&] { session.SetInput(1, bytes); }), "p: input = 1: the model has 1");
  EXPECT_EQ(ErrorOf([&] { session.SetInput(-1, bytes); }), "p: input = -1: the model has 1");
  EXPECT_EQ(ErrorOf([&] { session.SetInput(0, few); }),
            "p: input x = 7 bytes: must be 8 bytes of uint8");
  session.SetInput(0, bytes);
  EXPECT_EQ(ErrorOf([&] { session.GetOutput(0, bytes); }), "p: output y: no run has made it");
  session.Run();
  EXPECT_EQ(ErrorOf([&] { session.GetOutput(0, few); }),
            "p: output y = 7 bytes: must be 8 bytes of uint8");
  EXPECT_EQ(ErrorOf([&] { session.GetOutput(2, bytes); }), "p: output = 2: the model has 1");
  session.GetOutput(0, bytes);
  EXPECT_EQ(ErrorOf([&] { session.Run(); }), "p: input x: was not set since the last run");
  // What a run that failed has left is no output.
  session.StopAt(std::chrono::steady_clock::now());
  session.SetInput(0, bytes);
  EXPECT_EQ(ErrorOf([&] { session.Run(); }),
            "p: step 0 plus3: was stopped: the time for the run ended");
  EXPECT_EQ(ErrorOf([&] { session.GetOutput(0, bytes); }), "p: output y: no run has made it");
}

TEST(SessionCalls, TensorsHaveNames) {
  const Add add;
  const Model model(AddThree(), "p", {.kernels = &add});
  EXPECT_EQ(model.InputIndex("x"), 0);
  EXPECT_EQ(model.OutputIndex("y"), 0);
  EXPECT_EQ(ErrorOf([&] { model.InputIndex("y"); }), "p: input = y: the model has x");
  EXPECT_EQ(ErrorOf([&] { model.OutputIndex("x"); }), "p: output = x: the model has y");
}

TEST(SessionCalls, AConstantCanBeAnOutput) {
  const Add add;
  isa::Package package = AddThree();
  package.outputs = {2, 1};
  Session session(std::make_shared<Model>(package, "p", ModelOptions{.kernels = &add}), nullptr);
  const std::vector<uint8_t> input(8, 1);
  const std::span<const uint8_t> inputs[] = {input};
  EXPECT_EQ(Infer(session, inputs)[1], std::vector<uint8_t>(8, 3));
}

TEST(SessionCalls, ConstantsLieOnceForAllSessions) {
  const Add add;
  const auto model = std::make_shared<Model>(AddThree(), "p", ModelOptions{.kernels = &add});
  const std::vector<uint8_t> input(8, 1);
  const std::span<const uint8_t> inputs[] = {input};
  for (int i = 0; i < 2; ++i) {
    Session session(model, nullptr);
    Infer(session, inputs);
    EXPECT_EQ(add.constant, model->package().constants.data());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(add.constant.load()) % kCacheLineBytes, 0u);
  }
}

TEST(SessionCalls, SessionsOnManyThreadsAreIndependent) {
  const Add add;
  const Negate negate;
  const auto cpu = std::make_shared<Model>(AddThree(), "p", ModelOptions{.kernels = &add});
  const auto both =
      std::make_shared<Model>(AddFiveThenNegate(), "p", ModelOptions{.kernels = &negate});
  std::atomic<int64_t> wrong = 0;
  const auto use = [&](uint8_t value) {
    driver::FunctionalDevice device(TinyConfig(), {.memory_bytes = 1 << 16, .machine = {}});
    Session a(cpu, nullptr, {.threads = 2}), b(both, &device, {.threads = 2});
    std::vector<uint8_t> input(8), sum(8), negated(8), bytes(8);
    for (int i = 0; i < 200; ++i) {
      for (size_t byte = 0; byte < 8; ++byte) {
        // Small enough for the accelerator not to saturate.
        input[byte] = static_cast<uint8_t>((value + i + 11 * byte) % 100);
        sum[byte] = static_cast<uint8_t>(input[byte] + 3);
        negated[byte] = static_cast<uint8_t>(-(input[byte] + 5));
      }
      for (Session* session : {&a, &b}) {
        session->SetInput(0, input);
        session->Run();
        session->GetOutput(0, bytes);
        wrong += bytes != (session == &a ? sum : negated);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back(use, static_cast<uint8_t>(8 * t));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace vta::runtime
