"""vta run --engine rtl: the outputs of the functional engine, and a report that says where the cycles went.

Exit status 77 (skipped) where Verilator is not there.
"""

import json
import os
import shutil
import sys

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")


class RunRtlTest(tool.ToolTest):
    def test_report_adds_up(self):
        self.run_tool("run", DIGITS, "--output", "want.bin")
        status, out, _ = self.run_tool("run", DIGITS, "--engine", "rtl", "--reference", "want.bin",
                                       "--report", "r.json")
        self.assertEqual(status, 0)
        self.assertIn("1 of 1 sample equal", out)
        self.assertLessEqual(max(map(len, out[out.index("layer "):].splitlines())), 120)
        report = json.loads(self.read("r.json"))
        # What the registers hold is what the config makes.
        hashes = dict(line.split() for line in self.done("isa", "--hash").splitlines())
        self.assertEqual((report["arch_hash"], report["timing_hash"]), (hashes["arch"], hashes["timing"]))
        self.assertIn(f"timing hash {hashes['timing']}\n", out)
        layers = [layer for layer in report["layers"] if layer["where"] == "vta"]
        self.assertEqual(len(layers), 7)
        for layer in layers:
            cycles = layer["cycles"]
            self.assertAlmostEqual(layer["ms"], cycles / report["clock_mhz"] / 1000)
            self.assertAlmostEqual(layer["fps"] * layer["ms"], 1000)
            self.assertAlmostEqual(layer["peak"], layer["macs"] / cycles / report["macs_per_cycle"])
            for spent in layer["modules"].values():
                self.assertLessEqual(sum(spent.values()), cycles)
            # One micro-op a cycle, and nothing but micro-ops and loads keeps compute busy.
            self.assertGreaterEqual(layer["modules"]["compute"]["busy"], layer["uops"])
            self.assertLessEqual(layer["modules"]["compute"]["busy"], cycles)
        self.assertEqual(sum(layer["cycles"] for layer in layers), report["total"]["cycles"])
        for module, spent in report["total"]["modules"].items():
            if module == "fetch":  # is of the launch that the layers share
                self.assertFalse([layer for layer in layers if "fetch" in layer["modules"]])
                continue
            for why, cycles in spent.items():
                self.assertEqual(sum(layer["modules"][module][why] for layer in layers), cycles)

    def test_passes_its_self_test(self):
        self.assertRegex(self.done("run", "--engine", "rtl", "--self-test"), r"^self-test on rtl: \d+ programs, all as they should\n$")

    def test_a_clock_above_the_estimate_is_a_warning(self):
        for folder in ("hw", "sim/rtl/model"):
            shutil.copytree(os.path.join(tool.SOURCE, folder), self.path("home/" + folder))
        kept = "home/hw/synth/estimates.txt"
        os.environ["VTA_HOME"] = self.path("home")
        self.addCleanup(os.environ.pop, "VTA_HOME")

        def run(row):
            """What run says of the clock, in words, in the report, and in the trace."""
            self.write(kept, row)
            out = self.done("run", DIGITS, "--input", "in.bin", "--engine", "rtl", "--report", "r.json", "--trace", "t.json")
            lines = [line for line in out.splitlines() if line.startswith(("warning: ", "note: "))]
            return lines, json.loads(self.read("r.json")).get("clock_estimate"), json.loads(self.read("t.json"))["otherData"].get("clock_note")

        self.write("in.bin", bytes(4 * 8 * 8))
        self.assertEqual(run("pynq xc7z020 50 0.23 0x0"), ([], None, None))
        lines, estimate, note = run("default xc7z020 90 0.23 0x0")
        self.assertRegex(lines[0], "^warning: 100 MHz is above the estimate of [0-9]+ MHz for xc7z020 speed -1, of an older RTL$")
        self.assertEqual((lines, note), ([estimate["note"]], estimate["note"]))
        self.assertEqual((estimate["part"], estimate["mhz"], estimate["is_current"], estimate["is_exceeded"]),
                         ("xc7z020", 90, False, True))
        lines, estimate, note = run("default xc7z020 900 0.23 0x0")
        self.assertRegex(note, "^note: the estimate of [0-9]+ MHz for xc7z020 speed -1 is of an older RTL$")
        self.assertEqual((lines, estimate["is_exceeded"]), ([note], False))
        self.write(kept, "default xc7z020 900")
        status, out, errors = self.run_tool("run", DIGITS, "--input", "in.bin", "--engine", "rtl")
        self.assertEqual((status, errors), (1, f"vta: {self.path(kept)}: line 1: must be CONFIG PART MHZ YOSYS DESIGN\n"))
        self.assertNotIn("cycles on the accelerator", out)


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
