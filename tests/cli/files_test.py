"""What the commands do with files that they cannot or must not write, and with options that make no sense."""

import os
import struct

import tool

DEMO = os.path.join(tool.SOURCE, "tools/demo")
DIGITS = os.path.join(DEMO, "digits_int8.onnx")


class FilesTest(tool.ToolTest):
    def refuses(self, rule, *words):
        """A usage error that says this rule."""
        status, out, errors = self.run_tool(*words)
        self.assertEqual((status, out, errors.splitlines()[0]), (2, "", f"vta: {rule}"))

    def test_outputs_are_checked_before_anything_runs(self):
        os.mkdir(self.path("folder.vta"))
        self.fails("folder.vta: cannot write: Is a directory", "compile", DIGITS, "-o", "folder.vta")
        self.fails("none/a.vta: cannot write: No such file or directory", "compile", DIGITS, "-o", "none/a.vta")
        self.fails("none/a.img: cannot write: No such file or directory", "asm", "none.s", "-o", "none/a.img")
        self.fails("none/a.img: cannot write: No such file or directory", "exec", "none.img", "-o", "none/a.img")
        self.fails("none/a.onnx: cannot write: No such file or directory", "model", "resnet_tiny", "-o", "none/a.onnx")
        self.fails('file name = "": must not be empty', "compile", DIGITS, "-o", "")
        self.fails("none/r.json: cannot write: No such file or directory",
                   "run", "none.onnx", "--output", "a.bin", "--report", "none/r.json")

    def test_the_folder_of_dumps_is_checked_first(self):
        self.write("file", "")
        for words in (["compile", "none.onnx", "-o", "d.vta"], ["run", "none.onnx"]):
            self.fails("file: cannot create: Not a directory", *words, "--dump-dir", "file")
            self.fails("file/dumps: cannot create: Not a directory", *words, "--dump-dir", "file/dumps")
            self.fails("none.onnx: cannot open: No such file or directory", *words, "--dump-dir", "new/dumps")
        self.done("compile", DIGITS, "-o", "d.vta", "--dump-dir", "new/dumps")
        self.assertIn("000_import.txt", os.listdir(self.path("new/dumps")))

    def test_inputs_are_finite(self):
        for value, shown in ((float("nan"), "nan"), (float("-inf"), "-inf")):
            pixels = [0.5] * 128
            pixels[64 + 5] = value  # images of 8 x 8
            self.write("in.bin", struct.pack("<128f", *pixels))
            status, out, errors = self.run_tool("run", DIGITS, "--input", "in.bin", "--output", "o.bin")
            self.assertEqual((status, out), (1, ""))
            self.assertRegex(errors, rf"^vta: in.bin: sample 1: element 5 = {shown}: must be finite: an input of \w+\n$")
            self.assertFalse(os.path.exists(self.path("o.bin")))

    def test_lines_fit_a_terminal(self):
        status, out, _ = self.run_tool("run", DIGITS)
        self.assertEqual(status, 0)
        self.assertLessEqual(max(map(len, out.replace(DIGITS, "m.onnx").splitlines())), 120)

    def test_no_output_replaces_an_input_or_another_output(self):
        self.write("m.onnx", "a model")
        self.fails("./m.onnx: output: is also an input, which it would replace", "compile", "m.onnx", "-o", "./m.onnx")
        self.fails("m.onnx: output: is also an input, which it would replace",
                   "run", DIGITS, "--labels", "m.onnx", "--output", "m.onnx")
        self.fails("./a: output: is named twice", "run", "m.onnx", "--output", "a", "--report", "./a")
        self.assertEqual(self.read("m.onnx"), b"a model")

    def test_devices_stay_devices(self):
        self.done("model", "resnet_tiny", "-o", "/dev/null")
        self.assertFalse(os.path.isfile("/dev/null"))
        self.fails("/dev/full: cannot write: No space left on device", "model", "resnet_tiny", "-o", "/dev/full")

    def test_a_full_standard_output_fails(self):
        self.write("p.s", "finish")
        command = f"'{tool.TOOL}' dis p.s > /dev/full"
        self.assertEqual(self.run_shell(command), (1, "", "vta: stdout: cannot write: No space left on device\n"))

    def test_a_package_is_compiled_already(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        rule = "is for a model; a package is compiled already"
        self.fails(f"d.vta: --config = default: {rule}", "run", "d.vta", "-c", "default")
        self.fails(f"d.vta: --rounding = double: {rule}", "run", "d.vta", "--rounding", "double")
        self.fails("d.vta: is a package: it is compiled already", "compile", "d.vta", "-o", "e.vta")

    def test_numbers_out_of_range_are_usage_errors(self):
        self.refuses("--repeat: 0 must be 1 to 1000000000", "run", DIGITS, "--repeat", "0")
        self.refuses("--limit: nan must be 0.001 to 1e9 seconds", "exec", "p.img", "--limit", "nan")
        self.refuses("--seed: -1 must be an integer, 0 to 2^64 - 1, decimal or hex (0x...)", "run", DIGITS, "--seed", "-1")
        self.refuses("--seed: a must be an integer, 0 to 2^64 - 1, decimal or hex (0x...)",
                     "model", "resnet_tiny", "-o", "m.onnx", "--seed", "a")
        self.refuses("--count: -4 must be 0 to 1e9", "dis", "p.img", "--count", "-4")
        files = ["--input", "a", "--reference", "b"]
        self.refuses("--input-scale: inf must be a finite number", "run", DIGITS, *files, "--input-scale", "inf")
        self.refuses("--tolerance: nan must be a finite number that is not negative",
                     "run", DIGITS, *files, "--tolerance", "nan")
        self.refuses("--input-type requires --input", "run", DIGITS, "--input-type", "uint8")
        self.refuses("--tolerance requires --reference", "run", DIGITS, "--tolerance", "1")


tool.main()
