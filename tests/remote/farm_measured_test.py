"""Searches whose trials a machine of a farm measures: on it alone, one at a time, and what others took is none of its costs.

usage: farm_measured_test.py TOOL SOURCE_FOLDER
"""

import os
import re
import signal
import socket
import sys
import time
import unittest

sys.path.insert(0, os.path.join(sys.argv[2], "tests/remote"))

import farm  # noqa: E402
import gpu_device  # noqa: E402
import onnx_bytes  # noqa: E402
import tool  # noqa: E402

HOST = re.sub(r"[^A-Za-z0-9-]", "_", socket.gethostname())
# A network of one task.
PRODUCT = onnx_bytes.model([onnx_bytes.node("MatMul", ["a", "b"], ["y"], "product")],
                           [onnx_bytes.value_info("a", [16, 32]), onnx_bytes.value_info("b", [32, 16])], [onnx_bytes.value_info("y", [16, 16])])
LOCK = "\0vta measures"  # of all that measures on this machine
KEY = ("target", "workload", "arch", "space", "measurer", "measured_on")


class MeasuredTest(farm.FarmTest):
    def measuring(self, url, what, *words):
        return self.working("worker", "--nats", url, "--measure", what, *words)

    def tune(self, model, log, *words):
        status, out, errors = self.run_tool("tune", model, "--trials", "8", "--log", log, *words)
        self.assertEqual((status, errors), (0, ""))
        return out

    def tried(self, out):
        return int(re.search(r"(?m)^product +1 +\S+ +([0-9]+) ", out)[1])

    def test_kernels_of_a_cpu(self):
        self.write("f.onnx", PRODUCT)
        _, url = self.up()
        worker, _, machine = self.measuring(url, "native")
        self.assertRegex(machine, rf"^{HOST} \(cpu on .+\)$")
        there = ("--target", "cpu", "--farm", url)
        out = self.tune("f.onnx", "log.jsonl", *there)
        self.assertIn(f"measured on {machine}\n", out)
        self.assertIn(f"{url}: ", out)
        entries = self.entries("log.jsonl")
        self.assertEqual({entry.get("machine") for entry in entries}, {HOST})
        self.assertEqual({entry.get("times", 1) for entry in entries}, {1, 5})
        self.assertFalse([entry for entry in entries if "cost" not in entry])
        # They are what this machine would have tried, and a compile takes them.
        here = self.tune("f.onnx", "here.jsonl", "--target", "cpu")
        by = [{tuple(entry[key] for key in KEY) + (entry["point"],) for entry in self.entries(log) if "times" not in entry}
              for log in ("log.jsonl", "here.jsonl")]
        self.assertEqual(*by)
        self.assertEqual({entry.get("machine") for entry in self.entries("here.jsonl")}, {None})
        self.done("compile", "f.onnx", "--target", "cpu", "--log", "log.jsonl", "-o", "f.vta")
        # What the log has is not tried again there; here it is: it is another machine's, whatever its model is.
        self.assertEqual(self.tried(self.tune("f.onnx", "log.jsonl", *there)), 0)
        self.assertEqual(self.tried(here), 8)
        self.assertEqual(self.tried(self.tune("f.onnx", "log.jsonl", "--target", "cpu")), 8)
        worker.send_signal(signal.SIGTERM)
        said = worker.communicate(timeout=farm.PATIENCE)[0]
        self.assertRegex(said, r"^[1-9][0-9]* jobs in [1-9][0-9]* batches\n\Z")

    @unittest.skipUnless(os.environ.get("VTA_TEST_WHOLE") == "1" and gpu_device.has_opencl_device(),
                         "minutes: VTA_TEST_WHOLE=1, where an OpenCL device is")
    def test_kernels_of_a_gpu(self):
        gpu_device.keep_cache_of_opencl(self)
        model = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
        _, url = self.up()
        _, _, machine = self.measuring(url, "opencl:0")
        self.assertRegex(machine, rf"^{HOST}/opencl:0 \(opencl on .+\)$")
        self.tune(model, "log.jsonl", "--target", "opencl", "--farm", url, "--machine", f"{HOST}/opencl:0")
        entries = self.entries("log.jsonl")
        self.assertEqual({(entry["measurer"], entry["machine"]) for entry in entries}, {("gpu", f"{HOST}/opencl:0")})
        self.assertTrue(all(entry.get("cost", 0) > 0 for entry in entries), entries)
        self.done("compile", model, "--target", "opencl", "--log", "log.jsonl", "-o", "tuned.vta")

    def test_programs_of_an_engine(self):
        self.done("model", "resnet_tiny", "-o", "m.onnx")
        _, url = self.up()
        both = ("-c", "small_8x8")
        workers = [self.measuring(url, "cycle", *both) for _ in range(2)]
        name = f"{HOST}/cycle"
        self.assertEqual({machine for _, _, machine in workers}, {f"{name} (vta on small_8x8 on cycle)"})
        self.measuring(url, "cycle", "-c", "pynq")  # which runs none of these programs
        self.tune("m.onnx", "here.jsonl", *both, "--measure", "cycle")
        out = self.tune("m.onnx", "there.jsonl", *both, "--farm", url, "--machine", name)
        self.assertIn(" by 2 workers; 0 sent again, 0 set aside", out.replace("by 1 worker;", "by 2 workers;"))
        costs = [{(entry["workload"], entry["point"], entry["measured_on"]): entry["cost"] for entry in self.entries(log)}
                 for log in ("here.jsonl", "there.jsonl")]
        self.assertEqual(*costs)
        # Its workers have one message among them, others as many as they like.
        nats = self.nats(url)
        consumers = [nats.ask(f"$JS.API.CONSUMER.INFO.vta_jobs.{queue}")["config"]["max_ack_pending"]
                     for queue in nats.ask("$JS.API.CONSUMER.NAMES.vta_jobs")["consumers"]]
        self.assertEqual(consumers, [1, 1])
        # Where one ends the other goes on.
        search = self.begin("tune", "m.onnx", *both, "--trials", "40", "--log", "more.jsonl", "--farm", url, "--machine", name)
        self.wait_for("trials", lambda: os.path.exists(self.path("more.jsonl")) and self.read("more.jsonl"))
        workers[0][0].kill()
        _, errors = search.communicate(timeout=farm.PATIENCE)
        self.assertEqual(search.returncode, 0, errors)
        found = [(entry["workload"], entry["point"]) for entry in self.entries("more.jsonl") if "times" not in entry]
        self.assertEqual(len(found), len(set(found)))

    def test_nothing_else_measures_on_the_machine(self):
        self.write("f.onnx", PRODUCT)
        _, url = self.up()
        self.measuring(url, "native")
        with socket.socket(socket.AF_UNIX) as other:
            self.wait_for("the machine", lambda: self.holds(other))
            search = self.begin("tune", "f.onnx", "--target", "cpu", "--trials", "8", "--log", "l.jsonl", "--farm", url)
            nats = self.nats(url)
            queue, = nats.ask("$JS.API.CONSUMER.NAMES.vta_jobs")["consumers"]
            self.wait_for("trials in hand", lambda: nats.ask(f"$JS.API.CONSUMER.INFO.vta_jobs.{queue}")["num_ack_pending"] == 1)
            time.sleep(3)  # in which there would be answers
            self.assertEqual((search.poll(), nats.ask("$JS.API.STREAM.INFO.vta_results")["state"]["last_seq"]), (None, 0))
        _, errors = search.communicate(timeout=farm.PATIENCE)
        self.assertEqual(search.returncode, 0, errors)
        self.assertTrue(self.read("l.jsonl"))

    def holds(self, lock):
        try:
            lock.bind(LOCK)
        except OSError:  # another test has it
            return False
        return True

    def test_which_machine(self):
        self.done("model", "resnet_tiny", "-o", "m.onnx")
        self.write("f.onnx", PRODUCT)
        _, url = self.up()
        cpu, board = ("tune", "f.onnx", "--target", "cpu", "--log", "l"), ("tune", "m.onnx", "-c", "small_8x8", "--log", "l")
        short = ("--farm", url, "--farm-wait", "0.5")
        self.fails(f"{url}: machine = none: was there for 0.5 s to measure for --target cpu; there is: none", *cpu, *short)
        self.measuring(url, "cycle", "-c", "small_8x8")
        self.measuring(url, "functional", "-c", "small_8x8")
        there = f"{HOST}/cycle (vta on small_8x8 on cycle), {HOST}/functional (vta on small_8x8 on functional)"
        self.fails(f"{url}: machine = elsewhere: was there for 0.5 s to measure for --target vta with that config; there is: {there}",
                   *board, *short, "--machine", "elsewhere")
        self.fails(f"{url}: machine = {HOST}/cycle: was there for 0.5 s to measure for --target vta with that config; there is: {there}",
                   "tune", "m.onnx", "-c", "pynq", "--log", "l", *short, "--machine", f"{HOST}/cycle")
        self.fails(f"{url}: machine = none: was there for 0.5 s to measure for --target cpu; there is: none", *cpu, *short)
        # Without a machine the accelerator's costs are those of the cycle model, which these workers do not make.
        none = f"vta: {url}: workers = none: was there for 0.5 s: vta worker --nats {url} is one; --farm-wait waits longer\n"
        self.assertEqual(self.run_tool(*board, *short), (1, "", none))
        # What counts no cycles says so of each trial.
        status, out, _ = self.run_tool(*board, "--trials", "8", "--farm", url, "--machine", f"{HOST}/functional")
        self.assertEqual(status, 0)
        self.assertIn("functional: cycles: are not counted by that device", out)
        self.refuses("--measure: cycle: is of trials that are made here: with --farm, --machine names what measures them",
                     *board, "--measure", "cycle", *short)
        self.refuses("--jobs: 2: is of the cycle model's trials; what is measured runs one after the other", *cpu, "--jobs", "2", *short)
        self.refuses("--jobs: 2: is of trials that are not measured: with --measure there is one at a time",
                     "worker", "--nats", url, "--measure", "native", "--jobs", "2")
        self.refuses("--config: pynq: is of what --measure names", "worker", "--nats", url, "-c", "pynq")
        self.refuses(f"--measure: nothing must be one of native, cuda:N, opencl:N, {tool.ENGINES}", "worker", "--nats", url, "--measure", "nothing")


tool.main()
