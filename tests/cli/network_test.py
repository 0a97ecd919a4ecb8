"""Networks from the command line: model, compile, run, demo; and what each says when it is handed something wrong."""

import json
import os
import signal
import struct
import time

import tool

DEMO = os.path.join(tool.SOURCE, "tools/demo")
DIGITS = os.path.join(DEMO, "digits_int8.onnx")
IMAGES = ["--input", os.path.join(DEMO, "images.bin"), "--input-type", "uint8", "--input-scale", "0.0625"]


class NetworkTest(tool.ToolTest):
    def test_demo_reads_digits(self):
        out = self.done("demo")
        self.assertRegex(out, r"400 test images: accuracy 9\d\.\d\d % int8 on cycle, 9\d\.\d\d % float on the host")
        self.assertRegex(out, r"(?m)^layer +op +bytes +where +cycles +ms@clock +fps +peak % +critical path %$")
        self.assertRegex(out, r"(?m)^[\d,]+ cycles on the accelerator: .*; timing hash 0x[0-9a-f]{16}$")
        out = self.done("demo", "--engine", "functional")
        self.assertRegex(out, r"400 test images: accuracy 9\d\.\d\d % int8 on functional, 9\d\.\d\d % float on the host")
        self.assertRegex(out, r"(?m)^layer +op +shape +MACs +useful % +bytes +insns +uops +where +ms$")
        for row in (r"on vta +399,488 +\d+[.]\d +", r"on host +0 +[\d,]+ +\d+[.]", r"total +399,488 +\d+[.]\d +"):
            self.assertRegex(out, f"(?m)^{row}")
        # Nine taps of the picture share the block's 16 channels; the padding shows as work, not in the shape.
        self.assertRegex(out, r"(?m)^conv1 +conv2d_i8 +9x8x8 k1x1 s1 -> 16x8x8 +9,216 +56[.]2 ")
        self.assertRegex(out, r"(?m)^vta: 8 of 13 layers, 100[.]0 % of the MACs; simulated at [\d.]+ GMAC/s")

    def test_demo_on_the_published_isa(self):
        self.assertIn("400 test images", self.run_tool("demo", "-c", "vta_0.0.2")[1])

    def test_the_demo_runs_on_every_shipped_variant(self):
        with open(os.path.join(DEMO, "images.bin"), "rb") as file:
            self.write("images.bin", file.read()[:10 * 64])
        images = ["--input", "images.bin", *IMAGES[2:]]
        self.done("run", DIGITS, *images, "--output", "default.bin")
        files = sorted(os.listdir(os.path.join(tool.SOURCE, "isa/configs")))
        self.assertGreater(len(files), 12)
        for name in (file.removesuffix(".json") for file in files):
            arch = json.loads(self.done("isa", "--json", "-c", name))["arch"]
            # Where requantisation is whole, every variant gives the same bytes.
            exact = arch["requant"] and arch["requant_multiplier_bits"] == 32
            self.done("run", DIGITS, *images, "-c", name, *(["--reference", "default.bin"] if exact else []))

    def test_a_package_gives_what_its_model_gives(self):
        self.done("compile", DIGITS, "-o", "digits.vta")
        self.done("run", DIGITS, *IMAGES, "--output", "a.bin", "--report", "a.json")
        out = self.done("run", "digits.vta", *IMAGES, "--reference", "a.bin",
                        "--labels", os.path.join(DEMO, "labels.txt"))
        self.assertIn("400 of 400 samples equal", out)
        self.assertIn("accuracy: 99.", out)
        self.assertEqual(len(self.read("a.bin")), 400 * 10 * 4)
        report = json.loads(self.read("a.json"))
        self.assertEqual((report["vta"]["macs"], report["host"]["macs"]), (399488, 0))
        self.assertEqual(report["total"]["macs"], 399488)
        self.assertTrue(any(layer["where"] == "vta" for layer in report["layers"]))
        # The accelerator and the host, which share only the integer graph, agree on every bit.
        self.done("run", DIGITS, "--target", "host", *IMAGES, "--reference", "a.bin")

    def test_the_proof_accepts_the_package(self):
        self.done("compile", DIGITS, "-o", "digits.vta")
        self.assertEqual(self.run_tool("check", "digits.vta")[0], 0)

    def test_a_difference_fails_the_run(self):
        self.write("wrong.bin", struct.pack("<10f", *range(10)))
        status, out, _ = self.run_tool("run", DIGITS, "--reference", "wrong.bin")
        self.assertEqual(status, 1)
        self.assertIn("0 of 1 samples equal", out)

    def test_dumps_every_stage(self):
        self.done("compile", DIGITS, "-o", "digits.vta", "--dump-dir", "stages")
        names = os.listdir(self.path("stages"))
        for part in ("import", "memory_plan", "program0"):
            self.assertTrue(any(part in name for name in names), part)

    def test_known_networks_are_seeded(self):
        self.done("model", "resnet_tiny", "-o", "a.onnx")
        self.done("model", "resnet_tiny", "-o", "b.onnx", "--seed", "2")
        self.assertNotEqual(self.read("a.onnx"), self.read("b.onnx"))
        self.assertEqual(self.run_tool("run", "a.onnx")[0], 0)

    def test_wrong_files_get_one_message(self):
        self.fails("none.onnx: cannot open: No such file or directory", "run", "none.onnx")
        self.fails("none.vta: cannot open: No such file or directory", "run", "none.vta")
        self.write("bad.vta", "not a package")
        self.fails('bad.vta: is not a VTA package: it must start with "VTAPKG01"', "run", "bad.vta")
        self.write("short.bin", b"123")
        self.fails("short.bin: size = 3 bytes: must be whole samples of image: 64 float32 values, 256 bytes each",
                   "run", DIGITS, "--input", "short.bin")
        self.write("config.json", '{"name": "x", "isa": "1.0", "arch": {"acc_depth": 100}}')
        self.fails("config.json: arch.acc_depth = 100: must be a power of two in [4, 2048]",
                   "run", DIGITS, "-c", "config.json")

    def replace_host(self, package, changed, old, new):
        """Writes a package whose host section says something else once: the last section, of which the table has size and hash."""
        content = bytearray(self.read(package))
        row = 8 + 3 * 40
        self.assertEqual(content[row:row + 4], b"host")
        offset, = struct.unpack_from("<Q", content, row + 16)
        host = bytes(content[offset:]).replace(old, new, 1)
        self.assertNotEqual(host, bytes(content[offset:]))
        value = 0xcbf29ce484222325  # FNV-1a
        for byte in host:
            value = (value ^ byte) * 0x100000001b3 % 2**64
        content[offset:] = host
        struct.pack_into("<2Q", content, row + 24, len(host), value)
        self.write(changed, bytes(content))

    def test_a_run_that_never_ends_can_be_ended(self):
        self.done("compile", DIGITS, "-o", "digits.vta")
        kernel = b"""  for i0 in 1 {
    for i1 in 10 {
      block y(vi0: 1 = i0, vi1: 10 = i1) {
        y[vi0, vi1] = x0[vi0, vi1 // 16, 0, 0, 0, vi1 % 16]
      }
    }
  }
"""
        self.replace_host("digits.vta", "endless.vta", kernel, b"  for i9 in 1000000000000 {\n" + kernel + b"  }\n")
        start = time.monotonic()
        status, out, errors = self.run_tool("run", "endless.vta", "--limit", "0.5", "--output", "o.bin")
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, r"\nvta: endless.vta: step \d+ \S+unpack \(.*\): was stopped: the time for the run ended\n$")
        # Many inferences, each of them short.
        status, out, errors = self.run_tool("run", "digits.vta", "--limit", "0.2", "--repeat", "1000000000")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, r"\nvta: digits.vta: step \d+ .*: was stopped: the time for the run ended\n$")
        self.assertEqual(self.run_tool("run", "digits.vta", "--limit", "1000")[0], 0)
        run = self.start("run", "endless.vta", "--output", "o.bin")
        self.assertIn("no --input", run.stderr.readline())
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertEqual(set(os.listdir(self.folder)), {"digits.vta", "endless.vta"})

    def test_hostile_host_kernels_are_refused(self):
        self.done("model", "resnet_tiny", "-o", "m.onnx")
        self.done("compile", "m.onnx", "--target", "host", "-o", "m.vta")
        self.replace_host("m.vta", "bad.vta", b"block y(vi0: 1 = i0", b"block y(vi0: 1 =  7")
        status, out, errors = self.run_tool("run", "bad.vta")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, r"(?m)^vta: bad.vta: host section: func \w+: block y: binding of vi0 = 7: must be in \[0, 1\)")

    def test_wrong_words_are_usage_errors(self):
        for words in (["run"], ["run", DIGITS, "--rounding", "up"], ["compile", DIGITS], ["frobnicate"]):
            status, out, errors = self.run_tool(*words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertTrue(errors)
        status, out, errors = self.run_tool("run", DIGITS, "--engine", "warp")
        self.assertEqual((status, out, errors.splitlines()[0]), (2, "", "vta: --engine: warp must be one of functional, cycle, rtl"))


if __name__ == "__main__":
    tool.main()
