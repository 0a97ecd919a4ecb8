"""Cycles of layers in SCALE-Sim beside ours, on an array of as many multipliers.

usage: scale_sim.py TOOL TOPOLOGY     run by a Python that has the group scalesim of tools/python.txt

Prints a Markdown table. Of SCALE-Sim, whose memories have the bandwidth that is asked of them (CALC), the stationary weights (ws) and outputs (os);
of ours the cycle model on `default`, each layer in a launch of its own.
"""

import configparser
import csv
import os
import sys
import tempfile

from layers import ours
from scalesim.scale_sim import scalesim

SIDE = 16  # rows and columns of the array: `default` has 16 x 16 multipliers
CONFIG = {
    "general": {"run_name": "run"},
    "architecture_presets": {
        "ArrayHeight": SIDE, "ArrayWidth": SIDE, "IfmapSramSzkB": 64, "FilterSramSzkB": 256, "OfmapSramSzkB": 64,
        "IfmapOffset": 0, "FilterOffset": 10_000_000, "OfmapOffset": 20_000_000, "ReadRequestBuffer": 32, "WriteRequestBuffer": 32},
    "layout": {f"{of}{what}": value for of in ("Ifmap", "Filter") for what, value in
               (("CustomLayout", False), ("SRAMBankBandwidth", 16), ("SRAMBankNum", 16), ("SRAMBankPort", 2))},
    "sparsity": {"SparsitySupport": False},
    "run_presets": {"InterfaceBandwidth": "CALC", "UseRamulatorTrace": False},
}


def theirs(topology, dataflow, folder):
    """Cycles by layer."""
    with open(topology, encoding="utf-8") as file:
        names = [row[0] for row in csv.reader(file) if row][1:]
    layout = os.path.join(folder, "layout.csv")  # is read, though no layout is asked for
    with open(layout, "w", encoding="utf-8") as file:
        file.write("Layer name,\n" + "".join(f"{name}," + "1," * 20 + "\n" for name in names))
    config = configparser.ConfigParser()
    config.read_dict(CONFIG)
    config["architecture_presets"]["Dataflow"] = dataflow
    path = os.path.join(folder, "scale.cfg")
    with open(path, "w", encoding="utf-8") as file:
        config.write(file)
    run = scalesim(save_disk_space=True, verbose=False, config=path, topology=topology, layout=layout, input_type_gemm=False)
    run.run_scale(top_path=folder)
    with open(os.path.join(folder, "run/COMPUTE_REPORT.csv"), encoding="utf-8") as file:
        return dict(zip(names, (int(float(row[" Total Cycles"])) for row in csv.DictReader(file))))


def main(tool, topology):
    with tempfile.TemporaryDirectory() as folder:
        us = ours(tool, topology, folder)
        them = [theirs(topology, dataflow, folder) for dataflow in ("ws", "os")]
    print("| layer | MACs / 256 | ours | SCALE-Sim, ws | SCALE-Sim, os |\n|---|---:|---:|---:|---:|")
    for name, layer in us.items():
        print(f"| `{name}` | {layer['macs'] // SIDE ** 2:,} | {layer['cycles']:,} | " + " | ".join(f"{one[name]:,}" for one in them) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
