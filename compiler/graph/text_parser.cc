// Parses graph text.
#include "compiler/graph/ops.h"
#include "compiler/graph/ops/convert.h"
#include "compiler/graph/text.h"
#include "compiler/graph/text_scanner.h"

namespace vta::compiler {
namespace {

class GraphParser {
 public:
  explicit GraphParser(const ConstantTable& constants) : constants_(constants) {}

  void Line(TextScanner& line) {
    if (!started_) {
      Header(line);
    } else if (line.Accept("output")) {
      const std::string name = line.Quote();
      line.Expect("=");
      graph_.AddOutput(name, Use(line));
    } else {
      Define(line);
    }
    if (!line.AtEnd()) throw line.Fail("expected the end of the line");
  }

  Graph Finish(const std::string& file) {
    if (!started_) throw Error(file, "text", "empty", "must begin with a line \"graph ...\"");
    return std::move(graph_);
  }

 private:
  void Header(TextScanner& line) {
    line.Expect("graph");
    const std::string name = line.Quote();
    line.Expect("rounding=");
    isa::Rounding rounding = isa::Rounding::kSingle;
    if (line.Accept("double")) {
      rounding = isa::Rounding::kDouble;
    } else {
      line.Expect("single");
    }
    graph_ = Graph(name, rounding);
    started_ = true;
  }

  ValueId Use(TextScanner& line) {
    const std::string name = line.Name();
    auto found = ids_.find(name);
    if (found == ids_.end()) throw line.Fail(StrCat("no value %", name, " is defined above"));
    return found->second;
  }

  void Define(TextScanner& line) {
    const std::string name = line.Name();
    if (ids_.contains(name)) throw line.Fail(StrCat("value %", name, " is defined twice"));
    line.Expect(":");
    const TensorType type = line.Type();
    if (!CheckedElements(type.shape)) throw line.Fail("dimensions must be at least 1");
    std::optional<Storage> storage;
    if (line.Accept("in")) storage = StorageOf(line, type);
    line.Expect("=");
    ValueId id = kNone;
    if (line.Accept("input")) {
      id = graph_.AddInput(name, type);
    } else if (line.Accept("const")) {
      id = line.Accept("#") ? graph_.AddConstant(name, Lookup(line, type))
                            : graph_.AddConstant(name, Inline(line, type));
    } else {
      id = NodeOf(line, name);
      if (graph_.type(id) != type)
        throw line.Fail(StrCat("the op makes ", ToText(graph_.type(id)), ", not ", ToText(type)));
    }
    if (storage) graph_.Store(id, *storage);
    ids_.emplace(name, id);
  }

  Storage StorageOf(TextScanner& line, const TensorType& type) {
    constexpr int64_t kMost = 1 << 20;
    Storage storage;
    line.Expect("blocks");
    line.Expect("of");
    storage.channels = line.Integer();
    bool sound = type.shape.size() == 4 && storage.channels >= 1 && storage.channels <= kMost;
    if (line.Accept(",")) {
      const bool bordered = line.Accept("border");
      if (bordered) {
        for (int64_t& side : storage.border) {
          side = line.Integer();
          sound &= side >= 0 && side <= kMost;
        }
        line.Expect("of");
        storage.fill = line.Number();
      }
      if (!bordered || line.Accept(",")) {
        storage.halves = line.Accept("halves");
        if (!storage.halves) line.Expect("biased");
        storage.biased = !storage.halves;
        sound &= type.dtype == (storage.halves ? DType::kFloat32 : DType::kInt8);
      }
    }
    if (!sound || !CheckedElements(storage.Of(type).shape))
      throw line.Fail(StrCat("no ", ToText(type), " lies so in memory"));
    return storage;
  }

  std::shared_ptr<const Tensor> Lookup(TextScanner& line, const TensorType& type) {
    auto found = constants_.find(line.HexDigits());
    if (found == constants_.end()) throw line.Fail("no constant of this hash is in the table");
    if (found->second->type() != type)
      throw line.Fail(StrCat("the constant of this hash is ", ToText(found->second->type())));
    return found->second;
  }

  Tensor Inline(TextScanner& line, const TensorType& type) {
    if (Elements(type.shape) > 4096) throw line.Fail("a constant this large must be given by hash");
    Tensor tensor(type);
    line.Expect("[");
    DispatchDType(type.dtype, [&](auto zero) {
      using T = decltype(zero);
      bool first = true;
      for (T& v : tensor.mutable_data<T>()) {
        if (!first) line.Expect(",");
        first = false;
        if constexpr (std::is_floating_point_v<T>) {
          v = ops::Convert<T>(line.Number());
        } else {
          const int64_t value = line.Integer();
          v = static_cast<T>(value);
          if (static_cast<int64_t>(v) != value)
            throw line.Fail(StrCat(value, " is not an ", vta::compiler::Name(type.dtype)));
        }
      }
    });
    line.Expect("]");
    return tensor;
  }

  ValueId NodeOf(TextScanner& line, const std::string& value_name) {
    const std::string op_name = line.Word();
    const OpSpec* spec = FindOp(op_name);
    if (!spec) throw line.Fail(StrCat("there is no op ", op_name));
    std::vector<ValueId> inputs;
    line.Expect("(");
    do {
      inputs.push_back(Use(line));
    } while (line.Accept(","));
    line.Expect(")");
    Attributes attributes;
    if (line.Accept("{")) {
      do {
        const std::string key = line.Word();
        line.Expect("=");
        attributes.Set(key, line.Attribute());
      } while (line.Accept(","));
      line.Expect("}");
    }
    const std::string name = line.Quote();
    const ValueId id = graph_.Emit(spec->op, name, inputs, attributes, value_name);
    if (line.Accept("@")) {
      const std::string target = line.Word();
      line.Expect(":");
      graph_.Place(graph_.value(id).producer, target, line.Integer());
    }
    return id;
  }

  const ConstantTable& constants_;
  Graph graph_;
  bool started_ = false;
  std::map<std::string, ValueId> ids_;
};

}  // namespace

Graph ParseGraph(std::string_view text, const ConstantTable& constants, const std::string& file) {
  GraphParser parser(constants);
  int64_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string where = StrCat(file, ", line ", ++number);
    TextScanner line(text.substr(0, end), where);
    try {
      if (!line.AtEnd()) parser.Line(line);
    } catch (const Error& error) {
      if (error.where().starts_with(where)) throw;
      throw error.In(where);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.Finish(file);
}

}  // namespace vta::compiler
