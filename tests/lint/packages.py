"""tools/packages.txt is well formed: known groups, no package twice, a reason for each.

usage: packages.py ROOT
"""

import re
import sys

import tree

PATH = "tools/packages.txt"


def main(root):
    problems, groups, seen = [], set(), set()
    for number, line in enumerate(tree.lines(root, PATH), 1):
        words = line.split()
        if line.startswith("# Groups:"):
            groups.update(re.findall(r"(\w+) \(", line))
        if not words or words[0].startswith("#"):
            continue
        where = f"{PATH}:{number}"
        if len(words) < 3:
            problems.append(f"{where}: a row is GROUP PACKAGE WHY")
        elif words[0] not in groups:
            problems.append(f"{where}: {words[0]} is none of the groups that the list's head names")
        elif words[1] in seen:
            problems.append(f"{where}: {words[1]} stands twice")
        else:
            seen.add(words[1])
    tree.report(problems, "")


main(sys.argv[1])
