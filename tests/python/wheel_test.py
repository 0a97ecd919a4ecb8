"""The wheel, made as `pip install .` makes it and installed where nothing of the build is in reach.

usage: wheel_test.py SOURCE_FOLDER SCRATCH_FOLDER

Exit status 77 (skipped) where what makes it is not installed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from environments import programs_of

USES = """
import re, subprocess, sys, time
start = time.perf_counter()
import vta
took = time.perf_counter() - start
assert vta.__file__.startswith(sys.prefix), vta.__file__
import vta._core
here = sys.prefix + "/"
for line in subprocess.run(["ldd", vta._core.__file__], check=True, capture_output=True, text=True).stdout.splitlines():
    name, _, path = line.strip().partition(" => ")
    assert path.startswith(here) or re.match("linux-vdso|.*/ld-linux|lib(c|m|gcc_s|stdc\\+\\+)\\.so", name), line
maps = open("/proc/self/maps").read()
assert not any(name in maps for name in ("LLVM", "xrt", "pagmo", "xgboost", "grpc"))
demo = sys.argv[1] + "/tools/demo/"
import numpy as np
images = (np.fromfile(demo + "images.bin", np.uint8).reshape(-1, 1, 1, 8, 8) / 16).astype(np.float32)
labels = np.loadtxt(demo + "labels.txt", dtype=int)
package = vta.compile(demo + "digits_int8.onnx", "ultra96", effort=0)
with vta.Session(package, "cycle") as session:
    right = sum(session.run({"image": images[i]})["logits"].argmax() == labels[i] for i in range(50))
    assert right >= 48, right
    assert session.report.total.cycles > 0
with vta.Session(vta.compile(demo + "digits_f32.onnx", target="cpu")) as session:
    assert session.run({"image": images[0]})["logits"].argmax() == labels[0]
tuning = vta.tune(demo + "digits_int8.onnx", "log.jsonl", trials=4)
assert tuning.tasks and "/lib/libpagmo" in open("/proc/self/maps").read()
assert vta.asm(".code\\n finish").run("cycle").finished
x = vta.te.placeholder("x", 4, "float32")
assert vta.build(vta.te.lower("f", [x, vta.te.compute("y", 4, lambda i: x(i) + 1.0)])).inputs
subprocess.run([sys.executable, "-m", "vta", "run", demo + "digits_int8.onnx"], check=True, stdout=subprocess.DEVNULL)
print(f"imported in {took:.3f} s")
"""


def main(source, scratch):
    maker = os.path.join(programs_of("binding"), "python")
    if not os.access(maker, os.X_OK):
        print("skipped: scikit-build-core is not installed (tools/python.txt, group binding)")
        sys.exit(77)
    scratch = pathlib.Path(scratch)
    for folder in "wheels", "venv":
        shutil.rmtree(scratch / folder, ignore_errors=True)
    scratch.mkdir(parents=True, exist_ok=True)
    # The compiler's cache has the objects, for it goes by paths from a folder beside that of the tests.
    environment = {**os.environ, "CCACHE_BASEDIR": source, "CCACHE_NOHASHDIR": "1", "CMAKE_BUILD_PARALLEL_LEVEL": "2",
                   "CXX": "c++"}  # by that name it is in the cache
    defines = {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "Python_EXECUTABLE": "/usr/bin/python3"}
    settings = [word for name, value in defines.items() for word in ("-C", f"cmake.define.{name}={value}")]
    subprocess.run([maker, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "--no-index",
                    *settings, "-w", scratch / "wheels", source], check=True, env=environment)
    wheel, = (scratch / "wheels").glob("vta-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("__init__.py", "__main__.py", "_core.pyi", "py.typed", "lib/vta/libvta_codegen.so", "lib/vta/libvta_search.so",
                 "lib/vta/libvta_xrt_device.so", "share/vta/isa/configs/ultra96.json", "share/vta/hw/rtl/vta_alu.sv",
                 "share/vta/tools/energy/dram.json"):
        assert "vta/" + name in names, name
    for name in names:  # what is others' is with what they ask for
        if name.startswith("vta/lib/lib"):
            found = subprocess.run(["dpkg-query", "-S", "*/" + os.path.basename(name)], capture_output=True, text=True, check=True)
            assert "vta/notices/" + found.stdout.split(":")[0] in names, name
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    # NumPy is Debian's.
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", scratch / "venv"], check=True)
    python = scratch / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index", wheel], check=True)
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VTA_HOME")}
    subprocess.run([python, "-c", USES, source], check=True, cwd=scratch, env=bare)


main(*sys.argv[1:3])
