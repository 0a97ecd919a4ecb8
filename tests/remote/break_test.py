"""Clients, servers and trackers that are killed, frozen and cut off at random: every lease ends within a second of its holder, nothing is left
running, no result is wrong, each error names the server, and with a tracker no run is lost.

usage: break_test.py TOOL SOURCE_FOLDER SEED SECONDS: of what happens at random
"""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time

SEED, SECONDS = int(sys.argv[3]), float(sys.argv[4])
sys.path.insert(0, os.path.join(sys.argv[2], "tests/cli"))

import tool  # noqa: E402
from proxy import Proxy  # noqa: E402

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
SERVER = os.path.join(os.path.dirname(tool.TOOL), "vta-serve")
PATIENCE = 60  # seconds in which a step of a test must have happened
# From the end of a holder to that of its lease, with what a busy machine adds: a second is the promise.
REVOKED_S = 1.6


def heed_signals():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def below(process):
    """A server's spawner, and the processes of leases: its children, but for those that no lease has had."""
    found = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,stat=,comm="], capture_output=True, text=True).stdout.split("\n")
    live = [line.split() for line in found if line and line.split()[2][0] != "Z"]
    spawners = [int(words[0]) for words in live if int(words[1]) == process]
    return spawners, [int(words[0]) for words in live if int(words[1]) in spawners and words[3] != "vta-lease-next"]


class BreakTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.write("image.bin", b"\0\0\x80\x3f" * 64)
        self.done("serve", "--make-credentials", "shown")
        for name in ("ca.pem", "certificate.pem", "key.pem"):  # a token alone, so that all is in the clear
            os.remove(self.path(f"shown/client/{name}"))
            os.remove(self.path(f"shown/server/{name}"))
        self.token = self.read("shown/client/token").strip()
        self.assertEqual(self.run_tool("compile", DIGITS, "-o", "digits.vta")[0], 0)
        self.assertEqual(self.run_tool("run", "digits.vta", "--input", "image.bin", "--output", "wanted.bin")[0], 0)

    def listening(self, *words, port):
        with open(self.path("serve.log"), "a") as log:
            process = subprocess.Popen([*words, "--listen", f"127.0.0.1:{port}", "--credentials", "shown/server"],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=heed_signals)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = re.search(r"127\.0\.0\.1:([0-9]+)", process.stdout.readline())
        self.assertTrue(said, self.read("serve.log"))
        return process, ("127.0.0.1", int(said[1]))

    def serve(self, *devices, port=0, tracker=""):
        """A server; its process and (host, port)."""
        return self.listening(SERVER, "--key", "any", *(word for device in devices for word in ("--device", device)),
                              *(("--tracker", tracker) if tracker else ()), port=port)

    def track(self, port=0):
        return self.listening(tool.TOOL, "tracker", port=port)

    def client(self, address, repeat=1_000_000_000, *more):
        output = f"out{time.monotonic_ns()}.bin"
        client = subprocess.Popen([tool.TOOL, "run", "digits.vta", "--engine", f"remote://{address}/any", "--credentials", "shown/client", "--input",
                                   "image.bin", "--output", output, "--repeat", str(repeat), "--wait", "30", *more],
                                  cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=heed_signals)
        client.output = output
        self.addCleanup(client.stderr.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        return client

    def devices(self, address):
        return json.loads(self.done("devices", address, "--json", "--credentials", "shown/client"))["devices"]

    def wait_for(self, address, good):
        end = time.monotonic() + PATIENCE
        while True:
            devices = self.devices(address)
            if good(devices):
                return devices
            self.assertLess(time.monotonic(), end, devices)

    def ended(self, client, may_fail):
        """A client that was not ended by us: it has what it should, or says in a line which server failed it."""
        errors = tool.PROGRESS.sub("", client.communicate(timeout=PATIENCE)[1])
        if client.returncode == 0:
            self.assertEqual((self.read(client.output), errors), (self.read("wanted.bin"), ""))
        else:
            self.assertTrue(may_fail, errors)
            self.assertEqual(client.returncode, 1)
            self.assertRegex(errors, r"\Avta: remote://127\.0\.0\.1:[0-9]+/any: [^\n]+\n\Z")

    def test_a_slow_link_loses_no_lease(self):
        """300 ms there and back, in pieces, and beats that are to come every 100 ms."""
        server, target = self.serve("functional")
        proxy = Proxy(target, delay_s=0.15, jitter_s=0.03, seed=SEED)
        self.addCleanup(proxy.close)
        self.ended(self.client(proxy.address(), repeat=6), may_fail=False)
        self.assertEqual([device.get("revoked_after_s") for device in self.devices(f"127.0.0.1:{target[1]}")], [None])
        self.assertNotIn(b"no beat", self.read("serve.log"))

    def test_a_cut_ends_the_lease_and_names_the_server(self):
        server, target = self.serve("functional")
        address = f"127.0.0.1:{target[1]}"
        proxy = Proxy(target, seed=SEED)
        self.addCleanup(proxy.close)
        client = self.client(proxy.address())
        self.wait_for(address, lambda devices: devices[0]["state"] == "leased")
        proxy.cut()
        self.wait_for(address, lambda devices: devices[0]["state"] == "free")
        self.ended(client, may_fail=True)
        self.assertNotEqual(client.returncode, 0)
        self.assertEqual(below(server.pid)[1], [])

    def test_a_server_that_starts_again_under_a_queue_serves_who_comes_then(self):
        server, target = self.serve("functional")
        address = f"127.0.0.1:{target[1]}"
        clients = [self.client(address)]
        self.wait_for(address, lambda devices: devices[0]["state"] == "leased")
        clients += [self.client(address) for _ in range(2)]
        self.wait_for(address, lambda devices: devices[0]["waiting"] == 2)
        left = below(server.pid)
        server.kill()
        server.wait()
        for client in clients:
            self.ended(client, may_fail=True)
        end = time.monotonic() + PATIENCE
        while any(os.path.exists(f"/proc/{pid}") for pids in left for pid in pids):
            self.assertLess(time.monotonic(), end)
        server, target = self.serve("functional", port=target[1])
        self.ended(self.client(address, repeat=1), may_fail=False)

    def test_packages_that_the_cache_does_not_hold_are_refused_by_name(self):
        with open(self.path("serve.log"), "a") as log:
            server = subprocess.Popen([SERVER, "--listen", "127.0.0.1:0", "--device", "functional", "--cache", "1K"], cwd=self.folder,
                                      stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=heed_signals)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        where = re.search(r"127\.0\.0\.1:[0-9]+", server.stdout.readline())[0]
        status, _, errors = self.run_tool("run", "digits.vta", "--engine", f"remote://{where}", "--input", "image.bin")
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf"\Avta: remote://{where}: package: bytes = [0-9]+: must be at most 1024, what the server's cache may have\n\Z")

    def test_whatever_happens(self):
        print(f"seed {SEED}, {SECONDS} s", flush=True)
        devices = ("functional", "functional")
        server, target = self.serve(*devices)
        address, port = f"127.0.0.1:{target[1]}", target[1]
        clients, happened, slowest, events = [], {}, 0.0, []
        end = time.monotonic() + SECONDS
        while time.monotonic() < end or events:  # each kind at least once
            clients = [client for client in clients if client.poll() is None or self.ended(client, may_fail=True)]
            while len(clients) < 4:
                clients.append(self.client(address, self.random.choice((1, 20, 1_000_000_000))))
            time.sleep(self.random.uniform(0, 0.3))
            if not events:
                events = ["kill client", "kill client", "freeze client", "freeze server", "kill server"]
                self.random.shuffle(events)
            event = events.pop()
            happened[event] = happened.get(event, 0) + 1
            if event == "kill server":
                left = below(server.pid)
                server.kill()
                server.wait()
                start = time.monotonic()
                while any(os.path.exists(f"/proc/{pid}") for pids in left for pid in pids):
                    self.assertLess(time.monotonic() - start, PATIENCE)
                server, _ = self.serve(*devices, port=port)
            elif event == "freeze server":
                server.send_signal(signal.SIGSTOP)
                time.sleep(self.random.uniform(0, 0.5))
                server.send_signal(signal.SIGCONT)
            else:
                client = clients.pop(self.random.randrange(len(clients)))
                client.send_signal(signal.SIGKILL if event == "kill client" else signal.SIGSTOP)
                start = time.monotonic()
                holder = f" process {client.pid} "
                while any(holder in device["holder"] + " " for device in self.devices(address)):
                    self.assertLess(time.monotonic() - start, PATIENCE)
                slowest = max(slowest, time.monotonic() - start)
                client.kill()
                client.communicate()
            for device in self.devices(address):
                self.assertLess(device.get("revoked_after_s", 0), REVOKED_S, device)
                self.assertIn(device["state"], ("free", "leased", "testing"), device)
        for client in clients:
            client.kill()
            client.communicate()
        states = self.wait_for(address, lambda devices: all(device["state"] == "free" for device in devices))
        self.assertEqual(below(server.pid)[1], [])
        print(f"{happened}; a lease outlived its holder by {slowest:.2f} s at most; {[device['leases'] for device in states]} leases of the last server")
        self.ended(self.client(address, repeat=1), may_fail=False)
        # The token is in no log, and in no list of processes.
        self.assertNotIn(self.token, self.read("serve.log"))
        for file in ("cmdline", "environ"):
            with open(f"/proc/{server.pid}/{file}", "rb") as text:
                self.assertNotIn(self.token, text.read())

    def moved(self, client, address):
        """A client that was not ended by us ends well, whatever was, with a line for each server that it lost; or it came while there was no
        tracker, and says so."""
        errors = tool.PROGRESS.sub("", client.communicate(timeout=PATIENCE)[1])
        if client.returncode == 1 and re.fullmatch(rf"vta: remote://{address}/any: (cannot be reached|did not answer within 5 s)[^\n]*\n", errors):
            return 0
        self.assertEqual(client.returncode, 0, errors)
        self.assertEqual(self.read(client.output), self.read("wanted.bin"), errors)
        for line in errors.splitlines():
            self.assertRegex(line, r"remote://127\.0\.0\.1:[0-9]+/any: .*; what was asked for is repeated on remote://127\.0\.0\.1:[0-9]+/any$")
        return len(errors.splitlines())

    def test_whatever_happens_with_a_tracker(self):
        print(f"seed {SEED}, {SECONDS} s", flush=True)
        tracker, (_, tracker_port) = self.track()
        address = f"127.0.0.1:{tracker_port}"
        servers = [list(self.serve("functional", tracker=address)) for _ in range(3)]
        self.wait_for(address, lambda devices: len(devices) == 3)
        clients, happened, moves, ended, events = [], {}, 0, 0, []
        end = time.monotonic() + SECONDS
        while time.monotonic() < end or events:  # each kind at least once
            for client in [client for client in clients if client.poll() is not None]:
                clients.remove(client)
                moves += self.moved(client, address)
                ended += 1
            while len(clients) < 4:
                clients.append(self.client(address, self.random.choice((1, 20, 300))))
            time.sleep(self.random.uniform(0, 0.3))
            if not events:
                events = ["kill client", "freeze client", "kill server", "kill server", "freeze server", "kill tracker", "freeze tracker"]
                self.random.shuffle(events)
            event = events.pop()
            happened[event] = happened.get(event, 0) + 1
            at = self.random.randrange(len(servers))
            server, (_, port) = servers[at]
            if event == "kill server":
                server.kill()
                server.wait()
                servers[at] = list(self.serve("functional", port=port, tracker=address))
            elif event == "kill tracker":
                tracker.kill()
                tracker.wait()
                time.sleep(self.random.uniform(0, 0.3))
                tracker, _ = self.track(tracker_port)
            elif event in ("freeze server", "freeze tracker"):
                frozen = server if event == "freeze server" else tracker
                frozen.send_signal(signal.SIGSTOP)
                time.sleep(self.random.choice((self.random.uniform(0, 0.5), self.random.uniform(0, 2.5))))
                frozen.send_signal(signal.SIGCONT)
            else:
                client = self.random.choice(clients)
                client.send_signal(signal.SIGKILL if event == "kill client" else signal.SIGSTOP)
                start, holder = time.monotonic(), f" process {client.pid} "
                while any(holder in device["holder"] + " " for _, (_, port) in servers for device in self.devices(f"127.0.0.1:{port}")):
                    self.assertLess(time.monotonic() - start, PATIENCE)
                if event == "kill client":
                    clients.remove(client)
                    client.communicate()
                else:
                    client.send_signal(signal.SIGCONT)  # and has a device again
        for client in clients:
            moves += self.moved(client, address)
        states = self.wait_for(address, lambda devices: len(devices) == 3 and all(device["state"] == "free" for device in devices))
        self.assertEqual([below(server.pid)[1] for server, _ in servers], [[], [], []])
        print(f"{happened}; {ended + len(clients)} runs ended as they should, which lost {moves} servers; {[device['leases'] for device in states]} leases of the last servers")
        self.assertNotIn(self.token, self.read("serve.log"))


tool.main()
