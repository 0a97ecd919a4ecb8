"""The C and C++ on a page is that of the file which its block names, and so is compiled and run as a test.

usage: code_blocks.py ROOT PAGE...

A block ```c FILE or ```cpp FILE is lines of FILE that follow each other, but for their indentation; where it has a line
"...", lines of FILE are left out.
"""

import os
import sys


def blocks(text):
    """(line number, file or None, lines) of each block in C or C++."""
    found, block = [], None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if block is None and words[:1] in (["```c"], ["```cpp"]):
            block = (number, words[1] if len(words) > 1 else None, [])
        elif block is not None and line.strip() == "```":
            found.append(block)
            block = None
        elif block is not None:
            block[2].append(line.strip())
    return found


def first_missing(quoted, source):
    """The index of the first quoted line that does not stand where it should, or None."""
    at, free = 0, True  # free: any number of lines may be left out before the next one
    for index, line in enumerate(quoted):
        if line == "...":
            free = True
            continue
        candidates = [i for i in range(at, len(source)) if source[i] == line] if free else [at]
        if not candidates or candidates[0] >= len(source) or source[candidates[0]] != line:
            return index
        at, free = candidates[0] + 1, False
    return None


def main(root, pages):
    problems = []
    for page in pages:
        with open(os.path.join(root, page), encoding="utf-8") as file:
            found = blocks(file.read())
        for number, path, quoted in found:
            if path is None:
                problems.append(f"{page}:{number}: names no file that the code is of")
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
