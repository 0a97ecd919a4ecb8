"""The version stands in CMakeLists.txt alone, and CHANGELOG.md begins with it; the sections below it are of older ones.

usage: version.py ROOT
"""

import re
import sys

import tree

VERSION = re.compile(r"project\(vta VERSION (\d+\.\d+\.\d+)")
SECTION = re.compile(r"## \[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d\d-\d\d)")


def numbers(version):
    return [int(number) for number in version.split(".")]


def main(root):
    problems = []
    version = VERSION.search("\n".join(tree.lines(root, "CMakeLists.txt")))
    heads = [line for line in tree.lines(root, "CHANGELOG.md") if line.startswith("## ")]
    sections = [SECTION.fullmatch(line) for line in heads]
    for line, section in zip(heads, sections):
        if not section:
            problems.append(f"CHANGELOG.md: '{line}': must be '## [X.Y.Z] - YYYY-MM-DD', or unreleased")
    if not version:
        problems.append("CMakeLists.txt: has no project(vta VERSION X.Y.Z")
    elif not heads or not sections[0] or sections[0][1] != version[1]:
        problems.append(f"CHANGELOG.md: its first section must be of {version[1]}, the version of CMakeLists.txt")
    named = [section for section in sections if section]
    for newer, older in zip(named, named[1:]):
        if numbers(newer[1]) <= numbers(older[1]):
            problems.append(f"CHANGELOG.md: {older[1]} stands below {newer[1]}")
        if older[2] == "unreleased":
            problems.append(f"CHANGELOG.md: {older[1]} is below a newer one, and unreleased")
    if version:
        for page in tree.files(root, ".md", ".txt", ".cmake", ".py", ".sh"):
            if page in ("CHANGELOG.md", "CMakeLists.txt"):
                continue
            for number, line in enumerate(tree.lines(root, page), 1):
                if re.search(rf"vta[-_ ]v?{re.escape(version[1])}", line):
                    problems.append(f"{page}:{number}: names the version, which stands in CMakeLists.txt")
    tree.report(problems, "")


main(sys.argv[1])
