"""vta run and exec with --engine cycle: the report of --engine rtl, however the launch ends.

Exit status 77 (skipped) where Verilator is not there.
"""

import json
import os
import re
import shutil
import sys

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")

LONG = """.config default memory.read_latency_cycles=0
.code
        load.uop   dram=kernel x=1
        load.acc   dram=input x=1 stride=1
        gemm       uop=0:1 in=1 dst=0,0 reset push_next
        store.out  dram=output x=1 stride=1 pop_prev push_prev
        finish     pop_next
.uop
kernel: dst=0
.data
input:  .int 1*1616
.data
output: .space 16
"""


def timed(report):
    """A report without wall time, the engine's name, and what only one of them tells."""
    if isinstance(report, dict):
        return {key: timed(value) for key, value in report.items()
                if key not in ("wall_ms", "copy_ms", "engine", "causes", "path", "lost_to", "modelled")}  # kernels have wall time
    return [timed(item) for item in report] if isinstance(report, list) else report


def alike(trace):
    """The events of a trace but for the tracks on which the RTL says what modules wait for, and the model why."""
    events = json.loads(trace)["traceEvents"]
    why = {event["tid"] for event in events if event["name"] == "thread_name" and re.search("waits for$|why$", event["args"]["name"])}
    return [event for event in events if event.get("tid") not in why]


class CycleTest(tool.ToolTest):
    def reports(self, *words, status=0):
        for engine in ("cycle", "rtl"):
            form = ("--json",) if words[0] == "exec" else ("--report", "report.json")
            have, out, errors = self.run_tool(*words, "--engine", engine, *form)
            self.assertEqual(have, status, errors)
            yield timed(json.loads(out)["programs"][0] if words[0] == "exec" else json.loads(self.read("report.json")))

    def test_network(self):
        self.run_tool("run", DIGITS, "--output", "want.bin")
        cycle, rtl = self.reports("run", DIGITS, "--reference", "want.bin")
        self.assertGreater(rtl["vta"]["cycles"], 1000)
        self.assertEqual(cycle, rtl)

    def test_kernels_for_high_level_synthesis(self):
        out = self.run_tool("run", DIGITS, "--engine", "functional,hls", "--report", "r.json")[1]
        self.assertIn("\noutputs equal", out)
        self.assertEqual([engine["engine"] for engine in json.loads(self.read("r.json"))["comparison"]["engines"]], ["functional", "hls"])

    def estimate(self, program):
        self.write("p.s", program)
        return json.loads(self.done("exec", "p.s", "--engine", "hls", "--json"))["programs"][0]["estimated_cycles"]

    def test_estimated_cycles_of_the_kernels(self):
        """What a change must add by the intervals of the pragmas, to one call of the monitor."""
        one = self.estimate(LONG)
        for old, new, cycles in (("in=1 ", "in=1001 ", 1000),  # micro-ops, one a cycle
                                 ("x=1 stride=1\n        gemm", "x=101 stride=101\n        gemm", 100 * 64 // 8),  # rows of 64 bytes, 8 a beat
                                 ("read_latency_cycles=0", "read_latency_cycles=90", 3 * 90)):  # instructions, micro-ops, accumulators
            more = self.estimate(LONG.replace(old, new)) - one
            self.assertTrue(cycles - 3 <= more <= cycles + 3, f"{new}: {more} cycles more, not {cycles}")

    def test_estimates_beside_cycles(self):
        tiny = os.path.join(tool.SOURCE, "tests/rtl/configs/tiny_4x4.json")  # long programs: some are estimated well
        alone = {}
        for engine, key in (("hls", "estimated_cycles"), ("cycle", "cycles")):
            out = self.run_tool("run", DIGITS, "-c", tiny, "--engine", engine, "--apart", "--report", "r.json")[1]
            report = json.loads(self.read("r.json"))
            alone[engine] = {layer["name"]: layer[key] for layer in report["layers"] if layer["where"] == "vta"}
            if engine == "hls":
                total = report["total"]["estimated_cycles"]
                self.assertIn(f"\nest. cycles: by the intervals that the kernels' pragmas ask for; {total:,} in all\n", out)
        want = [{"layer": name, "cycles": cycles, "estimated": alone["hls"][name]}
                for name, cycles in alone["cycle"].items() if 10 * abs(alone["hls"][name] - cycles) > cycles]
        self.assertGreater(len(want), 1)
        self.assertLess(len(want), len(alone["hls"]))
        out = self.run_tool("run", DIGITS, "-c", tiny, "--engine", "hls,cycle", "--report", "r.json")[1]
        hls = json.loads(self.read("r.json"))["comparison"]["engines"][0]
        self.assertEqual((hls["estimated_cycles"], hls["estimates_off"]), (total, want))
        self.assertRegex(out, rf"\nhls +equal +about {total:,} ")
        self.assertIn(f"\nhls estimates {len(alone['hls']) - len(want)} of {len(alone['hls'])} layers within 10 % of cycle; the others: "
                      + ", ".join(f"{w['layer']} {100 * (w['estimated'] - w['cycles']) / w['cycles']:+.1f} %" for w in want) + "\n", out)

    def test_several_engines(self):
        out = self.run_tool("run", DIGITS, "--engine", "functional,cycle,rtl", "--output", "o.bin", "--report", "r.json")[1]
        rows = re.findall(r"(?m)^(functional|cycle|rtl) +equal +([\d,]*) +[\d.]+ *([\d.]*) *(0x[0-9a-f]{16})?$", out)
        self.assertEqual([row[0] for row in rows], ["functional", "cycle", "rtl"])
        self.assertEqual(rows[0][1], "")
        self.assertEqual(rows[1][1], rows[2][1])
        self.assertEqual(rows[1][3], rows[2][3])
        self.assertIn("\noutputs equal, cycles equal\n", out)
        report = json.loads(self.read("r.json"))
        compared = report["comparison"]
        self.assertEqual((compared["equal"], [engine["engine"] for engine in compared["engines"]]), (True, ["functional", "cycle", "rtl"]))
        self.assertEqual({engine.get("cycles") for engine in compared["engines"]}, {None, report["total"]["cycles"]})
        self.assertEqual({engine.get("timing_hash") for engine in compared["engines"]}, {None, report["timing_hash"]})
        self.run_tool("run", DIGITS, "--engine", "functional", "--output", "want.bin")
        self.assertEqual(self.read("o.bin"), self.read("want.bin"))
        self.assertIn("\noutputs equal\n", self.run_tool("run", DIGITS, "--engine", "cycle,functional")[1])

    def test_engines_that_differ(self):
        for name, file, old, new, status_text in (
            ("values", "vta_mac_lane.sv", "product = 32'($signed(inp_i[i*8 +: 8]))",
             "product = 32'($signed({i % 4 != 3 && inp_i[i*8 + 7], inp_i[i*8 +: 8]}))",
             r"first difference: layer conv\d, tensor \S+, element \d+: functional -?\d+, rtl -?\d+\n"),
            ("cycles", "vta_compute.sv", "overlap = certain && next_loops", "overlap = !certain && certain && next_loops",
             r"first difference: layer \w+: cycle [\d,]+ cycles, rtl [\d,]+\n"),
        ):
            with self.subTest(name):
                tool.plant(self, name, file, old, new)
                status, out, _ = self.run_tool("run", DIGITS, "--engine", "functional,cycle,rtl", "--seed", "3", "--report", "r.json")
                self.assertEqual(status, 1)
                self.assertRegex(out, status_text)
                self.assertRegex(out, r"(?m)^cycle +equal ")
                self.assertRegex(out, r"(?m)^rtl +differ " if name == "values" else r"(?m)^rtl +equal +[\d,]+ differ ")
                compared = json.loads(self.read("r.json"))["comparison"]
                self.assertEqual((compared["equal"], "first difference: " + compared["first_difference"]),
                                 (False, out[out.index("first difference: "):].split("\n")[0]))

    def test_a_list_is_of_engines_once_each_and_looks_into_none(self):
        for message, words in ((f"--engine: warp must be one of {tool.ENGINES}", ["cycle,warp"]),
                               ("--engine: cycle,rtl,cycle names an engine twice", ["cycle,rtl,cycle"]),
                               ("--trace: looks into one engine, not into cycle,rtl", ["cycle,rtl", "--trace", "t.json"]),
                               ("--wave: looks into one engine, not into cycle,rtl", ["cycle,rtl", "--wave", "w.fst"]),
                               ("--lockstep: looks into one engine, not into cycle,rtl", ["cycle,rtl", "--lockstep"])):
            self.refuses(message, "run", DIGITS, "--engine", *words)
        self.refuses(f"--engine: cycle,rtl must be one of {tool.ENGINES}", "exec", "p.s", "--engine", "cycle,rtl")

    def test_run_takes_the_cycle_engine(self):
        self.run_tool("run", DIGITS, "--report", "r.json", "--trace", "t.json")
        self.assertEqual(json.loads(self.read("r.json"))["engine"], "cycle")
        self.run_tool("run", DIGITS, "--report", "r.json", "--wave", "w.fst")
        self.assertEqual(json.loads(self.read("r.json"))["engine"], "rtl")
        self.run_tool("run", DIGITS, "--report", "r.json", "--lockstep")
        self.assertEqual(json.loads(self.read("r.json"))["engine"], "rtl")

    def test_trace(self):
        # Host accesses between launches included.
        self.write("p.s", tool.GEMM.replace("weights x=1 push_next", "weights x=1"))  # a deadlock
        for words in (("run", DIGITS, "--repeat", "2"), ("exec", "p.s", "--unproved")):
            for engine in ("cycle", "rtl"):
                self.run_tool(*words, "--engine", engine, "--trace", engine + ".json")
            cycle, rtl = (alike(self.read(engine + ".json")) for engine in ("cycle", "rtl"))
            self.assertGreater(len(rtl), 10)
            self.assertEqual(cycle, rtl)

    def test_why(self):
        self.run_tool("run", DIGITS, "--report", "r.json")
        total = json.loads(self.read("r.json"))["total"]
        for unit, causes in total["causes"].items():
            self.assertEqual(sum(causes.values()), total["cycles"], unit)
        self.assertEqual(sum(sum(causes.values()) for causes in total["path"].values()), total["cycles"])
        self.assertEqual(sum(total["causes"]["compute"].get(cause, 0) for cause in ("token", "space", "barrier")),
                         total["modules"]["compute"]["wait_token"])
        # The table says the largest shares of the path.
        unit, cycles = max(((unit, causes.get("busy", 0)) for unit, causes in total["path"].items()), key=lambda pair: pair[1])
        self.assertRegex(self.run_tool("run", DIGITS)[1], rf"(?m)^total .* {unit} {100 * cycles / total['cycles']:.0f}(,|$)")
        self.write("p.s", tool.GEMM)
        exec_, = self.document("vta-exec", self.run_tool("exec", "p.s", "--unproved", "--engine", "cycle", "--json")[1])["programs"]
        self.assertEqual({sum(causes.values()) for causes in exec_["causes"].values()}, {exec_["cycles"]})

    def test_what_if(self):
        out = self.run_tool("run", DIGITS, "--what-if", "bus=64,latency=0,uop=free,tokens=free", "--report", "r.json")[1]
        report = json.loads(self.read("r.json"))
        answers = {row["what_if"]: row for row in report["what_if"]}
        self.assertEqual(list(answers), ["bus=64", "latency=0", "uop=free", "tokens=free"])
        total = report["total"]["cycles"]
        self.assertEqual((answers["bus=64"]["cycles"], answers["bus=64"]["timing_hash"]), (total, report["timing_hash"]))
        self.assertEqual(json.loads(self.run_report("latency=0+row_miss=0+tokens=free,latency=0+tokens=free"))["what_if"][0]["cycles"],
                         json.loads(self.run_report("tokens=free+latency=0"))["what_if"][0]["cycles"])
        for row in report["what_if"][1:]:
            self.assertLess(row["cycles"], total)
            self.assertAlmostEqual(row["gain"], 1 - row["cycles"] / total, 6)
            self.assertRegex(out, rf"(?m)^{row['what_if']} +{row['cycles']:,} +{100 * row['gain']:.2f} ")

    def test_what_if_of_several_runs_and_of_none(self):
        once, thrice = (json.loads(self.run_report("latency=0", *words))["what_if"] for words in ((), ("--repeat", "3")))
        self.assertEqual(once, thrice)
        status, out, _ = self.run_tool("run", DIGITS.replace("int8", "f32"), "--what-if", "latency=0", "--report", "q.json")
        self.assertEqual(status, 0)
        self.assertIn("\n--what-if: nothing runs on the accelerator\n", out)
        self.assertNotIn("what_if", json.loads(self.read("q.json")))

    def run_report(self, questions, *words):
        self.run_tool("run", DIGITS, "--what-if", questions, "--report", "q.json", *words)
        return self.read("q.json")

    def test_what_if_refuses(self):
        for message, words in (("--what-if: speed=3: must be one of bus=N (bits of the bus), ", ["speed=3"]),
                               ("--what-if bus=48: uarch.bus_bits = 48: must be a power of two in [64, 512]", ["bus=48"]),
                               ("--what-if bus=512: uarch.bus_bits = 512: a beat of 64 bytes is wider than an input element of 16", ["bus=512"]),
                               ("--what-if: uop = 1: must be free", ["uop=1"]),
                               ("--what-if: bus = 64x: must be an integer", ["latency=1,row_miss=0+bus=64x"]),
                               ("--what-if: must be one of bus=N", ["bus=64,"]),
                               ("--what-if: is for the engine cycle alone, not rtl", ["bus=64", "--engine", "rtl"]),
                               ("--what-if: is for the engine cycle alone, not cycle in lockstep", ["bus=64", "--engine", "cycle", "--lockstep"]),
                               ("--what-if: is for the engine cycle alone, not rtl", ["bus=64", "--wave", "w.fst"])):
            self.assertIn(message, self.run_tool("run", DIGITS, "--what-if", *words)[2])

    def test_ends(self):
        for name, old, new, status in (
            ("finished", "", "", 0),
            ("deadlock", "weights x=1 push_next", "weights x=1", 1),
            ("fault", "uop=0:1", "uop=0:1 out=20 dst=500,0", 1),
            ("no FINISH", "finish pop_next\n", "", 1),
        ):
            with self.subTest(name):
                self.write("p.s", tool.GEMM.replace(old, new) if old else tool.GEMM)
                cycle, rtl = self.reports("exec", "p.s", "--unproved", status=status)
                self.assertEqual(rtl["outcome"], name)
                self.assertEqual(cycle, rtl)


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
