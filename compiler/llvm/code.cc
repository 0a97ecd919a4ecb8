#include "compiler/llvm/code.h"

#include <llvm-c/Core.h>

#include <algorithm>
#include <numeric>

#include "isa/spec/gpu.h"
#include "isa/support/error.h"

namespace vta::compiler::llvm {
namespace {

// Address spaces of a GPU.
constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;

bool IsVector(Value value) { return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind; }
Type ElementOf(Value value) {
  const Type type = LLVMTypeOf(value);
  return IsVector(value) ? LLVMGetElementType(type) : type;
}

}  // namespace

Code::Code(LLVMOpaqueContext* context, LLVMOpaqueModule* module, const Machine& machine)
    : context_(context),
      module_(module),
      builder_(LLVMCreateBuilderInContext(context)),
      machine_(machine),
      traits_(TraitsOf(machine)) {}
Code::~Code() { LLVMDisposeBuilder(builder_); }

Type Code::IntType(int bits) const { return LLVMIntTypeInContext(context_, bits); }
Type Code::FloatType() const { return LLVMFloatTypeInContext(context_); }
Type Code::HalfType() const { return LLVMHalfTypeInContext(context_); }
Type Code::DoubleType() const { return LLVMDoubleTypeInContext(context_); }
Type Code::PointerType() const { return LLVMPointerTypeInContext(context_, 0); }
int Code::Lanes(Value value) {
  return IsVector(value) ? static_cast<int>(LLVMGetVectorSize(LLVMTypeOf(value))) : 0;
}
int Code::Bits(Value value) { return static_cast<int>(LLVMGetIntTypeWidth(ElementOf(value))); }
Type Code::Like(Type scalar, Value shape) const { return Wide(scalar, shape ? Lanes(shape) : 0); }
Type Code::Wide(Type scalar, int lanes) const {
  return lanes ? LLVMVectorType(scalar, lanes) : scalar;
}

namespace {
Value Repeat(Value constant, int lanes) {
  if (lanes == 0) return constant;
  std::vector<Value> all(lanes, constant);
  return LLVMConstVector(all.data(), lanes);
}
}  // namespace

Value Code::Int(int bits, int64_t value, Value shape) const {
  return Repeat(LLVMConstInt(IntType(bits), static_cast<unsigned long long>(value), true),
                shape ? Lanes(shape) : 0);
}
Value Code::Real(double value, Value shape) const {
  return Repeat(LLVMConstReal(DoubleType(), value), Lanes(shape));
}
Value Code::Float(double value, Value shape) const {
  return Repeat(LLVMConstReal(FloatType(), value), shape ? Lanes(shape) : 0);
}
Value Code::Iota(int lanes, int64_t stride) const {
  std::vector<Value> all;
  for (int i = 0; i < lanes; ++i)
    all.push_back(
        Int(64, static_cast<int64_t>(static_cast<uint64_t>(i) * static_cast<uint64_t>(stride))));
  return LLVMConstVector(all.data(), lanes);
}
Value Code::Splat(Value scalar, int lanes) {
  if (lanes == 0 || IsVector(scalar)) return scalar;
  if (LLVMIsConstant(scalar)) return Repeat(scalar, lanes);
  const Type type = Wide(LLVMTypeOf(scalar), lanes);
  const Value first = LLVMBuildInsertElement(builder_, LLVMGetPoison(type), scalar, Int(32, 0), "");
  return LLVMBuildShuffleVector(builder_, first, LLVMGetPoison(type),
                                LLVMConstNull(Wide(IntType(32), lanes)), "");
}
Value Code::Undefined(Type type) { return LLVMGetPoison(type); }
bool Code::IsConst(Value value, int64_t* out) {
  if (!LLVMIsAConstantInt(value)) return false;
  *out = LLVMConstIntGetSExtValue(value);
  return true;
}

void Code::Match(Value& a, Value& b) {
  const int lanes = std::max(Lanes(a), Lanes(b));
  a = Splat(a, lanes);
  b = Splat(b, lanes);
}

#define VTA_BINARY(NAME, BUILD)        \
  Value Code::NAME(Value a, Value b) { \
    Match(a, b);                       \
    return BUILD(builder_, a, b, "");  \
  }
VTA_BINARY(Add, LLVMBuildAdd)
VTA_BINARY(Sub, LLVMBuildSub)
VTA_BINARY(Mul, LLVMBuildMul)
VTA_BINARY(And, LLVMBuildAnd)
VTA_BINARY(Or, LLVMBuildOr)
VTA_BINARY(Xor, LLVMBuildXor)
VTA_BINARY(Shl, LLVMBuildShl)
VTA_BINARY(Lshr, LLVMBuildLShr)
VTA_BINARY(Ashr, LLVMBuildAShr)
VTA_BINARY(UDiv, LLVMBuildUDiv)
VTA_BINARY(URem, LLVMBuildURem)
VTA_BINARY(SDiv, LLVMBuildSDiv)
VTA_BINARY(FAdd, LLVMBuildFAdd)
VTA_BINARY(FSub, LLVMBuildFSub)
VTA_BINARY(FMul, LLVMBuildFMul)
VTA_BINARY(FDiv, LLVMBuildFDiv)
#undef VTA_BINARY

Value Code::Compare(Cmp cmp, Value a, Value b) {
  constexpr LLVMIntPredicate kPredicates[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                              LLVMIntSLE, LLVMIntULT, LLVMIntULE};
  Match(a, b);
  return LLVMBuildICmp(builder_, kPredicates[static_cast<int>(cmp)], a, b, "");
}
Value Code::Compare(FCmp cmp, Value a, Value b) {
  constexpr LLVMRealPredicate kPredicates[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT, LLVMRealOLE};
  Match(a, b);
  return LLVMBuildFCmp(builder_, kPredicates[static_cast<int>(cmp)], a, b, "");
}
Value Code::Choose(Value condition, Value a, Value b) {
  Match(a, b);
  const int lanes = std::max(Lanes(a), Lanes(condition));
  if (Lanes(condition)) a = Splat(a, lanes), b = Splat(b, lanes);
  return LLVMBuildSelect(builder_, condition, a, b, "");
}
Value Code::Not(Value a) { return LLVMBuildNot(builder_, a, ""); }

Value Code::SignExtend(Value a, int bits) {
  return Bits(a) == bits ? a : LLVMBuildSExt(builder_, a, Like(IntType(bits), a), "");
}
Value Code::ZeroExtend(Value a, int bits) {
  return Bits(a) == bits ? a : LLVMBuildZExt(builder_, a, Like(IntType(bits), a), "");
}
Value Code::Truncate(Value a, int bits) {
  return Bits(a) == bits ? a : LLVMBuildTrunc(builder_, a, Like(IntType(bits), a), "");
}
Value Code::IntToFloat(Value a, bool is_signed) {
  const Type type = Like(FloatType(), a);
  return is_signed ? LLVMBuildSIToFP(builder_, a, type, "")
                   : LLVMBuildUIToFP(builder_, a, type, "");
}
Value Code::FloatToInt(Value a, int bits) {
  return LLVMBuildFPToSI(builder_, a, Like(IntType(bits), a), "");
}
Value Code::ToDouble(Value a) { return LLVMBuildFPExt(builder_, a, Like(DoubleType(), a), ""); }
Value Code::ToFloat(Value a) { return LLVMBuildFPCast(builder_, a, Like(FloatType(), a), ""); }
Value Code::ToHalf(Value a) { return LLVMBuildFPTrunc(builder_, a, Like(HalfType(), a), ""); }
Value Code::HalfOf(Value bits) { return ReinterpretAs(bits, Like(HalfType(), bits)); }
Value Code::BitsOf(Value a) {
  const LLVMTypeKind kind = LLVMGetTypeKind(ElementOf(a));
  const int bits = kind == LLVMHalfTypeKind ? 16 : kind == LLVMFloatTypeKind ? 32 : 64;
  return ReinterpretAs(a, Like(IntType(bits), a));
}
Value Code::FloatOf(Value bits) { return ReinterpretAs(bits, Like(FloatType(), bits)); }
Value Code::DoubleOf(Value bits) { return ReinterpretAs(bits, Like(DoubleType(), bits)); }
Value Code::ReinterpretAs(Value a, Type type) { return LLVMBuildBitCast(builder_, a, type, ""); }

Value Code::Intrinsic(std::string_view name, std::vector<Type> overload, std::vector<Value> args) {
  const unsigned id = LLVMLookupIntrinsicID(name.data(), name.size());
  VTA_CHECK(id != 0, "no intrinsic ", name);
  const Value function = LLVMGetIntrinsicDeclaration(module_, id, overload.data(), overload.size());
  const Type type = LLVMGlobalGetValueType(function);
  return LLVMBuildCall2(builder_, type, function, args.data(), static_cast<unsigned>(args.size()),
                        "");
}
Value Code::Intrinsic(std::string_view name, std::vector<Value> args) {
  return Intrinsic(name, {LLVMTypeOf(args[0])}, args);
}

Value Code::Lane(Value vector, int lane) {
  return LLVMBuildExtractElement(builder_, vector, Int(32, lane), "");
}
Value Code::WithLane(Value vector, int lane, Value scalar) {
  return LLVMBuildInsertElement(builder_, vector, scalar, Int(32, lane), "");
}
Value Code::Shuffle(Value a, Value b, const std::vector<int>& places) {
  std::vector<Value> mask;
  for (const int place : places) mask.push_back(Int(32, place));
  return LLVMBuildShuffleVector(
      builder_, a, b, LLVMConstVector(mask.data(), static_cast<unsigned>(mask.size())), "");
}
Value Code::ByLanes(const std::vector<Value>& args,
                    const std::function<Value(const std::vector<Value>&)>& scalar) {
  int lanes = 0;
  for (Value arg : args) lanes = std::max(lanes, Lanes(arg));
  if (lanes == 0) return scalar(args);
  Value out = nullptr;
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<Value> own = args;
    for (Value& arg : own)
      if (Lanes(arg)) arg = Lane(arg, lane);
    const Value value = scalar(own);
    if (!out) out = Undefined(Wide(LLVMTypeOf(value), lanes));
    out = WithLane(out, lane, value);
  }
  return out;
}

Value Code::ByParts(int lanes, const std::vector<Value>& args,
                    const std::function<Value(const std::vector<Value>&)>& part) {
  std::vector<Value> done;
  std::vector<int> places(lanes);
  for (int first = 0; first < Lanes(args[0]); first += lanes) {
    std::iota(places.begin(), places.end(), first);
    std::vector<Value> own = args;
    for (Value& arg : own)
      if (Lanes(arg) != lanes) arg = Shuffle(arg, arg, places);
    done.push_back(part(own));
  }
  for (; done.size() > 1; done.resize(done.size() / 2)) {
    places.resize(2 * Lanes(done[0]));
    std::iota(places.begin(), places.end(), 0);
    for (size_t i = 0; i < done.size() / 2; ++i)
      done[i] = Shuffle(done[2 * i], done[2 * i + 1], places);
  }
  return done[0];
}

Value Code::Offset(Type element, Value pointer, Value index) {
  int64_t constant;
  if (IsConst(index, &constant) && constant == 0) return pointer;
  return LLVMBuildInBoundsGEP2(builder_, element, pointer, &index, 1, "");
}
Value Code::LoadFrom(Type type, Value pointer, int alignment) {
  const Value load = LLVMBuildLoad2(builder_, type, pointer, "");
  LLVMSetAlignment(load, alignment);
  return load;
}
void Code::StoreTo(Value value, Value pointer, int alignment) {
  LLVMSetAlignment(LLVMBuildStore(builder_, value, pointer), alignment);
}

Place Code::NewPlace(std::string_view name) {
  const Value function = LLVMGetBasicBlockParent(Here());
  return LLVMAppendBasicBlockInContext(context_, function, std::string(name).c_str());
}
Place Code::Here() const { return LLVMGetInsertBlock(builder_); }
void Code::At(Place place) { LLVMPositionBuilderAtEnd(builder_, place); }
void Code::Jump(Place to) { LLVMBuildBr(builder_, to); }
void Code::Branch(Value condition, Place yes, Place no) {
  LLVMBuildCondBr(builder_, condition, yes, no);
}
Value Code::Phi(Type type, std::string_view name) {
  return LLVMBuildPhi(builder_, type, std::string(name).c_str());
}
void Code::Incoming(Value phi, Value value, Place from) { LLVMAddIncoming(phi, &value, &from, 1); }
void Code::Return(Value value) {
  if (value)
    LLVMBuildRet(builder_, value);
  else
    LLVMBuildRetVoid(builder_);
}
Value Code::Member(Value all, int which) {
  return LLVMBuildExtractValue(builder_, all, static_cast<unsigned>(which), "");
}
void Code::CopyAside(Value to, Value from, int bytes, Value size) {
  // What passes no cache that is near is for all of 16 bytes alone.
  std::string name = StrCat("llvm.nvvm.cp.async.", bytes == 16 ? "cg" : "ca", ".shared.global.",
                            bytes, size ? ".s" : "");
  const auto in = [&](Value pointer, unsigned space) {
    return LLVMBuildAddrSpaceCast(builder_, pointer, LLVMPointerTypeInContext(context_, space), "");
  };
  std::vector<Value> args = {in(to, kSharedSpace), in(from, kGlobalSpace)};
  if (size) args.push_back(size);
  Intrinsic(name, {}, std::move(args));
}
void Code::WaitForCopies(int64_t pending) {
  Intrinsic("llvm.nvvm.cp.async.commit.group", {}, {});
  Intrinsic("llvm.nvvm.cp.async.wait.group", {}, {Int(32, pending)});
}
Value Code::DotOfBytes(Value of_signed, Value of_unsigned, Value sum) {
  constexpr std::string_view kText = "dp4a.s32.u32 $0, $1, $2, $3;", kUses = "=r,r,r,r";
  std::vector<Type> words(3, IntType(32));
  const Type type = LLVMFunctionType(IntType(32), words.data(), 3, false);
  const Value dot = LLVMGetInlineAsm(type, kText.data(), kText.size(), kUses.data(), kUses.size(),
                                     false, false, LLVMInlineAsmDialectATT, false);
  std::vector<Value> args = {of_signed, of_unsigned, sum};
  return LLVMBuildCall2(builder_, type, dot, args.data(), 3, "");
}
Value Code::CountUpTo(Value pointer, Value last) {
  return Intrinsic("llvm.nvvm.atomic.load.inc.32", {LLVMTypeOf(pointer)}, {pointer, last});
}
Value Code::Stack(Type type, int64_t count, int alignment) {
  const Place here = Here();
  const Place entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(here));
  LLVMPositionBuilder(builder_, entry, LLVMGetFirstInstruction(entry));
  const Value memory = LLVMBuildAlloca(builder_, LLVMArrayType2(type, count), "");
  LLVMSetAlignment(memory, alignment);
  At(here);
  return memory;
}

Value Code::NewFunction(std::string_view name, Type result, std::vector<Type> params,
                        bool exported) {
  const Type type = LLVMFunctionType(result ? result : LLVMVoidTypeInContext(context_),
                                     params.data(), static_cast<unsigned>(params.size()), false);
  const Value function = LLVMAddFunction(module_, std::string(name).c_str(), type);
  if (!exported) LLVMSetLinkage(function, LLVMInternalLinkage);
  AddFlag(function, -1, "nounwind");
  AddAttribute(function, "no-builtins", "");
  AddAttribute(function, "target-cpu", traits_.base_cpu);
  AddAttribute(function, "target-features", traits_.features);
  if (!machine_.tune_cpu.empty()) AddAttribute(function, "tune-cpu", machine_.tune_cpu);
  const std::string bits = std::to_string(machine_.vector_bits);
  AddAttribute(function, "prefer-vector-width", bits);
  AddAttribute(function, "min-legal-vector-width", bits);
  LLVMAppendBasicBlockInContext(context_, function, "entry");
  At(LLVMGetEntryBasicBlock(function));
  return function;
}
Value Code::NewKernel(std::string_view name, std::vector<Type> params, int64_t threads) {
  constexpr unsigned kPtxKernel = 71;  // LLVM's number of the calling convention
  const Value function = NewFunction(name, nullptr, std::move(params), true);
  LLVMSetFunctionCallConv(function, kPtxKernel);
  const auto say = [&](std::string_view property, int64_t value) {
    LLVMMetadataRef parts[] = {
        LLVMValueAsMetadata(function),
        LLVMMDStringInContext2(context_, property.data(), property.size()),
        LLVMValueAsMetadata(LLVMConstInt(IntType(32), static_cast<uint64_t>(value), false))};
    LLVMAddNamedMetadataOperand(
        module_, "nvvm.annotations",
        LLVMMetadataAsValue(context_, LLVMMDNodeInContext2(context_, parts, std::size(parts))));
  };
  say("maxntidx", threads);
  say("maxnreg", isa::kMostGpuRegisters);
  return function;
}
Value Code::Shared(std::string_view name, std::optional<int64_t> bytes, int alignment) {
  const Type type = LLVMArrayType2(IntType(8), static_cast<uint64_t>(bytes.value_or(0)));
  const Value memory =
      LLVMAddGlobalInAddressSpace(module_, type, std::string(name).c_str(), kSharedSpace);
  LLVMSetLinkage(memory, bytes ? LLVMInternalLinkage : LLVMExternalLinkage);
  if (bytes) LLVMSetInitializer(memory, LLVMGetUndef(type));
  LLVMSetAlignment(memory, static_cast<unsigned>(alignment));
  return LLVMConstAddrSpaceCast(memory, PointerType());
}
void Code::AddAttribute(Value function, std::string_view name, std::string_view value) {
  LLVMAddAttributeAtIndex(
      function, LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(context_, name.data(), static_cast<unsigned>(name.size()),
                                value.data(), static_cast<unsigned>(value.size())));
}
void Code::AddFlag(Value function, int index, std::string_view name) {
  const unsigned kind = LLVMGetEnumAttributeKindForName(name.data(), name.size());
  VTA_CHECK(kind != 0, "no attribute ", name);
  LLVMAddAttributeAtIndex(function, static_cast<unsigned>(index),
                          LLVMCreateEnumAttribute(context_, kind, 0));
}
Value Code::Call(Value function, std::vector<Value> args) {
  return LLVMBuildCall2(builder_, LLVMGlobalGetValueType(function), function, args.data(),
                        static_cast<unsigned>(args.size()), "");
}
Value Code::FindFunction(std::string_view name) const {
  return LLVMGetNamedFunction(module_, std::string(name).c_str());
}
Value Code::Param(Value function, int index) { return LLVMGetParam(function, index); }

}  // namespace vta::compiler::llvm
