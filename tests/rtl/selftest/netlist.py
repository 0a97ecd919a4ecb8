#!/usr/bin/env python3
"""Simulates what Yosys makes of the self-test. For every config, as Yosys has read the RTL: it must pass. For small_8x8, on models of
the ECP5's cells: the netlist must pass, and must fail with a bug planted in every multiplier. First the models of block RAM and
multiplier are held to the RTL's memories and products.

usage: netlist.py TOOL [CONFIG.json...]    after `./vta hw pnr` installed its tools; about 40 minutes, or of these configs alone
"""

import glob
import os
import sys
import tempfile

from netlists import HERE, SOURCE, read, run, synthesize, verilate, write_netlist, yosys

TOOL = os.path.abspath(sys.argv[1])
SMALL = SOURCE + "/isa/configs/small_8x8.json"
CONFIGS = [os.path.abspath(path) for path in sys.argv[2:]] or sorted(glob.glob(SOURCE + "/isa/configs/*.json") +
                                                                     glob.glob(SOURCE + "/tests/rtl/configs/*.json"))


def simulate(folder, files):
    verilate(folder, files, "--binary", "--timing", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0", "--top-module", "bench")
    return lambda *arguments: run([folder + "/obj/Vbench", *arguments], folder).splitlines()


def check_models(folder):
    sources = [SOURCE + "/hw/rtl/common/vta_ram.sv", HERE + "cells.sv"]
    for path in sources:
        run(["cp", path, "."], folder)
    yosys(folder, "read_verilog -sv vta_ram.sv cells.sv; synth_ecp5 -top cells; " + write_netlist("cells", "cells_netlist"))
    lines = simulate(folder, [*sources, "cells_netlist.v", HERE + "cells_bench.sv"])()
    if lines[0] != "200000 cycles, 0 wrong":
        sys.exit("the models are not the RTL's memories and products:\n" + "\n".join(lines[:10]))
    print("models: 200000 cycles as the RTL", flush=True)


def write_selftest(folder, config):
    run([TOOL, "hw", "selftest", "-c", config, "-o", folder, "--bit-cycles", "4"], folder)


def check_reading(folder, config):
    """Widths, signs and order of what Yosys read."""
    write_selftest(folder, config)
    read(folder, "vta_selftest")
    expect("read: " + os.path.basename(config), simulate(folder, ["vta_selftest_pkg.sv", "read.v", HERE + "bench.sv"]), "pass 00000000")


def check_netlist(folder):
    write_selftest(folder, SMALL)
    synthesize(folder, "vta_selftest")
    bench = simulate(folder, ["vta_selftest_pkg.sv", "vta_selftest.v", HERE + "bench.sv"])
    expect("netlist", bench, "pass 00000000")
    expect("netlist with a planted bug", bench, "fail ", "+planted_bug")


def expect(what, bench, beginning, *arguments):
    line = bench(*arguments)[0]
    print(f"{what}: {line}", flush=True)
    if not line.startswith(beginning):
        sys.exit(f"must be {beginning}")


def main():
    checks = [(check_reading, config) for config in CONFIGS]
    if len(sys.argv) == 2:
        checks = [(check_models,), *checks, (check_netlist,)]
    for check, *config in checks:
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:  # the tools see another /tmp
            check(folder, *config)


main()
