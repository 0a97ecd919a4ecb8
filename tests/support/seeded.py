"""Runs a program on a sample that the commit chooses, and prints the command that does it again.

usage: seeded.py PROGRAM ARGUMENT... [--of N CANDIDATE...]

The argument SEED becomes $VTA_TEST_SEED (0 where nothing sets it; ./vta test takes it from the commit's hash), FEW|ALL the
first number, or the second one where $VTA_TEST_WHOLE is 1. Of the candidates N are taken by the seed, or all.
"""

import hashlib
import os
import re
import shlex
import sys

SEED = os.environ.get("VTA_TEST_SEED", "0")
WHOLE = os.environ.get("VTA_TEST_WHOLE") == "1"


def sample(candidates, number):
    """So many of them, in their order, the same for each test of a commit that has them; all where the whole is asked for."""
    return candidates if WHOLE else few(candidates, number)


def few(candidates, number):
    """sample(), also where the whole is asked for: another row of .ci/nightly.txt has it."""
    def rank(candidate):
        return hashlib.sha256(f"{SEED} {os.path.basename(candidate)}".encode()).digest()
    chosen = sorted(candidates, key=rank)[:number]
    return [candidate for candidate in candidates if candidate in chosen]


def command(arguments):
    if "--of" in arguments:
        at = arguments.index("--of")
        arguments = arguments[:at] + sample(arguments[at + 2:], int(arguments[at + 1]))
    return [re.sub(r"^(\d+)\|(\d+)$", r"\2" if WHOLE else r"\1", re.sub(r"^SEED$", SEED, argument))
            for argument in arguments]


if __name__ == "__main__":
    words = command(sys.argv[1:])
    print("again:", shlex.join(words), flush=True)
    os.execvp(words[0], words)
