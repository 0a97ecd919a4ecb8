// Who touched a row last: for each row of a memory the number of the last instruction of one module
// that did. The instructions of a module run in order, so the last one speaks for all before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/check/rows.h"

namespace vta::isa {

class Stamps {
 public:
  explicit Stamps(int64_t rows) : stamps_(rows) {}

  /// `number` counts the module's instructions from 1; 0 means never touched.
  void Mark(std::span<const RowRun> runs, uint32_t number) {
    for (const RowRun& run : runs) {
      uint32_t *from = &stamps_[run.begin], *to = from + (run.end - run.begin);
      for (; to - from >= kBlock; from += kBlock) std::fill_n(from, kBlock, number);
      std::fill(from, to, number);
    }
  }

  struct Found {
    uint32_t number = 0;
    RowRun rows;  // the first stretch that is wrong
  };
  /// The first rows whose stamp lies outside [low, high).
  std::optional<Found> FirstOutside(std::span<const RowRun> runs, uint32_t low,
                                    uint32_t high) const {
    // One comparison a row: a stamp below low wraps.
    auto wrong = [low, width = high - low](uint32_t stamp) { return stamp - low >= width; };
    for (const RowRun& run : runs) {
      const uint32_t *const begin = &stamps_[run.begin], *const end = begin + (run.end - run.begin);
      const uint32_t* at = begin;
      uint32_t any = 0;
      for (; end - at >= kBlock; at += kBlock)
        for (int i = 0; i < kBlock; ++i) any |= uint32_t{wrong(at[i])};
      if (!any && std::none_of(at, end, wrong)) [[likely]]
        continue;
      const uint32_t* const first = std::find_if(begin, end, wrong);
      const uint32_t* const last =
          std::find_if(first, end, [&](uint32_t s) { return s != *first; });
      return Found{*first,
                   {static_cast<int32_t>(first - stamps_.data()),
                    static_cast<int32_t>(last - stamps_.data())}};
    }
    return std::nullopt;
  }

 private:
  // Fixed trip counts let the compiler handle a block at once.
  static constexpr int kBlock = 16;

  std::vector<uint32_t> stamps_;
};

}  // namespace vta::isa
