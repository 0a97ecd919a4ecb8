// Samples in flight: the accelerator runs programs of one while the host runs kernels of another.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "runtime/schedule.h"
#include "runtime/session.h"
#include "runtime/step_clock.h"
#include "runtime/turn_device.h"

namespace vta::runtime {

struct PipelineOptions {
  int64_t in_flight = kUsuallyInFlight;  // samples that have begun and not ended, at most
  bool apart = false;                    // as SessionOptions
  int64_t threads = 0;                   // as SessionOptions: of one pool, whose turns kernels take
  KernelOptions kernels = {};            // as SessionOptions; in processes, each has one
  /// In place of all of these: makes the session of each sample in flight, which is another
  /// machine's.
  std::function<std::unique_ptr<AnySession>()> make_session = {};
};

/// The bytes of a model's inputs, or outputs, in its order.
using Tensors = std::vector<std::vector<uint8_t>>;

/// What came of a sample.
struct Flown {
  int64_t sample = 0;
  Tensors outputs;
  RunProfile profile;  // its steps' wall times are without the waiting for their turns
  std::chrono::steady_clock::time_point begin, end;
};

/// Several sessions of a model over one device. Samples begin in the order in which they are
/// submitted, and come out in it. Where two want the device, or the host's threads, the earlier
/// sample goes first. Each sample in flight has an arena of its own on the device, with a copy of
/// the constants, and a copy of the programs: base registers reach tensors and constants alike.
/// Used by one thread at a time. The device is the pipeline's alone while samples are in flight.
class Pipeline {
 public:
  /// `device` is borrowed, and may be null for a package without programs.
  /// Errors: throws ArgumentError where in_flight is not in [1, kMostInFlight]; and Error as
  /// Session, also where the device's memory holds fewer arenas.
  Pipeline(std::shared_ptr<const Model> model, driver::Device* device,
           const PipelineOptions& options = {});
  /// Samples in flight are run to their end, those that wait are not.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  static constexpr int64_t kMostInFlight = 64;
  /// Samples that should wait behind those in flight: with fewer, slots idle until whoever submits
  /// is awake.
  static constexpr int64_t kQueue = 16;

  /// As Session::StopAt, of every sample that is submitted from now on.
  void StopAt(Session::Deadline deadline) { deadline_ = deadline; }

  /// Queues a sample, and returns its number: 0, 1, 2, ...
  /// Errors: throws Error where there are not as many inputs, ArgumentError where one has not its
  /// tensor's size. Nothing is queued then.
  int64_t Submit(Tensors inputs);
  /// Waits for the earliest sample that was not yet taken.
  /// Errors: throws Error that names the sample and, as Session::Run, the step; those behind it go
  /// on. Aborts where no sample is left.
  Flown Next();
  /// Samples that were submitted and not taken.
  int64_t waiting() const { return submitted_ - taken_; }

  /// All of them, in order. Errors: as Submit and Next: the first in order; the others have then
  /// ended, or never began.
  std::vector<Flown> Run(std::span<const Tensors> samples);

 private:
  struct Queued {
    int64_t sample;
    Tensors inputs;
    Session::Deadline deadline;
  };
  struct Ended {
    Flown flown;
    std::exception_ptr error;
  };
  struct Slot {
    std::unique_ptr<TurnDevice> device;
    std::unique_ptr<AnySession> session;
    Session* own = nullptr;  // that, where it is of this machine
    std::thread thread;
  };

  void Work(Slot& slot);
  Ended Fly(Slot& slot, const Queued& queued);
  void MakeSessions(driver::Device* device, const PipelineOptions& options);
  void RunSteps(Slot& slot, int64_t sample, RunProfile& profile);
  void Stop();
  void Drop();

  std::shared_ptr<const Model> model_;
  std::unique_ptr<SharedDevice> shared_;  // null without a device
  PriorityMutex host_;
  Session::Deadline deadline_ = Session::Deadline::max();
  int64_t submitted_ = 0, taken_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable queued_, ended_;
  std::deque<Queued> queue_;
  std::map<int64_t, Ended> finished_;
  bool stop_ = false;

  std::vector<Slot> slots_;
};

/// What the samples of a run came to by wall time: from the first beginning to the last end.
/// Errors: aborts without a sample.
Throughput Measured(std::span<const Flown> samples, int64_t in_flight);

/// What samples in flight would come to, each with the steps of this one.
Throughput Modelled(const isa::Package& package, const RunProfile& profile, const StepClock& clock,
                    int64_t in_flight);

}  // namespace vta::runtime
