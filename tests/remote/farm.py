"""A farm on loopback for tests: a server, workers, and searches that give their work to them."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(sys.argv[2], "tests/cli"))

import tool  # noqa: E402

PATIENCE = 60  # seconds in which a step of a test must have happened
SERVER = shutil.which("nats-server", path=os.environ.get("PATH", "") + ":/usr/sbin")


class Nats:
    """Whoever may use a farm's server, by the protocol's lines."""

    def __init__(self, url):
        host, port = url.split("//")[1].rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()  # what the server is
        self.send(b'CONNECT {"verbose": false}')

    def close(self):
        self.lines.close()
        self.socket.close()

    def send(self, line, payload=None):
        self.socket.sendall(line + b"\r\n" + (b"" if payload is None else payload + b"\r\n"))

    def hear(self, subject):
        self.send(f"SUB {subject} 1".encode())

    def say(self, subject, text, answer_to=""):
        payload = text.encode()
        self.send(f"PUB {subject} {answer_to} {len(payload)}".encode(), payload)

    def next(self):
        """The next message of those that are heard."""
        while True:
            words = self.lines.readline().split()
            if words[0] == b"PING":
                self.send(b"PONG")
            if words[0] == b"MSG":
                return self.lines.read(int(words[-1]) + 2)[:-2].decode()

    def ask(self, subject, question=""):
        self.hear("inbox.of.test")
        self.say(subject, json.dumps(question) if question else "", "inbox.of.test")
        return json.loads(self.next())


def heed_signals():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class FarmTest(tool.ToolTest):
    def setUp(self):
        if SERVER is None:
            self.skipTest("nats-server is not installed")
        super().setUp()

    def begin(self, *words, program=tool.TOOL, **environment):
        """A process of the tool, ended with the test."""
        process = subprocess.Popen([program, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=heed_signals, env=os.environ | environment)
        for close in (process.stdout.close, process.stderr.close, process.wait, process.kill):
            self.addCleanup(close)
        return process

    def up(self, *words):
        """The process of vta farm up, and the URL of its server."""
        process = self.begin("farm", "up", "--listen", "127.0.0.1:0", *words)
        line = process.stdout.readline()
        self.assertRegex(line, r"^serves (nats|tls)://127\.0\.0\.1:[0-9]+\n\Z", line or process.stderr.read())
        return process, line.split()[1]

    def worker(self, url, *words, **environment):
        return self.working("worker", "--nats", url, "--jobs", "1", *words, **environment)[0]

    def working(self, *words, **environment):
        """The process of a worker, its name, and what it measures for."""
        process = self.begin(*words, **environment)
        line = process.stdout.readline()
        said = re.match(r"works for \S+ as (\S+?)(?:, measures for (.+))?\n\Z", line)
        self.assertTrue(said, line or process.stderr.read())
        return process, said[1], said[2]

    def nats(self, url):
        nats = Nats(url)
        self.addCleanup(nats.close)
        return nats

    def wait_for(self, what, good):
        end = time.monotonic() + PATIENCE
        while not good():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def entries(self, log):
        return [json.loads(line) for line in self.read(log).splitlines()]

    def found(self, log):
        """What each line of a log says of what, which must stand there once."""
        found = {}
        for entry in self.entries(log):
            key = tuple(entry[name] for name in ("workload", "arch", "space", "point", "compiler"))
            self.assertNotIn(key, found)
            found[key] = entry.get("cost", entry.get("failure"))
        return found

    def best(self, out):
        """Of each task what its table says is the best."""
        return {row[0]: row[5] for row in (re.split(r"\s{2,}", line) for line in out.splitlines()) if len(row) > 6}
