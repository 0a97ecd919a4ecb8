"""Layers in one launch: what each took, beside the RTL and beside launches of their own; what refuses and what names a fault."""

import json
import os
import re
import shutil
import subprocess
import unittest

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
LAYERS = ["conv1", "conv2", "depthwise", "pointwise", "conv3", "average", "dense"]


class LaunchesTest(tool.ToolTest):
    def run_digits(self, *words):
        status, out, errors = self.run_tool("run", DIGITS, "--seed", "3", *words)
        self.assertEqual((status, errors), (0, "vta: no --input: one random sample from seed 3\n"), out)
        return out

    def report(self, *words):
        self.run_digits(*words, "--report", "r.json")
        return json.loads(self.read("r.json"))

    def on_vta(self, report):
        return [layer for layer in report["layers"] if layer["where"] == "vta"]

    def test_a_launch_is_told_apart_by_layers(self):
        whole, apart = self.report(), self.report("--apart")
        self.assertEqual([layer["name"] for layer in self.on_vta(whole)], LAYERS)
        self.assertEqual([layer["launch"] for layer in self.on_vta(whole)], [0] * 7)
        self.assertEqual([layer["launch"] for layer in self.on_vta(apart)], list(range(7)))
        self.assertEqual(sum(layer["cycles"] for layer in self.on_vta(whole)), whole["total"]["cycles"])
        self.assertLess(whole["total"]["cycles"], 0.96 * apart["total"]["cycles"])
        for one, other in zip(self.on_vta(whole), self.on_vta(apart)):
            for key in "macs", "macs_executed", "bound_machine":
                self.assertEqual(one[key], other[key])
            # Each cycle of a unit in the time of a layer has one cause, and the critical path has no gap.
            for unit, causes in one["causes"].items():
                self.assertEqual(sum(causes.values()), one["cycles"], (one["name"], unit))
            self.assertEqual(sum(sum(causes.values()) for causes in one["path"].values()), one["cycles"], one["name"])
        # What needs no clock is counted, too.
        counters = self.report("--engine", "functional")
        self.assertEqual([layer["counters"] for layer in self.on_vta(counters)], [layer["counters"] for layer in self.on_vta(whole)])

    @unittest.skipUnless(shutil.which("verilator"), "no verilator")
    def test_the_rtl_tells_the_same(self):
        for config in "default", "two_banks", "vta_0.0.2":
            model, rtl = self.report("-c", config), self.report("-c", config, "--engine", "rtl")
            for one, other in zip(self.on_vta(model), self.on_vta(rtl)):
                for key in "cycles", "modules", "counters", "launch":
                    self.assertEqual(one[key], other[key], (config, one["name"]))
            self.assertEqual(model["total"]["modules"], rtl["total"]["modules"])
        self.assertRegex(self.done("report", "diff", "r.json", "r.json"), r"(?m)^total +[\d,]+ +[\d,]+ +0 ")

    def test_what_a_device_does_not_tell_apart_is_one_row(self):
        out = self.run_digits("--engine", "hls")
        self.assertRegex(out, r"(?m)^conv1( to |[.][.])dense +a launch of 7 layers ")
        self.assertIn("\nvta: 7 of 10 layers, ", out)
        self.assertIn("\nthe layers of a launch are not told apart by hls; --apart runs each alone\n", out)
        out = self.run_digits("--engine", "hls", "--apart")
        self.assertRegex(out, r"(?m)^dense +dense_i8 ")
        self.assertNotIn("a launch of", out)

    def peak(self, *words):
        """Of the memory of a run. Units: KiB."""
        run = subprocess.Popen([tool.TOOL, "--quiet", "run", *words], cwd=self.folder, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(run.returncode, 0)
        return usage.ru_maxrss

    def test_a_layer_that_has_ended_takes_no_memory(self):
        self.done("model", "mobilenet_v2", "-o", "m.onnx")
        status, _, errors = self.run_tool("--quiet", "compile", "m.onnx", "-o", "m.vta")
        self.assertEqual(status, 0, errors)
        self.assertLess(self.peak("m.vta"), 1.25 * self.peak("m.vta", "--apart"))

    def test_engines_are_compared_layer_by_layer(self):
        self.run_digits("--engine", "functional,cycle", "--report", "r.json")
        report = json.loads(self.read("r.json"))
        self.assertEqual([layer["launch"] for layer in self.on_vta(report)], list(range(7)))
        self.assertTrue(report["comparison"]["equal"])

    def test_a_launch_is_proved_and_what_is_wrong_with_it_named(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        self.assertRegex(self.done("check", "d.vta"), r"(?m)^conv1 to dense: proved")
        text = self.done("dis", "d.vta")
        # A store of the second layer in the launch pushes no token: what waits for it waits for ever.
        begin = re.search(r"(?m)^launch_\d+_step_\d+_conv2:", text).start()
        found = re.compile(r"(?m)^( *store\.out .*?) push_prev").search(text, begin)
        self.write("bad.s", text[:found.end(1)] + text[found.end():])
        status, out, errors = self.run_tool("asm", "bad.s", "-o", "bad.vta")
        self.assertEqual(status, 0, errors)
        status, out, _ = self.run_tool("check", "bad.vta")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"(?m)^conv2: proved")
        self.assertRegex(out, r"(?m)^conv1 to dense: (?!proved)")
        status, _, errors = self.run_tool("run", "bad.vta")
        self.assertRegex(errors, r"\nvta: bad[.]vta: step \d+ \w+, in a launch of 7 steps, instruction \d+: deadlock")

    def test_bisection_names_a_launch_whose_program_alone_is_wrong(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        text = self.done("dis", "d.vta")
        # conv2's own program takes the largest, the launch's the least of some.
        begin = re.search(r"(?m)^launch_\d+_step_\d+_conv2:", text).start()
        self.write("bad.s", text[:begin] + text[begin:].replace("alu.max", "alu.min", 1))
        self.done("asm", "bad.s", "-o", "bad.vta")
        self.assertRegex(self.done("check", "bad.vta"), r"(?m)^conv1 to dense: proved")
        for engine in "functional", "cycle":
            status, out, _ = self.run_tool("run", "bad.vta", "--engine", engine, "--bisect", "--seed", "3")
            self.assertEqual(status, 1)
            self.assertRegex(out, rf"^{engine}: sample 0 as a whole: output \S+, element (.*)\n"
                             r"every layer is equal, 10 of 10, each run from the right values\n"
                             r"first difference: the launch of steps 2 to 8 of 10, layers conv1 to dense: layer (\w+): tensor \S+, "
                             r"element \d+ at 0x[0-9a-f]+: expected -?\d+, is -?\d+; \d+ of \d+ elements? differs?(; what \d layers? "
                             r"before it made is written over)?; a second try left the same\n"
                             r"the other engine does not run this launch right, either: its program is wrong\n")
        # Without launches nothing is wrong with it.
        self.run_digits("--apart", "--output", "want.bin")
        status, _, _ = self.run_tool("run", "bad.vta", "--apart", "--seed", "3", "--reference", "want.bin")
        self.assertEqual(status, 0)
        self.assertEqual(self.run_tool("run", "bad.vta", "--seed", "3", "--reference", "want.bin")[0], 1)

    def test_exec_runs_what_a_package_launches(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        engines = [()] + ([("--lockstep",), ("--engine", "cycle", "--lockstep")] if shutil.which("verilator") else [])
        for engine in engines:
            for words, names in (((), ["conv1 to dense"]), (("--apart",), LAYERS)):
                status, out, _ = self.run_tool("exec", "d.vta", "--json", *engine, *words)
                self.assertEqual(status, 0, out)
                self.assertEqual([(one["program"], one["outcome"]) for one in json.loads(out)["programs"]],
                                 [(name, "finished") for name in names])
        # What only the launch's program does wrong stops it.
        text = self.done("dis", "d.vta")
        begin = re.search(r"(?m)^launch_\d+_step_\d+_conv2:", text).start()
        found = re.compile(r"(?m)^( *store\.out .*?) push_prev").search(text, begin)
        self.write("bad.s", text[:found.end(1)] + text[found.end():])
        status, out, errors = self.run_tool("exec", "bad.s")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"^conv1 to dense: refused")
        self.assertIn("nothing was run", errors)
        status, out, _ = self.run_tool("exec", "bad.s", "--unproved")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"(?m)^conv1 to dense: deadlock")
        self.assertEqual(self.run_tool("exec", "bad.s", "--apart")[0], 0)
        # Where nothing shares a launch there is nothing to ask for.
        self.write("p.s", "finish\n")
        self.assertEqual(self.run_tool("exec", "p.s", "--apart"), (2, "", "vta: p.s: --apart: is for packages, whose layers share launches\n"))


tool.main()
