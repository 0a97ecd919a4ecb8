// The table of the shipped accelerator variants in Markdown.
#pragma once

#include <span>
#include <string>

#include "isa/config.h"

namespace vta::isa {

std::string ConfigTable(std::span<const Config> configs);

}  // namespace vta::isa
