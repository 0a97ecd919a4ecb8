// Messages of the protocol of served devices, as people can read them.
#pragma once

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <cstdint>
#include <span>
#include <string>

namespace vta::test {

/// Says nothing of texts that are none.
class SilentErrors : public google::protobuf::io::ErrorCollector {
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

/// The bytes of a message whose text that is; of what is none, itself.
template <typename Message>
std::string WireOf(std::span<const uint8_t> input) {
  const std::string text(reinterpret_cast<const char*>(input.data()), input.size());
  static auto* const logged =
      google::protobuf::SetLogHandler(nullptr);  // of texts that are no UTF-8
  (void)logged;
  SilentErrors silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  Message message;
  return parser.ParseFromString(text, &message) ? message.SerializeAsString() : text;
}

}  // namespace vta::test
