#include "driver/remote/wire/stub.h"

#include <algorithm>
#include <utility>

#include "driver/remote/protocol.h"
#include "driver/remote/vta.pb.h"
#include "driver/remote/wire/convert.h"

namespace vta::driver::remote {
namespace {

using std::chrono::nanoseconds;
using wire::Reply;
using wire::Request;

// Between char and uint8_t iterators copy a byte at a time.
std::string Text(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

template <typename List>
std::vector<Bytes> BytesOf(const List& list) {
  std::vector<Bytes> all;
  for (const std::string& one : list) {
    const std::span<const uint8_t> bytes = BytesOf(one);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

template <typename Message>
nanoseconds LimitOf(const Message& message) {
  return message.has_limit_ns() ? nanoseconds(std::max<int64_t>(0, message.limit_ns())) : kForever;
}

void OpenSession(const Request::OpenSession& request, Worker& worker, Reply& reply) {
  const SessionReply opened =
      worker.OpenSession({request.sha256(), request.file(), request.apart(), request.threads()});
  Reply::Session* const out = reply.mutable_session();
  out->set_session(opened.session);
  out->set_threads(opened.threads);
  if (opened.device) ToWire(*opened.device, out->mutable_device());
}

void Run(const Request::Run& request, Worker& worker, Reply& reply) {
  const RunReply run = worker.Run({request.session(), BytesOf(request.inputs()), LimitOf(request)});
  Reply::Run* const out = reply.mutable_run();
  for (const Bytes& output : run.outputs) out->add_outputs(output.data(), output.size());
  for (const Step& step : run.steps) {
    wire::Step* const added = out->add_steps();
    added->set_wall_ns(step.wall.count());
    ToWire(step.counters, added->mutable_counters());
    added->set_begins(step.begins);
    added->set_steps(step.steps);
  }
  out->set_wall_ns(run.wall.count());
  out->set_copy_in_ns(run.copy_in.count());
  out->set_copy_out_ns(run.copy_out.count());
}

void Time(const Request::Time& request, Worker& worker, Reply& reply) {
  const TimeReply time =
      worker.Time({request.session(), BytesOf(request.inputs()), request.number(), request.repeat(),
                   nanoseconds(request.min_time_ns())});
  Reply::Time* const out = reply.mutable_time();
  out->set_clock(time.clock);
  out->set_mhz(time.mhz);
  out->set_number(time.number);
  out->mutable_results_ns()->Add(time.results.begin(), time.results.end());
}

void CopyOut(const Request::CopyOut& request, Worker& worker, Reply& reply) {
  if (request.size() < 0 || request.size() > kMostCallBytes)
    throw Malformed("copy", StrCat("must be of 0 to ", kMostCallBytes, " bytes"));
  std::string* const data = reply.mutable_data();
  data->resize(static_cast<size_t>(request.size()));
  worker.CopyOut(request.address(), {reinterpret_cast<uint8_t*>(data->data()), data->size()});
}

isa::Register RegisterOf(const Request::ReadRegister& request) {
  constexpr int64_t kEnd = int64_t{1} << isa::kRegisterAddressBits;
  const auto fits = [](int64_t value) { return value >= 0 && value < kEnd; };
  if (!fits(request.first()) || !fits(request.word())) throw Malformed("register", "is none");
  return static_cast<isa::Register>(request.first());
}

void Do(const Request& request, Worker& worker, Reply& reply) {
  switch (request.what_case()) {
    case Request::kOpenSession:
      return OpenSession(request.open_session(), worker, reply);
    case Request::kRun:
      return Run(request.run(), worker, reply);
    case Request::kTime:
      return Time(request.time(), worker, reply);
    case Request::kCloseSession:
      worker.CloseSession(request.close_session());
      break;
    case Request::kOpenDevice:
      return ToWire(
          worker.OpenDevice(request.open_device().config(), request.open_device().memory_bytes()),
          reply.mutable_device());
    case Request::kAllocate:
      return reply.set_address(worker.Allocate(request.allocate()));
    case Request::kFree:
      worker.Free(request.free());
      break;
    case Request::kCopyIn: {
      const std::string& data = request.copy_in().data();
      worker.CopyIn(request.copy_in().address(),
                    {reinterpret_cast<const uint8_t*>(data.data()), data.size()});
      break;
    }
    case Request::kCopyOut:
      return CopyOut(request.copy_out(), worker, reply);
    case Request::kReadRegister: {
      const auto value =
          worker.ReadRegister(RegisterOf(request.read_register()), request.read_register().word());
      Reply::Register* const out = reply.mutable_register_();
      if (value) out->set_value(*value);
      return;
    }
    case Request::kLaunch:
      return ToWire(worker.Launch(FromWire(request.launch()), LimitOf(request.launch())),
                    reply.mutable_launch());
    case Request::kSelfTest:
      return reply.set_self_test(worker.SelfTest());
    case Request::WHAT_NOT_SET:
      throw Malformed("request", "asks for nothing that this version knows");
  }
  reply.mutable_done();
}

}  // namespace

std::string Answer(const std::string& request, Worker& worker) {
  Reply reply;
  try {
    Request read;
    if (!read.ParseFromString(request)) throw Malformed("request", "is none");
    Do(read, worker, reply);
  } catch (const Error& error) {
    reply.Clear();
    ToWire(error, reply.mutable_failure());
  } catch (const std::exception& error) {
    reply.Clear();
    reply.mutable_failure()->set_rule(error.what());
  }
  if (reply.ByteSizeLong() > static_cast<size_t>(kMostCallBytes)) {
    reply.Clear();
    ToWire(Malformed("reply", StrCat("would be larger than ", kMostCallBytes, " bytes")),
           reply.mutable_failure());
  }
  reply.set_faulted(worker.HasFaulted());
  return reply.SerializeAsString();
}

Stub::Stub(Exchange exchange, std::string where)
    : exchange_(std::move(exchange)), where_(std::move(where)) {}

Reply Stub::Call(const Request& request, int want) {
  const size_t bytes = request.ByteSizeLong();
  if (bytes > static_cast<size_t>(kMostCallBytes))
    throw Error(where_, "request", StrCat(bytes, " bytes"),
                StrCat("must be at most ", kMostCallBytes));
  Reply reply;
  if (!reply.ParseFromString(exchange_(request.SerializeAsString())))
    throw Malformed("reply", "is none").In(where_);
  has_faulted_ = reply.faulted();
  if (reply.has_failure()) throw FromWire(reply.failure()).In(where_);
  if (reply.what_case() != want) throw Malformed("reply", "is to another request").In(where_);
  return reply;
}

SessionReply Stub::OpenSession(const SessionRequest& asked) {
  Request request;
  Request::OpenSession* const out = request.mutable_open_session();
  out->set_sha256(asked.sha256);
  out->set_file(Visible(asked.file));
  out->set_apart(asked.apart);
  out->set_threads(asked.threads);
  const Reply reply = Call(request, Reply::kSession);
  SessionReply opened{reply.session().session(), reply.session().threads(), {}};
  if (reply.session().has_device()) opened.device = FromWire(reply.session().device());
  return opened;
}

RunReply Stub::Run(const RunRequest& asked) {
  Request request;
  Request::Run* const out = request.mutable_run();
  out->set_session(asked.session);
  for (const Bytes& input : asked.inputs) out->add_inputs(input.data(), input.size());
  if (asked.limit != kForever) out->set_limit_ns(asked.limit.count());
  const Reply reply = Call(request, Reply::kRun);
  const Reply::Run& have = reply.run();
  RunReply run{BytesOf(have.outputs()),
               {},
               nanoseconds(have.wall_ns()),
               nanoseconds(have.copy_in_ns()),
               nanoseconds(have.copy_out_ns())};
  for (const wire::Step& step : have.steps())
    run.steps.push_back(
        {nanoseconds(step.wall_ns()), FromWire(step.counters()), step.begins(), step.steps()});
  return run;
}

TimeReply Stub::Time(const TimeRequest& asked) {
  Request request;
  Request::Time* const out = request.mutable_time();
  out->set_session(asked.session);
  for (const Bytes& input : asked.inputs) out->add_inputs(input.data(), input.size());
  out->set_number(asked.number);
  out->set_repeat(asked.repeat);
  out->set_min_time_ns(asked.min_time.count());
  const Reply reply = Call(request, Reply::kTime);
  const Reply::Time& have = reply.time();
  return {have.clock(),
          have.mhz(),
          have.number(),
          {have.results_ns().begin(), have.results_ns().end()}};
}

void Stub::CloseSession(int64_t session) {
  Request request;
  request.set_close_session(session);
  Call(request, Reply::kDone);
}

DeviceId Stub::OpenDevice(const std::string& config_json, int64_t memory_bytes) {
  Request request;
  request.mutable_open_device()->set_config(config_json);
  request.mutable_open_device()->set_memory_bytes(memory_bytes);
  return FromWire(Call(request, Reply::kDevice).device());
}

uint64_t Stub::Allocate(int64_t bytes) {
  Request request;
  request.set_allocate(bytes);
  return Call(request, Reply::kAddress).address();
}

void Stub::Free(uint64_t address) {
  Request request;
  request.set_free(address);
  Call(request, Reply::kDone);
}

void Stub::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  Request request;
  request.mutable_copy_in()->set_address(address);
  request.mutable_copy_in()->set_data(Text(bytes));
  Call(request, Reply::kDone);
}

void Stub::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  Request request;
  request.mutable_copy_out()->set_address(address);
  request.mutable_copy_out()->set_size(static_cast<int64_t>(bytes.size()));
  const Reply reply = Call(request, Reply::kData);
  if (reply.data().size() != bytes.size())
    throw Malformed("copy", StrCat("has ", reply.data().size(), " bytes")).In(where_);
  std::copy_n(BytesOf(reply.data()).data(), bytes.size(), bytes.data());
}

std::optional<uint32_t> Stub::ReadRegister(isa::Register first, int64_t word) {
  Request request;
  request.mutable_read_register()->set_first(static_cast<int64_t>(first));
  request.mutable_read_register()->set_word(word);
  const Reply reply = Call(request, Reply::kRegister);
  if (!reply.register_().has_value()) return std::nullopt;
  return reply.register_().value();
}

isa::LaunchResult Stub::Launch(const isa::LaunchRequest& asked, nanoseconds limit) {
  Request request;
  ToWire(asked, request.mutable_launch());
  if (limit != kForever) request.mutable_launch()->set_limit_ns(limit.count());
  return FromWire(Call(request, Reply::kLaunch).launch());
}

std::string Stub::SelfTest() {
  Request request;
  request.mutable_self_test();
  return Call(request, Reply::kSelfTest).self_test();
}

}  // namespace vta::driver::remote
