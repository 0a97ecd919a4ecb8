// Buffers of a block of threads of which each thread has its own elements.
#pragma once

#include "compiler/loop/ir.h"

namespace vta::compiler::lower {

/// Whether each thread touches elements that no other one does: of every access of the buffer in
/// `body`, where thread loops stand around, they are the same terms of its indices, which tell
/// threads apart. A thread may then have it to itself, and needs those indices without the terms.
bool IsPrivate(const loop::Buffer& buffer, const loop::Stmt& body);

}  // namespace vta::compiler::lower
