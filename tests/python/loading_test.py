"""What others wrote is loaded by what uses it, and not with the module."""

import os
import subprocess
import sys

import pytest

LATER = ("libLLVM", "libcuda", "libgrpc", "libpagmo", "libtbb", "libxgboost", "libxrt")

WATCHED = """
import sys
import vta

def loaded(*names):
    with open("/proc/self/maps") as maps:
        text = maps.read()
    return [name for name in names if name in text]

later = sys.argv[2:]
assert not loaded(*later), loaded(*later)
model = vta.load_model(sys.argv[1])
assert vta.configs() and vta.asm(".code\\n finish").run("cycle").finished
with vta.Session(vta.compile(model, effort=0), "cycle"):
    pass
assert loaded(*later) == ["libLLVM"], loaded(*later)
"""

TUNES = """
vta.tune(model, "log.jsonl", trials=4)
assert loaded("libxgboost", "libpagmo") and not loaded("libxrt", "libgrpc")
"""

OPENS = """
import numpy as np
image = np.ones((1, 1, 8, 8), np.float32)
package = vta.compile(model, effort=0)
with vta.Session(package, "xrt:d.xclbin") as board, vta.Session(package) as model:
    assert (board.run({"image": image})["logits"] == model.run({"image": image})["logits"]).all()
assert loaded("libxrt_coreutil") and not loaded("libpagmo", "libgrpc")
"""


def python(text, folder, demo, **environment):
    return subprocess.run([sys.executable, "-c", text, demo / "digits_int8.onnx", *LATER], cwd=folder, capture_output=True,
                          text=True, timeout=600, env={**os.environ, **environment})


def test_searches_load_their_library(demo, tmp_path):
    done = python(WATCHED + TUNES, tmp_path, demo)
    assert done.returncode == 0, done.stderr


def test_boards_load_xrt(demo, tool, tmp_path):
    tool("hw", "xrt", "-o", "board")
    tool("hw", "xclbin", "-c", "default", "-o", "d.xclbin")
    done = python(WATCHED + OPENS, tmp_path, demo, XILINX_XRT=str(tmp_path / "board"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("library", "call"), [
    ("search", "vta.tune(sys.argv[1], 'log', trials=4)"),
    ("xrt_device", "vta.Session(vta.compile(sys.argv[1], effort=0), 'xrt:d.xclbin')"),
    ("codegen", "vta.compile(sys.argv[1], target='cpu')"),
])
def test_a_library_that_cannot_be_loaded_is_one_error(demo, library, call, tmp_path):
    (tmp_path / "share/vta").mkdir(parents=True)
    (tmp_path / "lib/vta").mkdir(parents=True)
    (tmp_path / f"lib/vta/libvta_{library}.so").write_text("no library")
    text = f"import sys, vta\ntry:\n    {call}\nexcept vta.Error as error:\n    print(error)"
    done = python(text, tmp_path, demo, VTA_HOME=str(tmp_path / "share/vta"))
    assert done.returncode == 0, done.stderr
    line, = done.stdout.splitlines()
    assert f"libvta_{library}.so: cannot be loaded: " in line, line
