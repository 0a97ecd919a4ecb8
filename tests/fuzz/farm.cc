// What a farm's server may give out, of anyone who can reach it: a batch of jobs, its answers, a
// search with its files, and what a worker says of itself, each read as what it is or an Error.
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "isa/support/error.h"
#include "tools/farm/study.h"

namespace vta::farm {
namespace {

/// A server that has one value, with the pieces of its files behind it.
class OneValue : public Link {
 public:
  OneValue(std::string value, std::string piece)
      : value_(std::move(value)), piece_(std::move(piece)) {}
  void Put(Bucket bucket, const std::string& key, std::string_view value) override {
    put[{bucket, key}] = value;
  }
  std::optional<std::string> Get(Bucket, const std::string& key) override {
    if (key.find('.') == std::string::npos) return value_;
    constexpr int kMostPieces = 64;
    if (++pieces_ > kMostPieces) return std::nullopt;
    return piece_;
  }
  std::vector<std::string> Keys(Bucket) override { return {"one", "one.0.0"}; }
  void Remove(Bucket, const std::string&) override {}
  void Send(Queue, const std::string&, const std::string&, std::string_view) override {}
  void Purge(Queue, const std::string&) override {}
  std::unique_ptr<Inbox> Open(Queue, const std::string&, const std::string&, int64_t) override {
    return nullptr;
  }
  void Forget(Queue, const std::string&) override {}
  void SetPatience(std::chrono::seconds) override {}

  std::map<std::pair<Bucket, std::string>, std::string> put;

 private:
  const std::string value_, piece_;
  int pieces_ = 0;
};

void Unless(const std::function<void()>& refused) {
  try {
    refused();
  } catch (const Error&) {
  }
}

void TryFarm(const std::string& text, const std::string& piece) {
  Unless([&] {
    const std::string printed = Print(ParseBatch(text, "batch"));
    VTA_CHECK(Print(ParseBatch(printed, "batch")) == printed);
  });
  Unless([&] {
    const std::string printed = Print(ParseAnswers(text, "answers"));
    VTA_CHECK(Print(ParseAnswers(printed, "answers")) == printed);
  });
  Unless([&] {
    OneValue link(text, piece);
    const Study study = GetStudy(link, "one");
    for (const auto& [name, bytes] : study.files)
      VTA_CHECK(!name.empty() && name.find('/') == std::string::npos && name[0] != '.');
    vta::farm::Put(link, "one", study);
    OneValue again(link.put.at({Bucket::kStudies, "one"}), piece);
    VTA_CHECK(IdOf(GetStudy(again, "one"), "") == IdOf(study, ""));
  });
  Unless([&] {
    OneValue link(text, piece);
    for (const auto& [name, facts] : Workers(link)) {
      vta::farm::Put(link, name, facts);
      OneValue again(link.put.at({Bucket::kWorkers, name}), piece);
      VTA_CHECK(Workers(again).at(name).machine == facts.machine);
    }
  });
  Unless([&] {
    OneValue link(text, piece);
    BuildsOfStudies(link);
  });
}

}  // namespace
}  // namespace vta::farm

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A line of JSON, and what each piece of a file has.
  const std::string all(reinterpret_cast<const char*>(data), size);
  const size_t end = all.find('\n');
  vta::farm::TryFarm(all.substr(0, end), end == all.npos ? "" : all.substr(end + 1));
  return 0;
}
