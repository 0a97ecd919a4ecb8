// Code of GPUs that is kept, and a module of NVIDIA's that is made once, with a driver that is
// none.
#include "driver/code_cache.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <utility>

#include "driver/cuda/module.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"

namespace vta::driver {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

const Bytes kModule = {1, 2, 3}, kCode = {7, 8, 9};

class CodeCacheTest : public testing::Test {
 protected:
  std::string File() const { return fs::directory_iterator(folder_)->path(); }

  const Temporary owner_{NewTemporaryFolder("vta-code-cache")};
  const std::string folder_ = owner_.path() + "/made/here";
};

TEST_F(CodeCacheTest, GivesWhatWasKeptOfTheSameModuleByTheSameDriver) {
  const CodeCache cache(folder_, "driver 1");
  EXPECT_EQ(cache.Find(kModule), std::nullopt);
  cache.Keep(kModule, kCode);
  EXPECT_EQ(cache.Find(kModule), kCode);
  EXPECT_EQ(CodeCache(folder_, "driver 1").Find(kModule), kCode);
  EXPECT_EQ(CodeCache(folder_, "driver 2").Find(kModule), std::nullopt);
  EXPECT_EQ(cache.Find(Bytes{1, 2}), std::nullopt);
  cache.Keep(kModule, Bytes{5});
  EXPECT_EQ(cache.Find(kModule), Bytes{5});
}

TEST_F(CodeCacheTest, WhatIsDamagedIsNotThere) {
  const CodeCache cache(folder_, "driver");
  cache.Keep(kModule, kCode);
  const Bytes whole = ReadFile(File());
  for (size_t i = 0; i < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= 1;
    WriteFileAtomically(File(), damaged);
    ASSERT_EQ(cache.Find(kModule), std::nullopt) << i;
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    WriteFileAtomically(File(), std::span(whole).first(size));
    ASSERT_EQ(cache.Find(kModule), std::nullopt) << size;
  }
  cache.Keep(kModule, kCode);
  EXPECT_EQ(cache.Find(kModule), kCode);
}

TEST_F(CodeCacheTest, WithoutAFolderNothingIsKept) {
  const CodeCache none("", "driver");
  none.Keep(kModule, kCode);
  EXPECT_EQ(none.Find(kModule), std::nullopt);
  WriteFileAtomically(owner_.path() + "/file", "no folder");
  const CodeCache blocked(owner_.path() + "/file", "driver");
  blocked.Keep(kModule, kCode);
  EXPECT_EQ(blocked.Find(kModule), std::nullopt);
}

/// Its code is the text with a word before it.
namespace fake {

constexpr char kWord[] = "code of ";
int links = 0, loads = 0;
bool refuses_text = false, refuses_code = false;
std::string made;
char* log = nullptr;

cuda::Api Driver() {
  cuda::Api api{};
  api.GetErrorString = [](cuda::Result, const char** text) {
    *text = "it is bad";
    return cuda::kSuccess;
  };
  api.LinkCreate = [](unsigned options, int* names, void** values, cuda::LinkState* state) {
    EXPECT_EQ(options, 2);
    EXPECT_EQ(names[0], cuda::kErrorLog);
    log = static_cast<char*>(values[0]);
    *state = reinterpret_cast<cuda::LinkState>(&made);
    return cuda::kSuccess;
  };
  api.LinkAddData = [](cuda::LinkState, int kind, void* data, size_t bytes, const char*, unsigned,
                       int*, void**) {
    EXPECT_EQ(kind, cuda::kPtxInput);
    EXPECT_EQ(static_cast<const char*>(data)[bytes - 1], '\0');
    made = std::string(kWord) + static_cast<const char*>(data);
    if (refuses_text) std::strcpy(log, "line 1 is bad\nline 2 too");
    return refuses_text ? 1 : cuda::kSuccess;
  };
  api.LinkComplete = [](cuda::LinkState, void** image, size_t* bytes) {
    *image = made.data(), *bytes = made.size();
    ++links;
    return cuda::kSuccess;
  };
  api.LinkDestroy = [](cuda::LinkState) {
    made.clear();
    return cuda::kSuccess;
  };
  api.ModuleLoadDataEx = [](cuda::Module* module, const void* image, unsigned, int*, void**) {
    ++loads;
    *module = reinterpret_cast<cuda::Module>(&loads);
    const bool is_code = std::memcmp(image, kWord, sizeof(kWord) - 1) == 0;
    return is_code && !std::exchange(refuses_code, false) ? cuda::kSuccess : 1;
  };
  api.ModuleUnload = [](cuda::Module) { return cuda::kSuccess; };
  api.ModuleGetFunction = [](cuda::Function*, cuda::Module, const char* name) {
    return std::string_view(name) == "k" ? cuda::kSuccess : 1;
  };
  api.FuncSetAttribute = [](cuda::Function, int attribute, int value) {
    EXPECT_EQ(attribute, cuda::kMostDynamicSharedBytes);
    return value <= 65536 ? cuda::kSuccess : 1;
  };
  return api;
}

}  // namespace fake

TEST_F(CodeCacheTest, AModuleIsMadeOnce) {
  const cuda::Api api = fake::Driver();
  const CodeCache cache(folder_, "CUDA 1, sm_90");
  std::vector<isa::PackageKernel> kernels = {{"k", 1, 0, {}, 32}, {"of_a_cpu"}};
  isa::PackageModule module{"ptx", "nvptx64", {"sm_70"}, {'p', 't', 'x'}};
  const auto load = [&] { return cuda::LoadModule(api, nullptr, cache, kernels, module, "p"); };
  EXPECT_FALSE(load()->is_from_cache());
  EXPECT_TRUE(load()->is_from_cache());
  EXPECT_TRUE(load()->is_from_cache());
  EXPECT_EQ(fake::links, 1);
  EXPECT_EQ(fake::loads, 3);
  // What the driver does not take any more is made anew.
  fake::refuses_code = true;
  EXPECT_FALSE(load()->is_from_cache());
  EXPECT_EQ(fake::links, 2);
  kernels[0].name = "other";
  EXPECT_EQ(ErrorOf([&] { load(); }), "p: kernel = other: is not there: it is bad");
  kernels[0].name = "k";
  kernels[0].shared_bytes = 65536;
  EXPECT_TRUE(load()->is_from_cache());
  kernels[0].shared_bytes = 65540;
  EXPECT_EQ(
      ErrorOf([&] { load(); }),
      "p: kernel k: shared memory = 65540 bytes: is more than the GPU gives a block: it is bad");
  kernels[0].shared_bytes = 0;
  module.code.push_back('!');
  fake::refuses_text = true;
  EXPECT_EQ(ErrorOf([&] { load(); }),
            "p: code: the driver does not take it: it is bad: line 1 is bad");
  fake::refuses_text = false;
  EXPECT_FALSE(load()->is_from_cache());
}

}  // namespace
}  // namespace vta::driver
