// Accesses of registers, on memory: as it is, and where the kernel has nothing to give and sends a
// real SIGBUS.
#include "driver/uio/bus_access.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

namespace vta::driver::uio {
namespace {

// A page of a file that has none: it can be mapped, and nothing answers.
class NothingThere {
 public:
  NothingThere()
      : file_(std::tmpfile()),
        page_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file_), 0)) {}
  ~NothingThere() {
    munmap(page_, kBytes);
    std::fclose(file_);
  }
  volatile uint32_t* word() const { return static_cast<volatile uint32_t*>(page_); }

 private:
  static constexpr size_t kBytes = 4096;
  std::FILE* file_;
  void* page_;
};

TEST(BusAccess, LoadsAndStoresOneWord) {
  uint32_t words[3] = {1, 2, 3};
  EXPECT_EQ(LoadRegister(&words[1]), 2u);
  EXPECT_TRUE(StoreRegister(&words[1], 0x89abcdef));
  EXPECT_EQ(words[0], 1u);
  EXPECT_EQ(words[1], 0x89abcdefu);
  EXPECT_EQ(words[2], 3u);
}

TEST(BusAccess, ABusErrorIsAnAnswerOfItsOwn) {
  const NothingThere nothing;
  const BusErrors errors;
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(LoadRegister(nothing.word()), std::nullopt);
    EXPECT_FALSE(StoreRegister(nothing.word(), 1));
  }
  std::thread([&] { EXPECT_EQ(LoadRegister(nothing.word()), std::nullopt); }).join();
  uint32_t word = 7;
  EXPECT_EQ(LoadRegister(&word), 7u);
}

TEST(BusAccess, WhatIsNoAccessOfOursEndsTheProcessAsEver) {
  const NothingThere nothing;
  const auto touch = [&] { *nothing.word() = 1; };
  EXPECT_DEATH(
      {
        const BusErrors errors;
        touch();
      },
      "");
  EXPECT_DEATH(
      {
        { const BusErrors errors; }
        LoadRegister(nothing.word());
      },
      "");
}

}  // namespace
}  // namespace vta::driver::uio
