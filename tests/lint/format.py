"""All C++ is formatted as .clang-format says.

usage: format.py ROOT CLANG_FORMAT
"""

import re
import subprocess
import sys

import tree


def main(root, clang_format):
    paths = [path for path in tree.files(root, ".h", ".cc")
             if not tree.is_generated(tree.lines(root, path))]
    result = subprocess.run([clang_format, "--dry-run", "-Werror", *paths], cwd=root,
                            stderr=subprocess.PIPE, text=True)
    if result.returncode == 0:
        sys.exit(0)
    print(result.stderr[:4000])
    wrong = sorted(set(re.findall(r"^([^:\s]+):\d+:\d+: error", result.stderr, re.MULTILINE)))
    print("Run: clang-format-14 -i " + " ".join(wrong))
    sys.exit(1)


main(*sys.argv[1:])
