"""vta bench hiding: convolutions by the way that latency is hidden."""

import re

import tool

WAYS = ("one_slot", "two_slots", "two_threads", "compiler")


class HidingTest(tool.ToolTest):
    def hiding(self, *words):
        """The document, whose shares and sums are right."""
        status, out, errors = self.run_tool("bench", "hiding", *words, "--json")
        self.assertEqual((status, errors), (0, ""), out)
        document = self.document("vta-bench-hiding", out)
        for network in document["networks"]:
            whole = [layer for layer in network["layers"] if all(way in layer for way in WAYS)]
            total = network["total"]
            self.assertEqual((total["layers"], total["macs"]), (len(whole), sum(layer["macs"] for layer in whole)))
            for way in WAYS:
                self.assertEqual(total[way]["cycles"], sum(layer[way]["cycles"] for layer in whole))
            for row in [*network["layers"], total]:
                for way in WAYS:
                    if way in row:
                        self.assertAlmostEqual(row[way]["share"], row["macs"] / row[way]["cycles"] / document["macs_per_cycle"])
        return document

    def test_layers_are_those_of_a_run(self):
        document = self.hiding("resnet_tiny", "mobilenet_tiny", "-c", "small_8x8")
        self.assertEqual((document["config"], document["macs_per_cycle"]), ("small_8x8", 64))
        self.assertEqual([network["network"] for network in document["networks"]], ["resnet_tiny", "mobilenet_tiny"])
        for network in document["networks"]:
            self.done("model", network["network"], "-o", "m.onnx")
            # A maximum is joined to no convolution.
            apart = ["--place", "maxpool=cpu"] if network["network"] == "resnet_tiny" else []
            self.assertEqual(self.run_tool("run", "m.onnx", "-c", "small_8x8", "--engine", "cycle", "--apart", *apart, "--report", "r.json")[0], 0)
            report = self.document("vta-report", self.read("r.json"))
            wanted = [(layer["name"], layer["op"], layer["macs"], layer["cycles"]) for layer in report["layers"]
                      if layer["where"] == "vta" and re.match("conv2d_i8|dense_i8", layer["op"])]
            self.assertGreater(len(wanted), 5)
            self.assertEqual([(layer["layer"], layer["op"], layer["macs"]) for layer in network["layers"]], [row[:3] for row in wanted])
            # A run's layers are chosen beside each other: by itself none is quicker than the best for it alone.
            for layer, (*_, cycles) in zip(network["layers"], wanted):
                self.assertLessEqual(layer["compiler"]["cycles"], 1.01 * cycles, layer)
                self.assertLess(cycles, 1.2 * layer["compiler"]["cycles"], layer)
            self.assertEqual(network["total"]["layers"], len(wanted))

    def test_what_overlaps_is_quicker(self):
        # Layers of so few cycles end before anything could be hidden.
        for config in ("default", "small_8x8", "vta_0.0.2"):
            document = self.hiding("resnet_tiny", "mobilenet_tiny", "-c", config)
            larger = [layer for network in document["networks"] for layer in network["layers"] if layer["one_slot"]["cycles"] > 1000]
            self.assertGreater(len(larger), 10)
            for layer in larger:
                one, slots, threads = (layer[way]["cycles"] for way in WAYS[:3])
                self.assertLess(max(slots, threads), 1.01 * one, layer)
            for network in document["networks"]:
                one, slots, threads, compiler = (network["total"][way]["cycles"] for way in WAYS)
                self.assertLess(max(slots, threads), 0.9 * one)
                self.assertLessEqual(compiler, 1.01 * min(slots, threads))

    def test_words(self):
        status, out, errors = self.run_tool("bench", "hiding", "resnet_tiny", "mobilenet_tiny", "-c", "default")
        self.assertEqual((status, errors), (0, ""))
        first, second = out.split("\n\n")
        self.assertRegex(first, r"^resnet_tiny on default\nlayer +one slot +peak % +two slots +peak % +two threads +peak %\n-+\nconv1( +[\d,]+ +\d+\.\d){3}\n")
        # Its classifier is one tile, which has no second thread.
        self.assertRegex(first, r"\nclassifier( +[\d,]+ +\d+\.\d){2}\nall but 1 layer( +[\d,]+ +\d+\.\d){3}\nblank: no tiling of that kind fits the config; "
                                r"sums are of layers that have all\nthe compiler's choice: [\d,]+ cycles, \d+\.\d % of the peak$")
        self.assertTrue(second.startswith("mobilenet_tiny on default\n"))
        status, out, errors = self.run_tool("bench", "hiding", "resnet_tiny", "-c", "small_8x8")
        self.assertRegex(out, r"\nall layers( +[\d,]+ +\d+\.\d){3}\nthe compiler's choice: ")

    def test_refuses(self):
        status, out, errors = self.run_tool("bench", "hiding", "resnet19")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(errors, r"^vta: NAME: resnet19 must be one of .*; did you mean resnet18\?\n")
        status, out, errors = self.run_tool("bench", "hiding", "-c", "two_bank")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(errors, r"^vta: config: two_bank: must be .*; did you mean two_banks\?\n")


tool.main()
