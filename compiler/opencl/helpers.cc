#include "compiler/opencl/helpers.h"

#include <iterator>
#include <string_view>

#include "isa/support/error.h"

namespace vta::compiler::opencl {
namespace {

struct Helper {
  std::string_view name;   // with _T behind it where there is one for each of several types
  std::string_view types;  // with a space behind each
  std::string_view needs;
  std::string_view text;  // T and U stand for a type and its unsigned one
};

constexpr std::string_view kVectors = "float2 float4 float8 float16 ";

// Behind what they need.
constexpr Helper kHelpers[] = {
    {"min_T", "int long float ", "", "static T vta_min_T(T a, T b) { return b < a ? b : a; }\n"},
    {"min_T", kVectors, "", "static T vta_min_T(T a, T b) { return select(a, b, b < a); }\n"},
    {"max_T", "int long float ", "", "static T vta_max_T(T a, T b) { return a < b ? b : a; }\n"},
    {"max_T", kVectors, "", "static T vta_max_T(T a, T b) { return select(a, b, a < b); }\n"},
    {"abs_T", "int long ", "", "static T vta_abs_T(T a) { return a < 0 ? (T)(0 - (U)a) : a; }\n"},
    {"abs_T", "float ", "", "static T vta_abs_T(T a) { return a < 0 ? 0 - a : a; }\n"},
    {"abs_T", kVectors, "", "static T vta_abs_T(T a) { return select(a, 0 - a, a < 0); }\n"},
    {"floor_div_T", "int long ", "", R"(static T vta_floor_div_T(T a, T b) {
  if (b == 0) return 0;
  if (b == -1) return (T)(0 - (U)a);
  return a / b - (T)(a % b != 0 && (a ^ b) < 0);
}
)"},
    {"floor_mod_T", "int long ", "", R"(static T vta_floor_mod_T(T a, T b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  const T rest = a % b;
  return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}
)"},
    {"mul_add_T", "float float2 float4 float8 float16 ", "",
     R"(static T vta_mul_add_T(T a, T b, T c) {
#pragma OPENCL FP_CONTRACT ON
  return a * b + c;
}
)"},
    {"shift_right", "", "", R"(static int vta_shift_right(int a, int n) {
  if (n >= 0) return a >> (n < 31 ? n : 31);
  return n > -32 ? (int)((uint)a << -n) : 0;
}
)"},
    {"rescale_single", "", "",
     R"(static long vta_rescale_single(int value, int multiplier, int exponent) {
  const int shift = 31 - clamp(exponent, -31, 30);
  return ((long)value * multiplier + (1L << (shift - 1))) >> shift;
}
)"},
    {"rescale_double", "", "",
     R"(static long vta_rescale_double(int value, int multiplier, int exponent) {
  const int left = clamp(exponent, 0, 30), right = clamp(-exponent, 0, 31);
  const int shifted = (int)((uint)value << left);
  const long high = min(((long)shifted * multiplier + (1L << 30)) >> 31, 2147483647L);
  const long mask = (1L << right) - 1;
  const long threshold = (mask >> 1) + (high < 0 ? 1 : 0);
  return (high >> right) + ((high & mask) > threshold ? 1 : 0);
}
)"},
    {"half_to_float", "", "", R"(static float vta_half_to_float(int a) {
  const uint all = (uint)(a & 0x7FFF), sign = (uint)(a & 0x8000) << 16, exponent = all >> 10;
  const uint number = exponent == 0 ? as_uint((float)all * 0x1p-24f)
                                    : (all << 13) + (exponent == 31 ? 224u << 23 : 112u << 23);
  return as_float(number | sign);
}
)"},
    {"float_to_half", "", "", R"(static short vta_float_to_half(float a) {
  const uint sign = as_uint(a) >> 16 & 0x8000u, size = as_uint(a) & 0x7FFFFFFFu;
  uint bits = (size - (112u << 23) + 0xFFFu + (size >> 13 & 1u)) >> 13;
  if (size < 0x38800000u) bits = (uint)rint(as_float(size) * 0x1p24f);
  if (size >= 0x477FE000u) bits = size > 0x7F800000u ? 0x7E00u : 0x7BFFu;
  return (short)(ushort)(sign | bits);
}
)"},
    {"gelu_T", "float float2 float4 float8 float16 ", "", R"(static T vta_gelu_T(T a) {
  return 0.5f * a * erfc(a * -0.70710678f);
}
)"},
    {"requant_single", "", "rescale_single", ""},
    {"requant_double", "", "rescale_double", ""},
};

/// The sum and what follows it, which is the same whatever the rounding.
constexpr std::string_view kRequant =
    R"(static int vta_requant_R(int accumulator, int bias, int multiplier, int packed) {
  const int value = (int)((uint)accumulator + (uint)bias);
  const long moved =
      vta_rescale_R(value, multiplier, (int)(char)packed) + (long)(char)(packed >> 8);
  return (int)clamp(moved, (long)(char)(packed >> 16), (long)(char)(packed >> 24));
}
)";

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Types are words of their own, or parts of a name behind '_'.
std::string OfType(std::string_view text, std::string_view type) {
  std::string out = Replaced(std::string(text), "_T", StrCat("_", type));
  for (const char* before : {"(", " "})
    for (const char* behind : {" ", ")"}) {
      out = Replaced(out, StrCat(before, "T", behind), StrCat(before, type, behind));
      out = Replaced(out, StrCat(before, "U", behind), StrCat(before, "u", type, behind));
    }
  return out;
}

}  // namespace

std::string TextOf(const std::set<std::string>& helpers) {
  std::set<std::string> wanted = helpers;
  for (const Helper& helper : kHelpers)
    if (!helper.needs.empty() && wanted.contains(std::string(helper.name)))
      wanted.emplace(helper.needs);
  std::string text;
  for (const Helper& helper : kHelpers) {
    std::string_view types = helper.types;
    if (types.empty() && wanted.erase(std::string(helper.name)) > 0)
      text += !helper.text.empty() ? std::string(helper.text)
                                   : Replaced(std::string(kRequant), "_R",
                                              helper.needs.substr(helper.needs.find('_')));
    while (!types.empty()) {
      const std::string_view type = types.substr(0, types.find(' '));
      types.remove_prefix(type.size() + 1);
      if (wanted.erase(Replaced(std::string(helper.name), "_T", StrCat("_", type))) > 0)
        text += OfType(helper.text, type);
    }
  }
  VTA_CHECK(wanted.empty(), "no helper ", wanted.empty() ? "" : *wanted.begin());
  return text;
}

}  // namespace vta::compiler::opencl
