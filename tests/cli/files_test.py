"""What the commands do with files that they cannot or must not write, and with options that make no sense."""

import os
import shutil
import struct

import tool

DEMO = os.path.join(tool.SOURCE, "tools/demo")
DIGITS = os.path.join(DEMO, "digits_int8.onnx")


class FilesTest(tool.ToolTest):
    def test_outputs_are_checked_before_anything_runs(self):
        os.mkdir(self.path("folder.vta"))
        self.fails("folder.vta: cannot write: Is a directory", "compile", DIGITS, "-o", "folder.vta")
        self.fails("none/a.vta: cannot write: No such file or directory", "compile", DIGITS, "-o", "none/a.vta")
        self.fails("none/a.img: cannot write: No such file or directory", "asm", "none.s", "-o", "none/a.img")
        self.fails("none/a.img: cannot write: No such file or directory", "exec", "none.img", "-o", "none/a.img")
        self.fails("none/a.onnx: cannot write: No such file or directory", "model", "resnet_tiny", "-o", "none/a.onnx")
        self.refuses("--output: must not be empty", "compile", DIGITS, "-o", "")
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

    def test_no_output_replaces_a_file_that_is_read(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        self.write("c.json", self.done("isa", "--json"))
        self.write("p.s", "finish\n")
        self.write("named.s", ".config ./c.json\nfinish\n")
        self.done("asm", "p.s", "-o", "p.img")
        os.symlink("c.json", self.path("link.json"))
        with open(DIGITS, "rb") as file:
            self.write("m.onnx", file.read())
        self.write("labels.txt", "1\n")
        self.write("in.bin", bytes(256))
        run, compiled = ["run", "m.onnx", "-c", "./c.json"], ["compile", "m.onnx", "-c", "./c.json"]
        assembled, executed = ["asm", "p.s", "-c", "./c.json"], ["exec", "p.img", "-c", "./c.json"]
        table = [(command, option, output)
                 for command, options, inputs in (
                     (run, ["--output", "--report", "--wave", "--trace"], ["c.json", "link.json", "m.onnx"]),
                     (compiled, ["-o"], ["c.json", "link.json", "m.onnx"]),
                     (assembled, ["-o"], ["c.json", "p.s"]),
                     (executed, ["-o", "--wave", "--trace"], ["c.json", "p.img"]),
                     (["asm", "named.s"], ["-o"], ["named.s"]),
                     (["run", "d.vta"], ["--report"], ["d.vta"]),
                     (["run", "m.onnx", "--labels", "labels.txt", "--input", "in.bin", "--reference", "in.bin"], ["--report"],
                      ["labels.txt", "in.bin"]))
                 for option in options for output in inputs]
        self.assertGreater(len(table), 20)
        for command, option, output in table:
            with self.subTest(command=command, option=option, output=output):
                before = self.read(output)
                self.refuses(f"{output}: output: is also an input, which it would replace", *command, option, output)
                self.assertEqual(self.read(output), before)
        # A shipped config, by its name or by none: here of a tool that is installed in this folder.
        os.makedirs(self.path("bin"))
        shutil.copy(tool.TOOL, self.path("bin/vta"))
        shutil.copytree(os.path.join(tool.SOURCE, "isa/configs"), self.path("share/vta/isa/configs"))
        shipped = "share/vta/isa/configs/default.json"
        before = self.read(shipped)
        for words in (["run", "m.onnx", "--report", shipped], ["compile", "m.onnx", "-c", "default", "-o", shipped]):
            self.assertEqual(self.run_process([self.path("bin/vta"), *words]),
                             (2, "", f"vta: {shipped}: output: is also an input, which it would replace\n"))
            self.assertEqual(self.read(shipped), before)
        for command in ("asm", "exec"):
            self.fails("named.s:1: c.json: output: is also an input, which it would replace", command, "named.s", "-o", "c.json")

    def test_wrong_command_lines(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        self.write("p.s", "finish\n")
        self.write("p.img", bytes(64))
        configs = "must be the path of a file or one of " + ", ".join(
            sorted(name.removesuffix(".json") for name in os.listdir(os.path.join(tool.SOURCE, "isa/configs"))))
        for words in (["run", DIGITS], ["compile", DIGITS, "-o", "x.vta"], ["demo"], ["asm", "p.s", "-o", "x.img"],
                      ["exec", "p.img"], ["dis", "p.img"], ["check", "p.img"], ["isa"], ["hw", "lint"], ["hw", "area"]):
            self.refuses(f"config: nosuch: {configs}", *words, "-c", "nosuch")
        package = "is for a model; a package is compiled already"
        range_rule = "is for flat images; this file says itself where its instructions are"
        table = [
            ("--input-type: float13 must be one of int8, uint8, int16, int32, int64, float32; did you mean float32?",
             ["run", "none.onnx", "--input", "none.bin", "--input-type", "float13"]),
            ("--part: xc7z999 must be one of xc7z020, xczu3eg, xczu7ev, xck26, lfe5u-85f", ["hw", "area", "--part", "xc7z999"]),
            ("NAME: nosuch must be one of resnet18, resnet50, mobilenet_v1, mobilenet_v2, mobilenet_v3_large, mobilenet_v3_small, efficientnet_lite0, squeezenet, squeezenet1_0, densenet121, shufflenet_v2, inception_v3, vgg16, vgg19, unet, yolov8n, vit_tiny, tiny_transformer, resnet18_c2_c11, resnet_tiny, mobilenet_tiny",
             ["model", "nosuch", "-o", "x.onnx"]),
            ("--seed requires --output", ["model", "--table", "--seed", "3"]),
            ("--output requires NAME", ["model", "-o", "x.onnx"]),
            ("NAME: vgg16: --output takes one network; --table takes several", ["model", "unet", "vgg16", "-o", "x.onnx"]),
            (f"--engine: warp must be one of {tool.ENGINES}", ["run", DIGITS, "--engine", "warp"]),
            ("--lockstep: is for the engines cycle and rtl, not functional", ["run", DIGITS, "--lockstep", "--engine", "functional"]),
            ("--wave-to: 3: must be after --wave-from, 7",
             ["exec", "p.s", "--wave", "w.fst", "--wave-from", "7", "--wave-to", "3"]),
            ("--input: 2 files: the model has 1; give --input once for each",
             ["run", DIGITS, "--input", "a.bin", "--input", "b.bin"]),
            ("--reference: 2 files: the model has 1; give --reference once for each",
             ["run", "d.vta", "--reference", "a.bin", "--reference", "b.bin"]),
            ("--output: 2 files: the model has 1; give --output once for each", ["run", "d.vta", "--output", "a.bin", "--output", "b.bin"]),
            (f"d.vta: --config = default: {package}", ["run", "d.vta", "-c", "default"]),
            (f"d.vta: --target = cpu: {package}", ["run", "d.vta", "--target", "cpu"]),
            ("d.vta: --config = default: a package holds its own config", ["dis", "d.vta", "-c", "default"]),
            (f"p.s: --insn: {range_rule}", ["dis", "p.s", "--insn", "0"]),
            (f"d.vta: --count: {range_rule}", ["check", "d.vta", "--count", "1"]),
            ("p.img: --insn = 0x8: must be a multiple of 16", ["exec", "p.img", "--insn", "8"]),
            ("--bogus: is not an option; vta --help lists them", ["--bogus", "run", DIGITS]),
            ("--bogus: is not an option; vta hw --help lists them", ["hw", "--bogus"]),
        ]
        for message, words in table:
            with self.subTest(words):
                self.refuses(message, *words)
        # A file that names a wrong config is a wrong file.
        self.write("named.s", ".config nosuch\nfinish\n")
        self.fails(f"named.s:1: config: nosuch: {configs}", "asm", "named.s", "-o", "x.img")

    def test_no_output_replaces_an_input_or_another_output(self):
        self.write("m.onnx", "a model")
        self.refuses("./m.onnx: output: is also an input, which it would replace", "compile", "m.onnx", "-o", "./m.onnx")
        self.refuses("m.onnx: output: is also an input, which it would replace",
                     "run", DIGITS, "--labels", "m.onnx", "--output", "m.onnx")
        self.refuses("./a: output: is named twice", "run", "m.onnx", "--output", "a", "--report", "./a")
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
        self.refuses(f"d.vta: --config = default: {rule}", "run", "d.vta", "-c", "default")
        self.refuses(f"d.vta: --rounding = double: {rule}", "run", "d.vta", "--rounding", "double")
        self.fails("d.vta: is a package: it is compiled already", "compile", "d.vta", "-o", "e.vta")

    def test_an_empty_value_is_a_usage_error(self):
        for option, words in (("--what-if", ["run", DIGITS]), ("--bitstream", ["hw", "xclbin", "-o", "x"])):
            self.refuses(f"{option}: must not be empty", *words, option, "")
            self.refuses(f"{option}: must not be empty", *words, option + "=", "a")
        runner = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
        for name, words in (("PACKAGE", [""]), ("--input", ["p.vta", "--input", ""]), ("--input", ["p.vta", "--input=", "a"])):
            status, out, errors = self.run_process([runner, *words])
            self.assertEqual((status, out, errors.splitlines()[0]), (2, "", f"vta-run: {name}: must not be empty"))

    def test_a_missing_folder_for_temporary_files_is_named(self):
        self.write("file", "")
        for folder, why in (("none", "must be a folder that is there"), ("file", "must be a folder that is there"),
                            ("/proc", "no folder can be made in it: No such file or directory")):
            self.assertEqual(self.run_process(["env", f"TMPDIR={folder}", tool.TOOL, "compile", DIGITS, "-o", "d.vta"]),
                             (1, "", f"vta: {DIGITS}: TMPDIR = {folder}: {why}\n"))

    def test_numbers_out_of_range_are_usage_errors(self):
        for value in ("0", "1.5", "abc", "1e3", "010"):
            self.refuses(f"--repeat: {value} must be an integer, 1 to 1000000000", "run", DIGITS, "--repeat", value)
        self.refuses("--limit: nan must be 0.001 to 1e9 seconds", "exec", "p.img", "--limit", "nan")
        self.refuses("--seed: -1 must be an integer, 0 to 2^64 - 1, decimal or hex (0x...)", "run", DIGITS, "--seed", "-1")
        self.refuses("--seed: a must be an integer, 0 to 2^64 - 1, decimal or hex (0x...)",
                     "model", "resnet_tiny", "-o", "m.onnx", "--seed", "a")
        self.refuses("--count: -4 must be an integer, 0 to 1000000000", "dis", "p.img", "--count", "-4")
        files = ["--input", "a", "--reference", "b"]
        for value in ("0", "-0.5", "inf", "nan"):
            self.refuses(f"--input-scale: {value} must be a finite number above 0", "run", DIGITS, *files, f"--input-scale={value}")
        self.refuses("--input-zero-point: inf must be a finite number", "run", DIGITS, *files, "--input-zero-point", "inf")
        self.refuses("--tolerance: nan must be a finite number that is not negative",
                     "run", DIGITS, *files, "--tolerance", "nan")
        self.refuses("--input-type requires --input", "run", DIGITS, "--input-type", "uint8")
        self.refuses("--tolerance requires --reference", "run", DIGITS, "--tolerance", "1")


tool.main()
