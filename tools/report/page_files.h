// The files of tools/report/page as a text for each page, made when the tool is built.
#pragma once

#include <string>
#include <string_view>

namespace vta::tools {

/// Pages that lack their data, which goes where @DATA@ stands: of a run's report, of a search of
/// schedules, and of accelerator variants.
extern const std::string_view kReportPage, kTuningPage, kExplorePage;

/// A page with its data, in JSON.
std::string PageWith(std::string_view page, const std::string& data);

}  // namespace vta::tools
