#include "python/src/session.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/stop.h"
#include "python/src/arguments.h"
#include "python/src/work.h"
#include "tools/energy/technology.h"
#include "tools/report/report.h"
#include "tools/shared/nearest.h"
#include "tools/shared/validators.h"

namespace nb = nanobind;

namespace vta::python {

/// The memory of one run, and what it belongs to.
struct Session::Bound {
  std::vector<ArrayBytes> inputs, outputs;
  nb::dict arrays;  // of the outputs
};

/// Of a thread, when others' runs have ended. Without the interpreter's lock.
class Session::Turn {
 public:
  /// Errors: throws what a signal's handler raises meanwhile; and Error where such a handler is
  /// called by a run of this session.
  explicit Turn(Session& session) : session_(session) {
    if (session.turn_ == std::this_thread::get_id())
      throw Error(session.file_, "session", "", "is running: a signal's handler cannot use it");
    while (!session.mutex_.try_lock_for(kLook))
      if (const std::exception_ptr raised = RaisedBySignal()) std::rethrow_exception(raised);
    session.turn_ = std::this_thread::get_id();
  }
  ~Turn() {
    session_.turn_ = std::thread::id();
    session_.mutex_.unlock();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Session& session_;
};

namespace {

std::vector<std::string> NamesOf(const std::vector<isa::PackageTensor>& tensors) {
  std::vector<std::string> names;
  for (const isa::PackageTensor& tensor : tensors) names.push_back(tensor.name);
  return names;
}

/// Errors: throws Error naming a key that is no tensor's.
void RequireNames(const nb::dict& given, const char* what,
                  const std::vector<isa::PackageTensor>& tensors) {
  size_t known = 0;
  for (const isa::PackageTensor& tensor : tensors)
    known += given.contains(tensor.name.c_str()) ? 1 : 0;
  if (known == nb::len(given)) return;
  const std::vector<std::string> names = NamesOf(tensors);
  for (const auto [key, value] : given) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    if (!nb::isinstance<nb::str>(key) || std::ranges::count(names, name) == 0)
      throw Error("", what, name,
                  StrCat("the model has ", tools::Listed(names), tools::DidYouMean(name, names)));
  }
}

bool Overlap(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  return !a.empty() && !b.empty() && a.data() < b.data() + b.size() &&
         b.data() < a.data() + a.size();
}

}  // namespace

Session::Session(const std::shared_ptr<Package>& package, const nb::dict& options)
    : process_(getpid()), file_(package->file()) {
  Arguments arguments;
  engine_.AddNameTo(arguments.app());
  engine_.kernels = package->kernels();
  arguments.Parse(options);
  const std::shared_ptr<const isa::Package> content = package->package();
  inputs_ = TensorsOf(*content, content->inputs);
  outputs_ = TensorsOf(*content, content->outputs);
  makes_outputs_ = std::make_unique<ArrayMaker>(outputs_);
  session_ = OnLargeStack([&] {
    if (!content->config) engine_.RefuseAll();
    return std::make_unique<tools::EngineSession>(package->Load(), engine_);
  });
  profiles_ = session_->device() && session_->device()->timing_hash;
}

Session::~Session() {
  if (getpid() != process_) {
    // Its threads and devices are the other process's.
    static_cast<void>(session_.release());
    return;
  }
  const nb::gil_scoped_release unlocked;
  session_.reset();
}

void Session::RequireUsable() const {
  if (getpid() != process_)
    throw Error(file_, "session", "",
                "is of the process that this one was forked from: make one here");
  if (closed_) throw Error(file_, "session", "", "is closed");
}

Session::Bound Session::Collect(const nb::dict& inputs, const nb::object& out) const {
  try {
    Bound bound;
    RequireNames(inputs, "input", inputs_);
    for (const isa::PackageTensor& tensor : inputs_) {
      PyObject* const array = PyDict_GetItemString(inputs.ptr(), tensor.name.c_str());
      if (!array) throw Error("", StrCat("input ", tensor.name), "", "is missing");
      bound.inputs.emplace_back(array, tensor, StrCat("input ", tensor.name));
    }
    const bool has_out = !out.is_none();
    if (has_out && !nb::isinstance<nb::dict>(out))
      throw Error("", "out", nb::type_name(out.type()).c_str(), "must be a dict");
    const nb::dict given = has_out ? nb::borrow<nb::dict>(out) : nb::dict();
    if (has_out) RequireNames(given, "output", outputs_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const std::string& name = outputs_[i].name;
      PyObject* const own = PyDict_GetItemString(given.ptr(), name.c_str());
      const nb::object array = own ? nb::borrow(own) : makes_outputs_->Make(i);
      bound.outputs.emplace_back(array, outputs_[i], StrCat("output ", name), true);
      bound.arrays[name.c_str()] = array;
      const auto shares = [&](const ArrayBytes& other) {
        return Overlap(bound.outputs[i].bytes(), other.bytes());
      };
      if (own && (std::ranges::any_of(bound.inputs, shares) ||
                  std::ranges::count_if(bound.outputs, shares) > 1))
        throw Error("", StrCat("output ", name), "", "shares memory with another array of the run");
    }
    return bound;
  } catch (const Error& error) {
    throw error.In(file_);
  }
}

void Session::RunBound(Bound& bound, bool profile, std::optional<double> limit_s) {
  const nb::gil_scoped_release unlocked;
  const Turn turn(*this);
  RequireUsable();
  runtime::AnySession& session = session_->session();
  // The arrays are bound for this run alone.
  const auto unbind = [&] {
    for (size_t i = 0; i < bound.inputs.size(); ++i) session.BindInput(static_cast<int64_t>(i), {});
    for (size_t i = 0; i < bound.outputs.size(); ++i)
      session.BindOutput(static_cast<int64_t>(i), {});
  };
  try {
    for (size_t i = 0; i < bound.inputs.size(); ++i)
      session.BindInput(static_cast<int64_t>(i), bound.inputs[i].bytes());
    for (size_t i = 0; i < bound.outputs.size(); ++i)
      session.BindOutput(static_cast<int64_t>(i), bound.outputs[i].bytes());
    const auto now = std::chrono::steady_clock::now();
    session.StopAt(limit_s ? now + std::chrono::nanoseconds(static_cast<int64_t>(*limit_s * 1e9))
                           : runtime::Session::Deadline::max());
    if (profile) profile_.steps.clear();
    RunUnlessStopped(profile ? &profile_ : nullptr);
  } catch (...) {
    try {
      unbind();
    } catch (const Error&) {  // a session that is dead is not used again
    }
    throw;
  }
  unbind();
}

void Session::RunUnlessStopped(runtime::RunProfile* profile) {
  std::exception_ptr raised;
  auto looked = std::chrono::steady_clock::now();
  const StopAsker asker([&] {
    if (raised || stops_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - looked < kLook) return false;
    looked = now;
    raised = RaisedBySignal();
    return raised != nullptr;
  });
  try {
    session_->session().Run(profile);
  } catch (const Error&) {
    if (!raised) throw;
  }
  if (raised) std::rethrow_exception(raised);
}

nb::dict Session::Run(const nb::dict& inputs, const nb::object& out, std::optional<bool> profile,
                      std::optional<double> limit_s) {
  RequireUsable();
  if (limit_s && !(*limit_s > 0 && *limit_s <= 1e9))
    throw Error(file_, "limit_s", StrCat(*limit_s), "must be above 0, and 1e9 at most");
  Bound bound = Collect(inputs, out);
  RunBound(bound, profile.value_or(profiles_), limit_s);
  return bound.arrays;
}

void Session::Close() {
  if (getpid() != process_) RequireUsable();
  const nb::gil_scoped_release unlocked;
  const Turn turn(*this);
  closed_ = true;
  session_.reset();
}

tools::RunReport Session::Report() {
  const std::lock_guard lock(mutex_);  // of a thread of its own, which no signal's handler waits in
  RequireUsable();
  if (profile_.steps.empty())
    throw Error(file_, "report", "", "no run was profiled: run(..., profile=True)");
  const isa::Package& package = session_->package();
  const driver::DeviceId* const device = session_->device();
  tools::RunReport report = tools::MakeReport(package, profile_, session_->memory(), device,
                                              tools::EstimateFor(package, device));
  report.load = session_->load();
  if (device && device->timing_hash)
    tools::AddEnergy(package, tools::FindEnergyModel("", *package.config), report);
  return report;
}

std::string Session::ReportJson() {
  return OnLargeStack([&] { return tools::ReportJson(Report()).Dump(); });
}

std::string Session::ReportTable(bool wide) {
  return OnLargeStack([&] { return tools::ReportTable(Report(), wide); });
}

void BindSession(nb::module_& module) {
  nb::class_<Session>(module, "Session")
      .def(nb::init<const std::shared_ptr<Package>&, const nb::dict&>())
      .def("run", &Session::Run, nb::arg("inputs"), nb::arg("out") = nb::none(),
           nb::arg("profile") = nb::none(), nb::arg("limit_s") = nb::none())
      .def("close", &Session::Close)
      .def("stop", &Session::Stop)
      .def_prop_ro("closed", &Session::is_closed)
      .def_prop_ro("engine", &Session::engine)
      .def("report_json", &Session::ReportJson)
      .def("report_table", &Session::ReportTable);
  module.def("engines", [] {
    nb::list names;
    for (const std::string& name : tools::EngineNames()) names.append(name);
    return names;
  });
}

}  // namespace vta::python
