"""vta report diff, on reports of runs."""

import json
import os
import re

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")


class ReportTest(tool.ToolTest):
    def report(self, name, *words):
        status, _, errors = self.run_tool("run", DIGITS, "--report", name, *words)
        self.assertEqual(status, 0, errors)
        return self.document("vta-report", self.read(name))

    def test_compares_two_runs(self):
        before = self.report("a.json", "--engine", "cycle")
        after = self.report("b.json", "--engine", "cycle", "-c", "pynq")
        out = self.done("report", "diff", "a.json", "b.json")
        self.assertTrue(out.startswith("differ: config default and pynq\n"
                                       f"differ: timing hash {before['timing_hash']} and {after['timing_hash']}\n"
                                       "both: model digits_int8\nboth: engine cycle\n"), out)
        difference = after["total"]["cycles"] - before["total"]["cycles"]
        self.assertRegex(out, rf"\ntotal +{before['total']['cycles']:,} +{after['total']['cycles']:,} +\+?{difference:,} ")
        said = self.document("vta-report-diff", self.done("report", "diff", "a.json", "b.json", "--json"))
        self.assertEqual((said["differ"], said["total"]["difference"]), (["config", "timing_hash"], difference))
        for layer in said["layers"]:
            for side, report in ("before", before), ("after", after):
                cycles = [one["cycles"] for one in report["layers"] if one["name"] == layer["name"] and "cycles" in one]
                self.assertEqual([layer[side]] if side in layer else [], cycles)

    def test_every_key_of_a_run_is_documented(self):
        with open(os.path.join(tool.SOURCE, "docs/report.md"), encoding="utf-8") as file:
            known = set(re.findall("`([A-Za-z_.]+)`", file.read()))

        def keys(json_value, path=""):
            if isinstance(json_value, list):
                return set().union(*(keys(item, path) for item in json_value))
            if not isinstance(json_value, dict):
                return {path}
            return set().union(*(keys(value, f"{path}.{key}" if path else key) for key, value in json_value.items()))

        rules = (("^(vta|cpu|total)\\.", "layers."), (r"^layers\.(modules|causes|path)\.\w+", r"layers.\1.UNIT"),
                 (r"^layers\.(causes|path)\.UNIT\..*", r"layers.\1.UNIT.CAUSE"), (r"(counters\.instructions)\..*", r"\1.KIND"),
                 (r"(counters\.bytes)\..*", r"\1.MEMORY"), (r"(counters\.tokens)\..*", r"\1.QUEUE"),
                 (r"^(layers\.work)\..*", r"\1.KIND"), (r"^(layers\.host_ms)\..*", r"\1.CPU"))
        for words in ("--engine", "functional,cycle"), ("--what-if", "bus=128,uop=free"), ("--time", "repeat=2", "--in-flight", "2"):
            written = keys(self.report("r.json", *words))
            for rule, general in rules:
                written = {re.sub(rule, general, key) for key in written}
            self.assertIn("layers.path.UNIT.CAUSE", written)
            self.assertEqual(written - known, set())
        self.refuses("--html: looks into one engine, not into functional,cycle",
                     "run", DIGITS, "--engine", "functional,cycle", "--html", "r.html")

    def test_the_time_of_a_boards_cpu_is_a_model(self):
        names = {"pynq": ["Cortex-A9 at 650 MHz"], "kv260": ["Cortex-A53 at 1200 MHz"], "default": ["Cortex-A9 at 650 MHz", "Cortex-A53 at 1200 MHz"]}
        for config, hosts in names.items():
            status, out, errors = self.run_tool("run", DIGITS, "-c", config, "--report", "r.json")
            self.assertEqual(status, 0, errors)
            report = self.document("vta-report", self.read("r.json"))
            self.assertEqual([host["name"] for host in report["hosts"]], hosts)
            self.assertRegex(out, r"\nms on the host, by a model \(at double, at half its rates\), beside \d+\.\d{3} on the accelerator:\n")
            accelerator = report["total"]["ms"]
            for host in report["hosts"]:
                self.assertTrue(host["is_model"])
                on_host = [layer["host_ms"][host["cpu"]] for layer in report["layers"] if layer["where"] == "cpu"]
                self.assertGreater(min(on_host), 0)
                self.assertAlmostEqual(host["host_ms"], sum(on_host))
                self.assertAlmostEqual(report["cpu"]["host_ms"][host["cpu"]], host["host_ms"])
                for at, rate in (host, 1), (host["at_half"], 0.5), (host["at_double"], 2):
                    self.assertAlmostEqual(at["host_ms"], host["host_ms"] / rate)
                    self.assertAlmostEqual(at["alone_ms"], at["host_ms"] + accelerator)
                    self.assertAlmostEqual(at["interval_ms"], max(at["host_ms"], accelerator))
                self.assertIn(f"\n  {host['name']}: {host['host_ms']:.3f} (", out)
            self.assertFalse(any("host_ms" in layer or "work" in layer for layer in report["layers"] if layer["where"] == "vta"))
        # Bytes alone: 64 floats and codes of an image, by 1.0 and 2.0 GB/s.
        moves = [layer for layer in report["layers"] if layer["where"] == "cpu" and layer["work"] == {}]
        self.assertTrue(moves)
        for layer in moves:
            for cpu, gb_per_s in ("cortex_a9", 1), ("cortex_a53", 2):
                self.assertAlmostEqual(layer["host_ms"][cpu], layer["kernel_bytes"] / (1e6 * gb_per_s))
        self.assertNotIn("hosts", self.report("f.json", "--engine", "functional"))

    def test_other_networks_meet_by_place(self):
        before = self.report("a.json")
        self.done("model", "mobilenet_tiny", "-o", "tiny.onnx")
        self.assertEqual(self.run_tool("run", "tiny.onnx", "--report", "b.json")[0], 0)
        after = json.loads(self.read("b.json"))
        out = self.done("report", "diff", "a.json", "b.json")
        self.assertIn("\nlayers: by place, the n-th of an op beside the n-th: ", out)
        self.assertRegex(out, r"\nlayer before +layer after +before +after +difference +change +moved most\n")
        said = self.document("vta-report-diff", self.done("report", "diff", "a.json", "b.json", "--json"))
        self.assertEqual(said["layers_by"], "place")
        places = [{}, {}]
        for report, place in zip((before, after), places):
            for layer in report["layers"]:
                if "cycles" in layer:
                    place.setdefault(layer["op"], []).append((layer["name"], layer["cycles"]))
        met = sorted(pair for op in places[0] for pair in zip(places[0][op], places[1].get(op, [])))
        self.assertGreater(len(met), 2)
        self.assertEqual(met, sorted(((one.get("was", one["name"]), one["before"]), (one["name"], one["after"]))
                                     for one in said["layers"] if "before" in one and "after" in one))
        # Percent say nothing where there was next to nothing.
        for line in out.splitlines():
            self.assertFalse(any(abs(float(number)) > 1000 for number in re.findall(r"([+-][\d.]+) %", line)), line)
        self.assertRegex(out, r"(?m) new$")

    def test_reports_of_any_age_are_read(self):
        old = os.path.join(tool.SOURCE, "tests/cli/data/report_0.json")  # of the tool before reports had a version
        self.assertRegex(self.done("report", "diff", old, old), r"\ntotal +8,185 +8,185 +0 +\+0\.0 %\n$")
        report = self.report("r.json", "--engine", "cycle")
        self.assertEqual((report["schema"], report["version"]), ("vta-report", 1))
        self.assertEqual([layer["name"] for layer in json.loads(self.done("report", "diff", old, "r.json", "--json"))["layers"]],
                         [layer["name"] for layer in report["layers"] if "cycles" in layer] + ["pool"])  # which conv2 has taken
        for layer in report["layers"]:
            layer["news"] = 1
        self.write("more.json", json.dumps({**report, "news": {"of": "a later tool"}}))
        self.assertIn(" 0  +0.0 %\n", self.done("report", "diff", "more.json", "r.json"))
        self.write("newer.json", json.dumps({**report, "version": 2}))
        self.fails("newer.json: version = 2: this vta knows vta-report up to version 1; a newer one reads it", "report", "diff", old, "newer.json")
        self.write("diff.json", self.done("report", "diff", old, "r.json", "--json"))
        self.fails('diff.json: schema = "vta-report-diff": must be vta-report, which vta run --report writes', "report", "diff", "diff.json", old)
        self.write("half.json", json.dumps({key: value for key, value in report.items() if key != "schema"}))
        self.fails("half.json: schema: is missing", "report", "diff", "half.json", old)

    def test_the_same_run_differs_in_nothing(self):
        self.report("a.json", "--engine", "cycle")
        out = self.done("report", "diff", "a.json", "a.json")
        self.assertNotIn("differ", out.split("\n\n")[0])
        self.assertRegex(out, r"\ntotal .* 0 +\+0\.0 %\n$")

    def test_what_is_no_report_gives_one_message(self):
        self.report("f.json", "--engine", "functional")
        self.fails("f.json: engine = functional: counts no cycles: there is nothing to compare", "report", "diff", "f.json", "f.json")
        self.fails("nosuch.json: cannot open: No such file or directory", "report", "diff", "nosuch.json", "f.json")
        self.write("x.json", '{"model": 3}')
        self.fails("x.json: model = 3: must be a string", "report", "diff", "x.json", "f.json")
        self.refuses("a command is missing; vta report --help lists them", "report")
        self.refuses("AFTER is required", "report", "diff", "x.json")


tool.main()
