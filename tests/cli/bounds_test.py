"""Bounds of layers in reports, and vta bench networks."""

import itertools
import json
import os
import re
import shutil

import tool

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
        for pair in tool.sample([" ".join(pair) for pair in itertools.product(NETWORKS, CONFIGS)], 4):
            name, config = pair.split()
            row, = self.networks(name, "-c", config)
            self.assertEqual((row["network"], row["config"]), (name, config))
            self.assertLessEqual(row["bound_ideal"], row["bound_machine"], row)
            self.assertLessEqual(row["bound_machine"], row["cycles"], row)

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
        self.assertRegex(out, r"^network +config +cycles +bound % +bound +ideal +host bytes +timing hash +package hash\n")
        self.assertRegex(out, r"\nresnet_tiny +default +[\d,]+ +\d+\.\d +[\d,]+ +[\d,]+ +[\d,]+ +0x[0-9a-f]{16} +0x[0-9a-f]{16}\n$")
        out = self.done("bench", "networks", "--passes", "-c", "default", "vta_0.0.2")
        self.assertRegex(out, r"\ndefault +9\+1 +1\+2 +2\+1 +2\+4 +4\.072\+6\.036 +49\+1\n")
        self.assertRegex(out, r"\nvta_0\.0\.2 +10\+4 +1\+4 +3\+4 +50\+4\n$")

    def test_the_rtl_agrees(self):
        if not shutil.which("verilator"):
            self.skipTest("no verilator")
        words = ("resnet_tiny", "-c", "default")
        self.assertEqual(self.networks(*words, "--engine", "rtl"), self.networks(*words))

    def test_refuses(self):
        status, out, errors = self.run_tool("bench", "networks", "resnet19")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(errors, r"^vta: NAME: resnet19 must be one of .*; did you mean resnet18\?\n")
        status, out, errors = self.run_tool("bench", "networks", "-c", "two_bank")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(errors, r"^vta: config: two_bank: must be .*; did you mean two_banks\?\n")
        self.refuses("--engine: functional must be one of cycle, rtl", "bench", "networks", "--engine", "functional")
        self.refuses("--json excludes --passes", "bench", "networks", "--passes", "--json")


tool.main()
