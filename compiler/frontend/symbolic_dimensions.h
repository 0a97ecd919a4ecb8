// The symbolic dimensions of a model's inputs, and the sizes that an import gives them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/import_options.h"
#include "compiler/frontend/sizes.h"
#include "compiler/graph/graph.h"
#include "isa/support/error.h"

namespace vta::compiler {

class SymbolicDimensions {
 public:
  explicit SymbolicDimensions(const ImportOptions& options) : options_(options) {}

  /// A dimension of an input, which the model names, or not (""): open until Infer.
  int64_t Add(const std::string& input, int64_t axis, const std::string& name);
  /// Once all inputs are declared: what the options give by input and axis, or by a name; then
  /// what follows from that, of which `follow` is told all that is known and which says what it
  /// makes equal; then the size of another dimension of the name; then the batch, of one that is
  /// nothing but a first one;
  /// then of what broadcasts the other's size.
  void Infer(const std::function<void(Sizes&)>& follow = {});
  /// After Infer; 1 for one that stayed open.
  int64_t SizeOf(int64_t dim) const { return std::max<int64_t>(sizes_.Of(dim), 1); }
  /// Errors: throws Error for a size that no dimension takes, and OpenDimensions.
  void Check() const;

 private:
  struct Place {
    std::string known;                 // its name, or INPUT:AXIS where that is not plain
    std::vector<std::string> aliases;  // that options may call it, the first before the others
    bool is_first = false;             // of its input
    int64_t dim = 0;
  };

  Shape Found() const;  // as Sizes has them
  std::set<int64_t> Batches() const;
  void Settle(const std::function<void(Sizes&)>& follow);

  const ImportOptions& options_;
  Sizes sizes_;
  std::vector<Place> places_;
};

/// Dimensions whose sizes nothing gives.
class OpenDimensions : public Error {
 public:
  /// `size`: one with which all of them would do, or 0.
  OpenDimensions(std::vector<std::string> names, const std::string& command, int64_t size = 0);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Imports; where dimensions stay open, looks for a size that all of them can have, and says how
/// that is given.
/// Errors: as `import`.
Graph ImportSized(const ImportOptions& options,
                  const std::function<Graph(const ImportOptions&)>& import);

}  // namespace vta::compiler
