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

/// An open dimension by its name, and whether it, or one equal to it, is an input's first.
struct OpenDimension {
  std::string name;
  bool is_first = false;
};

/// Dimensions whose sizes nothing gives.
class OpenDimensions : public Error {
 public:
  /// `sizes`: of each, with which they would do; or none.
  OpenDimensions(std::vector<OpenDimension> dimensions, const std::string& command,
                 const std::vector<int64_t>& sizes = {});
  const std::vector<OpenDimension>& dimensions() const { return dimensions_; }

 private:
  std::vector<OpenDimension> dimensions_;
};

/// Imports; where dimensions stay open, looks for sizes that they can have, and says how these
/// are given.
/// Errors: as `import`.
Graph ImportSized(const ImportOptions& options,
                  const std::function<Graph(const ImportOptions&)>& import);

}  // namespace vta::compiler
