"""Searches whose work a farm does: what they find is what one machine finds, and bad farms are one error.

usage: farm_test.py TOOL SOURCE_FOLDER OTHER_CLOCK
"""

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(sys.argv[2], "tests/remote"))

import farm  # noqa: E402
import tool  # noqa: E402

OTHER_CLOCK = sys.argv[3]
# Made for this test: what anyone may know of a key, and what its owner alone does.
KEY = {"public": "UBJQ6CT7HF3OXKO2KVXF5EGC5DSHS4OJTY3V4TEQ2AKLIAJC3CO4RDGP", "seed": "SUAG6BQRIPAZ3LLOWRUAITQVHH4YT4PERNPBVJYXMWVY5AM7GCX6F3ZVDQ"}
OTHER_SEED = "SUAGGVG543CLTWTYEQA6KFGXB77EQBYJGG4K24KR35HFOWSJO7QGGPN2SA"

SPACE = {
    "name": "tiny", "isa": "1.0",
    "arch": {"block_in": {"pow2": [8, 16]}, "block_out": {"expr": "arch.block_in"}, "requant": True, "requant_multiplier_bits": 16,
             "pad_value": True, "overwrite": True},
    "uarch": {"acc_banks": {"list": [1, 2]}, "multiplier": "packed"},
    "memory": {"preset": {"list": ["pynq"]}},
}


class FarmToolTest(farm.FarmTest):
    def setUp(self):
        super().setUp()
        self.done("model", "resnet_tiny", "-o", "m.onnx")

    def tune(self, log, *words):
        return self.run_tool("tune", "m.onnx", "-c", "small_8x8", "--trials", "24", "--log", log, *words)

    def test_what_is_found_is_what_one_machine_finds(self):
        _, url = self.up()
        # The clock of one is an hour behind.
        workers = [self.worker(url), self.worker(url, LD_PRELOAD=OTHER_CLOCK, VTA_TEST_CLOCK="-3600")]
        status, here, errors = self.tune("here.jsonl", "--jobs", "2")
        self.assertEqual((status, errors), (0, ""))
        status, there, errors = self.tune("there.jsonl", "--farm", url)
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(there, rf"(?m)^{url}: [0-9]+ trials in [0-9]+ messages by [12] workers?; 0 sent again, 0 set aside$")
        self.assertEqual(self.best(there), self.best(here))
        one, other = self.found("here.jsonl"), self.found("there.jsonl")
        self.assertEqual({key: other[key] for key in one}, one)
        # The log is what a search goes on from: there is nothing left to do.
        status, again, _ = self.tune("there.jsonl", "--farm", url)
        self.assertEqual((status, self.best(again)), (0, self.best(here)))
        self.assertIn(f"{url}: 0 trials in 0 messages by 0 workers", again)
        self.assertEqual(self.found("there.jsonl"), other)
        # Variants are costed by the same workers.
        self.write("s.json", json.dumps(SPACE))
        points = []
        for folder, words in (("here", ()), ("there", ("--farm", url))):
            status, out, errors = self.run_tool("explore", "m.onnx", "--space", "s.json", "-o", folder, "--json", "--confirm", "0", "--reports", "0",
                                                "--no-pruning", *words)
            self.assertEqual((status, errors), (0, ""))
            points.append(json.loads(out)["points"])
        self.assertEqual(*points)
        jobs = 0
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
            said = worker.communicate(timeout=farm.PATIENCE)[0]
            self.assertEqual(worker.returncode, 0)
            jobs += int(re.match(r"([0-9]+) jobs in [0-9]+ batches\n\Z", said)[1])
        self.assertGreaterEqual(jobs, len(other) + 4)

    def test_a_server_that_counts_its_messages_anew_gives_them_out(self):
        """As nats-server may, when it is killed while a queue is empty: what had been given out of it is then ahead."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]

        def serve():
            server = subprocess.Popen([farm.SERVER, "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", self.path("store")],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(server.wait)
            self.addCleanup(server.kill)
            self.wait_for("the server", lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
            return server

        server, url = serve(), f"nats://127.0.0.1:{port}"
        self.begin("worker", "--nats", url, "--jobs", "1")
        status, _, errors = self.tune("before.jsonl", "--farm", url)
        self.assertEqual((status, errors), (0, ""))
        server.kill()
        server.wait()
        lost = [os.path.join(folder, name) for folder, _, names in os.walk(self.path("store")) for name in names
                if re.search("/streams/vta_(jobs|results)/msgs$", folder)]
        self.assertGreater(len(lost), 0)
        for file in lost:
            os.remove(file)
        serve()
        status, _, errors = self.tune("after.jsonl", "--farm", url)
        self.assertEqual((status, errors), (0, ""))
        before, after = self.found("before.jsonl"), self.found("after.jsonl")
        self.assertEqual({key: after.get(key) for key in before}, before)

    def test_a_worker_told_to_end_waits_for_no_server(self):
        workers = []
        for wait in (0, 0.05, 0.5):  # before it asks for messages, while it asks for the first, and later
            server, url = self.up()
            workers.append(self.worker(url))
            time.sleep(wait)
            server.kill()  # the server that it began then ends in order
            server.wait()
        time.sleep(1)  # they look for the server, for which they have ten minutes
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        for worker in workers:
            said, _ = worker.communicate(timeout=farm.PATIENCE)
            self.assertEqual((worker.returncode, said), (0, "0 jobs in 0 batches\n"))

    def test_a_thousand_workers_wait_at_one_queue(self):
        _, url = self.up()
        worker = self.worker(url)
        name, *_ = self.consumers(self.nats(url))
        others = self.nats(url)
        others.hear("others.*")
        for i in range(1000):
            others.say(f"$JS.API.CONSUMER.MSG.NEXT.vta_jobs.{name}", json.dumps({"batch": 1, "expires": 300 * 10**9}), f"others.{i}")
        workers = [worker, self.worker(url)]
        self.wait_for("all", lambda: self.nats(url).ask(f"$JS.API.CONSUMER.INFO.vta_jobs.{name}")["num_waiting"] >= 1002)
        for each in workers:
            each.send_signal(signal.SIGTERM)
            said, _ = each.communicate(timeout=farm.PATIENCE)
            self.assertEqual((each.returncode, said), (0, "0 jobs in 0 batches\n"))

    def consumers(self, nats):
        """The names by which the jobs are given out."""
        names = []
        self.wait_for("a queue", lambda: names.extend(nats.ask("$JS.API.CONSUMER.NAMES.vta_jobs")["consumers"]) or names)
        return names

    def test_a_job_that_ends_its_process_is_set_aside(self):
        _, url = self.up()
        worker = self.worker(url, "--job-memory", "1M")
        status, out, errors = self.run_tool("tune", "m.onnx", "-c", "small_8x8", "--trials", "8", "--log", "l.jsonl", "--farm", url)
        self.assertEqual(status, 0, errors)
        self.assertRegex(errors, r"set aside: .+, 3 times")
        failures = {entry.get("failure", "") for entry in self.entries("l.jsonl")}
        self.assertTrue(all(failure.startswith("set aside: ") for failure in failures), failures)
        self.assertIsNone(worker.poll())

    def test_a_worker_of_another_build_is_refused(self):
        _, url = self.up()
        for folder in ("bin", "lib"):
            os.makedirs(self.path("other/" + folder))
        os.symlink(os.path.join(os.path.dirname(tool.TOOL), "../lib/vta"), self.path("other/lib/vta"))
        other = self.path("other/bin/vta")
        shutil.copy(tool.TOOL, other)
        with open(other, "ab") as file:
            file.write(b"another")
        foreign = self.begin("worker", "--nats", url, program=other)
        name = foreign.stdout.readline().split()[-1]
        build = r"vta [0-9.]+, 0x[0-9a-f]{16}"
        status, _, errors = self.tune("l.jsonl", "--farm", url)
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf"^vta: {url}: build = {build}: must be that of a worker: {url} has none of it; {name} is of {build}, and refused\n\Z")
        foreign.terminate()
        foreign.wait(farm.PATIENCE)
        # And it refuses itself where there is work of another build alone.
        self.worker(url)
        search = self.begin("tune", "m.onnx", "-c", "small_8x8", "--trials", "2000", "--log", "n.jsonl", "--farm", url)
        found = ""
        end = time.monotonic() + farm.PATIENCE
        while not found and time.monotonic() < end:
            self.assertIsNone(search.poll())
            try:
                found = subprocess.run([other, "worker", "--nats", url], capture_output=True, text=True, timeout=2).stderr
            except subprocess.TimeoutExpired:
                pass  # it works, for the search is not there yet
        self.assertRegex(found, rf"^vta: {url}: worker \S+ = {build}: is refused: the search there is of {build}\n\Z")
        search.kill()

    def test_two_answers_that_differ_are_an_alarm(self):
        _, url = self.up()
        liar = self.nats(url)
        liar.hear("vta.jobs.>")
        worker, name, _ = self.working("worker", "--nats", url, "--jobs", "1")
        search = self.begin("tune", "m.onnx", "-c", "small_8x8", "--trials", "24", "--log", "l.jsonl", "--farm", url)
        batch = json.loads(liar.next())
        answers = [{"key": hashlib.sha256(f"{batch['study']}\n{job}".encode()).hexdigest()[:32], "said": '{"cost":1000000007}'}
                   for job in batch["jobs"]]
        liar.say(f"vta.results.{batch['study']}",
                 json.dumps({"worker": "liar-1", "batch": batch["id"], "seconds": 1.0, "answers": answers}))
        _, errors = search.communicate(timeout=farm.PATIENCE)
        self.assertEqual(search.returncode, 1, errors)
        lie, truth = r'{"cost":1000000007}', r'{"cost":[0-9]+}'
        errors = tool.PROGRESS.sub("", errors)
        self.assertRegex(errors, "|".join(
            rf"^vta: {url}: what {one} says of a job = {said}: must be {other_said}, which {other} said: one of them counts wrongly, do not trust "
            r"either's log\n\Z" for one, said, other, other_said in ((name, truth, "liar-1", lie), ("liar-1", lie, name, truth))))
        worker.kill()

    def test_keys_of_nats(self):
        for seed in ("seed", "wrong"):
            os.mkdir(self.path(seed))
            self.write(f"{seed}/nkey", KEY["public"] + "\n")
        self.write("seed/nkey.seed", KEY["seed"] + "\n")
        self.write("wrong/nkey.seed", OTHER_SEED + "\n")
        self.write("nats.conf", f'listen: "127.0.0.1:-1"\nports_file_dir: "{self.folder}"\njetstream {{ store_dir: "{self.folder}/store" }}\n'
                                f'authorization {{ users: [ {{ nkey: {KEY["public"]} }} ] }}\n')
        server = subprocess.Popen([farm.SERVER, "-c", self.path("nats.conf")], stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        ports = self.path(f"nats-server_{server.pid}.ports")
        self.wait_for("the server", lambda: os.path.exists(ports) and self.read(ports).endswith(b"}"))
        url = json.loads(self.read(ports))["nats"][0]
        self.worker(url, VTA_CREDENTIALS="seed")
        status, _, errors = self.tune("l.jsonl", "--farm", url, "--credentials", "seed")
        self.assertEqual((status, errors), (0, ""))
        self.fails(f"{url}: wants a token or a key, and none is shown: --credentials names the folder with it", "worker", "--nats", url)
        self.fails(f"{url}: refuses the token or key that it is shown", "worker", "--nats", url, "--credentials", "wrong")
        os.remove(self.path("wrong/nkey.seed"))
        self.fails("wrong: must have nkey.seed beside nkey", "worker", "--nats", url, "--credentials", "wrong")

    def test_who_has_no_token_is_refused_and_nobody_sees_it(self):
        self.done("serve", "--make-credentials", "c")
        server, url = self.up("--credentials", "c/server")
        self.assertTrue(url.startswith("tls://"))
        token = self.read("c/client/token").decode().strip()
        worker = self.worker(url, VTA_CREDENTIALS="c/client")
        status, _, errors = self.tune("l.jsonl", "--farm", url, "--credentials", "c/client")
        self.assertEqual(status, 0, errors)
        for process in (server, worker):
            children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
            for number in (process.pid, *children):
                for file in ("cmdline", "environ"):
                    with open(f"/proc/{number}/{file}", "rb") as text:
                        self.assertNotIn(token.encode(), text.read())
        for name in os.listdir(self.folder):
            if os.path.isfile(self.path(name)):
                self.assertNotIn(token.encode(), self.read(name))
        shutil.copytree(self.path("c/client"), self.path("wrong"))
        self.write("wrong/token", "x" * 64)
        self.fails(f"{url}: refuses the token or key that it is shown", "worker", "--nats", url, "--credentials", "wrong")
        status, _, errors = self.run_tool("worker", "--nats", url)
        self.assertEqual((status, errors.count("\n")), (1, 1))
        self.assertTrue(errors.startswith(f"vta: {url}: "), errors)
        os.remove(self.path("wrong/token"))
        self.fails(f"{url}: wants a token or a key, and none is shown: --credentials names the folder with it",
                   "worker", "--nats", url, "--credentials", "wrong")

    def test_bad_farms(self):
        for url, says in (("http://h:1", "http://h:1: must be nats://HOST:PORT or tls://HOST:PORT"),
                          ("nats://h", "nats://h: must be HOST:PORT"), ("nats://h:0", "nats://h:0: must name a port, 1 to 65535")):
            self.refuses(f"--nats: {says}", "worker", "--nats", url)
        secret = "must hold no user and no token, which others would see in the list of processes: --credentials names a folder with what is shown"
        self.refuses(f"--nats: {secret}", "worker", "--nats", "nats://secret@h:1")
        self.refuses("--nats: is missing: whose work is done", "worker")
        self.refuses("--listen: 0.0.0.0:0: can be reached from other machines, for which --credentials is needed: vta serve --make-credentials makes "
                     "some", "farm", "up", "--listen", "0.0.0.0:0")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            url = f"nats://127.0.0.1:{port}"
            begin = time.monotonic()
            status, _, errors = self.run_tool("worker", "--nats", url)
            self.assertEqual((status, errors), (1, f"vta: {url}: is no NATS server, or does not answer: Timeout\n"))
            self.assertLess(time.monotonic() - begin, 20)
        self.fails(f"{url}: nothing answers there: is a NATS server running? vta farm up starts one", "worker", "--nats", url)
        plain = subprocess.Popen([farm.SERVER, "-a", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL)
        self.addCleanup(plain.wait)
        self.addCleanup(plain.kill)
        self.wait_for("the server", lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        self.fails(f"{url}: has no JetStream: nats-server --jetstream has it", "worker", "--nats", url)
        _, url = self.up()
        status, _, errors = self.tune("l.jsonl", "--farm", url, "--farm-wait", "1")
        self.assertEqual(status, 1)
        self.assertEqual(errors, f"vta: {url}: workers = none: was there for 1 s: vta worker --nats {url} is one; --farm-wait waits longer\n")


tool.main()
