#include "tools/serve/program/lease_worker.h"

#include <filesystem>
#include <utility>

#include "driver/boards.h"
#include "driver/functional/functional_device.h"
#include "driver/remote/protocol.h"
#include "isa/support/error.h"
#include "runtime/diagnosis/self_test.h"
#include "runtime/timer.h"

namespace vta::tools {
namespace {

using namespace driver::remote;

constexpr size_t kMostSessions = 64;

std::vector<std::span<const uint8_t>> Spans(const std::vector<driver::remote::Bytes>& inputs) {
  return {inputs.begin(), inputs.end()};
}

}  // namespace

LeaseWorker::LeaseWorker(const LeaseWorkerOptions& options) : options_(options) {}

// A simulator is made for whoever wants one; a board is there once.
std::shared_ptr<driver::Device> LeaseWorker::Open(const isa::Config& config,
                                                  std::optional<int64_t> memory_bytes) {
  const std::string& name = options_.device;
  if (name == kCpuDevice)
    throw Error("", "device", name, StrCat("has no accelerator for programs of ", config.name));
  const isa::Config& own = options_.config ? *options_.config : config;
  if (isa::ArchHash(own) != isa::ArchHash(config))
    driver::RequireSameArch(config, {.name = name, .arch_hash = isa::ArchHash(own), .config = own},
                            "device");
  if (board_ && board_arch_ == isa::ArchHash(own)) return board_;
  board_.reset();
  std::shared_ptr<driver::Device> opened = options_.open(name, own, memory_bytes);
  if (!driver::IsBoard(name)) return opened;
  board_ = opened;
  board_arch_ = isa::ArchHash(own);
  return opened;
}

SessionReply LeaseWorker::OpenSession(const SessionRequest& request) {
  const std::string file = request.sha256 + ".vta";
  if (request.sha256.find('/') != std::string::npos || !std::filesystem::exists(file))
    throw Error(request.file, "SHA-256", request.sha256,
                "is not in the server's cache, or not any more: it must be sent again");
  if (sessions_.size() >= kMostSessions)
    throw Error(request.file, "sessions", "", StrCat("must be at most ", kMostSessions));
  runtime::SessionOptions options{.apart = request.apart, .threads = request.threads};
  isa::Package package = options_.native.Read(file, &options.kernels);
  const auto model = std::make_shared<const runtime::Model>(std::move(package), request.file,
                                                            options_.native.ForModel());
  Session opened;
  if (model->package().config) opened.device = Open(*model->package().config, {});
  opened.session = std::make_unique<runtime::Session>(model, opened.device.get(), options);
  SessionReply reply{++last_session_, opened.session->threads(), {}};
  if (opened.session->device()) reply.device = *opened.session->device();
  sessions_[last_session_] = std::move(opened);
  return reply;
}

runtime::Session& LeaseWorker::Find(int64_t session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end())
    throw Error("", "session", std::to_string(session), "is none of this lease");
  return *found->second.session;
}

void LeaseWorker::CloseSession(int64_t session) {
  Find(session);
  sessions_.erase(session);
}

RunReply LeaseWorker::Run(const RunRequest& request) {
  runtime::Session& session = Find(request.session);
  const auto now = std::chrono::steady_clock::now();
  const auto most = runtime::Session::Deadline::max() - now;
  session.StopAt(request.limit < most ? now + request.limit : runtime::Session::Deadline::max());
  runtime::RunProfile profile;
  RunReply reply;
  try {
    reply.outputs = runtime::Infer(session, Spans(request.inputs), &profile);
  } catch (const runtime::ArgumentError&) {
    throw;
  } catch (const Error&) {
    has_faulted_ = true;
    throw;
  }
  for (runtime::StepProfile& step : profile.steps)
    reply.steps.push_back({step.wall, std::move(step.counters), step.begins, step.steps});
  reply.wall = profile.wall;
  reply.copy_in = profile.copy_in;
  reply.copy_out = profile.copy_out;
  return reply;
}

TimeReply LeaseWorker::Time(const TimeRequest& request) {
  const runtime::Timing timing = runtime::MeasureInference(
      Find(request.session), Spans(request.inputs),
      {.number = request.number, .repeat = request.repeat, .min_time = request.min_time});
  return {static_cast<int64_t>(timing.clock.kind), timing.clock.mhz, timing.number, timing.results};
}

driver::DeviceId LeaseWorker::OpenDevice(const std::string& config_json, int64_t memory_bytes) {
  if (memory_bytes < 0 || memory_bytes > kMostPackageBytes)
    throw Error("", "memory", std::to_string(memory_bytes),
                StrCat("must be 0 to ", kMostPackageBytes, " bytes"));
  device_.reset();
  device_ = Open(isa::ParseConfig(config_json, "config"),
                 memory_bytes > 0 ? std::optional(memory_bytes) : std::nullopt);
  return device_->id();
}

driver::Device& LeaseWorker::device() {
  if (!device_) throw Error("", "device", "", "none was opened");
  return *device_;
}

uint64_t LeaseWorker::Allocate(int64_t bytes) {
  if (bytes < 0) throw Error("", "bytes", std::to_string(bytes), "must not be negative");
  return device().Allocate(bytes);
}

void LeaseWorker::Free(uint64_t address) { device().Free(address); }

void LeaseWorker::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  device().CopyIn(address, bytes);
}

void LeaseWorker::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  device().CopyOut(address, bytes);
}

std::optional<uint32_t> LeaseWorker::ReadRegister(isa::Register first, int64_t word) {
  return device().ReadRegister(first, word);
}

isa::LaunchResult LeaseWorker::Launch(const isa::LaunchRequest& request,
                                      std::chrono::nanoseconds limit) {
  device().Launch(request);
  isa::LaunchResult result = device().Wait(limit);
  has_faulted_ |= result.outcome != isa::Outcome::kFinished;
  return result;
}

std::string LeaseWorker::SelfTest() {
  if (options_.device == kCpuDevice) return "";
  const isa::Config config = options_.config.value_or(isa::Config{});
  const int64_t bytes = runtime::SelfTestBytes(config);
  const auto tested = Open(config, bytes);
  driver::FunctionalDevice golden(config, {.memory_bytes = driver::MemoryFor(bytes)});
  const runtime::SelfTestResult result = runtime::RunSelfTest(config, *tested, golden);
  return result.failures.empty() ? "" : runtime::SelfTestText(options_.device, result);
}

}  // namespace vta::tools
