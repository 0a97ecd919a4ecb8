"""What the tests of Python's module share: the demo's network, its images and the tool."""

import os
import pathlib
import signal
import subprocess
import time

import numpy as np
import pytest
import vta

SOURCE = pathlib.Path(os.environ["VTA_SOURCE"])
DEMO = SOURCE / "tools/demo"
STARTED = time.monotonic()


def pytest_terminal_summary(terminalreporter):
    """As unittest says it, which is what counts the cases of ./vta test."""
    stats = terminalreporter.stats
    skipped = stats.get("skipped", [])
    for report in skipped:
        print(f"{report.nodeid} ... skipped '{report.longrepr[2]}'")
    for report in stats.get("failed", []) + stats.get("error", []):
        print(f"FAIL: {report.nodeid}")
    count = sum(len(stats.get(kind, [])) for kind in ("passed", "failed", "error", "skipped"))
    print(f"Ran {count} tests in {time.monotonic() - STARTED:.3f}s")


@pytest.fixture(scope="session")
def source():
    return SOURCE


@pytest.fixture(scope="session")
def demo():
    return DEMO


@pytest.fixture(scope="session")
def images():
    """Those of the test split, each as the network takes it."""
    pixels = np.fromfile(DEMO / "images.bin", np.uint8).reshape(-1, 1, 1, 8, 8)
    return (pixels * 0.0625).astype(np.float32)


@pytest.fixture(scope="session")
def package():
    """The int8 network, for the accelerator."""
    return vta.compile(DEMO / "digits_int8.onnx", effort=0)


@pytest.fixture(scope="session")
def on_cpu():
    """The float network, as kernels alone."""
    return vta.compile(DEMO / "digits_f32.onnx", target="cpu")


@pytest.fixture
def tool(tmp_path):
    """Runs the tool in a folder of its own; returns what it printed."""
    def run(*arguments):
        done = subprocess.run([os.environ["VTA_TOOL"], *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True,
                              timeout=600)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


def heed_signals():
    """For a process that is to get them, whatever this one was started by."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def parts(error):
    """What an error says, apart from where."""
    return error.value.subject, error.value.value, error.value.rule


def refused(call, *arguments, **options):
    """(what, value) of the error of a call; what is an option by itself stands where places do."""
    with pytest.raises(vta.Error) as error:
        call(*arguments, **options)
    assert error.value.rule
    return error.value.subject or error.value.where, error.value.value
