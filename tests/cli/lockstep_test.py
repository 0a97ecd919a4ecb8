"""vta run and exec with --lockstep: silent on the hardware as it is, and exact about where a planted bug shows first.

Exit status 77 (skipped) where Verilator is not there.
"""

import os
import re
import shutil
import sys

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")


class LockstepTest(tool.ToolTest):
    def test_equal(self):
        self.run_tool("run", DIGITS, "--output", "want.bin")
        status, out, errors = self.run_tool("run", DIGITS, "--lockstep", "--reference", "want.bin")
        self.assertEqual(status, 0, errors)
        self.assertIn("1 of 1 sample equal", out)
        self.assertIn("cycles on the accelerator", out)

    def test_exec(self):
        # The golden model comes to its store in the time, the RTL does not: that is no difference.
        self.write("p.s", tool.GEMM.replace("gemm uop=0:1", "gemm uop=0:1 out=16383 in=601"))
        status, out, errors = self.run_tool("exec", "p.s", "--lockstep", "--limit", "1", "-o", "stopped.img")
        self.assertEqual((status, out.splitlines()[:2], errors), (1, ["proved", "stopped"], ""))
        self.write("p.s", tool.GEMM)
        want = self.done("exec", "p.s", "-o", "want.img")
        self.assertTrue(self.done("exec", "p.s", "--lockstep", "-o", "have.img").startswith(want))
        self.assertEqual(self.read("have.img"), self.read("want.img"))

    def test_planted_bug(self):
        tool.plant(self, "copy", "vta_mac_lane.sv", "product = 32'($signed(inp_i[i*8 +: 8]))",
                   "product = 32'($signed({i % 4 != 3 && inp_i[i*8 + 7], inp_i[i*8 +: 8]}))")
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
        self.write("p.s", tool.GEMM)
        # 16 lanes of -1 * 2; four of them as 255 * 2.
        self.assertEqual(self.run_tool("exec", "p.s", "--lockstep", "-o", "bad.img"), (
            1, "proved\n", "vta: image at 0x1000: the RTL differs from the golden model\n"
            "  compute, instruction 4 (0x1040): gemm uop=0:1 out=1 in=1 dst=0,0 src=0,0 wgt=0,0 pop_prev push_next\n"
            "  acc row 0, lane 0: golden -32, RTL 2016\n"))
        self.assertFalse(os.path.exists(self.path("bad.img")))
        # The same bug, found as on a board: by what memory holds.
        status, out, _ = self.run_tool("run", DIGITS, "--engine", "rtl", "--bisect", "--seed", "3")
        self.assertEqual(status, 1)
        self.assertRegex(out, rf"\nfirst difference: step {found[1]} of 10, layer {found[2]} \(conv2d_i8 .*\): tensor \S+, "
                         r"element \d+ at 0x[0-9a-f]+: expected -?\d+, is -?\d+; \d+ of \d+ elements? differs?; a second try left "
                         r"the same\ncounters of it: equal\n\d of 10 layers differs?, each run from the right values\n"
                         r"registers: status 0x2; .*; id 0x31415456; ")
        layer = re.search(r"layer [^(]* \(conv2d_i8 [^)]*\): tensor \S+, element \d+ ", out)[0]
        status, out, _ = self.run_tool("run", "--engine", "rtl", "--self-test")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"^self-test on rtl: gemm: word \d+ at 0x[0-9a-f]+: expected 0x[0-9a-f]{8}, is 0x[0-9a-f]{8}; ")
        # And behind XRT's driver interface.
        if self.run_tool("hw", "xrt", "-o", "xrt")[0] == 0:
            self.done("hw", "xclbin", "-c", "default", "-o", "b.xclbin")
            for variable, value in (("XILINX_XRT", self.path("xrt")), ("VTA_XRT_ENGINE", "rtl")):
                self.addCleanup(os.environ.pop, variable, None)
                os.environ[variable] = value
            status, out, _ = self.run_tool("run", DIGITS, "--engine", "xrt:b.xclbin", "--bisect", "--seed", "3")
            self.assertEqual(status, 1)
            self.assertIn(layer, out)

    def test_cycle_equal(self):
        status, out, errors = self.run_tool("run", DIGITS, "--engine", "cycle", "--lockstep", "--trace", "have.json")
        self.assertEqual(status, 0, errors)
        self.assertIn("cycles on the accelerator", out)
        self.run_tool("run", DIGITS, "--engine", "rtl", "--trace", "want.json")
        self.assertEqual(self.read("have.json"), self.read("want.json"))

    def test_planted_delay(self):
        # Bursts of load go before those of compute: all values are right.
        tool.plant(self, "copy", "vta_read.sv", "want[1] ? 3'b010 : {want[2], 2'b00}", "want[2] ? 3'b100 : {1'b0, want[1], 1'b0}")
        self.run_tool("run", DIGITS, "--lockstep", "--output", "good.bin")
        status, out, errors = self.run_tool("run", DIGITS, "--engine", "cycle", "--lockstep", "--output", "bad.bin")
        self.assertEqual((status, out.count("cycles on the accelerator")), (1, 0))
        self.assertRegex(errors, r"\nvta: .*digits_int8.onnx: step \d+ \w+ \(.*\): the cycle model differs from the RTL\n"
                         r"  (load|compute), instruction \d+ \(0x[0-9a-f]+\): load\.\w+ .*\n"
                         r"  ends in cycle (\d+) on the RTL, in cycle (?!\2\n)\d+ on the cycle model\n"
                         r"  rule: k(Uop)?LoadFixedCycles, \d cycles of a LOAD .*\n$")
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".bin")], ["good.bin"])

    def test_wants_an_engine_that_has_time(self):
        self.refuses("--lockstep: is for the engines cycle and rtl, not functional",
                     "run", DIGITS, "--lockstep", "--engine", "functional")


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
