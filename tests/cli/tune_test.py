"""vta tune: searches, their logs, and compiles that use them."""

import fcntl
import json
import os
import re
import subprocess

import tool

LINE = re.compile(r"\[Task +(\d+)/(\d+)\]  Current/Best: +([0-9.]+)/ *([0-9.]+) GFLOPS \| Progress: \((\d+)/(\d+)\) \| [0-9.]+ s Done\.")


def cycles(text):
    return int(text.replace(",", ""))


class TuneTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.done("model", "resnet_tiny", "-o", "m.onnx")

    def tune(self, *words, config="small_8x8", log="l.jsonl"):
        """The lines of tasks, the table's rows by task, and the last line; nothing on stderr."""
        status, out, errors = self.run_tool("tune", "m.onnx", "-c", config, "--log", log, *words)
        self.assertEqual((status, tool.PROGRESS.sub("", errors)), (0, ""), out)
        lines = out.splitlines()
        tasks = [LINE.fullmatch(line).groups() for line in lines if line.startswith("[Task")]
        head = re.split(r"  +", lines[len(tasks)])
        self.assertEqual(head, ["task", "steps", "space", "tried", "untuned", "best", "bound", "gain %"])
        rows = {row[0]: row for row in (re.split(r"  +", line) for line in lines[len(tasks) + 2:-1])}
        return tasks, rows, lines[-1]

    def cycles_of(self, *words):
        self.done("compile", "m.onnx", "-c", "small_8x8", "-o", "m.vta", *words)
        self.assertEqual(self.run_tool("run", "m.vta", "--engine", "cycle", "--apart", "--report", "r.json")[0], 0)
        report = self.document("vta-report", self.read("r.json"))
        return {layer["name"]: layer["cycles"] for layer in report["layers"] if layer["where"] == "vta"}

    def entries(self, log="l.jsonl"):
        return [json.loads(line) for line in self.text(log).splitlines()]

    def text(self, name):
        return self.read(name).decode()

    def test_search_log_and_compile(self):
        tasks, rows, last = self.tune("--trials", "12")
        self.assertGreater(len(tasks), 5)
        self.assertEqual([int(number) for number, *_ in tasks], list(range(1, len(tasks) + 1)))
        self.assertEqual({int(of) for _, of, *_ in tasks}, {len(tasks)})
        entries = self.entries()
        self.assertEqual(sum(int(tried) for *_, tried, _ in tasks), len(entries))
        self.assertIn(f"{len(tasks)} tasks, {len(entries)} trials in ", last)
        by_step = {}
        for entry in entries:
            by_step.setdefault(entry["step"], []).append(entry)
        for step, tried in by_step.items():
            best = min(entry["cost"] for entry in tried)
            self.assertEqual(cycles(rows[step][5]), best)
            # No point twice, and what a compile takes without a log is among the first.
            self.assertEqual(len({entry["point"] for entry in tried}), len(tried))
            self.assertEqual(cycles(rows[step][4]), min(entry["cost"] for entry in tried[:8]))
            self.assertLessEqual(cycles(rows[step][6]), best)
            self.assertGreaterEqual(float(rows[step][2]), len(tried))
        # The compile takes what was found: each layer by itself is as quick as its trial, or nearly,
        # for it lies elsewhere in memory.
        without, with_log = self.cycles_of(), self.cycles_of("--log", "l.jsonl")
        for step, tried in by_step.items():
            best = min(entry["cost"] for entry in tried)
            self.assertLess(abs(with_log[step] - best), max(0.01 * best, 40), step)
            self.assertLess(with_log[step], 1.005 * without[step], step)
        self.assertLessEqual(sum(with_log.values()), sum(without.values()))

    def test_page(self):
        """What the page shows is what the log and the table have; a browser's test is in page_test.py."""
        _, rows, _ = self.tune("--trials", "12", "--html", "t.html")
        text = re.search('<script type="application/json" id="data">(.*?)</script>', self.text("t.html"), re.S)[1]
        data = json.loads(text)
        self.assertEqual((data["model"], data["config"], data["measurer"], data["effort"]), ("m.onnx", "small_8x8", "cycle", 8))
        self.assertEqual([(task["step"], trial["point"], trial["estimate"], trial["cost"]) for task in data["tasks"] for trial in task["trials"]],
                         [(entry["step"], entry["point"], entry["estimate"], entry["cost"]) for entry in self.entries()])
        for task in data["tasks"]:
            row = rows[task["step"]]
            self.assertEqual([f"{task[key]:,}" for key in ("untuned", "best", "bound")], row[4:7])
            self.assertIn({"point": task["point"], "cost": task["best"]}, [{"point": one["point"], "cost": one["cost"]} for one in task["trials"]])
        self.refuses("m.onnx: output: is also an input, which it would replace", "tune", "m.onnx", "--log", "l", "--html", "m.onnx")

    def test_on_the_cpu(self):
        """Kernels are measured where they run; what a log has does not change a byte of what they compute."""
        self.done("model", "mobilenet_tiny", "--type", "float", "-o", "f.onnx")
        status, out, errors = self.run_tool("tune", "f.onnx", "--target", "cpu", "--log", "c.jsonl", "--trials", "8")
        self.assertEqual((status, tool.PROGRESS.sub("", errors)), (0, ""), out)
        entries = self.entries("c.jsonl")
        self.assertEqual({(entry["target"], entry["measurer"], entry.get("times", 1)) for entry in entries}, {("cpu", "native", 1), ("cpu", "native", 5)})
        self.assertEqual([entry for entry in entries if entry.get("cost", 0) <= 0], [])
        best = {entry["step"]: entry["point"] for entry in sorted(entries, key=lambda entry: -entry["cost"]) if entry.get("times") == 5}
        self.assertGreater(len(best), 8)
        outputs = []
        for words in (), ("--log", "c.jsonl"):
            self.done("compile", "f.onnx", "--target", "cpu", "-o", "f.vta", *words)
            self.assertEqual(self.run_tool("run", "f.vta", "--output", "out.bin")[0], 0)
            outputs.append(self.read("out.bin"))
        self.assertEqual(*outputs)
        # After a batch of the lowest estimates the cost model proposes, from features that the log has.
        before = self.text("c.jsonl")
        self.assertEqual(self.run_tool("tune", "f.onnx", "--target", "cpu", "--log", "c.jsonl", "--trials", "20")[0], 0)
        self.assertTrue(self.text("c.jsonl").startswith(before))
        entries = self.entries("c.jsonl")
        self.assertEqual(len({(entry["features_of"], len(entry["features"])) for entry in entries}), 1)
        tried = {}
        for entry in entries:
            tried.setdefault(entry["step"], set()).add(entry["point"])
        self.assertEqual(max(len(points) for points in tried.values()), 20)

    def test_searches_beside_random_ones(self):
        """What was measured once is not measured again, and then all is as it was."""
        command = ["bench", "search", "mobilenet_tiny", "--log", "b.jsonl", "--trials", "18", "--seeds", "1"]
        first, again = self.run_tool(*command), self.run_tool(*command)
        self.assertEqual((first[0], again[0]), (0, 0), first[2])
        self.assertIn(f", {len(self.entries('b.jsonl'))} trials now; b.jsonl", first[1].splitlines()[-1])
        self.assertIn(", 0 trials now; b.jsonl", again[1].splitlines()[-1])
        self.assertEqual(first[1].splitlines()[:-1], again[1].splitlines()[:-1])
        self.assertIn("the model's search is ahead in ", again[1])
        self.refuses("--log is required", "bench", "search")

    def test_a_search_goes_on(self):
        tasks, _, _ = self.tune("--trials", "16")
        before = self.text("l.jsonl")
        again, rows, last = self.tune("--trials", "16")
        self.assertEqual([task[3:] for task in again], [task[3:] for task in tasks])
        self.assertIn(", 0 trials in ", last)
        self.assertEqual(self.text("l.jsonl"), before)
        self.assertEqual({row[3] for name, row in rows.items() if name != "all steps"}, {"0"})
        self.tune("--trials", "20")
        self.assertTrue(self.text("l.jsonl").startswith(before))
        self.assertGreater(len(self.text("l.jsonl")), len(before))
        # A search that is cut short has what was tried until then.
        lines = before.splitlines(keepends=True)
        self.write("cut.jsonl", "".join(lines[:20]) + lines[20][:30])
        status, out, errors = self.run_tool("tune", "m.onnx", "-c", "small_8x8", "--log", "cut.jsonl", "--trials", "16")
        self.assertEqual(status, 0, errors)
        self.assertIn("vta: left out: cut.jsonl:21: line: was cut or edited", errors)
        self.assertIn(f", {len(lines) - 20} trials in ", out)
        self.assertEqual(sorted(self.text("cut.jsonl").splitlines()), sorted([*before.splitlines(), lines[20][:30]]))

    def test_jobs_change_nothing(self):
        for config in "small_8x8", "large_64x64":  # on whose bus fetch reads four instructions at once
            logs, packages = [], []
            for jobs in "1", "3":
                log = f"{config}.{jobs}"
                self.tune("--trials", "12", "--jobs", jobs, config=config, log=log)
                logs.append(self.text(log))
                self.done("compile", "m.onnx", "-c", config, "-o", "m.vta", "--jobs", jobs)
                packages.append(self.read("m.vta"))
            self.assertEqual(*logs)
            self.assertEqual(*packages)
            # No program fails.
            self.assertEqual([entry for entry in self.entries(log) if "cost" not in entry], [])

    def test_effort(self):
        costs = []
        for effort in "0", "8", "24":
            self.done("compile", "m.onnx", "-c", "small_8x8", "-o", "m.vta", "--effort", effort)
            self.assertEqual(self.run_tool("run", "m.vta", "--engine", "cycle", "--report", "r.json")[0], 0)
            report = self.document("vta-report", self.read("r.json"))
            costs.append(sum(layer["cycles"] for layer in report["layers"] if layer["where"] == "vta"))
        self.assertGreater(costs[0], 1.001 * costs[1])
        self.assertGreaterEqual(1.002 * costs[1], costs[2])

    def test_budget_and_ends(self):
        _, rows, _ = self.tune("--trials", "1000", "--budget", "0.001")
        self.assertIn("budget spent", [row[-1] for row in rows.values()])
        _, rows, _ = self.tune("--trials", "40", log="other")
        self.assertIn("candidates exhausted", [row[-1] for row in rows.values()])

    def test_logs_of_other_configs_do_not_count(self):
        tasks, _, _ = self.tune("--trials", "1")
        self.assertEqual({task[4:] for task in tasks}, {("8", "8")})  # what a compile looks at, at least
        _, _, last = self.tune("--trials", "8", config="default")
        self.assertNotIn(", 0 trials", last)
        self.assertEqual(len({entry["arch"] for entry in self.entries()}), 2)

    def test_what_is_refused(self):
        tune = ["tune", "m.onnx", "-c", "small_8x8"]
        self.refuses("--log is required", *tune)
        self.refuses("--trials: 0 must be an integer, 1 to 1000000", *tune, "--log", "l", "--trials", "0")
        self.refuses("--budget: 0 must be 0.001 to 1e9 seconds", *tune, "--log", "l", "--budget", "0")
        self.refuses("--effort: -1 must be an integer, 0 to 1000000", "compile", "m.onnx", "-o", "m.vta", "--effort", "-1")
        self.fails("none/l: cannot write: No such file or directory", *tune, "--log", "none/l")
        self.fails("none: cannot open: No such file or directory", "compile", "m.onnx", "-o", "m.vta", "--log", "none")
        self.fails("/proc/l: cannot open to write: No such file or directory", *tune, "--log", "/proc/l")
        self.done("compile", "m.onnx", "-o", "m.vta")
        self.fails("m.vta: is a package: it is compiled already", "tune", "m.vta", "--log", "l")

    def test_schedules_by_hand(self):
        """What a dump has of a layer is its schedule, and other schedules give the same numbers."""
        def compiled(name, *words):
            self.done("compile", "m.onnx", "-c", "small_8x8", "-o", name, *words)
            with open(self.path(name), "rb") as file:
                return file.read()

        def traces(folder):
            """Of the programs, by their layers."""
            names = self.cycles_of("--effort", "0")
            files = sorted(name for name in os.listdir(self.path(folder)) if name.endswith("_schedule.txt"))
            return dict(zip(names, (f"{folder}/{name}" for name in files)))

        first = compiled("0.vta", "--effort", "0", "--dump-dir", "0")
        compiled("24.vta", "--effort", "24", "--dump-dir", "24")
        words = [word for name, file in traces("0").items() for word in ("--schedule", f"{name}={file}")]
        self.assertGreater(len(words), 10)
        self.assertEqual(compiled("by_hand.vta", *words), first)
        others = [word for name, file in traces("24").items() for word in ("--schedule", f"{name}={file}")]
        self.assertNotEqual(compiled("others.vta", *others), first)
        for name in "0", "others":
            self.assertEqual(self.run_tool("run", f"{name}.vta", "--engine", "functional", "--output", name + ".out")[0], 0)
        self.assertEqual(self.read("0.out"), self.read("others.out"))

    def test_schedules_that_do_not_apply(self):
        command = ["compile", "m.onnx", "-c", "small_8x8", "-o", "m.vta"]
        self.write("t", "split y co 1\nsplit y nope 4  # there is none\n")
        why = "t: conv1: split y nope 4: loop = nope: block y has the loops"
        status, out, errors = self.run_tool(*command, "--schedule", "conv1=t")
        self.assertEqual((status, out), (1, ""))
        self.assertIn(f"vta: m.onnx: {why}", errors)
        status, out, errors = self.run_tool(*command, "--schedule", "conv1=t", "--schedule-fallback")
        self.assertEqual(status, 0)
        self.assertTrue(errors.startswith(f"vta: {why}"), errors)
        # What leaves something undone is refused where it is lowered.
        self.write("t", "split y oy 4\n")
        status, _, errors = self.run_tool(*command, "--schedule", "conv1=t")
        self.assertEqual(status, 1)
        self.assertIn("m.onnx: t: conv1: ", errors)
        self.fails("m.onnx: t: node = conv9: must be one of the network's steps", *command, "--schedule", "conv9=t")
        self.fails("none: cannot open: No such file or directory", *command, "--schedule", "conv1=none")
        self.refuses("--schedule: conv1: must be NODE=FILE", *command, "--schedule", "conv1")
        self.refuses("--schedule: conv1=t: gives a node a second trace", *command, "--schedule", "conv1=t", "--schedule", "conv1=t")

    def test_two_searches_on_one_log(self):
        with open(self.path("l.jsonl"), "w", encoding="utf-8") as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            self.fails("l.jsonl: another search writes this log: wait for it, or name another", "tune", "m.onnx", "--log", "l.jsonl")

    def test_killed_searches_leave_whole_lines(self):
        command = [tool.TOOL, "tune", "m.onnx", "-c", "small_8x8", "--log", "l.jsonl", "--trials", "100"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.readline()  # of the first task that is done
            process.kill()
        text = self.text("l.jsonl")
        self.assertTrue(text.endswith("\n"))
        self.assertGreater(len(self.entries()), 16)


if __name__ == "__main__":
    tool.main()
