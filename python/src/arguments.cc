#include "python/src/arguments.h"

#include <nanobind/stl/string.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "isa/support/error.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

std::string Word(nb::handle value) {
  if (PyObject_HasAttrString(value.ptr(), "__fspath__"))
    return nb::cast<std::string>(nb::module_::import_("os").attr("fsdecode")(value));
  return nb::cast<std::string>(nb::str(value));
}

/// One of a single value, several of a list or a dict.
std::vector<std::string> WordsOf(nb::handle value) {
  std::vector<std::string> words;
  if (nb::isinstance<nb::dict>(value)) {
    for (const auto [key, item] : nb::borrow<nb::dict>(value))
      words.push_back(StrCat(Word(key), "=", Word(item)));
  } else if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    for (const nb::handle item : value) words.push_back(Word(item));
  } else {
    words.push_back(Word(value));
  }
  return words;
}

}  // namespace

std::string TextOf(nb::handle value, const std::string& what) {
  if (nb::isinstance<nb::str>(value) || PyObject_HasAttrString(value.ptr(), "__fspath__"))
    return Word(value);
  throw Error("", what, nb::type_name(value.type()).c_str(), "must be a str or a path");
}

std::string JsonOf(nb::handle value) {
  if (!nb::isinstance<nb::dict>(value)) return "";
  return nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(value));
}

nb::dict CopyOf(const nb::dict& options) {
  return nb::borrow<nb::dict>(nb::steal(PyDict_Copy(options.ptr())));
}

Arguments::Arguments() : app_(std::make_unique<CLI::App>("", "vta")) { app_->set_help_flag(); }
Arguments::~Arguments() = default;

void Arguments::Parse(const nb::dict& options, const std::vector<std::string>& positional) {
  std::vector<std::string> words;
  for (const auto [key, value] : options) {
    std::string name = nb::cast<std::string>(key);
    std::ranges::replace(name, '_', '-');
    name = "--" + name;
    const CLI::Option* const option = app_->get_option_no_throw(name);
    if (!option) throw Error("", name, "", "is not an option here");
    if (value.is_none() || value.ptr() == Py_False) continue;
    std::vector<std::string>& given = given_[name] = WordsOf(value);
    if (option->get_items_expected_max() == 0) {
      if (value.ptr() != Py_True) throw Error("", name, given.at(0), "must be True or False");
      words.push_back(name);
      continue;
    }
    if (option->get_items_expected_max() == 1 && given.size() != 1) {
      std::string list;
      for (const std::string& word : given) list += StrCat(list.empty() ? "" : ",", word);
      given = {list};
    }
    for (const std::string& word : given) {
      if (word.empty()) throw Error("", name, "", "must not be empty");
      if (word.find('\0') != std::string::npos)
        throw Error("", name, word.substr(0, word.find('\0')), "must have no null character");
      words.push_back(StrCat(name, "=", word));
    }
  }
  if (!positional.empty()) words.emplace_back("--");
  words.insert(words.end(), positional.begin(), positional.end());
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    // "--target: zpu must be ..."
    const std::string what = error.what();
    const size_t colon = what.find(": ");
    if (colon == std::string::npos) throw Error("", "", "", what);
    const std::string name = what.substr(0, colon), rest = what.substr(colon + 2);
    if (const auto given = given_.find(name); given != given_.end())
      for (const std::string& value : given->second)
        if (rest.starts_with(value + " "))
          throw Error("", name, value, rest.substr(value.size() + 1));
    throw Error("", name, "", rest);
  }
}

}  // namespace vta::python
