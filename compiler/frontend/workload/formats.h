// The formats of workloads: whether a text is of one, and what it holds.
#pragma once

#include <string>
#include <string_view>

#include "compiler/frontend/workload/shape_layer.h"
#include "isa/support/json.h"

namespace vta::compiler {

/// Rows of layers below a line of names. Errors: throws Error naming `file`, line and column.
bool IsScaleSim(std::string_view text);
ShapeLayers ParseScaleSim(std::string_view text, const std::string& file);

/// A list of layers, each an equation over loops. Errors: throws Error naming `file` and key.
bool IsZigZag(std::string_view text);
ShapeLayers ParseZigZag(std::string_view text, const std::string& file);

/// One layer, projections of a space of loops; beside it a file may have anything else. A line
/// {{include_text('FILE')}} is that file, and a key <<< has what the keys beside it do not say.
/// Errors: throws Error naming `file` and key, or what is included.
bool IsTimeloop(std::string_view text);
ShapeLayers ParseTimeloop(std::string_view text, const std::string& file);

/// A text with its letters of ASCII as small ones: formats do not tell them apart everywhere.
std::string Lower(std::string text);

/// YAML as if it were JSON: what is no integer, truth value or null is a string, numbers with a
/// point as well. Errors: throws Error naming `file` and line; also for keys that are there twice
/// and texts that aliases make larger than a million values.
Json ParseYaml(std::string_view text, const std::string& file);

}  // namespace vta::compiler
