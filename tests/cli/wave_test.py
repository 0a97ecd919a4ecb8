"""vta run --wave and --trace: the FST file, read by its format's own library, and the Perfetto trace against the counters and
against the wave.

Exit status 77 (skipped) where Verilator is not there.
"""

import json
import os
import shutil
import subprocess
import sys

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
FST = "/usr/share/verilator/include/gtkwave"
FROM, TO = 3000, 4200
MODULES = ("load", "compute", "store")


def inside(slices, begin, end):
    """Cycles of the slices that lie in [begin, end)."""
    return sum(max(0, min(s["ts"] + s["dur"], end) - max(s["ts"], begin)) for s in slices)


class WaveTest(tool.ToolTest):
    def look(self):
        status, _, errors = self.run_tool("run", DIGITS, "--wave", "w.fst", "--wave-from", str(FROM), "--wave-to", str(TO),
                                          "--trace", "t.json", "--report", "r.json")
        self.assertEqual(status, 0, errors)
        trace = json.loads(self.read("t.json"))
        names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
        tracks = {name: [] for name in names.values()}
        for event in trace["traceEvents"]:
            if event["ph"] == "X":
                tracks[names[event["tid"]]].append(event)
        return trace, tracks

    def wave(self, *signals):
        """Value changes of signals by name: [(time, value)]."""
        sources = [os.path.join(FST, name) for name in ("fstapi.c", "lz4.c", "fastlz.c")]
        subprocess.run(["cc", "-O1", "-w", "-I", FST, '-DFST_CONFIG_INCLUDE="fst_config.h"',
                        os.path.join(tool.SOURCE, "tests/cli/read_fst.c"), *sources, "-lz",
                        "-o", self.path("read_fst")], check=True)
        status, out, errors = self.run_process([self.path("read_fst"), "w.fst", *signals])
        self.assertEqual((status, errors), (0, ""))
        changes = {name: [] for name in signals}
        for line in out.splitlines():
            name, time, value = line.split()
            changes[name].append((int(time), value))
        return changes

    def test_wave_and_trace_tell_of_the_same_cycles(self):
        trace, tracks = self.look()
        self.check_tracks(tracks)
        self.check_counters(tracks, json.loads(self.read("r.json")))
        self.check_wave(tracks)
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
            for event in tracks[name]:
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
                busy = inside(tracks[name], begin, end) - memory - (token - early)
                self.assertEqual(layer["modules"][name], {"busy": busy, "wait_token": token, "wait_memory": memory},
                                 (layer["name"], name))

    def check_wave(self, tracks):
        run = "vta.trace_run_o[2:0]"
        changes = self.wave("vta.clk_i", run)
        rises = [time for time, value in changes["vta.clk_i"] if value == "1"]
        self.assertEqual(len(rises), TO - FROM)
        self.assertEqual((rises[0], rises[-1]), (2 * FROM + 1, 2 * TO - 1))
        # A cycle's outputs have settled at its even time.
        values, at, rest = [], "000", list(changes[run])
        for time in range(2 * FROM, 2 * TO, 2):
            while rest and rest[0][0] <= time:
                at = rest.pop(0)[1].zfill(3)
            values.append(at)
        for module, name in enumerate(MODULES):
            self.assertEqual(sum(value[2 - module] == "1" for value in values), inside(tracks[name], FROM, TO), name)

    def test_windows(self):
        self.fails("--wave-to: 5: must be after --wave-from, 5", "run", DIGITS, "--wave", "w.fst", "--wave-from", "5",
                   "--wave-to", "5")
        status, _, errors = self.run_tool("run", DIGITS, "--wave", "w.fst", "--wave-from", "1000000000")
        self.assertEqual((status, errors.splitlines()[-1]),
                         (1, "vta: --wave-from: 1000000000: the run ended before that cycle: there is no wave"))
        self.assertFalse(os.path.exists(self.path("w.fst")))
        self.fails("no/w.fst: cannot write: No such file or directory", "run", DIGITS, "--wave", "no/w.fst")
        self.assertEqual(self.run_tool("run", DIGITS, "--wave-from", "3")[0], 2)


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
