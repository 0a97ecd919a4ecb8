#include "compiler/frontend/onnx/graph_reader.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/tensor.h"
#include "compiler/graph/schedule.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

constexpr std::string_view kOurDomainName = "ai.onnx";  // another name of the domain ""

/// Calls f with each graph that is an attribute of the node.
template <typename F>
void ForEachSubgraph(const onnx::NodeProto& node, F f) {
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.has_g()) f(attribute.g());
}

void CountUnknown(const onnx::GraphProto& proto, std::map<std::string, int64_t>& unknown) {
  for (const onnx::NodeProto& node : proto.node()) {
    const std::string domain = OnnxDomain(node.domain());
    if (!FindOnnxOperator(domain, node.op_type()))
      ++unknown[StrCat(domain, domain.empty() ? "" : ".", node.op_type())];
    ForEachSubgraph(node, [&](const onnx::GraphProto& inner) { CountUnknown(inner, unknown); });
  }
}

/// The names that a graph binds itself.
std::set<std::string> NamesBoundIn(const onnx::GraphProto& proto) {
  std::set<std::string> names;
  for (const onnx::ValueInfoProto& input : proto.input()) names.insert(input.name());
  for (const onnx::TensorProto& tensor : proto.initializer()) names.insert(tensor.name());
  for (const onnx::NodeProto& node : proto.node())
    names.insert(node.output().begin(), node.output().end());
  return names;
}

/// Calls f with the names of the graph around it that a node reads, or a graph inside it.
void ForEachName(const onnx::NodeProto& node, const std::function<void(const std::string&)>& f) {
  for (const std::string& input : node.input()) f(input);
  ForEachSubgraph(node, [&](const onnx::GraphProto& inner) {
    const std::set<std::string> own = NamesBoundIn(inner);
    const auto around = [&](const std::string& name) {
      if (!own.contains(name)) f(name);
    };
    for (const onnx::NodeProto& part : inner.node()) ForEachName(part, around);
    for (const onnx::ValueInfoProto& output : inner.output()) around(output.name());
  });
}

/// A node on a cycle, of which there is one.
int64_t OnACycle(const onnx::GraphProto& proto, std::vector<std::pair<int64_t, int64_t>> edges) {
  std::sort(edges.begin(), edges.end());
  std::vector<int64_t> waits(proto.node_size()), ready;
  for (const auto& [from, to] : edges) ++waits[to];
  for (int i = 0; i < proto.node_size(); ++i)
    if (waits[i] == 0) ready.push_back(i);
  while (!ready.empty()) {
    const int64_t node = ready.back();
    ready.pop_back();
    for (auto edge = std::lower_bound(edges.begin(), edges.end(), std::pair(node, int64_t{0}));
         edge != edges.end() && edge->first == node; ++edge)
      if (--waits[edge->second] == 0) ready.push_back(edge->second);
  }
  // Every node that still waits does so for one that waits: going back ends on a cycle.
  std::map<int64_t, int64_t> before;
  for (const auto& [from, to] : edges)
    if (waits[from] > 0 && waits[to] > 0) before[to] = from;
  int64_t node = before.begin()->first;
  for (size_t step = 0; step < before.size(); ++step) node = before.at(node);
  return node;
}

/// An executable order of the nodes; also refuses values that are defined twice.
std::vector<int64_t> NodeOrder(const onnx::GraphProto& proto, const OnnxScope& scope) {
  std::map<std::string, int64_t> producers;
  for (int i = 0; i < proto.node_size(); ++i) {
    for (const std::string& output : proto.node(i).output()) {
      if (output.empty()) continue;
      if (scope.names->own.contains(output) || !producers.emplace(output, i).second)
        throw Error(StrCat("node \"", proto.node(i).name(), "\" (", proto.node(i).op_type(), ")"),
                    "output", output, "is defined twice");
    }
  }
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (int i = 0; i < proto.node_size(); ++i) {
    ForEachName(proto.node(i), [&](const std::string& input) {
      auto found = producers.find(input);
      if (found != producers.end()) edges.emplace_back(found->second, i);
    });
  }
  const auto order = TopologicalOrder(proto.node_size(), edges);
  if (!order) {
    const onnx::NodeProto& node = proto.node(static_cast<int>(OnACycle(proto, edges)));
    throw Error(StrCat("node \"", node.name(), "\" (", node.op_type(), ")"), "", "",
                "waits for itself: its inputs come from its own outputs");
  }
  return *order;
}

void ReadNode(const onnx::NodeProto& proto, OnnxScope& scope) {
  const std::string domain = OnnxDomain(proto.domain());
  // Exporters leave out domains beside ONNX's own, whose operators are those of its first opset.
  const int64_t first = domain.empty() ? 0 : 1;
  const int64_t opset = scope.opsets.contains(domain) ? scope.opsets[domain] : first;
  OnnxNode node(proto, opset, scope);
  try {
    const OnnxOperator* row = FindOnnxOperator(domain, proto.op_type());
    VTA_CHECK(row, proto.op_type());
    if (opset < row->since)
      throw node.Fail("operator", proto.op_type(),
                      StrCat("needs opset ", row->since, " of its domain"));
    if (proto.input_size() < row->min_inputs || proto.input_size() > row->max_inputs)
      throw node.Fail("inputs", StrCat(proto.input_size()),
                      StrCat("must be ", row->min_inputs, " to ", row->max_inputs));
    for (int i = row->outputs; i < proto.output_size(); ++i) {
      if (!proto.output(i).empty())
        throw node.Fail("outputs", proto.output(i), StrCat("only ", row->outputs, " supported"));
    }
    ++scope.nodes;
    row->convert(node);
    node.FinishAttributes();
  } catch (const Error& error) {
    throw Error(node.Where(), error.subject(), error.value(), error.rule());
  }
}

}  // namespace

std::string OnnxDomain(const std::string& name) { return name == kOurDomainName ? "" : name; }

void CheckOnnxOperators(const onnx::GraphProto& proto) {
  constexpr size_t kMostNamed = 20;
  std::map<std::string, int64_t> unknown;
  CountUnknown(proto, unknown);
  std::string list;
  size_t named = 0;
  for (const auto& [name, count] : unknown) {
    if (++named > kMostNamed) continue;
    list += StrCat(list.empty() ? "" : ", ", name, " (", Counted(count, "node"), ")");
  }
  if (named > kMostNamed) list += StrCat(" and ", named - kMostNamed, " more");
  if (named > 0)
    throw Error("", Plural(named, "operator"), list,
                named == 1 ? "is not supported" : "are not supported");
}

void ReadOnnxInitializers(const onnx::GraphProto& proto, OnnxScope& scope,
                          const AbsentWeights* absent) {
  if (proto.sparse_initializer_size() > 0)
    throw Error("", "sparse_initializer", proto.sparse_initializer(0).values().name(),
                "sparse tensors are not supported");
  for (const onnx::TensorProto& tensor : proto.initializer()) {
    scope.Count(ReadOnnxType(tensor, "initializer"), "initializers");
    scope.Note(tensor.data_type());
    std::optional<Tensor> made_up;
    if (absent) made_up = absent->Of(tensor, "initializer");
    OnnxBinding binding{std::make_shared<const Tensor>(
        made_up ? std::move(*made_up) : ReadOnnxTensor(tensor, "initializer", scope.folder))};
    if (tensor.name().empty()) throw Error("", "initializer", "unnamed", "must have a name");
    if (!scope.names->own.emplace(tensor.name(), std::move(binding)).second)
      throw Error("", "initializer", tensor.name(), "is defined twice");
  }
}

void ReadOnnxNodes(const onnx::GraphProto& proto, OnnxScope& scope) {
  for (int64_t i : NodeOrder(proto, scope)) ReadNode(proto.node(static_cast<int>(i)), scope);
}

OnnxSubgraph::OnnxSubgraph(const onnx::GraphProto& proto, OnnxScope& scope)
    : proto_(proto), scope_(scope), constants_{{}, scope.names} {
  scope_.names = &constants_;
  ReadOnnxInitializers(proto, scope);
  scope_.names = constants_.around;
}

int64_t OnnxSubgraph::input_count() const { return proto_.input_size(); }
int64_t OnnxSubgraph::output_count() const { return proto_.output_size(); }

namespace {

/// Sees other names while it lives.
class Outside {
 public:
  Outside(OnnxNames** seen, OnnxNames* names) : seen_(seen), before_(*seen) { *seen = names; }
  ~Outside() { *seen_ = before_; }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  OnnxNames** const seen_;
  OnnxNames* const before_;
};

}  // namespace

std::vector<OnnxBinding> OnnxSubgraph::Run(const std::vector<OnnxBinding>& inputs) {
  VTA_CHECK(std::ssize(inputs) == proto_.input_size(), inputs.size());
  OnnxNames names{{}, &constants_};
  for (size_t i = 0; i < inputs.size(); ++i)
    names.own[proto_.input(static_cast<int>(i)).name()] = inputs[i];
  const Outside outside(&scope_.names, &names);
  ReadOnnxNodes(proto_, scope_);
  std::vector<OnnxBinding> outputs;
  for (const onnx::ValueInfoProto& output : proto_.output()) {
    const OnnxBinding* const found = names.Find(output.name());
    if (!found) throw Error("", "output", output.name(), "is not made by any node");
    outputs.push_back(*found);
  }
  return outputs;
}

}  // namespace vta::compiler
