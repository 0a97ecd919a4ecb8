"""The runner and the server that the preset aarch64-xrt builds, with XRT's library for 64-bit ARM, under qemu-user: as far as a machine
without a board goes.

usage: xrt_test.py TOOL SOURCE_FOLDER SCRATCH_FOLDER, the folder that board_test.py has made. Exit status 77 (skipped) where the library
is not there.
"""

import os
import re
import signal
import subprocess
import sys
import unittest

import elf

TOOL, SOURCE, SCRATCH = sys.argv[1:4]
LIBRARIES = "/usr/lib/aarch64-linux-gnu"
RUNNER = "build-aarch64-xrt/bin/vta-run"
SERVER = os.path.join(SCRATCH, "build-aarch64-xrt/bin/vta-serve")
QEMU = ["qemu-aarch64", "-cpu", "cortex-a53"]


def run(*command, **environment):
    """Exit status, stdout, stderr."""
    done = subprocess.run(command, cwd=SCRATCH, capture_output=True, text=True, timeout=600,
                          env={name: value for name, value in dict(os.environ, **environment).items() if value})
    return done.returncode, done.stdout, done.stderr


def done(*command):
    status, out, errors = run(*command)
    if status:
        raise AssertionError(f"{' '.join(command)}: status {status}\n{out[-4000:]}{errors[-4000:]}")


def setUpModule():
    done("cmake", "--fresh", "--preset", "aarch64-xrt")
    done("cmake", "--build", "--preset", "aarch64-xrt")
    done(TOOL, "compile", os.path.join(SOURCE, "tools/demo/digits_int8.onnx"), "--config", "ultra96", "--cpu", "cortex-a53,native",
         "-o", "ultra96.vta")
    os.makedirs(os.path.join(SCRATCH, "xrt/lib"), exist_ok=True)
    link = os.path.join(SCRATCH, "xrt/lib/libxrt_core.so.2")
    if not os.path.lexists(link):
        os.symlink(f"{LIBRARIES}/libxrt_core.so.2", link)
    done(TOOL, "hw", "xclbin", "-c", "ultra96", "-o", "ultra96.xclbin")


class XrtTest(unittest.TestCase):
    def on_board(self, *arguments, **environment):
        return run(*QEMU, RUNNER, "ultra96.vta", *arguments, **environment)

    def fails(self, message, *arguments, **environment):
        status, out, errors = self.on_board(*arguments, **environment)
        self.assertEqual((status, out, errors.splitlines()[-1]), (1, "", f"vta-run: {message}"))

    def test_what_is_built_needs_the_boards_libraries(self):
        for program in (RUNNER, SERVER):
            if program == SERVER and not os.path.exists(SERVER):
                continue
            with open(os.path.join(SCRATCH, program), "rb") as file:
                facts = elf.Facts(file.read())
            self.assertEqual((facts.machine, facts.bits, facts.is_dynamic, facts.has_symbols), (183, 64, True, False))

    def test_it_computes_what_this_machine_does(self):
        outputs = []
        for command in ([*QEMU, RUNNER], [os.path.join(os.path.dirname(TOOL), "vta-run")]):
            done(*command, "ultra96.vta", "--output", "output.npy")
            with open(os.path.join(SCRATCH, "output.npy"), "rb") as file:
                outputs.append(file.read())
        self.assertEqual(outputs[0], outputs[1])

    def test_it_reaches_for_the_device(self):
        self.fails("xrt:ultra96.xclbin: device: XRT says: Could not open device with index '0'", "--engine", "xrt:ultra96.xclbin",
                   XILINX_XRT="xrt")

    def test_served_it_reaches_for_the_device_as_well(self):
        if not os.path.exists(SERVER):
            self.skipTest("no libgrpc++ for arm64")
        signals = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
        server = subprocess.Popen([*QEMU, SERVER, "--device", "xrt:ultra96.xclbin", "--listen", "127.0.0.1:0"], cwd=SCRATCH, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ, XILINX_XRT=os.path.join(SCRATCH, "xrt")),
                                  preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in signals])
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        where = re.search(r"remote://\S+/xrt$", server.stdout.readline())[0]
        status, _, errors = run(TOOL, "run", "--self-test", "-c", "ultra96", "--engine", where)
        self.assertEqual((status, errors.splitlines()[-1]), (1, f"vta: {where}: xrt:{os.path.realpath(SCRATCH)}/ultra96.xclbin: device: "
                                                                "XRT says: Could not open device with index '0'"))

    def test_xrt_is_looked_for_where_boards_have_it(self):
        self.fails("xrt:ultra96.xclbin: device: XRT says: No such library '/usr/lib/libxrt_core.so.2'", "--engine",
                   "xrt:ultra96.xclbin", XILINX_XRT="")

    def test_the_file_is_looked_at_first(self):
        self.fails("ultra96.vta: is no xclbin: it does not begin with xclbin2", "--engine", "xrt:ultra96.vta")


if not os.path.exists(f"{LIBRARIES}/libxrt_coreutil.so.2"):
    print("skipped: no libxrt1:arm64")
    sys.exit(77)
unittest.main(argv=sys.argv[:1], verbosity=2)
