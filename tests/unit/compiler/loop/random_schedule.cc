#include "tests/unit/compiler/loop/random_schedule.h"

#include <algorithm>
#include <numeric>

#include "compiler/loop/analysis.h"
#include "compiler/loop/parser.h"
#include "compiler/te/te.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::loop {
namespace {

using te::Compute;
using te::Lower;
using te::Pad;
using te::Placeholder;
using te::ReduceAxis;
using te::ReduceMax;
using te::ReduceSum;
using te::Tensor;

Expr Wide(const Expr& e) { return Cast(DType::kInt32, e); }

Workload Matmul() {
  constexpr int kM = 13, kN = 10, kK = 11;
  Tensor a = Placeholder("a", {kM, kK}), b = Placeholder("b", {kN, kK});
  ReduceAxis k("k", kK);
  Tensor c = Compute("c", {{"i", kM}, {"j", kN}},
                     [&](Expr i, Expr j) { return ReduceSum(Wide(a(i, k)) * Wide(b(j, k)), {k}); });
  Tensor y =
      Compute("y", {{"i", kM}, {"j", kN}}, [&](Expr i, Expr j) { return Max(c(i, j) + 5, 0); });
  Workload w{"matmul",
             Lower("matmul", {a, b, y}),
             Random<int8_t>(kM * kK, 1),
             Random<int8_t>(kN * kK, 2),
             {}};
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) {
      int32_t sum = 5;
      for (int x = 0; x < kK; ++x) sum += w.a[i * kK + x] * w.b[j * kK + x];
      w.want.push_back(std::max(sum, 0));
    }
  return w;
}

/// Stride 2, dilation 2, padding 2 with the value 3; channels or (depthwise) one at a time.
Workload Convolution(bool depthwise) {
  constexpr int kC = 3, kH = 9, kW = 8, kO = 4, kK = 3, kOH = 5, kOW = 4;
  const int out = depthwise ? kC : kO;
  Tensor x = Placeholder("x", {kC, kH, kW});
  Tensor w = Placeholder(
      "w", depthwise ? std::vector<int64_t>{kC, kK, kK} : std::vector<int64_t>{kO, kC, kK, kK});
  Tensor p = Pad("p", x, {0, 2, 2}, {0, 2, 2}, 3);
  ReduceAxis c("c", kC), ky("ky", kK), kx("kx", kK);
  Tensor y = Compute("y", {{"o", out}, {"h", kOH}, {"w", kOW}}, [&](Expr o, Expr h, Expr v) {
    if (depthwise)
      return ReduceSum(
          Wide(p(o, h * 2 + ky.expr() * 2, v * 2 + kx.expr() * 2)) * Wide(w(o, ky, kx)), {ky, kx});
    return ReduceSum(
        Wide(p(c, h * 2 + ky.expr() * 2, v * 2 + kx.expr() * 2)) * Wide(w(o, c, ky, kx)),
        {c, ky, kx});
  });
  Workload r{depthwise ? "depthwise" : "conv",
             Lower("conv", {x, w, y}),
             Random<int8_t>(kC * kH * kW, 3),
             Random<int8_t>(depthwise ? kC * 9 : kO * kC * 9, 4),
             {}};
  for (int o = 0; o < out; ++o)
    for (int h = 0; h < kOH; ++h)
      for (int v = 0; v < kOW; ++v) {
        int32_t sum = 0;
        for (int ci = depthwise ? o : 0; ci < (depthwise ? o + 1 : kC); ++ci)
          for (int t = 0; t < 9; ++t) {
            const int row = h * 2 + t / 3 * 2 - 2, col = v * 2 + t % 3 * 2 - 2;
            const bool in = row >= 0 && row < kH && col >= 0 && col < kW;
            sum += (in ? r.a[(ci * kH + row) * kW + col] : 3) *
                   r.b[depthwise ? o * 9 + t : (o * kC + ci) * 9 + t];
          }
        r.want.push_back(sum);
      }
  return r;
}

Workload Pooling() {
  Tensor x = Placeholder("x", {2, 9, 7}), unused = Placeholder("unused", {1});
  ReduceAxis ky("ky", 3), kx("kx", 2);
  Tensor m = Compute("m", {{"c", 2}, {"h", 4}, {"w", 6}}, [&](Expr c, Expr h, Expr v) {
    return ReduceMax(x(c, h * 2 + ky, v + kx), {ky, kx});
  });
  Tensor y = Compute("y", {{"c", 2}, {"h", 4}, {"w", 6}},
                     [&](Expr c, Expr h, Expr v) { return Wide(m(c, h, v)); });
  Workload r{"pool", Lower("pool", {x, unused, y}), Random<int8_t>(126, 5), {0}, {}};
  for (int i = 0; i < 48; ++i) {
    int best = -128;
    for (int t = 0; t < 6; ++t)
      best = std::max<int>(best, r.a[(i / 24 * 9 + i / 6 % 4 * 2 + t / 2) * 7 + i % 6 + t % 2]);
    r.want.push_back(best);
  }
  return r;
}

Workload Chain() {
  Tensor a = Placeholder("a", {6, 35}), b = Placeholder("b", {35});
  const std::vector<te::Axis> axes = {{"i", 6}, {"j", 35}};
  Tensor s = Compute("s", axes, [&](Expr i, Expr j) { return Wide(a(i, j)) + Wide(b(j)); });
  Tensor t = Compute("t", axes, [&](Expr i, Expr j) { return Apply(Op::kShr, {s(i, j) * 3, 1}); });
  Tensor u = Compute("u", axes, [&](Expr i, Expr j) { return Min(Max(t(i, j), -50), 50); });
  Tensor y = Compute("y", axes, [&](Expr i, Expr j) { return u(i, j) * 2 + s(i, j); });
  Workload r{"chain", Lower("chain", {a, b, y}), Random<int8_t>(210, 6), Random<int8_t>(35, 7), {}};
  for (int i = 0; i < 210; ++i) {
    const int s0 = r.a[i] + r.b[i % 35];
    r.want.push_back(std::clamp((s0 * 3) >> 1, -50, 50) * 2 + s0);
  }
  return r;
}

/// The largest of a row and where it first is, in one block: the index is made from what was the
/// largest before.
Workload ArgMax() {
  Workload w{"argmax",
             Parse(R"(
func argmax(a: int8[9, 30], b: int8[30], y: int32[9]) {
  alloc s: int32[9, 30]
  alloc best: int32[9]
  alloc index: int32[9]
  for n in 9 { for k in 30 { block s(vn: 9 = n, vk: 30 = k) {
    s[vn, vk] = int32(a[vn, vk]) + int32(b[vk])
  } } }
  for n in 9 {
    for k in 30 { block best(vn: 9 = n, reduce vk: 30 = k) {
      init best[vn] = -1000i32
      init index[vn] = -1i32
      best[vn] = max(best[vn], s[vn, vk])
      index[vn] = select(best[vn] < s[vn, vk], int32(vk), index[vn])
    } }
    block y(vn: 9 = n) { y[vn] = best[vn] * 64i32 + index[vn] }
  }
})"),
             Random<int8_t>(270, 8, 0, 3),
             Random<int8_t>(30, 9, 0, 2),
             {}};
  for (int n = 0; n < 9; ++n) {
    int best = -1000, index = -1;
    for (int k = 0; k < 30; ++k)
      if (const int s = w.a[n * 30 + k] + w.b[k]; s > best) best = s, index = k;
    w.want.push_back(best * 64 + index);
  }
  return w;
}

/// Sums and sums of squares of columns in one block, which the last block exchanges.
Workload Moments() {
  Workload w{"moments",
             Parse(R"(
func moments(a: int8[11, 14], b: int8[14], y: int32[14]) {
  alloc x: int32[11, 14]
  alloc sum: int32[14]
  alloc squares: int32[14]
  for k in 11 { for j in 14 { block x(vk: 11 = k, vj: 14 = j) { x[vk, vj] = int32(a[vk, vj]) } } }
  for j in 14 {
    for k in 11 { block sum(vj: 14 = j, reduce vk: 11 = k) {
      init squares[vj] = 0i32
      init sum[vj] = int32(b[vj])
      sum[vj] = sum[vj] + x[vk, vj]
      squares[vj] = squares[vj] + x[vk, vj] * x[vk, vj]
    } }
    block swap(vj: 14 = j) {
      sum[vj] = squares[vj]
      squares[vj] = sum[vj]
    }
    block y(vj: 14 = j) { y[vj] = sum[vj] * 2i32 - squares[vj] }
  }
})"),
             Random<int8_t>(154, 10),
             Random<int8_t>(14, 11),
             {}};
  for (int j = 0; j < 14; ++j) {
    int sum = w.b[j], squares = 0;
    for (int k = 0; k < 11; ++k)
      sum += w.a[k * 14 + j], squares += w.a[k * 14 + j] * w.a[k * 14 + j];
    w.want.push_back(squares * 2 - sum);
  }
  return w;
}

/// Sums that start as twice another tensor, into which they may go.
Workload Joined() {
  Workload w{"joined",
             Parse(R"(
func joined(a: int8[12, 10], b: int8[12], y: int32[12]) {
  alloc twice: int32[12]
  alloc sum: int32[12]
  for n in 12 { block twice(vn: 12 = n) { twice[vn] = int32(b[vn]) * 2i32 } }
  for n in 12 { for k in 10 { block sum(vn: 12 = n, reduce vk: 10 = k) {
    init sum[vn] = twice[vn]
    sum[vn] = sum[vn] + int32(a[vn, vk])
  } } }
  for n in 12 { block y(vn: 12 = n) { y[vn] = sum[vn] + 1i32 } }
})"),
             Random<int8_t>(120, 12),
             Random<int8_t>(12, 13),
             {}};
  for (int n = 0; n < 12; ++n) {
    int sum = 2 * w.b[n] + 1;
    for (int k = 0; k < 10; ++k) sum += w.a[n * 10 + k];
    w.want.push_back(sum);
  }
  return w;
}

/// A tensor of which only the first lines change, which may happen in it.
Workload Bordered() {
  Workload w{"bordered",
             Parse(R"(
func bordered(a: int8[12, 10], b: int8[10], y: int32[12, 10]) {
  alloc twice: int32[12, 10]
  alloc edge: int32[12, 10]
  for n in 12 { for k in 10 { block twice(vn: 12 = n, vk: 10 = k) {
    twice[vn, vk] = int32(a[vn, vk]) * 2i32
  } } }
  for n in 12 { for k in 10 { block edge(vn: 12 = n, vk: 10 = k) {
    edge[vn, vk] = select(vn < 3 && 1 <= vk, twice[vn, vk] + int32(b[vk]), twice[vn, vk])
  } } }
  for n in 12 { for k in 10 { block y(vn: 12 = n, vk: 10 = k) {
    y[vn, vk] = edge[vn, vk] + 1i32
  } } }
})"),
             Random<int8_t>(120, 14),
             Random<int8_t>(10, 15),
             {}};
  for (int n = 0; n < 12; ++n)
    for (int k = 0; k < 10; ++k)
      w.want.push_back(2 * w.a[n * 10 + k] + (n < 3 && k >= 1 ? w.b[k] : 0) + 1);
  return w;
}

/// Strides that mostly fit: some order of the dimensions, with or without gaps.
Step Strided(const Function& f, const std::string& name, std::mt19937& rng) {
  const std::vector<Buffer> buffers = Buffers(f);
  const std::vector<int64_t> shape =
      (*std::find_if(buffers.begin(), buffers.end(), [&](const Buffer& b) {
        return b->name == name;
      }))->shape;
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), rng);
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (const size_t d : order) {
    strides[d] = stride += static_cast<int64_t>(rng() % 3);
    stride = stride * shape[d] - static_cast<int64_t>(rng() % 8 == 0);
  }
  Step step{"set_stride", {name}};
  for (const int64_t s : strides) step.args.push_back(std::to_string(std::max<int64_t>(s, 1)));
  return step;
}

/// Dimensions in a random order, some of them divided.
Step LaidOut(const Function& f, const std::string& name, std::mt19937& rng) {
  const std::vector<Buffer> buffers = Buffers(f);
  const size_t rank =
      (*std::ranges::find(buffers, name, [](const Buffer& b) { return b->name; }))->shape.size();
  Step step{"transform_layout", {}};
  for (size_t d = 0; d < rank; ++d) {
    const std::string dim = std::to_string(d), factor = std::to_string(1 + rng() % 4);
    if (rng() % 3) {
      step.args.push_back(dim);
    } else {
      step.args.push_back(dim + "/" + factor);
      step.args.push_back(dim + "%" + factor);
    }
  }
  std::shuffle(step.args.begin(), step.args.end(), rng);
  step.args.insert(step.args.begin(), name);
  return step;
}

/// A random step that names things which exist; most are refused.
Step RandomStep(const Function& f, std::mt19937& rng) {
  auto pick = [&](const auto& list) { return list[rng() % list.size()]; };
  const std::vector<Site> sites = Sites(f.body);
  const Site site = pick(sites), other = pick(sites);
  const std::string block = site.block->name;
  auto loop_of = [&](const Site& s) {
    return s.loops.empty() ? std::string("none") : As<For>(pick(s.loops))->var->name;
  };
  const std::string loop = loop_of(site), second = loop_of(site);
  // Mostly a buffer that the block uses.
  const std::string buffer =
      rng() % 4 ? pick(Accesses(*site.block)).buffer->name : pick(Buffers(f))->name;
  const std::string factor = std::to_string(1 + rng() % 6);
  auto next = [&] {  // the loop directly inside, as fuse and tile want
    for (size_t i = 0; i + 1 < site.loops.size(); ++i)
      if (As<For>(site.loops[i])->var->name == loop) return As<For>(site.loops[i + 1])->var->name;
    return second;
  };
  switch (rng() % 29) {
    case 0:
    case 1:
      return {"split", {block, loop, factor}};
    case 2:
      return {"split_parts", {block, loop, factor}};
    case 3:
      return {"fuse", {block, loop, next()}};
    case 4:
    case 5:
      return {"reorder", {block, loop, second}};
    case 6:
      return {"tile", {block, loop, next(), factor, std::to_string(1 + rng() % 4)}};
    case 7:
      return {"unroll", {block, loop}};
    case 8:
      return {"cache_read", {block, buffer, "inp"}};
    case 9:
      return {"cache_write", {block, "acc"}};
    case 10:
    case 11:
    case 12:
    case 13:
      return {"compute_at", {block, other.block->name, loop_of(other)}};
    case 14:
      return {"compute_inline", {block}};
    case 15:
      return rng() % 2 ? Step{"inplace", {block, buffer}} : Step{"set_scope", {buffer, "local"}};
    case 16:
      return rng() % 3 ? Step{"pad", {block, buffer}} : Step{"virtual_thread", {block, loop}};
    case 17:
      return {"vectorize", {block, loop}};
    case 18:
    case 19:
      return {"parallel", {block, loop}};
    case 20:
      return Strided(f, buffer, rng);
    case 21:
      return LaidOut(f, buffer, rng);
    case 22:
    case 23:
      return {"rfactor", {block, loop}};
    case 24:
    case 25:
      return {"reverse_compute_at", {block, other.block->name, loop_of(other)}};
    case 26:
      return {"double_buffer", {buffer, loop}};
    case 27:
      return {"storage_align",
              {buffer, std::to_string(rng() % 3), factor, std::to_string(rng() % 3)}};
    default:
      return rng() % 3 ? Step{"decompose_reduction", {block, loop}}
                       : Step{"annotate", {block, loop, "hint", factor}};
  }
}

}  // namespace

std::vector<Workload> Workloads() {
  return {Matmul(), Convolution(false), Convolution(true), Pooling(), Chain(),
          ArgMax(), Moments(),          Joined(),          Bordered()};
}

Schedule RandomSchedule(const Function& function, uint32_t seed) {
  std::mt19937 rng(seed);
  Schedule schedule(function);
  for (int tries = 0; tries < 40 && schedule.trace().size() < 14; ++tries) {
    const Step step = RandomStep(schedule.function(), rng);
    try {
      schedule.Apply(step);
    } catch (const Error&) {
    }
  }
  return schedule;
}

}  // namespace vta::compiler::loop
