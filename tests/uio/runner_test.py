"""The programs as they are shipped on a board with UIO that a preloaded library plays: outputs as the functional engine's, and each
error by its name.

usage: runner_test.py TOOL SOURCE_FOLDER FAKE_LIBRARY
"""

import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(sys.argv[2], "tests/cli"))
LIBRARY = sys.argv.pop(3)
import tool  # noqa: E402, from that folder; it wants the first two arguments alone

RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
MEMORY_BYTES = 4 << 20
BUFFER = "sys/class/u-dma-buf/udmabuf0"


class UioTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(tool.SOURCE, "tools/demo/images.bin"), "rb") as file:
            images = struct.pack("<256f", *(byte / 16 for byte in file.read(256)))
        once = tempfile.TemporaryDirectory()
        cls.addClassCleanup(once.cleanup)
        cls.once = once.name
        with open(os.path.join(cls.once, "images.bin"), "wb") as file:
            file.write(images)
        for command in (["compile", DIGITS, "-o", "digits.vta"],
                        ["run", "digits.vta", "--engine", "functional", "--input", "images.bin", "--output", "want.bin"]):
            subprocess.run([tool.TOOL, *command], cwd=cls.once, check=True, stdout=subprocess.DEVNULL)

    def setUp(self):
        super().setUp()
        shutil.copytree(self.once, self.folder, dirs_exist_ok=True)
        self.put("dev/uio0", "")
        self.put("dev/udmabuf0", "")
        self.put("sys/class/uio/uio0/name", "vta\n")
        for name, value in ("addr", "0x43c00000"), ("offset", "0x0"), ("size", "0x00010000"):
            self.put(f"sys/class/uio/uio0/maps/map0/{name}", value + "\n")
        for name, value in ("phys_addr", "0x1f000000"), ("size", MEMORY_BYTES), ("sync_for_cpu", 0), ("sync_for_device", 0):
            self.put(f"{BUFFER}/{name}", f"{value}\n")
        self.board()

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path("board/" + name)), exist_ok=True)
        self.write("board/" + name, text)

    def board(self, config="default", **settings):
        self.put("board.json", json.dumps({"config": os.path.join(tool.SOURCE, f"isa/configs/{config}.json"), **settings}))

    def on_board(self, *arguments, program=RUNNER):
        preload = {"LD_PRELOAD": LIBRARY, "VTA_FAKE_UIO": self.path("board")}
        return self.run_process(["env", *(f"{name}={value}" for name, value in preload.items()), program, *arguments])

    def outputs(self, *more, program=(RUNNER,)):
        arguments = [*program[1:], "digits.vta", "--engine", "uio", "--input", "images.bin", "--output", "got.bin", *more]
        status, out, errors = self.on_board(*arguments, program=program[0])
        self.assertEqual((status, errors), (0, ""), out)
        return self.read("got.bin")

    def fails(self, message, engine="uio"):
        status, out, errors = self.on_board("digits.vta", "--engine", engine, "--input", "images.bin", "--output", "no.bin")
        self.assertEqual((status, out, errors), (1, "", f"vta-run: {message}\n"))
        self.assertFalse(os.path.exists(self.path("no.bin")))
        for node in "dev/uio0", "dev/udmabuf0":  # nobody holds it any more
            if os.path.exists(self.path("board/" + node)):
                with open(self.path("board/" + node), "rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_outputs_are_the_functional_engines(self):
        want = self.read("want.bin")
        for engine in "functional", "cycle", "rtl":
            self.board(engine=engine)
            for repeat in "1", "2":
                self.assertEqual(self.outputs("--repeat", repeat), want, engine)
        self.assertEqual(self.outputs(program=(tool.TOOL, "run")), want)

    def test_kernels_between_programs_work_in_the_same_memory(self):
        """32 of this network's 105 steps are the host's, on tensors that the accelerator writes before and reads after."""
        self.put(f"{BUFFER}/size", f"{16 << 20}\n")
        self.done("model", "mobilenet_v3_small", "-o", "mixed.onnx")
        self.done("compile", "mixed.onnx", "-o", "mixed.vta")
        self.assertEqual(self.run_tool("run", "mixed.vta", "--engine", "functional", "--output", "mixed.bin")[0], 0)
        status, _, errors = self.on_board("mixed.vta", "--engine", "uio", "--output", "got.bin", "--repeat", "2")
        self.assertEqual(status, 0, errors)
        self.assertEqual(self.read("got.bin"), self.read("mixed.bin"))

    def test_samples_in_flight_share_the_board(self):
        """Kernels of one synchronise their memory while the accelerator works for another."""
        for engine in "functional", "rtl":
            self.board(engine=engine)
            self.assertEqual(self.outputs("--in-flight", "3", "--repeat", "3"), self.read("want.bin"), engine)

    def test_the_self_test_and_the_bisection_find_nothing(self):
        self.board(engine="rtl")
        status, out, errors = self.on_board("digits.vta", "--engine", "uio", "--self-test")
        self.assertEqual((status, errors), (0, ""), out)
        self.assertRegex(out, r"^self-test on uio: \d+ programs, all as they should")
        status, out, errors = self.on_board("digits.vta", "--engine", "uio", "--input", "images.bin", "--bisect")
        self.assertEqual((status, errors), (0, ""), out)
        self.assertIn("outputs of 4 samples are equal\n", out)

    def test_interrupts_that_are_lost_or_come_from_nowhere(self):
        want = self.read("want.bin")
        for settings in ({"lose_every": 3}, {"lose_every": 1}, {"spurious_every": 1, "busy_looks": 3},
                         {"spurious_every": 2, "lose_every": 2}, {"has_interrupt": False}):
            self.board(engine="rtl", **settings)
            self.assertEqual(self.outputs(), want, settings)

    def test_a_forgotten_sync_shows(self):
        self.board(forgets="sync_for_cpu")
        self.assertNotEqual(self.outputs(), self.read("want.bin"))
        self.board(forgets="sync_for_device")
        self.assertIn("did not finish", self.on_board("digits.vta", "--engine", "uio", "--input", "images.bin")[2])

    def test_another_accelerator_is_refused(self):
        self.board(config="small_8x8")
        hashes = [dict(line.split() for line in self.done("isa", "--hash", *more).splitlines())["arch"]
                  for more in ((), ("-c", "small_8x8"))]
        self.fails(f'/dev/uio0: arch hash = {hashes[0]} (config "default"): the device "/dev/uio0" is {hashes[1]}')
        self.board(fault="wrong_id")
        self.fails("device /dev/uio0: register id = 0x31415457: is not a VTA's, 0x31415456")

    def test_a_device_that_is_not_there_or_not_ours(self):
        self.fails("/sys/class/uio: gpio: no UIO device is called so; there are uio0 (vta)", engine="uio:gpio")
        self.fails("/sys/class/u-dma-buf: udmabuf7: no contiguous buffer is called so; there are udmabuf0",
                   engine="uio:vta@udmabuf7")
        for node in "dev/uio0", "dev/udmabuf0":
            os.chmod(self.path("board/" + node), 0)
            self.fails(f"/{node}: cannot open: Permission denied; a rule of udev gives it to users (docs/uio.md)")
            os.chmod(self.path("board/" + node), 0o600)
        shutil.rmtree(self.path("board/sys/class/uio"))
        self.fails("/sys/class/uio: vta: there is no UIO device: uio_pdrv_genirq is not loaded, or the device tree names none "
                   "for it (docs/uio.md)")

    def test_a_device_that_another_process_has(self):
        for node in "dev/uio0", "dev/udmabuf0":
            with open(self.path("board/" + node), "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                status, out, errors = self.on_board("digits.vta", "--engine", "uio")
                self.assertEqual((status, out, errors), (1, "", f"vta-run: /{node}: another process has it\n"))
        self.assertEqual(self.outputs(), self.read("want.bin"))

    def test_a_process_that_is_killed_leaves_nothing_locked(self):
        self.board(fault="stuck", engine="rtl")
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "VTA_FAKE_UIO": self.path("board")}
        with subprocess.Popen([RUNNER, "digits.vta", "--engine", "uio", "--input", "images.bin"], cwd=self.folder,
                              env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            while not self.has_open(run, "dev/udmabuf0"):  # which it opens after the other
                self.assertIsNone(run.poll())
            run.send_signal(signal.SIGKILL)
        self.board()
        self.assertEqual(self.outputs(), self.read("want.bin"))

    def has_open(self, process, node):
        """Without taking its lock to find out."""
        return os.path.realpath(self.path("board/" + node)) in tool.open_files(process.pid)

    def test_a_buffer_that_does_not_suffice(self):
        self.put(f"{BUFFER}/size", "65536\n")
        status, _, errors = self.on_board("digits.vta", "--engine", "uio", "--input", "images.bin")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"^vta-run: (.*: )?device /dev/udmabuf0: memory = \d+ bytes: the largest free range has \d+\n$")
        self.put(f"{BUFFER}/size", "1024\n")
        self.fails(f"/{BUFFER}/size: 1024: must be at least 4096, a page")
        self.put(f"{BUFFER}/size", "4194304\n")
        self.put(f"{BUFFER}/phys_addr", "0x1f000004\n")
        self.fails(f"/{BUFFER}/phys_addr: 0x1f000004: must be a multiple of 4096, a page")

    def test_a_board_that_fails_in_the_middle(self):
        place = r"vta-run: digits.vta: .*: "
        for fault, message in (("no_answer", "/dev/uio0: register = 0x000: refuses to be written: the bus reports an error"),
                               ("dead_bus", "/dev/uio0: register status = 0x00000046: memory answered nothing for 10 ms "
                                            r"\(1000000 cycles at 100 MHz\), so the watchdog ended the launch"),
                               ("bus_error", r"did not finish: fault\n  fetch: halted with bus error at instruction 0 \(0x1f[0-9a-f]{6}\)")):
            self.board(fault=fault, fault_after=3)
            status, _, errors = self.on_board("digits.vta", "--engine", "uio", "--input", "images.bin", "--output", "no.bin")
            self.assertEqual(status, 1)
            self.assertRegex(errors, f"^{place}(.*)?{message}\n$")
            self.assertFalse(os.path.exists(self.path("no.bin")))


tool.main()
