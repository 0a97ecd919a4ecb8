"""Runs the tool in a scratch folder.

usage of each test: X_test.py TOOL SOURCE_FOLDER
"""

import os
import subprocess
import sys
import tempfile
import unittest

TOOL, SOURCE = sys.argv[1:3]


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
        return run.returncode, run.stdout, run.stderr

    def done(self, *arguments):
        """stdout of a run that must succeed in silence."""
        status, out, errors = self.run_tool(*arguments)
        self.assertEqual((status, errors), (0, ""), out)
        return out

    def fails(self, message, *arguments):
        """A run that must fail with this one message and leave nothing behind."""
        before = sorted(os.listdir(self.folder))
        self.assertEqual(self.run_tool(*arguments), (1, "", f"vta: {message}\n"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)


def main():
    unittest.main(argv=sys.argv[:1])
