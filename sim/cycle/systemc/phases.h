// The data of a write burst on its way, beside the base protocol of TLM-2.0: phases that who does
// not know them ignores.
#pragma once

#include <tlm>

namespace vta::sim {

/// On the backward path, behind END_REQ: from now on the memory takes the beats of the burst.
TLM_DECLARE_EXTENDED_PHASE(BEGIN_DATA);
/// On the forward path, mostly in the answer to BEGIN_DATA: the last beat is taken in this cycle.
TLM_DECLARE_EXTENDED_PHASE(END_DATA);

}  // namespace vta::sim
