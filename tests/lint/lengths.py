"""No source file is longer than its limit: a longer one answers two questions. Generated files are exempt.

usage: lengths.py ROOT
"""

import sys

import tree

LIMITS = {".h": 500, ".cc": 500, ".py": 500, ".sh": 500, ".js": 500, ".css": 500, ".html": 500, ".sv": 400, ".v": 400}


def main(root):
    problems = []
    for ending, limit in LIMITS.items():
        for path in tree.files(root, ending):
            text = tree.lines(root, path)
            if len(text) > limit and not tree.is_generated(text):
                problems.append(f"{path}: {len(text)} lines, the limit is {limit}")
    tree.report(problems, "Split the file, or mark it 'Generated ... do not edit' in its first five lines if it is.")


main(sys.argv[1])
