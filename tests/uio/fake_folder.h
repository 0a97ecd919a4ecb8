// What a kernel shows of an accelerator, its buffer and another device, as files below a folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace vta::test::uio {

class FakeFolder {
 public:
  FakeFolder();
  ~FakeFolder() { std::filesystem::remove_all(root_); }
  FakeFolder(const FakeFolder&) = delete;
  FakeFolder& operator=(const FakeFolder&) = delete;

  const std::string& root() const { return root_; }
  void Write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void Remove(const std::string& path) const { std::filesystem::remove_all(root_ + path); }
  void AddUio(const std::string& device, const std::string& name) const;

 private:
  std::string root_;
};

}  // namespace vta::test::uio
