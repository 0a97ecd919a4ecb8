"""The energy of a run: its counts against the counters of the engine, its tables against their page."""

import glob
import json
import os
import re

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
TABLES = os.path.join(tool.SOURCE, "tools/energy/technologies")


class EnergyTest(tool.ToolTest):
    def report(self, *words):
        status, out, errors = self.run_tool("run", DIGITS, "--report", "r.json", *words)
        self.assertEqual(status, 0, errors)
        return out, self.document("vta-report", self.read("r.json"))

    def counts(self, report, group):
        return {row["name"]: row["count"] for row in report["energy"]["rows"] if row["group"] == group}

    def test_counts_are_those_of_the_engine(self):
        for words in ((), ("--apart",), ("-c", "pynq"), ("-c", "vta_0.0.2")):
            out, report = self.report(*words)
            total, energy = report["total"], report["energy"]
            counters, time = total["counters"], total["modules"]["compute"]
            self.assertEqual(self.counts(report, "MACs"), {"MAC": total["macs_executed"]})
            uops = counters["gemm_uops"] + counters["alu_uops"]
            pads = self.counts(report, "scratchpads")
            self.assertEqual((pads["uop read"], pads["out written"]), (uops, uops))
            self.assertEqual(pads["uop written"], counters["bytes"]["uop"] // 4)
            self.assertGreater(pads["inp written"], 0)
            memory = self.counts(report, "DRAM")
            self.assertEqual(memory.pop("instructions read"), 16 * total["instructions"])
            self.assertEqual(sum(memory.values()), total["dram_bytes"])
            self.assertEqual(memory.pop("lut read", 0), 0)  # this network has no table; one would count as micro-ops
            for name, count in memory.items():
                self.assertEqual(count, counters["bytes"][name.split()[0]])
            self.assertEqual(self.counts(report, "clock"), {"compute busy": time["busy"], "compute idle": total["cycles"] - time["busy"]})
            self.assertEqual(set(self.counts(report, "static").values()), {total["cycles"]})
            # Layers sum to their run, and rows to all.
            for sum_of in ([layer["energy_mj"] for layer in report["layers"] if "energy_mj" in layer], [row["mj"] for row in energy["rows"]]):
                self.assertAlmostEqual(sum(sum_of), energy["mj"], 12)
            self.assertEqual(total["energy_mj"], report["vta"]["energy_mj"])
            self.assertAlmostEqual(energy["mw"], 1000 * energy["mj"] / total["ms"], 9)
            self.assertRegex(out, rf"\nenergy \(a model: {energy['technology']}, {energy['dram']}\): [\d.]+ mJ, [\d.]+ mW; dominated by \w+ \d+ %, \w+ \d+ %\n")

    def test_lanes_and_rows_of_a_layer_are_those_of_its_outputs(self):
        """conv2 of the demo's network has a pool, others none: its requantised lanes are what it has of outputs."""
        _, report = self.report("--apart")
        lanes = {row["name"]: row["count"] for row in report["energy"]["rows"] if row["group"] == "ALU"}
        self.assertGreater(lanes["requant"], 0)
        self.assertEqual(sum(lanes.values()) % 16, 0)
        self.assertEqual(sum(lanes.values()) // 16, report["total"]["counters"]["alu_uops"])

    def test_a_table_is_chosen_or_ones_own(self):
        _, report = self.report("--energy", "45nm,ddr4")
        self.assertEqual((report["energy"]["technology"], report["energy"]["dram"], report["energy"]["is_model"]), ("45nm", "ddr4", True))
        with open(os.path.join(TABLES, "45nm.json"), encoding="utf-8") as file:
            own = json.load(file)
        own["technology"] = "mine"
        own["figures"]["mac_pj"] = {"value": 3, "source": "ten times as much"}
        self.write("mine.json", json.dumps(own))
        before = {row["name"]: row["pj_each"] for row in report["energy"]["rows"]}
        _, report = self.report("--energy", "mine.json,ddr4")
        after = {row["name"]: row["pj_each"] for row in report["energy"]["rows"]}
        self.assertEqual(report["energy"]["technology"], "mine")
        self.assertEqual({name for name in before if before[name] != after[name]}, {"MAC"})
        self.assertEqual(after["MAC"], 3)

    def test_bad_tables_give_one_message(self):
        self.refuses("--energy: 28mn: must be the path of a file or one of 16nm, 28nm, 45nm, fpga_16nm, fpga_28nm; did you mean 28nm?",
                     "run", DIGITS, "--energy", "28mn")
        self.refuses("--energy: DRAM = ddr5: must be one of ddr3, ddr4, lpddr2, lpddr4; did you mean ddr3?", "run", DIGITS, "--energy", "28nm,ddr5")
        status, _, errors = self.run_tool("run", DIGITS, "--engine", "functional", "--energy", "28nm")
        self.assertEqual((status, errors.splitlines()[1]), (2, "vta: --energy: 28nm: is of an engine that counts cycles"))
        self.refuses("--energy: is of an accelerator, and the package has none", "run", DIGITS, "--target", "cpu", "--energy", "28nm")
        self.write("bad.json", '{"technology": "x", "about": "y", "figures": {"mac_pj": {"value": -1, "source": "z"}}}')
        self.fails("./bad.json: figures.mac_pj.value = -1: must be a number from 0 to 1e9", "run", DIGITS, "--energy", "./bad.json")
        self.refuses("bad.json: output: is also an input, which it would replace", "run", DIGITS, "--energy", "bad.json", "--report", "bad.json")

    def test_without_cycles_there_is_none(self):
        out, report = self.report("--engine", "functional")
        self.assertNotIn("energy", report)
        self.assertNotIn("\nenergy ", out)

    def test_every_figure_stands_on_the_page_with_its_source(self):
        with open(os.path.join(tool.SOURCE, "docs/energy.md"), encoding="utf-8") as file:
            page = file.read()
        for path in sorted(glob.glob(os.path.join(TABLES, "*.json"))):
            with open(path, encoding="utf-8") as file:
                table = json.load(file)
            name = table["technology"]
            for key, figure in table["figures"].items():
                value = "; ".join(f"{size:,} bytes {pj}" for size, pj in figure["points"]) if "points" in figure else figure.get("value")
                if value:
                    self.assertIn(f"| `{name}` | `{key}` | {value} | {figure['source']} |\n", page)
            for rule, figure in table.get("rules", {}).items():
                self.assertIn(f"| `{name}` | {rule} | {figure['factor']} | {figure['source']} |\n", page)
        with open(os.path.join(tool.SOURCE, "tools/energy/dram.json"), encoding="utf-8") as file:
            for kind, figure in json.load(file)["dram_pj_per_byte"].items():
                said = f"scaled: {figure['scaled']}" if "scaled" in figure else figure["source"]
                self.assertIn(f"| `{kind}` | {figure['value']} | {said} |\n", page)
        # Sources are of papers and data sheets, by year or number.
        for line in re.findall(r"^\| `\w+` \| .*\|$", page, re.MULTILINE):
            self.assertRegex(line, r"\b(19|20)\d\d\b|DS\d+|Xilinx wiki|assumed|\| `layers|whole part", line)


tool.main()
