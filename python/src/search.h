// Searches that take long: of schedules, and of accelerator variants.
#pragma once

#include <nanobind/nanobind.h>

namespace vta::python {

void BindSearch(nanobind::module_& module);

}  // namespace vta::python
