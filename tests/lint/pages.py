"""docs/README.md links to each Markdown page of the project once, and the pages of its numbered order each end with a link to the next.

usage: pages.py ROOT
"""

import os
import re
import sys

import tree

INDEX = "docs/README.md"
LINK = re.compile(r"\]\(([^)#\s]+)\)")
STEP = re.compile(r"\| (\d+) \| \[[^]]*\]\(([^)#\s]+)\)")
NEXT = re.compile(r"Next: \[[^]]+\]\(([^)#\s]+)\)")


def place(page, target):
    """A link's target, named from the root."""
    return os.path.normpath(os.path.join(os.path.dirname(page), target))


def order_problems(root, steps):
    for number, (given, page) in enumerate(steps, 1):
        if int(given) != number:
            yield f"{INDEX}: step {given} stands where {number} should"
        following = steps[number][1] if number < len(steps) else INDEX
        last = NEXT.fullmatch((tree.lines(root, page) or [""])[-1])
        if not last or place(page, last[1]) != following:
            yield f"{page}: its last line must be 'Next: [...](...)', to {following}"


def main(root):
    lines = tree.lines(root, INDEX)
    listed = [place(INDEX, target) for line in lines if line.startswith("| ") for target in LINK.findall(line) if target.endswith(".md")]
    steps = [(match[1], place(INDEX, match[2])) for match in map(STEP.match, lines) if match]
    problems = []
    for page in tree.files(root, ".md"):
        count = listed.count(page)
        if page != INDEX and count != 1:
            problems.append(f"{INDEX}: lists {page} {count} times, not once")
    if not steps:
        problems.append(f"{INDEX}: has no row '| 1 | [...](...) |': an order to read in")
    tree.report(problems + list(order_problems(root, steps)), "")


main(sys.argv[1])
