// Programs of instructions, as vta.Program has them; and what servers have.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "isa/support/json.h"
#include "tools/vta/program/program_image.h"

namespace vta::python {

/// The proof of each: program, ok, text, report; and what published executors disagree on, where
/// that is asked for.
Json ProofsJson(const tools::ProgramImage& programs, const std::vector<tools::ProgramRange>& ranges,
                bool published = false);

void BindProgram(nanobind::module_& module);

}  // namespace vta::python
