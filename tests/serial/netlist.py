#!/usr/bin/env python3
"""Runs a convolution on what Yosys makes of the ECP5 board, bit by bit on its pins (inference_main.cc): outputs must be those of the
functional engine, and all the cycles those of the RTL.

usage: netlist.py TOOL INFERENCE    after `./vta hw pnr` installed its tools; a quarter of an hour
"""

import os
import random
import struct
import sys
import tempfile

for folder in "../rtl/selftest", "../cli":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), folder))

import onnx_bytes as onnx  # noqa: E402
from netlists import SOURCE, run, synthesize, verilate  # noqa: E402

TOOL, INFERENCE = (os.path.abspath(path) for path in sys.argv[1:3])
CONFIG = SOURCE + "/isa/configs/small_8x8.json"
TOP = "vta_ecp5_85f"
# The harness of tests/serial sends a bit in 4 clocks of 25 MHz.
BAUD = "6250000"


def build(folder):
    """The netlist as a model for the harness, as sim/rtl/build.cc makes those of the RTL."""
    with open(folder + "/vta_pkg.sv", "w", encoding="utf-8") as package:
        package.write(run([TOOL, "isa", "--sv", "-c", CONFIG], folder))
    synthesize(folder, TOP, f"-chparam Baud {BAUD}")
    verilate(folder, [SOURCE + "/tests/serial/vta_ecp5_85f.vlt", TOP + ".v"], "--cc", "--build", "--no-timing", "--prefix", "Vvta", "--top-module", TOP,
             "-CFLAGS", "-fPIC", "-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0", "-DVTA_NO_PLANTED_BUG")
    root = run(["verilator", "--getenv", "VERILATOR_ROOT"], folder).strip()
    run(["c++", "-std=c++17", "-O2", "-fPIC", "-shared", "-DVL_USER_STOP", "-DVL_USER_FATAL", "-DVTA_BENCH", "-Wl,-Bsymbolic", "-Iobj",
         "-I" + SOURCE, f"-I{root}/include", f"-I{root}/include/vltstd", SOURCE + "/sim/rtl/model/glue.cc", f"{root}/include/verilated.cpp",
         f"{root}/include/verilated_threads.cpp", "obj/Vvta__ALL.a", "-o", "model.so", "-pthread"], folder)
    return folder + "/model.so"


def convolution():
    """3x3 of 16 channels to 16, with random weights."""
    def tensor(name, element, dims, content):
        return b"".join(onnx.number(1, dim) for dim in dims) + onnx.number(2, element) + onnx.text(8, name) + onnx.text(9, content)

    scales = [tensor(name, onnx.FLOAT, [], struct.pack("<f", scale)) for name, scale in (("xs", 0.5), ("ws", 0.0625), ("ys", 64))]
    zero = tensor("zero", onnx.INT8, [], b"\0")
    weights = tensor("w", onnx.INT8, [16, 16, 3, 3], random.Random(1).randbytes(16 * 16 * 9))
    node = onnx.node("QLinearConv", ["x", "xs", "zero", "w", "ws", "zero", "ys", "zero"], ["y"])
    return onnx.model([node], [onnx.value_info("x", [1, 16, 6, 6], onnx.INT8)], [onnx.value_info("y", [1, 16, 4, 4], onnx.INT8)],
                      initializers=[*scales, zero, weights])


def main():
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:  # the tools see another /tmp
        with open(folder + "/conv.onnx", "wb") as file:
            file.write(convolution())
        run([TOOL, "compile", "conv.onnx", "-c", CONFIG, "-o", "conv.vta"], folder)
        expected = run([INFERENCE, "conv.vta"], folder)
        print("RTL:", expected, end="", flush=True)
        model = build(folder)
        print("netlist: built", flush=True)
        found = run([INFERENCE, "conv.vta", model], folder)
        print("netlist:", found, end="")
        if found != expected:
            sys.exit("these are not the RTL's")


main()
