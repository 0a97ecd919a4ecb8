"""The page runner runs what it should, stops at a failure and leaves the checkout alone."""

import os
import subprocess
import sys
import tempfile
import unittest

import run_blocks


class RunBlocksTest(unittest.TestCase):
    def run_page(self, text):
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "page.md"), "w", encoding="utf-8") as file:
                file.write(text)
            run = subprocess.run([sys.executable, "-B", run_blocks.__file__, root, "page.md", root + "/build/scratch"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertLessEqual(set(os.listdir(root)), {"build", "page.md"})
            return run.returncode, run.stdout

    def test_runs_in_order_in_one_shell(self):
        status, output = self.run_page("# Page\n```sh\na=4; echo x > new\n```\n```cpp\nfalse\n```\n```sh\necho $a$a; ls\n```\n")
        self.assertEqual((status, output), (0, "== page.md:3\n== page.md:9\n44\nnew\npage.md\n"))

    def test_a_failing_command_fails_the_page(self):
        status, output = self.run_page("```sh\nfalse | cat\necho not reached\n```\n")
        self.assertEqual(status, 1)
        self.assertNotIn("not reached", output)
        self.assertIn("page.md: a command failed with status 1", output)

    def test_a_marked_block_is_said_and_not_run(self):
        status, output = self.run_page("<!-- not run: takes an hour -->\n```sh\nfalse\n```\n")
        self.assertEqual((status, output), (0, "page.md:3: not run: takes an hour\n"))

    def test_an_open_block_is_refused(self):
        self.assertEqual(self.run_page("```sh\ntrue\n"), (1, "line 2: a ```sh block is not closed\n"))


unittest.main(verbosity=2)
