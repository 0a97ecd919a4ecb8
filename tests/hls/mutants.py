#!/usr/bin/python3
"""Plants one bug after the other in the kernels of hw/hls and says what random programs find.

usage: mutants.py HLS_FUZZ

Each is a copy of the kernels, compiled for one config or several. Ends with 1 when a bug is missed, or when one cannot be built.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Queues of one token, short command queues; everything that the ISA has.
CONFIGS = [f"{ROOT}/{name}.json" for name in ("tests/rtl/configs/tiny_4x4", "tests/rtl/configs/extended_8x8", "isa/configs/vta_0.0.2",
                                              "tests/rtl/configs/queues_2", "tests/rtl/configs/bus_512")]
PROGRAMS = "3000"

# File, text that occurs once, what it becomes, and what that is.
MUTANTS = [
    ("vta_fetch.cc", "f.space[i] = VTA_COMMAND_QUEUE_DEPTH", "f.space[i] = VTA_COMMAND_QUEUE_DEPTH + 1", "depth: a command queue that is one too long"),
    ("vta_fetch.cc", "VTA_FIELD(word, SET_MODE) == VTA_MODE_PAD_LOAD", "VTA_FIELD(word, SET_MODE) == VTA_MODE_PAD_COMPUTE", "process: a SET goes to the wrong module"),
    ("vta_fetch.cc", "if (count == 0) f.state.fault", "if (false) f.state.fault", "fault: fetch runs over the end of the memory"),
    ("vta_module.h", "m.prev.space = m.next.space = VTA_TOKEN_CAPACITY", "m.prev.space = m.next.space = VTA_TOKEN_CAPACITY + 1", "depth: token queues that are one too long"),
    ("vta_module.h", "++neighbour.owed;", "", "token: space is not given back"),
    ("vta_module.h", "--neighbour.space;", "", "token: a full queue takes more"),
    ("vta_module.h", "if (kNext) vta_throw_away(from_next, found);", "", "token: one that is left over meets the next launch"),
    ("vta_module.h", "++m.command_owed;  // it starts", "", "depth: the place of an instruction that started stays taken"),
    ("vta_monitor.cc", "load.retired == fetch.handed[0] &&", "", "process: FINISH does not wait for LOADs"),
    ("vta_monitor.cc", "kQuiet = 64", "kQuiet = 0", "process: a launch ends while a token is on its way"),
    ("vta_load.cc", "if (!m.running) pad = 0;", "", "mode: the pad of the launch before"),
    ("vta_store.cc", "out[row + i / kBeats]", "out[row + i]", "burst: a beat a row, where a row has several"),
    ("vta_store.cc", "moved += count;", "moved += t.x_size;", "counter: elements that were refused"),
    ("vta_transfer.h", "return count == fit ?", "return count != fit ?", "fault: the wrong one"),
    ("vta_transfer.h", "offset = 0;\n", "", "burst: each beat begins where the first one did"),
    ("vta_compute.cc", "if (++run.parameter == 3)", "if (++run.parameter == 2)", "process: two rows of parameters of three"),
    ("vta_compute.cc", "dst_base = dst_row += dst_out;", "dst_row += dst_out;", "loop: the outer step is lost"),
    ("vta_compute.cc", "const bool adds = !(VTA_OVERWRITE &&", "const bool adds = (true || VTA_OVERWRITE &&", "overwrite adds"),
]


def main():
    fuzz = sys.argv[1]
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        for file, old, new, what in MUTANTS:
            home = os.path.join(folder, "home")
            shutil.rmtree(home, ignore_errors=True)
            for part in ("hw/hls", "sim/hls/model"):
                shutil.copytree(os.path.join(ROOT, part), os.path.join(home, part))
            path = os.path.join(home, "hw/hls", file)
            with open(path, encoding="utf-8") as source:
                text = source.read()
            assert text.count(old) == 1, f"{file}: {old!r} occurs {text.count(old)} times"
            with open(path, "w", encoding="utf-8") as source:
                source.write(text.replace(old, new))
            environment = dict(os.environ, VTA_HOME=home, VTA_CACHE_DIR=os.path.join(folder, "cache"))
            try:
                run = subprocess.run([fuzz, "-n", PROGRAMS, *CONFIGS], env=environment, stdout=subprocess.PIPE, text=True, timeout=120, check=False)
                found, by = run.returncode != 0, run.stdout
            except subprocess.TimeoutExpired:
                found, by = True, "it does not end"
            if "the build failed" in by:
                sys.exit(f"{file}: {what}: {by}")
            kind = re.search(r"seed \d+, (\w+)", by)
            by = f"{kind[1]}: {by.splitlines()[1].strip()[:100]}" if kind else by.splitlines()[0][:100]
            print(f"{'found' if found else 'MISSED':7} {file:16} {what}: {by if found else ''}", flush=True)
            if not found:
                missed.append(what)
    print(f"{len(MUTANTS)} planted, {len(missed)} missed")
    sys.exit(bool(missed))


main()
