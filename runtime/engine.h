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
/// Opens nothing. Errors: throws Error where it names no engine, or a board not as its usage has
/// it.
void CheckEngine(const std::string& name);

/// One that has memory for so many sessions of the package; null where its programs are none.
/// Errors: as driver::OpenBoard; aborts where it is no engine.
std::unique_ptr<driver::Device> OpenEngine(const std::string& name, const isa::Package& package,
                                           int64_t sessions = 1);
/// One for programs of the config. Units: memory_bytes are what a simulator has. Errors: as that.
std::unique_ptr<driver::Device> OpenEngine(const std::string& name, const isa::Config& config,
                                           int64_t memory_bytes);

}  // namespace vta::runtime
