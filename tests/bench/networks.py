#!/usr/bin/env python3
"""The cycles of all networks of `vta model` on all shipped configs beside those of the table networks.csv.

usage: networks.py [--keep] [--table FILE] [-j JOBS] [-c CONFIG...] [-n NETWORK...] TOOL

Ends with status 1 and names each pair that takes 0.5 % more cycles than the table has, that the table does not have, or, where all are
measured, that it alone has. With --keep it writes what was measured into the table instead, and leaves the rows of other pairs as they are.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "networks.csv")
CONFIGS = os.path.join(HERE, "../../isa/configs")
COLUMNS = ["network", "config", "cycles", "host_bytes", "bound_machine"]
SLOWER = 1.005  # than the table, which is a failure


def measured(tool, config, networks):
    """By pair, the rows of one config."""
    done = subprocess.run([tool, "bench", "networks", *networks, "-c", config, "--json"], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{config}: vta bench networks ended with status {done.returncode}")
    print(config, file=sys.stderr, flush=True)
    return {(row["network"], row["config"]): {key: row[key] for key in COLUMNS} for row in json.loads(done.stdout)["networks"]}


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if rows.fieldnames != COLUMNS:
            raise RuntimeError(f"{path}: line 1: must be {','.join(COLUMNS)}")
        table = {}
        for line, row in enumerate(rows, 2):
            if not all((row[key] or "").isdigit() for key in COLUMNS[2:]):
                raise RuntimeError(f"{path}: line {line}: must be 3 integers after the pair")
            table[row["network"], row["config"]] = row
        return table


def write(path, table):
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(table.values())


def problems(table, rows, whole):
    """What is slower than the table, a line each, and what it does not have, or has alone."""
    for pair, row in rows.items():
        name, known = " on ".join(pair), table.get(pair)
        if not known:
            yield f"{name}: is not in the table"
        elif row["cycles"] > SLOWER * int(known["cycles"]):
            more = 100 * (row["cycles"] / int(known["cycles"]) - 1)
            yield f"{name}: {row['cycles']:,} cycles, {more:.2f} % more than the table's {int(known['cycles']):,}"
    for pair in table if whole else ():
        if pair not in rows:
            yield f"{' on '.join(pair)}: is in the table alone"


def main(options):
    configs = options.config or sorted(name.removesuffix(".json") for name in os.listdir(CONFIGS) if name.endswith(".json"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as jobs:
        parts = list(jobs.map(lambda config: measured(options.tool, config, options.network), configs))
    rows = {pair: row for part in parts for pair, row in part.items()}
    whole = not (options.config or options.network)
    if options.keep:
        write(options.table, rows if whole else {**(read(options.table) if os.path.exists(options.table) else {}), **rows})
        return 0
    table = read(options.table)
    found = list(problems(table, rows, whole))
    for line in found:
        print(line)
    quicker = sum(SLOWER * row["cycles"] < int(table[pair]["cycles"]) for pair, row in rows.items() if pair in table)
    print(f"{len(rows)} pairs: {len(found)} that must not be so, {quicker} quicker by 0.5 %; --keep writes the table anew")
    return 1 if found else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--table", default=TABLE)
    parser.add_argument("-j", dest="jobs", type=int, default=1)
    parser.add_argument("-c", dest="config", nargs="+", default=[])
    parser.add_argument("-n", dest="network", nargs="+", default=[])
    try:
        sys.exit(main(parser.parse_args()))
    except (OSError, RuntimeError) as error:
        sys.exit(f"networks.py: {error}")
