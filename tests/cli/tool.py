"""Runs the tool in a scratch folder.

usage of each test: X_test.py TOOL SOURCE_FOLDER
"""

import contextlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from seeded import few, sample  # what a test may take of its cases

TOOL, SOURCE = sys.argv[1:3]
# What --engine takes, as its refusals list it.
ENGINES = ", ".join((
    "functional", "cycle", "rtl", "hls",
    "serial:DEVICE[@BAUD]", "uio[:NAME[@BUFFER]]", "xrt:FILE.xclbin[@INDEX]", "remote://HOST:PORT[/KEY]",
))
# What work says of itself every ten seconds: on a slow machine any may.
PROGRESS = re.compile(r"^vta: .*: [0-9]+ s(, .*)?\n", re.MULTILINE)

# A GEMM of its own data, stored.
GEMM = """load.uop dram=kernel x=1
load.acc dram=bias x=1
load.inp dram=input x=1
load.wgt dram=weights x=1 push_next
gemm uop=0:1 pop_prev push_next
store.out dram=output x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
bias: .int 0*16
.data
input: .byte -1*16
.data
weights: .byte 2*256
.data
output: .space 16
"""


class ToolTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_tool(self, *arguments):
        """Exit status, stdout, stderr."""
        return self.run_process([TOOL, *arguments])

    def run_shell(self, command):
        """The same of a line of shell."""
        return self.run_process(["/bin/sh", "-c", command])

    def run_process(self, command):
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600)
        return run.returncode, run.stdout, PROGRESS.sub("", run.stderr)

    def start(self, *arguments):
        """A run that is to be ended by a signal: whoever runs the tests may ignore some, as a shell does for what it runs in the background."""
        def heed_signals():
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
        return subprocess.Popen([TOOL, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True, preexec_fn=heed_signals)

    def done(self, *arguments):
        """stdout of a run that must succeed in silence."""
        status, out, errors = self.run_tool(*arguments)
        self.assertEqual((status, errors), (0, ""), out)
        return out

    def document(self, kind, text):
        """The JSON of a document, which is what its published schema says."""
        import schemas  # by few tests
        document = json.loads(text)
        self.assertEqual(schemas.problems(os.path.join(SOURCE, "docs/schemas"), kind, document), [])
        return document

    def fails(self, message, *arguments, status=1):
        """A run that must fail with this one message and leave nothing behind."""
        before = sorted(os.listdir(self.folder))
        self.assertEqual(self.run_tool(*arguments), (status, "", f"vta: {message}\n"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def refuses(self, message, *arguments):
        """A command line that is wrong whatever its files hold: exit status 2, this message in the first line."""
        before = sorted(os.listdir(self.folder))
        status, out, errors = self.run_tool(*arguments)
        self.assertEqual((status, out, errors.splitlines()[0]), (2, "", f"vta: {message}"))
        self.assertIn(errors.splitlines()[1:], ([], ["Run with --help for more information."]))
        self.assertEqual(sorted(os.listdir(self.folder)), before)


def same_costs(test, *logs):
    """Searches' logs have some trials in common, and of these the same costs."""
    costs = []
    for log in logs:
        entries = [json.loads(line) for line in test.read(log).splitlines()]
        costs.append({json.dumps([entry["workload"], entry["point"]]): entry["cost"] for entry in entries})
    both = set.intersection(*(set(one) for one in costs))
    test.assertGreater(len(both), 3)
    for one in costs:
        test.assertEqual({key: one[key] for key in both}, {key: costs[0][key] for key in both})


def open_files(process):
    """Paths of what a process has open, by its number; what it closes meanwhile may be among them or not."""
    paths, folder = [], f"/proc/{process}/fd"
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            paths.append(os.readlink(f"{folder}/{name}"))
    return paths


def plant(test, name, path, old, new):
    """A copy of the hardware with one bug, in a folder of that name, of which models are built from now on."""
    for folder in ("hw", "sim/rtl/model"):
        shutil.copytree(os.path.join(SOURCE, folder), test.path(f"{name}/{folder}"))
    text = test.read(f"{name}/hw/rtl/{path}").decode()
    test.assertEqual(text.count(old), 1)
    test.write(f"{name}/hw/rtl/{path}", text.replace(old, new))
    for variable, value in (("VTA_HOME", test.path(name)), ("VTA_CACHE_DIR", test.path(name + "/cache"))):
        test.addCleanup(os.environ.__setitem__ if variable in os.environ else os.environ.pop, variable,
                        *([os.environ[variable]] if variable in os.environ else []))
        os.environ[variable] = value


def main():
    """Runs the file's tests: one in $VTA_TEST_SHARE of them, which the commit chooses, or all."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    tests = {test.id(): test for tests in suite for test in tests}
    chosen = sample(list(tests), math.ceil(len(tests) / int(os.environ.get("VTA_TEST_SHARE", "1"))))
    print(f"{len(chosen)} of {len(tests)} tests", flush=True)
    # Says what was skipped.
    result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(tests[name] for name in chosen))
    sys.exit(not (chosen and result.wasSuccessful()))
