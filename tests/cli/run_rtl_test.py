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
        self.assertIn("1 of 1 samples equal", out)
        self.assertLessEqual(max(map(len, out[out.index("layer "):].splitlines())), 120)
        report = json.loads(self.read("r.json"))
        # What the registers hold is what the config makes.
        hashes = dict(line.split() for line in self.done("isa", "--hash").splitlines())
        self.assertEqual((report["arch_hash"], report["timing_hash"]), (hashes["arch"], hashes["timing"]))
        self.assertIn(f"timing hash {hashes['timing']}\n", out)
        layers = [layer for layer in report["layers"] if layer["where"] == "vta"]
        self.assertEqual(len(layers), 8)
        for layer in layers:
            cycles = layer["cycles"]
            self.assertAlmostEqual(layer["ms"], cycles / report["clock_mhz"] / 1000)
            self.assertAlmostEqual(layer["fps"] * layer["ms"], 1000)
            self.assertAlmostEqual(layer["peak"], layer["macs"] / cycles / report["macs_per_cycle"])
            for spent in layer["modules"].values():
                self.assertLessEqual(sum(spent.values()), cycles)
            # One micro-op a cycle, and nothing but micro-ops and loads keeps compute busy.
            self.assertGreaterEqual(layer["modules"]["compute"]["busy"], layer["uops"])
            self.assertLess(layer["modules"]["compute"]["busy"], cycles)
        self.assertEqual(sum(layer["cycles"] for layer in layers), report["total"]["cycles"])
        for module, spent in report["total"]["modules"].items():
            for why, cycles in spent.items():
                self.assertEqual(sum(layer["modules"][module][why] for layer in layers), cycles)


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
