// Matrix products on one core of the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/lower/cpu.h"
#include "isa/support/json.h"
#include "tools/vta/common/cpu/peak.h"

namespace vta::tools {

/// What --product names: MxKxN, with ",int8" of int8, and with ",computed" of a right side that is
/// no constant.
struct Product {
  int64_t m = 0, k = 0, n = 0;
  bool is_int8 = false, is_computed = false;

  double macs() const {
    return static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  }
};

/// Errors: throws UsageError where the text is none, or names more than a machine has.
Product ParseProduct(const std::string& text);

struct MeasuredProduct {
  Product product;
  int64_t ns = 0;         // of a call, what it packs included
  double peak_gmacs = 0;  // 10^9 products a second that the core could sum up
};

/// The kernel as a package has it, called again and again on the last core that this process may
/// use.
MeasuredProduct Measured(const Product& product, const compiler::lower::CpuSpec& cpu,
                         const std::vector<CpuPeak>& peaks);

std::string ProductsText(const std::vector<MeasuredProduct>& products);
Json::Array ProductsJson(const std::vector<MeasuredProduct>& products);

}  // namespace vta::tools
