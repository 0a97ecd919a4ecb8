"""Every committed generated file is what its generator writes now.

Of a table whose command ends in ROWS, the rows that the seed chooses are made: the command takes their names.

usage: generated.py ROOT LIST BIN_FOLDER
"""

import os
import re
import subprocess
import sys

import tree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import seeded

ROWS = 1  # of a table, which may take a minute
ROW = re.compile(r"^\| `(\w+)` ")


def rows_left(table, names):
    """The table without the rows of other names."""
    return "".join(line for line in table.splitlines(True) if not ROW.match(line) or ROW.match(line)[1] in names)


def main(root, list_path, bin_folder):
    environment = dict(os.environ, PATH=bin_folder + os.pathsep + os.environ["PATH"])
    problems = []
    for row in tree.lines("", list_path):
        if not row.strip() or row.startswith("#"):
            continue
        path, command = (part.strip() for part in row.split(":", 1))
        whole, table, _ = command.partition(" ROWS")
        try:
            with open(os.path.join(root, path), "rb") as file:
                committed = file.read()
        except FileNotFoundError:
            problems.append(f"{path}: missing; run: ./{whole} > {path}")
            continue
        command = whole
        if table and not seeded.WHOLE:
            rows = [match[1] for match in map(ROW.match, committed.decode().splitlines()) if match]
            names = seeded.sample(rows, ROWS)
            committed = rows_left(committed.decode(), names).encode()
            command = " ".join([whole, *names])
        run = subprocess.run(command, shell=True, cwd=root, env=environment, stdout=subprocess.PIPE)
        if run.returncode != 0:
            problems.append(f"{path}: '{command}' failed with status {run.returncode}")
            continue
        if committed != run.stdout:
            problems.append(f"{path}: not current; run: ./{whole} > {path}")
    tree.report(problems, "")


main(*sys.argv[1:])
