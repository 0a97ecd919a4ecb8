// The dot products of CPUs as intrinsics: the text of a schedule that uses them, and refusals.
#include "compiler/targets/cpu/intrinsics.h"

#include <gmock/gmock.h>

#include "compiler/loop/parser.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/cpu/dot_product.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using testing::HasSubstr;

TEST(DotIntrinsics, TextOfASchedule) {
  for (const DotRow& row : kDots) {
    loop::Schedule s = DotSchedule(row);
    s.Do("decompose_reduction", "s", "g");
    const std::string text = Print(s.function()), name(row.name), group = StrCat(row.group);
    EXPECT_THAT(text, HasSubstr(R"(
  for m in 5 {
    for b in 2 {
      block s_init(vm: 5 = m, vb: 2 = b) {
        call )" + name + R"(.reset(s[vm, vb, 0 : 16])
      }
    }
  }
  for g in 3 {
    for m in 5 {
      for b in 2 {
        block s(vm: 5 = m, vb: 2 = b, reduce vg: 3 = g) {
          call )" + name + R"(.update(s[vm, vb, 0 : 16], x[vm, vg, 0 : )" +
                                group + (row.by_lane ? ", 0 : 16" : "") +
                                R"(], w[vb, vg, 0 : 16, 0 : )" + group + R"(])
        }
      }
    }
  }
)"));
    EXPECT_EQ(Print(loop::Parse(text, DotIntrinsics())), text);
  }
}

TEST(DotIntrinsics, WholeSumsAreOneCall) {
  loop::Schedule s(DotProducts(DType::kUint8, DType::kInt8, 4), DotIntrinsics());
  s.Replay("split s g 1\nreorder s m b gi go o i");
  EXPECT_NO_THROW(s.Do("tensorize", "s", "o", "vpdpbusd"));
}

void ExpectRefused(const loop::Function& function, const std::string& steps, const char* name,
                   const std::string& message) {
  loop::Schedule s(function, DotIntrinsics());
  s.Replay(steps);
  try {
    s.Do("tensorize", "s", "o", name);
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(DotIntrinsics, RefuseWhatTheyDoNotCompute) {
  const std::string order = "reorder s g m b o i";
  ExpectRefused(DotProducts(DType::kInt8, DType::kInt8, 4), order, "vpdpbusd",
                "tensorize s o vpdpbusd: intrinsic vpdpbusd: operand x: type of x = int8: "
                "must be uint8");
  ExpectRefused(DotProducts(DType::kUint8, DType::kInt8, 4), order, "sdot",
                "operand x: type of x = uint8: must be int8");
  ExpectRefused(DotProducts(DType::kInt16, DType::kInt8, 2), order, "vpdpwssd",
                "operand w: type of w = int8: must be int16");
  ExpectRefused(DotProducts(DType::kUint8, DType::kInt8, 2), order, "vpdpbusd",
                "loops = (o: 16, reduce i: 2): must be the intrinsic's (vo: 16, reduce vi: 4)");
  ExpectRefused(DotProducts(DType::kUint8, DType::kInt8, 4), order, "vpdpbusd_by_lane",
                "operand x");
  ExpectRefused(DotProducts(DType::kUint8, DType::kInt8, 4, true), order, "vpdpbusd", "operand x");
  ExpectRefused(DotProducts(DType::kUint8, DType::kInt8, 4),
                "split s o 8\nreorder s g m b oo oi i\nsplit s oi 8\nfuse s oio oii", "vpdpbusd",
                "loop = o");
}

}  // namespace
}  // namespace vta::compiler::targets
