"""Runs the commands of a Markdown page as its reader would, and fails when one fails.

usage: run_blocks.py ROOT PAGE SCRATCH

Every fenced ```sh block of PAGE runs, in order, in one shell that stops at the first failure. A block that is not run
has the comment <!-- not run: REASON --> on the line before it. The shell starts in SCRATCH, which looks like the
checkout (links to everything in ROOT), so what the commands write stays out of the checkout.
"""

import os
import shutil
import subprocess
import sys


def blocks(text):
    """(first line number, commands, reason not to run or None) of each ```sh block."""
    found, start, reason = [], None, None
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if start is None and line.strip() == "```sh":
            start, before = number + 1, lines[number - 2].strip() if number > 1 else ""
            marked = before.startswith("<!-- not run:") and before.endswith("-->")
            reason = before[len("<!-- not run:"):-len("-->")].strip() if marked else None
        elif start is not None and line.strip() == "```":
            found.append((start, "\n".join(lines[start - 1:number - 1]), reason))
            start = None
    if start is not None:
        sys.exit(f"line {start}: a ```sh block is not closed")
    return found


def make_scratch(root, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    for name in os.listdir(root):
        if not name.startswith((".", "build")):
            os.symlink(os.path.join(root, name), os.path.join(scratch, name))


def main(root, page, scratch):
    with open(os.path.join(root, page), encoding="utf-8") as file:
        found = blocks(file.read())
    script = ["set -euo pipefail"]
    for line, commands, reason in found:
        if reason is None:
            script += [f"echo '== {page}:{line}'", commands]
        else:
            print(f"{page}:{line}: not run: {reason}")
    make_scratch(root, scratch)
    run = subprocess.run(["bash", "-c", "\n".join(script)], cwd=scratch, stdin=subprocess.DEVNULL,
                         env=dict(os.environ, VTA_YES="1"))
    if run.returncode != 0:
        sys.exit(f"{page}: a command failed with status {run.returncode}, after the last '==' line above")


if __name__ == "__main__":
    main(*sys.argv[1:])
