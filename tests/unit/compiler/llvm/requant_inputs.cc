#include "tests/unit/compiler/llvm/requant_inputs.h"

#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "compiler/loop/parser.h"
#include "isa/support/error.h"

namespace vta::compiler::llvm {

RequantInputs EdgesOfRequant() {
  std::mt19937 random(3);
  std::vector<int32_t> values = {INT32_MIN,
                                 INT32_MIN + 1,
                                 -(1 << 30),
                                 -(1 << 23),
                                 -129,
                                 -128,
                                 -3,
                                 -2,
                                 -1,
                                 0,
                                 1,
                                 2,
                                 3,
                                 127,
                                 128,
                                 1 << 23,
                                 1 << 30,
                                 INT32_MAX - (1 << 29),
                                 INT32_MAX - 1,
                                 INT32_MAX};
  std::vector<int32_t> multipliers = {INT32_MIN, INT32_MIN + 1, -(1 << 30),    -1,       0, 1,
                                      3,         1 << 30,       3 * (1 << 29), INT32_MAX};
  for (int i = 0; i < 3; ++i) {
    values.push_back(static_cast<int32_t>(random()));
    multipliers.push_back(static_cast<int32_t>(random()));
  }
  RequantInputs in;
  for (const int exponent : {-128, -32, -31, -30, -23, -8, -7, -1, 0, 1, 7, 29, 30, 31, 127})
    for (const auto& [zero, low, high] : {std::array{0, -128, 127},
                                          {127, -128, 127},
                                          {-128, -128, 127},
                                          {-5, -5, 100},
                                          {3, 100, -100}})
      for (const int32_t multiplier : multipliers) {
        std::vector<int32_t> all = values;
        // About the bounds that results can have.
        for (const int result : {-300, -256, -255, -128, -100, 100, 127, 128, 255, 256, 300}) {
          const double value = std::ldexp(result, 31 - exponent) / multiplier;
          if (std::abs(value) < INT32_MAX) all.push_back(static_cast<int32_t>(value));
        }
        for (const int32_t value : all) {
          isa::RequantLane lane;
          lane.exponent = static_cast<int8_t>(exponent);
          lane.zero_point = static_cast<int8_t>(zero);
          lane.low = static_cast<int8_t>(low);
          lane.high = static_cast<int8_t>(high);
          in.value.push_back(value);
          in.bias.push_back(random() % 8 ? 0 : static_cast<int32_t>(random()));
          in.multiplier.push_back(multiplier);
          in.packed.push_back(isa::PackRequant(lane));
        }
      }
  return in;
}

loop::Function RequantFunction(const RequantInputs& in, const std::string& name,
                               const std::string& kind) {
  const std::string n = StrCat(in.value.size()), size = "[" + n + "]";
  return loop::Parse("func " + name + "_k(a: int32" + size + ", b: int32" + size + ", m: int32" +
                     size + ", p: int32" + size + ", y: int32" + size + ") { for i in " + n + kind +
                     " { block y(v: " + n + " = i) { y[v] = " + name +
                     "(a[v], b[v], m[v], p[v]) } } }");
}

Arguments ArgumentsOf(const RequantInputs& in) {
  Arguments args;
  for (const std::vector<int32_t>* values :
       {&in.value, &in.bias, &in.multiplier, &in.packed, &in.value}) {
    const auto bytes = std::as_bytes(std::span(*values));
    args.emplace_back(bytes.begin(), bytes.end());
  }
  return args;
}

std::string FirstInexact(const RequantInputs& in, const std::vector<std::byte>& found,
                         isa::Rounding rounding) {
  for (size_t i = 0; i < in.value.size(); ++i) {
    int32_t got;
    std::memcpy(&got, &found[4 * i], sizeof got);
    const int32_t want = isa::Requant(
        in.value[i], isa::UnpackRequant(in.bias[i], in.multiplier[i], in.packed[i]), rounding);
    if (got != want)
      return StrCat(in.value[i], " + ", in.bias[i], " by ", in.multiplier[i], ", ", in.packed[i],
                    " = ", got, ", must be ", want);
  }
  return "";
}

}  // namespace vta::compiler::llvm
