"""Line and toggle coverage of the RTL by fuzzing, unit benches and host tests: a row a module, and the lines that nothing reaches.

usage: coverage.py BUILD [--programs N] [--config CONFIG.json...]
       coverage.py --read FOLDER

Runs rtl_fuzz, rtl_modules and the host's tests of the build folder on models that count (built first: a minute of CPU
each), and adds up what each instance of a model wrote. A point is a line, or a bit that has to go up and down, of a
module; instances are added up.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGS = ("tests/rtl/configs/extended_8x8.json", "tests/rtl/configs/tiny_4x4.json")


def run(build, configs, programs, folder):
    tests = build / "tests/rtl"
    commands = [[tests / "rtl_fuzz", "--programs", str(programs), config] for config in configs]
    commands += [[tests / "rtl_modules", "--gtest_brief=1"],
                 [tests / "rtl_test", "--gtest_brief=1", "--gtest_filter=HostTest.*:RtlMachineTest.*"]]

    def work(command):
        done = subprocess.run(command, env=dict(os.environ, VTA_COVERAGE_DIR=str(folder)), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(work, commands))


def read(folder):
    """Counts by (file, kind, line, what)."""
    points = collections.Counter()
    for path in folder.glob("*.dat"):
        for line in path.read_text(errors="replace").splitlines():
            name, _, count = line.rpartition(" ")
            if name.startswith("C "):
                points[name] += int(count)
    counts = collections.Counter()
    for name, count in points.items():
        fields = dict(part.split("\x02", 1) for part in name[3:-1].split("\x01") if "\x02" in part)
        file = pathlib.Path(fields["f"]).name
        kind = fields.get("page", "").split("/")[0]
        if not file.startswith("vta_") or file in ("vta_pkg.sv", "vta_bench.sv"):
            continue
        if kind in ("v_line", "v_branch"):
            for number in lines_of(fields):
                counts[file, "line", number, ""] += count
        elif kind == "v_toggle":
            counts[file, "toggle", int(fields["l"]), fields["o"]] += count
    return counts


def lines_of(fields):
    """The lines of a block: "12-14,16", or the line where it starts."""
    numbers = []
    for part in fields.get("S", fields["l"]).split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def report(counts):
    print(f"{'module':22} {'lines':>6} {'reached':>8} {'toggles':>8} {'reached':>8}")
    totals = collections.Counter()
    for file in sorted({key[0] for key in counts}):
        row = []
        for kind in ("line", "toggle"):
            points = [count for key, count in counts.items() if key[:2] == (file, kind)]
            hit = sum(count > 0 for count in points)
            totals[kind] += len(points)
            totals[kind, "hit"] += hit
            row += [len(points), share(hit, len(points))]
        print(f"{file:22} {row[0]:6} {row[1]:>8} {row[2]:8} {row[3]:>8}")
    print(f"{'all':22} {totals['line']:6} {share(totals['line', 'hit'], totals['line']):>8} {totals['toggle']:8} "
          f"{share(totals['toggle', 'hit'], totals['toggle']):>8}")
    print("\nlines that nothing reaches:")
    for file, kind, number, _ in sorted(key for key, count in counts.items() if key[1] == "line" and count == 0):
        path = next((ROOT / "hw/rtl").rglob(file))
        print(f"  {file}:{number}: {path.read_text().splitlines()[number - 1].strip()}")


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("--programs", type=int, default=400)
    parser.add_argument("--config", nargs="+", default=[str(ROOT / config) for config in CONFIGS])
    parser.add_argument("--read", type=pathlib.Path)
    options = parser.parse_args()
    if options.read:
        report(read(options.read))
        return
    if not options.build:
        parser.error("names no build folder")
    with tempfile.TemporaryDirectory() as folder:
        run(options.build.resolve(), options.config, options.programs, pathlib.Path(folder))
        report(read(pathlib.Path(folder)))


sys.exit(main())
