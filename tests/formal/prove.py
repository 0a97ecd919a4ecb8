"""Bounded proofs of modules against reference models, by yosys-smtbmc and yices; and bugs that they must find.

usage: prove.py [--bugs] VTA [NAME...]

Each proof is NAME.sv here: the module, its reference model, what its surroundings keep (assume) and what it keeps (assert; the
assertions in the RTL, too). It holds for all inputs of so many cycles. yices-smt2 is looked for on PATH, and in the environment
python-formal beside the RTL models. Ends with 77 where a tool is missing.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77

WALKER = ["common/vta_queue.sv", "vta_cut.sv", "vta_bursts.sv"]
# Cycles, files below hw/rtl, and bugs that the proof finds: file, text that occurs once, what it becomes.
PROOFS = {
    "queue": (10, ["common/vta_queue.sv"], [
        ("common/vta_queue.sv", "&& count_q == CountBits'(Depth - 1);", "&& count_q == CountBits'(Depth);"),
        ("common/vta_queue.sv", "valid_q : count_q > CountBits'(2);", "valid_q : count_q[0];"),
    ]),
    "fifo": (12, ["common/vta_ram.sv", "common/vta_fifo.sv"], [
        ("common/vta_fifo.sv", "free && !some_q && !read_valid_q;", "free && !some_q;"),
        ("common/vta_fifo.sv", "some_q && (free || !read_valid_q);", "some_q;"),
        ("common/vta_fifo.sv", "full_q <= store &&", "if (store) full_q <="),
    ]),
    "tokens": (12, ["vta_tokens.sv"], [
        ("vta_tokens.sv", "count = count_q + 16'(push_q) - 16'(pop_q);", "count = count_q + 16'(push_q);"),
        ("vta_tokens.sv", "some_q <= count != 16'd1;", "some_q <= count_q != 16'd1;"),
    ]),
    "bursts": (9, WALKER, [
        ("vta_bursts.sv", "settled_q <= !start_i && !take;", "settled_q <= !start_i;"),
        ("vta_bursts.sv", "(cut_busy || !idle_i)", "!idle_i"),
        ("vta_bursts.sv", "ends = last_q || less_q;", "ends = last_q;"),
        ("vta_cut.sv", "end_beat = last ? stop_q : '1;", "end_beat = stop_q;"),
    ]),
    "bursts_whole": (9, WALKER, [
        ("vta_bursts.sv", "if (first_q || take) row_q", "if (take) row_q"),
        ("vta_bursts.sv", "rows_q == 16'd2;", "rows_q == 16'd3;"),
        ("vta_cut.sv", "assign push = valid_q && !full;", "assign push = valid_q;"),
        ("vta_cut.sv", "first_q <= '0;\n", "first_q <= first_q;\n"),
    ]),
    "read": (9, ["common/vta_ram.sv", "common/vta_fifo.sv", "vta_read_buffer.sv", "vta_read.sv"], [
        ("vta_read_buffer.sv", "slot_q <= grant_i ? slots > 8'd1 :", "slot_q <="),
        ("vta_read_buffer.sv", "(grant_i ? 2 * Burst : Burst)", "Burst"),
        ("vta_read.sv", "assign free = !ar_valid_q || ar_ready_i;", "assign free = 1'b1;"),
        ("vta_read.sv", "r_valid_i && r_id_i == 2'(c)", "r_valid_i && r_id_i != 2'(c)"),
    ]),
    "write": (9, ["common/vta_queue.sv", "vta_write.sv"], [
        ("vta_write.sv", "&& !answer_full && !data_full", "&& !data_full"),
        ("vta_write.sv", "w_strobe_q <= !discard_i;", "w_strobe_q <= 1'b1;"),
        ("vta_write.sv", "if (free) w_valid_q <= load;", "w_valid_q <= load;"),
        ("vta_write.sv", "assign idle_o = !answer_burst", "assign idle_o = !data_burst"),
    ]),
    "control": (20, ["vta_control.sv"], [
        ("vta_control.sv", "run_q <= state == RUN;", "run_q <= state == RUN || state == IDLE;"),
        ("vta_control.sv", "state = bus_idle_i ? CLEAR : RESET;", "state = CLEAR;"),
        ("vta_control.sv", "if (bus_idle_i) still_q", "still_q"),
        ("vta_control.sv", "stuck_q <= stuck ? stuck_q + 32'd1 : '0;", "stuck_q <= stuck_q + 32'(stuck);"),
    ]),
    "regs": (8, ["vta_regs.sv"], [
        ("vta_regs.sv", "assign write = aw_held_q && w_held_q && !b_valid_q;", "assign write = aw_held_q && w_held_q;"),
        ("vta_regs.sv", "if (w_strb_q[i]) begin", "begin"),
        ("vta_regs.sv", "r_resp_q <= readable ? OKAY : SLVERR;", "r_resp_q <= OKAY;"),
        ("vta_regs.sv", "&& !selecting_q && !answering_q && !r_valid_q;", "&& !selecting_q && !answering_q;"),
    ]),
}
# Small, so that queues are full and buffers without room after a few cycles.
CONSTANTS = {"OutstandingWrites": 2, "TokenCapacity": 2}


def find_yices():
    home = os.environ.get("HOME")
    cache = os.environ.get("VTA_CACHE_DIR") or f"{os.environ.get('XDG_CACHE_HOME') or f'{home}/.cache'}/vta"
    return shutil.which("yices-smt2", path=f"{os.environ['PATH']}:{cache}/python-formal/bin")


def package(vta, work):
    text = subprocess.run([vta, "isa", "--sv", "-c", HERE / "small.json"], capture_output=True, text=True, check=True).stdout
    lines = []
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["localparam", "int"] and words[2] in CONSTANTS:
            line = f"  localparam int {words[2]} = {CONSTANTS[words[2]]};"
        lines.append(line)
    (work / "vta_pkg.sv").write_text("\n".join(lines) + "\n")


def prove(name, work, yices, bug=None):
    """None, or what says that it does not hold."""
    files = []
    for path in PROOFS[name][1]:
        text = (ROOT / "hw/rtl" / path).read_text()
        if bug and path == bug[0]:
            if text.count(bug[1]) != 1:
                sys.exit(f"{bug[0]}: '{bug[1]}' occurs {text.count(bug[1])} times, must occur once")
            text = text.replace(bug[1], bug[2])
        file = work / pathlib.Path(path).name
        file.write_text(text)
        files.append(str(file))
    smt2 = work / f"{name}.smt2"
    top, _, variant = name.partition("_")
    variant = "-chparam Limited 0" if variant == "whole" else ""
    script = (f"read_verilog -sv -formal {work}/vta_pkg.sv {' '.join(files)} {HERE}/{top}.sv; hierarchy -top {top} {variant}; "
              f"prep -flatten -top {top}; async2sync; dffunmap; write_smt2 -wires {smt2}")
    made = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{name}: yosys: {made.stderr.strip().splitlines()[-1]}")
    command = ["yosys-smtbmc", "-s", "yices", "-t", str(PROOFS[name][0]), smt2]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": f"{yices.parent}:{os.environ['PATH']}"})
    lines = [re.sub(r"^##\s+\S+\s+", "", line) for line in done.stdout.splitlines()]
    if lines[-1:] == ["Status: PASSED"]:
        return None
    failed = [line for line in lines if line.startswith("Assert failed")]
    if not failed:
        sys.exit(f"{name}: yosys-smtbmc:\n{done.stdout}{done.stderr}")
    return failed[0].split(" (")[0].replace(f"{HERE}/", "").replace(f"{work}/", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bugs", action="store_true", help="plants each bug, which must be found")
    parser.add_argument("vta", metavar="VTA")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    for name in options.names:
        if name not in PROOFS:
            parser.error(f"{name}: there is no such proof; there are {', '.join(PROOFS)}")
    yices = find_yices()
    if not yices or not shutil.which("yosys-smtbmc"):
        print(f"skipped: {'yosys-smtbmc' if yices else 'yices-smt2'} is not installed; ./vta test --proofs installs it")
        return SKIPPED
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        package(options.vta, work)
        for name in options.names or PROOFS:
            for bug in PROOFS[name][2] if options.bugs else [None]:
                begin = time.monotonic()
                said = prove(name, work, pathlib.Path(yices), bug)
                seconds = time.monotonic() - begin
                right = (said is not None) == (bug is not None)
                bad += not right
                what = f"{bug[0]}: {' '.join(bug[1].split())[:50]}" if bug else f"{PROOFS[name][0]} cycles"
                outcome = ("found" if right else "MISSED") if bug else ("holds" if right else "FAILS")
                print(f"{outcome:6} {name:8} {seconds:5.1f} s  {what}  {said or ''}", flush=True)
    return bad != 0


sys.exit(main())
