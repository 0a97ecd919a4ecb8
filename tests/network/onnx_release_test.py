"""The tests that ONNX's newest release (tools/python.txt) has of each operator: a sample by the commit, or all.

usage: onnx_release_test.py NETWORK_TEST SCRATCH_FOLDER

Exit status 77 (skipped) where that release is not installed.
"""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from environments import programs_of

CASES = 120


def main(network_test, scratch):
    python = os.path.join(programs_of("onnx"), "python")
    if not os.access(python, os.X_OK):
        print("skipped: onnx is not installed (tools/python.txt, group onnx)")
        sys.exit(77)
    shutil.rmtree(scratch, ignore_errors=True)
    subprocess.run([python, "-B", pathlib.Path(__file__).with_name("onnx_cases.py"), scratch, str(CASES)], check=True)
    done = subprocess.run([network_test, "--gtest_also_run_disabled_tests", "--gtest_brief=1",
                           "--gtest_filter=OnnxCases.DISABLED_EachOfAFolderIsRightOrRefused"],
                          env={**os.environ, "VTA_ONNX_CASES": scratch}, stdout=subprocess.PIPE, text=True)
    print(done.stdout)
    assert done.returncode == 0 and "1 test from 1 test suite ran" in done.stdout, done.returncode


main(*sys.argv[1:3])
