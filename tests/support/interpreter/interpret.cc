#include "tests/support/interpreter/interpret.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "compiler/loop/analysis.h"
#include "compiler/tensorize/expand.h"
#include "isa/support/error.h"
#include "tests/support/interpreter/interpret_kernel.h"

namespace vta::compiler::loop {
namespace {

/// A loop outside the kernels, a sequence, or a kernel.
struct Node {
  enum class Kind : uint8_t { kLoop, kSeq, kKernel } kind;
  Kernel::Loop loop{-1, 0};
  Kernel kernel;
  std::vector<Node> children;

  void Run(Frame& frame) {
    switch (kind) {
      case Kind::kKernel:
        return kernel.Run(frame);
      case Kind::kSeq:
        for (Node& child : children) child.Run(frame);
        return;
      case Kind::kLoop:
        for (int64_t i = 0; i < loop.extent; ++i) {
          frame.watch.Trip();
          frame.vars[loop.slot] = i;
          children[0].Run(frame);
        }
        return;
    }
  }
};

class Compiler {
 public:
  explicit Compiler(Names& names) : names_(names) {}

  Node Compile(const Stmt& stmt) {
    if (const Seq* seq = As<Seq>(stmt)) {
      Node node{.kind = Node::Kind::kSeq};
      for (const Stmt& s : seq->stmts) node.children.push_back(Compile(s));
      return node;
    }
    if (const Allocate* alloc = As<Allocate>(stmt)) return Compile(alloc->body);
    return CompileNest(stmt);
  }

 private:
  Node CompileNest(const Stmt& stmt) {
    // The longest chain of loops from here; what ends it decides.
    std::vector<Stmt> nest;
    Stmt inner = stmt;
    while (const For* loop = As<For>(inner)) {
      nest.push_back(inner);
      inner = loop->body;
    }
    const Block* block = As<Block>(inner);
    if (!block && !As<Seq>(inner) && !As<Allocate>(inner))
      throw Error("", "statement", Print(inner), "must be inside a block");
    const size_t outside = loops_.size();
    for (const Stmt& s : nest) {
      loops_.push_back(s);
      names_.vars.emplace(As<For>(s)->var.get(), static_cast<int>(names_.vars.size()));
    }
    Node node = block ? CompileBlock(*block, nest) : Wrap(Compile(inner), nest, nest.size());
    loops_.resize(outside);
    return node;
  }

  Node CompileBlock(const Block& block, const std::vector<Stmt>& nest) {
    if (As<Call>(block.body))
      return Wrap(Compile(tensorize::ExpandCalls(block)), nest, nest.size());
    const Facts facts = FactsOf(loops_);
    const size_t lane = ChooseLaneLoop(block, nest, facts);
    Node node{.kind = Node::Kind::kKernel};
    node.kernel = CompileKernel(block, {nest.begin() + lane, nest.end()}, facts, names_);
    return Wrap(std::move(node), nest, lane);
  }

  Node Wrap(Node node, const std::vector<Stmt>& nest, size_t count) {
    for (size_t i = count; i-- > 0;) {
      const For& loop = *As<For>(nest[i]);
      Node outer{.kind = Node::Kind::kLoop, .loop = {names_.vars.at(loop.var.get()), loop.extent}};
      outer.children.push_back(std::move(node));
      node = std::move(outer);
    }
    return node;
  }

  Names& names_;
  std::vector<Stmt> loops_;
};

}  // namespace

struct Interpreter::Impl {
  Function function;
  Names names;
  Node root{.kind = Node::Kind::kSeq};
  Frame frame;
  std::vector<std::vector<std::byte>> local;
};

int64_t LocalBytes(const Function& function) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t total = 0;
  for (const Buffer& buffer : Buffers(function)) {
    if (IsParam(function, buffer)) continue;
    int64_t bytes = SizeBytes(buffer->dtype);
    for (const int64_t extent :
         buffer->strides.empty() ? buffer->shape : std::vector{buffer->SizeElems()})
      if (__builtin_mul_overflow(bytes, extent, &bytes)) return kMost;
    if (__builtin_add_overflow(total, bytes, &total)) return kMost;
  }
  return total;
}

Interpreter::Interpreter(const Function& function) : impl_(std::make_unique<Impl>()) {
  Impl& impl = *impl_;
  impl.function = function;
  for (const Buffer& buffer : Buffers(function)) {
    impl.names.buffers.emplace(buffer.get(), static_cast<int>(impl.frame.buffers.size()));
    impl.frame.buffers.push_back(nullptr);
    if (IsParam(function, buffer)) continue;
    impl.local.emplace_back(buffer->SizeElems() * SizeBytes(buffer->dtype));
    impl.frame.buffers.back() = impl.local.back().data();
  }
  impl.root = Compiler(impl.names).Compile(function.body);
  impl.frame.vars.resize(impl.names.vars.size());
}

Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;

bool Interpreter::Run(std::span<const std::span<std::byte>> args,
                      std::chrono::steady_clock::time_point deadline) {
  const std::vector<Buffer>& params = impl_->function.params;
  const std::string where = StrCat("func ", impl_->function.name);
  if (args.size() != params.size())
    throw Error(where, "arguments", StrCat(args.size()), StrCat("must be ", params.size()));
  for (size_t i = 0; i < params.size(); ++i) {
    const int64_t bytes = params[i]->SizeElems() * SizeBytes(params[i]->dtype);
    if (static_cast<int64_t>(args[i].size()) != bytes)
      throw Error(where, StrCat("bytes of ", params[i]->name), StrCat(args[i].size()),
                  StrCat("must be ", bytes));
    impl_->frame.buffers[impl_->names.buffers.at(params[i].get())] = args[i].data();
  }
  // What is read before it is written is the same wrong value every time.
  for (std::vector<std::byte>& memory : impl_->local)
    std::fill(memory.begin(), memory.end(), std::byte{0xCD});
  impl_->frame.watch = Watch(deadline);
  try {
    impl_->root.Run(impl_->frame);
  } catch (const Watch::Passed&) {
    return false;
  }
  return true;
}

}  // namespace vta::compiler::loop
