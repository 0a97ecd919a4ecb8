"""tools/packages.txt is well formed: known groups with sizes, no package twice, a reason for each.

usage: packages.py ROOT
"""

import sys

import tree

PATH = "tools/packages.txt"


def main(root):
    problems, sizes, seen, groups = [], set(), set(), set()
    for number, line in enumerate(tree.lines(root, PATH), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        where = f"{PATH}:{number}"
        if len(words) < 3:
            problems.append(f"{where}: a row is GROUP PACKAGE WHY")
        elif words[1] == "size":
            sizes.add(words[0])
            if len(words) != 4 or not (words[2] + words[3]).isdigit():
                problems.append(f"{where}: a size row is GROUP size DOWNLOAD_MB DISK_MB")
        else:
            groups.add(words[0])
            if words[1] in seen:
                problems.append(f"{where}: {words[1]} stands twice")
            seen.add(words[1])
    for group in sorted(groups ^ sizes):
        problems.append(f"{PATH}: group {group} needs one size row and at least one package")
    tree.report(problems, "")


main(sys.argv[1])
