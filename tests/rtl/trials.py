#!/usr/bin/env python3
"""Plants one bug after the other in the RTL and holds the self-test to the program that it names first, and bisection to
the kind of layer.

usage: trials.py TOOL [-c CONFIG] [FILE.sv...]

Each bug is a model of its own, half a minute of CPU. Ends with 1 when a bug is missed, or named as something else.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import mutants

DIGITS = mutants.ROOT / "tools/demo/digits_int8.onnx"

# File below hw/rtl, text that occurs once, what it becomes; the program that the self-test names first; what bisection
# names: the op that the demo's first wrong layer begins with, "counters", or None where the demo's network does not
# meet the bug.
BUGS = [
    ("vta_multiplier.sv", "one ? {a_i[7], a_i}", "one ? {1'b0, a_i}", "gemm", "conv2d_i8"),
    ("vta_alu.sv", "keep_o = subtract_i && less == least_i;", "keep_o = subtract_i && less;", "alu.max", "max_pool_i8"),
    ("vta_alu.sv", "other_o = far ? {32{fill}}", "other_o = far && left ? {32{fill}}", "alu.shr", None),
    ("vta_alu_long.sv", "{33{below_q && product[63]}}", "{33{1'b0}}", "alu.requant double", None),
    ("vta_lut.sv", "mem[code_i[7:2]]", "mem[{1'b0, code_i[6:2]}]", "alu.lut single", None),
    ("vta_padded.sv", "has_before_q <= before_i != '0;", "has_before_q <= 1'b0;", "load.acc padded", "conv2d_i8"),
    ("vta_load.sv", "select_q ? pad_q : 8'd0", "pad_q", "load.wgt padded", None),
    ("vta_load_acc.sv", "acc8_q <= is_acc8;", "acc8_q <= 1'b0;", "load.acc8 around a page", None),
    ("vta_bursts.sv", "step_q <= AddressBits'(stride_q);", "step_q <= AddressBits'(stride_q[11:0]);", "load.acc in rows", None),
    ("vta_counters.sv", "if (clear_i) count_q", "if (clear_i && i > 20) count_q", "store.out in rows", "counters"),
    ("vta_regs.sv", "bases_q[32*word + 8*i +: 8] <= w_data_q[8*i +: 8];",
     "bases_q[32*word + 8*i +: 8] <= i == 0 ? 8'd0 : w_data_q[8*i +: 8];", "store.out in rows", None),
    ("vta_fetch.sv", "3'b001 << target", "3'b001 << (target & 2'd1)", "store.out in rows", "does not end"),
]


def run(environment, *command):
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def named(text):
    """What a bisection named."""
    step = re.search(r"^first difference: step \d+ of \d+, layer [^(\n]*\((\S+) [^)\n]*\): (.*)", text, re.MULTILINE)
    if not step:
        return None
    if "did not finish" in text:
        return "does not end"
    if "values are equal, counters are not" in step[2]:
        return "counters"
    return step[1]


def try_bug(tool, config, folder, bug):
    """What is wrong with what was said, or ""; and what the self-test said first."""
    path, old, new, program, layer = bug
    mutants.plant(folder, path, old, new)
    environment = dict(os.environ, VTA_HOME=str(folder), VTA_CACHE_DIR=str(folder / "cache"))
    status, text = run(environment, tool, "run", "--self-test", "--engine", "rtl", "-c", config)
    first = re.search(r"^self-test on rtl: ([^:]*): (.*)", text, re.MULTILINE)
    if status != 1 or not first:
        return "the self-test missed it", text.strip()[-100:]
    if first[1] != program:
        return f"the self-test named {first[1]}, not {program}", first[2]
    status, text = run(environment, tool, "run", DIGITS, "--bisect", "--engine", "rtl", "-c", config, "--seed", "3")
    if layer is None:
        return ("" if status == 0 else f"bisection named {named(text)}, where the demo was to be right"), first[2]
    found = named(text)
    if status != 1 or found != layer:
        return f"bisection named {found}, not {layer}", text.strip()[-300:]
    return "", f"{first[2]}; bisection: {found}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=pathlib.Path, metavar="TOOL")
    parser.add_argument("-c", "--config", default=mutants.CONFIGS / mutants.CONFIG)
    parser.add_argument("files", nargs="*", metavar="FILE.sv")
    options = parser.parse_args()
    chosen = [bug for bug in BUGS if not options.files or bug[0] in options.files]
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for bug in chosen:
            problem, said = try_bug(options.tool.resolve(), options.config, pathlib.Path(scratch) / "copy", bug)
            wrong += problem != ""
            print(f"{'WRONG' if problem else 'named':5} {bug[0]:18} {' '.join(bug[1].split())[:36]:36}  "
                  f"{problem + ': ' if problem else bug[3] + ': '}{said}", flush=True)
    print(f"{len(chosen)} bugs: {len(chosen) - wrong} named, {wrong} not")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
