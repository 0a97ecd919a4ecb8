"""vta bench seeds: tables of the documents that the project began with; and a network of which the CPU has the first layer."""

import json
import math
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
        self.assertEqual([(claim["row"], claim.get("holds")) for claim in table["claims"]], [(20, True), (20, True), (40, None), (40, None)])
        (layouts,), table = self.table("layouts", *FEW)
        self.assertEqual((layouts["network"], layouts["programs"]), ("resnet_tiny", 8))
        self.assertLess(layouts["kernels"], layouts["operators"])
        spaces, table = self.table("spaces", *FEW)
        self.assertEqual({row["target"] for row in spaces}, {"vta", "cpu", "cuda"})
        self.assertTrue(all(row["points"] > 1 and row["choices"] > 1 for row in spaces), spaces)
        self.assertEqual(sum(row["steps"] for row in spaces if row["target"] == "vta"), 8)

    def test_lines_are_those_of_the_sources(self):
        rows, _ = self.table("lines")
        for row, target in zip(rows, ("cpu", "cuda", "vta")):
            lines = 0
            for folder, _, names in os.walk(os.path.join(tool.SOURCE, "compiler/targets", target)):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        lines += file.read().count(b"\n")
            self.assertEqual(row["lines"], lines, target)
        self.assertEqual(rows[-1]["lines"], 13000)

    def test_tasks(self):
        rows, table = self.table("tasks", *FEW, "--runs", "2")
        self.assertEqual([row["convolution"] for row in rows][:2], ["3x32x32 k7x7 s2 -> 16x16x16", "16x8x8 k3x3 s1 -> 16x8x8"])
        self.assertEqual(sum(row["steps"] for row in rows), 6)
        self.assertTrue(all(row["gflops"] > 0 for row in rows), rows)
        self.assertEqual(table["claims"], [{"row": 27, "text": "resnet18 is not among the networks"}])
        command = ["bench", "seeds", "depthwise", "--network", "mobilenet_tiny", "--runs", "2"]
        status, out, errors = self.run_tool(*command, "--json", "--require")
        self.assertEqual((status, errors), (1, "vta: depthwise: row 24 = mobilenet_v1 is not among the networks: is not decided\n"))
        rows = self.document("vta-bench-seeds", out)["tables"][0]["rows"]
        self.assertTrue(all(re.search(r" g\d+ ", row["convolution"]) for row in rows) and len(rows) == 3, rows)
        self.assertIn("\nrow 24 not decided: mobilenet_v1 is not among the networks\n", self.done(*command, "--check"))

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
        self.refuses("TABLE: hidings must be one of networks, tasks, depthwise, ladder, shared, precisions, hiding, heterogeneous, fusion, layouts, memory, spaces, lines, tuned, ablation; did you mean hiding?",
                     "bench", "seeds", "hidings")

    def test_ratios(self):
        """A ratio that leaves its bounds fails; one without bounds, and bounds without one, are said."""
        command = ["bench", "seeds", "memory", *FEW, "-c", "small_8x8"]
        name, head = "planned to all tensors in int8", "table,ratio,least,most\n"
        self.assertRegex(self.done(*command), rf"\nrow 40 not decided: {name}: 0\.\d+: bounds are of the table without --network and --config\n")
        self.write("r.csv", f"{head}memory,{name},0.2,0.6\nmemory,gone,0,1\nhiding,{name},0,0\n")
        out = self.done(*command, "--ratios", "r.csv", "--check")
        self.assertRegex(out, rf"\nrow 40 holds: {name}: 0\.\d+, from 0\.2 to 0\.6\n")
        self.assertRegex(out, r"\nrow 40 not decided: planned to all tensors in float: 0\.\d+: r\.csv has no bounds of it\n"
                              r"row 40 not decided: gone: is not measured here\n$")
        self.write("r.csv", f"{head}memory,{name},0.2,0.21\n")
        status, out, errors = self.run_tool(*command, "--ratios", "r.csv", "--check")
        self.assertEqual((status, out.count("row 40 FAILS: ")), (1, 1))
        self.assertRegex(errors, rf"^vta: memory: row 40 = {name}: 0\.\d+, from 0\.2 to 0\.21: does not hold\n$")
        rule = "must be a table, a ratio of it, and the least and the most that it may be"
        for line in "memory,x,2,1", "memory,x,1", "memory,x,0,1e", "memory,x,0,1,2":
            self.write("r.csv", f"{head}{line}\n")
            self.assertEqual(self.run_tool(*command, "--ratios", "r.csv"), (1, "", f"vta: r.csv: line 2 = {line}: {rule}\n"))
        self.write("r.csv", "table,ratio\n")
        self.assertEqual(self.run_tool(*command, "--ratios", "r.csv")[2], "vta: r.csv: line 1 = table,ratio: must be table,ratio,least,most\n")

    def test_searches(self):
        words = (*FEW, "-c", "small_8x8", "--trials", "3")
        rows, table = self.table("tuned", *words)
        self.assertEqual({row["target"] for row in rows} - {"cuda"}, {"vta", "cpu"})
        whole, = (row for row in rows if row["task"] == "whole network")
        self.assertTrue("peer" in whole or any(absent["what"] == "ONNX Runtime" for absent in table["absent"]), table["absent"])
        self.assertAlmostEqual(whole["ratio"], whole["rule"] / whole["searched"])
        rows.remove(whole)
        for row in rows:
            self.assertLessEqual(row["searched"], row["rule"], row)
            self.assertAlmostEqual(row["ratio"], row["rule"] / row["searched"])
        claims = {(claim["row"], claim["text"].split(":")[0]): claim for claim in table["claims"]}
        self.assertTrue({(28, "resnet_tiny on vta"), (38, "resnet_tiny on vta"), (28, "resnet_tiny on cpu"), (38, "resnet_tiny on cpu"),
                         (29, "resnet_tiny on cpu"), (30, "resnet_tiny on cpu")} <= claims.keys(), claims)
        ahead = sum(row["searched"] < row.get("random", math.inf) for row in rows if row["target"] == "vta")
        count = sum(row["target"] == "vta" for row in rows)
        of_vta = claims[28, "resnet_tiny on vta"]
        found = re.search(r" in (\d+) of (\d+) tasks, ", of_vta["text"])
        self.assertLessEqual(ahead, int(found[1]))
        self.assertEqual((int(found[2]), of_vta["holds"]), (count, 12 * int(found[1]) >= 10 * count))
        rows, table = self.table("ablation", *FEW, "--trials", "18")
        self.assertEqual(rows, self.table("ablation", *FEW, "--trials", "18")[0])
        for row in rows:
            self.assertTrue(all(row[way] >= 0 for way in ("whole", "drawn", "alike", "random")), row)
        self.assertEqual([claim["row"] for claim in table["claims"]][0], 30)

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
