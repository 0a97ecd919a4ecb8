"""Each row of docs/seeds.md is shown by tests that there are, which carry its tag, or by a table of vta bench seeds.

usage: seeds.py ROOT [BUILD_FOLDER]

tests/seeds/rows.csv says which: a test of ctest, and what in it: a case of GoogleTest, FILE.py:METHOD, or a file that it runs. The page repeats it
in the line "Shown by" of each row. With a build folder the tests must be known to ctest, with the tags seed.ROW; of programs that are not built none is.
"""

import csv
import json
import os
import re
import subprocess
import sys

import tree

ROWS, PAGE, BENCH = "tests/seeds/rows.csv", "docs/seeds.md", "tools/vta/bench/seeds/seeds.cc"
LAST = 40
CASE = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")
TABLE = re.compile(r'^\s*\{"(\w+)", "', re.M)
HEADING = re.compile(r"^### (\d+)\. ")
COMMAND = "bench seeds"


def text_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def cases(root):
    """Suites and cases of all tests in C++."""
    return {found for path in tree.files(root, "_test.cc") for found in CASE.findall(text_of(root, path))}


def missing(root, test, case, known):
    """Whether there is nothing of that name."""
    if test == COMMAND:
        return case not in TABLE.findall(text_of(root, BENCH))
    path, _, method = case.partition(":")
    if "/" in case:
        return not os.path.isfile(os.path.join(root, path)) or (method and not re.search(rf"\bdef {method}\(", text_of(root, path)))
    return (test.split(".")[-1].split("/")[-1], case) not in known


def shown(rows):
    """The line of a row on the page."""
    by_test = {}
    for _, test, case in rows:
        by_test.setdefault(test, []).append(case)
    commands = [f"`vta {COMMAND} {table} --check`" for table in by_test.pop(COMMAND, [])]
    tests = [f"`{test}`: " + ", ".join(f"`{case}`" for case in cases) for test, cases in by_test.items()]
    return "Shown by " + "; ".join(tests + commands) + "."


def page_problems(root, rows):
    lines = tree.lines(root, PAGE)
    sections, number = {}, None
    for line in lines:
        if found := HEADING.match(line):
            number = int(found[1])
            sections.setdefault(number, [])
        elif line.startswith("#"):
            number = None
        elif number:
            sections[number].append(line)
    for number in range(1, LAST + 1):
        of_row = [row for row in rows if row[0] == str(number)]
        if not of_row:
            yield f"{ROWS}: row {number}: nothing shows it"
        elif number not in sections:
            yield f"{PAGE}: has no section '### {number}. ...'"
        elif [line for line in sections[number] if line.startswith("Shown by ")] != [shown(of_row)]:
            yield f"{PAGE}: section {number} must have this line: {shown(of_row)}"
    for number in sorted(sections.keys() - range(1, LAST + 1)):
        yield f"{PAGE}: section {number}: rows are 1 to {LAST}"


def tag_problems(build, rows):
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True, text=True).stdout
    labels = {test["name"]: [label for each in test["properties"] if each["name"] == "LABELS" for label in each["value"]]
              for test in json.loads(listing)["tests"]}
    groups = {name.split(".")[0] for name in labels}
    for number, test, _ in rows:
        group = test.split(".")[0]
        if test == COMMAND or group not in groups or f"{group}.NOT_BUILT" in labels:
            continue
        if test not in labels:
            yield f"{ROWS}: row {number}: {test}: ctest knows no such test"
        elif f"seed.{number}" not in labels[test]:
            yield f"{test}: has not the tag seed.{number}"


def main(root, build=None):
    with open(os.path.join(root, ROWS), encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    problems = []
    if head != ["row", "test", "case"]:
        problems.append(f"{ROWS}: line 1: must be row,test,case")
    known = cases(root)
    for number, test, case in rows:
        if missing(root, test, case, known):
            problems.append(f"{ROWS}: row {number}: {test}: there is no {case}")
    problems += page_problems(root, rows)
    if build:
        problems += tag_problems(build, rows)
    tree.report(problems, "")


main(*sys.argv[1:])
