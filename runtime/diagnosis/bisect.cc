#include "runtime/diagnosis/bisect.h"

#include <algorithm>

#include "isa/spec/registers.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::runtime {
namespace {

class Bisector {
 public:
  Bisector(const std::shared_ptr<const Model>& model, driver::Device& device,
           driver::Device& golden, const BisectOptions& options)
      : options_(options),
        package_(model->package()),
        device_(device),
        session_(model, &device, {.threads = options.threads, .kernels = options.kernels}),
        golden_(model, &golden, {.threads = options.threads, .kernels = options.kernels}) {
    session_.StopAt(options.deadline);
    golden_.StopAt(options.deadline);
  }

  Bisection Run(std::span<const Tensors> samples) && {
    RunWhole(samples);
    RunSteps(samples[static_cast<size_t>(found_.sample)]);
    if (!found_.first) RunLaunches(samples[static_cast<size_t>(found_.sample)]);
    Say("reading back what the device holds");
    CheckResident();
    found_.registers = ReadRegisters(device_);
    return std::move(found_);
  }

 private:
  void Say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  // Where the device fails, not the time that it was given.
  std::string FailureOf(const std::function<void()>& run) const {
    try {
      run();
    } catch (const Error& error) {
      if (std::chrono::steady_clock::now() >= options_.deadline) throw;
      return error.what();
    }
    return "";
  }

  static Tensors InferOn(Session& session, const Tensors& inputs) {
    const std::vector<std::span<const uint8_t>> spans(inputs.begin(), inputs.end());
    return Infer(session, spans);
  }

  void SetGolden(const Tensors& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) golden_.SetInput(static_cast<int64_t>(i), inputs[i]);
  }

  Tensors InferAlone(const Tensors& inputs) {
    SetGolden(inputs);
    for (int64_t step = 0; step < std::ssize(package_.steps); ++step) golden_.RunStep(step);
    return Read(golden_, package_.outputs);
  }

  void RunWhole(std::span<const Tensors> samples) {
    for (const Tensors& inputs : samples) {
      Say(StrCat("sample ", found_.samples, " as a whole"));
      found_.sample = found_.samples++;
      const Tensors wanted = InferAlone(inputs);
      Tensors outputs;
      found_.run_error = FailureOf([&] { outputs = InferOn(session_, inputs); });
      if (!found_.run_error.empty()) return;
      found_.output = CompareOutputs(wanted, outputs);
      const bool last = found_.samples == std::ssize(samples);
      if (!found_.output && !last) continue;
      // A device that does not do the same twice cannot be looked into step by step.
      found_.run_error =
          FailureOf([&] { found_.run_again = InferOn(session_, inputs) == outputs; });
      if (!found_.output) found_.sample = 0;
      return;
    }
  }

  std::optional<ValueDifference> CompareOutputs(const Tensors& wanted, const Tensors& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const int64_t tensor = package_.outputs[i];
      const isa::PackageTensor& t = package_.tensors[tensor];
      if (auto found = CompareValues(StrCat("output ", t.name), t.type, session_.AddressOf(tensor),
                                     wanted[i], outputs[i]))
        return found;
    }
    return std::nullopt;
  }

  void RunSteps(const Tensors& inputs) {
    SetGolden(inputs);
    for (int64_t step = 0; step < std::ssize(package_.steps); ++step) {
      Say(StrCat("step ", step, " ", package_.steps[step].name, " alone"));
      std::optional<StepDifference> difference = RunStep(step);
      if (!difference) continue;
      const bool ended = difference->error.empty();
      ++found_.steps_differing;
      if (!found_.first) found_.first = std::move(difference);
      if (!ended) return;
    }
  }

  // What the step takes is read before it runs: what it makes may lie over it.
  std::optional<StepDifference> RunStep(int64_t step) {
    const isa::PackageStep& at = package_.steps[step];
    const Tensors takes = Read(golden_, at.inputs);
    StepProfile wanted, have;
    golden_.RunStep(step, &wanted);
    StepDifference difference{.step = step};
    difference.error = FailureOf([&] { RunFrom(takes, step, &have); });
    ++found_.steps;
    if (!difference.error.empty()) {
      difference.registers = ReadRegisters(device_);
      return difference;
    }
    const Tensors made = Read(session_, at.outputs), right = Read(golden_, at.outputs);
    for (size_t i = 0; i < made.size() && !difference.value; ++i) {
      const isa::PackageTensor& t = package_.tensors[at.outputs[i]];
      difference.value = CompareValues(StrCat("tensor ", t.name), t.type,
                                       session_.AddressOf(at.outputs[i]), right[i], made[i]);
    }
    difference.counters = CompareCounters(wanted.counters, have.counters);
    if (!difference.value && difference.counters.empty()) return std::nullopt;
    if (found_.first) return difference;
    difference.registers = ReadRegisters(device_);
    const std::string error = FailureOf([&] { RunFrom(takes, step, &have); });
    difference.again = error.empty() && Read(session_, at.outputs) == made;
    return difference;
  }

  void RunFrom(const Tensors& takes, int64_t step, StepProfile* profile) {
    Write(session_, package_.steps[step].inputs, takes);
    session_.RunStep(step, profile);
  }

  static Tensors Read(const Session& session, const std::vector<int64_t>& tensors) {
    Tensors read;
    for (const int64_t tensor : tensors) read.push_back(session.ReadTensor(tensor));
    return read;
  }

  void Write(Session& session, const std::vector<int64_t>& tensors, const Tensors& bytes) const {
    for (size_t i = 0; i < tensors.size(); ++i)
      if (!package_.IsConstant(package_.tensors[tensors[i]]))
        session.WriteTensor(tensors[i], bytes[i]);
  }

  void RunLaunches(const Tensors& inputs) {
    if (package_.launches.empty()) return;
    SetGolden(inputs);
    for (int64_t step = 0; step < std::ssize(package_.steps) && !found_.launch;) {
      const isa::PackageLaunch* const launch = package_.LaunchAt(step);
      if (!launch) {
        golden_.RunStep(step++);
        continue;
      }
      Say(StrCat("launch ", isa::NameOf(package_.StepsOf(*launch)), " alone"));
      found_.launch = RunLaunch(*launch);
      step += std::ssize(launch->starts);
    }
  }

  // Tensors that the launch takes from before it.
  std::vector<int64_t> TakenBy(std::span<const isa::PackageStep> steps) const {
    std::vector<int64_t> taken, made;
    for (const isa::PackageStep& step : steps) {
      for (const int64_t tensor : step.inputs)
        if (std::ranges::find(made, tensor) == made.end()) taken.push_back(tensor);
      made.insert(made.end(), step.outputs.begin(), step.outputs.end());
    }
    return taken;
  }

  // Tensors of a step over which none of those behind it writes.
  std::vector<int64_t> ShownOf(std::span<const isa::PackageStep> steps, size_t step) const {
    std::vector<int64_t> shown = steps[step].outputs;
    for (const isa::PackageStep& behind : steps.subspan(step + 1))
      for (const int64_t over : behind.outputs)
        std::erase_if(shown, [&](int64_t tensor) {
          const isa::PackageTensor &a = package_.tensors[tensor], &b = package_.tensors[over];
          return a.offset_bytes < b.offset_bytes + b.bytes() &&
                 b.offset_bytes < a.offset_bytes + a.bytes();
        });
    return shown;
  }

  std::optional<LaunchDifference> RunLaunch(const isa::PackageLaunch& launch) {
    const std::span<const isa::PackageStep> steps = package_.StepsOf(launch);
    LaunchDifference difference{.first = launch.first,
                                .last = launch.first + std::ssize(steps) - 1};
    const std::vector<int64_t> taken = TakenBy(steps);
    const Tensors takes = Read(golden_, taken);
    std::vector<std::vector<int64_t>> shown;
    std::vector<Tensors> right;  // of each step
    for (size_t i = 0; i < steps.size(); ++i) {
      golden_.RunStep(launch.first + static_cast<int64_t>(i));
      shown.push_back(ShownOf(steps, i));
      right.push_back(Read(golden_, shown[i]));
    }
    const auto run_on = [&](Session& session, std::vector<Tensors>& made) {
      return FailureOf([&] {
        Write(session, taken, takes);
        session.RunFrom(launch.first);
        made.clear();
        for (const std::vector<int64_t>& tensors : shown) made.push_back(Read(session, tensors));
      });
    };
    std::vector<Tensors> made, other;
    difference.error = run_on(session_, made);
    ++found_.launches;
    if (difference.error.empty() && made == right) return std::nullopt;
    difference.registers = ReadRegisters(device_);
    for (size_t i = 0; i < made.size() && !difference.value; ++i) {
      difference.step = launch.first + static_cast<int64_t>(i);
      for (size_t j = 0; j < shown[i].size() && !difference.value; ++j) {
        const isa::PackageTensor& t = package_.tensors[shown[i][j]];
        difference.value = CompareValues(StrCat("tensor ", t.name), t.type,
                                         session_.AddressOf(shown[i][j]), right[i][j], made[i][j]);
      }
      if (!difference.value && shown[i].size() < steps[i].outputs.size()) ++difference.hidden;
    }
    difference.again = run_on(session_, other) == difference.error && other == made;
    difference.golden_too = !run_on(golden_, other).empty() || other != right;
    return difference;
  }

  void CheckResident() {
    if (!session_.device()) return;
    const auto byte = isa::ElementType::kUint8;
    found_.resident = CompareValues("the constants", byte, session_.constants_address(),
                                    package_.constants, session_.ReadConstants());
    if (!found_.resident)
      found_.resident = CompareValues("the programs", byte, session_.code_address(), package_.code,
                                      session_.ReadCode());
  }

  const BisectOptions& options_;
  const isa::Package& package_;
  driver::Device& device_;
  Session session_, golden_;
  Bisection found_;
};

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += StrCat(text.empty() ? "" : "; ", part);
  return text;
}

std::string StepText(const Model& model, const StepDifference& difference) {
  const std::vector<isa::PackageStep>& steps = model.package().steps;
  const isa::PackageStep& step = steps[difference.step];
  std::string text = StrCat("first difference: step ", difference.step, " of ", steps.size(),
                            ", layer ", step.name);
  if (!step.facts.op.empty())
    text += StrCat(" (", step.facts.op, step.facts.shape.empty() ? "" : " ", step.facts.shape, ")");
  text += ": ";
  if (!difference.error.empty()) return text + difference.error;
  text += difference.value ? Describe(*difference.value) : "values are equal, counters are not";
  text += difference.again ? "; a second try left the same" : "; a second try left others";
  return text + "\ncounters of it: " +
         (difference.counters.empty() ? "equal" : Joined(difference.counters));
}

std::string LaunchText(const Model& model, const LaunchDifference& difference) {
  const std::vector<isa::PackageStep>& steps = model.package().steps;
  const auto launched =
      std::span(steps).subspan(static_cast<size_t>(difference.first),
                               static_cast<size_t>(difference.last - difference.first + 1));
  std::string text =
      StrCat("first difference: the launch of steps ", difference.first, " to ", difference.last,
             " of ", steps.size(), ", layers ", isa::NameOf(launched), ": ");
  if (!difference.error.empty()) {
    text += difference.error;
  } else {
    text += StrCat("layer ", steps[difference.step].name, ": ", Describe(*difference.value));
    if (difference.hidden > 0)
      text +=
          StrCat("; what ", Counted(difference.hidden, "layer"), " before it made is written over");
  }
  text += difference.again ? "; a second try left the same" : "; a second try left others";
  return text + "\n" +
         (difference.golden_too ? "the other engine does not run this launch right, either: its "
                                  "program is wrong"
                                : "the other engine runs this launch right");
}

}  // namespace

std::vector<std::string> ReadRegisters(driver::Device& device) {
  std::vector<std::string> read;
  try {
    for (const isa::RegisterSpec& row : isa::kRegisters) {
      if (row.access == isa::Access::kWrite || row.offset >= isa::Register::kCounter) continue;
      for (int64_t word = 0; word < row.count; ++word) {
        const std::optional<uint32_t> value = device.ReadRegister(row.offset, word);
        if (!value) return read;
        read.push_back(row.count == 1 ? StrCat(row.name, " ", Hex(*value))
                                      : StrCat(row.name, "[", word, "] ", Hex(*value)));
      }
    }
  } catch (const Error& error) {
    read.push_back(error.what());
  }
  return read;
}

std::string RegistersText(const std::vector<std::string>& read) {
  return read.empty() ? "the device has no registers" : "registers: " + Joined(read);
}

Bisection Bisect(const std::shared_ptr<const Model>& model, driver::Device& device,
                 driver::Device& golden, std::span<const Tensors> samples,
                 const BisectOptions& options) {
  if (samples.empty()) throw ArgumentError(model->file(), "samples", "0", "must be at least one");
  return Bisector(model, device, golden, options).Run(samples);
}

std::string BisectText(const Model& model, const std::string& device, const Bisection& found) {
  const auto steps = std::ssize(model.package().steps);
  std::vector<std::string> lines;
  const std::string whole =
      !found.run_error.empty() ? "does not end: " + found.run_error
      : found.output           ? Describe(*found.output)
      : found.samples > 1 ? StrCat("outputs of ", Counted(found.samples, "sample"), " are equal")
                          : std::string("outputs are equal");
  lines.push_back(StrCat(device, ": ",
                         found.output || !found.run_error.empty()
                             ? StrCat("sample ", found.sample, " as a whole: ")
                             : "",
                         whole));
  if (!found.run_again)
    lines.push_back(
        "the same sample again leaves other outputs: the device does not always do the "
        "same");
  if (found.first) {
    lines.push_back(StepText(model, *found.first));
    if (found.first->error.empty())
      lines.push_back(StrCat(found.steps_differing, " of ", Counted(steps, "layer"), " ",
                             VerbOf(found.steps_differing, steps, "differ"),
                             ", each run from the right values"));
  } else {
    lines.push_back(
        StrCat("every layer is equal, ", steps, " of ", steps, ", each run from the right values"));
    if (found.launch)
      lines.push_back(LaunchText(model, *found.launch));
    else if (found.launches > 0)
      lines.push_back(StrCat("every launch of several layers is equal, ", found.launches, " of ",
                             model.package().launches.size()));
    if (!found.equal() && !found.resident && !found.launch)
      lines.push_back(
          "what differs as a whole does not layer by layer: the device does not always "
          "do the same, or a step finds what another one left");
  }
  if (found.resident) lines.push_back("read back from the device: " + Describe(*found.resident));
  const auto& registers = found.first    ? found.first->registers
                          : found.launch ? found.launch->registers
                                         : found.registers;
  if (!found.equal()) lines.push_back(RegistersText(registers));
  std::string text;
  for (const std::string& line : lines) text += Visible(line, true) + "\n";
  return text;
}

}  // namespace vta::runtime
