#!/usr/bin/python3
"""Counts and times the designs that `vta hw area --predict` is fitted to: one to five minutes of CPU each.

usage: tests/bench/designs.py [-n COUNT] VTA

Draws the same designs each time, in turn for the families xc7, ecp5 and xcup: first small ones that go through the multipliers, the
lengths of a product's sum and the long operations, then any, then one with lut for each family; behind them shipped configs, which
predictions are held to. Counts what hw/synth/areas.jsonl has not, times some of what hw/synth/clocks.jsonl has not, and keeps it
there. One that Yosys does not end is said, and left out.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile

SEED = 20261128
PARTS = ("xc7z020", "lfe5u-85f", "xczu3eg")
SMALL = 27  # three families, three multipliers, three lengths
LONG = ((False, 8), (False, 16), (False, 32), (True, 0), (True, 8), (True, 16), (True, 32))  # mul, bits of requant's multiplier
SHIPPED = (("small_8x8", 1), ("pynq", 0), ("ultra96", 2), ("wide_8x32", 1), ("default", 0), ("kv260", 2), ("batch2_16x16", 2),
           ("two_banks", 1), ("vta_0.0.2", 0), ("zcu104", 2))

TIMED = ("d18", "s33", "s45", "d2", "s29", "d1", "s46")


def small(number):
    pick, third = random.choice, number // len(PARTS)
    mul, bits = LONG[third % len(LONG)]
    block_in = (8, 32, 64)[third // 3]
    arch = {"batch": pick([1, 1, 2]), "block_in": block_in, "block_out": 4 if block_in > 8 else 8,
            "uop_depth": pick([256, 1024, 4096, 8192]), "inp_depth": pick([128, 512, 2048]), "wgt_depth": pick([64, 256, 1024, 2048]),
            "acc_depth": pick([64, 128, 512, 2048]), "mul": mul, "acc8": random.random() < .4, "pad_value": random.random() < .6,
            "overwrite": random.random() < .6, "requant": bits > 0, "token_capacity": pick([255, 15, 63, 1023])}
    if bits:
        arch["requant_multiplier_bits"] = bits
    return arch, {"bus_bits": pick([64, 64, 128, 256]), "command_queue_depth": pick([8, 16, 64, 512]),
                  "fetch_buffer_instructions": pick([8, 16, 64, 256]), "outstanding_reads": pick([1, 4, 8, 16, 32]),
                  "max_burst_beats": pick([8, 16, 64, 256]), "multiplier": ("dsp", "packed", "lut")[third % 3],
                  "alu_read_ports": pick([1, 2]), "acc_banks": pick([1, 2])}


def with_table(number):
    arch, uarch = small(number)
    arch.update(requant=True, requant_multiplier_bits=(8, 16, 32)[number % 3], lut=True)
    return arch, uarch


def any_design(_):
    pick = random.choice
    while True:
        arch = {"batch": pick([1, 1, 1, 1, 1, 2, 4]), "block_in": pick([4, 8, 16, 16, 32, 32, 64]), "block_out": pick([4, 8, 16, 16, 32, 32, 64]),
                "uop_depth": pick([256, 512, 1024, 2048, 4096, 8192]), "inp_depth": pick([128, 256, 512, 1024, 2048, 4096]),
                "wgt_depth": pick([64, 128, 256, 512, 1024, 2048]), "acc_depth": pick([128, 256, 512, 1024, 2048]),
                "mul": random.random() < .35, "acc8": random.random() < .35, "pad_value": random.random() < .6,
                "overwrite": random.random() < .6, "requant": random.random() < .7, "token_capacity": pick([255, 255, 15, 63, 1023])}
        if arch["requant"]:
            arch["requant_multiplier_bits"] = pick([8, 16, 16, 32])
        uarch = {"bus_bits": pick([64, 64, 128, 256, 512]), "command_queue_depth": pick([8, 16, 64, 512, 512]),
                 "fetch_buffer_instructions": pick([8, 16, 64, 64, 256]), "outstanding_reads": pick([1, 4, 8, 8, 16, 32]),
                 "max_burst_beats": pick([8, 16, 16, 64, 256]), "multiplier": pick(["dsp", "packed", "packed", "dsp", "lut"]),
                 "alu_read_ports": pick([1, 2]), "acc_banks": pick([1, 1, 2])}
        products = arch["batch"] * arch["block_in"] * arch["block_out"]
        if 16 <= products <= 512 and (uarch["multiplier"] != "lut" or products <= 256):
            return arch, uarch


def drawn(vta, folder, letter, count, draw):
    """Files of configs that are hardware, with a part each."""
    random.seed(SEED)
    number = 0
    while number < count:
        arch, uarch = draw(number)
        name = f"{letter}{number}"
        path = os.path.join(folder, f"{name}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"name": name, "isa": "1.0", "arch": arch, "uarch": uarch}, file)
        if not subprocess.run([vta, "isa", "--sv", "-c", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            yield path, PARTS[number % len(PARTS)]
            number += 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("-n", type=int, default=48, help="designs of any kind")
    parser.add_argument("vta")
    options = parser.parse_args()
    vta = os.path.abspath(options.vta)
    with tempfile.TemporaryDirectory() as folder:
        designs = [*drawn(vta, folder, "d", SMALL, small), *drawn(vta, folder, "s", options.n, any_design),
                   *drawn(vta, folder, "t", len(PARTS), with_table),
                   *((name, PARTS[part]) for name, part in SHIPPED)]
        for path, part in designs:
            words = [vta, "hw", "area", "-c", path, "--part", part]
            if "\ncounted " not in subprocess.run([*words, "--predict"], stdout=subprocess.PIPE, text=True).stdout:
                failed = subprocess.run([*words, "--keep"], stdout=subprocess.DEVNULL).returncode
                print(path, part, "failed" if failed else "counted", flush=True)
        with open(os.path.join(os.path.dirname(__file__), "../../hw/synth/clocks.jsonl"), encoding="utf-8") as file:
            timed = {json.loads(line)["config"]["name"] for line in file}
        for path, part in designs:
            name = os.path.basename(path).removesuffix(".json")
            if name in TIMED and name not in timed:
                failed = subprocess.run([vta, "hw", "timing", "-c", path, "--part", part, "--keep"], stdout=subprocess.DEVNULL).returncode
                print(path, part, "failed" if failed else "timed", flush=True)


if __name__ == "__main__":
    main()
