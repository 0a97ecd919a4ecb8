// Strict JSON: duplicate keys, unknown keys, wrong types and out-of-range numbers are errors that
// name the file and the place ("arch.acc_depth"). The parser library stays inside json.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "isa/support/error.h"

namespace vta {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in file order

  Json() : value_(nullptr) {}
  Json(std::nullptr_t) : value_(nullptr) {}
  Json(bool b) : value_(b) {}
  Json(int i) : value_(int64_t{i}) {}
  Json(int64_t i) : value_(i) {}
  Json(double d) : value_(d) {}
  Json(const char* s) : value_(std::string(s)) {}
  Json(std::string s) : value_(std::move(s)) {}
  Json(Array a) : value_(std::move(a)) {}
  Json(Object o) : value_(std::move(o)) {}

  /// Errors: throws Error with `file`, line and column; also for duplicate keys, nesting over 64
  /// and integers outside int64.
  static Json Parse(std::string_view text, const std::string& file);

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  const bool* as_bool() const { return std::get_if<bool>(&value_); }
  const int64_t* as_int() const { return std::get_if<int64_t>(&value_); }
  const double* as_double() const { return std::get_if<double>(&value_); }
  const std::string* as_string() const { return std::get_if<std::string>(&value_); }
  const Array* as_array() const { return std::get_if<Array>(&value_); }
  const Object* as_object() const { return std::get_if<Object>(&value_); }
  Array* as_array() { return std::get_if<Array>(&value_); }
  Object* as_object() { return std::get_if<Object>(&value_); }

  /// The member, or nullptr.
  const Json* Find(std::string_view key) const;
  /// Appends a member to an object (a null becomes an object first).
  Json& Set(std::string key, Json value);

  /// indent < 0: one line.
  std::string Dump(int indent = 2) const;

 private:
  std::variant<std::nullptr_t, bool, int64_t, double, std::string, Array, Object> value_;
};

/// Reads one object strictly: Finish() refuses the keys that nobody asked for.
class JsonReader {
 public:
  /// `place` is the path of this object inside the file, "" at the top.
  JsonReader(const Json& json, std::string file, std::string place = "");

  bool Has(std::string_view key);
  int64_t Int(std::string_view key, int64_t low, int64_t high);
  bool Bool(std::string_view key);
  double Double(std::string_view key);
  std::string String(std::string_view key);
  const Json::Array& Array(std::string_view key);
  JsonReader Object(std::string_view key);
  const Json& Any(std::string_view key);
  /// Errors: throws Error naming the first key that was not asked for, and those that were.
  void Finish();

  Error Fail(std::string_view key, const std::string& rule) const;
  std::string Place(std::string_view key) const;
  const std::string& file() const { return file_; }

 private:
  const Json* Find(std::string_view key);
  const Json& Get(std::string_view key);

  const Json* json_;
  std::string file_, place_;
  std::vector<std::string> known_;  // asked for, in order
};

}  // namespace vta
