"""vta run and exec with --wave and --trace: the FST file, read by its format's own library, and the Perfetto trace against the counters and
against the wave.

Exit status 77 (skipped) where Verilator is not there.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
FST = "/usr/share/verilator/include/gtkwave"
FROM, TO = 3000, 4200
MODULES = ("load", "compute", "store")
PROGRAM = """load.uop dram=kernel x=1
load.acc dram=input x=2
alu.add uop=0:1 in=2 dst=0,1 imm=5 push_next
store.out dram=output x=2 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 1*16 -7*16
.data
output: .space 32
"""
ENDLESS = "load.uop x=0\n" + "gemm uop=0:8192 out=16383 in=16383\n" * 9 + "finish"


def inside(slices, begin, end):
    """Cycles of the slices that lie in [begin, end)."""
    return sum(max(0, min(s["ts"] + s["dur"], end) - max(s["ts"], begin)) for s in slices)


def ran(tracks, module):
    """The slices of its instructions; those that overlap lie on tracks of their own."""
    return [e for name in tracks if name == module or name.startswith(module + ", beside") for e in tracks[name]]


def merged(slices):
    """The cycles that lie in one slice or more."""
    spans = []
    for event in sorted(slices, key=lambda e: e["ts"]):
        end = event["ts"] + event["dur"]
        if spans and event["ts"] <= spans[-1]["ts"] + spans[-1]["dur"]:
            spans[-1]["dur"] = max(spans[-1]["dur"], end - spans[-1]["ts"])
        else:
            spans.append({"ts": event["ts"], "dur": event["dur"]})
    return spans


class WaveTest(tool.ToolTest):
    def look(self, *words):
        status, _, errors = self.run_tool(*words, "--wave", "w.fst", "--trace", "t.json")
        self.assertEqual(status, 0, errors)
        trace = json.loads(self.read("t.json"))
        names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
        tracks = {name: [] for name in names.values()}
        for event in trace["traceEvents"]:
            if event["ph"] == "X":
                tracks[names[event["tid"]]].append(event)
        return trace, tracks

    def wave(self, *signals):
        """The first and the last time, and value changes of signals by name: [(time, value)]."""
        sources = [os.path.join(FST, name) for name in ("fstapi.c", "lz4.c", "fastlz.c")]
        subprocess.run(["cc", "-O1", "-w", "-I", FST, '-DFST_CONFIG_INCLUDE="fst_config.h"',
                        os.path.join(tool.SOURCE, "tests/cli/read_fst.c"), *sources, "-lz",
                        "-o", self.path("read_fst")], check=True)
        status, out, errors = self.run_process([self.path("read_fst"), "w.fst", *signals])
        self.assertEqual((status, errors), (0, ""))
        times, *lines = out.splitlines()
        changes = {name: [] for name in signals}
        for line in lines:
            name, time, value = line.split()
            changes[name].append((int(time), value))
        return tuple(int(time) for time in times.split()), changes

    def test_wave_and_trace_tell_of_the_same_cycles(self):
        trace, tracks = self.look("run", DIGITS, "--wave-from", str(FROM), "--wave-to", str(TO), "--report", "r.json")
        self.check_tracks(tracks)
        self.check_counters(tracks, json.loads(self.read("r.json")))
        self.check_wave(tracks, FROM, TO)
        moved = [e["args"] for e in trace["traceEvents"] if e["ph"] == "C"]
        self.assertTrue(moved)
        for rate in moved:
            self.assertLessEqual(rate["read"] + rate["written"], 8)  # a 64-bit bus

    def check_tracks(self, tracks):
        for name, slices in tracks.items():
            end = 0
            for event in sorted(slices, key=lambda e: e["ts"]):
                self.assertGreaterEqual(event["ts"], end, name)
                self.assertGreater(event["dur"], 0)
                end = event["ts"] + event["dur"]
        for name in MODULES:
            for event in ran(tracks, name):
                self.assertEqual(event["name"], event["args"]["text"].split()[0])

    def check_counters(self, tracks, report):
        layers = [layer for layer in report["layers"] if layer["where"] == "vta"]
        self.assertEqual([e["name"] for e in tracks["launches"]], [layer["name"] for layer in layers])
        for launch, layer in zip(tracks["launches"], layers):
            begin, end = launch["ts"], launch["ts"] + launch["dur"]
            self.assertEqual(launch["dur"], layer["cycles"])
            for name in MODULES:
                waits = tracks[name + " waits for"]
                memory = inside([e for e in waits if e["name"] == "memory"], begin, end)
                token = inside([e for e in waits if e["name"] != "memory"], begin, end)
                early = inside([e for e in waits if e["name"].startswith("token")], begin, end)
                busy = inside(merged(ran(tracks, name)), begin, end) - memory - (token - early)
                self.assertEqual(layer["modules"][name], {"busy": busy, "wait_token": token, "wait_memory": memory},
                                 (layer["name"], name))

    def check_wave(self, tracks, first, end):
        run = "vta.trace_run_o[2:0]"
        times, changes = self.wave(run)
        self.assertEqual(times, (first, end - 1))
        # A time is a cycle, which it shows as it settled.
        values, at, rest = [], "000", list(changes[run])
        for time in range(first, end):
            while rest and rest[0][0] <= time:
                at = rest.pop(0)[1].zfill(3)
            values.append(at)
        for module, name in enumerate(MODULES):
            self.assertEqual(sum(value[2 - module] == "1" for value in values), inside(merged(ran(tracks, name)), first, end), name)

    def test_exec_shows_the_same(self):
        self.write("p.s", PROGRAM)
        trace, tracks = self.look("exec", "p.s", "--wave-to", "90", "-o", "after.img")
        self.check_tracks(tracks)
        self.check_wave(tracks, 0, 90)
        text = self.done("dis", "p.s").splitlines()[1:6]
        shown = sorted((e["args"] for name in MODULES for e in ran(tracks, name)), key=lambda e: e["index"])
        # Addresses are the image's, as in the result.
        self.assertEqual(shown, [{"index": i, "address": hex(16 * i), "text": line} for i, line in enumerate(text)])
        self.assertEqual(len(tracks["launches"]), 1)
        timing = self.done("isa", "--hash").split()[-1]
        self.assertEqual(trace["otherData"]["timing_hash"], timing)
        self.assertEqual(json.loads(self.done("exec", "p.s", "--engine", "rtl", "--json"))["programs"][0]["timing_hash"], timing)
        self.assertIn(f"\ntiming hash   {timing}\n", self.done("exec", "p.s", "--engine", "rtl"))
        self.assertNotIn("timing_hash", json.loads(self.done("exec", "p.s", "--json"))["programs"][0])

    def test_a_trace_that_is_too_large_is_cut_and_says_so(self):
        self.write("p.s", "load.inp dram=input x=1\n" * 7000 + "finish\n.data\ninput: .byte 1*16\n")
        words = "exec", "p.s", "--unproved", "--trace", "t.json", "--trace-mb"
        self.assertEqual(self.run_tool(*words, "4")[::2], (0, ""))
        whole = json.loads(self.read("t.json"))
        status, _, errors = self.run_tool(*words, "1")
        cut = json.loads(self.read("t.json"))
        cycle = cut["traceEvents"][-1]["ts"]
        self.assertEqual((status, errors), (0, f"vta: t.json: cut at cycle {cycle}: it would be larger than --trace-mb 1\n"))
        self.assertEqual(cut["otherData"]["cut"], f"the trace is cut at cycle {cycle}: it may have 1000000 bytes")
        self.assertNotIn("cut", whole["otherData"])
        self.assertEqual([e for e in whole["traceEvents"] if e.get("ts", 0) < cycle], [e for e in cut["traceEvents"] if e.get("ts", 0) < cycle])
        self.refuses("--trace-mb: 0 must be an integer, 1 to 1000000", "exec", "p.s", "--trace", "t.json", "--trace-mb", "0")

    def test_a_run_that_is_stopped_or_fails_keeps_its_wave(self):
        self.write("p.s", ENDLESS)
        self.write("w.fst", "older")
        status, out, errors = self.run_tool("exec", "p.s", "--limit", "0.05", "--wave", "w.fst", "-o", "after.img",
                                            "--unproved")
        self.assertEqual((status, errors), (1, "vta: --unproved: it runs all the same\n"))
        self.assertIn("\nstopped\n", out)
        self.assertGreater(self.wave("vta.trace_run_o[2:0]")[0][1], 500)
        self.assertEqual(set(os.listdir(self.folder)), {"p.s", "w.fst", "after.img", "read_fst"})

    def test_a_run_that_a_signal_ends_leaves_no_wave(self):
        self.write("p.s", ENDLESS)
        self.write("w.fst", "older")
        os.symlink("target.fst", self.path("link.fst"))
        for name, ends in (("w.fst", signal.SIGINT), ("w.fst", signal.SIGQUIT), ("w.fst", signal.SIGTERM), ("link.fst", signal.SIGHUP)):
            run = self.start("exec", "p.s", "--unproved", "--wave", name)
            while not any(".tmp" in file and os.path.getsize(self.path(file)) for file in os.listdir(self.folder)):
                self.assertIsNone(run.poll())
                time.sleep(0.02)
            run.send_signal(ends)
            run.communicate(timeout=60)
            self.assertEqual(run.returncode, -ends)
            self.assertEqual(set(os.listdir(self.folder)), {"p.s", "w.fst", "link.fst"})
        self.assertEqual(self.read("w.fst"), b"older")

    def test_a_wave_on_a_full_disk_is_refused(self):
        if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode != 0:
            self.skipTest("no rights to mount a small disk")
        self.write("p.s", ENDLESS)
        os.mkdir(self.path("disk"))
        rule = "disk/w.fst: cannot write: the wave is not whole; is the disk full, or a limit of file sizes in the way?"
        for words in (["exec", "p.s", "--unproved", "--limit", "3"], ["run", DIGITS]):
            command = " ".join(f"'{word}'" for word in [tool.TOOL, *words, "--wave", "disk/w.fst"])
            status, out, errors = self.run_process(
                ["unshare", "-rm", "sh", "-c", f"mount -t tmpfs -o size=300k none disk && echo older >disk/w.fst && {command}; "
                 "status=$?; cat disk/*; exit $status"])
            self.assertEqual((status, errors.splitlines()[-1]), (1, f"vta: {rule}"))
            self.assertTrue(out.endswith("older\n"), out[-100:])

    def test_a_wave_goes_where_a_link_leads(self):
        self.write("p.s", PROGRAM)
        os.symlink("target.fst", self.path("link.fst"))
        self.done("exec", "p.s", "--wave", "link.fst")
        self.assertTrue(os.path.islink(self.path("link.fst")))
        self.assertFalse(os.path.islink(self.path("target.fst")))

    def test_a_long_launch_says_where_it_is(self):
        self.write("p.s", ENDLESS)
        run = self.start("exec", "p.s", "--unproved", "--engine", "rtl", "--limit", "100")
        line = run.stderr.readline()
        while " s, cycle " not in line and run.poll() is None:  # the model is built where this is the machine's first test
            line = run.stderr.readline()
        run.terminate()
        self.assertEqual(run.communicate(timeout=60)[1], "")
        found = re.fullmatch(r"vta: exec p.s: \d+ s, cycle ([\d,]+)\n", line)
        self.assertTrue(found, line)
        self.assertGreater(int(found[1].replace(",", "")), 10000)

    def test_windows(self):
        self.write("w.fst", "older")
        late = "the run ended before that cycle: there is no wave"
        for words in (["run", DIGITS], ["exec", "p.s"]):
            self.write("p.s", PROGRAM)
            self.refuses("--wave-to: 5: must be after --wave-from, 5", *words, "--wave", "w.fst", "--wave-from", "5",
                       "--wave-to", "5")
            self.refuses("--wave: looks into the engine rtl, not functional", *words, "--wave", "w.fst", "--engine", "functional")
            self.refuses("--wave: looks into the engine rtl, not cycle", *words, "--wave", "w.fst", "--engine", "cycle")
            self.refuses("--trace: is for the engines cycle and rtl, not functional", *words, "--trace", "t", "--engine", "functional")
            status, _, errors = self.run_tool(*words, "--wave", "w.fst", "--wave-from", "1000000000")
            self.assertEqual((status, errors.splitlines()[-1]), (1, f"vta: --wave-from: 1000000000: {late}"))
            self.fails("no/w.fst: cannot write: No such file or directory", *words, "--wave", "no/w.fst")
            self.refuses("q: output: is named twice", *words, "--wave", "./q", "--trace", "q")
            os.mkfifo(self.path("fifo"))
            self.fails("--wave: fifo: must be a regular file: FST is not written in order", *words, "--wave", "fifo")
            os.remove(self.path("fifo"))
            self.assertEqual(self.run_tool(*words, "--wave-from", "3")[0], 2)
        self.assertEqual(self.read("w.fst"), b"older")


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
