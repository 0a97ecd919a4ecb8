"""Plants one bug after the other in the cycle model, one at least in each number that it shares with nobody, and says
what the ledger finds.

usage: model_mutants.py BUILD [-j JOBS]

Each mutant is a copy of sim/cycle/core and isa/spec/timing.h, compiled and linked in front of what BUILD has. It runs
the ledger until something differs. Ends with 1 when a bug is missed, or when one cannot be built.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE, TIMING = "sim/cycle/core", "isa/spec/timing.h"
CONFIGS = ["isa/configs/default.json", "isa/configs/two_banks.json"] + [
    f"tests/rtl/configs/{name}.json" for name in ("queues_2", "one_burst", "one_beat", "tiny_4x4", "rows_8", "bus_512")]
PROGRAMS, SECONDS = "200", 120

# File (below sim/cycle/core where it names no folder), text that occurs once, what it becomes.
MUTANTS = [
    # The numbers that the RTL does not take from the table.
    (TIMING, "kLaunchCycles = 3;", "kLaunchCycles = 4;"),
    (TIMING, "kFifoCycles = 3;", "kFifoCycles = 2;"),
    (TIMING, "kFirstRowCycles = 2;", "kFirstRowCycles = 3;"),
    (TIMING, "kLoadRowCycles = 1;", "kLoadRowCycles = 2;"),
    (TIMING, "kStoreRowCycles = 2;", "kStoreRowCycles = 1;"),
    ("walker.cc", "queued_ == isa::timing::kBurstQueue", "queued_ == 1"),
    (TIMING, "kRoomCycles = 2;", "kRoomCycles = 1;"),
    (TIMING, "kOutsideCycles = 2;", "kOutsideCycles = 3;"),
    (TIMING, "kLoadFixedCycles = 1;", "kLoadFixedCycles = 2;"),
    (TIMING, "kUopLoadFixedCycles = 2;", "kUopLoadFixedCycles = 1;"),
    (TIMING, "kLutPartBytes = 4;", "kLutPartBytes = 8;"),
    ("transfer.cc", "const int64_t hold = lock_.until;", "const int64_t hold = Hold(row_);"),
    (TIMING, "kRequantBlockCycles = 3;", "kRequantBlockCycles = 4;"),
    (TIMING, "kReachCycles = 18;", "kReachCycles = 17;"),
    (TIMING, "kReachPassCycles = 3;", "kReachPassCycles = 2;"),
    (TIMING, "kReleaseCycles = 2;", "kReleaseCycles = 1;"),
    (TIMING, "kExecuteFixedCycles = 9;", "kExecuteFixedCycles = 10;"),
    (TIMING, "kExecuteOverlapCycles = 6;", "kExecuteOverlapCycles = 5;"),
    ("unit.cc", "timing::kLongOverlapCycles", "timing::kExecuteOverlapCycles"),
    ("unit.cc", "times[i] + timing::kLongWindowCycles", "times[i] + timing::kLongStages"),
    ("unit.cc", "timing::kRequantDrainCycles", "timing::kRequantDrainCycles + 1"),
    ("unit.cc", "> timing::kKernelUops", ">= timing::kKernelUops"),
    ("frontend.cc", "== isa::timing::kPendingInstructions", "== isa::timing::kPendingInstructions - 1"),
    ("compute.cc", "== timing::kOlderInstructions", "== timing::kOlderInstructions - 1"),
    ("writes.cc", "(isa::timing::kOutstandingWrites)", "(isa::timing::kOutstandingWrites - 1)"),
    ("core.cc", "still == isa::timing::kQuietCycles", "still == isa::timing::kQuietCycles + 1"),
    # The sentences beside them.
    ("walker.cc", "std::max({pushed_ + 1, taken_ + 1, place + 1})", "std::max({pushed_ + 1, taken_, place + 1})"),
    ("walker.cc", "queued_ == 0 ? granted_before_ : granted_", "granted_before_"),
    ("reads.cc", "reserved_ - last_beats_ + 2 * longest_", "reserved_ + longest_"),
    ("reads.cc", "ends_[before] + 1", "ends_[before]"),
    ("reads.cc", "beats(c).Room(std::max(cycle, walker.next().ready))", "std::max(cycle, walker.next().ready)"),
    ("reads.cc", "for (int c = 0; c < kClients; ++c) {\n    Walker", "for (int c = kClients - 1; c >= 0; --c) {\n    Walker"),
    ("writes.cc", "if (free == 1 && reads_.address_valid(cycle)) return cycle + 1;", ""),
    ("stream.h", "if (!halted_) held_.Add(cycle, 1);", "held_.Add(cycle, 1);"),
]


def command_of(build, target):
    """The last command that makes a target."""
    text = subprocess.run(["ninja", "-C", build, "-t", "commands", target], check=True, capture_output=True, text=True)
    return text.stdout.strip().splitlines()[-1]


def try_mutant(build, mutant):
    """What came of it (found, MISSED or BROKEN), in words."""
    path, old, new = mutant
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        files = [TIMING] + [f"{CORE}/{file.name}" for file in (ROOT / CORE).iterdir()]
        for file in files:
            (work / file).parent.mkdir(parents=True, exist_ok=True)
            text = (ROOT / file).read_text()
            (work / file).write_text(text.replace(old, new) if file in (path, f"{CORE}/{path}") else text)
        sources = sorted((work / CORE).glob("*.cc"))
        objects = []
        for source in [work / CORE / path] if path.endswith(".cc") else sources:
            objects.append(source.with_suffix(".o"))
            done = subprocess.run(["c++", "-std=c++20", "-O1", "-fPIC", f"-I{work}", f"-I{ROOT}", "-c", source, "-o", objects[-1]],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                return "BROKEN", done.stderr[-300:]
        link = command_of(build, "rtl_ledger")
        link = re.sub(r"-o \S+", f"-o {work / 'ledger'} {' '.join(shlex.quote(str(file)) for file in objects)}", link, count=1)
        done = subprocess.run(["bash", "-c", link], cwd=build, capture_output=True, text=True)
        if done.returncode != 0:
            return "BROKEN", done.stderr[-300:]
        for config in CONFIGS:
            try:
                done = subprocess.run([work / "ledger", "--quick", "-n", PROGRAMS, ROOT / config], capture_output=True,
                                      text=True, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return "found", f"no end on {config} after {SECONDS} s"
            if done.returncode != 0:
                lines = (done.stdout + done.stderr).strip().splitlines()
                return "found", next((line for line in lines if " on the RTL" in line), lines[0] if lines else "ended")[:110]
        return "MISSED", f"{PROGRAMS} programs on each of {len(CONFIGS)} configs without a difference"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    problems = [f"{path}: '{old}' must occur once" for path, old, _ in MUTANTS
                if (ROOT / (path if "/" in path else f"{CORE}/{path}")).read_text().count(old) != 1]
    if problems:
        sys.exit("\n".join(problems))
    build = options.build.resolve()
    for config in CONFIGS:  # the RTL's models, once
        subprocess.run([build / "tests/rtl/rtl_ledger", "--quick", "-n", "1", ROOT / config], check=True, stdout=subprocess.DEVNULL)
    found = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (path, old, _), (outcome, said) in zip(MUTANTS, pool.map(lambda mutant: try_mutant(build, mutant), MUTANTS)):
            found += outcome == "found"
            print(f"{outcome:6} {path.rpartition('/')[2]:12} {' '.join(old.split())[:56]:56}  {said}", flush=True)
    print(f"{len(MUTANTS)} bugs: {found} found")
    return found != len(MUTANTS)


if __name__ == "__main__":
    sys.exit(main())
