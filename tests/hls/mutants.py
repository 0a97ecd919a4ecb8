#!/usr/bin/python3
"""Plants one bug after the other in the kernels of hw/hls and says what finds it; and changes them as a synthesis tool may,
which must make no difference.

usage: mutants.py HLS_FUZZ VTA CLANG

Each is a copy of the kernels: for random programs, for the same with Xilinx's headers, where undefined behaviour is an end, and for
the list of what C++ they may use (subset.py). Ends with 1 when a bug is missed, when a change that is allowed makes a
difference, or when a copy cannot be built.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import headers

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
    ("vta_monitor.cc", "kQuiet = 64", "kQuiet = 8", "process: a launch ends while a kernel is slow"),
    ("vta_monitor.cc", "load.answered == m.asked[1] &&", "", "process: channels are emptied while load still writes to them"),
    ("vta_module.h", "if (channel.read_nb(word)) found = true;",
     "if (channel.read_nb(word)) { found = true; vta_throw_away(channel, found); }", "token: thrown away by a call in a call"),
    ("vta_module.h", "if (owed == 0 || !space.write_nb(1)) return;", "if (owed == 0) return;\n  space.write_nb(1);",
     "token: space is lost where its channel is full"),
    ("vta_fetch.cc", "static Fetch f;", "static Fetch& f = *new Fetch();", "process: its state is on the heap"),
    ("vta_fetch.cc", "enum { kLoad, kCompute, kStore };", "enum { kLoad, kCompute, kStore };\nvta_commands* queues[3];\nvta_commands** first = queues;",
     "process: its queues behind pointers"),
    ("vta_transfer.h", "uint8_t element[kBytes];", "uint8_t element[kBytes - 1];", "depth: the buffer of an element, a byte short"),
    ("vta_compute.cc", "for (int i = 0; i < kRecent; ++i)", "for (int i = 0; i <= kRecent; ++i)", "depth: a row more is forgotten than there is"),
    ("vta_alu.h", "return int32_t(uint32_t(a) + uint32_t(b));", "return a + b;", "arithmetic: a sum that C++ does not define"),
    ("vta_load.cc", "if (!m.running) pad = 0;", "", "mode: the pad of the launch before"),
    ("vta_store.cc", "out[row + i / kBeats]", "out[row + i]", "burst: a beat a row, where a row has several"),
    ("vta_store.cc", "moved += count;", "moved += t.x_size;", "counter: elements that were refused"),
    ("vta_transfer.h", "return count == fit ?", "return count != fit ?", "fault: the wrong one"),
    ("vta_transfer.h", "part >= skipped && ", "", "burst: what lies in its first beat before it is loaded, too"),
    ("vta_transfer.h", "filled * kPart + k", "k", "burst: each beat of a row over the one before"),
    ("vta_compute.cc", "run.has_operand = true;", "run.has_operand = operation != VTA_ALU_SHR;", "process: an operand that is read for ever"),
    ("vta_compute.cc", "if (++run.parameter == 3)", "if (++run.parameter == 2)", "process: two rows of parameters of three"),
    ("vta_compute.cc", "uint8_t(row.lane[k])];", "uint8_t(row.lane[k]) & 127];", "lut: half a table"),
    ("vta_compute.cc", "dst_base = dst_row += dst_out;", "dst_row += dst_out;", "loop: the outer step is lost"),
    ("vta_compute.cc", "const bool adds = !(VTA_OVERWRITE &&", "const bool adds = (true || VTA_OVERWRITE &&", "overwrite adds"),
]


def late(gemm, alu):
    """Edits by which what a micro-op writes is in its memory just before the one so many behind it reads."""
    compute = "vta_compute.cc"
    return [(compute, "/// What a micro-op makes of a row.", f"""Row late[{max(gemm, alu)}], now;
uint32_t late_row[{max(gemm, alu)}], now_row;  // and 1; 0: none
void Land(int i) {{
  if (late_row[i]) KeepRow(late_row[i] - 1, late[i]);
  late_row[i] = 0;
}}
void Advance(int micro_ops) {{
  Land(micro_ops - 2);
  for (int i = micro_ops - 2; i > 0; --i) late[i] = late[i - 1], late_row[i] = late_row[i - 1];
  late[0] = now, late_row[0] = now_row, now_row = 0;
}}
void LandAll() {{
  for (int i = {max(gemm, alu) - 1}; i >= 0; --i) Land(i);
}}
/// What a micro-op makes of a row."""),
            (compute, "  KeepRow(row, value);\n  for (int k = 0; k < VTA_ACC_ROW; ++k) {\n#pragma HLS UNROLL\n    out[k]",
             "  now = value, now_row = row + 1;\n  for (int k = 0; k < VTA_ACC_ROW; ++k) {\n#pragma HLS UNROLL\n    out[k]"),
            (compute, "  recent[0] = value;", f"  Advance({gemm});\n  recent[0] = value;"),
            (compute, "  settling_row[0] = row;", f"  Advance({alu});\n  settling_row[0] = row;"),
            (compute, "    if (fault || run.nest.over()) run", "    LandAll();\n    if (fault || run.nest.over()) run")]


with open(os.path.join(ROOT, "hw/hls/vta_compute.cc"), encoding="utf-8") as compute_source:
    RECENT, SETTLING = map(int, re.search(r"const int kRecent = (\d+), kSettling = (\d+);", compute_source.read()).groups())
# What DEPENDENCE's distances let a synthesis tool do, and the first lateness that is not borne.
ALLOWED = [(late(RECENT, SETTLING), "pragma: accumulators are in their memory as late as the distances of dependence allow")]
TOO_LATE = [(late(RECENT + 2, SETTLING), "pragma: GEMM's accumulators are in their memory later than that, by two micro-ops"),
            (late(RECENT, SETTLING + 2), "pragma: so are the ALU's")]


def fuzz(home, cache, words):
    """What random programs say, or None."""
    environment = dict(os.environ, VTA_HOME=home, VTA_CACHE_DIR=cache)
    try:
        run = subprocess.run([*words, "-n", PROGRAMS, *CONFIGS], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return "it does not end"
    if "the build failed" in run.stdout:
        sys.exit(run.stdout)
    if run.returncode == 0:
        return None
    undefined = re.search(r"runtime error: (.*)", run.stdout)
    kind = re.search(r"seed \d+, (\w+)", run.stdout)
    lines = run.stdout.splitlines() or [f"it ended with {run.returncode}"]
    return undefined[1] if undefined else f"{kind[1]}: {lines[1].strip()}" if kind else lines[0]


def subset(home, vta, clang):
    """The rule of the list that is broken, or None."""
    kernels = f"{home}/hw/hls"
    with open(f"{home}/vta_config.h", "w", encoding="utf-8") as file:
        subprocess.run([vta, "isa", "--c", "-c", CONFIGS[1]], stdout=file, check=True)
    run = subprocess.run([sys.executable, "-B", f"{ROOT}/tests/hls/subset.py", clang, f"-I{home}", f"-I{home}/sim/hls/model", f"-I{kernels}",
                          *sorted(glob.glob(f"{kernels}/vta_*.cc"))], cwd=kernels, stdout=subprocess.PIPE, text=True, check=False)
    return run.stdout.splitlines()[0] if run.returncode else None


def copy_of(home, edits):
    shutil.rmtree(home, ignore_errors=True)
    for part in ("hw/hls", "sim/hls/model"):
        shutil.copytree(os.path.join(ROOT, part), os.path.join(home, part))
    for file, old, new in edits:
        path = os.path.join(home, "hw/hls", file)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        assert text.count(old) == 1, f"{file}: {old!r} occurs {text.count(old)} times"
        with open(path, "w", encoding="utf-8") as source:
            source.write(text.replace(old, new))


def main():
    program, vta, clang = sys.argv[1:4]
    vendor = headers.folder() or sys.exit("Xilinx's headers are not installed; ./vta test --proofs installs them")
    planted = [([(file, old, new)], what) for file, old, new, what in MUTANTS] + TOO_LATE
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        home, cache = (os.path.join(folder, name) for name in ("home", "cache"))
        finders = (("programs", lambda: fuzz(home, cache, [program])), ("subset", lambda: subset(home, vta, clang)),
                   ("headers", lambda: fuzz(home, cache, [program, "--headers", vendor])))
        for edits, what in planted + ALLOWED:
            copy_of(home, edits)
            finder, by = next(((name, by) for name, find in finders if (by := find())), ("", ""))
            allowed = (edits, what) in ALLOWED
            wrong += bool(by) == allowed
            print(f"{finder or ('allowed' if allowed else 'MISSED'):8} {edits[0][0]:16} {what}: {by[:110]}", flush=True)
    print(f"{len(planted)} planted, {len(ALLOWED)} allowed, {wrong} wrong")
    sys.exit(bool(wrong))


main()
