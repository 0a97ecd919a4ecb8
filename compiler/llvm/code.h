// Instructions of LLVM on scalars and vectors alike: where one operand is a vector, the other is
// spread over its lanes. The handles are those of LLVM's C API, whose headers stay in .cc files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/llvm/machine.h"

struct LLVMOpaqueBasicBlock;
struct LLVMOpaqueBuilder;
struct LLVMOpaqueContext;
struct LLVMOpaqueModule;
struct LLVMOpaqueType;
struct LLVMOpaqueValue;

namespace vta::compiler::llvm {

using Value = LLVMOpaqueValue*;
using Type = LLVMOpaqueType*;
using Place = LLVMOpaqueBasicBlock*;

enum class Cmp : uint8_t { kEq, kNe, kSlt, kSle, kUlt, kUle };  // of integers
enum class FCmp : uint8_t { kEq, kNe, kLt, kLe };               // as C compares floats

/// Writes into one module, at one place.
class Code {
 public:
  Code(LLVMOpaqueContext* context, LLVMOpaqueModule* module, const Machine& machine);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  const Machine& machine() const { return machine_; }
  const MachineTraits& traits() const { return traits_; }

  Type IntType(int bits) const;
  Type FloatType() const;
  Type HalfType() const;
  Type DoubleType() const;
  Type PointerType() const;
  /// 0 of a scalar.
  static int Lanes(Value value);
  static int Bits(Value value);  // of an integer, or of a vector's element
  Type Like(Type scalar, Value shape) const;
  Type Wide(Type scalar, int lanes) const;

  /// Constants, as many times as `shape` has lanes.
  Value Int(int bits, int64_t value, Value shape = nullptr) const;
  Value Real(double value, Value shape) const;   // double
  Value Float(double value, Value shape) const;  // float
  /// base, base + stride, ...: int64.
  Value Iota(int lanes, int64_t stride) const;
  Value Splat(Value scalar, int lanes);
  static Value Undefined(Type type);
  /// The value of a constant integer scalar.
  static bool IsConst(Value value, int64_t* out);

  Value Add(Value a, Value b);
  Value Sub(Value a, Value b);
  Value Mul(Value a, Value b);
  Value And(Value a, Value b);
  Value Or(Value a, Value b);
  Value Xor(Value a, Value b);
  Value Shl(Value a, Value b);
  Value Lshr(Value a, Value b);
  Value Ashr(Value a, Value b);
  Value UDiv(Value a, Value b);
  Value URem(Value a, Value b);
  Value SDiv(Value a, Value b);
  Value FAdd(Value a, Value b);
  Value FSub(Value a, Value b);
  Value FMul(Value a, Value b);
  Value FDiv(Value a, Value b);
  Value Compare(Cmp cmp, Value a, Value b);
  Value Compare(FCmp cmp, Value a, Value b);
  /// Without a branch: both sides are there already.
  Value Choose(Value condition, Value a, Value b);
  Value Not(Value a);
  /// Of signed integers.
  Value Min(Value a, Value b) { return Choose(Compare(Cmp::kSlt, b, a), b, a); }
  Value Max(Value a, Value b) { return Choose(Compare(Cmp::kSlt, a, b), b, a); }

  Value SignExtend(Value a, int bits);
  Value ZeroExtend(Value a, int bits);
  Value Truncate(Value a, int bits);
  Value IntToFloat(Value a, bool is_signed);
  Value FloatToInt(Value a, int bits);  // the value must be in range
  Value ToDouble(Value a);
  Value ToFloat(Value a);
  Value ToHalf(Value a);
  Value HalfOf(Value bits);    // i16 -> half
  Value BitsOf(Value a);       // of a half, float or double
  Value FloatOf(Value bits);   // i32 -> float
  Value DoubleOf(Value bits);  // i64 -> double
  Value ReinterpretAs(Value a, Type type);

  /// A call of an intrinsic that is overloaded on these types.
  Value Intrinsic(std::string_view name, std::vector<Type> overload, std::vector<Value> args);
  /// One that is overloaded on the type of its first operand.
  Value Intrinsic(std::string_view name, std::vector<Value> args);

  Value Lane(Value vector, int lane);
  Value WithLane(Value vector, int lane, Value scalar);
  /// The elements at these places of a and b, one after the other.
  Value Shuffle(Value a, Value b, const std::vector<int>& places);
  /// scalar(lane's operands) for each lane, or once where none is a vector.
  Value ByLanes(const std::vector<Value>& args,
                const std::function<Value(const std::vector<Value>&)>& scalar);

  /// part(so many lanes of each operand) for one part after the other: all are as long, and have as
  /// many parts as a power of two.
  Value ByParts(int lanes, const std::vector<Value>& args,
                const std::function<Value(const std::vector<Value>&)>& part);

  Value Offset(Type element, Value pointer, Value index);
  Value LoadFrom(Type type, Value pointer, int alignment);
  void StoreTo(Value value, Value pointer, int alignment);
  /// One of several results.
  Value Member(Value all, int which);
  /// Of a GPU: begins to copy 4, 8 or 16 bytes to the memory of the block, or, of a `size` that is
  /// not nullptr, so many of them and 0 for the others; ends what was begun.
  void CopyAside(Value to, Value from, int bytes, Value size);
  /// Of a GPU: sum + the products of four int8 by four uint8.
  Value DotOfBytes(Value of_signed, Value of_unsigned, Value sum);
  /// What was begun since the last call is a group: waits for all groups but the last ones.
  void WaitForCopies(int64_t pending);
  /// Of a GPU: what a counter of 32 bits, on which threads count together, had before: it is one
  /// more now, or 0 again where that was `last`.
  Value CountUpTo(Value pointer, Value last);

  Place NewPlace(std::string_view name);
  Place Here() const;
  void At(Place place);
  void Jump(Place to);
  void Branch(Value condition, Place yes, Place no);
  /// Writes `body` where the condition holds; nullptr stands for always.
  template <typename F>
  void Where(Value condition, F body) {
    int64_t known;
    if (!condition || IsConst(condition, &known)) {
      if (!condition || known) body();
      return;
    }
    const Place inside = NewPlace("inside"), after = NewPlace("after");
    Branch(condition, inside, after);
    At(inside);
    body();
    Jump(after);
    At(after);
  }
  Value Phi(Type type, std::string_view name);
  static void Incoming(Value phi, Value value, Place from);
  void Return(Value value = nullptr);
  /// In the function's entry: one that lives as long as the call.
  Value Stack(Type type, int64_t count, int alignment);

  /// A function with internal linkage, or an exported one; none of its attributes.
  Value NewFunction(std::string_view name, Type result, std::vector<Type> params, bool exported);
  void AddAttribute(Value function, std::string_view name, std::string_view value);
  void AddFlag(Value function, int index, std::string_view name);  // 0: result, -1: function
  Value Call(Value function, std::vector<Value> args);
  Value FindFunction(std::string_view name) const;
  /// An exported function of a GPU that a launch starts, with that many threads in a block.
  Value NewKernel(std::string_view name, std::vector<Type> params, int64_t threads);
  /// Memory that the threads of a block share, of so many bytes, or as many as a launch gives.
  Value Shared(std::string_view name, std::optional<int64_t> bytes, int alignment);
  static Value Param(Value function, int index);

  LLVMOpaqueContext* context() const { return context_; }
  LLVMOpaqueModule* module() const { return module_; }
  LLVMOpaqueBuilder* builder() const { return builder_; }

 private:
  void Match(Value& a, Value& b);

  LLVMOpaqueContext* context_;
  LLVMOpaqueModule* module_;
  LLVMOpaqueBuilder* builder_;
  Machine machine_;
  MachineTraits traits_;
};

}  // namespace vta::compiler::llvm
