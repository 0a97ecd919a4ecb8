#include "tools/vta/bench/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"
#include "tools/vta/common/python_tools.h"
#include "tools/vta/common/tensor_file.h"

namespace vta::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLongestLine = 1 << 24;
constexpr int64_t kMostRuns = 1'000'000;

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Whatever is neither: a node that a new version of the peer has counts as float.
bool OnlyMovesData(std::string_view op) {
  return IsOneOf(op, {"QuantizeLinear", "DequantizeLinear", "Cast", "Flatten", "Reshape", "Squeeze",
                      "Unsqueeze", "Transpose", "Identity", "MaxPool", "NhwcMaxPool",
                      "ReorderInput", "ReorderOutput"});
}
bool IsInt8(std::string_view op) {
  return op.starts_with("QLinear") || IsOneOf(op, {"QGemm", "ConvInteger", "MatMulInteger"});
}
bool IsProduct(std::string_view op) {
  return op.find("Conv") != op.npos || op.find("Gemm") != op.npos || op.find("MatMul") != op.npos;
}

}  // namespace

PeerOptions OnnxRuntimePeer(std::vector<int64_t> cores, int64_t threads) {
  const PythonTools tools = FindPythonTools("bench", "vta bench cpu");
  PeerOptions options;
  options.name = "ONNX Runtime";
  // Isolated: nothing of the user's own packages and settings.
  options.command = {tools.folder + "/bin/python", "-I", "-B",
                     ShippedPath("tools/bench/onnxruntime_peer.py")};
  options.cores = std::move(cores);
  options.threads = threads;
  return options;
}

PeerPrecision PrecisionOf(const PeerModel& model) {
  PeerPrecision precision;
  for (const auto& [name, count] : model.nodes) {
    const std::string_view op = std::string_view(name).substr(name.rfind('.') + 1);
    if (OnlyMovesData(op)) continue;
    (IsInt8(op) ? precision.in_int8 : precision.in_float) += count;
    if (IsProduct(op))
      (IsInt8(op) ? precision.products_in_int8 : precision.products_in_float) += count;
  }
  return precision;
}

Peer::Peer(PeerOptions options)
    : options_(std::move(options)), folder_(NewTemporaryFolder("vta-peer")) {
  VTA_CHECK(!options_.command.empty() && !options_.cores.empty());
  Start();
}

Peer::~Peer() {
  close(socket_);  // which tells it to end
  if (process_ > 0) {
    constexpr int kKindly = 50;
    for (int i = 0; i < kKindly && waitpid(process_, nullptr, WNOHANG) == 0; ++i) usleep(10'000);
    if (waitpid(process_, nullptr, WNOHANG) == 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
  }
  close(messages_);
}

void Peer::Start() {
  // A socket, not two pipes: writing to one whose reader ended is an error, no signal.
  std::array<int, 2> ends;
  messages_ = memfd_create("messages", MFD_CLOEXEC);
  if (messages_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Fail("cannot start", std::strerror(errno));
  socket_ = ends[0];
  std::string cores;
  for (int64_t core : options_.cores) cores += StrCat(cores.empty() ? "" : ",", core);
  std::vector<std::string> words = options_.command;
  words.push_back(cores);
  words.push_back(StrCat(options_.threads));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, messages_, STDERR_FILENO);
  const int reason =
      posix_spawn(&process_, words[0].c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (reason == 0) return;
  process_ = 0;
  close(socket_);
  close(messages_);
  throw Error(words[0], "cannot run", "", std::strerror(reason));
}

Error Peer::Fail(const std::string& what, const std::string& rule) const {
  constexpr off_t kMostShown = 2000;
  std::string said(kMostShown, '\0');
  const off_t size = lseek(messages_, 0, SEEK_END);
  const ssize_t count =
      pread(messages_, said.data(), said.size(), std::max<off_t>(0, size - kMostShown));
  said.resize(static_cast<size_t>(std::max<ssize_t>(0, count)));
  while (said.ends_with('\n')) said.pop_back();
  return Error(options_.name, what, "", rule, said.empty() ? "" : "\n" + Visible(said, true));
}

std::string Peer::EndedHow() {
  int status = 0;
  const pid_t ended = waitpid(process_, &status, 0);
  process_ = 0;
  if (ended > 0 && WIFSIGNALED(status)) return StrCat("by signal ", WTERMSIG(status));
  return StrCat("with exit status ", ended > 0 ? WEXITSTATUS(status) : -1);
}

void Peer::Send(const std::string& text) {
  if (process_ == 0) throw Fail("", "has ended");
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Fail("", StrCat("ended ", EndedHow()));
    at += static_cast<size_t>(count);
  }
}

std::string Peer::ReadLine() {
  const auto end = Clock::now() + std::chrono::duration<double>(options_.limit_s);
  std::array<char, 4096> buffer;
  size_t looked = 0;
  for (;;) {
    const size_t at = unread_.find('\n', looked);
    if (at != unread_.npos) {
      std::string line = unread_.substr(0, at);
      unread_.erase(0, at + 1);
      return line;
    }
    looked = unread_.size();
    if (looked > kLongestLine) throw Fail("answer", "has no end");
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) throw Fail("", StrCat("gave no answer in ", options_.limit_s, " s"));
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count(), 1000))) <= 0) continue;
    const ssize_t count = read(socket_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Fail("", StrCat("ended ", EndedHow()));
    unread_.append(buffer.data(), static_cast<size_t>(count));
  }
}

Json Peer::Ask(const Json& request) {
  Send(request.Dump(-1) + "\n");
  const std::string line = ReadLine();
  Json answer;
  try {
    answer = Json::Parse(line, "answer");
  } catch (const Error&) {
    constexpr size_t kMostShown = 200;
    throw Fail(StrCat("answer '", line.substr(0, kMostShown), "'"), "is no JSON");
  }
  if (const Json* error = answer.Find("error"); error && error->as_string())
    throw Error(options_.name, *request.Find("do")->as_string(), "",
                StrCat("failed: ", *error->as_string()));
  return answer;
}

PeerModel Peer::Load(const std::string& model, const NamedTensors& inputs) {
  Json files = Json(Json::Object());
  for (const auto& [name, tensor] : inputs) {
    const std::string path = StrCat(folder_.path(), "/input", files.as_object()->size(), ".npy");
    WriteFileAtomically(path, SerializeTensorFile(tensor, path));
    files.Set(name, path);
  }
  const Json answer = Ask(Json()
                              .Set("do", "load")
                              .Set("model", model)
                              .Set("inputs", std::move(files))
                              .Set("folder", folder_.path()));
  JsonReader reader(answer, options_.name + ": load");
  PeerModel loaded;
  loaded.runtime = reader.String("runtime");
  loaded.version = reader.String("version");
  for (const Json& provider : reader.Array("providers"))
    if (provider.as_string()) loaded.providers.push_back(*provider.as_string());
  const Json::Object* nodes = reader.Any("nodes").as_object();
  if (!nodes) throw reader.Fail("nodes", "must be an object");
  JsonReader counts(reader.Any("nodes"), reader.file(), "nodes");
  for (const auto& [op, count] : *nodes)
    loaded.nodes.emplace_back(op, counts.Int(op, 0, INT64_MAX));
  std::vector<int64_t> cores;
  for (const Json& core : reader.Array("cores"))
    if (core.as_int()) cores.push_back(*core.as_int());
  if (cores != options_.cores || reader.Int("threads", 1, INT64_MAX) != options_.threads)
    throw Fail("cores", "are not those that it was told to stay on");
  reader.Finish();
  return loaded;
}

std::vector<int64_t> Peer::Run(int64_t count) {
  VTA_CHECK(count >= 0 && count <= kMostRuns, count);
  const Json answer = Ask(Json().Set("do", "run").Set("count", count));
  JsonReader reader(answer, options_.name + ": run");
  std::vector<int64_t> times;
  for (const Json& time : reader.Array("ns"))
    if (time.as_int() && *time.as_int() > 0) times.push_back(*time.as_int());
  if (static_cast<int64_t>(times.size()) != count)
    throw reader.Fail("ns", StrCat("must hold ", count, " times above 0"));
  return times;
}

NamedTensors Peer::Outputs() {
  const Json answer = Ask(Json().Set("do", "output"));
  JsonReader reader(answer, options_.name + ": output");
  const Json::Object* files = reader.Any("files").as_object();
  if (!files) throw reader.Fail("files", "must be an object");
  JsonReader paths(reader.Any("files"), reader.file(), "files");
  NamedTensors outputs;
  for (const auto& [name, unused] : *files) {
    const std::string path = paths.String(name);
    outputs.emplace(name, ParseTensorFile(ReadFile(path), path));
  }
  return outputs;
}

}  // namespace vta::tools
