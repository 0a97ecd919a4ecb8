#!/usr/bin/env python3
"""Which rows of docs/seeds.md the last run of the tests has shown: of each a test that rows.csv names must have passed.

usage: ran.py JUNIT_FILE    (build/log/results.xml of ./vta test)
"""

import csv
import os
import re
import sys
import xml.etree.ElementTree

ROWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rows.csv")


def has_passed(test, case, results):
    """Whether the test ran and, where its output names the case, that did too and was not skipped."""
    result = results.get(test)
    if result is None or result.get("status") != "run":
        return False
    output = result.findtext("system-out") or ""
    if "/" not in case:
        suite = test.split(".")[-1]
        return re.search(rf"^\[ +OK \] {suite}\.{case}(/\S+)? ", output, re.M) is not None
    method = case.partition(":")[2]
    named = re.search(rf"^{method} \(", output, re.M) if method else None
    return not named or re.search(rf"^{method} \(.*\)(\n.*)? \.\.\. ok$", output, re.M) is not None


def main(path):
    results = {test.get("name"): test for test in xml.etree.ElementTree.parse(path).getroot().findall("testcase")}
    rows = {}
    with open(ROWS, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            of_row = rows.setdefault(int(row["row"]), [])
            if row["test"] != "bench seeds":
                of_row.append((f"{row['test']} {row['case']}", has_passed(row["test"], row["case"], results)))
    for number, of_row in sorted(rows.items()):
        missing = [name for name, passed in of_row if not passed]
        print(f"row {number}: {len(of_row) - len(missing)} of {len(of_row)} passed" + (f"; not {', '.join(missing)}" if missing else ""))
    dark = [number for number, of_row in sorted(rows.items()) if not any(passed for _, passed in of_row)]
    print(f"{len(rows) - len(dark)} of {len(rows)} rows are shown" + (f"; not {', '.join(map(str, dark))}" if dark else ""))
    return bool(dark)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
