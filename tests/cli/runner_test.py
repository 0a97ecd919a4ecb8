"""vta-run, which boards have: outputs as vta run's, and what it says when it is handed something wrong."""

import os
import struct

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
IMAGE_BYTES = 4 * 64  # float32


class RunnerTest(tool.ToolTest):
    def run_tool(self, *arguments):
        return self.run_process([tool.TOOL if arguments[0] in ("compile", "run") else RUNNER, *arguments])

    def fails(self, message, *arguments, status=1):
        self.assertEqual(self.run_tool(*arguments), (status, "", f"vta-run: {message}\n"))

    def compile(self, name, *options):
        self.done("compile", DIGITS, "-o", name, *options)

    def images(self, count):
        return struct.pack(f"<{64 * count}f", *(pixel % 17 / 16 for pixel in range(64 * count)))

    def test_outputs_are_those_of_vta_run(self):
        self.write("images.bin", self.images(3))
        for name, options in (("cpu.vta", ("--target", "cpu")), ("vta.vta", ())):
            self.compile(name, *options)
            self.done("run", name, "--input", "images.bin", "--output", "wanted.npy")
            for output in "got.npy", "got.bin":
                out = self.done(name, "--input", "images.bin", "--output", output, "--threads", "2", "--repeat", "2")
                simulated = "" if options else ", the accelerator simulated"
                self.assertRegex(out, rf"^digits_int8: 6 runs on \w+{simulated}: median \d+\.\d{{3}} ms, least \d+\.\d{{3}} ms\n"
                                      r"logits \[1,10\] float32: the highest of 10 scores, and their softmax\n(  sample [012]: .*\n){3}$")
            self.assertEqual(self.read("got.npy"), self.read("wanted.npy"))
            self.assertTrue(self.read("wanted.npy").endswith(self.read("got.bin")))

    def test_without_input_it_draws_as_vta_run_and_says_so(self):
        self.compile("cpu.vta", "--target", "cpu")
        said = "no --input: one random sample from seed 1\n"
        self.assertEqual(self.run_tool("run", "cpu.vta", "--output", "wanted.bin")[2], f"vta: {said}")
        status, out, errors = self.run_tool("cpu.vta", "--output", "got.bin")
        self.assertEqual((status, errors, self.read("got.bin")), (0, f"vta-run: {said}", self.read("wanted.bin")))
        scores = struct.unpack("<10f", self.read("got.bin"))
        self.assertEqual(int(out.splitlines()[2].split()[0]), scores.index(max(scores)))

    def test_says_what_is_wrong_with_files(self):
        self.compile("cpu.vta", "--target", "cpu")
        self.write("images.bin", self.images(1)[1:])
        self.fails("none.vta: cannot open: No such file or directory", "none.vta")
        self.write("cut.vta", self.read("cpu.vta")[:100])
        self.fails("cut.vta: 100 bytes: is cut off: the head alone has 168", "cut.vta")
        self.fails("images.bin: is not a VTA package: it must start with \"VTAPKG04\"", "images.bin")
        self.fails(f"images.bin: size = {IMAGE_BYTES - 1} bytes: must be whole samples of image: 64 float32 values, "
                   f"{IMAGE_BYTES} bytes each", "cpu.vta", "--input", "images.bin")
        self.fails("no/out.npy: cannot write: No such file or directory", "cpu.vta", "--output", "no/out.npy")
        self.write("images.bin", struct.pack("<64f", *[float("nan")] * 64))
        self.fails("images.bin: sample 0: element 0 = nan: must be finite: an input of image",
                   "cpu.vta", "--input", "images.bin")

    def test_refuses_wrong_command_lines(self):
        self.compile("cpu.vta", "--target", "cpu")
        self.write("images.bin", self.images(1))
        two = ("--input", "images.bin", "--input", "images.bin")
        for message, arguments in (
                ("PACKAGE is required", ()),
                ("--engine: is for an accelerator, and the package has none", ("cpu.vta", "--engine", "uio")),
                ("--threads: 0 must be an integer, 1 to 1024", ("cpu.vta", "--threads", "0")),
                ("--repeat: x must be an integer, 1 to 1000000", ("cpu.vta", "--repeat", "x")),
                ("--input: 2 files: the model has 1; give --input once for each", ("cpu.vta", *two)),
                ("--output: 2 files: the model has 1; give --output once for each",
                 ("cpu.vta", "--output", "a.npy", "--output", "b.npy")),
                ("y.pb: is ONNX's: vta-run knows raw samples, *.npy and pictures", ("cpu.vta", "--output", "y.pb")),
                ("x.pb: is ONNX's: vta-run knows raw samples, *.npy and pictures", ("cpu.vta", "--input", "x.pb")),
                ("cpu.vta: output: is also an input, which it would replace", ("cpu.vta", "--output", "cpu.vta"))):
            status, out, errors = self.run_process([RUNNER, *arguments])
            self.assertEqual((status, out, errors.splitlines()[0]), (2, "", f"vta-run: {message}"))


tool.main()
