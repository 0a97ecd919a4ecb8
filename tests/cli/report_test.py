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
        return json.loads(self.read(name))

    def test_compares_two_runs(self):
        before = self.report("a.json", "--engine", "cycle")
        after = self.report("b.json", "--engine", "cycle", "-c", "pynq")
        out = self.done("report", "diff", "a.json", "b.json")
        self.assertTrue(out.startswith("differ: config default and pynq\n"
                                       f"differ: timing hash {before['timing_hash']} and {after['timing_hash']}\n"
                                       "both: model digits_int8\nboth: engine cycle\n"), out)
        difference = after["total"]["cycles"] - before["total"]["cycles"]
        self.assertRegex(out, rf"\ntotal +{before['total']['cycles']:,} +{after['total']['cycles']:,} +\+?{difference:,} ")
        said = json.loads(self.done("report", "diff", "a.json", "b.json", "--json"))
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
                 (r"(counters\.bytes)\..*", r"\1.MEMORY"), (r"(counters\.tokens)\..*", r"\1.QUEUE"))
        for words in ("--engine", "functional,cycle"), ("--what-if", "bus=128,uop=free"), ("--time", "repeat=2", "--in-flight", "2"):
            written = keys(self.report("r.json", *words))
            for rule, general in rules:
                written = {re.sub(rule, general, key) for key in written}
            self.assertIn("layers.path.UNIT.CAUSE", written)
            self.assertEqual(written - known, set())
        self.refuses("--html: looks into one engine, not into functional,cycle",
                     "run", DIGITS, "--engine", "functional,cycle", "--html", "r.html")

    def test_the_same_run_differs_in_nothing(self):
        self.report("a.json", "--engine", "cycle")
        out = self.done("report", "diff", "a.json", "a.json")
        self.assertNotIn("differ", out.split("\n\n")[0])
        self.assertRegex(out, r"\ntotal .* 0 +\+0\.0\n$")

    def test_what_is_no_report_gives_one_message(self):
        self.report("f.json", "--engine", "functional")
        self.fails("f.json: engine = functional: counts no cycles: there is nothing to compare", "report", "diff", "f.json", "f.json")
        self.fails("nosuch.json: cannot open: No such file or directory", "report", "diff", "nosuch.json", "f.json")
        self.write("x.json", '{"model": 3}')
        self.fails("x.json: model = 3: must be a string", "report", "diff", "x.json", "f.json")
        self.refuses("a command is missing; vta report --help lists them", "report")
        self.refuses("AFTER is required", "report", "diff", "x.json")


tool.main()
