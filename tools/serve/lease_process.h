// The process of one lease, from its beginning to its end.
#pragma once

#include <cstddef>

#include "tools/serve/serve.h"

namespace vta::serve {

/// Does what requests ask for that come there, until no more do. Its name is vta-lease, and
/// vta-lease-next until the first one comes.
void ServeLease(const ServeOptions& options, size_t device, int socket);

}  // namespace vta::serve
