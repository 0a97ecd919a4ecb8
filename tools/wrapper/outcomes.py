"""What became of the cases inside the tests that ctest ran.

usage: outcomes.py JUNIT_FILE

Prints "PASSED FAILED SKIPPED", counted in cases, then lines to be shown, each behind "say", and the name of each failed
test behind "failed". A GoogleTest binary and a unittest file are as many cases as they say; any other test is one.
A test without a case, or without its end, has failed.
"""

import collections
import re
import sys
import xml.etree.ElementTree

NAMES = 3  # of those skipped for one reason


def cases(name, status, message, output):
    """Passed, failed, and (case, why) of the skipped: of one test of ctest."""
    if status == "disabled":
        return 0, 0, [(name, "disabled")]
    why = re.search(r"^skipped: (.*)", output, re.M)
    if status == "notrun":  # it skipped itself, or could not start
        if not message.startswith("SKIP_"):
            return 0, 1, []
        return 0, 0, [(name, why[1] if why else "it does not say why")]
    skipped = [(f"{name}: {match[2]}", re.sub(r"^skipped: ", "", match[1].strip().split("\n")[0]) or "it does not say why")
               for match in re.finditer(r": Skipped\n((?:(?!\[  SKIPPED).*\n)*?)\[  SKIPPED \] (.*) \(\d+ ms\)$", output, re.M)]
    whole = re.search(r"^\[==========\] (\d+) tests? from \d+ test suites? ran", output, re.M)
    if not whole:
        # unittest: a case's name, or the first line of what it says of itself, then how it ended. Subtests stand two blanks to the
        # right; there is no name behind what a case printed, nor of a whole class; without names there is but their number.
        skipped += [(f"{name}: {match[1].split(' ')[0]}" if match[1] else name, match[3])
                    for match in re.finditer(r"^(?: *(\S.*) \.\.\. )?skipped (['\"])(.*)\2$", output, re.M)]
        whole = re.search(r"^Ran (\d+) tests? in ", output, re.M)
        total = re.search(r"^(?:OK|FAILED) \(.*?skipped=(\d+)", output, re.M)
        skipped += [(name, "it does not say why")] * (int(total[1]) - len(skipped) if total else 0)
    if not skipped and why:
        skipped = [(name, why[1])]  # one case of a test that tells no number of them
        if not whole:
            return int(status == "run"), int(status != "run"), skipped
    count = int(whole[1]) if whole else 1
    # It lost its cases, or ended in the middle of them with status 0.
    failed = int(count + len(skipped) == 0 or (not whole and re.search(r"^\[==========\] Running ", output, re.M) is not None))
    count = max(count, failed)
    if status != "run":
        failed = len(re.findall(r"^(?:\[  FAILED  \] .* \(\d+ ms\)|(?:FAIL|ERROR): .*)$", output, re.M)) or 1
        count = max(count, failed)
    return max(count - failed - len(skipped), 0), failed, skipped


def report(tests):
    """The lines of main."""
    totals = [0, 0, 0]
    groups, reasons, broken = collections.Counter(), collections.defaultdict(list), []
    for test in tests:
        skip = test.find("skipped")
        passed, failed, skipped = cases(test.get("name"), test.get("status"), "" if skip is None else skip.get("message"),
                                        test.findtext("system-out") or "")
        totals = [totals[0] + passed, totals[1] + failed, totals[2] + len(skipped)]
        groups[test.get("name").partition(".")[0]] += passed + failed
        if failed:
            broken.append(f"failed {test.get('name')}")
        for case, why in skipped:
            reasons[why].append(case)
    yield " ".join(map(str, totals))
    yield f"say ran in {len(tests)} tests: " + ", ".join(f"{name} {count}" for name, count in sorted(groups.items()))
    for why, names in reasons.items():
        rest = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
        yield f"say {len(names)} skipped, {why}: {', '.join(names[:NAMES])}{rest}"
    slow = sorted(tests, key=lambda test: -float(test.get("time")))[:10]
    yield "say slowest: " + ", ".join(f"{test.get('name')} {float(test.get('time')):.0f} s" for test in slow)
    yield from broken


if __name__ == "__main__":
    print("\n".join(report(xml.etree.ElementTree.parse(sys.argv[1]).getroot().findall("testcase"))))
