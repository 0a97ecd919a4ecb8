// The page about the subset on which the published executors agree, in Markdown.
#pragma once

#include <string>

namespace vta::isa {

std::string PublishedPage();

}  // namespace vta::isa
