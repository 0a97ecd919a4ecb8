"""A tracker of servers on loopback: runs by it are those of this machine, whoever is killed or frozen.

usage: tracker_test.py TOOL SOURCE_FOLDER
"""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(sys.argv[2], "tests/cli"))

import tool  # noqa: E402

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
PATIENCE = 60  # seconds in which a step of a test must have happened
KEY = "ultra96"


def heed_signals():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class TrackerTest(tool.ToolTest):
    package = local = None  # of all tests

    def setUp(self):
        super().setUp()
        self.write("image.bin", struct.pack("<64f", *(pixel % 17 / 16 for pixel in range(64))))
        self.servers = {}  # HOST:PORT: process
        self.logs = []
        self.tracker_process, self.tracker = self.started("tracker", r"tracks servers at remote://(\S+)")
        self.engine = f"remote://{self.tracker}/{KEY}"

    def started(self, command, says, *arguments, port=0):
        """A process that serves, with a log of its own, and its HOST:PORT."""
        self.logs.append(f"{command}{len(self.logs)}.log")
        with open(self.path(self.logs[-1]), "w") as log:
            process = subprocess.Popen([tool.TOOL, command, "--listen", f"127.0.0.1:{port}", *arguments], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=heed_signals)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = re.match(says, process.stdout.readline())
        self.assertTrue(said, self.read(self.logs[-1]))
        process.log = self.logs[-1]
        return process, said[1]

    def serve(self, count, *devices, **named):
        devices = devices or ("cycle",)
        for _ in range(count):
            process, where = self.started("serve", r"serves \S+ as remote://([^/]+)/", "--tracker", self.tracker, "--key", KEY,
                                          *(word for device in devices for word in ("--device", device)), **named)
            self.servers[where] = process
        self.wait_for(lambda devices: len({device["server"] for device in devices}) == len(self.servers))

    def devices(self):
        return json.loads(self.done("devices", self.tracker, "--json"))["devices"]

    def wait_for(self, good):
        end = time.monotonic() + PATIENCE
        while not good(devices := self.devices()):
            self.assertLess(time.monotonic(), end, devices)
        return devices

    def leased(self, given=0):
        """The server that gives the first lease after so many, as soon as it says so."""
        end = time.monotonic() + PATIENCE
        while True:
            said = {where: len(re.findall(rb"lease [0-9]+: ", self.read(server.log))) for where, server in self.servers.items()}
            if sum(said.values()) > given:
                return max(said, key=lambda where: os.stat(self.path(self.servers[where].log)).st_mtime_ns * (said[where] > 0))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.002)

    def compiled(self):
        if not TrackerTest.package:
            self.assertEqual(self.run_tool("compile", DIGITS, "-o", "digits.vta")[0], 0)
            TrackerTest.package = self.read("digits.vta")
        self.write("digits.vta", self.package)
        return "digits.vta"

    def start(self, *arguments):
        client = subprocess.Popen([tool.TOOL, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  preexec_fn=heed_signals)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.stderr.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        return client

    def begun(self, prefix, *more):
        return self.start("run", "digits.vta", "--engine", self.engine, "--input", "image.bin", "--output", f"{prefix}.bin",
                          "--report", f"{prefix}.json", *more)

    def ended(self, client, lost=()):
        """Its output, and one line of warning for each server that it lost."""
        out, errors = client.communicate(timeout=PATIENCE)
        self.assertEqual(client.returncode, 0, errors)
        lines = tool.PROGRESS.sub("", errors).splitlines()
        self.assertEqual(len(lines), len(lost), errors)
        for line, server in zip(lines, lost):
            self.assertRegex(line, rf"^vta: .*remote://{server}/{KEY}: .*; what was asked for is repeated on remote://127\.0\.0\.1:[0-9]+/{KEY}$")
        return out

    def here(self):
        """Outputs and report of this machine."""
        if not TrackerTest.local:
            self.done("run", "digits.vta", "--engine", "cycle", "--input", "image.bin", "--output", "here.bin", "--report", "here.json")
            TrackerTest.local = self.read("here.bin"), json.loads(self.read("here.json"))
        return self.local

    def assert_as_here(self, prefix):
        outputs, report = self.here()
        theirs = json.loads(self.read(f"{prefix}.json"))
        self.assertEqual(self.read(f"{prefix}.bin"), outputs)
        for key in ("cycles", "timing_hash", "config", "memory"):
            self.assertEqual(theirs.get(key), report.get(key), key)
        self.assertEqual([layer.get("cycles") for layer in theirs["layers"]], [layer.get("cycles") for layer in report["layers"]])

    def test_ten_clients_have_five_servers(self):
        self.serve(5)
        self.compiled()
        clients = [self.begun(f"there{number}") for number in range(10)]
        for number, client in enumerate(clients):
            self.ended(client)
            self.assert_as_here(f"there{number}")
        said = self.document("vta-devices", self.done("devices", self.tracker, "--json"))
        self.assertEqual((said["servers"], {device["server"] for device in said["devices"]}), (5, set(self.servers)))
        self.assertEqual(sum(device["leases"] for device in said["devices"]), 10)
        self.assertTrue(all(device["leases"] > 0 for device in said["devices"]), said["devices"])
        self.assertRegex(self.done("devices", self.tracker), rf"(?m)^server .*\n(.*\n)*127\.0\.0\.1:[0-9]+ +cycle +{KEY} +free .*\n(.*\n)*"
                         rf"{self.tracker}: vta .*, protocol 1; 5 servers, each offered until 1 s after its last beat; ")
        # A model is compiled for what the servers have.
        self.assertRegex(self.done("run", DIGITS, "--engine", self.engine, "--input", "image.bin"), r"\Acompiled \S+ for default in ")
        self.assertEqual(self.run_tool("run", "digits.vta", "--engine", f"remote://{self.tracker}/board", "--input", "image.bin")[2],
                         f"vta: remote://{self.tracker}/board: key = board: is not known to the tracker; what is known: {KEY}\n")

    def test_a_server_that_is_killed_and_one_that_is_frozen_lose_no_run(self):
        self.serve(3)
        self.compiled()
        client = self.begun("there", "--repeat", "100")
        killed = self.leased()
        self.servers[killed].kill()
        frozen = self.leased(1)
        self.servers[frozen].send_signal(signal.SIGSTOP)
        self.ended(client, (killed, frozen))
        self.assert_as_here("there")
        self.servers[frozen].send_signal(signal.SIGCONT)
        self.wait_for(lambda devices: [device["state"] for device in devices] == ["free", "free"])

    def test_samples_in_flight_and_times_are_repeated_too(self):
        self.serve(3)
        self.compiled()
        self.write("images.bin", self.read("image.bin") * 3)
        client = self.start("run", "digits.vta", "--engine", self.engine, "--input", "images.bin", "--in-flight", "4", "--repeat", "50")
        killed = self.leased()
        self.servers[killed].kill()
        self.assertIn("with 4 in flight", self.ended(client, (killed,)))
        client = self.start("run", "digits.vta", "--engine", self.engine, "--input", "image.bin", "--time", "number=100,repeat=3")
        killed = self.leased(2)
        self.servers[killed].kill()
        self.assertRegex(self.ended(client, (killed,)), r"(?m)^time: .* of 3 measurements of 100 runs$")

    def test_candidates_are_measured_on_another_server(self):
        self.serve(2)
        given = ("tune", DIGITS, "--trials", "8", "--log")
        self.assertEqual(self.run_tool(*given, "here.jsonl")[0], 0)
        client = self.start(*given, "there.jsonl", "--measure", self.engine)
        killed = self.leased()
        self.servers[killed].kill()
        out, errors = client.communicate(timeout=PATIENCE)
        self.assertEqual(client.returncode, 0, errors)
        tool.same_costs(self, "here.jsonl", "there.jsonl")

    def test_raw_programs_leave_the_memory_that_they_leave_here(self):
        self.serve(2)
        self.write("gemm.s", tool.GEMM)
        words = re.search(r"--insn \S+ --count \S+", self.run_tool("asm", "gemm.s", "-o", "gemm.img")[1])[0].split()
        said = [self.done("exec", "gemm.img", *words, "-c", "default", "--engine", engine, "-o", image)
                for engine, image in (("cycle", "here.img"), (self.engine, "there.img"))]
        self.assertEqual(*said)
        self.assertEqual(self.read("here.img"), self.read("there.img"))

    def test_a_tracker_that_is_killed_takes_nothing_with_it(self):
        port = int(self.tracker.rsplit(":", 1)[1])
        self.serve(2)
        self.compiled()
        client = self.begun("there", "--repeat", "100")
        lost = self.leased()
        self.tracker_process.kill()
        self.tracker_process.wait()
        self.servers[lost].kill()  # while there is no tracker
        self.started("tracker", r"tracks servers at remote://(\S+)", port=port)
        self.ended(client, (lost,))
        self.assert_as_here("there")

    def test_without_another_one_the_server_that_was_lost_is_named(self):
        self.serve(1)
        self.compiled()
        client = self.begun("there", "--repeat", "1000000", "--wait", "0.5")
        lost = self.leased()
        self.servers[lost].kill()
        _, errors = client.communicate(timeout=PATIENCE)
        self.assertEqual(client.returncode, 1)
        self.assertRegex(tool.PROGRESS.sub("", errors), rf"\Avta: remote://{lost}/{KEY}: .*; there is no other: {self.engine}: key = {KEY}: no device was free within 0\.5 s: .+\n\Z")

    def test_credentials(self):
        self.done("serve", "--make-credentials", "c")
        _, self.tracker = self.started("tracker", r"tracks servers at remote://(\S+)", "--credentials", "c/server")
        self.started("serve", r"serves \S+ as remote://([^/]+)/", "--tracker", self.tracker, "--device", "cycle", "--credentials", "c/server")
        self.compiled()
        good = ("--credentials", "c/client")
        end = time.monotonic() + PATIENCE
        while not json.loads(self.done("devices", self.tracker, "--json", *good))["devices"]:
            self.assertLess(time.monotonic(), end, self.logs)
        self.done("run", "digits.vta", "--engine", f"remote://{self.tracker}", "--input", "image.bin", *good)
        status, _, errors = self.run_tool("run", "digits.vta", "--engine", f"remote://{self.tracker}", "--input", "image.bin")
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf"^vta: remote://{self.tracker}: .+\n\Z")
        for log in self.logs:
            self.assertNotIn(self.read("c/server/token").strip(), self.read(log))

    def test_command_lines(self):
        self.refuses("--listen: 0.0.0.0:0: can be reached from other machines, for which --credentials is needed: vta serve --make-credentials "
                     "makes some", "tracker", "--listen", "0.0.0.0:0")
        self.refuses("--tracker: farm:7229: is of another machine, whose clients do not reach 127.0.0.1:7227: --listen says where they do, or --announce",
                     "serve", "--device", "cycle", "--tracker", "farm:7229")
        self.refuses("--tracker: farm: must be HOST:PORT", "serve", "--device", "cycle", "--tracker", "farm")
        self.refuses("--tracker: farm:0: must name a port, 1 to 65535", "serve", "--device", "cycle", "--tracker", "farm:0")
        self.refuses("--announce: a b: must begin with the name or the address of a host",
                     "serve", "--device", "cycle", "--tracker", "127.0.0.1:1", "--announce", "a b")
        _, where = self.started("serve", r"serves \S+ as remote://([^/]+)/", "--tracker", self.tracker, "--device", "cycle", "--announce", "localhost")
        self.assertEqual(self.wait_for(lambda devices: devices)[0]["server"], f"localhost:{where.rsplit(':', 1)[1]}")


tool.main()
