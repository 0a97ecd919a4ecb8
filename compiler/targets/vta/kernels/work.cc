#include "compiler/targets/vta/kernels/work.h"

#include <vector>

namespace vta::compiler::targets {

int64_t BusBytes(const isa::Config& config) {
  return std::min(config.memory.bytes_per_cycle, config.uarch.bus_bits / 8);
}

int64_t LinesRead(int64_t outputs, int64_t inputs, int64_t stride, int64_t taps, int64_t dilation,
                  int64_t pad) {
  std::vector<bool> read(inputs);
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t t = 0; t < taps; ++t)
      if (const int64_t line = o * stride + t * dilation - pad; line >= 0 && line < inputs)
        read[line] = true;
  return std::count(read.begin(), read.end(), true);
}

}  // namespace vta::compiler::targets
