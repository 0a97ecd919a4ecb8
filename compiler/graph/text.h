// The graph as text: a line a value, in the graph's order, and parsing that text back.
//
//   graph "net" rounding=single
//   %x : int8[1,8] = input
//   %w : int8[2,8] = const #6c62272e07bb0142
//   %b : int32[2] = const [10,-3]
//   %y : int8[1,2] = dense_i8(%x, %w, %b, %m, %e) {high=127, low=0, zero_point=-5} "fc1" @vta:0
//   output "y" = %y
//
// Constants of more than 8 elements appear by content hash; their data is in a side table.
// A name with other characters than letters, digits, '_' and '.' is quoted: %"a/b:0".
// "@target:group" is left out for nodes without a target. Where a value lies otherwise than row by
// row, its type is followed by "in " and how: "in blocks of 16, border 1 1 1 1 of 0.0, biased".
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// Constants by content hash.
using ConstantTable = std::map<uint64_t, std::shared_ptr<const Tensor>>;

std::string Print(const Graph& graph);
ConstantTable Constants(const Graph& graph);

/// Print(Parse(Print(g), Constants(g), ...)) is Print(g).
/// Errors: throws Error naming `file` and the line.
Graph ParseGraph(std::string_view text, const ConstantTable& constants, const std::string& file);

}  // namespace vta::compiler
