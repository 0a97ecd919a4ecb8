#include "isa/gen/serial.h"

#include "isa/gen/names.h"
#include "isa/spec/serial.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

std::string Int(const std::string& name, int value) {
  return StrCat("  localparam int ", name, " = ", value, ";\n");
}

std::string Bits(const std::string& name, int width, uint64_t value) {
  return StrCat("  localparam logic [", width - 1, ":0] ", name, " = ", width, "'h",
                Hex(value, width / 4).substr(2), ";\n");
}

}  // namespace

std::string SerialPackage() {
  std::string text = "/* verilator lint_off UNUSEDPARAM */\npackage vta_serial_pkg;\n";
  text += Bits("Magic", 32, serial::kMagic);
  text += Bits("Version", 32, serial::kVersion);
  text += Bits("Delimiter", 8, serial::kDelimiter);
  text += Bits("Escape", 8, serial::kEscape);
  text += Bits("EscapedDelimiter", 8, serial::kEscapedDelimiter);
  text += Bits("EscapedEscape", 8, serial::kEscapedEscape);
  text += Int("HeaderBytes", serial::kHeaderBytes);
  text += Int("PrefixBytes", serial::kPrefixBytes);
  text += Int("DataBytes", serial::kDataBytes);
  text += Int("CrcBytes", serial::kCrcBytes);
  text += Bits("CrcPolynomial", 32, serial::kCrcPolynomial);
  text += Bits("CrcStart", 32, serial::kCrcStart);
  text += Bits("CrcResidue", 32, serial::kCrcResidue);
  text += Int("MemoryWordBytes", serial::kMemoryWordBytes);
  text += Int("RegisterWordBytes", serial::kRegisterWordBytes);
  text += Int("IdentityWords", serial::kIdentityWords);
  text += Bits("AnswerBit", 8, serial::kAnswerBit);
  for (const serial::OperationSpec& row : serial::kOperations)
    text += Bits(StrCat("OP_", CapsName(row.name)), 8, static_cast<uint64_t>(row.code));
  for (const serial::StatusSpec& row : serial::kStatuses)
    text += Bits(StrCat("STATUS_", CapsName(row.name)), 8, static_cast<uint64_t>(row.code));
  return text + "endpackage\n/* verilator lint_on UNUSEDPARAM */\n";
}

}  // namespace vta::isa
