"""The Python of the module and of its tests is as ruff and mypy want it.

usage: check.py SOURCE_FOLDER CACHE_FOLDER

Exit status 77 (skipped) where they are not installed.
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from environments import programs_of


def main(source, cache):
    tools = programs_of("check")
    if not os.access(os.path.join(tools, "ruff"), os.X_OK) or not os.access(os.path.join(tools, "mypy"), os.X_OK):
        print("skipped: ruff and mypy are not installed (tools/python.txt, group check)")
        sys.exit(77)
    commands = (
        ["ruff", "check", "--no-cache", "python", "tests/python"],
        ["mypy", "--cache-dir", os.path.join(cache, "mypy"), "--python-executable", "/usr/bin/python3", "-p", "vta"],
    )
    failed = False
    for name, *arguments in commands:
        environment = {**os.environ, "MYPYPATH": os.path.join(source, "python")}
        done = subprocess.run([os.path.join(tools, name), *arguments], cwd=source, env=environment)
        failed |= done.returncode != 0
    sys.exit(failed)


main(*sys.argv[1:3])
