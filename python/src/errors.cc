#include "python/src/errors.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>

#include "tools/shared/log.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

// By LogLevel; those of Python's logging.
constexpr int kLevels[] = {10, 20, 30, 40};

/// "--memory-limit" as the keyword "memory_limit", wherever a word begins so.
std::string WithKeywords(const std::string& text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !(is_word(text[at - 1]) || text[at - 1] == '-');
    if (!begins || text.compare(at, 2, "--") != 0 || at + 2 == text.size() ||
        !std::islower(static_cast<unsigned char>(text[at + 2]))) {
      out += text[at++];
      continue;
    }
    const size_t start = at + 2;
    for (at = start; at < text.size(); ++at)
      if (!is_word(text[at]) && !(text[at] == '-' && at + 1 < text.size() && is_word(text[at + 1])))
        break;
    std::string name = text.substr(start, at - start);
    std::ranges::replace(name, '-', '_');
    out += name == "import" ? "import_" : name;  // Python's own word
  }
  return out;
}

/// The same error in the words of Python: options of the command line are keywords here.
void Raise(const Error& thrown) {
  const std::string detail =
      std::string(thrown.what())
          .substr(std::strlen(
              Error(thrown.where(), thrown.subject(), thrown.value(), thrown.rule()).what()));
  const bool is_option =
      thrown.where().starts_with("--") && thrown.where().find_first_of("/. ") == std::string::npos;
  const Error error(is_option ? WithKeywords(thrown.where()) : thrown.where(),
                    WithKeywords(thrown.subject()), thrown.value(), WithKeywords(thrown.rule()),
                    detail);
  const nb::object type = nb::module_::import_("vta._error").attr("Error");
  const nb::object raised =
      type(error.what(), error.where(), error.subject(), error.value(), error.rule());
  PyErr_SetObject(type.ptr(), raised.ptr());
}

void Write(tools::LogLevel level, const std::string& message) {
  if (!Py_IsInitialized()) return;
  const nb::gil_scoped_acquire locked;
  try {
    const nb::object logger = nb::module_::import_("logging").attr("getLogger")("vta");
    logger.attr("log")(kLevels[static_cast<int>(level)], "%s", message);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("a message of vta");
  }
}

}  // namespace

void TranslateErrors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      Raise(error);
    } catch (const std::bad_cast&) {
      PyErr_SetString(PyExc_TypeError, "a value is of another type than is wanted, or too large");
    }
  });
  tools::StartLog({.least = tools::LogLevel::kDebug}, Write);
}

}  // namespace vta::python
