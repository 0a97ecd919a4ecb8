#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "isa/support/error.h"
#include "tools/search/module.h"

namespace vta::tools {

using compiler::loop::Features;
using compiler::tune::CostModel;
using compiler::tune::Example;
using compiler::tune::Examples;

namespace {

constexpr int kTrees = 64;
constexpr std::pair<const char*, const char*> kParameters[] = {{"objective", "rank:pairwise"},
                                                               {"max_depth", "6"},
                                                               {"eta", "0.2"},
                                                               {"min_child_weight", "1"},
                                                               {"gamma", "0.0001"},
                                                               {"num_pairsample", "4"},
                                                               {"tree_method", "exact"},
                                                               {"base_score", "0.5"},
                                                               {"seed", "0"},
                                                               {"nthread", "1"},
                                                               {"verbosity", "0"}};

void Expect(int status, const char* what) {
  if (status != 0) throw Error("cost model", what, "", XGBGetLastError());
}

/// A matrix of features, a row a candidate.
class Matrix {
 public:
  explicit Matrix(std::span<const Features* const> rows) {
    VTA_CHECK(!rows.empty());
    const size_t columns = rows[0]->values.size();
    std::vector<float> values;
    for (const Features* row : rows) {
      VTA_CHECK(row->kind == rows[0]->kind && row->values.size() == columns, row->values.size());
      values.insert(values.end(), row->values.begin(), row->values.end());
    }
    Expect(XGDMatrixCreateFromMat_omp(values.data(), rows.size(), columns,
                                      std::numeric_limits<float>::quiet_NaN(), &handle_, 1),
           "matrix");
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

/// How quick an example is beside the quickest of its workload, in hundredths: closer ones are
/// alike. 0 where it failed.
float LabelOf(const Example& example, int64_t quickest) {
  constexpr double kHundred = 100;
  if (!example.cost) return 0;
  return static_cast<float>(
      std::round(kHundred * static_cast<double>(quickest) / static_cast<double>(*example.cost)));
}

int64_t QuickestOf(const Examples& examples) {
  int64_t quickest = std::numeric_limits<int64_t>::max();
  for (const Example& example : examples)
    if (example.cost) quickest = std::min(quickest, *example.cost);
  return quickest;
}

class Booster {
 public:
  explicit Booster(const Matrix& matrix) {
    const DMatrixHandle handle = matrix.handle();
    Expect(XGBoosterCreate(&handle, 1, &handle_), "booster");
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void Fit(const Matrix& matrix) {
    for (const auto& [name, value] : kParameters)
      Expect(XGBoosterSetParam(handle_, name, value), name);
    for (int tree = 0; tree < kTrees; ++tree)
      Expect(XGBoosterUpdateOneIter(handle_, tree, matrix.handle()), "tree");
  }
  std::vector<double> Score(const Matrix& matrix) const {
    constexpr char kMargins[] =
        R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0,)"
        R"( "strict_shape": false})";
    const bst_ulong* shape = nullptr;
    bst_ulong dims = 0;
    const float* scores = nullptr;
    Expect(XGBoosterPredictFromDMatrix(handle_, matrix.handle(), kMargins, &shape, &dims, &scores),
           "scores");
    return {scores, scores + shape[0]};
  }

 private:
  BoosterHandle handle_ = nullptr;
};

class Trees : public CostModel {
 public:
  void Fit(std::span<const Examples* const> workloads) override;
  std::vector<double> Score(std::span<const Features* const> candidates) const override;

 private:
  std::unique_ptr<Booster> booster_;
};

void Trees::Fit(std::span<const Examples* const> workloads) {
  std::vector<const Features*> rows;
  std::vector<float> labels;
  std::vector<unsigned> counts;
  for (const Examples* examples : workloads) {
    const int64_t quickest = QuickestOf(*examples);
    for (const Example& example : *examples) {
      rows.push_back(&example.features);
      labels.push_back(LabelOf(example, quickest));
    }
    counts.push_back(static_cast<unsigned>(examples->size()));
  }
  booster_.reset();
  if (rows.empty()) return;
  const Matrix matrix(rows);
  Expect(XGDMatrixSetFloatInfo(matrix.handle(), "label", labels.data(), labels.size()), "labels");
  Expect(XGDMatrixSetUIntInfo(matrix.handle(), "group", counts.data(), counts.size()), "groups");
  auto booster = std::make_unique<Booster>(matrix);
  booster->Fit(matrix);
  booster_ = std::move(booster);
}

std::vector<double> Trees::Score(std::span<const Features* const> candidates) const {
  if (!booster_ || candidates.empty()) return std::vector<double>(candidates.size());
  return booster_->Score(Matrix(candidates));
}

}  // namespace

extern "C" CostModel* vta_make_trees() { return new Trees; }
static_assert(std::is_same_v<decltype(vta_make_trees), MakeTreesFunction>);

}  // namespace vta::tools
