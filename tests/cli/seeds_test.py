"""vta bench seeds: tables of the documents that the project began with; and a network of which the CPU has the first layer."""

import json
import os
import re

import tool

FEW = ("--network", "resnet_tiny")


class SeedsTest(tool.ToolTest):
    def table(self, name, *words):
        """Rows by their first words, and the whole of the table."""
        document = self.document("vta-bench-seeds", self.done("bench", "seeds", name, "--json", *words))
        table, = document["tables"]
        self.assertEqual(table["table"], name)
        keys = [column["key"] for column in table["columns"]]
        for row in table["rows"]:
            self.assertLessEqual(row.keys(), set(keys))
        return table["rows"], table

    def test_tables_of_packages(self):
        (memory,), table = self.table("memory", *FEW, "-c", "small_8x8")
        self.done("model", "resnet_tiny", "-o", "m.onnx")
        self.assertEqual(self.run_tool("run", "m.onnx", "-c", "small_8x8", "--effort", "0", "--report", "r.json")[0], 0)
        report = json.loads(self.read("r.json"))["memory"]
        self.assertEqual((memory["vta"], memory["vta_sum"]), (report["activation_bytes"], report["tensor_bytes"]))
        self.assertEqual([(claim["row"], claim["holds"]) for claim in table["claims"]], [(20, True), (20, True)])
        (layouts,), table = self.table("layouts", *FEW)
        self.assertEqual((layouts["network"], layouts["programs"]), ("resnet_tiny", 8))
        self.assertLess(layouts["kernels"], layouts["operators"])
        spaces, table = self.table("spaces", *FEW)
        self.assertEqual({row["target"] for row in spaces}, {"vta", "cpu", "cuda"})
        self.assertTrue(all(row["points"] > 1 and row["choices"] > 1 for row in spaces), spaces)
        self.assertEqual(sum(row["steps"] for row in spaces if row["target"] == "vta"), 8)

    def test_tasks(self):
        rows, table = self.table("tasks", *FEW, "--runs", "2")
        self.assertEqual([row["convolution"] for row in rows][:2], ["3x32x32 k7x7 s2 -> 16x16x16", "16x8x8 k3x3 s1 -> 16x8x8"])
        self.assertEqual(sum(row["steps"] for row in rows), 6)
        self.assertTrue(all(row["gflops"] > 0 for row in rows), rows)
        self.assertEqual(table["claims"], [])  # they are of ResNet-18
        rows, _ = self.table("depthwise", "--network", "mobilenet_tiny", "--runs", "2")
        self.assertTrue(all(re.search(r" g\d+ ", row["convolution"]) for row in rows) and len(rows) == 3, rows)

    def test_networks(self):
        status, out, errors = self.run_tool("bench", "seeds", "networks", *FEW, "--runs", "2", "-o", "tables")
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(out, r"(?m)^network +1 thread +\+- +2 threads .* RK3399 ")
        self.assertRegex(out, r"(?m)^resnet_tiny +\d+\.\d\d +\d+\.\d\d ")
        self.assertRegex(out, r"(?m)^(not here: cuda: libcuda\.so\.1: cannot be loaded: |row 26 holds: resnet_tiny: outputs on cuda )")
        self.document("vta-bench-seeds", self.read("tables/networks.json"))
        table, = json.loads(self.read("tables/networks.json"))["tables"]
        row, = table["rows"]
        self.done("model", "resnet_tiny", "-o", "m.onnx")
        for config in "pynq", "default":
            self.assertEqual(self.run_tool("run", "m.onnx", "-c", config, "--effort", "0", "--engine", "cycle", "--report", "r.json")[0], 0)
            self.assertAlmostEqual(row[config], json.loads(self.read("r.json"))["total"]["ms"])
        if table["absent"]:
            status, out, errors = self.run_tool("bench", "seeds", "networks", *FEW, "--runs", "2", "--require")
            self.assertEqual((status, out.count("not here: ")), (1, len(table["absent"])))
            self.assertRegex(errors, r"^vta: networks: \S+ = .*: is not here\n$")

    def test_artifacts(self):
        """A claim that does not hold fails where that is asked for: layers of so few products do not fill the array."""
        command = ["bench", "seeds", "hiding", *FEW]
        out = self.done(*command, "-o", "tables")
        self.assertRegex(out, r"(?m)^row 14 FAILS: the best layer with two virtual threads has [\d.]+ % \(with one ")
        self.assertRegex(out, r"(?m)^row 14 holds: all layers take [\d,]+ cycles with two virtual threads, [\d,]+ with one context$")
        self.assertEqual(sorted(os.listdir(self.path("tables"))), ["hiding.json", "hiding.txt"])
        self.assertEqual(self.read("tables/hiding.txt").decode(), out)
        self.document("vta-bench-seeds", self.read("tables/hiding.json"))
        status, again, errors = self.run_tool(*command, "--check")
        self.assertEqual((status, again), (1, out))
        self.assertRegex(errors, r"^vta: hiding: row 14 = the best layer .*: does not hold\n$")
        self.refuses("TABLE: hidings must be one of networks, tasks, depthwise, ladder, hiding, heterogeneous, fusion, layouts, memory, spaces; did you mean hiding?",
                     "bench", "seeds", "hidings")

    def test_a_first_convolution_on_the_cpu(self):
        self.done("model", "resnet_tiny", "-o", "m.onnx")
        self.done("run", "m.onnx", "--output", "a.bin", "--quiet")
        out = self.done("run", "m.onnx", "--place", "conv1=cpu", "--reference", "a.bin", "--report", "r.json", "--quiet")
        self.assertIn("1 of 1 sample equal", out)
        layers = {layer["name"]: layer for layer in json.loads(self.read("r.json"))["layers"]}
        where = {name: layer["where"] for name, layer in layers.items() if layer["op"].startswith(("conv2d", "dense"))}
        self.assertEqual((where.pop("conv1"), set(where.values()), len(where)), ("cpu", {"vta"}, 6))


if __name__ == "__main__":
    tool.main()
