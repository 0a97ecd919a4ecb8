// The files of tools/report/page as one text, made when the tool is built.
#pragma once

#include <string_view>

namespace vta::tools {

/// A page that lacks its data, which goes where @DATA@ stands.
extern const std::string_view kPageTemplate;

}  // namespace vta::tools
