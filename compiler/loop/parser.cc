#include "compiler/loop/parser.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>

#include "compiler/loop/lexer.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

std::optional<DType> FindDType(std::string_view name) {
  for (const DTypeRow& row : DTypes())
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const tensorize::IntrinsicRef> intrinsics)
      : lex_(text), intrinsics_(intrinsics) {}

  Function ParseFunction() {
    try {
      return Whole();
    } catch (const Error& error) {
      // Operations refuse their operands without knowing where they stand.
      if (!error.where().empty()) throw;
      throw error.In(lex_.Place());
    }
  }

 private:
  Function Whole() {
    lex_.Expect("func");
    Function f{lex_.Word("function name"), {}, {}};
    lex_.Expect("(");
    while (!lex_.Take(")")) {
      if (!f.params.empty()) lex_.Expect(",");
      f.params.push_back(Declare());
    }
    f.body = Braces();
    if (lex_.kind() != Lexer::Kind::kEnd) lex_.Fail("text", "nothing may follow the function");
    return f;
  }

  /// Counts nesting while it lives, so that hostile text ends in an error and not in a full stack.
  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > kMaxDepth)
        parser.lex_.Fail("nesting", StrCat("at most ", kMaxDepth, " levels"));
    }
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  int64_t Extent(std::string_view what) {
    const int64_t extent = lex_.Integer(what);
    if (extent < 1 || extent > kMaxExtent)
      throw Error("", std::string(what), StrCat(extent),
                  StrCat("must be in [1, ", kMaxExtent, "]"));
    return extent;
  }

  Buffer Declare() {
    std::string name = lex_.Word("buffer name");
    if (buffers_.count(name)) lex_.Fail(StrCat("buffer ", name), "is declared twice");
    if (std::ssize(buffers_) == kMaxTensors)
      lex_.Fail(StrCat("buffer ", name), StrCat("at most ", kMaxTensors, " are declared"));
    lex_.Expect(":");
    const std::optional<DType> dtype = FindDType(lex_.token());
    if (!dtype) lex_.Fail("type", "must be an element type");
    lex_.Next();
    lex_.Expect("[");
    std::vector<int64_t> shape;
    int64_t size = 1;
    while (!lex_.Take("]")) {
      if (!shape.empty()) lex_.Expect(",");
      shape.push_back(Extent("extent"));
      if (shape.back() > kMaxExtent / size) lex_.Fail(StrCat("buffer ", name), "is too large");
      size *= shape.back();
    }
    std::vector<int64_t> strides;
    if (lex_.Take("strides")) {
      lex_.Expect("[");
      while (!lex_.Take("]")) {
        if (!strides.empty()) lex_.Expect(",");
        strides.push_back(Extent("stride"));
      }
      if (const std::string why = WhyNotStrides(shape, strides); !why.empty())
        lex_.Fail(StrCat("strides of ", name), why);
    }
    std::string scope = lex_.Take("@") ? lex_.Word("scope") : "global";
    Buffer buffer =
        MakeBuffer(name, *dtype, std::move(shape), std::move(scope), std::move(strides));
    buffers_[name] = buffer;
    return buffer;
  }

  Stmt Braces() {
    lex_.Expect("{");
    Stmt body = List();
    lex_.Expect("}");
    return body;
  }

  Stmt List() {
    std::vector<Stmt> stmts;
    while (!lex_.At("}")) {
      if (lex_.Take("alloc")) {
        Buffer buffer = Declare();
        stmts.push_back(MakeStmt(Allocate{std::move(buffer), List()}));
        break;
      }
      stmts.push_back(Statement());
    }
    if (stmts.empty()) lex_.Fail("text", "a statement is expected here");
    return MakeSeq(std::move(stmts));
  }

  Stmt Statement() {
    const Depth depth(*this);
    if (lex_.Take("scope")) return Braces();
    if (lex_.Take("for")) return Loop();
    if (lex_.Take("block")) return ParseBlock();
    return Leaf();
  }

  Stmt Loop() {
    const Var var = MakeVar(lex_.Word("loop variable"));
    lex_.Expect("in");
    For loop{.var = var, .extent = Extent("loop extent")};
    for (ForKind kind : {ForKind::kSerial, ForKind::kUnroll, ForKind::kVectorize,
                         ForKind::kParallel, ForKind::kVthread, ForKind::kThread})
      if (lex_.Take(Name(kind))) loop.kind = kind;
    loop.annotations = Annotations();
    vars_.push_back(var);
    loop.body = Braces();
    vars_.pop_back();
    return MakeStmt(std::move(loop));
  }

  std::vector<Annotation> Annotations() {
    std::vector<Annotation> out;
    if (!lex_.Take("[")) return out;
    do {
      std::string key = lex_.Word("annotation");
      lex_.Expect("=");
      out.push_back({std::move(key), lex_.Integer("annotation value")});
    } while (lex_.Take(","));
    lex_.Expect("]");
    return out;
  }

  Stmt ParseBlock() {
    Block block{.name = lex_.Word("block name")};
    lex_.Expect("(");
    while (!lex_.Take(")")) {
      if (!block.iters.empty()) lex_.Expect(",");
      const bool reduce = lex_.Take("reduce");
      Iter iter{.var = MakeVar(lex_.Word("iterator")),
                .kind = reduce ? IterKind::kReduce : IterKind::kSpatial};
      lex_.Expect(":");
      iter.extent = Extent("iterator extent");
      lex_.Expect("=");
      iter.binding = Expression();
      block.iters.push_back(std::move(iter));
    }
    if (lex_.Take("where")) block.where = Expression();
    block.annotations = Annotations();
    const size_t outer = vars_.size();
    for (const Iter& iter : block.iters) vars_.push_back(iter.var);
    lex_.Expect("{");
    std::vector<Stmt> init, body;
    while (AtInit()) {
      lex_.Next();
      init.push_back(Leaf());
    }
    do {
      body.push_back(Leaf());
    } while (!lex_.Take("}"));
    if (!init.empty()) block.init = MakeSeq(std::move(init));
    block.body = MakeSeq(std::move(body));
    vars_.resize(outer);
    return MakeStmt(std::move(block));
  }

  /// At the word, and not at a store to a buffer of this name.
  bool AtInit() const {
    if (!lex_.At("init")) return false;
    Lexer behind = lex_;
    behind.Next();
    return !behind.At("[");
  }

  Stmt Leaf() {
    if (lex_.Take("call")) return ParseCall();
    Store store{.buffer = NamedBuffer()};
    store.indices = Arguments("[", "]");
    lex_.Expect("=");
    store.value = Expression();
    return MakeStmt(std::move(store));
  }

  Stmt ParseCall() {
    const std::string full = lex_.Word("intrinsic");
    const size_t dot = full.rfind('.');
    Call call;
    for (const tensorize::IntrinsicRef& row : intrinsics_)
      if (row->name == full.substr(0, dot)) call.intrinsic = row;
    bool found = false;
    for (CallPart part : {CallPart::kCompute, CallPart::kReset, CallPart::kUpdate})
      if (dot != full.npos && full.substr(dot + 1) == Name(part)) call.part = part, found = true;
    if (!call.intrinsic || !found) lex_.Fail(StrCat("call of ", full), "no such intrinsic");
    lex_.Expect("(");
    while (!lex_.Take(")")) {
      if (!call.operands.empty()) lex_.Expect(",");
      const auto& declared = call.intrinsic->operands;
      if (call.operands.size() < declared.size() &&
          declared[call.operands.size()].scope == tensorize::kImmediate) {
        call.operands.push_back({nullptr, {}, Expression()});
        continue;
      }
      Region region{.buffer = NamedBuffer()};
      lex_.Expect("[");
      while (!lex_.Take("]")) {
        if (!region.ranges.empty()) lex_.Expect(",");
        Range range{Expression(), 0};
        if (lex_.Take(":")) range.extent = Extent("extent");
        region.ranges.push_back(std::move(range));
      }
      call.operands.push_back(std::move(region));
    }
    return MakeStmt(std::move(call));
  }

  Buffer NamedBuffer() {
    const std::string name = lex_.Word("buffer");
    auto it = buffers_.find(name);
    if (it == buffers_.end()) lex_.Fail(StrCat("buffer ", name), "is not declared");
    return it->second;
  }

  std::vector<Expr> Arguments(std::string_view open, std::string_view close) {
    lex_.Expect(open);
    std::vector<Expr> args;
    int height = 0;
    while (!lex_.Take(close)) {
      if (!args.empty()) lex_.Expect(",");
      args.push_back(Expression());
      height = std::max(height, height_);
    }
    Raise(height);
    return args;
  }

  Expr Expression(int precedence = 1) {
    const Depth depth(*this);
    Expr left = Primary();
    while (lex_.kind() == Lexer::Kind::kSymbol) {
      const OpRow* row = FindOp(lex_.token(), true);
      if (!row || row->precedence < precedence) break;
      lex_.Next();
      const int height = height_;
      left = ApplyExactly(row->op, {left, Expression(row->precedence + 1)});
      Raise(height);
    }
    return left;
  }

  /// An operator stands over what was parsed last and over what has this height. Whatever looks at
  /// an expression goes as deep as that is high.
  void Raise(int other) {
    height_ = std::max(height_, other) + 1;
    if (height_ > kMaxDepth)
      lex_.Fail("expression", StrCat("at most ", kMaxDepth, " operators, one over the other"));
  }

  Expr Primary() {
    height_ = 0;
    if (lex_.Take("(")) {
      Expr inner = Expression();
      lex_.Expect(")");
      return inner;
    }
    if (lex_.kind() == Lexer::Kind::kNumber || lex_.At("-") || lex_.At("inff") || lex_.At("nanf"))
      return Literal();
    const std::string word = lex_.Word("operand");
    if (word == "true" || word == "false") return BoolConst(word == "true");
    if (lex_.At("(")) {
      if (const std::optional<DType> dtype = FindDType(word)) {
        std::vector<Expr> args = Arguments("(", ")");
        if (args.size() != 1) lex_.Fail(StrCat("cast to ", word), "takes one operand");
        return Cast(*dtype, args[0]);
      }
      const OpRow* row = FindOp(word, false);
      if (!row) lex_.Fail(StrCat("function ", word), "is not known");
      return ApplyExactly(row->op, Arguments("(", ")"));
    }
    if (lex_.At("[")) {
      auto it = buffers_.find(word);
      if (it == buffers_.end()) lex_.Fail(StrCat("buffer ", word), "is not declared");
      return Load(it->second, Arguments("[", "]"));
    }
    for (auto it = vars_.rbegin(); it != vars_.rend(); ++it)
      if ((*it)->name == word) return Expr(*it);
    lex_.Fail(StrCat("variable ", word), "is not declared");
  }

  Expr Literal() {
    const std::string sign = lex_.Take("-") ? "-" : "";
    std::string text = sign + std::string(lex_.token());
    if (lex_.At("inff") || lex_.At("nanf") || text.back() == 'f') {
      char* end = nullptr;
      text.pop_back();
      const double value = std::strtod(text.c_str(), &end);
      if (*end) lex_.Fail("constant", "must be a number");
      lex_.Next();
      return FloatConst(value);
    }
    for (const DTypeRow& row : DTypes()) {
      if (!row.integer || !text.ends_with(row.literal)) continue;
      if (row.literal.empty() && text.find_first_not_of("-0123456789") != text.npos) continue;
      const char* last = text.data() + text.size() - row.literal.size();
      int64_t value = 0;
      auto [end, error] = std::from_chars(text.data(), last, value);
      if (end != last || error != std::errc() || value < row.low || value > row.high)
        lex_.Fail("constant", StrCat("must be a number of type ", row.name));
      lex_.Next();
      return IntConst(row.dtype, value);
    }
    lex_.Fail("constant", "must be a number");
  }

  Lexer lex_;
  std::span<const tensorize::IntrinsicRef> intrinsics_;
  std::map<std::string, Buffer> buffers_;
  std::vector<Var> vars_;
  int depth_ = 0;   // of what is open
  int height_ = 0;  // of what was parsed last
};

}  // namespace

Function Parse(std::string_view text, std::span<const tensorize::IntrinsicRef> intrinsics) {
  return Parser(text, intrinsics).ParseFunction();
}

}  // namespace vta::compiler::loop
