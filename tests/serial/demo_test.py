"""Networks on a board behind a serial line, at a pseudo-terminal: outputs as on the functional engine, and errors that name the port.

usage: demo_test.py TOOL SOURCE_FOLDER BOARD
"""

import os
import re
import signal
import struct
import subprocess
import sys
import time

BOARD = sys.argv.pop(3)
sys.path.insert(0, os.path.join(sys.argv[2], "tests/cli"))

import tool  # noqa: E402

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
SMALL = tool.SOURCE + "/isa/configs/small_8x8.json"


class SerialTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.done("compile", DIGITS, "-c", "small_8x8", "-o", "digits.vta")
        self.write("image.bin", struct.pack("<64f", *(pixel % 17 / 16 for pixel in range(64))))

    def board(self, *options, config=SMALL, engine="functional"):
        """Starts one; its port."""
        process = subprocess.Popen([BOARD, config, "--engine", engine, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.process = process
        return process.stdout.readline().strip()

    def wanted(self):
        self.done("run", "digits.vta", "--input", "image.bin", "--engine", "functional", "--output", "wanted.bin")
        return self.read("wanted.bin")

    def run_on(self, port, *options):
        return self.run_tool("run", "digits.vta", "--input", "image.bin", "--engine", "serial:" + port, *options)

    def expect_same(self, port):
        status, _, errors = self.run_on(port + "@4000000", "--output", "got.bin")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(self.read("got.bin"), self.wanted())

    def expect_error(self, rule, port):
        """One line that names the port; the port is free again."""
        status, out, errors = self.run_on(port)
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, f"^vta: {port}: {rule}\n$")

    def hits(self):
        """What the line did to bytes, when the board has gone."""
        self.process.stdin.close()
        return int(self.process.stdout.readline().split()[0])

    def test_rtl_with_its_uart_on_a_noisy_line(self):
        self.expect_same(self.board("--noise", "0.0001", engine="rtl"))
        self.assertGreater(self.hits(), 5)

    def test_one_session_after_the_other(self):
        port = self.board("--noise", "0.0001", "--seed", "7")
        for _ in range(2):
            self.expect_same(port)
        status, out, _ = self.run_process([RUNNER, "digits.vta", "--input", "image.bin", "--engine", "serial:" + port, "--output", "run.bin"])
        self.assertEqual((status, self.read("run.bin")), (0, self.wanted()), out)
        self.assertGreater(self.hits(), 15)

    def test_time_is_by_the_boards_clock(self):
        status, out, _ = self.run_on(self.board(engine="cycle"))
        self.assertEqual(status, 0)
        cycles, ms = re.search(r"^([\d,]+) cycles on the accelerator: ([\d.]+) ms, [\d.]+ inferences/s at 25 MHz", out, re.MULTILINE).groups()
        self.assertAlmostEqual(float(ms), int(cycles.replace(",", "")) / 25000, places=3)

    def test_too_much_noise_is_one_error(self):
        self.expect_error("the board does not answer 8 times; of \\d+ requests before, \\d+ frames were sent again",
                          self.board("--noise", "0.02", "--seed", "3"))

    def test_a_cable_that_is_pulled(self):
        port = self.board("--die-after", "20000")
        self.expect_error("the port is gone.*", port)

    def test_silence_in_the_middle(self):
        port = self.board("--silent-after", "20000")
        self.expect_error("the board does not answer 8 times; of \\d+ requests before, 0 frames were sent again", port)

    def test_held_by_another_process(self):
        port = self.board("--silent-after", "0")
        first = self.start("run", "digits.vta", "--engine", "serial:" + port)
        self.addCleanup(first.stderr.close)
        while port not in tool.open_files(first.pid):
            time.sleep(0.01)
        self.expect_error("another process holds it", port)
        first.send_signal(signal.SIGKILL)
        first.wait()
        self.expect_error("no VTA answers there: is the bitstream loaded, and is this the port\\?", port)

    def test_what_does_not_fit(self):
        port = self.board("--memory-kib", "64")
        status, _, errors = self.run_on(port)
        self.assertEqual(status, 1)
        self.assertRegex(errors, f"^vta: device {port}: memory = \\d+ bytes: the largest free range has \\d+\n$")

    def test_another_accelerator(self):
        port = self.board(config=tool.SOURCE + "/tests/rtl/configs/extended_8x8.json")
        status, _, errors = self.run_on(port)
        self.assertEqual(status, 1)
        self.assertRegex(errors, port)


tool.main()
