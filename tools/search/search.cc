#include "driver/library.h"
#include "isa/support/shipped.h"
#include "tools/search/boosted_trees.h"
#include "tools/search/evolve.h"
#include "tools/search/module.h"

namespace vta::tools {
namespace {

struct SearchLibrary {
  SearchLibrary() {
    const driver::Library library(ShippedLibrary(kSearchFile), "the library is of another build");
    library.Find(evolve, kEvolveSymbol);
    library.Find(make_trees, kTreesSymbol);
  }
  EvolveFunction* evolve;
  MakeTreesFunction* make_trees;
};

const SearchLibrary& TheLibrary() {
  static const SearchLibrary library;
  return library;
}

}  // namespace

void Evolve(const Breeding& breeding, const std::vector<Genes>& first,
            const GenerationValues& values, const std::function<bool()>& goes_on) {
  TheLibrary().evolve(breeding, first, values, goes_on);
}

BoostedTrees::BoostedTrees() : trees_(TheLibrary().make_trees()) {}

}  // namespace vta::tools
