"""Every relative link of a Markdown page leads to a file that is there.

usage: links.py ROOT
"""

import os
import re
import sys

import tree

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def main(root):
    problems = []
    for path in tree.files(root, ".md"):
        for number, line in enumerate(tree.lines(root, path), 1):
            for target in LINK.findall(line):
                if "://" not in target and not os.path.exists(os.path.join(root, os.path.dirname(path), target)):
                    problems.append(f"{path}:{number}: ({target}): no such file")
    tree.report(problems, "")


main(sys.argv[1])
