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
        self.assertRegex(out, r"400 test images: accuracy 9\d\.\d\d % int8 on cycle, 9\d\.\d\d % float on the CPU")
        self.assertRegex(out, r"(?m)^layer +op +bytes +where +cycles +ms@clock +peak % +bound % +critical path %$")
        self.assertRegex(out, r"(?m)^[\d,]+ cycles on the accelerator: .*; timing hash 0x[0-9a-f]{16}$")
        out = self.done("demo", "--engine", "functional")
        self.assertRegex(out, r"400 test images: accuracy 9\d\.\d\d % int8 on functional, 9\d\.\d\d % float on the CPU")
        self.assertRegex(out, r"(?m)^layer +op +shape +MACs +useful % +bytes +insns +uops +where +ms$")
        for row in (r"on vta +399,488 +\d+[.]\d +", r"on cpu +0 +[\d,]+ +\d+[.]", r"total +399,488 +\d+[.]\d +"):
            self.assertRegex(out, f"(?m)^{row}")
        # Nine taps of the picture share the block's 16 channels; the padding shows as work, not in the shape.
        self.assertRegex(out, r"(?m)^conv1 +conv2d_i8 +9x8x8 k1x1 s1 -> 16x8x8 +9,216 +56[.]2 ")
        self.assertRegex(out, r"(?m)^vta: 7 of 10 layers, 100[.]0 % of the MACs; simulated at [\d.]+ GMAC/s")

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
        self.assertEqual((report["vta"]["macs"], report["cpu"]["macs"]), (399488, 0))
        self.assertEqual(report["total"]["macs"], 399488)
        self.assertTrue(any(layer["where"] == "vta" for layer in report["layers"]))
        # The accelerator and the CPU, which share only the integer graph, agree on every bit.
        self.done("run", DIGITS, "--target", "cpu", *IMAGES, "--reference", "a.bin")

    def test_the_proof_accepts_the_package(self):
        self.done("compile", DIGITS, "-o", "digits.vta")
        self.assertEqual(self.run_tool("check", "digits.vta")[0], 0)

    def test_a_difference_fails_the_run(self):
        self.write("wrong.bin", struct.pack("<10f", *range(10)))
        status, out, _ = self.run_tool("run", DIGITS, "--reference", "wrong.bin")
        self.assertEqual(status, 1)
        self.assertIn("0 of 1 sample equal", out)

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
        self.fails('bad.vta: is not a VTA package: it must start with "VTAPKG04"', "run", "bad.vta")
        self.write("short.bin", b"123")
        self.fails("short.bin: size = 3 bytes: must be whole samples of image: 64 float32 values, 256 bytes each",
                   "run", DIGITS, "--input", "short.bin")
        self.write("config.json", '{"name": "x", "isa": "1.0", "arch": {"acc_depth": 100}}')
        self.fails("config.json: arch.acc_depth = 100: must be a power of two in [4, 2048]",
                   "run", DIGITS, "-c", "config.json")

    def test_a_run_that_never_ends_can_be_ended(self):
        self.done("compile", DIGITS, "-o", "digits.vta")
        start = time.monotonic()
        status, out, errors = self.run_tool("run", "digits.vta", "--limit", "0.2", "--repeat", "1000000000", "--output", "o.bin")
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, r"\nvta: digits.vta: step \d+ .*: was stopped: the time for the run ended\n$")
        self.assertEqual(self.run_tool("run", "digits.vta", "--limit", "1000")[0], 0)
        run = self.start("run", "digits.vta", "--repeat", "1000000000", "--output", "o.bin")
        self.assertIn("no --input", run.stderr.readline())
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertEqual(set(os.listdir(self.folder)), {"digits.vta"})

    def test_a_package_for_the_cpu_alone(self):
        """It names no accelerator: what chooses one, or looks into one, is refused."""
        out = self.done("compile", DIGITS, "--target", "cpu", "-o", "c.vta")
        self.assertRegex(out, r"^c.vta: [\d,]+ bytes, 10 steps, 0 programs, 0 instructions, 0 layout changes of 0 bytes; compiled in ")
        out = self.done("run", "c.vta", *IMAGES, "--report", "r.json")
        self.assertRegex(out, r"(?m)^conv1 +conv2d_i8 .* cpu +\d+[.]\d+$")
        self.assertRegex(out, r"(?m)^cpu: 10 layers, \d+[.]\d\d GMAC/s$")
        self.assertNotIn("cycles", out)
        with open(self.path("r.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual({layer["where"] for layer in report["layers"]}, {"cpu"})
        for key in ("config", "arch_hash", "engine", "clock_mhz"):
            self.assertNotIn(key, report)
        for threads in (1, 2):
            self.done("run", "c.vta", *IMAGES, "--threads", str(threads), "--output", f"{threads}.bin", "--report", "r.json")
            self.assertEqual(json.loads(self.read("r.json"))["memory"]["threads"], threads)
        self.assertEqual(self.read("1.bin"), self.read("2.bin"))
        self.refuses("--threads: 0 must be an integer, 1 to 1024", "run", "c.vta", "--threads", "0")
        for words in (["--engine", "rtl"], ["--lockstep"], ["--trace", "t.json"], ["--wave", "w.fst"], ["--what-if", "latency=0"]):
            self.refuses(f"{words[0]}: is for an accelerator, and the package has none", "run", "c.vta", *words)
        self.refuses("--html: is of an accelerator, and the package has none", "run", "c.vta", "--html", "h.html")
        self.refuses("--config: pynq: is of an accelerator, and --target cpu has none",
                     "compile", DIGITS, "--target", "cpu", "-c", "pynq", "-o", "d.vta")
        self.assertEqual(self.done("check", "c.vta"), "no programs\n")
        self.assertEqual(self.run_shell(f"'{tool.TOOL}' dis c.vta | '{tool.TOOL}' asm -o again.vta")[0], 0)
        self.assertEqual(self.read("again.vta"), self.read("c.vta"))

    def test_nodes_are_placed_by_name(self):
        self.done("run", DIGITS, *IMAGES, "--output", "a.bin")
        out = self.done("run", DIGITS, *IMAGES, "--place", "conv2=cpu,dense=vta", "--reference", "a.bin", "--report", "r.json")
        self.assertIn("400 of 400 samples equal", out)
        where = {layer["name"]: (layer["where"], layer.get("why")) for layer in json.loads(self.read("r.json"))["layers"]}
        self.assertEqual((where["conv2"], where["conv1"], where["dense"]), (("cpu", "was placed there"), ("vta", None), ("vta", None)))
        for place, why in (("conv9=cpu", r'node "conv9": place = cpu: there is no such node '),
                           ("conv1=gpu", r'node "conv1": place = gpu: must be one of the targets: vta, cpu'),
                           ("image_quantized=vta", r'node "image_quantized": place = vta: cannot take it: converts float32 to int8')):
            status, out, errors = self.run_tool("compile", DIGITS, "--place", place, "-o", "p.vta")
            self.assertEqual((status, out), (1, ""))
            self.assertRegex(errors, "^vta: .*pass place_groups: " + why)
        self.refuses("--place: conv1: must be NODE=TARGET", "compile", DIGITS, "--place", "conv2=cpu,conv1", "-o", "p.vta")
        self.refuses("--place: conv1=vta: gives a node a second target", "compile", DIGITS, "--place", "conv1=cpu,conv1=vta", "-o", "p.vta")

    def test_a_name_may_have_commas(self):
        with open(DIGITS, "rb") as file:
            self.write("m.onnx", file.read().replace(b"conv1", b"c,v,1").replace(b"conv2", b",c,2,"))
        self.done("run", "m.onnx", *IMAGES, "--place", "c,v,1=cpu,,c,2,=cpu,dense=vta", "--report", "r.json")
        where = {layer["name"]: layer["where"] for layer in json.loads(self.read("r.json"))["layers"]}
        self.assertEqual((where["c,v,1"], where[",c,2,"], where["dense"]), ("cpu", "cpu", "vta"))
        for places, wrong in (("dense=cpu,", ""), ("c,v,1", "c,v,1: "), (",", ",: ")):
            self.refuses(f"--place: {wrong}must be NODE=TARGET", "compile", "m.onnx", "--place", places, "-o", "p.vta")

    def test_layout_changes_say_why(self):
        """The picture of a float network gets its border on the CPU; layers of int8 pass the accelerator's blocks."""
        self.done("model", "mobilenet_tiny", "--type", "float", "-o", "f.onnx")
        for words, lines, count in ((["f.onnx", "--target", "cpu"], [r"image[.]blocks +identity .* cpu a +\d", r"cpu a: lays an activation out for a window"], 1),
                                    ([DIGITS, "--place", "conv1=cpu"], [r"conv1[.]1[.]pack +pack .* cpu c *", r"cpu c: puts an activation into an accelerator's blocks"], 1)):
            out = self.run_tool("run", *words, "--report", "r.json")[1]
            for line in lines:
                self.assertRegex(out, f"(?m)^{line}")
            report = json.loads(self.read("r.json"))
            moves = [layer for layer in report["layers"] if layer["op"] in ("identity", "pack", "unpack")]
            self.assertEqual(report["layout_changes"], {"count": count, "bytes": sum(layer["kernel_bytes"] for layer in moves)})
            self.assertEqual(len(moves), count)
            out = self.done("compile", *words, "-o", "p.vta")
            self.assertIn(f" instructions, {count} layout change{'s' * (count != 1)} of {report['layout_changes']['bytes']:,} bytes; compiled in ", out)

    def test_modules_for_other_cpus(self):
        self.done("compile", DIGITS, "--cpu", "cortex-a53,cortex-a9", "-o", "arm.vta")
        status, out, errors = self.run_tool("run", "arm.vta")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, r"(?m)^vta: arm.vta: .*aarch64.*armv7")
        self.done("compile", DIGITS, "--cpu", "cortex-a53,x86-64", "-o", "both.vta")
        self.done("run", DIGITS, *IMAGES, "--output", "a.bin")
        self.done("run", "both.vta", *IMAGES, "--reference", "a.bin")
        status, out, errors = self.run_tool("compile", DIGITS, "--cpu", "z80", "-o", "z.vta")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("--cpu: z80 must be one of native, zen4, ", errors)
        status, out, errors = self.run_tool("compile", DIGITS, "--cpu", "zen4,native,zen4", "-o", "z.vta")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("--cpu: zen4,native,zen4 names a CPU twice", errors)

    def test_what_no_target_takes_is_refused(self):
        status, out, errors = self.run_tool("compile", DIGITS, "--target", "vta", "-o", "v.vta")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, r'pass place_groups: node "image_quantized": targets: none of them takes it: converts float32')

    def test_wrong_words_are_usage_errors(self):
        for words in (["run"], ["run", DIGITS, "--rounding", "up"], ["compile", DIGITS], ["frobnicate"]):
            status, out, errors = self.run_tool(*words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertTrue(errors)
        status, out, errors = self.run_tool("run", DIGITS, "--engine", "warp")
        self.assertEqual((status, out, errors.splitlines()[0]), (2, "", f"vta: --engine: warp must be one of {tool.ENGINES}"))


if __name__ == "__main__":
    tool.main()
