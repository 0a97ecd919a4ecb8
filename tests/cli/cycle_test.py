"""vta run and exec with --engine cycle: the report of --engine rtl, however the launch ends.

Exit status 77 (skipped) where Verilator is not there.
"""

import json
import os
import shutil
import sys

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
GEMM = """load.uop dram=kernel x=1
load.acc dram=bias x=1
load.inp dram=input x=1
load.wgt dram=weights x=1 push_next
gemm uop=0:1 out=20 in=30 pop_prev push_next
store.out dram=output x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
bias: .int 0*16
.data
input: .byte -1*16
.data
weights: .byte 2*256
.data
output: .space 16
"""


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

    def test_ends(self):
        for name, old, new, status in (
            ("finished", "", "", 0),
            ("deadlock", "weights x=1 push_next", "weights x=1", 1),
            ("fault", "out=20", "out=20 dst=500,0", 1),
            ("no finish", "finish pop_next\n", "", 1),
        ):
            with self.subTest(name):
                self.write("p.s", GEMM.replace(old, new) if old else GEMM)
                cycle, rtl = self.reports("exec", "p.s", "--unproved", status=status)
                self.assertEqual(cycle, rtl)


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
