// What a server may answer: a Reply, as its text or as bytes, to each call of a client. It is what
// was asked for, or an Error; and so is what a tracker answers.
#include <array>
#include <string>

#include "driver/remote/vta.pb.h"
#include "driver/remote/wire/stub.h"
#include "driver/remote/wire/tracking_wire.h"
#include "isa/support/error.h"
#include "tests/fuzz/support/wire_text.h"

namespace vta::driver::remote {
namespace {

template <typename Call>
void TryCall(const Call& call) {
  try {
    call();
  } catch (const Error&) {
  }
}

void TryReply(const std::string& bytes) {
  Stub stub([&](const std::string&) { return bytes; }, "server");
  std::array<uint8_t, 16> memory{};
  TryCall([&] { stub.OpenSession({}); });
  TryCall([&] { stub.Run({}); });
  TryCall([&] { stub.Time({}); });
  TryCall([&] { stub.CloseSession(1); });
  TryCall([&] { stub.OpenDevice("", 0); });
  TryCall([&] { stub.Allocate(1); });
  TryCall([&] { stub.Free(1); });
  TryCall([&] { stub.CopyIn(1, memory); });
  TryCall([&] { stub.CopyOut(1, memory); });
  TryCall([&] { stub.ReadRegister({}, 0); });
  TryCall([&] { stub.Launch({}, kForever); });
  TryCall([&] { stub.SelfTest(); });
}

void TryTracker(std::span<const uint8_t> input) {
  ::vta::remote::FindReply found;
  if (found.ParseFromString(vta::test::WireOf<::vta::remote::FindReply>(input)))
    TryCall([&] {
      ::vta::remote::FindReply again;
      ToWire(FromWire(found, "key"), &again);
      VTA_CHECK(again.servers_size() == found.servers_size());
    });
  ::vta::remote::ListReply listed;
  if (listed.ParseFromString(vta::test::WireOf<::vta::remote::ListReply>(input)))
    TryCall([&] { VTA_CHECK(std::ssize(FromWire(listed).devices) == listed.devices_size()); });
}

}  // namespace
}  // namespace vta::driver::remote

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vta::driver::remote::TryReply(vta::test::WireOf<vta::remote::Reply>({data, size}));
  vta::driver::remote::TryTracker({data, size});
  return 0;
}
