"""vta bench: speeds of the simulators, in words and for machines.

Exit status 77 (skipped) where Verilator is not there.
"""

import json
import os
import platform
import shutil
import sys

import tool


class BenchTest(tool.ToolTest):
    def test_cycle(self):
        said = self.document("vta-bench-cycle", self.run_tool(
            "bench", "cycle", "-c", "default", "--network", "resnet_tiny", "--seconds", "0.001", "--json")[1])
        row, = said["configs"]
        hashes = dict(line.split() for line in self.done("isa", "--hash").splitlines())
        self.assertEqual((row["config"], row["timing_hash"]), ("default", hashes["timing"]))
        self.assertEqual(row["network"], "resnet_tiny")
        for program, least in ("launches", 5_000), ("stream", 1_000_000):
            speed = row[program]
            self.assertGreater(speed["cycles"], least)
            self.assertAlmostEqual(speed["ratio"], speed["cycle_cycles_per_s"] / speed["rtl_cycles_per_s"])
            self.assertGreater(speed["ratio"], 1)
            self.assertLess(speed["evaluations_per_1000_cycles"], 1000)
        programs = said["programs"]
        self.assertEqual((programs["count"], programs["timing_hash"]), (5000, hashes["timing"]))
        self.assertLess(abs(programs["cycles_each"] - 10_000), 5000)
        self.assertLess(programs["memory_growth_bytes"], 1 << 20)

    def test_zoo_of_a_folder(self):
        """Runtimes to stand beside may be missing; networks in float, with codes, and what is none."""
        os.makedirs(self.path("zoo/inner"))
        for name, place in ("digits_f32.onnx", "zoo"), ("digits_int8.onnx", "zoo/inner"):
            shutil.copy(os.path.join(tool.SOURCE, "tools/demo", name), self.path(place))
        self.write("zoo/broken.onnx", b"none")
        said = self.document("vta-bench-zoo", self.done("bench", "zoo", "zoo", "--runs", "1", "--json"))
        broken, real, codes = said["models"]
        self.assertEqual([row["model"] for row in said["models"]], ["broken.onnx", "digits_f32.onnx", "inner/digits_int8.onnx"])
        self.assertEqual(broken["why_not_read"], "model = 4 bytes: is truncated or not an ONNX model")
        for row in real, codes:
            self.assertEqual((row["vta"]["cycles"], row["vta"]["on_vta"]), (6677, 7))
            self.assertTrue("is not installed" in row["why_no_cpu"] if "why_no_cpu" in row else row["cpu"]["difference"] < 0.25)
            self.assertEqual(len(row["steps"]["dearest"]), 3)
            self.assertTrue(all(0 < step["least_ms"] and 0 < step["ms"] <= row["steps"]["ms"] for step in row["steps"]["dearest"]), row)
        self.assertGreater(real["vta"]["db"], 25)
        self.assertNotIn("db", codes["vta"])
        self.assertRegex(self.done("bench", "zoo", "zoo", "--only", "inner", "--runs", "1"), r"(?m)^inner/digits_int8.onnx .* 7 of 10 .* 6,677$")
        threads = str(min(2, len(os.sched_getaffinity(0))))
        on_cpu = self.done("bench", "zoo", "zoo", "--only", "inner", "--runs", "1", "--target", "cpu", "--threads", threads)
        self.assertRegex(on_cpu, r"(?m)^model +million MACs +difference +runtime's ms +ms +times faster +bound %\n-+\ninner/digits_int8.onnx .* [0-9.]+$")
        self.assertRegex(on_cpu, r"(?m)^network +step +op +ms +of all % +GMAC/s +GB/s +bound %\n-+\n(inner/digits_int8.onnx .*\n){3}\Z")
        row, = json.loads(self.done("bench", "zoo", "zoo", "--only", "inner", "--target", "vta", "--json"))["models"]
        self.assertEqual([key for key in row if key in ("cpu", "why_no_cpu", "steps", "vta", "why_no_vta")], ["vta"])
        self.fails("zoo: models = 0: must be *.onnx or *.tflite, in it or in folders of it", "bench", "zoo", "zoo", "--only", "nothing")
        self.fails("nowhere: No such file or directory", "bench", "zoo", "nowhere")

    def test_products_alone(self):
        shapes = ["24x20x40", "24x20x40,int8", "24x20x33,computed"]
        arguments = [word for shape in shapes for word in ("--product", shape)]
        rows = json.loads(self.done("bench", "cpu", "--json", *arguments))["products"]
        self.assertEqual([(row["m"], row["k"], row["n"], row["type"], row["computed"]) for row in rows],
                         [(24, 20, 40, "float", False), (24, 20, 40, "int8", False), (24, 20, 33, "float", True)])
        for row in rows:
            self.assertAlmostEqual(row["gmacs"], 24 * 20 * row["n"] / row["ns"], places=6)
            self.assertTrue(0 < row["gmacs"] <= 1.2 * row["peak_gmacs"], row)
        self.assertRegex(self.done("bench", "cpu", "--product", shapes[0]), r"(?m)^24x20x40 +[0-9.]+ +[0-9.]+ +[0-9]+$")
        for wrong in ("24x20", "24x20x", "0x1x1", "24x20x40,int4", "9999999x1x1"):
            self.refuses(f"--product: {wrong}: must be MxKxN, with ,float, ,int8 or ,computed behind it: 256x256x256", "bench", "cpu", "--product", wrong)
        self.refuses("--product: 1x1048576x900000: must have matrices of at most 2^28 elements", "bench", "cpu", "--product", "1x1048576x900000")
        self.refuses("--product: 16000x16000x16000: must have at most 10^12 multiplications", "bench", "cpu", "--product", "16000x16000x16000")
        status, out, errors = self.run_tool("bench", "cpu", "--product", shapes[0], "--threads", "1")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("--threads", errors)

    def test_refuses(self):
        self.refuses("a command is missing; vta bench --help lists them", "bench")
        self.refuses("--seconds: 0 must be 0.001 to 1e6 seconds", "bench", "cycle", "--seconds", "0")
        status, out, errors = self.run_tool("bench", "cpu", "--network", "alexnet")
        self.assertEqual((status, out), (2, ""))
        self.assertTrue(errors.startswith("vta: --network: alexnet must be one of "), errors)
        status, out, errors = self.run_tool("bench", "cpu", "--cpu", "cortex-a9" if platform.machine() == "x86_64" else "zen4")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(errors, "^vta: --cpu: (cortex-a9|zen4) must be one of native, ")
        for bench in "cpu", "zoo":
            status, out, errors = self.run_tool("bench", bench, "--threads", "1024")
            self.assertEqual((status, out), (2, ""))
            self.assertRegex(errors, r"^vta: --threads: 1024: this process may run on \d+ processors\n")
        status, out, errors = self.run_tool("bench", "cycle", "-c", "nosuch")
        self.assertEqual((status, out), (2, ""))
        self.assertTrue(errors.startswith("vta: config: nosuch: must be the path of a file or one of "), errors)


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
