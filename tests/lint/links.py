"""Every relative link of a Markdown page leads to a file that is there. What stands in a fenced block is no link.

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
        fenced = False
        for number, line in enumerate(tree.lines(root, path), 1):
            fenced ^= line.lstrip().startswith("```")
            for target in [] if fenced else LINK.findall(line):
                if "://" not in target and not os.path.exists(os.path.join(root, os.path.dirname(path), target)):
                    problems.append(f"{path}:{number}: ({target}): no such file")
    tree.report(problems, "")


main(sys.argv[1])
