#!/usr/bin/env python3
"""The models of `vta bench zoo` beside those of the table zoo.csv, and the page of the table.

usage: zoo.py page                                prints docs/zoo.md
       zoo.py check [--keep] TOOL
       zoo.py check [--keep] --json FILE...      each what `vta bench zoo --json` said of some of the models

A check ends with status 1 and names each model of the table that is not read any more, whose outputs are farther from its runtime's, whose codes are not
those of TensorFlow Lite Micro where they were, whose quantised outputs have lost 0.5 dB, or that takes more steps of the host or 0.5 % more of its bytes or of cycles; and each
that the table does not have. With --keep it writes what was measured into the table instead.
"""

import argparse
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "zoo.csv")
ON_VTA = ("on_vta", "layers", "host_steps_bound", "host_bytes", "host_bytes_bound", "cycles")
COLUMNS = ["model", "on", "macs", "runtime", "ratio", "bound", "difference", "differing", "db", *ON_VTA, "why"]
SLACK, LEAST_DB = 1.005, 0.5
PAGE = """<!-- Generated from tests/bench/zoo.csv, do not edit: tests/bench/zoo.py page -->
# Models that people ship

Model files of PyPI's packages, which `tools/python.txt` names by version and hash, each as it is. On the CPU beside the runtime of its format, [ONNX Runtime](https://onnxruntime.ai), LiteRT or, for
int8, TensorFlow Lite Micro: one processor, one run of each in turn. Then in int8 on `default`: quantised by `vta quantize` on 20 pictures or on noise, unless it has codes already, and run on the cycle model.
`./vta bench zoo` makes the table, in a few hours; `./vta bench zoo FOLDER` does the same with models of your own:

<!-- not run: it wants packages from PyPI -->
```sh
./vta bench zoo tools/demo
./vta bench zoo tools/demo --target cpu --threads 2
```

The second leaves the accelerator out. Both also print how far each network on the CPU is from what the machine needs for it at least, and its three dearest steps: ms, GMAC/s and GB/s, each by the quickest of ten
warm runs, beside the larger of two times: that of its products and functions at the core's peak in registers, and that of its bytes at the speed of copies in L1, L2 or DRAM, whichever holds them. Peak and copies are measured once a machine
and kept in `~/.cache/vta`.

- *difference*: of the outputs, as a share of the root of their mean square; of int8 models how many codes of the outputs are others than the runtime's. Of outputs
  that are all but zero on noise, as of the detectors of PP-OCRv4 and v5 and of seals (1e-7), it says little: there ONNX Runtime without its optimisations is 0.08 from itself;
- *times faster*: the runtime's median by ours, on a core of an EPYC;
- *dB*: signal to noise of the quantised outputs against float, on the pictures, or samples of noise (marked), that are held back;
- *layers*: on the accelerator, of all; *CPU steps*: the others; *host MB*: that these read and write; *least*: what the inputs and outputs alone ask for, which are made of
  floats and folded or put in blocks, and back.

{table}

What is not read, or not run, and why:

{reasons}
"""


def rows_of(document):
    """Of the table, by model."""
    table = {}
    for model in document["models"]:
        row = dict.fromkeys(COLUMNS, "")
        row.update(model=model["model"], on="pictures" if model["on_pictures"] else "noise", macs=model.get("macs", ""))
        if cpu := model.get("cpu"):
            row.update(runtime=cpu["runtime"], difference=f"{cpu['difference']:.1e}", differing=cpu["differing"],
                       ratio=f"{cpu['runtime_ms'] / cpu['ms']:.2f}" if cpu["runtime_ms"] else "")
        if steps := model.get("steps"):
            row["bound"] = f"{100 * steps['share_of_bound']:.1f}"
        if vta := model.get("vta"):
            row.update(db=f"{vta['db']:.1f}" if "db" in vta else "", **{key: vta[key] for key in ON_VTA})
        row["why"] = "; ".join(model[key] for key in ("why_not_read", "why_no_cpu", "why_no_vta") if key in model)
        table[row["model"]] = {key: str(value) for key, value in row.items()}
    return table


def read():
    with open(TABLE, encoding="utf-8", newline="") as file:
        return {row["model"]: row for row in csv.DictReader(file)}


def write(table):
    with open(TABLE, "w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(table[name] for name in sorted(table))


def in_codes(row):
    return row["runtime"] == "TensorFlow Lite Micro"


def steps_of(row):
    """Of the CPU's."""
    return int(row["layers"] or 0) - int(row["on_vta"] or 0)


def problems(name, now, kept):
    """What is worse."""
    def number(row, key):
        return float(row[key] or 0)

    for key in ("macs", "runtime", "cycles"):
        if kept[key] and not now[key]:
            yield f"{name}: has no {key} any more: {now['why']}"
            return
    if in_codes(kept) and number(now, "differing") > number(kept, "differing"):
        yield f"{name}: {now['differing']} codes differ, {kept['differing']} in the table"
    elif number(now, "difference") > max(2 * number(kept, "difference"), 1e-6):
        yield f"{name}: difference {now['difference']}, {kept['difference']} in the table"
    if kept["db"] and number(now, "db") < number(kept, "db") - LEAST_DB:
        yield f"{name}: {now['db']} dB, {kept['db']} in the table"
    if steps_of(now) > steps_of(kept):
        yield f"{name}: {steps_of(now)} CPU steps, {steps_of(kept)} in the table"
    for key in ("host_bytes", "cycles"):
        if number(now, key) > SLACK * number(kept, key):
            yield f"{name}: {key} {now[key]}, {kept[key]} in the table"


def joined(now, kept):
    """What was measured, and what the table has of a side that was not."""
    row = dict(now)
    for side in (("runtime", "ratio", "bound", "difference", "differing"), ("db", *ON_VTA, "why")):
        if not now["why"] and not any(now[key] for key in side):
            row.update({key: kept[key] for key in side})
    return row


def page():
    lines = ["| model | million MACs | difference | times faster | dB | layers | CPU steps | least | host MB | least | cycles |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    reasons = []
    for name, row in sorted(read().items()):
        if row["why"]:
            reasons.append(f"- `{name}`: {row['why']}")
        if not row["macs"]:
            continue
        difference = f"{row['differing']} codes" if in_codes(row) else row["difference"]
        decibels = row["db"] + (", noise" if row["db"] and row["on"] == "noise" else "")
        vta = [""] * 6
        if row["cycles"]:
            megabytes = [row[key] and f"{int(row[key]) / 1e6:.2f}" for key in ("host_bytes", "host_bytes_bound")]
            vta = [f"{row['on_vta']} of {row['layers']}", str(steps_of(row)), row["host_steps_bound"], *megabytes, f"{int(row['cycles']):,}"]
        lines.append("| " + " | ".join([f"`{name}`", f"{int(row['macs']) / 1e6:.1f}", difference, row["ratio"], decibels, *vta]) + " |")
    print(PAGE.format(table="\n".join(lines), reasons="\n".join(reasons)), end="")


def check(arguments):
    now = {}
    for path in arguments.json or []:
        with open(path, encoding="utf-8") as file:
            now.update(rows_of(json.load(file)))
    if arguments.tool:
        now = rows_of(json.loads(subprocess.run([arguments.tool, "bench", "zoo", "--json"], check=True, stdout=subprocess.PIPE).stdout))
    kept = read() if os.path.exists(TABLE) else {}
    if arguments.keep:
        write(now if arguments.tool else kept | {name: joined(row, kept.get(name, row)) for name, row in now.items()})
        return
    found = [line for name, row in now.items() if name in kept for line in problems(name, row, kept[name])]
    found += [f"{name}: is not in the table" for name in sorted(now.keys() - kept.keys())]
    found += [f"{name}: is only in the table" for name in sorted(kept.keys() - now.keys())]
    if found:
        sys.exit("\n".join(found))


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    commands.add_parser("page").set_defaults(run=lambda _: page())
    checks = commands.add_parser("check")
    checks.add_argument("--keep", action="store_true")
    checks.add_argument("--json", nargs="+")
    checks.add_argument("tool", nargs="?")
    checks.set_defaults(run=check)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
