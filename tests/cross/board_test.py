"""The runtime and the runner that the presets aarch64 and armhf build, on packages made here, under qemu-user.

usage: board_test.py TOOL SOURCE_FOLDER SCRATCH_FOLDER
"""

import array
import hashlib
import os
import re
import shutil
import subprocess
import sys
import unittest

import elf

TOOL, SOURCE, SCRATCH = sys.argv[1:4]
sys.path += [os.path.join(SOURCE, "tests/cli"), os.path.join(SOURCE, "tests/support")]
import hostile
import seeded
RUNNER = os.path.join(os.path.dirname(TOOL), "vta-run")
DEMO = os.path.join(SOURCE, "tools/demo")
MOST_BYTES = 5_000_000
# What builds the compiler, and must not be looked for.
COMPILER_ONLY = ("LLVM", "LLD", "ONNX", "Protobuf", "Boost", "fmt", "Python", "Python3", "PkgConfig")
# Of each preset: how its programs run here, and what the code that packages have for it is.
RUN_ON = {"aarch64": (["qemu-aarch64", "-cpu", "cortex-a53"], "cortex-a53"),
          "armhf": (["qemu-arm", "-cpu", "cortex-a9"], "cortex-a9")}
BOARDS = {name: RUN_ON[name] for name in seeded.sample(list(RUN_ON), 1)}
IMAGES = 25


def run(command):
    """Exit status, stdout, stderr."""
    done = subprocess.run(command, cwd=SCRATCH, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def done(*command):
    status, out, errors = run(command)
    if status:
        raise AssertionError(f"{' '.join(command)}: status {status}\n{out[-4000:]}{errors[-4000:]}")
    return out


def board_runner(board, cpu=None):
    command = list(BOARDS[board][0])
    if cpu:
        command[-1] = cpu
    return command + [f"build-{board}/bin/vta-run"]


def reads_pictures(board):
    with open(os.path.join(SCRATCH, f"build-{board}/CMakeCache.txt"), encoding="utf-8") as file:
        return not re.search(r"^(PNG_LIBRARY_RELEASE|JPEG_LIBRARY_RELEASE|ZLIB_LIBRARY_RELEASE):FILEPATH=.*NOTFOUND$", file.read(), re.M)


def setUpModule():
    os.makedirs(SCRATCH, exist_ok=True)
    for name in os.listdir(SOURCE):
        if not name.startswith((".", "build")) and not os.path.lexists(os.path.join(SCRATCH, name)):
            os.symlink(os.path.join(SOURCE, name), os.path.join(SCRATCH, name))
    for board in BOARDS:
        done("cmake", "--fresh", "--preset", board, *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in COMPILER_ONLY))
        done("cmake", "--build", "--preset", board)


def compile_package(model, name, cpus, *options):
    done(TOOL, "compile", model, "--cpu", cpus, "-o", name, *options)


class BoardTest(unittest.TestCase):
    def read(self, name):
        with open(os.path.join(SCRATCH, name), "rb") as file:
            return file.read()

    def outputs(self, command, package, *arguments):
        """The bytes of the package's one output."""
        output = "output.npy"
        done(*command, package, "--output", output, *arguments)
        content = self.read(output)
        os.remove(os.path.join(SCRATCH, output))
        return content

    def fails(self, message, *command):
        self.assertEqual(run(command), (1, "", f"vta-run: {message}\n"))

    def test_what_is_built_is_small_static_and_stripped(self):
        for board in BOARDS:
            with self.subTest(board):
                program = self.read(f"build-{board}/bin/vta-run")
                print(f"{board}: vta-run has {len(program):,} bytes")
                self.assertLess(len(program), MOST_BYTES)
                facts = elf.Facts(program)
                self.assertEqual((facts.machine, facts.bits), {"aarch64": (183, 64), "armhf": (40, 32)}[board])
                self.assertFalse(facts.is_dynamic)
                self.assertFalse(facts.has_symbols)

    def test_what_is_built_can_be_installed(self):
        for board in BOARDS:
            with self.subTest(board):
                shutil.rmtree(os.path.join(SCRATCH, f"prefix-{board}"), ignore_errors=True)
                done("cmake", "--install", f"build-{board}", "--prefix", f"prefix-{board}")
                program = self.read(f"prefix-{board}/bin/vta-run")
                self.assertEqual(program, self.read(f"build-{board}/bin/vta-run"))
                for name in ("lib/libvta_runtime.a", "include/vta/runtime/session.h"):
                    self.assertTrue(os.path.exists(os.path.join(SCRATCH, f"prefix-{board}", name)), name)
                libraries = os.listdir(os.path.join(SCRATCH, f"prefix-{board}/lib"))
                self.assertEqual([name for name in libraries if ".so" in name], [])

    def test_int8_outputs_are_equal_everywhere(self):
        """The demo's network, one with residuals and one with depthwise convolutions."""
        models = {"digits": os.path.join(DEMO, "digits_int8.onnx")}
        for name in "resnet_tiny", "mobilenet_tiny":
            models[name] = f"{name}.onnx"
            done(TOOL, "model", name, "-o", models[name])
        with open(os.path.join(DEMO, "images.bin"), "rb") as file:
            pixels = array.array("f", (byte / 16 for byte in file.read(IMAGES * 64)))
        with open(os.path.join(SCRATCH, "images.bin"), "wb") as file:
            pixels.tofile(file)
        for name, model in models.items():
            given = ("--input", "images.bin") if name == "digits" else ()
            for targets in "cpu", "vta,cpu":
                compile_package(model, "boards.vta", "cortex-a53,cortex-a9", "--target", targets)
                compile_package(model, "native.vta", "native", "--target", targets)
                wanted = self.outputs([RUNNER], "native.vta", *given)
                self.assertGreater(len(set(wanted[128:])), 4)  # after its header: no constant
                if targets == "vta,cpu":
                    engine = [TOOL, "run", "--engine", "functional"]
                    self.assertEqual(self.outputs(engine, "native.vta", *given), wanted)
                for board in BOARDS:
                    with self.subTest(f"{name} for {targets} on {board}"):
                        for threads in "1", "3":
                            self.assertEqual(
                                self.outputs(board_runner(board), "boards.vta", "--threads", threads, *given), wanted)

    def test_pictures_are_equal_everywhere(self):
        """Decoders, filters and conversions to float give the same bits."""
        folder = "tests/fuzz/corpus/image"
        names = [name for name in sorted(os.listdir(os.path.join(SCRATCH, folder))) if name not in ("cmyk.jpg", "list.txt")]
        self.assertGreater(len(names), 10)
        with open(os.path.join(SCRATCH, "pictures.txt"), "w", encoding="utf-8") as file:
            file.writelines(f"{folder}/{name}\n" for name in names)
        compile_package(os.path.join(DEMO, "digits_int8.onnx"), "boards.vta", "native,cortex-a53,cortex-a9", "--target", "cpu")
        for resize in "pad", "crop":
            given = ("--input", "pictures.txt", "--resize", resize, "--resize-filter", "lanczos", "--input-mean", "127.5", "--input-std", "63.75")
            wanted = self.outputs([RUNNER], "boards.vta", *given)
            for board in BOARDS:
                with self.subTest(f"{resize} on {board}"):
                    if not reads_pictures(board):
                        self.skipTest(f"no libpng and libjpeg for {board}; ./vta test --arm64 fetches them")
                    self.assertEqual(self.outputs(board_runner(board), "boards.vta", *given), wanted)

    def test_what_is_static_is_without_xrt(self):
        compile_package(os.path.join(DEMO, "digits_int8.onnx"), "boards.vta", "cortex-a53,cortex-a9")
        for board in BOARDS:
            with self.subTest(board):
                self.fails("xrt:any.xclbin: this build is without XRT: it needs libxrt-dev and uuid-dev, and VTA_BUILD_XRT=ON",
                           *board_runner(board), "boards.vta", "--engine", "xrt:any.xclbin")

    def test_a_package_for_another_machine_is_refused(self):
        compile_package(os.path.join(DEMO, "digits_int8.onnx"), "x86.vta", "x86-64", "--target", "cpu")
        for board, machine, runs, cpu in (("aarch64", "aarch64", "aarch64", "cortex-a53"),
                                          ("armhf", "armv7 with neon", "armv7", "cortex-a9")):
            if board in BOARDS:
                self.fails(f"x86.vta: modules = x86_64: this machine, {machine}, runs {runs} alone, in ELF: "
                           f"compile the network with --cpu {cpu}", *board_runner(board), "x86.vta")

    def test_kernels_are_guests(self):
        """In the runner's process, where they are trusted, and in one of their own."""
        compile_package(os.path.join(DEMO, "digits_int8.onnx"), "good.vta", "cortex-a53,cortex-a9", "--target", "cpu")
        null, illegal = "was stopped by SIGSEGV at address 0x10, ", "was stopped by SIGILL at address 0x[0-9a-f]+, "
        for name, code, message in (("null.vta", hostile.NULL, null + "instruction 0x[0-9a-f]+ of its module"),
                                    ("illegal.vta", hostile.ILLEGAL, illegal + "instruction 0x[0-9a-f]+ of its module"),
                                    ("loop.vta", hostile.LOOP, "was stopped: its limit, 0.2 s, ended")):
            content = hostile.package(self.read("good.vta"), code)
            with open(os.path.join(SCRATCH, name), "wb") as file:
                file.write(content)
            for board in BOARDS:
                for trust in (), ("--expect-hash", hashlib.sha256(content).hexdigest()):
                    with self.subTest(f"{name} on {board} {trust}"):
                        status, out, errors = run([*board_runner(board), name, "--kernel-limit", "0.2", *trust])
                        self.assertEqual((status, out), (1, ""))
                        self.assertRegex(errors.splitlines()[-1], rf"^vta-run: {name}: step 0 .*: kernel \w+: {message}$")
        for board in BOARDS:
            status, out, errors = run([*board_runner(board), "good.vta", "--sandbox"])
            self.assertEqual((status, out), (1, ""))
            self.assertIn("vta-run: good.vta: sandbox: this system does not filter system calls: ", errors)

    def test_a_board_that_is_not_there_is_named(self):
        """The drivers are in, and find none here."""
        compile_package(os.path.join(DEMO, "digits_int8.onnx"), "digits.vta", "cortex-a53,cortex-a9")
        for board in BOARDS:
            with self.subTest(board):
                status, out, errors = run([*board_runner(board), "digits.vta", "--engine", "uio:none"])
                self.assertEqual((status, out), (1, ""))
                self.assertRegex(errors, r"^vta-run: /sys/class/uio: none: (there is )?no UIO device\b.*\n$")

    def test_a_register_is_accessed_once_and_in_order(self):
        """One load or store of a word, and the barriers that the driver for UIO promises around it."""
        prefixes = {"aarch64": "aarch64-linux-gnu", "armhf": "arm-linux-gnueabihf"}
        for board in BOARDS:
            library = os.path.join(SCRATCH, f"build-{board}/driver/libvta_driver.a")
            code = done(f"{prefixes[board]}-objdump", "-dC", "--no-show-raw-insn", library)
            for name, wanted in ("LoadRegister", "[ldr] dsb"), ("StoreRegister", "dsb .*[str] dsb"):
                with self.subTest(f"{name} on {board}"):
                    body = re.search(rf"<vta::driver::uio::{name}\(.*?\)>:\n(.*?)\n\n", code, re.DOTALL)[1]
                    operations = re.findall(r"^\s*\w+:\s+(\S+)", body, re.MULTILINE)
                    around = operations[:len(operations) - operations[::-1].index("dsb")]
                    self.assertEqual(operations.count("dsb"), wanted.count("dsb"))
                    self.assertEqual(around[-2], re.search(r"\[(\w+)\]", wanted)[1])

    def test_features_of_the_cpu_are_seen(self):
        model = os.path.join(DEMO, "digits_int8.onnx")
        compile_package(model, "a76.vta", "cortex-a76", "--target", "cpu")
        compile_package(model, "a9.vta", "cortex-a9", "--target", "cpu")
        for board, cpu, package, runs, lacks, advice in (
                ("aarch64", "cortex-a53", "a76.vta", "aarch64 with dotprod", "aarch64, lacks dotprod", "cortex-a53"),
                ("armhf", "cortex-r5f", "a9.vta", "armv7 with neon", "armv7, lacks neon", "native on it")):
            if board in BOARDS:
                self.fails(f"{package}: modules = {runs}: this machine, {lacks} for the nearest of them: "
                           f"compile the network with --cpu {advice}", *board_runner(board, cpu), package)
        compile_package(model, "native.vta", "native", "--target", "cpu")
        wanted = self.outputs([RUNNER], "native.vta")
        for board, cpu, package in (("aarch64", "cortex-a76", "a76.vta"), ("aarch64", "max", "a76.vta"),
                                    ("armhf", "max", "a9.vta")):
            if board in BOARDS:
                with self.subTest(cpu):
                    self.assertEqual(self.outputs(board_runner(board, cpu), package), wanted)


unittest.main(argv=sys.argv[:1], verbosity=2)
