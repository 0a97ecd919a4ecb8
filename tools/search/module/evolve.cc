#include "tools/search/evolve.h"

#include <algorithm>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/batch_evaluators/member_bfe.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include "isa/support/error.h"
#include "tools/search/module.h"

namespace vta::tools {
namespace {

/// pagmo's form of the question: a vector of reals, all of them whole numbers, and its objectives.
class Question {
 public:
  Question() = default;
  Question(const Breeding& breeding, const GenerationValues& values)
      : breeding_(&breeding), values_(&values) {}

  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    pagmo::vector_double high;
    for (const int64_t values : breeding_->values)
      if (values > 1) high.push_back(static_cast<double>(values - 1));
    return {pagmo::vector_double(high.size(), 0), high};
  }
  pagmo::vector_double::size_type get_nix() const { return get_bounds().first.size(); }
  pagmo::vector_double::size_type get_nobj() const {
    return std::max(breeding_->objectives, kFewest);
  }

  pagmo::vector_double fitness(const pagmo::vector_double& point) const {
    return batch_fitness(point);
  }
  /// Of points that lie one behind the other.
  pagmo::vector_double batch_fitness(const pagmo::vector_double& points) const {
    std::vector<Genes> generation;
    for (size_t at = 0; at < points.size();) {
      Genes& one = generation.emplace_back();
      for (const int64_t values : breeding_->values)
        one.push_back(values > 1 ? static_cast<int32_t>(points[at++]) : 0);
    }
    pagmo::vector_double out;
    for (std::vector<double>& row : (*values_)(generation)) {
      const pagmo::vector_double fitness = FitnessOf(std::move(row));
      out.insert(out.end(), fitness.begin(), fitness.end());
    }
    return out;
  }

  /// What bears more than one value, which alone pagmo takes.
  pagmo::vector_double GenesOf(const Genes& point) const {
    pagmo::vector_double out;
    for (size_t i = 0; i < point.size(); ++i)
      if (breeding_->values[i] > 1) out.push_back(point[i]);
    return out;
  }
  /// One objective stands there twice: pagmo's NSGA-II takes two at least.
  pagmo::vector_double FitnessOf(std::vector<double> row) const {
    row.resize(get_nobj(), row.back());
    return row;
  }

 private:
  static constexpr size_t kFewest = 2;

  const Breeding* breeding_ = nullptr;
  const GenerationValues* values_ = nullptr;
};

}  // namespace

extern "C" void vta_evolve(const Breeding& breeding, const std::vector<Genes>& first,
                           const GenerationValues& values, const std::function<bool()>& goes_on) {
  VTA_CHECK(first.size() >= 8 && first.size() % 4 == 0, first.size());
  const auto seed = static_cast<unsigned>(breeding.seed);
  const Question question(breeding, values);
  const std::vector<std::vector<double>> begin = values(first);
  if (question.get_nix() == 0) return;
  pagmo::population population(pagmo::problem(question), 0, seed);
  for (size_t i = 0; i < first.size(); ++i)
    population.push_back(question.GenesOf(first[i]), question.FitnessOf(begin[i]));
  // Its defaults but for the share of mutated genes, 0.01: small generations run out of new points.
  constexpr double kCrossover = 0.95, kCrossoverSpread = 10, kMutation = 0.05, kMutationSpread = 50;
  pagmo::nsga2 nsga2(1, kCrossover, kCrossoverSpread, kMutation, kMutationSpread);
  nsga2.set_seed(seed);
  nsga2.set_bfe(pagmo::bfe(pagmo::member_bfe()));
  const pagmo::algorithm algorithm(std::move(nsga2));
  while (goes_on()) population = algorithm.evolve(population);
}
static_assert(std::is_same_v<decltype(vta_evolve), EvolveFunction>);

}  // namespace vta::tools
