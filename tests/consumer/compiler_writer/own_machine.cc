// Chapter 6: a machine of one's own, here a library of C functions. What runs on it is a walk over
// the loops, which calls them.
#include <functional>
#include <map>

#include "compiler/tensorize/intrinsic.h"
#include "compiler_writer/gemm8x8.h"
#include "compiler_writer/native.h"

using namespace vta::compiler;  // NOLINT: a program about it

namespace {

extern "C" void fill_zero(int32_t* z, int64_t stride) {
  for (int i = 0; i < 8; ++i) std::fill_n(z + i * stride, 8, 0);
}
extern "C" void fuse_gemm8x8_add(int32_t* z, int64_t z_stride, const int8_t* w, int64_t w_stride,
                                 const int8_t* x, int64_t x_stride) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 8; ++k) z[i * z_stride + j] += w[i * w_stride + k] * x[j * x_stride + k];
}

/// Where an operand begins, and how many elements its rows lie apart.
struct Operand {
  std::byte* data;
  int64_t stride;

  template <typename T>
  T* As() const {
    return reinterpret_cast<T*>(data);
  }
};

class Machine {
 public:
  using Operation = std::function<void(const std::vector<Operand>&)>;

  explicit Machine(std::map<std::string, Operation> operations)
      : operations_(std::move(operations)) {}

  /// The tensors of the function's parameters, in order.
  void Run(const loop::Function& function, const std::vector<void*>& tensors) {
    for (size_t i = 0; i < tensors.size(); ++i)
      memory_[function.params[i].get()] = static_cast<std::byte*>(tensors[i]);
    Walk(function.body, {});
  }

 private:
  static int64_t Value(const loop::Expr& expr, const loop::VarMap& values) {
    return Substitute(expr, values)->int_value;
  }

  void Walk(const loop::Stmt& stmt, loop::VarMap values) {
    if (const auto* loop = loop::As<loop::For>(stmt)) {
      values.emplace_back(loop->var, 0);
      for (int64_t i = 0; i < loop->extent; ++i) {
        values.back().second = i;
        Walk(loop->body, values);
      }
    } else if (const auto* seq = loop::As<loop::Seq>(stmt)) {
      for (const loop::Stmt& part : seq->stmts) Walk(part, values);
    } else if (const auto* block = loop::As<loop::Block>(stmt);
               block && !block->where && !block->init) {
      loop::VarMap inside = values;
      for (const loop::Iter& iter : block->iters)
        inside.emplace_back(iter.var, Value(iter.binding, values));
      Walk(block->body, inside);
    } else if (const auto* call = loop::As<loop::Call>(stmt)) {
      Apply(*call, values);
    } else {
      throw vta::Error("", "statement", loop::OneLine(stmt), "the machine has nothing for it");
    }
  }

  void Apply(const loop::Call& call, const loop::VarMap& values) {
    const tensorize::Lowering& lowering = call.intrinsic->lowering;
    const std::string& name =
        call.part == loop::CallPart::kReset ? lowering.reset : lowering.update;
    std::vector<Operand> operands;
    for (const loop::Region& region : call.operands) {
      std::vector<loop::Expr> at;
      for (const loop::Range& range : region.ranges) at.push_back(range.base);
      const int64_t first = Value(FlatIndex(region.buffer, at), values);
      operands.push_back({memory_.at(region.buffer.get()) + first * SizeBytes(region.buffer->dtype),
                          region.buffer->Stride(0)});
    }
    operations_.at(name)(operands);
  }

  std::map<std::string, Operation> operations_;
  std::map<const loop::BufferNode*, std::byte*> memory_;
};

}  // namespace

int main() {
  return Chapter([] {
    std::map<std::string, int> calls;
    Machine machine({
        {"fill_zero",
         [&](const std::vector<Operand>& z) {
           ++calls["fill_zero"];
           fill_zero(z[0].As<int32_t>(), z[0].stride);
         }},
        {"fuse_gemm8x8_add",
         [&](const std::vector<Operand>& o) {
           ++calls["fuse_gemm8x8_add"];
           fuse_gemm8x8_add(o[0].As<int32_t>(), o[0].stride, o[1].As<int8_t>(), o[1].stride,
                            o[2].As<int8_t>(), o[2].stride);
         }},
    });
    std::vector<int8_t> a = Random<int8_t>(kM * kK, 1), b = Random<int8_t>(kN * kK, 2);
    std::vector<int32_t> got(kM * kN, -1), want(kM * kN);
    for (int i = 0; i < kM; ++i)
      for (int j = 0; j < kN; ++j)
        for (int k = 0; k < kK; ++k) want[i * kN + j] += a[i * kK + k] * b[j * kK + k];
    machine.Run(TensorizedMatmul(), {a.data(), b.data(), got.data()});
    for (const auto& [name, count] : calls) std::cout << count << " calls of " << name << "\n";
    ExpectSame("own machine", got, want);
  });
}
