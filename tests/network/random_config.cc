#include "isa/support/error.h"
#include "tests/network/random_network.h"

namespace vta::test {

isa::Config RandomConfig(Draws& draw) {
  for (;;) {
    isa::Config config;
    config.name = "random";
    isa::Arch& arch = config.arch;
    const bool far = draw.Once(6);  // to the ends of what is legal
    arch.batch = draw.Power(0, far ? 4 : 2);
    arch.block_in = draw.Power(far ? 2 : 3, far ? 6 : 5);
    arch.block_out = draw.Once(2) ? arch.block_in : draw.Power(far ? 2 : 3, far ? 6 : 5);
    arch.uop_depth = draw.Power(4, 11);
    arch.inp_depth = draw.Power(2, 10);
    arch.wgt_depth = draw.Power(2, 9);
    arch.acc_depth = draw.Power(2, 10);
    arch.mul = draw.Int(0, 1);
    arch.acc8 = draw.Int(0, 1);
    if (!draw.Once(4)) {
      config.version = isa::Version::k100;
      arch.requant = !draw.Once(8);
      arch.lut = arch.requant && !draw.Once(3);
      arch.pad_value = !draw.Once(3);
      arch.overwrite = !draw.Once(3);
    }
    if (arch.requant && draw.Once(6)) arch.requant_multiplier_bits = draw.Power(3, 4);
    arch.token_capacity = draw.Once(3) ? draw.Int(1, 4) : 255;
    config.uarch.command_queue_depth = draw.Power(1, 9);
    config.uarch.bus_bits = draw.Power(6, far ? 9 : 6);
    if (config.version == isa::Version::k100 && draw.Once(2)) config.uarch.acc_banks = 2;
    try {
      isa::ValidateConfig(config, "random");
      return config;
    } catch (const Error&) {
      // Fields that do not fit their words, a beat wider than an element: draw again.
    }
  }
}

}  // namespace vta::test
