"""Every committed generated file is what its generator writes now.

usage: generated.py ROOT LIST BIN_FOLDER
"""

import os
import subprocess
import sys

import tree


def main(root, list_path, bin_folder):
    environment = dict(os.environ, PATH=bin_folder + os.pathsep + os.environ["PATH"])
    problems = []
    for row in tree.lines("", list_path):
        if not row.strip() or row.startswith("#"):
            continue
        path, command = (part.strip() for part in row.split(":", 1))
        run = subprocess.run(command, shell=True, cwd=root, env=environment, stdout=subprocess.PIPE)
        if run.returncode != 0:
            problems.append(f"{path}: '{command}' failed with status {run.returncode}")
            continue
        try:
            with open(os.path.join(root, path), "rb") as file:
                committed = file.read()
        except FileNotFoundError:
            problems.append(f"{path}: missing; run: ./{command} > {path}")
            continue
        if committed != run.stdout:
            problems.append(f"{path}: not current; run: ./{command} > {path}")
    tree.report(problems, "")


main(*sys.argv[1:])
