"""The files of a checkout, as the lint scripts see them."""

import os
import sys

SKIPPED = (".git", ".vta", ".cache", "__pycache__")


def files(root, *endings):
    """Paths relative to root of the source files that end so; no build folders, sorted."""
    found = []
    for folder, subfolders, names in os.walk(root):  # a worktree's .git is a file
        at_top = folder == root
        subfolders[:] = sorted(
            name for name in subfolders
            if name not in SKIPPED and not (at_top and name.startswith("build")))
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root)
            if name in SKIPPED or os.path.islink(os.path.join(root, path)):
                continue
            if name.endswith(endings or ""):
                found.append(path)
    return sorted(found)


def lines(root, path):
    """The text lines of a file; none for a binary file."""
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    if b"\0" in data:
        return []
    return data.decode("utf-8", errors="replace").splitlines()


def is_generated(text_lines):
    """A generated file says so, and how to remake it, in its first five lines."""
    return any("generated" in line.lower() and "do not edit" in line.lower() for line in text_lines[:5])


def report(problems, advice):
    """Prints the problems, one a line, and exits with 1 when there are any."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} problems. {advice}")
    sys.exit(1 if problems else 0)
