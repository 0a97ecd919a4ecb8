#include "tests/remote/fake_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"

namespace vta::driver::remote {
extern "C" Client* vta_remote_connect(const Address&, const Credentials&, const std::string& build);
}
namespace vta::serve {
using namespace driver::remote;

namespace {

constexpr std::chrono::seconds kPatience{20};

class FakeWorker : public Worker {
 public:
  SessionReply OpenSession(const SessionRequest& request) override {
    if (!std::filesystem::exists(request.sha256 + ".vta"))
      throw Error(request.file, "SHA-256", request.sha256, "is not here");
    return {1, 1, {}};
  }
  RunReply Run(const RunRequest& request) override {
    RunReply reply{request.inputs, {}};
    Step& step = reply.steps.emplace_back();
    step.wall = std::chrono::nanoseconds(7);
    step.counters.macs = 3;
    step.counters.time.emplace().cycles = 11;
    step.counters.causes.emplace().path[1][2] = 5;
    return reply;
  }
  TimeReply Time(const TimeRequest& request) override { return {1, 100, request.number, {2.5}}; }
  void CloseSession(int64_t) override {}
  driver::DeviceId OpenDevice(const std::string&, int64_t) override { return {.name = "fake"}; }
  uint64_t Allocate(int64_t) override { return ++allocated_; }
  void Free(uint64_t address) override {
    if (address == 0) std::abort();
    for (;;) pause();
  }
  void CopyIn(uint64_t, std::span<const uint8_t>) override {}
  void CopyOut(uint64_t, std::span<uint8_t>) override { faulted_ = true; }
  std::optional<uint32_t> ReadRegister(isa::Register, int64_t) override { return {}; }
  isa::LaunchResult Launch(const isa::LaunchRequest& request, std::chrono::nanoseconds) override {
    isa::LaunchResult result;
    result.outcome = isa::Outcome::kDeadlock;
    result.modules[2].index = request.instruction_count;
    result.fetch.full = isa::Module::kCompute;
    result.parts.push_back({.time = {.cycles = 9}, .causes = {}});
    return result;
  }
  std::string SelfTest() override {
    return std::filesystem::exists("broken") ? "it is broken" : "";
  }
  bool HasFaulted() const override { return faulted_; }

 private:
  uint64_t allocated_ = 0;
  bool faulted_ = false;
};

}  // namespace

std::unique_ptr<Worker> MakeFakeWorker() { return std::make_unique<FakeWorker>(); }

int ServeFake(const std::vector<std::string>& words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ServeOptions options;
  bool tracks = false;
  options.cache_folder = words.at(0);
  options.listen.host = "127.0.0.1";
  options.build = "fake 1.0";
  options.cache_bytes = 1 << 20;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "track") {
      tracks = true;
      continue;
    }
    const std::string key = word.substr(0, word.find('=')), value = word.substr(key.size() + 1);
    if (key == "port") options.listen.port = std::stoll(value);
    if (key == "tracker") options.tracker = {"127.0.0.1", "", std::stoll(value)};
    if (key == "beat") options.beat_s = std::stod(value);
    if (key == "config") options.config_json = value;
    if (key == "arch") options.cpu.arch = value;
    if (key == "feature") options.cpu.features.push_back(value);
    if (key == "limit") options.lease_limit_s = std::stod(value);
    if (key == "cache") options.cache_bytes = std::stoll(value);
    if (key == "token") options.credentials.token = ReadTextFile(value);
    if (key == "device")
      options.devices.push_back({value.substr(0, value.find('/')),
                                 value.substr(value.find('/') + 1), value.starts_with("uio/")});
  }
  if (options.devices.empty()) options.devices = {{"fake", "fake"}};
  options.temperature = [] { return std::optional(41.5); };
  options.make_worker = [](size_t) { return MakeFakeWorker(); };
  options.log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  options.on_ready = [](int64_t port) {
    std::printf("%lld\n", static_cast<long long>(port));
    std::fflush(stdout);
  };
  if (tracks)
    vta_remote_track({options.listen, options.credentials, options.build, options.beat_s,
                      options.log, options.on_ready});
  else
    vta_remote_serve(options);
  return 0;
}

FakeServer::FakeServer(const std::vector<std::string>& words)
    : folder_(NewTemporaryFolder("vta-remote-test")) {
  int ends[2];
  VTA_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  std::vector<std::string> all = {"remote_test", "--serve", folder_};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = folder_ + ".log";
  pid_ = vfork();
  if (pid_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    execv("/proc/self/exe", arguments.data());
    _exit(1);
  }
  close(ends[1]);
  output_ = ends[0];
  std::string line;
  for (char c = 0; read(output_, &c, 1) == 1 && c != '\n';) line += c;
  VTA_CHECK(!line.empty(), "the server does not start: ", ReadTextFile(log));
  port_ = std::stoll(line);
}

void FakeServer::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

FakeServer::~FakeServer() {
  Kill();
  close(output_);
  std::filesystem::remove_all(folder_);
  std::filesystem::remove(folder_ + ".log");
}

Address FakeServer::address(const std::string& key) const { return {"127.0.0.1", key, port_}; }

std::unique_ptr<Client> FakeServer::Connect(const Credentials& credentials) const {
  return std::unique_ptr<Client>(vta_remote_connect(address(), credentials, "test 1.0"));
}

ServedDevice FakeServer::Device() const { return Connect()->List().devices.at(0); }

ServedDevice FakeServer::WaitFor(const std::function<bool(const ServedDevice&)>& good) const {
  const auto client = Connect();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    ServedDevice device = client->List().devices.at(0);
    if (good(device)) return device;
    VTA_CHECK(std::chrono::steady_clock::now() < end, device.state, ": ", device.reason);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace vta::serve
