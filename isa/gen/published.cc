#include "isa/gen/published.h"

#include "isa/gen/markdown.h"
#include "isa/spec/published.h"
#include "isa/support/error.h"

namespace vta::isa {

std::string PublishedPage() {
  std::string out = "# Published hardware\n\n";
  out +=
      "VTA was published as three executors that do not agree on every program. A program that "
      "keeps "
      "the rules below does the same on each of them, and on this toolkit's engines. What the "
      "compiler makes for a config of `\"isa\": \"0.0.2\"` keeps them (with `mul` or `acc8`, which "
      "no "
      "published hardware has, all but `extension`); `vta check --published FILE` says of any "
      "program "
      "which rule it breaks, at which instruction, and who disagrees.\n\n";
  out += Head({"executor", "is"});
  for (const PublishedExecutorSpec& row : kPublishedExecutorTable)
    out += Row({Code(row.name), std::string(row.meaning)});
  out += "\nAn empty cell: the executor does what [the contract](../isa/README.md) says.\n\n";
  std::vector<std::string> head = {"rule", "a program keeps it where"};
  for (const PublishedExecutorSpec& row : kPublishedExecutorTable)
    head.push_back(StrCat("otherwise ", Code(row.name)));
  out += Head(head);
  for (const PublishedRuleSpec& row : kPublishedRules) {
    std::vector<std::string> cells = {Code(row.name), std::string(row.rule)};
    for (const std::string_view does : row.does) cells.emplace_back(does);
    out += Row(cells);
  }
  out +=
      "\n`tensor_shift` needs to know what lies in accumulator rows. Known are rows loaded from "
      "bytes that are there before the launch and that no STORE touched, pads, and rows that a "
      "GEMM "
      "reset; `min` and `max` with an immediate bound what a row holds. What any other operation "
      "computed is not known, and shifting by it breaks the rule. All other rules are decided "
      "exactly. "
      "Of a program that the proof refuses not all rules are decided: executors may differ "
      "whatever it keeps.\n\n"
      "`base` holds for every program whose base registers are 0, as published drivers set them. A "
      "package's arena lies where the driver puts it: on published hardware, at a multiple of the "
      "power of two that covers it.\n\n"
      "What is not here because it was not measured: how a synthesised bitstream of the HLS source "
      "treats a dst that comes again within its pipeline. The source asks for no such check; "
      "natively "
      "compiled it works one micro-op after the other.\n";
  return out;
}

}  // namespace vta::isa
