"""The table of the nightly tests is whole, and none of them failed.

usage: nightly.py ROOT
"""

import csv
import os
import sys

import tree

COLUMNS = ["test", "commit", "date", "seconds", "result"]


def main(root):
    names = []
    for row in tree.lines(root, ".ci/nightly.txt"):
        if row.strip() and not row.startswith("#"):
            names.append(row.split("|")[0].strip())
    problems = []
    with open(os.path.join(root, ".ci/nightly.csv"), encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))
    if table[:1] != [COLUMNS]:
        problems.append(f".ci/nightly.csv: line 1: must be {','.join(COLUMNS)}")
    for number, row in enumerate(table[1:], 2):
        place = f".ci/nightly.csv: line {number}"
        if len(row) != len(COLUMNS) or row[0] not in names:
            problems.append(f"{place}: {row[0] if row else ''}: is no row of a test in .ci/nightly.txt")
        elif row[4] != "passed":
            problems.append(f"{place}: {row[0]}: {row[4]} at {row[1]}; mend it, then run: .ci/nightly {row[0]}")
    tree.report(problems, "")


main(*sys.argv[1:])
