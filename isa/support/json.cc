#include "isa/support/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vta {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMostShown = 60;  // characters of a name or value in a message

// Text of a file inside a message: on one line, and not all of it when it is long.
std::string Shown(std::string text) {
  if (text.size() > kMostShown) text = text.substr(0, kMostShown - 3) + "...";
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string LineAndColumn(std::string_view text, size_t position) {
  position = std::min(position, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + position, '\n');
  const size_t start = text.rfind('\n', position == 0 ? 0 : position - 1);
  const size_t column =
      start == std::string_view::npos || position == 0 ? position : position - start - 1;
  return StrCat(line, ":", std::max<size_t>(column, 1));
}

// Builds a Json value from the parser's events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool null() override { return Add(Json()); }
  bool boolean(bool value) override { return Add(Json(value)); }
  bool number_integer(int64_t value) override { return Add(Json(value)); }
  bool number_unsigned(uint64_t value) override {
    if (value > static_cast<uint64_t>(INT64_MAX))
      throw Error(file_, Place(), std::to_string(value), "integers must fit 64 signed bits");
    return Add(Json(static_cast<int64_t>(value)));
  }
  bool number_float(double value, const std::string&) override { return Add(Json(value)); }
  bool string(std::string& value) override { return Add(Json(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(Json(Json::Object{})); }
  bool start_array(size_t) override { return Open(Json(Json::Array{})); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& value) override {
    key_ = value;
    if (open_.back().second.Find(value))
      throw Error(file_, Place(), "", "the key stands twice in one object");
    return true;
  }
  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;  // of the library
    if (error.id == kNumberOverflow)
      throw Error(file_, Place(), Shown(token), "the number is too large");
    throw Error(StrCat(file_, ":", LineAndColumn(text_, position)), "",
                StrCat("'", Shown(token), "'"), "not valid JSON here");
  }

  Json Result() && { return std::move(result_); }

 private:
  bool Open(Json value) {
    if (open_.size() >= kMaxDepth)
      throw Error(file_, Place(), "", StrCat("nested deeper than ", kMaxDepth, " levels"));
    open_.emplace_back(Name(), std::move(value));
    return true;
  }
  bool Close() {
    auto [key, value] = std::move(open_.back());
    open_.pop_back();
    key_ = key;
    return Add(std::move(value));
  }
  bool Add(Json value) {
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (auto* array = open_.back().second.as_array()) {
      array->push_back(std::move(value));
    } else {
      open_.back().second.as_object()->emplace_back(key_, std::move(value));
    }
    return true;
  }

  // What the next value is called inside the object or array that is open.
  std::string Name() const {
    const auto* array = open_.empty() ? nullptr : open_.back().second.as_array();
    return array ? StrCat("[", array->size(), "]") : key_;
  }
  // "arch.acc_depth", "layers[2].name".
  std::string Place() const {
    std::string out;
    const auto append = [&](const std::string& name) {
      out += StrCat(out.empty() || name.starts_with('[') ? "" : ".", name);
    };
    for (size_t i = 1; i < open_.size(); ++i) append(open_[i].first);
    append(Name());
    return Shown(out);
  }

  std::string_view text_;
  const std::string& file_;
  std::string key_;
  std::vector<std::pair<std::string, Json>> open_;
  Json result_;
};

nlohmann::ordered_json ToLibrary(const Json& json) {
  if (json.is_null()) return nullptr;
  if (auto* b = json.as_bool()) return *b;
  if (auto* i = json.as_int()) return *i;
  if (auto* d = json.as_double()) return *d;
  if (auto* s = json.as_string()) return *s;
  if (auto* a = json.as_array()) {
    auto out = nlohmann::ordered_json::array();
    for (const Json& item : *a) out.push_back(ToLibrary(item));
    return out;
  }
  auto out = nlohmann::ordered_json::object();
  for (const auto& [key, value] : *json.as_object()) out[key] = ToLibrary(value);
  return out;
}

std::string Short(const Json& json) { return Shown(json.Dump(-1)); }

}  // namespace

Json Json::Parse(std::string_view text, const std::string& file) {
  Builder builder(text, file);
  nlohmann::json::sax_parse(text, &builder);
  return std::move(builder).Result();
}

const Json* Json::Find(std::string_view key) const {
  const Object* object = as_object();
  if (!object) return nullptr;
  for (const auto& [name, value] : *object)
    if (name == key) return &value;
  return nullptr;
}

Json& Json::Set(std::string key, Json value) {
  if (is_null()) value_ = Object{};
  auto* object = as_object();
  VTA_CHECK(object && !Find(key), key);
  object->emplace_back(std::move(key), std::move(value));
  return *this;
}

std::string Json::Dump(int indent) const {
  const nlohmann::ordered_json json = ToLibrary(*this);
  const auto dump = [&](bool ascii) {
    return json.dump(indent, ' ', ascii, nlohmann::json::error_handler_t::replace);
  };
  std::string text = dump(false);
  return Visible(text, true) == text ? text : dump(true);
}

JsonReader::JsonReader(const Json& json, std::string file, std::string place)
    : json_(&json), file_(std::move(file)), place_(std::move(place)) {
  if (!json.as_object())
    throw Error(file_, place_.empty() ? "the document" : place_, Short(json), "must be an object");
}

std::string JsonReader::Place(std::string_view key) const {
  return place_.empty() ? std::string(key) : StrCat(place_, ".", key);
}

Error JsonReader::Fail(std::string_view key, const std::string& rule) const {
  const Json* value = json_->Find(key);
  return Error(file_, Shown(Place(key)), value ? Short(*value) : "", rule);
}

const Json* JsonReader::Find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return json_->Find(key);
}

bool JsonReader::Has(std::string_view key) { return Find(key) != nullptr; }

const Json& JsonReader::Get(std::string_view key) {
  const Json* value = Find(key);
  if (!value) throw Error(file_, Place(key), "", "is missing");
  return *value;
}

int64_t JsonReader::Int(std::string_view key, int64_t low, int64_t high) {
  const int64_t* value = Get(key).as_int();
  if (!value || *value < low || *value > high)
    throw Fail(key, StrCat("must be an integer in [", low, ", ", high, "]"));
  return *value;
}

bool JsonReader::Bool(std::string_view key) {
  const bool* value = Get(key).as_bool();
  if (!value) throw Fail(key, "must be true or false");
  return *value;
}

double JsonReader::Double(std::string_view key) {
  const Json& json = Get(key);
  if (auto* i = json.as_int()) return static_cast<double>(*i);
  const double* value = json.as_double();
  if (!value) throw Fail(key, "must be a number");
  return *value;
}

std::string JsonReader::String(std::string_view key) {
  const std::string* value = Get(key).as_string();
  if (!value) throw Fail(key, "must be a string");
  return *value;
}

const Json::Array& JsonReader::Array(std::string_view key) {
  const Json::Array* value = Get(key).as_array();
  if (!value) throw Fail(key, "must be an array");
  return *value;
}

JsonReader JsonReader::Object(std::string_view key) {
  return JsonReader(Get(key), file_, Place(key));
}

const Json& JsonReader::Any(std::string_view key) { return Get(key); }

void JsonReader::Finish() {
  for (const auto& [name, value] : *json_->as_object()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    std::string known;
    for (const std::string& key : known_) known += StrCat(known.empty() ? "" : ", ", key);
    throw Error(file_, Shown(Place(name)), "", StrCat("unknown key; known here: ", known));
  }
}

}  // namespace vta
