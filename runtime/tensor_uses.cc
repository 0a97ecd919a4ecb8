#include "runtime/tensor_uses.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace vta::runtime {
namespace {

constexpr int64_t kBefore = -1;  // of bytes that no step has written

/// Who wrote the bytes of a range last.
class Writers {
 public:
  Writers(int64_t begin, int64_t end) : end_(end) { last_[begin] = kBefore; }

  int64_t begin() const { return last_.begin()->first; }
  bool Meets(const isa::PackageTensor& t) const {
    return t.bytes() > 0 && t.offset_bytes < end_ && t.offset_bytes + t.bytes() > begin();
  }
  bool Holds(const isa::PackageTensor& t) const {
    return t.offset_bytes >= begin() && t.offset_bytes + t.bytes() <= end_;
  }
  /// Of the bytes that a tensor shares with the range.
  std::set<int64_t> Of(const isa::PackageTensor& t) const {
    std::set<int64_t> writers;
    for (auto part = last_.begin(); part != last_.end(); ++part)
      if (part->first < t.offset_bytes + t.bytes() && EndOf(part) > t.offset_bytes)
        writers.insert(part->second);
    return writers;
  }
  std::set<int64_t> All() const {
    std::set<int64_t> writers;
    for (const auto& [begin, writer] : last_) writers.insert(writer);
    return writers;
  }
  void Write(const isa::PackageTensor& t, int64_t step) {
    if (!Meets(t)) return;
    const int64_t from = std::max(t.offset_bytes, begin());
    const int64_t to = std::min(t.offset_bytes + t.bytes(), end_);
    if (to < end_) last_.insert({to, std::prev(last_.upper_bound(to))->second});
    last_.erase(last_.lower_bound(from), last_.lower_bound(to));
    last_[from] = step;
  }

 private:
  int64_t EndOf(std::map<int64_t, int64_t>::const_iterator part) const {
    return std::next(part) == last_.end() ? end_ : std::next(part)->first;
  }
  std::map<int64_t, int64_t> last_;  // by where a part begins
  int64_t end_;
};

/// Takes the arguments of all steps in their order: what a step reads, then what it writes.
using Take = std::function<void(int64_t step, int64_t argument, const isa::PackageTensor& tensor,
                                bool is_read)>;
void Walk(const isa::Package& p, const Take& take) {
  for (int64_t s = 0; s < std::ssize(p.steps); ++s) {
    int64_t argument = 0;
    for (const auto* list : {&p.steps[s].inputs, &p.steps[s].outputs})
      for (const int64_t tensor : *list)
        take(s, argument++, p.tensors[tensor], list == &p.steps[s].inputs);
  }
}

/// A step that finds tensors by pointers of the host.
bool IsOfHost(const isa::Package& p, int64_t step) {
  const isa::PackageStep& s = p.steps[step];
  return s.kind == isa::PackageStep::Kind::kCopy ||
         (s.kind == isa::PackageStep::Kind::kKernel && !p.IsOnGpu(s));
}

bool IsInArena(const isa::Package& p, const isa::PackageTensor& t) {
  return !p.IsConstant(t) && !p.IsOnGpu(t);
}

}  // namespace

std::optional<std::vector<TensorUse>> UsesOfInput(const isa::Package& p, int64_t input) {
  const isa::PackageTensor& own = p.tensors[p.inputs[input]];
  if (!IsInArena(p, own)) return std::nullopt;
  Writers writers(own.offset_bytes, own.offset_bytes + own.bytes());
  const auto is_own = [&](const isa::PackageTensor& t) {
    return writers.Meets(t) && writers.Of(t).contains(kBefore);
  };
  std::vector<TensorUse> uses;
  bool apart = true;  // from all that is not of the host
  Walk(p, [&](int64_t step, int64_t argument, const isa::PackageTensor& t, bool is_read) {
    if (!is_read) return writers.Write(t, step);
    if (!is_own(t)) return;
    apart &= IsOfHost(p, step) && writers.Holds(t) && writers.Of(t).size() == 1;
    uses.push_back({step, argument, t.offset_bytes - own.offset_bytes});
  });
  for (const int64_t output : p.outputs) apart &= !is_own(p.tensors[output]);
  return apart ? std::optional(uses) : std::nullopt;
}

std::optional<std::vector<TensorUse>> UsesOfOutput(const isa::Package& p, int64_t output) {
  const isa::PackageTensor& own = p.tensors[p.outputs[output]];
  if (!IsInArena(p, own)) return std::nullopt;
  const Writers before(own.offset_bytes, own.offset_bytes + own.bytes());
  Writers writers = before;
  for (int64_t other = 0; other < std::ssize(p.outputs); ++other)
    if (other != output && writers.Meets(p.tensors[p.outputs[other]])) return std::nullopt;
  Walk(p, [&](int64_t step, int64_t, const isa::PackageTensor& t, bool is_read) {
    if (!is_read) writers.Write(t, step);
  });
  const std::set<int64_t> last = writers.All();  // those whose bytes are the output's
  if (last.contains(kBefore)) return std::nullopt;
  writers = before;
  std::vector<TensorUse> uses;
  bool apart = true;
  Walk(p, [&](int64_t step, int64_t argument, const isa::PackageTensor& t, bool is_read) {
    if (!writers.Meets(t)) return;
    const std::set<int64_t> of = is_read ? writers.Of(t) : std::set{step};
    if (!is_read) writers.Write(t, step);
    const auto lasting = std::ranges::count_if(of, [&](int64_t w) { return last.contains(w); });
    if (lasting == 0) return;
    apart &= lasting == std::ssize(of) && IsOfHost(p, step) && writers.Holds(t);
    uses.push_back({step, argument, t.offset_bytes - own.offset_bytes});
  });
  return apart ? std::optional(uses) : std::nullopt;
}

}  // namespace vta::runtime
