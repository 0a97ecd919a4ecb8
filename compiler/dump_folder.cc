#include "compiler/dump_folder.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::compiler {

DumpFolder::DumpFolder(const std::string& folder) : folder_(folder) {
  if (folder_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) throw Error(folder_, "cannot create", "", failed.message());
}

void DumpFolder::Write(std::string name, std::string_view text) {
  if (folder_.empty()) return;
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.') c = '_';
  std::string number = std::to_string(count_++);
  number.insert(0, 3 - std::min<size_t>(number.size(), 3), '0');
  WriteFileAtomically(StrCat(folder_, "/", number, "_", name), text);
}

}  // namespace vta::compiler
