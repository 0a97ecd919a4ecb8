"""Cycles of layers in ZigZag, which looks for the order of loops that takes the fewest, beside ours.

usage: zigzag_cycles.py TOOL TOPOLOGY     run by a Python that has the group zigzag of tools/python.txt

Prints a Markdown table. ZigZag's machine is `default` as zigzag_default.py describes it; ours is the cycle model on `default`, each layer in a launch of its own.
"""

import collections
import csv
import sys
import tempfile

from layers import ours
from zigzag_default import costed


def main(tool, topology):
    rows = collections.defaultdict(lambda: {"pj_each": 1.0})  # energies have no say
    print("| layer | ours | ZigZag | its array | with stalls |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, open(topology, encoding="utf-8") as file:
        us = ours(tool, topology, folder)
        for name, *sizes in list(csv.reader(file, skipinitialspace=True))[1:]:
            height, width, kernel_h, kernel_w, channels, filters, stride = (int(one) for one in sizes if one)
            outputs = ((height - kernel_h) // stride + 1, (width - kernel_w) // stride + 1)
            cost = costed(rows, folder, "latency", channels, filters, (kernel_h, kernel_w), stride, outputs)
            print(f"| `{name}` | {us[name]['cycles']:,} | {cost.latency_total2:,.0f} | {cost.ideal_temporal_cycle:,.0f} | {cost.latency_total0:,.0f} |")


main(*sys.argv[1:])
