"""One definition of each class: two of one name in one namespace are one to the linker, which keeps either's functions.

usage: names.py ROOT
"""

import collections
import re
import sys

import tree

# Each is part of another program than the one of its name.
OTHER_PROGRAMS = ("tests/bitstreams/vitis/",)
NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{")
CLASS = re.compile(r"(?:template <.*>\s*)?(?:class|struct|enum class) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: ?:[^:;].*)? ?\{")


def classes(lines):
    """Of each class outside functions, classes and nameless namespaces, its line and its name with the namespaces."""
    around = []
    for number, line in enumerate(lines, 1):
        if found := NAMESPACE.match(line):
            around.append(found[1])
        elif line.startswith("}") and "// namespace" in line and around:
            around.pop()
        elif (found := CLASS.match(line)) and "" not in around:
            yield number, "::".join([*around, found[1]])


def main():
    root = sys.argv[1]
    places = collections.defaultdict(list)
    for path in tree.files(root, ".h", ".cc"):
        if not path.startswith(OTHER_PROGRAMS):
            for number, name in classes(tree.lines(root, path)):
                places[name].append((path, number))
    problems = [f"{path}:{number}: {name} is also a class of {own[0][0]}" for name, own in places.items()
                for path, number in own[1:] if path != own[0][0]]
    tree.report(problems, "Give one of them another name.")


if __name__ == "__main__":
    main()
