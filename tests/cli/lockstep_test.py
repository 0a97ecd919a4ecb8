"""vta run --lockstep: silent on the hardware as it is, and exact about where a planted bug shows first.

Exit status 77 (skipped) where Verilator is not there.
"""

import os
import re
import shutil
import sys

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")


class LockstepTest(tool.ToolTest):
    def plant(self, path, old, new):
        """A copy of the hardware with one bug, of which models are built from now on."""
        for folder in ("hw", "sim/rtl/model"):
            shutil.copytree(os.path.join(tool.SOURCE, folder), self.path("copy/" + folder))
        text = self.read("copy/hw/rtl/" + path).decode()
        self.assertEqual(text.count(old), 1)
        self.write("copy/hw/rtl/" + path, text.replace(old, new))
        for name, value in (("VTA_HOME", self.path("copy")), ("VTA_CACHE_DIR", self.path("cache"))):
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name)

    def test_equal(self):
        self.run_tool("run", DIGITS, "--output", "want.bin")
        status, out, errors = self.run_tool("run", DIGITS, "--lockstep", "--reference", "want.bin")
        self.assertEqual(status, 0, errors)
        self.assertIn("1 of 1 samples equal", out)
        self.assertIn("cycles on the accelerator", out)

    def test_planted_bug(self):
        self.plant("vta_mac_lane.sv", "18'($signed(inp_i[(4*g+3)*8 +: 8])", "18'($signed({1'b0, inp_i[(4*g+3)*8 +: 8]})")
        status, _, errors = self.run_tool("run", DIGITS, "--lockstep", "--seed", "3")
        self.assertEqual(status, 1)
        found = re.search(r"\nvta: .*digits_int8.onnx: step (\d+) (\w+) \(conv2d_i8 .*\): the RTL differs from the golden "
                          r"model\n  compute, instruction (\d+) \(0x[0-9a-f]+\): (gemm .*)\n"
                          r"  acc row \d+, lane \d+: golden (-?\d+), RTL (-?\d+)\n$", errors)
        self.assertTrue(found, errors)
        golden, rtl = int(found[5]), int(found[6])
        # A negative input that reads as positive is 256 more, times some weight.
        self.assertNotEqual(golden, rtl)
        self.assertEqual((golden - rtl) % 256, 0)
        self.done("compile", DIGITS, "-o", "d.vta")
        self.assertIn(found[4], self.done("dis", "d.vta"))

    def test_wants_the_rtl(self):
        self.fails("--lockstep: looks into the engine rtl, not functional",
                   "run", DIGITS, "--lockstep", "--engine", "functional")


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
