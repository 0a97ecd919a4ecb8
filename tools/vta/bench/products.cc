#include "tools/vta/bench/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "compiler/graph/ops.h"
#include "compiler/graph/schedule.h"
#include "compiler/targets/cpu/target.h"
#include "isa/support/error.h"
#include "tools/report/table.h"
#include "tools/shared/usage.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/trials/native_measurer.h"

namespace vta::tools {
namespace {

using compiler::DType;
using compiler::Graph;
using compiler::Op;
using compiler::Tensor;
using compiler::ValueId;

constexpr int64_t kMostSide = 1 << 20, kMostElements = 1 << 28;  // of a matrix
constexpr double kMostMacs = 1e12;

/// With weights that are neither 0 nor alike.
template <typename T>
Tensor Weights(DType dtype, const compiler::Shape& shape) {
  Tensor weights({dtype, shape});
  int64_t i = 0;
  for (T& value : weights.mutable_data<T>()) value = static_cast<T>(i++ % 127 - 63);
  return weights;
}

Graph GraphOf(const Product& p) {
  Graph graph("product");
  ValueId y;
  if (p.is_int8) {
    const auto by_output = [&](const char* name, int32_t value) {
      Tensor tensor({DType::kInt32, {p.n}});
      for (int32_t& each : tensor.mutable_data<int32_t>()) each = value;
      return graph.AddConstant(name, std::move(tensor));
    };
    const ValueId x = graph.AddInput("x", {DType::kInt8, {p.m, p.k}});
    const ValueId w = graph.AddConstant("w", Weights<int8_t>(DType::kInt8, {p.n, p.k}));
    y = graph.Emit(
        Op::kDenseI8, "y",
        {x, w, by_output("bias", 1), by_output("multiplier", 1 << 30), by_output("exponent", -8)},
        {{"zero_point", int64_t{0}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
  } else {
    const ValueId x = graph.AddInput("x", {DType::kFloat32, {p.m, p.k}});
    const ValueId w = p.is_computed
                          ? graph.AddInput("w", {DType::kFloat32, {p.k, p.n}})
                          : graph.AddConstant("w", Weights<float>(DType::kFloat32, {p.k, p.n}));
    y = graph.Emit(Op::kMatMul, "y", {x, w}, {});
  }
  graph.AddOutput("y", y);
  return graph;
}

std::string NameOf(const Product& p) {
  return StrCat(p.m, "x", p.k, "x", p.n, p.is_int8 ? ",int8" : "",
                p.is_computed ? ",computed" : "");
}

double Gmacs(const MeasuredProduct& of) { return of.product.macs() / static_cast<double>(of.ns); }

}  // namespace

Product ParseProduct(const std::string& text) {
  const auto refuse = [&](const std::string& rule) {
    return UsageError("--product", "", text, rule);
  };
  const std::string form = "must be MxKxN, with ,float, ,int8 or ,computed behind it: 256x256x256";
  Product product;
  std::string_view rest = text;
  for (int64_t* side : {&product.m, &product.k, &product.n}) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), *side);
    if (error != std::errc() || *side < 1 || *side > kMostSide) throw refuse(form);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (side != &product.n && !rest.starts_with('x')) throw refuse(form);
    if (side != &product.n) rest.remove_prefix(1);
  }
  if (rest == ",int8")
    product.is_int8 = true;
  else if (rest == ",computed")
    product.is_computed = true;
  else if (!rest.empty() && rest != ",float")
    throw refuse(form);
  const auto [m, k, n] = std::array{product.m, product.k, product.n};
  if (std::max({m * k, k * n, m * n}) > kMostElements)
    throw refuse("must have matrices of at most 2^28 elements");
  if (product.macs() > kMostMacs) throw refuse("must have at most 10^12 multiplications");
  return product;
}

MeasuredProduct Measured(const Product& product, const compiler::lower::CpuSpec& cpu,
                         const std::vector<CpuPeak>& peaks) {
  const Graph graph = GraphOf(product);
  const compiler::targets::CpuTarget target({cpu});
  const std::vector<compiler::Step> steps = compiler::Steps(graph);
  const NativeMeasurer measurer(cpu, AllowedCores().back());
  return {product, measurer.Measure({.code = target.Compile(graph, steps.at(0), {}, {})}),
          BestGops(peaks, product.is_int8) / 2};
}

std::string ProductsText(const std::vector<MeasuredProduct>& products) {
  TableRows rows = {{"product", "us", "GMAC/s", "peak %"}};
  for (const MeasuredProduct& of : products)
    rows.push_back(
        {NameOf(of.product), fmt::format("{:.1f}", static_cast<double>(of.ns) / 1000),
         fmt::format("{:.1f}", Gmacs(of)),
         of.peak_gmacs > 0 ? fmt::format("{:.0f}", 100 * Gmacs(of) / of.peak_gmacs) : ""});
  return FormatTable(rows, {false, true, true, true});
}

Json::Array ProductsJson(const std::vector<MeasuredProduct>& products) {
  Json::Array rows;
  for (const MeasuredProduct& of : products)
    rows.push_back(Json()
                       .Set("m", of.product.m)
                       .Set("k", of.product.k)
                       .Set("n", of.product.n)
                       .Set("type", of.product.is_int8 ? "int8" : "float")
                       .Set("computed", of.product.is_computed)
                       .Set("ns", of.ns)
                       .Set("gmacs", Gmacs(of))
                       .Set("peak_gmacs", of.peak_gmacs));
  return rows;
}

}  // namespace vta::tools
