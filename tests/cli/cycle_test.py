"""vta run and exec with --engine cycle: the report of --engine rtl, however the launch ends.

Exit status 77 (skipped) where Verilator is not there.
"""

import json
import os
import shutil
import sys

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")


def timed(report):
    """A report without wall time and the engine's name."""
    if isinstance(report, dict):
        return {key: timed(value) for key, value in report.items() if key not in ("wall_ms", "copy_ms", "engine")}
    return [timed(item) for item in report] if isinstance(report, list) else report


class CycleTest(tool.ToolTest):
    def reports(self, *words, status=0):
        for engine in ("cycle", "rtl"):
            form = ("--json",) if words[0] == "exec" else ("--report", "report.json")
            have, out, errors = self.run_tool(*words, "--engine", engine, *form)
            self.assertEqual(have, status, errors)
            yield timed(json.loads(out if words[0] == "exec" else self.read("report.json")))

    def test_network(self):
        self.run_tool("run", DIGITS, "--output", "want.bin")
        cycle, rtl = self.reports("run", DIGITS, "--reference", "want.bin")
        self.assertGreater(rtl["vta"]["cycles"], 1000)
        self.assertEqual(cycle, rtl)

    def test_trace(self):
        # To the byte, host accesses between launches included.
        self.write("p.s", tool.GEMM.replace("weights x=1 push_next", "weights x=1"))  # a deadlock
        for words in (("run", DIGITS, "--repeat", "2"), ("exec", "p.s", "--unproved")):
            for engine in ("cycle", "rtl"):
                self.run_tool(*words, "--engine", engine, "--trace", engine + ".json")
            self.assertGreater(len(json.loads(self.read("rtl.json"))["traceEvents"]), 10)
            self.assertEqual(self.read("cycle.json"), self.read("rtl.json"))

    def test_ends(self):
        for name, old, new, status in (
            ("finished", "", "", 0),
            ("deadlock", "weights x=1 push_next", "weights x=1", 1),
            ("fault", "uop=0:1", "uop=0:1 out=20 dst=500,0", 1),
            ("no FINISH", "finish pop_next\n", "", 1),
        ):
            with self.subTest(name):
                self.write("p.s", tool.GEMM.replace(old, new) if old else tool.GEMM)
                cycle, rtl = self.reports("exec", "p.s", "--unproved", status=status)
                self.assertEqual(rtl["outcome"], name)
                self.assertEqual(cycle, rtl)


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
