"""A convolution's energy beside ZigZag's: the same array, memories and energies of an access, each with its own counts.

usage: zigzag_energy.py TOOL     run by a Python that has the group `zigzag` of tools/python.txt

The layer is ResNet-18's layer1.0.conv1 on `default`. ZigZag searches the order of its loops for the least energy. Ends with status 1 where MACs, or rows that
both read for each micro-op, are not those of the layer.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy
from onnx import TensorProto, helper, numpy_helper, save
from zigzag.mapping.data_movement import DataDirection
from zigzag_default import BLOCK, costed

CHANNELS, PIXELS = 64, 56


def network(path):
    """One quantised convolution of 3 x 3."""
    def constant(name, value, dtype):
        return numpy_helper.from_array(numpy.array(value, dtype), name)

    weights = numpy.random.default_rng(1).integers(-128, 128, (CHANNELS, CHANNELS, 3, 3))
    constants = [constant(name, 0.01, numpy.float32) for name in ("xs", "ws", "ys")]
    constants += [constant(name, 0, numpy.int8) for name in ("xz", "wz", "yz")] + [constant("w", weights, numpy.int8)]
    node = helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"], "conv", pads=[1] * 4)
    shape = [1, CHANNELS, PIXELS, PIXELS]
    graph = helper.make_graph([node], "conv", [helper.make_tensor_value_info("x", TensorProto.INT8, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.INT8, shape)], constants)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def zigzag(rows, folder):
    """ZigZag's counts, by the names of ours: rows of scratchpads, words of DRAM."""
    cost = costed(rows, folder, "energy", CHANNELS, CHANNELS, (3, 3), 1, (PIXELS, PIXELS))
    counts = {"MACs MAC": cost.mac_energy / rows["MACs MAC"]["pj_each"]}
    names = {"I": "inp", "W": "wgt", "O": "acc"}
    for operand, (near, far) in cost.memory_word_access.items():
        name = names[str(operand)]
        counts[f"scratchpads {name} read"] = near.get(DataDirection.RD_OUT_TO_LOW) + near.get(DataDirection.RD_OUT_TO_HIGH)
        counts[f"scratchpads {name} written"] = near.get(DataDirection.WR_IN_BY_LOW) + near.get(DataDirection.WR_IN_BY_HIGH)
        moved = "out written" if name == "acc" else f"{name} read"
        counts[f"DRAM {moved}"] = 8 * (far.get(DataDirection.RD_OUT_TO_LOW) + far.get(DataDirection.WR_IN_BY_LOW))
    return counts


def main(tool):
    with tempfile.TemporaryDirectory() as folder:
        network(os.path.join(folder, "conv.onnx"))
        subprocess.run([tool, "run", "conv.onnx", "--energy", "28nm,lpddr4", "--report", "r.json"], cwd=folder, check=True, capture_output=True)
        with open(os.path.join(folder, "r.json"), encoding="utf-8") as file:
            energy = json.load(file)["energy"]
        rows = {f"{row['group']} {row['name']}": row for row in energy["rows"]}
        theirs = zigzag(rows, folder)
    print(f"{'of':28} {'vta':>13} {'ZigZag':>13} {'vta uJ':>8} {'ZigZag uJ':>9}")
    sums = [0.0, 0.0]
    for name, count in theirs.items():
        ours = rows[name]["count"]
        each = [1e-6 * rows[name]["pj_each"] * one for one in (ours, count)]
        sums = [a + b for a, b in zip(sums, each)]
        print(f"{name:28} {ours:13,} {count:13,.0f} {each[0]:8.2f} {each[1]:9.2f}")
    print(f"{'sum of these':28} {'':13} {'':13} {sums[0]:8.2f} {sums[1]:9.2f}")
    print(f"{'all':28} {'':13} {'':13} {1000 * energy['mj']:8.2f}")
    macs = CHANNELS * CHANNELS * 9 * PIXELS * PIXELS
    uops = macs // BLOCK**2
    wanted = {"MACs MAC": macs, "scratchpads inp read": uops, "scratchpads acc read": uops}
    wrong = [f"{name}: {theirs[name]:,.0f} is not {count:,}" for name, count in wanted.items() if abs(theirs[name] - count) > count / 100]
    wrong += [f"{name}: {rows[name]['count']:,} is not {count:,}" for name, count in {"MACs MAC": macs, "scratchpads inp read": uops,
                                                                                   "scratchpads wgt read": uops}.items() if rows[name]["count"] != count]
    if wrong:
        sys.exit("\n".join(wrong))


main(os.path.abspath(sys.argv[1]))
