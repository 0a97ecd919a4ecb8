"""Searches whose trials are made on another machine: vta tune --export, vta measure, vta tune --import."""

import contextlib
import json
import os
import re
import subprocess
import time
import unittest

import numpy
import onnx.utils

import gpu_device
import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
MODEL = "two.onnx"  # its first two layers, which are the tasks
KEY = "target", "workload", "arch", "space"
SUM = ', "sum": "'


def sum_of(text):
    state = 0xcbf29ce484222325
    for byte in len(text).to_bytes(8, "little") + text:
        state = (state ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return f"0x{state:016x}"


def sealed(line):
    """A line of a batch or a log."""
    text = json.dumps({key: value for key, value in line.items() if key != "sum"}, separators=(",", ":"))[:-1]
    return text + SUM + sum_of(text.encode()) + '"}\n'


def children_of(process):
    children = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/{process}/task/{thread}/children", encoding="utf-8") as file:
            children += file.read().split()
    return children


def seconds_of(process):
    """That it has had of a CPU; nothing where it is no more."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return None
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def expand(parts):
    """The constants of a batch's line."""
    made = bytearray()
    for part in parts:
        if isinstance(part, str):
            made += bytes.fromhex(part)
        else:
            back, count = part
            for _ in range(count):
                made.append(made[-back])
    return bytes(made)


def decision(line):
    return (*(line[key] for key in KEY), line["point"])


class ElsewhereTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        onnx.utils.extract_model(DIGITS, self.path(MODEL), ["image"], ["conv2_relu_dequantized"])

    def lines(self, name):
        return [json.loads(line) for line in self.read(name).decode().splitlines()]

    def write_lines(self, name, lines):
        self.write(name, "".join(map(sealed, lines)))

    def tune(self, *words, target="opencl", model=MODEL):
        return self.done("tune", model, "--target", target, "--log", "l.jsonl", "--quiet", *words)

    def candidates(self, name):
        """Of a batch: those that are to be measured."""
        head, *lines = self.lines(name)
        self.assertEqual(head["lines"], len(lines))
        return [line for line in lines if "cost" not in line]

    def keep(self, batch, *steps):
        """A batch of these tasks alone: less to measure. The lines."""
        head, *lines = self.lines(batch)
        lines = [line for line in lines if line["step"] in steps]
        self.write_lines(batch, [{**head, "lines": len(lines)}, *lines])
        return lines

    def begin_sums(self, line, text):
        """The code of a batch's line, otherwise."""
        line["code"], count = re.subn(r"(?<=\w\] )= 0;", text, line["code"])
        self.assertGreater(count, 0)
        line["package"]["modules"][0]["bytes"] = len(line["code"])

    def hang(self, line):
        self.begin_sums(line, "= 0; for (volatile int i = 1; i != 0;) {}")

    def play(self, batch, results, cost=lambda line: 1000 + line["estimate"]):
        """Results as some GPU may have them."""
        played = []
        for line in self.candidates(batch):
            entry = {key: value for key, value in line.items() if key not in ("macs", "package", "constants", "code", "sum")}
            played.append({**entry, "measured_on": "0x00000000000000aa", "cost": cost(line)})
        self.write_lines(results, played)
        return played

    def test_what_a_batch_holds(self):
        out = self.tune("--export", "b", "--trials", "8", "--jobs", "3", target="cuda")
        self.assertRegex(out, r"(?m)^\[Task  1/2\]  Current/Best:    0\.00/   0\.00 GFLOPS \| Progress: \(0/8\) \| [0-9.]+ s Done\.$")
        self.assertRegex(out, r"(?m)^2 tasks, 16 candidates in [0-9.]+ s; b$")
        head, *lines = self.lines("b")
        self.assertEqual((head["batch_of"], head["version"], head["target"], head["lines"]), (MODEL, 1, "cuda", 16))
        for line in lines:
            self.assertEqual([module["features"] for module in line["package"]["modules"]], [["sm_80"], ["sm_70"]])
            self.assertEqual(line["code"].count(".visible .entry "), 2)
            self.assertGreater(len(line["features"]), 10)
            self.assertNotIn("cost", line)
            self.assertEqual(len(expand(line["constants"])), line["package"]["arena_bytes"] - line["package"]["constants_offset"])
        self.assertEqual(len(set(map(decision, lines))), 16)
        self.assertEqual(self.read("l.jsonl"), b"")
        # The same bytes each time, in the place of what was there.
        before = self.read("b")
        self.write("b", "older")
        self.tune("--export", "b", "--trials", "8", "--jobs", "1", target="cuda")
        self.assertTrue(self.read("b") == before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["b", "l.jsonl", MODEL])
        for words, count in ([], 16), (["--trials", "24"], 24), (["--trials", "1"], 8):
            self.tune("--export", "b", *words)
            self.assertEqual(len(self.candidates("b")), 2 * count)
        # What is long there repeats itself.
        self.tune("--export", "b", "--trials", "1", model=DIGITS)
        lines = self.candidates("b")
        self.assertLess(max(len(str(line["constants"])) for line in lines), 8000)
        self.assertGreater(max(len(expand(line["constants"])) for line in lines), 16000)

    def test_rounds_never_export_what_the_log_has(self):
        exported = []
        for number in range(3):
            self.tune("--export", "b", "--trials", "16", *([] if number == 0 else ["--import", "r"]))
            batch = self.candidates("b")
            self.assertEqual(len(batch), 2 * 16)
            exported += batch
            self.assertEqual(len(set(map(decision, exported))), len(exported))
            # Outputs of later rounds are held to those of the first candidate, which comes along.
            known = [line for line in self.lines("b")[1:] if "cost" in line]
            self.assertEqual([line["point"] for line in known], [line["point"] for line in exported[:32:16]] if number else [])
            self.play("b", "r")
        out = self.tune("--import", "r")
        self.assertRegex(out, r"^32 results, 32 of them new; l\.jsonl\n")
        self.assertRegex(out, r"(?m)^conv1 +1 +[^ ]+ +48 ")
        log = self.lines("l.jsonl")
        self.assertEqual(list(map(decision, log)), list(map(decision, exported)))
        before = self.read("l.jsonl")
        self.assertRegex(self.tune("--import", "r"), r"^32 results, 0 of them new; l\.jsonl\n")
        self.assertTrue(self.read("l.jsonl") == before)
        # What is proposed is not what the estimates alone say.
        by_estimate = self.path("other.jsonl")
        self.done("tune", MODEL, "--target", "opencl", "--log", by_estimate, "--quiet", "--export", "b", "--trials", "48")
        self.assertNotEqual(set(map(decision, self.candidates("b"))), set(map(decision, exported)))
        # A compile takes what was found.
        self.play("b", "r", lambda line: 1 if line["point"] == exported[17]["point"] else 5000)
        for words in ([], ["--log", "l.jsonl"]):
            self.done("compile", MODEL, "--target", "opencl", "-o", f"{len(words)}.vta", *words)
        self.assertFalse(self.read("0.vta") == self.read("2.vta"))

    def test_each_gpu_by_itself(self):
        """What one took says nothing of another: the log's last one counts, for a batch and for a compile."""
        self.tune("--export", "b", "--trials", "8")
        first = self.play("b", "r", lambda line: 1)
        self.tune("--import", "r")
        other = [{**entry, "measured_on": "0x00000000000000bb", "cost": 9000 - i} for i, entry in enumerate(first[1::2])]
        self.write_lines("r", other)
        self.tune("--import", "r", "--export", "b", "--trials", "8")
        exported = set(map(decision, self.candidates("b")))
        self.assertFalse(exported & set(map(decision, other)))
        self.assertTrue(exported >= set(map(decision, first[::2])))
        packages = []
        for log in "l.jsonl", "r":
            self.done("compile", MODEL, "--target", "opencl", "--log", log, "-o", "g.vta")
            packages.append(self.read("g.vta"))
        self.assertTrue(packages[0] == packages[1])

    def test_the_model_learns_from_results(self):
        """Where tiles of many threads are the quick ones, more of them are proposed."""
        def threads(line):
            tile = dict(word.split("=") for word in line["point"].split())
            return int(tile["outputs"]) // int(tile["thread_outputs"]) * (int(tile["places"]) // int(tile["thread_places"]))
        for number in range(3):
            self.tune("--export", "b", "--trials", "32", *([] if number == 0 else ["--import", "r"]))
            batch = [line for line in self.candidates("b") if line["step"] == "conv2"]
            if number == 0:
                first = batch
            self.play("b", "r", lambda line: 100_000 // threads(line))
        self.assertGreater(sorted(map(threads, batch))[16], sorted(map(threads, first))[16])

    def test_what_is_not_an_import(self):
        self.tune("--export", "b")
        entries = self.play("b", "r")
        tune = ["tune", MODEL, "--target", "opencl", "--log", "l.jsonl", "--import", "bad"]
        text = self.read("r").decode()

        def fails(message, content):
            self.write("bad", content)
            self.fails("bad" + message, *tune)
        fails(":32: line: was cut or edited: its sum is not that of what stands before it", text[:-9])
        fails(":2: line: was cut or edited: its sum is not that of what stands before it", text.replace('"step"', '"stop"').replace('"stop"', '"step"', 1))
        fails(": has no results", "")
        fails(":1: workload: is missing", self.read("b"))

        def changed(number, **values):
            return "".join(sealed({**entry, **values} if i == number else entry) for i, entry in enumerate(entries))
        fails(":3: target = cuda: must be opencl, that of --target", changed(2, target="cuda"))
        fails(":4: measurer = native: must be gpu, as vta measure writes it", changed(3, measurer="native"))
        fails(":5: workload = conv2d 1: must be one of the model's 2 tasks", changed(4, workload="conv2d 1"))
        for key in "arch", "space":
            fails(f":6: {key} = 0x0000000000000001: must be {entries[5][key]}: the batch is another version's", changed(5, **{key: "0x" + "0" * 15 + "1"}))
        for point in "outputs=3", entries[0]["point"].replace("team=1", "team=3"), "":
            fails(f":7: point{f' = {point}' if point else ''}: must be a point of its task's space", changed(6, point=point))
        fails(":8: version = 2: must be an integer in [1, 1]", changed(7, version=2))
        fails(":9: cost = 0: must be an integer in [1, 9223372036854775807]", changed(8, cost=0))
        # Nothing of such a file is taken.
        self.assertEqual(self.read("l.jsonl"), b"")

    def test_what_is_refused(self):
        self.write("r", "")
        for words, message in (
            (["--target", "cpu", "--export", "b"], "--export: b: is of trials on a GPU: --target cuda, or opencl"),
            (["--import", "r"], "--import: r: is of trials on a GPU: --target cuda, or opencl"),
            (["--target", "cuda", "--export", "b", "--device", "cuda:0"], "--device: cuda:0: is for vta measure to say: with --export nothing runs here"),
            (["--target", "cuda", "--import", "r", "--budget", "9"], "--budget: 9: is of trials that are made here: with --import there are none"),
            (["--target", "cuda", "--export", "l"], "l: output: is named twice"),
            (["--target", "cuda", "--import", "l"], "l: output: is also an input, which it would replace"),
        ):
            self.refuses(message, "tune", MODEL, "--log", "l", *words)
        self.fails("none/b: cannot write: No such file or directory", "tune", MODEL, "--log", "l", "--target", "cuda", "--export", "none/b")
        self.refuses("--output: r: has the results of one batch", "measure", "a", "b", "-o", "r")
        self.refuses("a: output: is also an input, which it would replace", "measure", "a", "-o", "a")

    def test_what_is_no_batch(self):
        self.tune("--export", "b")
        head, *lines = self.lines("b")
        text = self.read("b").decode()

        def fails(message, content):
            self.write("bad", content)
            self.fails("bad" + message, "measure", "bad", "-o", "r")
        cut = "line: was cut or edited: its sum is not that of what stands before it"
        fails(": is no batch, as vta tune --export writes it", "")
        fails(": is no batch, as vta tune --export writes it", b"VTAPKG02")
        fails(f":1: {cut}", text.replace('"opencl"', '"openci"', 1))
        fails(f":33: {cut}", text[:-100])
        fails(f":3: {cut}", text.replace(lines[1]["point"], lines[2]["point"]))
        fails(": lines = 31: must be the 32 of its head: it was cut or edited", "".join(text.splitlines(keepends=True)[:-1]))

        def changed(number=None, **values):
            return "".join(sealed({**line, **values} if i == number else line) for i, line in enumerate([head, *lines]))
        fails(":1: version = 2: must be an integer in [1, 1]", changed(0, version=2))
        fails(':1: target = "cpu": must be that of a GPU', changed(0, target="cpu"))
        fails(':2: target = "cuda": must be opencl, that of the batch', changed(1, target="cuda"))
        fails(":3: version = 2: must be an integer in [1, 1]", changed(2, version=2))
        size = len(expand(lines[2]["constants"]))
        for parts in [5], ["0"], ["zz"], ["00" * (size + 1)], [[1, 1]], ["00", [2, 1]], ["00", [1, 0]], ["00", [1, size]], ["00", [1]], ["00", [1, 1, 1]]:
            text = json.dumps(parts, separators=(",", ":"))
            fails(f":4: constants = {text if len(text) <= 60 else text[:57] + '...'}: must be digits and references of {size} bytes", changed(3, constants=parts))
        fails(f":4: constants = [\"00\"]: must be {size} bytes", changed(3, constants=["00"]))
        fails(":5: code = 5: must be a string", changed(4, code=5))
        fails(":6: package: must be there, or a failure in its place", changed(5, failure="x"))
        fails(":7: more: unknown key; known here: version, target, workload, arch, space, measurer, measured_on, machine, compiler, step, point, estimate, "
              "times, features, features_of, cost, failure, sum, macs, package, code, constants", changed(6, more=1))
        package = lines[7]["package"]
        fails(":9: package: kernels[0].threads = 0: must be an integer in [1, 1024]", changed(8, package={**package, "kernels": [{**package["kernels"][0], "threads": 0}]}))

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_rounds_on_opencl(self):
        gpu_device.keep_cache_of_opencl(self)
        measured = set()
        for number, steps in enumerate((("conv1", "conv2"), ("conv2",))):
            self.tune("--export", "b", "--trials", "8", *([] if number == 0 else ["--import", "r"]))
            lines = self.keep("b", *steps)
            out = self.done("measure", "b", "-o", "r", "--quiet", "--limit", "120")
            of, count = len(steps), len(lines) // len(steps)
            self.assertRegex(out, rf"(?m)^\[Task +{of}/{of}\]  Current/Best: .* GFLOPS \| Progress: \({count}/{count}\) \| [0-9.]+ s Done\.$")
            self.assertRegex(out, rf"(?m)^.*: {of} tasks?, {8 * of} trials in [0-9.]+ s; r$")
            results = self.lines("r")
            self.assertEqual([entry.get("failure", "no cost") for entry in results if not entry.get("cost", 0) > 0], [])
            measured |= {decision(line) for line in lines}
            self.assertEqual({decision(entry) for entry in results}, measured)
            self.assertEqual({entry["times"] for entry in results if "times" in entry}, {5})
        self.assertEqual(len(measured), 24)
        out = self.tune("--import", "r")
        self.assertRegex(out, r"(?m)^conv2 +1 +[^ ]+ +16 ")
        # Who has the device here goes on from there.
        self.assertIn(", 0 trials in ", self.tune("--trials", "8"))
        self.done("compile", MODEL, "--target", "opencl", "--log", "l.jsonl", "-o", "tuned.vta")
        self.done("run", "tuned.vta", "--quiet", "--output", "tuned.npy")
        self.done("run", MODEL, "--quiet", "--target", "cpu", "--exact", "--output", "plain.npy")
        self.assertTrue((numpy.load(self.path("tuned.npy")) == numpy.load(self.path("plain.npy"))).all())

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_candidates_that_hang_or_err(self):
        gpu_device.keep_cache_of_opencl(self)
        self.tune("--export", "b", "--trials", "8")
        lines = self.keep("b", "conv1")
        self.begin_sums(lines[1], "= 4096;")
        self.hang(lines[3])
        self.begin_sums(lines[5], "= nothing();")
        lines[6] = {key: value for key, value in lines[6].items() if key not in ("package", "constants", "code")} | {"failure": "cannot be made"}
        self.write_lines("b", [self.lines("b")[0], *lines])
        out = self.done("measure", "b", "-o", "r", "--quiet", "--limit", "40")
        self.assertRegex(out, r"(?m)^.*: 1 task, 8 trials in ")
        results = self.lines("r")
        failures = {entry["point"]: entry["failure"] for entry in results if "failure" in entry}
        expected = {1: r"^trial: outputs: must be those of the first trial$", 3: r"^opencl:0: gave no answer in 40 s", 5: r"^opencl:0: measure: failed: ", 6: r"^cannot be made$"}
        self.assertEqual(set(failures), {lines[number]["point"] for number in expected})
        for number, message in expected.items():
            self.assertRegex(failures[lines[number]["point"]], message)
        self.assertEqual(len({entry["point"] for entry in results if "cost" in entry}), 4)
        # What is there is not measured again.
        before = self.read("r")
        self.assertIn(", 0 trials in ", self.done("measure", "b", "-o", "r", "--quiet"))
        self.assertTrue(self.read("r") == before)
        # A run that was cut short goes on; what it left of a line is said.
        first, second, _ = before.decode().split("\n", 2)
        self.write("r", f"{first}\n{second}\n")
        self.assertIn(", 6 trials in ", self.done("measure", "b", "-o", "r", "--quiet", "--limit", "4"))
        self.assertEqual({decision(entry) for entry in self.lines("r")}, {decision(line) for line in lines})
        self.write("r", f"{first}\n{second[:50]}")
        self.assertEqual(self.run_tool("measure", "b", "-o", "r", "--quiet"), (1, "", "vta: r:2: line: was cut or edited: its sum is not that of what stands before it\n"))
        # They are in the log, and not exported again.
        self.write("r", before)
        self.tune("--import", "r", "--export", "c", "--trials", "8")
        self.assertEqual({decision(line) for line in self.candidates("c")} & {decision(line) for line in lines}, set())

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_a_run_that_is_killed(self):
        gpu_device.keep_cache_of_opencl(self)
        self.tune("--export", "b", "--trials", "8")
        self.keep("b", "conv1", "conv2")
        with subprocess.Popen([tool.TOOL, "measure", "b", "-o", "r"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.readline()  # of the first task that is done
            process.kill()
        count = len({decision(entry) for entry in self.lines("r")})
        self.assertGreaterEqual(count, 8)
        self.assertIn(f", {16 - count} trials in ", self.done("measure", "b", "-o", "r", "--quiet"))

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_where_all_fail(self):
        """It may be the machine: that is said."""
        gpu_device.keep_cache_of_opencl(self)
        self.tune("--export", "b", "--trials", "8")
        lines = self.keep("b", "conv1")
        for line in lines:
            self.begin_sums(line, "= nothing();")
        self.write_lines("b", [self.lines("b")[0], *lines])
        status, out, errors = self.run_tool("measure", "b", "-o", "r", "--quiet", "--limit", "120")
        self.assertIn(": 1 task, 8 trials in ", out)
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"^vta: r: candidates = 8: all failed, the first: opencl:0: measure: failed: ")
        self.assertEqual(len(self.lines("r")), 8)

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_a_kernel_that_hangs_ends_with_its_run(self):
        """Also where the run has no time to see to that."""
        gpu_device.keep_cache_of_opencl(self)
        self.tune("--export", "b", "--trials", "8")
        lines = self.keep("b", "conv1")
        self.hang(lines[0])
        self.write_lines("b", [self.lines("b")[0], *lines])
        with subprocess.Popen([tool.TOOL, "measure", "b", "-o", "r"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            children = []
            while not (children and seconds_of(children[0]) > 1.5) and time.monotonic() < deadline:
                children = children_of(process.pid)
                time.sleep(0.05)
            process.kill()
        self.assertEqual(len(children), 1)
        while seconds_of(children[0]) is not None and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertIsNone(seconds_of(children[0]))

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_a_batch_of_another_kind(self):
        self.tune("--export", "b", "--trials", "8", target="cuda")
        self.fails("b: target = cuda: must be opencl, for opencl:0", "measure", "b", "-o", "r", "--device", "opencl:0")


if __name__ == "__main__":
    tool.main()
