"""Bounds of layers in reports, and vta bench networks."""

import itertools
import json
import os
import re
import shutil
import sys

import tool

sys.path.insert(0, os.path.join(tool.SOURCE, "tests/bench"))
import networks

with open(os.path.join(tool.SOURCE, "docs/models.md"), encoding="utf-8") as page:
    NETWORKS = re.findall(r"(?m)^\| `(\w+)` \|", page.read())
CONFIGS = sorted(name.removesuffix(".json") for name in os.listdir(os.path.join(tool.SOURCE, "isa/configs")))


class BoundsTest(tool.ToolTest):
    def networks(self, *words):
        """The rows of the JSON."""
        return self.document("vta-bench-networks", self.done_slowly("bench", "networks", *words, "--json"))["networks"]

    def done_slowly(self, *words):
        """As done(), of a run that says how far it is."""
        status, out, errors = self.run_tool(*words)
        self.assertEqual((status, errors), (0, ""), out)
        return out

    def test_no_layer_is_quicker_than_its_bound(self):
        # The command ends with an error at such a layer.
        self.assertGreater(len(NETWORKS), 10)
        # The whole is networks.table of .ci/nightly.txt.
        for pair in tool.few([" ".join(pair) for pair in itertools.product(NETWORKS, CONFIGS)], 4):
            name, config = pair.split()
            row, = self.networks(name, "-c", config)
            self.assertEqual((row["network"], row["config"]), (name, config))
            self.assertLessEqual(row["bound_ideal"], row["bound_machine"], row)
            self.assertLessEqual(row["bound_machine"], row["cycles"], row)
            self.assertEqual(list(networks.problems(networks.read(networks.TABLE), {(name, config): row}, False)), [])

    def test_rows_are_what_a_run_reports(self):
        rows = self.networks("mobilenet_tiny", "resnet_tiny", "-c", "vta_0.0.2", "two_banks")
        self.assertEqual([(row["network"], row["config"]) for row in rows],
                         [(name, config) for config in ("vta_0.0.2", "two_banks") for name in ("mobilenet_tiny", "resnet_tiny")])
        for row in rows:
            self.done("model", row["network"], "-o", "m.onnx")
            self.assertEqual(self.run_tool("run", "m.onnx", "-c", row["config"], "--engine", "cycle", "--report", "r.json")[0], 0)
            report = self.document("vta-report", self.read("r.json"))
            hashes = dict(line.split() for line in self.done("isa", "--hash", "-c", row["config"]).splitlines())
            self.assertEqual((row["arch_hash"], row["timing_hash"]), (hashes["arch"], hashes["timing"]))
            total = report["total"]
            self.assertEqual([row[key] for key in ("cycles", "bound_ideal", "bound_machine", "host_bytes")],
                             [total[key] for key in ("cycles", "bound_ideal", "bound_machine", "kernel_bytes")])
            self.assertEqual(row["host_bytes_bound"], report["host_bytes_bound"])
            self.assertLessEqual(row["host_bytes_bound"], row["host_bytes"])
            self.assertEqual(row["hosts"], report["hosts"])
            self.assertAlmostEqual(total["bound"], total["bound_machine"] / total["cycles"])
            for layer in report["layers"]:
                self.assertEqual("bound" in layer, layer["where"] == "vta", layer)
                self.assertLessEqual(layer.get("bound", 0), 1, layer)

    def test_a_report_says_what_layers_lost_to(self):
        self.done("model", "mobilenet_tiny", "-o", "m.onnx")
        self.done_slowly("compile", "m.onnx", "-o", "m.vta")
        os.remove(self.path("m.onnx"))  # bounds are in the package
        out = self.run_tool("run", "m.vta", "--engine", "cycle", "--report", "r.json", "--html", "r.html")[1]
        self.assertRegex(out, r"^layer .* peak % +bound % +critical path %\n")
        lines = dict(re.findall(r"(?m)^bound ([a-z]): well above the ideal line, for (.*)$", out))
        self.assertIn("block diagonals of grouped weights", lines.values())
        layers = json.loads(self.read("r.json"))["layers"]
        marked = [line for line in out.splitlines() if re.search(r" \d+\.\d [a-z]  ", line)]
        above = [layer for layer in layers if layer.get("bound_machine", 0) > 1.3 * layer.get("bound_ideal", 0)]
        self.assertEqual(len(marked), len(above))
        for layer in above:
            self.assertTrue(any(layer["lost_to"].startswith(why) for why in lines.values()), layer)
        self.assertIn('"lost_to":"block diagonals of grouped weights', self.read("r.html").decode())
        self.assertNotIn("bound %", self.run_tool("run", "m.vta", "--engine", "functional")[1])

    def test_words_and_passes(self):
        out = self.done_slowly("bench", "networks", "resnet_tiny", "-c", "default")
        self.assertRegex(out, r"^network +config +cycles +bound % +bound +ideal +host bytes +at least +timing hash +package hash\n")
        self.assertRegex(out, r"\nresnet_tiny +default +[\d,]+ +\d+\.\d +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +0x[0-9a-f]{16} +0x[0-9a-f]{16}\n\n")
        self.assertRegex(out, r"\nhost time in ms, by a model; in brackets at double and at half its rates\n"
                              r"network +config +accelerator ms +host +on the host +one run +two in flight each\n")
        time = r" +\d+\.\d{3} \(\d+\.\d{3}, \d+\.\d{3}\)"
        self.assertRegex(out, rf"\nresnet_tiny +default +\d+\.\d{{3}} +Cortex-A9 at 650 MHz {time}{time}{time}\n"
                              rf"resnet_tiny +default +\d+\.\d{{3}} +Cortex-A53 at 1200 MHz{time}{time}{time}\n$")
        out = self.done("bench", "networks", "--passes", "-c", "default", "vta_0.0.2")
        self.assertRegex(out, r"\ndefault +9\+1 +1\+2 +0\+5\.946 +2\+1 +2\+4 +4\.072\+6\.036 +49\+1 +1\+0 +4\.072\+1\n")
        self.assertRegex(out, r"\nvta_0\.0\.2 +10\+4 +1\+4 +0\+5\.946 +3\+4 +50\+4 +2\+0\n$")

    def test_far_layers_are_those_of_a_run(self):
        name, config = "mobilenet_v2", "default"
        self.done("model", name, "-o", "m.onnx")
        self.assertEqual(self.run_tool("run", "m.onnx", "-c", config, "--engine", "cycle", "--report", "r.json")[0], 0)
        report = json.loads(self.read("r.json"))
        layers = [layer for layer in report["layers"] if layer["where"] == "vta"]
        above = [layer["cycles"] - layer["bound_machine"] for layer in layers]
        far = [layer for layer, more in zip(layers, above)
               if more > (1600 if layer["cycles"] < 40000 else 0.04 * layer["bound_machine"])]
        # One that only the rule for short layers spares, and far ones of both rules, of one launch with others or not.
        self.assertTrue(any(more > 0.04 * layer["bound_machine"] for layer, more in zip(layers, above) if layer not in far))
        self.assertEqual({layer["cycles"] < 40000 for layer in far}, {False, True})
        row, = self.networks("--far", name, "-c", config)
        self.assertEqual((row["layers"], row["cycles"]), (len(layers), report["total"]["cycles"]))
        keys = ("name", "op", "shape", "cycles", "bound_ideal", "bound_machine")
        self.assertEqual([[layer[key] for key in keys] for layer in row["far"]], [[layer[key] for key in keys] for layer in far])
        for listed, layer in zip(row["far"], far):  # a run's also says why the bound is above the ideal line
            self.assertTrue(layer.get("lost_to", "").endswith(listed.get("lost_to", "")), layer)
        self.assertGreater(sum("lost_to" in layer for layer in row["far"]), len(far) / 2)
        self.assertNotIn("far", self.networks("resnet_tiny", "-c", config)[0])

        out = self.done_slowly("bench", "networks", "--far", name, "-c", config).splitlines()
        self.assertRegex(out[0], r"^network +config +layer +shape +cycles +bound +above +above % +lost to$")
        self.assertEqual([line.split()[2] for line in out[2:-1]], [layer["name"] for layer in far])
        self.assertRegex(out[2], r"^mobilenet_v2 +default +\S+ +\S+ .* [\d,]+ +[\d,]+ +[\d,]+ +\d+\.\d  \d+ % ")
        cycles, all_cycles, more = (f"{number:,}" for number in (
            sum(layer["cycles"] for layer in far), report["total"]["cycles"], sum(layer["cycles"] - layer["bound_machine"] for layer in far)))
        self.assertEqual(out[-1], f"{len(far)} of {len(layers)} layers further from the bound than 4 %, or 1,600 cycles of a layer that takes "
                                  f"less than 40,000: {cycles} of all {all_cycles} cycles, {more} of them above the bound")
        self.assertRegex(self.done_slowly("bench", "networks", "--far", "resnet_tiny", "-c", config), r"^0 of 8 layers further .*\n$")

    def test_the_rtl_agrees(self):
        if not shutil.which("verilator"):
            self.skipTest("no verilator")
        words = ("resnet_tiny", "-c", "default")
        self.assertEqual(self.networks(*words, "--engine", "rtl"), self.networks(*words))

    def test_the_model_of_hosts_is_near_what_others_measured(self):
        fitted = ("resnet18", *(["resnet50"] if os.environ.get("VTA_TEST_WHOLE") else []), "mobilenet_v1")  # which takes seconds
        rows = [line.split() for line in self.done_slowly("bench", "host", *fitted).splitlines()[2:]]
        self.assertEqual([(row[0], row[1]) for row in rows], [(name, cpu) for name in fitted for cpu in ("Cortex-A9", "Cortex-A53")])
        for name, *_, measured, modelled, error, is_fitted in rows:
            self.assertEqual(is_fitted, "yes")
            self.assertLess(abs(float(error)), 25, name)
            self.assertAlmostEqual(float(error), 100 * (float(modelled) / float(measured) - 1), delta=0.1)
        self.refuses("NAME: vgg13 must be one of resnet18, resnet50, mobilenet_v1, mobilenet_v2, squeezenet, squeezenet1_0, densenet121, inception_v3, vgg16, vgg19; "
                     "did you mean vgg16?", "bench", "host", "vgg13")

    def test_refuses(self):
        status, out, errors = self.run_tool("bench", "networks", "resnet19")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(errors, r"^vta: NAME: resnet19 must be one of .*; did you mean resnet18\?\n")
        status, out, errors = self.run_tool("bench", "networks", "-c", "two_bank")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(errors, r"^vta: config: two_bank: must be .*; did you mean two_banks\?\n")
        self.refuses("--engine: functional must be one of cycle, rtl", "bench", "networks", "--engine", "functional")
        self.refuses("--json excludes --passes", "bench", "networks", "--passes", "--json")
        self.refuses("--far excludes --passes", "bench", "networks", "--passes", "--far")
        self.refuses("--engine excludes --far", "bench", "networks", "--far", "--engine", "cycle")


tool.main()
