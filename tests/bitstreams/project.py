"""What the tests of projects share: a project written, and its scripts in the stand-in of their tool."""

import os
import subprocess

import tool

FOLDER = os.path.dirname(os.path.abspath(__file__))


class ProjectCase(tool.ToolTest):
    def package(self, board, *arguments, folder="project"):
        status, out, errors = self.run_tool("hw", "package", "--board", board, *arguments, "-o", folder)
        self.assertEqual(status, 0, errors)
        return out, errors

    def run_script(self, folder, name, **environment):
        os.makedirs(self.path(f"{folder}/build"), exist_ok=True)
        stand_in = "vitis.tcl" if name == "hls.tcl" else "stub.tcl"
        run = subprocess.run(["tclsh", os.path.join(FOLDER, stand_in), name], cwd=self.path(folder), capture_output=True, text=True,
                             timeout=60, env={**os.environ, **environment})
        facts = [line.split()[1:] for line in run.stdout.splitlines() if line.startswith("fact ")]
        return run.returncode, facts, run.stderr

    def run_scripts(self, folder, names, **environment):
        """The first error, or all facts."""
        facts = []
        for name in names:
            status, more, errors = self.run_script(folder, name, **environment)
            facts += more
            if status:
                return facts, errors
        return facts, ""
