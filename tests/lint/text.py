"""Words that must not be in a committed file: paths of one machine, and notes to do something later.

usage: text.py ROOT
"""

import re
import sys

import tree

RULES = (
    (re.compile(r"(?<![\w./-])/(work|home|root|Users)/"), "the path of one machine"),
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b"), "finish it or write an issue"),
)
# Binary formats, and this check's own test.
EXEMPT = (".onnx", ".pb", ".bin", ".npz", ".png", "tests/lint/lint_test.py", "LICENSE")


def main(root):
    problems = []
    for path in tree.files(root):
        if path.endswith(EXEMPT) or "/corpus/" in path:
            continue
        for number, line in enumerate(tree.lines(root, path), 1):
            for pattern, rule in RULES:
                match = pattern.search(line)
                if match:
                    problems.append(f"{path}:{number}: '{match[0]}': {rule}")
    tree.report(problems, "")


main(sys.argv[1])
