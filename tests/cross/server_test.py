"""The server that the presets aarch64 and armhf build, under qemu-user: what it gives this machine's tool on loopback.

usage: server_test.py TOOL SOURCE_FOLDER SCRATCH_FOLDER, the folder that board_test.py has made. Exit status 77 (skipped) where the
libraries for boards are not there.
"""

import json
import os
import re
import signal
import subprocess
import sys
import unittest

import elf

TOOL, SOURCE, SCRATCH = sys.argv[1:4]
sys.path += [os.path.join(SOURCE, "tests/support"), os.path.join(SOURCE, "tests/cli")]
import seeded
import tool

MOST_BYTES = 16_000_000
RUN_ON = {"aarch64": ["qemu-aarch64", "-cpu", "cortex-a53"], "armhf": ["qemu-arm", "-cpu", "cortex-a9"]}
BOARDS = seeded.sample(list(RUN_ON), 1)  # as board_test.py has built them


def server_of(board):
    return os.path.join(SCRATCH, f"build-{board}/bin/vta-serve")


def heed_signals():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def run(*command):
    """Exit status, stdout, stderr."""
    done = subprocess.run(command, cwd=SCRATCH, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def done(*command):
    status, out, errors = run(*command)
    if status:
        raise AssertionError(f"{' '.join(command)}: status {status}\n{out[-4000:]}{errors[-4000:]}")
    return out


def read(name):
    with open(os.path.join(SCRATCH, name), "rb") as file:
        return file.read()


class ServerTest(unittest.TestCase):
    def serve(self, board, *arguments):
        """Starts it at a free port; HOST:PORT."""
        server = subprocess.Popen([*RUN_ON[board], server_of(board), "--listen", "127.0.0.1:0", *arguments], cwd=SCRATCH, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, preexec_fn=heed_signals)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return re.search(r"remote://(127\.0\.0\.1:[0-9]+)/", server.stdout.readline())[1]

    def test_it_is_small_static_and_stripped(self):
        for board in BOARDS:
            with self.subTest(board):
                program = read(server_of(board))
                print(f"{board}: vta-serve has {len(program):,} bytes")
                self.assertLess(len(program), MOST_BYTES)
                facts = elf.Facts(program)
                self.assertEqual((facts.machine, facts.bits, facts.is_dynamic, facts.has_symbols),
                                 {"aarch64": (183, 64, False, False), "armhf": (40, 32, False, False)}[board])

    def test_it_serves_what_this_machine_computes(self):
        done(TOOL, "compile", os.path.join(SOURCE, "tools/demo/digits_int8.onnx"), "--cpu", "native,cortex-a53,cortex-a9", "-o", "served.vta")
        with open(os.path.join(SCRATCH, "served.s"), "w", encoding="utf-8") as file:
            file.write(tool.GEMM)
        words = re.search(r"--insn (\S+) --count (\S+)", done(TOOL, "asm", "served.s", "-o", "served.img"))
        program = ["exec", "served.img", "--insn", words[1] if words else "0x1000", "--count", words[2] if words else "7", "-c", "default", "-o", "left.img"]
        for board in BOARDS:
            with self.subTest(board):
                where = self.serve(board, "--device", "cycle", "--device", "uio:none", "--package", "served.vta")
                self.assertEqual(json.loads(done(TOOL, "devices", where, "--json"))["cache"]["packages"], 1)
                found = [(done(TOOL, *program, "--engine", engine), read("left.img")) for engine in ("cycle", f"remote://{where}/cycle")]
                self.assertEqual(*found)
                self.assertIn("all as they should", done(TOOL, "run", "--self-test", "--engine", f"remote://{where}/cycle"))
                for key, message in (("uio", "/sys/class/uio: none: (there is )?no UIO device"), ("cycle", "served.vta: sandbox: this system does not filter")):
                    status, _, errors = run(TOOL, "run", "served.vta", "--engine", f"remote://{where}/{key}")  # qemu filters no system calls
                    self.assertEqual(status, 1)
                    self.assertRegex(errors, rf"vta: remote://{where}/{key}: {message}\b.*\n$")

    def test_it_refuses_what_the_tools_own_refuses(self):
        for board in BOARDS:
            with self.subTest(board):
                program = [*RUN_ON[board], server_of(board)]
                self.assertEqual(run(*program, "--device", "cycle", "--listen", "0.0.0.0:0"),
                                 (2, "", "vta-serve: --listen: 0.0.0.0:0: can be reached from other machines, for which --credentials is needed: "
                                         "vta-serve --make-credentials makes some\n"))
                status, _, errors = run(*program, "--device", "rtl")
                self.assertEqual(status, 2)
                self.assertIn("must be one of cpu, functional, cycle, serial:DEVICE[@BAUD], uio", errors)


missing = [board for board in BOARDS if not os.path.exists(server_of(board))]
if missing:
    print(f"skipped: no libgrpc++ for {', '.join(missing)}; ./vta test --arm64 fetches it")
    sys.exit(77)
unittest.main(argv=sys.argv[:1], verbosity=2)
