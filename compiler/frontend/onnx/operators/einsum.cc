// The converter of Einsum: operand by operand into a product that keeps the labels which the output
// or a later operand has. What both have and nobody needs is summed by a matrix product.
#include <algorithm>
#include <map>

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

/// A tensor, with a letter for each of its axes.
struct Labelled {
  std::string labels;
  ValueId value;

  bool Has(char label) const { return labels.find(label) != std::string::npos; }
};

ValueId Permute(OnnxNode& node, const Labelled& x, const std::string& order) {
  std::vector<int64_t> perm;
  for (char label : order) perm.push_back(static_cast<int64_t>(x.labels.find(label)));
  return std::ranges::is_sorted(perm) ? x.value
                                      : node.Emit(Op::kTranspose, {x.value}, {{"perm", perm}});
}

class Contraction {
 public:
  explicit Contraction(OnnxNode& node) : node_(node), equation_(node.String("equation", "")) {
    std::erase(equation_, ' ');
    const size_t arrow = equation_.find("->");
    std::string left = equation_.substr(0, arrow) + ",";
    for (int64_t i = 0; i < node.input_count(); ++i) {
      const size_t comma = left.find(',');
      if (comma == std::string::npos) throw Fail("must have a term for each input");
      Read(left.substr(0, comma), node.Input(i));
      left.erase(0, comma + 1);
    }
    if (!left.empty()) throw Fail("must have an input for each term");
    output_ = arrow == std::string::npos ? Implied() : Expanded(equation_.substr(arrow + 2), most_);
    for (char label : output_)
      if (!sizes_.contains(label) || std::ranges::count(output_, label) > 1)
        throw Fail("its output must have labels of the inputs, each once");
  }

  ValueId Run() {
    for (Labelled& term : terms_) term = WithoutOnes(Diagonal(std::move(term)));
    Labelled sum = terms_[0];
    for (size_t i = 1; i <= terms_.size(); ++i) {
      std::string kept = output_;
      for (size_t later = i; later < terms_.size(); ++later) kept += terms_[later].labels;
      sum = WithoutUnused(sum, kept);
      if (i == terms_.size()) break;
      kept = output_;
      for (size_t later = i + 1; later < terms_.size(); ++later) kept += terms_[later].labels;
      sum = Product(sum, WithoutUnused(terms_[i], kept + sum.labels), kept);
    }
    return Permute(node_, sum, output_);
  }

 private:
  Error Fail(std::string rule) const {
    return node_.Fail("attribute equation", equation_, std::move(rule));
  }

  /// The axes of an ellipsis get labels below all letters, counted from the last.
  std::string Expanded(const std::string& term, size_t ellipsis) const {
    std::string labels;
    for (size_t i = 0; i < term.size(); ++i) {
      if (term.compare(i, 3, "...") == 0) {
        for (size_t axis = ellipsis; axis > 0; --axis) labels += static_cast<char>(axis);
        i += 2;
      } else if (std::isalpha(static_cast<unsigned char>(term[i]))) {
        labels += term[i];
      } else {
        throw Fail("must be of letters, commas, ... and ->");
      }
    }
    return labels;
  }

  void Read(const std::string& term, ValueId value) {
    const Shape shape = node_.type(value).shape;
    const bool open = term.find("...") != std::string::npos;
    const size_t named = term.size() - (open ? 3 : 0);
    if (open ? named > shape.size() : named != shape.size())
      throw Fail(StrCat("its term ", term, " must have a label for each axis of ", ToText(shape)));
    const size_t ellipsis = shape.size() - named;
    constexpr size_t kMostAxes = 32;
    if (ellipsis > kMostAxes) throw Fail("its ... must stand for 32 axes or fewer");
    most_ = std::max(most_, open ? ellipsis : 0);
    const Labelled read{Expanded(term, ellipsis), value};
    if (read.labels.size() != shape.size()) throw Fail("must have ... once in a term at most");
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t& size = sizes_.try_emplace(read.labels[i], shape[i]).first->second;
      if (size != shape[i] && size != 1 && shape[i] != 1)
        throw Fail(StrCat("one of its labels has the sizes ", size, " and ", shape[i]));
      size = std::max(size, shape[i]);
    }
    terms_.push_back(read);
  }

  /// The ellipsis, then the labels that occur once, in the order of letters.
  std::string Implied() const {
    std::string all, once;
    for (const Labelled& term : terms_) all += term.labels;
    for (size_t axis = most_; axis > 0; --axis) once += static_cast<char>(axis);
    for (const auto& [label, size] : sizes_)
      if (std::isalpha(static_cast<unsigned char>(label)) && std::ranges::count(all, label) == 1)
        once += label;
    return once;
  }

  /// Of axes with one label, the elements whose places on them are equal.
  Labelled Diagonal(Labelled x) const {
    for (size_t i = 0; i < x.labels.size(); ++i) {
      const size_t again = x.labels.find(x.labels[i], i + 1);
      if (again == std::string::npos) continue;
      const Shape shape = node_.type(x.value).shape;
      if (shape[i] != shape[again]) throw Fail("axes with one label must be of one size");
      std::vector<int64_t> perm;
      Labelled rest;
      Shape joined;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis == i || axis == again) continue;
        perm.push_back(static_cast<int64_t>(axis));
        rest.labels += x.labels[axis];
        joined.push_back(shape[axis]);
      }
      perm.insert(perm.end(), {static_cast<int64_t>(i), static_cast<int64_t>(again)});
      rest.labels += x.labels[i];
      joined.push_back(shape[i] * shape[i]);
      const ValueId turned = node_.Emit(Op::kTranspose, {x.value}, {{"perm", perm}});
      std::vector<int64_t> starts(joined.size(), 0), steps(joined.size(), 1);
      steps.back() = shape[i] + 1;
      rest.value = node_.Reshape(turned, joined);
      joined.back() = shape[i];
      rest.value = node_.Emit(Op::kSlice, {rest.value},
                              {{"starts", starts}, {"steps", steps}, {"shape", joined}});
      return Diagonal(rest);
    }
    return x;
  }

  /// An axis of size 1 goes where another operand has more of its label.
  Labelled WithoutOnes(const Labelled& x) const {
    const Shape shape = node_.type(x.value).shape;
    Labelled rest{"", kNone};
    Shape kept;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != sizes_.at(x.labels[i])) continue;
      rest.labels += x.labels[i];
      kept.push_back(shape[i]);
    }
    rest.value = node_.Reshape(x.value, kept);
    return rest;
  }

  Labelled WithoutUnused(const Labelled& x, const std::string& used) const {
    std::vector<int64_t> axes;
    Labelled rest{"", x.value};
    for (size_t i = 0; i < x.labels.size(); ++i) {
      if (used.find(x.labels[i]) == std::string::npos) {
        axes.push_back(static_cast<int64_t>(i));
      } else {
        rest.labels += x.labels[i];
      }
    }
    if (!axes.empty())
      rest.value =
          node_.Emit(Op::kReduceSum, {x.value}, {{"axes", axes}, {"keepdims", int64_t{0}}});
    return rest;
  }

  Shape SizesOf(const std::string& labels) const {
    Shape shape;
    for (char label : labels) shape.push_back(sizes_.at(label));
    return shape;
  }

  Labelled Product(const Labelled& a, const Labelled& b, const std::string& kept) const {
    std::string both, summed, of_a, of_b;
    for (char label : a.labels) {
      const bool is_kept = kept.find(label) != std::string::npos;
      (!b.Has(label) ? of_a : is_kept ? both : summed) += label;
    }
    for (char label : b.labels)
      if (!a.Has(label)) of_b += label;
    const int64_t rows = Elements(SizesOf(of_a)), columns = Elements(SizesOf(of_b));
    const int64_t depth = Elements(SizesOf(summed));
    Shape shape_a = SizesOf(both), shape_b = shape_a;
    shape_a.insert(shape_a.end(), {rows, depth});
    shape_b.insert(shape_b.end(), {depth, columns});
    const ValueId left = node_.Reshape(Permute(node_, a, both + of_a + summed), shape_a);
    const ValueId right = node_.Reshape(Permute(node_, b, both + summed + of_b), shape_b);
    const ValueId y = node_.Emit(summed.empty() ? Op::kMul : Op::kMatMul, {left, right});
    const std::string labels = both + of_a + of_b;
    return {labels, node_.Reshape(y, SizesOf(labels))};
  }

  OnnxNode& node_;
  std::string equation_, output_;
  std::vector<Labelled> terms_;
  std::map<char, int64_t> sizes_;
  size_t most_ = 0;  // axes of an ellipsis
};

}  // namespace

void ConvertEinsum(OnnxNode& node) { node.Result(Contraction(node).Run()); }

}  // namespace vta::compiler
