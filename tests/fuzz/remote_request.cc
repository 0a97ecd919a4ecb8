// What a client may send to the process of its lease: a Request, as its text or as bytes. The
// answer is a Reply, and one to another request than was made is none. And what a server or a
// client may send to a tracker: it is what it says once it was read, or an Error.
#include <string>

#include "driver/remote/vta.pb.h"
#include "driver/remote/wire/stub.h"
#include "driver/remote/wire/tracking_wire.h"
#include "isa/support/error.h"
#include "tests/fuzz/support/wire_text.h"

namespace vta::driver::remote {
namespace {

/// Gives what is asked for, as far as that is small.
class SmallWorker : public Worker {
 public:
  SessionReply OpenSession(const SessionRequest& request) override {
    if (request.sha256.empty()) throw Error(request.file, "SHA-256", request.sha256, "is none");
    return {1, request.threads, DeviceId{.name = "small", .arch_hash = 1}};
  }
  RunReply Run(const RunRequest& request) override { return {request.inputs, {{}}, {}, {}, {}}; }
  TimeReply Time(const TimeRequest& request) override { return {0, 1, request.number, {1.0}}; }
  void CloseSession(int64_t) override {}
  DeviceId OpenDevice(const std::string& config_json, int64_t) override {
    const isa::Config config = isa::ParseConfig(config_json, "config");
    return {.name = "small", .arch_hash = isa::ArchHash(config), .config = config};
  }
  uint64_t Allocate(int64_t bytes) override { return static_cast<uint64_t>(bytes); }
  void Free(uint64_t) override {}
  void CopyIn(uint64_t, std::span<const uint8_t>) override {}
  void CopyOut(uint64_t, std::span<uint8_t> bytes) override {
    if (bytes.size() > 1 << 20) throw Error("copy", "", "", "is large");
  }
  std::optional<uint32_t> ReadRegister(isa::Register, int64_t word) override {
    return static_cast<uint32_t>(word);
  }
  isa::LaunchResult Launch(const isa::LaunchRequest& request, std::chrono::nanoseconds) override {
    isa::LaunchResult result;
    result.counters.instructions[0] = request.instruction_count;
    return result;
  }
  std::string SelfTest() override { return ""; }
  bool HasFaulted() const override { return false; }
};

void TryRequest(const std::string& bytes) {
  SmallWorker worker;
  ::vta::remote::Reply reply;
  VTA_CHECK(reply.ParseFromString(Answer(bytes, worker)));
  VTA_CHECK(reply.what_case() != ::vta::remote::Reply::WHAT_NOT_SET);
}

template <typename Message>
void TryTracker(std::span<const uint8_t> input) {
  Message read, said, again;
  if (!read.ParseFromString(vta::test::WireOf<Message>(input))) return;
  try {
    ToWire(FromWire(read), &said);
    ToWire(FromWire(said), &again);
    VTA_CHECK(said.SerializeAsString() == again.SerializeAsString());
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace vta::driver::remote

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vta::driver::remote::TryRequest(vta::test::WireOf<vta::remote::Request>({data, size}));
  vta::driver::remote::TryTracker<vta::remote::Announcement>({data, size});
  vta::driver::remote::TryTracker<vta::remote::FindRequest>({data, size});
  return 0;
}
