// The devices that run a package without the compiler, by name: the functional simulator and
// boards.
#pragma once

#include <memory>
#include <string>

#include "driver/device.h"
#include "isa/package.h"

namespace vta::runtime {

inline constexpr char kFunctionalEngine[] = "functional";

/// How each is named: "functional, serial:DEVICE[@BAUD]".
std::string EngineList();
bool IsEngine(const std::string& name);

/// One that has memory for a session of the package; null where its programs are none.
/// Errors: as driver::OpenBoard; aborts where it is no engine.
std::unique_ptr<driver::Device> OpenEngine(const std::string& name, const isa::Package& package);

}  // namespace vta::runtime
