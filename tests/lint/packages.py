"""tools/packages.txt is well formed: known groups, no package twice, a reason for each; so is tools/python.txt.

usage: packages.py ROOT
"""

import re
import sys

import tree

PATH = "tools/packages.txt"
PYTHON_PATH = "tools/python.txt"
PYTHON_ROW = re.compile(r"[a-z0-9-]+==[0-9][\w.]*( --hash=sha256:[0-9a-f]{64})+")
PYTHON_GROUP = re.compile(r"# group \w+: \S")


def python_problems(root):
    seen = None
    for number, line in enumerate(tree.lines(root, PYTHON_PATH), 1):
        where = f"{PYTHON_PATH}:{number}"
        if PYTHON_GROUP.match(line):
            seen = set()
        elif line and line[0] != "#":
            if not PYTHON_ROW.fullmatch(line):
                yield f"{where}: a row is NAME==VERSION --hash=sha256:... for each file that may be installed"
            elif seen is None:
                yield f"{where}: stands before the first line '# group NAME: WHY'"
            elif line.split("==")[0] in seen:
                yield f"{where}: {line.split('==')[0]} stands twice in its group"
            else:
                seen.add(line.split("==")[0])


def main(root):
    problems, groups, seen = list(python_problems(root)), set(), set()
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
        elif (words[0] == "sysroot", words[1]) in seen:  # for another machine than this one
            problems.append(f"{where}: {words[1]} stands twice")
        else:
            seen.add((words[0] == "sysroot", words[1]))
    tree.report(problems, "")


main(sys.argv[1])
