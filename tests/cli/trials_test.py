"""--bisect, --self-test, --time and --in-flight of vta run and vta-run: what they print, and what they refuse."""

import json
import os
import re
import struct
import subprocess

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
TINY = os.path.join(tool.SOURCE, "tests/rtl/configs/tiny_4x4.json")
RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
TIME = r"time: (\d+\.\d{6}) ms \+- (\d+\.\d{6}) ms, mean and deviation of (\d+) measurements of (\d+) runs\n  (.*)\n"
LATENCY = r"latency: (\d+\.\d{3}) ms alone, (\d+\.\d{3}) ms with 2 in flight\nthroughput: (\d+\.\d) inferences/s with 2 in flight"


class TrialsTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.write("images.bin", struct.pack(f"<{3 * 64}f", *(pixel % 17 / 16 for pixel in range(3 * 64))))

    def runner(self, *arguments):
        return self.run_process([RUNNER, *arguments])

    def packages(self):
        self.done("compile", DIGITS, "-o", "vta.vta")
        self.done("compile", DIGITS, "-o", "cpu.vta", "--target", "cpu")

    def test_bisect_says_that_every_layer_is_equal(self):
        self.packages()
        equal = (": outputs of 3 samples are equal\nevery layer is equal, 10 of 10, each run from the right values\n"
                 "every launch of several layers is equal, 1 of 1\n")
        for engine in ("functional", "cycle"):
            self.assertEqual(self.done("run", "vta.vta", "--engine", engine, "--input", "images.bin", "--bisect"), engine + equal)
        self.assertEqual(self.runner("vta.vta", "--input", "images.bin", "--bisect", "--threads", "1"), (0, "functional" + equal, ""))

    def test_self_test_of_a_config_or_of_a_package(self):
        self.packages()
        passed = r"self-test on (functional|cycle): \d+ programs, all as they should\n"
        for engine in ("functional", "cycle"):
            for words in (("-c", TINY), ("-c", "extended"), ("vta.vta",)):
                self.assertRegex(self.done("run", *words, "--engine", engine, "--self-test"), f"^{passed}$")
        for words in (("-c", TINY), ("vta.vta",)):
            status, out, errors = self.runner(*words, "--self-test")
            self.assertEqual((status, errors), (0, ""))
            self.assertRegex(out, f"^{passed}$")

    def test_modelled_latency_and_throughput(self):
        self.done("run", DIGITS, "--input", "images.bin", "--report", "r.json")
        report = json.loads(self.read("r.json"))
        kernels = sum(layer["wall_ms"] for layer in report["layers"] if layer["where"] != "vta")
        modelled, cycles = report["modelled"], report["total"]["ms"]
        self.assertEqual(modelled["in_flight"], 2)
        self.assertRegex(modelled["time"], r"^cycles at 100 MHz, kernels by the clock of this machine \(\w+\)$")
        # One after the other takes both; two in flight take what the busier of them takes, or a little more.
        self.assertAlmostEqual(modelled["latency_ms"], cycles + kernels, delta=1e-4)
        self.assertGreaterEqual(1000 / modelled["throughput_fps"], max(cycles, kernels) - 1e-4)
        self.assertLess(1000 / modelled["throughput_fps"], cycles + kernels)
        self.assertGreaterEqual(modelled["latency_in_flight_ms"], modelled["latency_ms"] - 1e-4)
        self.assertNotIn("modelled", self.report_of("--engine", "functional"))
        self.assertNotIn("measured", report)

    def report_of(self, *words):
        self.done("run", DIGITS, "--input", "images.bin", "--report", "r.json", *words)
        return json.loads(self.read("r.json"))

    def test_in_flight_is_measured(self):
        measured = self.report_of("--in-flight", "3", "--repeat", "4")["measured"]
        self.assertEqual((measured["in_flight"], measured["runs"], measured["time"]), (3, 12, "wall time of the simulation"))
        self.packages()
        for package, time in (("vta.vta", "wall time of the simulation"), ("cpu.vta", "wall time")):
            status, out, errors = self.runner(package, "--input", "images.bin", "--in-flight", "2", "--repeat", "5")
            self.assertEqual((status, errors), (0, ""))
            self.assertRegex(out, rf"\n{LATENCY}\n  measured in 15 runs: {time}\n$")

    def test_no_more_are_in_flight_than_there_are(self):
        self.packages()
        status, out, errors = self.runner("vta.vta", "--input", "images.bin", "--in-flight", "4")
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(out, r" inferences/s with 3 in flight\n  measured in 3 runs: ")

    def test_time(self):
        timing = self.report_of("--time", "number=2,repeat=4")["timing"]
        self.assertEqual((timing["number"], len(timing["results_ms"])), (2, 4))
        self.assertAlmostEqual(timing["mean_ms"], sum(timing["results_ms"]) / 4)
        self.packages()
        for package, time in (("vta.vta", "wall time of the simulation"), ("cpu.vta", "wall time")):
            status, out, _ = self.runner(package, "--input", "images.bin", "--time", "repeat=5,min-ms=5")
            found = re.search(TIME, out)
            self.assertEqual((status, found[3], found[5]), (0, "5", time))
            # A measurement takes 5 ms, of which a run has its part.
            self.assertGreater(int(found[4]) * (float(found[1]) + 3 * float(found[2])), 4)

    def test_refused(self):
        self.packages()
        rule = "must be number=N, repeat=N or min-ms=N, with commas between them"
        for value, message in (("10", f"10: {rule}"), ("number=1,", rule), ("repeat=1,repeat=2", "repeat=2: is given twice"), ("number=1,x=2", f"x=2: {rule}"),
                               ("number=0", "number=0: must be an integer, 1 to 1000000"),
                               ("repeat=x", "repeat=x: must be an integer, 1 to 1000000"),
                               ("min-ms=-1", "min-ms=-1: must be an integer, 0 to 3600000")):
            self.refuses(f"--time: {message}", "run", "vta.vta", "--time", value)
            self.assertEqual(self.runner("vta.vta", "--time", value), (2, "", f"vta-run: --time: {message}\n"))
        for option in (("--time", "repeat=2"), ("--in-flight", "2"), ("--bisect",)):
            self.refuses(f"{option[0]}: looks into one engine, not into functional,cycle",
                         "run", "vta.vta", "--engine", "functional,cycle", *option)
        self.refuses("--self-test: looks into one engine, not into functional,cycle",
                     "run", "--engine", "functional,cycle", "--self-test")
        self.refuses("--in-flight: 65 must be an integer, 1 to 64", "run", "vta.vta", "--in-flight", "65")
        self.refuses("MODEL is required", "run")
        self.refuses(f"--self-test: {DIGITS}: is of a config, -c, or of the accelerator that a package is for",
                     "run", DIGITS, "--self-test")
        self.refuses("vta.vta: --config = pynq: is for a model; a package is compiled already", "run", "vta.vta", "--self-test", "-c", "pynq")
        none = "is for an accelerator, and the package has none"
        for option, words in (("--bisect", ("--input", "images.bin")), ("--self-test", ())):
            self.refuses(f"{option}: {none}", "run", "cpu.vta", *words, option)
            self.assertEqual(self.runner("cpu.vta", option), (2, "", f"vta-run: {option}: {none}\n"))
        self.assertEqual(self.runner("--self-test"), (2, "", "vta-run: --self-test: is for a PACKAGE's accelerator, or for a --config\n"))

    def test_excluded(self):
        for words in (("--bisect", "--repeat", "2"), ("--bisect", "--time", "repeat=2"), ("--self-test", "--in-flight", "2"),
                      ("--time", "repeat=2", "--trace", "t.json"), ("--in-flight", "2", "--what-if", "bus=128")):
            status, out, errors = self.run_tool("run", DIGITS, *words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertRegex(errors, "^vta: --[a-z-]+ excludes --[a-z-]+\n")
        self.assertRegex(self.runner("x.vta", "--bisect", "--repeat", "2")[2], "^vta-run: --[a-z-]+ excludes --[a-z-]+\n")

    def test_a_board_that_loses_its_copies(self):
        """Behind XRT: the unmodified runner, bits lost between host and device."""
        if self.run_tool("hw", "xrt", "-o", "xrt")[0] != 0:
            self.skipTest("built without XRT")
        self.done("compile", DIGITS, "-o", "d.vta", "-c", "small_8x8")
        self.done("hw", "xclbin", "-c", "small_8x8", "-o", "b.xclbin")
        settings = {"XILINX_XRT": self.path("xrt"), "VTA_XRT_ENGINE": "cycle"}

        def trial(option, fault):
            environment = dict(os.environ, **settings, VTA_XRT_FAULT=fault)
            done = subprocess.run([RUNNER, "d.vta", "--engine", "xrt:b.xclbin", *option], cwd=self.folder, env=environment,
                                  capture_output=True, text=True, timeout=600)
            return done.returncode, done.stdout

        self.assertEqual(trial(("--bisect",), "none"), (0, "xrt:b.xclbin: outputs are equal\nevery layer is equal, 11 of 11, "
                                                           "each run from the right values\n"
                                                           "every launch of several layers is equal, 1 of 1\n"))
        self.assertEqual(trial(("--self-test",), "none")[0], 0)
        self.assertEqual(trial(("--in-flight", "2", "--repeat", "20"), "none")[0], 0)
        # What the accelerator wrote does not reach the host: the first layer that it runs.
        status, out = trial(("--bisect",), "lost_sync_out")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"\nfirst difference: step 2 of 11, layer conv1 \(conv2d_i8 .*\): tensor conv1\S*, element 0 at "
                         r"0x[0-9a-f]+: expected -?\d+, is -?\d+; 10\d\d of 1024 elements differ; a second try left the same\n"
                         r"counters of it: equal\n(.*\n)*registers: status 0x2; .*; id 0x31415456; ")
        status, out = trial(("--self-test",), "lost_sync_out")
        self.assertEqual(status, 1)
        self.assertRegex(out, "^self-test on xrt:b.xclbin: store.out in rows: word ")
        # What the host wrote does not reach the accelerator: constants are not there.
        status, out = trial(("--bisect",), "lost_sync_in")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"\nread back from the device: the constants, element \d+ at 0x")
        status, out = trial(("--self-test",), "stuck")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"^self-test on xrt:b.xclbin: finish: xrt:b.xclbin: register status = 0x00000001: the accelerator is busy "
                         r"(.*\n)*self-test on xrt:b.xclbin: 1 of 1 program failed, \d+ were not run\n")

    def test_stops_in_time(self):
        status, _, errors = self.run_tool("run", "-c", "default", "--self-test", "--limit", "0.001")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"^vta: device cycle: self-test .*: was stopped: the time for it ended\n$")


tool.main()
