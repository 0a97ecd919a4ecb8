// Whose kernels a tool runs, and where: a package's native code was made by somebody.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/package.h"
#include "runtime/model.h"
#include "runtime/modules/kernel_runner.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// The names of those that AddTo declares.
inline constexpr std::string_view kNativeOptions[] = {"--native", "--trusted", "--expect-hash",
                                                      "--sandbox", "--kernel-limit"};

struct NativeOptions {
  std::string native = "any";
  std::string trusted;      // a file, as sha256sum prints it
  std::string expect_hash;  // SHA-256
  bool sandbox = false;
  double kernel_limit_s = 60;
  std::vector<const CLI::Option*> pins;  // what names packages

  /// Declares the options. The one that names a file that is read is returned.
  CLI::Option* AddTo(CLI::App& app);

  /// Which of several packages in a file is taken.
  using Choice = std::function<size_t(std::span<const isa::Package>)>;
  /// A package and how its kernels are to run: in this process where it is trusted. Without a
  /// choice it is the first without steps for a GPU, if there is one, or else the first.
  /// Errors: throws Error where the file is not the expected one, or is not trusted and must be;
  /// and for a list of hashes that is none, naming the line.
  isa::Package Read(const std::string& path, runtime::KernelOptions* kernels,
                    const Choice& choose = {}) const;

  /// How kernels run that were compiled here.
  /// Errors: throws UsageError naming an option that is for a package.
  runtime::KernelOptions ForCompiled() const;

  /// What a model must be told of it.
  runtime::ModelOptions ForModel() const { return {.native = native != "refuse"}; }
};

}  // namespace vta::tools
