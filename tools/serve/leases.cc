#include "tools/serve/leases.h"

#include <openssl/rand.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "driver/remote/wire/stub.h"
#include "isa/support/error.h"
#include "tools/serve/frames.h"

namespace vta::serve {
namespace {

constexpr size_t kMostWaiting = 4096, kSecretBytes = 16, kRemembered = 4096;
constexpr std::chrono::minutes kSelfTestLimit{10};
// How often one who waits is asked whether they still do.
constexpr std::chrono::milliseconds kLook{100};

std::chrono::nanoseconds Nanoseconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}
double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

std::string NewSecret() {
  std::string secret(kSecretBytes, '\0');
  VTA_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()), kSecretBytes) == 1);
  return secret;
}

std::string SignalName(int number) {
  const char* const name = sigabbrev_np(number);
  return name ? StrCat("SIG", name) : StrCat("signal ", number);
}

constexpr char kReleased[] = "its holder released it";

}  // namespace

Leases::Leases(const ServeOptions& options, Spawner& spawner)
    : options_(options),
      spawner_(spawner),
      beat_(Nanoseconds(options.beat_s)),
      limit_(Nanoseconds(options.lease_limit_s)) {
  for (const DeviceSpec& spec : options.devices) devices_.push_back({spec});
  watcher_ = std::thread([this] { Watch(); });
}

Leases::~Leases() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  watcher_.join();
  std::unique_lock lock(mutex_);
  changed_.wait(
      lock, [this] { return std::ranges::count(devices_, State::kTesting, &Device::state) == 0; });
}

void Leases::RequireKey(const Ask& ask) const {
  std::set<std::string> keys;
  for (const Device& device : devices_) {
    if (Fits(device, ask)) return;
    keys.insert(device.spec.key);
  }
  std::string all;
  for (const std::string& key : keys) all += StrCat(all.empty() ? "" : ", ", key);
  throw Error("", "key", ask.key, StrCat("is not served there; what is served: ", all));
}

// The device that is whose turn it is: none for one before whom somebody waits that it fits, too.
std::optional<size_t> Leases::FreeFor(const Waiting& waiting) const {
  std::set<size_t> taken;
  for (const Waiting& one : queue_) {
    std::optional<size_t> its;
    for (size_t i = 0; i < devices_.size() && !its; ++i)
      if (devices_[i].state == State::kFree && !taken.contains(i) && Fits(devices_[i], *one.ask))
        its = i;
    if (&one == &waiting) return its;
    if (its) taken.insert(*its);
  }
  return std::nullopt;
}

Error Leases::NoneFree(const Ask& ask) const {
  std::string devices;
  for (const Device& device : devices_) {
    if (!Fits(device, ask)) continue;
    devices += StrCat(devices.empty() ? "" : "; ", device.spec.name, " ");
    if (device.state == State::kLeased)
      devices += StrCat("is leased to ", device.holder);
    else
      devices += device.state == State::kWithdrawn ? StrCat("is withdrawn: ", device.reason)
                                                   : "is being tested";
  }
  return Error("", "key", ask.key,
               StrCat("no device was free within ", Seconds(ask.wait), " s: ", devices));
}

std::shared_ptr<Held> Leases::Acquire(const Ask& ask, const std::function<bool()>& is_gone,
                                      OnRevoke on_revoke) {
  RequireKey(ask);
  const auto end = Clock::now() + ask.wait;
  std::unique_lock lock(mutex_);
  if (queue_.size() >= kMostWaiting)
    throw Error("", "queue", "", StrCat("is full: ", kMostWaiting, " wait"));
  const auto place = std::ranges::find_if(
      queue_, [&](const Waiting& one) { return one.ask->priority < ask.priority; });
  const auto waiting = queue_.insert(place, Waiting{&ask});
  Changed();
  std::optional<size_t> device;
  bool late = false, gone = false;
  while (!(device = FreeFor(*waiting)) && !late && !gone) {
    changed_.wait_until(lock, std::min(end, Clock::now() + kLook));
    late = Clock::now() >= end;
    lock.unlock();
    gone = is_gone();
    lock.lock();
  }
  queue_.erase(waiting);
  Changed();  // those behind move up
  if (!device) throw gone ? Error("", "lease", "", "nobody waits for it any more") : NoneFree(ask);
  devices_[*device].state = State::kLeased;
  lock.unlock();
  try {
    return Give(*device, ask, std::move(on_revoke));
  } catch (const Error&) {
    const std::lock_guard again(mutex_);
    devices_[*device].state = State::kFree;
    Changed();
    throw;
  }
}

std::shared_ptr<Held> Leases::Give(size_t device, const Ask& ask, OnRevoke on_revoke) {
  const auto held = std::make_shared<Held>();
  held->process = spawner_.Start(device);
  held->secret = NewSecret();
  held->device = device;
  held->on_revoke = std::move(on_revoke);
  {
    const std::lock_guard lock(mutex_);
    Device& of = devices_[device];
    held->fence = of.fence = ++last_fence_;
    ++of.leases;
    of.holder = ask.holder;
    of.since = held->last_beat = Clock::now();
    held->end = of.since + limit_;
    held_[held->fence] = held;
  }
  Changed();
  options_.log(
      StrCat("lease ", held->fence, ": ", devices_[device].spec.name, " to ", Visible(ask.holder)));
  return held;
}

void Leases::Beat(Held& held) {
  const std::lock_guard lock(mutex_);
  held.last_beat = Clock::now();
}

// With the lock: from now on no call reaches it.
void Leases::EndLocked(Held& held, const std::string& why) {
  held.ended = why;
  held_.erase(held.fence);
  ended_.emplace_back(held.fence, why);
  if (ended_.size() > kRemembered) ended_.pop_front();
}

void Leases::Release(Held& held) {
  bool in_call = false, faulted = false;
  std::string why = kReleased;
  {
    const std::lock_guard lock(mutex_);
    if (held.ended.empty()) EndLocked(held, why);
    why = held.ended;
    in_call = held.in_call;
    faulted = held.faulted;
  }
  {
    const std::lock_guard lock(held.revoke);
    held.on_revoke = nullptr;
  }
  const int signal = spawner_.Kill(held.process.pid);
  // A call that waits for the process sees its end, and is through with the socket.
  const std::lock_guard calls(held.call);
  close(std::exchange(held.process.socket, -1));
  if (signal != 0) why = StrCat("its process was ended by ", SignalName(signal));
  options_.log(StrCat("lease ", held.fence, " ended: ", why));
  Free(held.device, in_call || faulted || signal != 0, why);
}

void Leases::Free(size_t device, bool faulted, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    Device& of = devices_[device];
    of.holder.clear();
    of.state = faulted ? State::kTesting : State::kFree;
    of.reason = faulted ? why : "";
    of.since = Clock::now();
  }
  Changed();
  if (faulted) std::thread([this, device] { Test(device); }).detach();
}

void Leases::Test(size_t device) {
  const auto start = Clock::now();
  std::string failure;
  try {
    const Spawner::Process process = spawner_.Start(device);
    driver::remote::Stub stub(
        [&](const std::string& request) {
          std::string reply;
          if (!SendFrame(process.socket, request) ||
              !ReceiveFrame(process.socket, reply, kSelfTestLimit) || reply.empty())
            throw Error("self-test", "", "", "ended without a result, or took too long");
          return reply.substr(1);
        },
        "");
    try {
      failure = stub.SelfTest();
    } catch (const Error& error) {
      failure = error.what();
    }
    spawner_.Kill(process.pid);
    close(process.socket);
  } catch (const Error& error) {
    failure = error.what();
  }
  const double took = Seconds(Clock::now() - start);
  options_.log(StrCat("self-test of ", devices_[device].spec.name, ": ",
                      failure.empty() ? "passed" : "withdrawn: " + Visible(failure)));
  {
    const std::lock_guard lock(mutex_);
    Device& of = devices_[device];
    of.state = failure.empty() ? State::kFree : State::kWithdrawn;
    of.reason = failure;
    of.self_test_s = took;
    of.since = Clock::now();
    Changed();  // with the lock: who waits may end all of this
  }
}

void Leases::Revoke(const std::shared_ptr<Held>& held, const std::string& why, bool at_limit) {
  spawner_.Kill(held->process.pid);
  const std::lock_guard lock(held->revoke);
  if (held->on_revoke) held->on_revoke(why, at_limit);
}

void Leases::Changed() {
  ++changes_;
  changed_.notify_all();
}

int64_t Leases::WaitForChange(int64_t changes, std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [&] { return changes_ != changes; });
  return changes_;
}

// Ends leases whose beats do not come, and those that have lasted too long.
void Leases::Watch() {
  std::unique_lock lock(mutex_);
  while (!stops_) {
    const auto now = Clock::now();
    auto next = now + std::chrono::hours(1);
    struct Over {
      std::shared_ptr<Held> held;
      std::string why;
      bool at_limit = false;
    };
    std::vector<Over> over;
    for (const auto& [fence, held] : held_) {
      if (const auto silent = now - held->last_beat; silent >= beat_) {
        devices_[held->device].revoked_after_s = Seconds(silent);
        over.push_back({held, StrCat("no beat came for ", Seconds(beat_), " s")});
      } else if (now >= held->end) {
        over.push_back(
            {held, StrCat("it lasted ", Seconds(limit_), " s, which is the limit"), true});
      } else {
        next = std::min({next, held->last_beat + beat_, held->end});
      }
    }
    for (const Over& one : over) EndLocked(*one.held, one.why);
    if (over.empty()) {
      changed_.wait_until(lock, next);
      continue;
    }
    lock.unlock();
    for (const Over& one : over) Revoke(one.held, one.why, one.at_limit);
    lock.lock();
  }
}

Error Leases::Ended(int64_t fence) const {
  for (const auto& [number, why] : ended_)
    if (number == fence) return Error("", StrCat("lease ", fence), "", StrCat("has ended: ", why));
  return Error("", StrCat("lease ", fence), "", "is none of this server");
}

std::string Leases::Call(int64_t fence, const std::string& secret, const std::string& request) {
  std::shared_ptr<Held> held;
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(fence);
    if (found == held_.end()) throw Ended(fence);
    if (found->second->secret != secret)
      throw Error("", StrCat("lease ", fence), "", "is not that of who calls");
    held = found->second;
  }
  const std::lock_guard calls(held->call);
  {
    const std::lock_guard lock(mutex_);
    if (!held->ended.empty()) throw Ended(fence);
    held->in_call = true;
  }
  std::string reply;
  const bool good =
      SendFrame(held->process.socket, request) && ReceiveFrame(held->process.socket, reply);
  const std::lock_guard lock(mutex_);
  if (!held->ended.empty()) throw Ended(fence);  // in_call stays: it was in the middle of one
  if (good && !reply.empty()) {
    held->in_call = false;
    held->faulted |= reply.front() == kFaulted;
    return reply.substr(1);
  }
  held->faulted = true;
  throw Error("", StrCat("lease ", fence), "", "its process has died of what it was asked to do");
}

std::vector<driver::remote::ServedDevice> Leases::List() const {
  constexpr const char* kStates[] = {"free", "leased", "testing", "withdrawn"};
  const std::optional<double> temperature =
      options_.temperature ? options_.temperature() : std::nullopt;
  const std::lock_guard lock(mutex_);
  std::vector<driver::remote::ServedDevice> all;
  for (const Device& device : devices_) {
    driver::remote::ServedDevice& one = all.emplace_back();
    one.name = device.spec.name, one.key = device.spec.key;
    one.state = kStates[static_cast<int>(device.state)];
    one.reason = device.reason, one.holder = device.holder;
    one.fence = device.fence, one.leases = device.leases;
    if (device.state == State::kLeased) one.held_s = Seconds(Clock::now() - device.since);
    one.self_test_s = device.self_test_s, one.revoked_after_s = device.revoked_after_s;
    if (device.spec.is_board) one.temperature_c = temperature;
    one.waiting = std::ranges::count_if(
        queue_, [&](const Waiting& waiting) { return Fits(device, *waiting.ask); });
  }
  return all;
}

}  // namespace vta::serve
