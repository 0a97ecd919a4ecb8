"""vta explore: spaces, constraints, costs that are those of vta run, results that go on, fronts."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import tool

SPACE = {
    "name": "tiny", "isa": "1.0",
    "arch": {"block_in": {"pow2": [8, 16]}, "block_out": {"expr": "arch.block_in"}, "acc_depth": {"list": [256, 2048]},
             "requant": True, "requant_multiplier_bits": 16, "pad_value": True, "overwrite": True},
    "uarch": {"acc_banks": {"list": [1, 2]}, "multiplier": "packed"},
    "memory": {"preset": {"list": ["pynq", "ultra96"]}},
}


DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_f32.onnx")


class ExploreTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.done("model", "resnet_tiny", "-o", "m.onnx")

    def space(self, **changes):
        self.write("s.json", json.dumps(SPACE | changes))

    def explore(self, *words, folder="d", confirm="0"):
        status, out, errors = self.run_tool("explore", "m.onnx", "--space", "s.json", "-o", folder, "--json", "--confirm", confirm, "--reports", "0", *words)
        self.assertEqual((status, tool.PROGRESS.sub("", errors)), (0, ""), out)
        summary = self.document("vta-explore", out)
        self.assertEqual(summary, json.loads(self.read(folder + "/summary.json")))
        return summary

    def refused(self, message, *words):
        status, out, errors = self.run_tool("explore", "m.onnx", "--space", "s.json", "-o", "d", "--confirm", "0", "--reports", "0", *words)
        self.assertEqual(status, 1, out)
        self.assertIn(message, errors)

    def test_costs_are_those_of_a_run(self):
        self.space()
        summary = self.explore("--no-pruning", "--objective", "latency,area", "--effort", "0")
        self.assertEqual((summary["space"]["size"], len(summary["points"]), summary["left_out"]), (16, 16, []))
        front = [point for point in summary["points"] if point["front"]]
        self.assertEqual(sorted(os.listdir(self.path("d/front"))), sorted(point["config"] + ".json" for point in front))
        for point in front:
            self.assertEqual(self.run_tool("run", "m.onnx", "-c", f"d/front/{point['config']}.json", "--effort", "0", "--engine", "cycle",
                                           "--report", "r.json")[0], 0)
            cycles = sum(layer["cycles"] for layer in json.loads(self.read("r.json"))["layers"] if layer["where"] == "vta")
            self.assertEqual(point["networks"][0]["cycles"], cycles, point["config"])
            self.assertAlmostEqual(point["latency_ms"], cycles / 1e5, places=6)
        # The front, by its definition.
        for point in summary["points"]:
            beaten = any(other["latency_ms"] <= point["latency_ms"] and other["area"] <= point["area"] and
                         (other["latency_ms"], other["area"]) != (point["latency_ms"], point["area"]) for other in summary["points"])
            self.assertFalse(beaten and point["front"], point)
        self.assertEqual(summary["points"], sorted(summary["points"], key=lambda point: point["latency_ms"]))
        self.assertEqual(summary["effects"][0]["parameters"], ["arch.block_in"])

    def test_the_front_is_confirmed(self):
        # 5 bytes a clock of 142 MHz: the RTL's memory is no power of two, either.
        self.space(arch=SPACE["arch"] | {"block_in": 8, "acc_depth": {"list": [256, 2048]}}, memory={"preset": "pynq"},
                   uarch={"multiplier": "packed", "clock_mhz": 142})
        summary = self.explore(confirm="1")
        first, = [point for point in summary["points"] if point["confirmed"]]
        self.assertEqual((first["front"], summary["points"][0]), (True, first))
        self.assertEqual(self.run_tool("run", "m.onnx", "-c", f"d/front/{first['config']}.json", "--engine", "rtl", "--report", "r.json")[0], 0)
        cycles = sum(layer["cycles"] for layer in json.loads(self.read("r.json"))["layers"] if layer["where"] == "vta")
        self.assertEqual(first["networks"][0]["cycles"], cycles)

    def test_the_front_is_counted_and_timed(self):
        """With a stand-in for Yosys, which takes minutes: a path of 865 MHz by hand (hw_test.py), and some cells."""
        def flop(d, q):
            return {"type": "FDRE", "port_directions": {"C": "input", "D": "input", "Q": "output"}, "connections": {"C": [1], "D": [d], "Q": [q]}}
        lut = {"type": "LUT1", "port_directions": {"I0": "input", "O": "output"}, "connections": {"I0": [2], "O": [3]}}
        self.write("n.json", json.dumps({"modules": {"vta_core": {
            "attributes": {"top": "1"}, "ports": {"clk_i": {"direction": "input", "bits": [1]}},
            "cells": {"a": flop("0", 2), "b": flop(3, 4), "l": lut}, "netnames": {"a_q": {"bits": [2]}, "b_q": {"bits": [4]}}}}}))
        self.write("stat.json", json.dumps({"modules": {"\\vta_ip": {"num_cells_by_type": {"LUT6": 700, "FDRE": 500, "DSP48E1": 3, "RAMB18E1": 1}}}}))
        self.write("yosys", """#!/bin/sh
            if [ "$1" = -V ]; then echo "Yosys 0.99 (git sha1 1)"; exit; fi
            case "$3" in
              *write_json*) cp n.json "${3##*write_json }" ;;
              *) out=${3##*tee -q -o }; cp stat.json "${out% stat -json}" ;;
            esac""")
        os.chmod(self.path("yosys"), 0o755)
        self.space(arch=SPACE["arch"] | {"block_in": 8, "acc_depth": 2048}, memory={}, uarch={"multiplier": "packed", "clock_mhz": {"list": [142, 900]}},
                   constraints={"part": "xc7z020", "clock": 20})
        words = f"PATH=$PWD:$PATH {tool.TOOL} explore m.onnx --space s.json --objective latency,area --effort 0 --reports 0 "
        status, out, errors = self.run_shell(words + "-o d --confirm 2 --json")
        self.assertEqual(status, 0, errors)
        summary = self.document("vta-explore", out)
        point, = summary["points"]
        self.assertEqual((point["config"], point["front"], point["confirmed"]), ("tiny_0", True, True))
        self.assertEqual({key: round(value) for key, value in point["on_part"].items() if key != "bram"} | {"with_error_mhz": 0},
                         {"lut": 700, "ff": 500, "dsp": 3, "mhz": 865, "with_error_mhz": 0})
        self.assertAlmostEqual(point["area"], 3 / 220)
        (left,), (came,) = summary["changes"]["left"], summary["changes"]["came"]
        self.assertEqual((left["config"], came), ("tiny_1", "tiny_0"))
        self.assertRegex(left["why"], r"^reaches 865 MHz, \d+ with the error against it, of 900$")
        # As many as are asked for, and no more.
        status, out, errors = self.run_shell(words + "-o e --confirm 1 --json")
        self.assertEqual([(row["config"], row["confirmed"]) for row in json.loads(out)["points"]], [("tiny_0", False)])
        # A point that was pruned for one that leaves comes back.
        self.space(arch=SPACE["arch"] | {"block_in": 8, "acc_depth": 2048}, memory={}, uarch={"multiplier": "packed", "clock_mhz": {"list": [142, 2000]}},
                   constraints={"part": "xc7z020", "clock": 20})
        status, out, errors = self.run_shell(words.replace("--effort 0", "--effort 2") + "-o p --confirm 1 --json --jobs 1")
        self.assertEqual(status, 0, errors)
        self.assertEqual([(row["config"], row["front"]) for row in json.loads(out)["points"]], [("tiny_0", True)])
        # As if it had been tuned in the first place.
        status, out_alone, errors = self.run_shell(words.replace("--effort 0", "--effort 2") + "-o q --confirm 1 --json --no-pruning")
        self.assertEqual(json.loads(out_alone)["points"][0]["networks"], json.loads(out)["points"][0]["networks"])
        # A tool that is missing is said before anything is costed.
        os.remove(self.path("yosys"))
        status, out, errors = self.run_shell(f"mkdir none; ln -s $(command -v sh) $(command -v c++) $(command -v make) $(command -v verilator) none; PATH=$PWD/none {words[16:]} -o f --confirm 1")
        self.assertEqual(status, 1)
        self.assertIn("yosys: is not installed", errors)
        self.assertFalse(os.path.exists(self.path("f")))

    def test_networks_in_float(self):
        self.space(arch=SPACE["arch"] | {"acc_depth": 2048}, memory={"preset": "pynq"}, uarch={"multiplier": "packed"})
        words = ["explore", DIGITS, "--space", "s.json", "--confirm", "0", "--reports", "0", "--effort", "0", "--json"]
        status, _, errors = self.run_tool(*words, "-o", "d")
        self.assertEqual(status, 1)
        self.assertIn("give it codes (--assume int8)", self.read("d/points.jsonl").decode())
        status, out, errors = self.run_tool(*words, "-o", "e", "--assume", "int8")
        self.assertEqual(status, 0, errors)
        assumed = {point["config"]: point["networks"][0]["cycles"] for point in json.loads(out)["points"]}
        quantised = json.loads(self.done(*words[:1], DIGITS.replace("f32", "int8"), *words[2:], "-o", "f"))
        self.assertEqual(len(assumed), 2)
        for point in quantised["points"]:
            self.assertLess(abs(assumed[point["config"]] / point["networks"][0]["cycles"] - 1), 0.01, point)

    def test_spaces_and_configs_have_a_schema(self):
        import jsonschema  # by few tests
        checker = jsonschema.Draft202012Validator(json.loads(self.done("isa", "--schema")))
        for name in os.listdir(os.path.join(tool.SOURCE, "isa/configs")):
            self.assertEqual([*checker.iter_errors(json.loads(self.done("isa", "--json", "-c", name.removesuffix(".json"))))], [], name)
        forms = {"arch": {"block_in": {"pow2": [8, 16]}, "block_out": {"expr": "arch.block_in"}, "mul": {"list": [True, False]}},
                 "uarch": {"multiplier": {"list": ["dsp", "packed"]}, "clock_mhz": 142}, "memory": {"preset": {"list": ["pynq"]}},
                 "constraints": {"part": "xc7z020", "lut": 0.5, "where": ["arch.block_in > 8"], "min_fps": 1}}
        for space in SPACE, SPACE | forms:
            self.assertEqual([*checker.iter_errors(space)], [])
        for wrong in ({"arch": {"block_in": 3}}, {"arch": {"block_in": {"list": []}}}, {"arch": {"block": 8}}, {"memory": {"preset": "x"}},
                      {"uarch": {"multiplier": {"pow2": [1, 2]}}}, {"arch": {"block_in": {"pow2": [8]}}}, {"constraints": {"part": "x"}},
                      {"constraints": {"lut": 2}}, {"uarch": {"clock_mhz": 0}}, {"more": 1}, {"isa": "2"}):
            self.write("s.json", json.dumps(SPACE | wrong))
            self.assertNotEqual([*checker.iter_errors(SPACE | wrong)], [], wrong)
            self.assertEqual(self.run_tool("explore", "m.onnx", "--space", "s.json", "-o", "d")[0], 1, wrong)

    def test_sensitivity(self):
        out = self.done("explore", "m.onnx", "--sensitivity", "-c", "small_8x8", "--effort", "0", "--json")
        found = self.document("vta-sensitivity", out)
        steps = {(row["parameter"], row["to"]): row for row in found["steps"]}
        costed = [row["ms"] for row in found["steps"] if "ms" in row]
        self.assertEqual(costed, sorted(costed))
        self.assertEqual(len(costed) + sum("why" in row for row in found["steps"]), len(found["steps"]))
        self.assertEqual({to for name, to in steps if name == "memory.bytes_per_cycle"}, {"4", "16"})
        wide = steps["arch.block_out", "16"]
        self.assertLess(wide["ms"], found["ms"])
        self.assertEqual(wide["dsp"], 64 + 8 * 4)  # products and lanes more
        self.write("c.json", json.dumps(json.loads(self.done("isa", "--json", "-c", "small_8x8")) | {"name": "wide"}))
        changed = json.loads(self.read("c.json"))
        changed["arch"]["block_out"] = 16
        self.write("c.json", json.dumps(changed))
        lut = [int(re.search(r"\npredicted +(\d+)", self.done("hw", "area", "--predict", "--part", "xc7z020", "-c", name))[1])
               for name in ("small_8x8", "c.json")]
        self.assertLess(abs(wide["lut"] - (lut[1] - lut[0])), 1.01)
        again = json.loads(self.done("explore", "m.onnx", "--sensitivity", "-c", "c.json", "--effort", "0", "--json"))
        self.assertEqual((again["config"], again["ms"]), ("wide", wide["ms"]))
        self.assertIn("arch.block_out", self.done("explore", "m.onnx", "--sensitivity", "-c", "small_8x8", "--effort", "0"))
        self.refuses("--space: is missing: a space, and the folder of its results", "explore", "m.onnx", "-o", "d")
        self.refuses("--output: is of a space, and --sensitivity is of one config", "explore", "m.onnx", "--sensitivity", "-c", "pynq", "-o", "d")

    def test_pruning_changes_no_front(self):
        self.space(uarch={"clock_mhz": {"list": [20, 400]}})
        fronts = []
        for words in ((), ("--no-pruning",)):
            summary = self.explore("--objective", "latency,area", "--jobs", "1", *words, folder="d" + str(len(words)))
            fronts.append({point["config"] for point in summary["points"] if point["front"]})
            pruned = sum(row["end"] == "pruned" for row in summary["left_out"])
            self.assertEqual(pruned > 0, not words, summary["left_out"])
        self.assertEqual(*fronts)

    def test_what_was_pruned_is_looked_at_again(self):
        self.space(uarch={"clock_mhz": {"list": [20, 400]}}, memory={})
        pruned = self.explore("--objective", "latency,area", "--jobs", "1")
        self.assertTrue(pruned["left_out"])
        self.assertEqual((len(self.explore("--no-pruning")["points"]), len(pruned["points"]) < 8), (8, True))
        # What misses a constraint beats nothing: with it the only point left would be pruned.
        energy = ["--energy", "45nm"]  # by which the deeper accumulators take more than they save
        summary = self.explore("--no-pruning", *energy, folder="w")
        fastest = summary["points"][0]
        self.space(uarch={"clock_mhz": {"list": [20, 400]}}, memory={}, constraints={"max_energy_mj": fastest["energy_mj"] * 0.999})
        kept = {point["config"] for point in summary["points"] if point["energy_mj"] <= fastest["energy_mj"] * 0.999}
        self.assertTrue(kept)
        fronts = [{point["config"] for point in self.explore("--objective", "latency,area", "--jobs", "1", *energy, *words, folder="e" + str(len(words)))["points"]
                   if point["front"]} for words in ((), ("--no-pruning",))]
        self.assertEqual(*fronts)
        self.space(uarch={"clock_mhz": {"list": [20, 400]}}, memory={}, constraints={"min_fps": 0.9 * fastest["fps"]})
        self.assertIn("its ideal misses a constraint", {row["why"] for row in self.explore("--jobs", "1", folder="f")["left_out"]})

    def test_a_space_that_is_too_large_is_searched(self):
        self.space(arch=SPACE["arch"] | {"inp_depth": {"pow2": [256, 4096]}, "wgt_depth": {"pow2": [256, 2048]}, "uop_depth": {"pow2": [512, 8192]}})
        words = ["--points", "40", "--objective", "latency,area", "--effort", "0", "--no-pruning"]
        def points(summary):
            return [(point["point"], point["latency_ms"]) for point in summary["points"]]
        bred = self.explore(*words)
        self.assertEqual((bred["space"]["size"], bred["search"], bred["sampled"]), (1600, "nsga2", False))
        self.assertEqual(bred["costed"], 40)
        # The same seed finds the same, here from what the folder has, there anew.
        again = self.explore(*words)
        self.assertEqual((again["costed"], points(again)), (0, points(bred)))
        self.assertEqual(points(self.explore(*words, folder="e")), points(bred))
        self.assertNotEqual(points(self.explore(*words, "--seed", "2", folder="f")), points(bred))
        any_of_them = self.explore(*words, "--search", "random", folder="g")
        self.assertEqual((any_of_them["search"], any_of_them["costed"]), ("random", 40))

    def test_memory_is_no_faster_for_a_faster_clock(self):
        # A product of a vector and a matrix waits for the weights: 1 MiB at 0.8 GB/s.
        self.write("gemm.csv", "Layer,M,N,K,\nfc,1,1024,1024,\n")
        self.space(arch={"requant": True, "requant_multiplier_bits": 16, "pad_value": True, "overwrite": True},
                   uarch={"clock_mhz": {"list": [100, 150, 200, 400]}}, memory={"preset": "pynq"})
        status, out, errors = self.run_tool("explore", "gemm.csv", "--space", "s.json", "-o", "d", "--json", "--confirm", "0", "--reports", "0", "--effort", "0", "--no-pruning",
                                            "--assume", "int8")
        self.assertEqual(status, 0, errors)
        points = sorted(json.loads(out)["points"], key=lambda point: point["point"])
        self.assertEqual(len(points), 4)
        bound = 2**20 / 0.8e6
        for point in points:
            self.assertGreater(point["latency_ms"], bound)
            self.assertGreater(point["latency_ms"], 0.99 * points[0]["latency_ms"], points)

    def test_narrow_arithmetic_has_an_error(self):
        demo = os.path.join(tool.SOURCE, "tools/demo/")
        data = f"--data {demo}images.bin --input-type uint8 --input-scale 0.0625 --samples 60"
        # Shifts take the place of requantisation, or a multiplier of 8 or 16 bits.
        self.space(isa="1.0", arch={"acc_depth": 2048, "requant": {"list": [False, True]}, "requant_multiplier_bits": {"expr": "32 - 24 * arch.requant"},
                                    "pad_value": {"expr": "arch.requant"}, "overwrite": {"expr": "arch.requant"}}, memory={"preset": "pynq"}, uarch={})
        words = ["explore", demo + "digits_int8.onnx", "--space", "s.json", "--confirm", "0", "--reports", "0", "--effort", "0", "--json"]
        summary = self.document("vta-explore", self.done(*words, "-o", "d", "--eval", data, "--objective", "latency,error"))
        self.assertEqual(len(summary["points"]), 2)
        errors = {}
        for point in summary["points"]:
            self.assertTrue(point["front"] or any(other["error_percent"] <= point["error_percent"] for other in summary["points"] if other is not point))
            self.write("c.json", json.dumps(json.loads(self.done("isa", "--json", "-c", "pynq")) | {"name": "c"}))
            config = json.loads(self.read("c.json"))
            wide = point["values"][0]
            config["arch"] |= {"requant": bool(wide), "requant_multiplier_bits": 8 if wide else 32, "pad_value": bool(wide), "overwrite": bool(wide), "lut": False}
            self.write("c.json", json.dumps(config))
            report = json.loads(self.done("eval", demo + "digits_int8.onnx", "-c", "./c.json", "--no-trials", "--json", *data.split()))
            errors[wide] = 100 * 10 ** (-report["runs"][-1]["outputs_db"] / 20)
            self.assertAlmostEqual(point["error_percent"], errors[wide])
        self.assertGreater(errors[0], errors[1])
        right = json.loads(self.done(*words, "-o", "f", "--eval", data + f" --labels {demo}labels.txt"))
        self.assertEqual({point["error_percent"] for point in right["points"]}, {0})
        self.refuses("--objective: error: needs --eval, with samples", *words, "-o", "e", "--objective", "error")
        self.refuses("--eval excludes --assume", *words, "-o", "e", "--eval", data, "--assume", "int8")
        status, out, said = self.run_tool(*words, "-o", "e", "--eval", "--data none.bin")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("vta eval: says:", said)
        self.assertIn("none.bin", said)

    def test_what_is_refused(self):
        self.space(memory={"preset": "pynq"})
        words = ["explore", "m.onnx", "--space", "s.json", "-o", "d", "--confirm", "0", "--reports", "0", "--effort", "0"]
        self.refuses("--objective: area: must stand there once", *words, "--objective", "area,latency,area")
        self.assertEqual(self.run_tool(*words, "--energy", "28nm,nosuch")[0], 2)
        self.assertFalse(os.path.exists(self.path("d")))
        for weight in "0", "-1", "nan", "inf":
            self.refuses(f"--weights: {weight}: must be more than 0, and at most 1e9", *words, "--weights", weight)
        self.refuses("--sensitivity excludes --seed", "explore", "m.onnx", "--sensitivity", "-c", "pynq", "--seed", "3")
        for empty in "{}", '{"constraints": {}}':
            self.write("e.json", empty)
            self.assertEqual(self.run_tool("explore", "m.onnx", "--space", "e.json", "-o", "e"), (1, "", "vta: e.json: name: is missing, or is no text\n"))
        # What lies in the folder of the front and is no point's stays.
        os.makedirs(self.path("d/front"))
        for name in "notes.json", "tiny_old.json", "tiny_99.json":
            self.write("d/front/" + name, "{}")
        self.done(*words)
        left = set(os.listdir(self.path("d/front")))
        self.assertTrue({"notes.json", "tiny_old.json"} <= left and "tiny_99.json" not in left, left)

    def test_a_batch_is_so_many_inferences(self):
        self.done("model", "resnet_tiny", "-o", "four.onnx", "--batch", "4")
        self.space(arch=SPACE["arch"] | {"acc_depth": 2048, "block_in": 16}, memory={"preset": "pynq"}, uarch={"multiplier": "packed"})
        words = ["--space", "s.json", "--json", "--confirm", "0", "--reports", "0", "--effort", "0"]
        one, four = (json.loads(self.done("explore", name, *words, "-o", name[0]))["points"][0] for name in ("m.onnx", "four.onnx"))
        self.assertGreater(four["latency_ms"], 3 * one["latency_ms"])
        self.assertAlmostEqual(four["fps"], 4000 / four["latency_ms"])
        self.assertLess(four["energy_mj"], 1.1 * one["energy_mj"])

    def test_bench(self):
        found = self.document("vta-bench-explore", self.done("bench", "explore", "--network", "resnet_tiny", "--loop", "1", "--points", "16", "--json"))
        self.assertEqual((found["explore"]["points"], found["loop"]["points"], found["searched_points"]), (72, 1, 16))
        self.assertEqual([row["seed"] for row in found["searches"]], [1, 2, 3])
        for row in found["searches"]:
            self.assertGreater(min(row["nsga2"], row["random"]), 0)
        status, out, errors = self.run_tool("bench", "explore", "--network", "nosuch")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("vta: vta model: says:\nvta: NAME: nosuch must be one of resnet18", errors)

    def test_results_go_on(self):
        self.space()
        words = [tool.TOOL, "explore", "m.onnx", "--space", "s.json", "-o", "d", "--jobs", "1", "--no-pruning", "--confirm", "0", "--reports", "0", "--quiet"]
        child = subprocess.Popen(words, cwd=self.path(""), stdout=subprocess.DEVNULL)
        while child.poll() is None and not (os.path.exists(self.path("d/points.jsonl")) and self.read("d/points.jsonl").count(b"\n") > 3):
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
        before = self.read("d/points.jsonl")
        summary = self.explore("--no-pruning")
        self.assertEqual(len(summary["points"]), 16)
        self.assertLessEqual(summary["costed"], 16 - (before.count(b"\n") - 1))
        self.assertEqual(self.read("d/points.jsonl")[:before.rindex(b"\n") + 1], before[:before.rindex(b"\n") + 1])
        self.assertEqual(self.explore("--no-pruning")["costed"], 0)
        self.space(name="other", uarch={"multiplier": "dsp"})
        self.refused("d/points.jsonl:1: explores = ")

    def test_bad_points_are_listed(self):
        # A bus that is wider than an element of 8 channels; and layers of a batch do not pass activations on where blocks differ.
        self.space(uarch={"bus_bits": {"list": [64, 128]}}, memory={"preset": "ultra96"},
                   arch=SPACE["arch"] | {"batch": {"list": [1, 2]}, "block_out": 16, "acc_depth": 2048})
        summary = self.explore("--no-pruning")
        self.assertEqual([row["left"] for row in summary["survivors"][:2]], [8, 7])
        self.assertEqual(len(summary["points"]), 5)
        self.assertEqual([(row["end"], row["why"]) for row in summary["left_out"]],
                         2 * [("refused", "m.onnx: leaves 100.0 % of the multiplications to the host")])

    def test_constraints(self):
        self.space(constraints={"part": "xc7z020", "dsp": 0.5, "where": ["arch.acc_depth > 256"]})
        summary = self.explore()
        self.assertEqual([row["what"] for row in summary["survivors"]],
                         ["points", "parameters that go together", "arch.acc_depth > 256",
                          "LUT at most 75 % of xc7z020's 53200", "FF at most 75 % of xc7z020's 106400",
                          "DSP at most 50 % of xc7z020's 220", "BRAM at most 90 % of xc7z020's 140", "clock at most 100 % of the prediction for xc7z020"])
        self.assertEqual([row["left"] for row in summary["survivors"]], [16, 16, 8, 8, 8, 4, 4, 4])
        for point in summary["points"]:
            self.assertAlmostEqual(point["area"], max(point["predicted"]["lut"] / 53200, point["predicted"]["dsp"] / 220,
                                                point["predicted"]["ff"] / 106400, point["predicted"]["bram"] / 140))
        self.space(constraints={"part": "xc7z020", "clock": 0.01})
        self.refused("s.json: constraints = clock at most 1 % of the prediction for xc7z020: leaves no point of the space: block_in=8 acc_depth=256")
        self.space(constraints={"part": "xc7z020", "clock": 1e308})
        self.refused("s.json: constraints.clock = 1e+308: must be at most 100")
        self.space(constraints={"part": ""})
        self.refused('s.json: constraints.part = "": must name a part')
        self.space(constraints={"clock": 1})
        self.refused("s.json: constraints.clock = 1: needs a part")
        self.space(constraints={"scratchpad_bytes": 10})
        self.refused("s.json: constraints = scratchpads of 10 bytes at most: leaves no point of the space: block_in=8 acc_depth=256")
        self.space(constraints={"part": "xc7z010"})
        self.refused("s.json: constraints.part = xc7z010: must be one of xc7z020")
        self.space(constraints={"bram": 0.5})
        self.refused("s.json: constraints.bram = 0.5: needs a part")
        self.space(constraints={"where": ["1 / (arch.acc_depth - 256) > 0"]})
        self.assertEqual([row["left"] for row in self.explore(folder="w")["survivors"]], [16, 16, 8])
        self.space(constraints={"min_fps": 1e9})
        shutil.rmtree(self.path("d"))
        self.refused("none could be costed, or keeps to the constraints")

    def test_workloads(self):
        self.space(memory={"preset": "pynq"})
        both = ["explore", "m.onnx", "resnet_tiny", "--space", "s.json", "--json", "--no-pruning", "--confirm", "0", "--reports", "0"]
        one = json.loads(self.done(*both, "-o", "a", "--weights", "3,1"))
        self.assertEqual([row["weight"] for row in one["networks"]], [3, 1])
        for point in one["points"]:
            self.assertEqual(*[network["cycles"] for network in point["networks"]])
        status, _, errors = self.run_tool(*both, "-o", "b", "--weights", "3")
        self.assertEqual(status, 2)
        self.assertIn("--weights", errors)


if __name__ == "__main__":
    tool.main()
