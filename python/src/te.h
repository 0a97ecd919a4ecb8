// Tensor expressions and schedules, as vta.te and vta.Schedule have them.
#pragma once

#include <nanobind/nanobind.h>

namespace vta::python {

void BindTe(nanobind::module_& module);

}  // namespace vta::python
