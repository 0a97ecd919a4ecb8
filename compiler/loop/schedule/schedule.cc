#include "compiler/loop/schedule/schedule.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/verify.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  for (char c : line.substr(0, line.find('#'))) {
    if (c != ' ' && c != '\t' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

void CheckCount(const Primitive& primitive, size_t count) {
  const std::vector<std::string> params = Words(primitive.params);
  const auto least = static_cast<size_t>(
      std::ranges::count_if(params, [](const std::string& name) { return name[0] != '['; }));
  const bool more = primitive.params.ends_with("...");
  if (count < least || (count > params.size() && !more))
    throw Error("", "words", StrCat(count), StrCat("takes: ", primitive.params));
}

const Primitive& FindPrimitive(const std::string& name) {
  for (const Primitive& primitive : Primitives())
    if (primitive.name == name) return primitive;
  throw Error("", "primitive", name, "there is no such schedule primitive");
}

}  // namespace

std::string Print(const Step& step) {
  std::string out = step.primitive;
  for (const std::string& arg : step.args) out += " " + arg;
  return out;
}

std::optional<StepMemo::Made> StepMemo::Find(int64_t steps, const std::string& step) const {
  const std::lock_guard lock(mutex_);
  const auto found = made_.find({steps, step});
  return found == made_.end() ? std::nullopt : std::optional(found->second);
}

StepMemo::Made StepMemo::Keep(int64_t steps, const std::string& step, Made made) {
  const std::lock_guard lock(mutex_);
  if (made_.size() == kMost) made_.clear();
  made.number = ++count_;
  return made_.try_emplace({steps, step}, std::move(made)).first->second;
}

std::shared_ptr<StepMemo> StepMemos::Of(const std::string& function) {
  const std::lock_guard lock(mutex_);
  if (memos_.size() == kMost && !memos_.contains(function)) memos_.clear();
  std::shared_ptr<StepMemo>& memo = memos_[function];
  if (!memo) memo = std::make_shared<StepMemo>();
  return memo;
}

Schedule::Schedule(Function function, std::vector<tensorize::IntrinsicRef> intrinsics,
                   Verified verified, std::shared_ptr<StepMemo> memo)
    : function_(std::move(function)),
      intrinsics_(std::move(intrinsics)),
      verified_(verified),
      memo_(std::move(memo)) {
  if (verified_ == Verified::kEachStep) Verify(function_);
}

std::vector<std::string> Schedule::Loops(const std::string& block) const {
  std::vector<std::string> out;
  for (const Stmt& loop : FindSite(function_, block).loops) out.push_back(As<For>(loop)->var->name);
  return out;
}

std::string Schedule::TraceText() const {
  std::string out;
  for (const Step& step : trace_) out += Print(step) + "\n";
  return out;
}

std::vector<std::string> Schedule::Apply(const Step& step) {
  std::optional<StepMemo::Made> made = memo_ ? memo_->Find(steps_, Print(step)) : std::nullopt;
  try {
    if (!made) {
      const Primitive& primitive = FindPrimitive(step.primitive);
      CheckCount(primitive, step.args.size());
      Application application{function_, step.args, intrinsics_};
      std::vector<std::string> names = primitive.apply(application);
      if (verified_ == Verified::kEachStep) Verify(application.function);
      made = {std::move(application.function), std::move(names)};
      if (memo_) made = memo_->Keep(steps_, Print(step), std::move(*made));
    }
    function_ = std::move(made->function);
    steps_ = made->number;
    trace_.push_back(step);
    return std::move(made->names);
  } catch (const Error& error) {
    throw error.In(Print(step));
  }
}

void Schedule::Replay(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::vector<std::string> words = Words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    const std::string name = words[0];
    words.erase(words.begin());
    Apply({name, std::move(words)});
  }
}

}  // namespace vta::compiler::loop
