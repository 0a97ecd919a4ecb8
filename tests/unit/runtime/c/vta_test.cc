// The C interface: what it gives, what it refuses, and that it allocates nothing while running.
#include "runtime/c/vta.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "isa/support/error.h"
#include "runtime/cpu_features.h"
#include "runtime/engine.h"
#include "tests/support/test_elf.h"
#include "tests/unit/runtime/allocations.h"
#include "tests/unit/runtime/hostile_package.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

// The accelerator's step alone.
isa::Package AddFive() {
  isa::Package package = AddFiveThenNegate();
  package.steps.pop_back(), package.kernels.clear();
  package.outputs = {1};
  return package;
}

// A kernel for this machine that writes the range of its tasks.
isa::Package Range() {
  isa::Package package;
  package.model = "range";
  package.arena_bytes = 128;
  package.kernels = test::TestElf::Kernels();
  package.kernels[0].tasks = 7;
  package.modules = {test::TestElf(kBuildArch).Module()};
  package.tensors = {{"x", isa::ElementType::kInt64, {1}, 64},
                     {"range", isa::ElementType::kInt64, {2}, 0}};
  package.kernels[0].argument_bytes = {16};
  package.steps = {{"range", isa::PackageStep::Kind::kKernel, 0, 0, {}, {1}, {}}};
  package.inputs = {0};
  package.outputs = {1};
  return package;
}

vta_model* Load(const isa::Package& package, vta_error* error) {
  const std::vector<uint8_t> bytes = isa::SerializePackage(package);
  vta_model* model = nullptr;
  vta_model_load_bytes(bytes.data(), bytes.size(), "p", &model, error);
  return model;
}

class CInterface : public testing::Test {
 protected:
  void Open(const isa::Package& package, const char* device) {
    model_ = Load(package, &error_);
    ASSERT_TRUE(model_) << error_.message;
    ASSERT_EQ(vta_session_create(model_, device, 1, &session_, &error_), VTA_OK) << error_.message;
  }
  ~CInterface() override {
    vta_session_free(session_);
    vta_model_free(model_);
  }
  vta_error error_ = {};
  vta_model* model_ = nullptr;
  vta_session* session_ = nullptr;
};

TEST_F(CInterface, RunsProgramsOnTheFunctionalDevice) {
  Open(AddFive(), VTA_FUNCTIONAL);
  EXPECT_TRUE(vta_model_needs_device(model_));
  const uint8_t input[8] = {1, 2, 3, 4, 5, 6, 7, 8}, expected[8] = {6, 7, 8, 9, 10, 11, 12, 13};
  uint8_t output[8] = {};
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(vta_set_input(session_, 0, input, 8, &error_), VTA_OK) << error_.message;
    ASSERT_EQ(vta_run(session_, &error_), VTA_OK) << error_.message;
    ASSERT_EQ(vta_get_output(session_, 0, output, 8, &error_), VTA_OK) << error_.message;
    EXPECT_EQ(std::memcmp(output, expected, 8), 0);
  }
}

TEST_F(CInterface, BindsMemoryOfTheCallers) {
  Open(AddFive(), VTA_FUNCTIONAL);
  alignas(64) uint8_t input[8] = {1, 2, 3, 4, 5, 6, 7, 8}, output[8] = {};
  int direct = 1;
  ASSERT_EQ(vta_bind_input(session_, 0, input, 8, &direct, &error_), VTA_OK) << error_.message;
  EXPECT_EQ(direct, 0);  // a program reads it
  ASSERT_EQ(vta_bind_output(session_, 0, output, 8, nullptr, &error_), VTA_OK) << error_.message;
  for (uint8_t first = 1; first < 4; ++first) {
    input[0] = first;
    ASSERT_EQ(vta_run(session_, &error_), VTA_OK) << error_.message;
    EXPECT_EQ(output[0], first + 5);
    EXPECT_EQ(output[7], 13);
  }
  EXPECT_EQ(vta_bind_input(session_, 1, input, 8, &direct, &error_), VTA_WRONG_ARGUMENT);
  EXPECT_EQ(vta_bind_output(session_, 0, output, 7, &direct, &error_), VTA_WRONG_ARGUMENT);
  ASSERT_EQ(vta_bind_input(session_, 0, nullptr, 0, nullptr, &error_), VTA_OK) << error_.message;
  EXPECT_EQ(vta_run(session_, &error_), VTA_FAILED);
}

TEST_F(CInterface, RunsKernelsAndAllocatesNothing) {
  if (kBuildArch.empty()) GTEST_SKIP() << "no modules for this machine";
  Open(Range(), nullptr);
  EXPECT_FALSE(vta_model_needs_device(model_));
  int64_t input = 0, range[2] = {};
  const int64_t before = test::Allocations();
  for (int i = 0; i < 100; ++i) {
    vta_set_input(session_, 0, &input, sizeof input, nullptr);
    vta_run(session_, nullptr);
    vta_get_output(session_, 0, range, sizeof range, nullptr);
  }
  EXPECT_EQ(test::Allocations(), before);
  EXPECT_EQ(range[0], 0);
  EXPECT_EQ(range[1], 7);
}

// In C as in C++: an error in place of the process's end, and a session that stays dead.
TEST_F(CInterface, AFaultOfAGuardedKernelIsAnError) {
  if (kBuildArch != "x86_64") GTEST_SKIP() << "its kernels are code of x86-64";
  for (const auto& [code, rule] :
       {std::pair(HostileCode::Null(),
                  "was stopped by SIGSEGV at address 0x10, instruction 0x10502 of its module"),
        {HostileCode::Loop(), "was stopped: its limit, 0.02 s, ended"}}) {
    vta_model* const model = Load(HostilePackage("k", code), &error_);
    ASSERT_TRUE(model) << error_.message;
    vta_session* session = nullptr;
    ASSERT_EQ(vta_session_create_guarded(model, nullptr, 2, 20, &session, &error_), VTA_OK)
        << error_.message;
    vta_model_free(model);
    int64_t input = 0, range[2] = {};
    ASSERT_EQ(vta_set_input(session, 0, &input, sizeof input, &error_), VTA_OK) << error_.message;
    EXPECT_EQ(vta_run(session, &error_), VTA_FAILED);
    const std::string first = StrCat("p: step 0 only (op 2): kernel k: ", rule);
    EXPECT_EQ(error_.message, first);
    const std::string dead = StrCat("p: session: is dead since ", first);
    EXPECT_EQ(vta_set_input(session, 0, &input, sizeof input, &error_), VTA_FAILED);
    EXPECT_EQ(error_.message, dead);
    EXPECT_EQ(vta_run(session, &error_), VTA_FAILED);
    EXPECT_EQ(error_.message, dead);
    EXPECT_EQ(vta_get_output(session, 0, range, sizeof range, &error_), VTA_FAILED);
    EXPECT_EQ(error_.message, dead);
    vta_session_free(session);
  }
}

TEST_F(CInterface, RefusesALimitThatIsNone) {
  model_ = Load(AddFive(), &error_);
  for (const int64_t limit : {int64_t{-1}, int64_t{1'000'000'001}}) {
    EXPECT_EQ(vta_session_create_guarded(model_, VTA_FUNCTIONAL, 1, limit, &session_, &error_),
              VTA_WRONG_ARGUMENT);
    EXPECT_EQ(error_.message, StrCat("kernel_limit_ms = ", limit, ": must be 0 to 1000000000"));
    EXPECT_EQ(session_, nullptr);
  }
}

TEST_F(CInterface, SaysWhatAModelTakesAndGives) {
  Open(AddFive(), VTA_FUNCTIONAL);
  ASSERT_EQ(vta_model_inputs(model_), 1u);
  ASSERT_EQ(vta_model_outputs(model_), 1u);
  vta_tensor tensor;
  ASSERT_EQ(vta_model_input(model_, 0, &tensor, nullptr), VTA_OK);
  EXPECT_STREQ(tensor.name, "x");
  EXPECT_EQ(tensor.type, VTA_INT8);
  ASSERT_EQ(tensor.rank, 2u);
  EXPECT_EQ(tensor.shape[0], 2);
  EXPECT_EQ(tensor.shape[1], 4);
  EXPECT_EQ(tensor.bytes, 8u);
  ASSERT_EQ(vta_model_output(model_, 0, &tensor, nullptr), VTA_OK);
  EXPECT_STREQ(tensor.name, "m");
  size_t index = 9;
  EXPECT_EQ(vta_model_input_index(model_, "x", &index, nullptr), VTA_OK);
  EXPECT_EQ(index, 0u);
  index = 9;
  EXPECT_EQ(vta_model_output_index(model_, "m", &index, nullptr), VTA_OK);
  EXPECT_EQ(index, 0u);
  vta_memory memory;
  ASSERT_EQ(vta_model_memory(model_, 1, &memory, nullptr), VTA_OK);
  EXPECT_EQ(memory.code, 96);
  EXPECT_EQ(memory.peak, memory.activations + memory.constants + memory.workspace + 96);
}

TEST_F(CInterface, SaysWhatIsWrong) {
  Open(AddFive(), VTA_FUNCTIONAL);
  uint8_t bytes[8] = {};
  vta_tensor tensor;
  size_t index = 0;
  vta_memory memory;
  const auto wrong = [&](vta_status status) {
    EXPECT_EQ(status, VTA_WRONG_ARGUMENT);
    return std::string(error_.message);
  };
  const auto failed = [&](vta_status status) {
    EXPECT_EQ(status, VTA_FAILED);
    return std::string(error_.message);
  };
  EXPECT_EQ(wrong(vta_set_input(session_, 1, bytes, 8, &error_)), "p: input = 1: the model has 1");
  EXPECT_EQ(wrong(vta_set_input(session_, 0, bytes, 7, &error_)),
            "p: input x = 7 bytes: must be 8 bytes of int8");
  EXPECT_EQ(wrong(vta_set_input(session_, 0, nullptr, 8, &error_)),
            "vta_set_input: bytes = NULL: must be given");
  EXPECT_EQ(wrong(vta_set_input(nullptr, 0, bytes, 8, &error_)),
            "vta_set_input: session = NULL: must be given");
  EXPECT_EQ(failed(vta_run(session_, &error_)), "p: input x: was not set since the last run");
  EXPECT_EQ(wrong(vta_run(nullptr, &error_)), "vta_run: session = NULL: must be given");
  EXPECT_EQ(failed(vta_get_output(session_, 0, bytes, 8, &error_)),
            "p: output m: no run has made it");
  EXPECT_EQ(wrong(vta_get_output(session_, 0, bytes, 9, &error_)),
            "p: output m = 9 bytes: must be 8 bytes of int8");
  EXPECT_EQ(wrong(vta_model_input(model_, 3, &tensor, &error_)), "p: input = 3: the model has 1");
  EXPECT_EQ(wrong(vta_model_output(model_, 3, &tensor, &error_)), "p: output = 3: the model has 1");
  EXPECT_EQ(wrong(vta_model_input_index(model_, "y", &index, &error_)),
            "p: input = y: the model has x");
  EXPECT_EQ(wrong(vta_model_output_index(model_, "y", &index, &error_)),
            "p: output = y: the model has m");
  EXPECT_EQ(wrong(vta_model_memory(model_, -1, &memory, &error_)),
            "threads = -1: must be 0 to 1024");
  // Nobody has to ask why.
  EXPECT_EQ(vta_run(session_, nullptr), VTA_FAILED);
}

TEST_F(CInterface, MakesNothingOfWhatItRefuses) {
  model_ = Load(AddFive(), &error_);
  vta_session* session = session_;
  const auto refused = [&](const char* device, int64_t threads) {
    session = reinterpret_cast<vta_session*>(&error_);
    EXPECT_NE(vta_session_create(model_, device, threads, &session, &error_), VTA_OK);
    EXPECT_EQ(session, nullptr);
    return std::string(error_.message);
  };
  EXPECT_EQ(refused(nullptr, 0), "p: config = small: its programs need a device, and none is");
  EXPECT_EQ(refused("cycle", 0), "p: device = cycle: must be one of " + EngineList());
  EXPECT_EQ(refused("serial:", 0), "p: device = serial:: must be serial:DEVICE[@BAUD]");
  EXPECT_EQ(refused(VTA_FUNCTIONAL, 1025), "threads = 1025: must be 0 to 1024");
  vta_model* model = model_;
  EXPECT_EQ(vta_model_load("none.vta", &model, &error_), VTA_FAILED);
  EXPECT_EQ(model, nullptr);
  EXPECT_TRUE(std::string_view(error_.message).starts_with("none.vta: ")) << error_.message;
  std::vector<uint8_t> bytes = isa::SerializePackage(AddFive());
  bytes.back() ^= 1;
  EXPECT_EQ(vta_model_load_bytes(bytes.data(), bytes.size(), "p", &model, &error_), VTA_FAILED);
  EXPECT_NE(std::string_view(error_.message).find("the file is damaged"), std::string::npos);
  EXPECT_EQ(vta_model_load_bytes(bytes.data(), bytes.size(), nullptr, &model, &error_),
            VTA_WRONG_ARGUMENT);
  EXPECT_EQ(vta_model_load(nullptr, &model, &error_), VTA_WRONG_ARGUMENT);
  const std::string name(5000, 'n');
  EXPECT_EQ(vta_model_load_bytes(bytes.data(), 3, name.c_str(), &model, &error_), VTA_FAILED);
  EXPECT_EQ(std::strlen(error_.message), sizeof error_.message - 1);
}

TEST_F(CInterface, SessionsOutliveTheirModelAndShareIt) {
  Open(AddFive(), VTA_FUNCTIONAL);
  std::vector<vta_session*> sessions(4);
  for (vta_session*& session : sessions)
    ASSERT_EQ(vta_session_create(model_, VTA_FUNCTIONAL, 1, &session, &error_), VTA_OK);
  vta_model_free(std::exchange(model_, nullptr));
  std::vector<std::thread> threads;
  for (size_t s = 0; s < sessions.size(); ++s)
    threads.emplace_back([session = sessions[s], start = static_cast<uint8_t>(16 * s)] {
      for (uint8_t i = 0; i < 100; ++i) {
        const uint8_t value = start + i % 16;
        const std::vector<uint8_t> input(8, value);
        std::vector<uint8_t> output(8);
        EXPECT_EQ(vta_set_input(session, 0, input.data(), 8, nullptr), VTA_OK);
        EXPECT_EQ(vta_run(session, nullptr), VTA_OK);
        EXPECT_EQ(vta_get_output(session, 0, output.data(), 8, nullptr), VTA_OK);
        EXPECT_EQ(output, std::vector<uint8_t>(8, value + 5));
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (vta_session* session : sessions) vta_session_free(session);
}

}  // namespace
}  // namespace vta::runtime
