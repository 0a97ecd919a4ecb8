#include "compiler/opencl/writer.h"

#include <cctype>

#include "isa/support/error.h"

namespace vta::compiler::opencl {

void Writer::Line(std::string_view line) {
  if (line.starts_with('}')) --depth_;
  text_.append(static_cast<size_t>(2 * depth_), ' ').append(line).append("\n");
  if (line.ends_with('{')) ++depth_;
}

void Writer::Nest(const std::string& head, const std::function<void()>& inside) {
  if (!head.empty()) Line(StrCat(head, " {"));
  inside();
  if (!head.empty()) Line("}");
}

std::string Writer::NewName(std::string_view like) {
  std::string name(like);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name.insert(0, 1, 'v');
  return StrCat(name, "_", ++names_[name]);
}

std::string Writer::Call(const std::string& helper, const std::string& arguments) {
  helpers_.insert(helper);
  return StrCat("vta_", helper, "(", arguments, ")");
}

}  // namespace vta::compiler::opencl
