"""The C and C++ on a page is that of the file which its block names, and so is compiled and run as a test; and the text that names a
file is that of the file, which a test holds against what a program prints.

usage: code_blocks.py ROOT PAGE...

A block ```c FILE, ```cpp FILE or ```text FILE is lines of FILE that follow each other, but for their indentation; where it has a line
"...", lines of FILE are left out.
"""

import os
import sys


def blocks(text):
    """(line number, file or None, lines) of each block in C, C++ or text."""
    found, block = [], None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if block is None and words[:1] in (["```c"], ["```cpp"], ["```text"]):
            block = (number, words[1] if len(words) > 1 else None, [])
        elif block is not None and line.strip() == "```":
            found.append(block)
            block = None
        elif block is not None:
            block[2].append(line.strip())
    return found


def matching(lines, source, at):
    """How many of the lines stand in the source from there on, one behind the other."""
    count = 0
    while count < len(lines) and at + count < len(source) and source[at + count] == lines[count]:
        count += 1
    return count


def first_missing(quoted, source):
    """The index of the first quoted line that does not stand where it should, or None."""
    at, begin = 0, 0
    while begin < len(quoted):
        end = quoted.index("...", begin) if "..." in quoted[begin:] else len(quoted)
        part = quoted[begin:end]
        counts = [matching(part, source, place) for place in range(at, len(source) + 1)]
        if max(counts) < len(part):
            return begin + max(counts)
        at += counts.index(len(part)) + len(part)
        begin = end + 1
    return None


def main(root, pages):
    problems = []
    for page in pages:
        with open(os.path.join(root, page), encoding="utf-8") as file:
            found = blocks(file.read())
        for number, path, quoted in found:
            if path is None:
                problems.append(f"{page}:{number}: names no file that it is of")
                continue
            with open(os.path.join(root, path), encoding="utf-8") as file:
                source = [line.strip() for line in file.read().splitlines()]
            missing = first_missing(quoted, source)
            if missing is not None:
                problems.append(f"{page}:{number + 1 + missing}: {path} does not have this line here: {quoted[missing]}")
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
