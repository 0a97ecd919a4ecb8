#include "compiler/te/te.h"

#include <algorithm>
#include <set>

#include "compiler/loop/analysis.h"
#include "compiler/loop/parser.h"
#include "isa/support/error.h"

namespace vta::compiler::te {

using loop::Block;
using loop::Iter;
using loop::IterKind;
using loop::Stmt;
using loop::Var;

/// How the elements of a tensor are computed.
struct Definition {
  std::vector<std::string> axis_names;
  std::vector<Var> axes;
  Expr value;
  std::vector<ReduceAxis> reduce;
  loop::Op reduce_op = loop::Op::kAdd;
  std::optional<Expr> start;  // of the reduction
};

namespace {

Reduction Reduce(loop::Op op, const Expr& value, std::vector<ReduceAxis> axes) {
  if (axes.empty()) throw Error("", "reduction", "no axes", "must run over at least one axis");
  return {.op = op, .value = value, .axes = std::move(axes)};
}

Expr Identity(loop::Op op, DType dtype) {
  if (op == loop::Op::kMax) return LeastOf(dtype);
  if (op == loop::Op::kMin) return GreatestOf(dtype);
  return IntConst(dtype, 0);
}

/// A loop for each axis around the block.
Stmt Nest(const loop::Buffer& buffer, const Definition& node) {
  std::vector<std::pair<Var, int64_t>> loops;
  Block block{.name = buffer->name};
  auto add = [&](const std::string& name, const Var& var, int64_t extent, IterKind kind) {
    loops.emplace_back(loop::MakeVar(name), extent);
    block.iters.push_back({var, extent, kind, Expr(loops.back().first)});
  };
  for (size_t d = 0; d < node.axes.size(); ++d)
    add(node.axis_names[d], node.axes[d], buffer->shape[d], IterKind::kSpatial);
  for (const ReduceAxis& axis : node.reduce)
    add(axis.name(), axis.var(), axis.extent(), IterKind::kReduce);

  const std::vector<Expr> at(node.axes.begin(), node.axes.end());
  Expr value = node.value;
  if (!node.reduce.empty()) {
    block.init = MakeStmt(
        loop::Store{buffer, at, node.start.value_or(Identity(node.reduce_op, buffer->dtype))});
    value = Apply(node.reduce_op, {Load(buffer, at), value});
  }
  block.body = MakeStmt(loop::Store{buffer, at, value});
  Stmt stmt = MakeStmt(std::move(block));
  for (size_t i = loops.size(); i-- > 0;)
    stmt = MakeStmt(loop::For{.var = loops[i].first, .extent = loops[i].second, .body = stmt});
  return stmt;
}

}  // namespace

Reduction ReduceSum(const Expr& value, std::vector<ReduceAxis> axes) {
  return Reduce(loop::Op::kAdd, value, std::move(axes));
}
Reduction ReduceMax(const Expr& value, std::vector<ReduceAxis> axes) {
  return Reduce(loop::Op::kMax, value, std::move(axes));
}
Reduction ReduceMin(const Expr& value, std::vector<ReduceAxis> axes) {
  return Reduce(loop::Op::kMin, value, std::move(axes));
}
Reduction From(const Expr& start, Reduction reduction) {
  reduction.start = start;
  return reduction;
}

Expr Tensor::At(std::vector<Expr> indices) const {
  if (indices.size() != shape().size())
    throw Error(StrCat("tensor ", name()), "indices", StrCat(indices.size()),
                StrCat("must be ", shape().size(), ", one a dimension"));
  return element_ ? element_(indices) : Load(buffer_, std::move(indices));
}

void internal::WrongArity(const std::string& name, size_t axes, size_t takes) {
  throw Error(StrCat("tensor ", name), "axes", StrCat(axes),
              StrCat("its function takes ", takes, " indices"));
}

Tensor Placeholder(std::string name, std::vector<int64_t> shape, DType dtype, std::string scope) {
  return Tensor(loop::MakeBuffer(std::move(name), dtype, std::move(shape), std::move(scope)));
}

Tensor View(std::string name, std::vector<int64_t> shape, DType dtype, Tensor::Element element) {
  return Tensor(loop::MakeBuffer(std::move(name), dtype, std::move(shape)), std::move(element));
}

bool IsElementwise(const Tensor& tensor) {
  return tensor.IsView() ||
         (tensor.buffer()->definition && tensor.buffer()->definition->reduce.empty());
}

Tensor Inlined(const Tensor& tensor) {
  VTA_CHECK(IsElementwise(tensor), tensor.name());
  if (tensor.IsView()) return tensor;
  const std::shared_ptr<const Definition> node = tensor.buffer()->definition;
  return View(tensor.name(), tensor.shape(), tensor.dtype(), [node](const std::vector<Expr>& at) {
    loop::VarMap map;
    for (size_t d = 0; d < at.size(); ++d) map.emplace_back(node->axes[d], at[d]);
    return Substitute(node->value, map);
  });
}

Tensor Define(std::string name, const std::vector<Axis>& axes,
              const std::function<Value(const std::vector<Expr>&)>& define, std::string scope) {
  Definition node;
  std::vector<int64_t> shape;
  std::set<std::string> seen;
  auto check = [&](const std::string& axis, int64_t extent) {
    if (extent < 1)
      throw Error(StrCat("tensor ", name), StrCat("axis ", axis), StrCat(extent),
                  "must be at least 1");
    if (!seen.insert(axis).second)
      throw Error(StrCat("tensor ", name), "axis", axis, "occurs twice");
  };
  for (size_t d = 0; d < axes.size(); ++d) {
    node.axis_names.push_back(axes[d].name.empty() ? StrCat("i", d) : axes[d].name);
    node.axes.push_back(loop::MakeVar("v" + node.axis_names[d]));
    shape.push_back(axes[d].extent);
    check(node.axis_names[d], shape[d]);
  }
  const Value value = define({node.axes.begin(), node.axes.end()});
  if (const Reduction* reduction = std::get_if<Reduction>(&value)) {
    node.value = reduction->value;
    node.reduce = reduction->axes;
    node.reduce_op = reduction->op;
    node.start = reduction->start;
    for (const ReduceAxis& axis : node.reduce) check(axis.name(), axis.extent());
  } else {
    node.value = std::get<Expr>(value);
  }
  const DType dtype = node.value.dtype();
  return Tensor(std::make_shared<const loop::BufferNode>(
      loop::BufferNode{std::move(name),
                       dtype,
                       std::move(shape),
                       std::move(scope),
                       {},
                       std::make_shared<const Definition>(std::move(node))}));
}

Tensor Pad(std::string name, const Tensor& input, const std::vector<int64_t>& before,
           const std::vector<int64_t>& after, const Expr& value) {
  const std::vector<int64_t>& shape = input.shape();
  if (before.size() != shape.size() || after.size() != shape.size())
    throw Error(StrCat("tensor ", name), "padding", StrCat(before.size(), " and ", after.size()),
                StrCat("must be ", shape.size(), " numbers before and after"));
  std::vector<Axis> axes;
  for (size_t d = 0; d < shape.size(); ++d) axes.emplace_back(before[d] + shape[d] + after[d]);
  return Define(std::move(name), axes, [&](const std::vector<Expr>& x) -> Value {
    std::vector<Expr> at;
    Expr inside = loop::BoolConst(true);
    for (size_t d = 0; d < shape.size(); ++d) {
      at.push_back(x[d] - before[d]);
      if (before[d] > 0) inside = inside && x[d] >= before[d];
      if (after[d] > 0) inside = inside && x[d] < before[d] + shape[d];
    }
    return Select(inside, input.At(at), Cast(input.dtype(), value));
  });
}

namespace {

/// The buffers that the listed tensors need, each after those it reads.
void Order(const loop::Buffer& buffer, std::vector<loop::Buffer>& out) {
  if (std::find(out.begin(), out.end(), buffer) != out.end()) return;
  if (buffer->definition) {
    const auto order = [&](const Expr& e) {
      if (e.op() == loop::Op::kLoad) Order(e->buffer, out);
    };
    Visit(buffer->definition->value, order);
    if (const auto& start = buffer->definition->start) Visit(*start, order);
  }
  out.push_back(buffer);
}

}  // namespace

loop::Function Lower(const std::string& name, const std::vector<Tensor>& params) {
  std::vector<loop::Buffer> order;
  for (const Tensor& param : params) Order(param.buffer(), order);

  if (std::ssize(order) > loop::kMaxTensors)
    throw Error(StrCat("func ", name), "tensors", StrCat(order.size()),
                StrCat("must be ", loop::kMaxTensors, " at most"));

  // The function's own buffers do not carry definitions.
  std::vector<loop::Buffer> own;
  std::set<std::string> names;
  for (const loop::Buffer& b : order) {
    own.push_back(MakeBuffer(b->name, b->dtype, b->shape, b->scope));
    if (!names.insert(b->name).second)
      throw Error(StrCat("func ", name), "tensor", b->name, "two tensors have this name");
  }
  auto own_of = [&](const loop::Buffer& b) {
    return own[std::find(order.begin(), order.end(), b) - order.begin()];
  };
  loop::Function f{name, {}, {}};
  for (const Tensor& param : params) f.params.push_back(own_of(param.buffer()));

  std::vector<Stmt> nests;
  for (size_t i = 0; i < order.size(); ++i) {
    if (!order[i]->definition) {
      if (!IsParam(f, own[i]))
        throw Error(StrCat("func ", name), "input", own[i]->name, "must be among the parameters");
      continue;
    }
    nests.push_back(RewriteExprs(Nest(own[i], *order[i]->definition), [&](const Expr& e) {
      const bool foreign = e.op() == loop::Op::kLoad && e->buffer != own[i];
      return foreign ? Load(own_of(e->buffer), e->args) : Expr();
    }));
  }
  if (nests.empty())
    throw Error(StrCat("func ", name), "tensors", "only inputs", "something must be computed");
  f.body = MakeSeq(std::move(nests));
  for (size_t i = order.size(); i-- > 0;)
    if (!IsParam(f, own[i])) f.body = MakeStmt(loop::Allocate{own[i], f.body});
  return f;
}

}  // namespace vta::compiler::te
