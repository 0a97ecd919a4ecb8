// The module vta._core: what vta's Python files wrap in types.
#include <nanobind/nanobind.h>

#include "python/src/errors.h"
#include "python/src/model.h"
#include "python/src/package.h"
#include "python/src/program.h"
#include "python/src/search.h"
#include "python/src/session.h"
#include "python/src/te.h"

NB_MODULE(_core, module) {
  using namespace vta::python;
  TranslateErrors();
  BindModel(module);
  BindPackage(module);
  BindSession(module);
  BindSearch(module);
  BindProgram(module);
  BindTe(module);
}
