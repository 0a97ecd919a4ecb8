// What crosses from C++ to Python besides values: errors, and messages of the log.
#pragma once

namespace vta::python {

/// From now on a vta::Error is Python's vta.Error, and messages go to its logger "vta".
void TranslateErrors();

}  // namespace vta::python
