// Lines of OpenCL C, with names that are none of the language's.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace vta::compiler::opencl {

class Writer {
 public:
  /// A line at the present depth; one that ends with '{' makes the next ones deeper, one that
  /// begins with '}' does not any more.
  void Line(std::string_view line);
  /// `inside` in braces behind `head`; of an empty head there are none.
  void Nest(const std::string& head, const std::function<void()>& inside);

  /// A name that nothing else has: `like`, as far as it may stand in one, '_' and a number. No name
  /// of the language, or of a built-in function, ends so.
  std::string NewName(std::string_view like);
  /// The call of a function of helpers.h, which the module then needs.
  std::string Call(const std::string& helper, const std::string& arguments);

  const std::string& text() const { return text_; }
  const std::set<std::string>& helpers() const { return helpers_; }

 private:
  std::string text_;
  int depth_ = 0;
  std::map<std::string, int, std::less<>> names_;
  std::set<std::string> helpers_;
};

}  // namespace vta::compiler::opencl
