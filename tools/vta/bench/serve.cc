// vta bench serve: what a server on loopback takes beside no server.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/shipped.h"
#include "tools/report/table.h"
#include "tools/shared/samples.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/beside.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

using std::chrono::steady_clock;

constexpr int64_t kMostServeRuns = 1'000'000, kMostMb = 1000;

struct ServeBenchOptions {
  int64_t runs = 200, mb = 64;
};

/// Where a server says that it is.
std::string NameOf(const Beside& server) {
  const size_t at = server.line().find(driver::remote::kScheme);
  if (at == std::string::npos) throw Error("vta serve", "", server.line(), "did not start");
  return server.line().substr(at);
}

double MedianMs(int64_t runs, const std::function<void()>& call) {
  std::vector<double> took;
  call();
  for (int64_t i = 0; i < runs; ++i) {
    const auto start = steady_clock::now();
    call();
    took.push_back(Milliseconds(steady_clock::now() - start));
  }
  const auto middle = took.begin() + std::ssize(took) / 2;
  std::ranges::nth_element(took, middle);
  return *middle;
}

double InferenceMs(const std::string& engine_name, int64_t runs) {
  ModelOptions model;
  model.model = ShippedPath("tools/demo/digits_int8.onnx");
  EngineOptions engine;
  engine.name = engine_name;
  EngineSession session(
      LoadModel(OpenModel(model).package, model.model, nullptr, {.elsewhere = engine.IsRemote()}),
      engine);
  const isa::Package& package = session.package();
  const std::vector<std::vector<uint8_t>> inputs = {
      RandomSample(package.tensors[package.inputs[0]], 1)};
  return MedianMs(runs, [&] { session.Run(inputs); });
}

int BenchServe(const ServeBenchOptions& options) {
  const Beside server({"serve", "--device", "functional", "--listen", "127.0.0.1:0", "--quiet"});
  const std::string name = NameOf(server);
  EngineOptions engine;
  engine.name = name;
  const auto client =
      driver::remote::Connect(driver::remote::ParseAddress(engine.name, ""), {}, "vta bench serve");
  const double lease_ms = MedianMs(options.runs, [&] { client->Acquire({}); });
  const auto bytes = static_cast<size_t>(options.mb) * 1'000'000;
  std::vector<uint8_t> package(bytes);
  std::mt19937_64 random(1);
  for (size_t at = 0; at + 8 <= bytes; at += 8) {
    const uint64_t value = random();
    std::copy_n(reinterpret_cast<const uint8_t*>(&value), 8, package.data() + at);
  }
  const auto start = steady_clock::now();
  client->Upload(package);
  const double upload_s = std::chrono::duration<double>(steady_clock::now() - start).count();
  const double here_ms = InferenceMs("functional", options.runs);
  const double there_ms = InferenceMs(engine.name, options.runs);
  const auto ms = [](double value) { return fmt::format("{:.3f} ms", value); };
  fmt::print("{}", FormatTable({{"what", "median"},
                                {"lease and release", ms(lease_ms)},
                                {"inference of the demo here", ms(here_ms)},
                                {"the same by a server", ms(there_ms)},
                                {"what the server adds", ms(there_ms - here_ms)},
                                {fmt::format("upload of {} MB", options.mb),
                                 fmt::format("{:.0f} MB/s", options.mb / upload_s)}},
                               {false, true}));
  return 0;
}

}  // namespace

std::function<int()> AddBenchServe(CLI::App& app) {
  auto options = std::make_shared<ServeBenchOptions>();
  app.add_option("--runs", options->runs, "of each, of which the median is taken")
      ->check(IntegerFrom(1, kMostServeRuns))
      ->capture_default_str();
  app.add_option("--mb", options->mb, "megabytes of a package that is sent")
      ->check(IntegerFrom(1, kMostMb))
      ->capture_default_str();
  return [options] { return BenchServe(*options); };
}

}  // namespace vta::tools
