"""What the tool says of a model: why layers are on the CPU, names that a terminal would act on, sizes, batches,
labels; and tensors as files of NumPy and ONNX."""

import json
import os
import re
import shlex
import struct

import onnx_bytes as onnx
import tool

DEMO = os.path.join(tool.SOURCE, "tools/demo")
DIGITS = os.path.join(DEMO, "digits_int8.onnx")
IMAGES = ["--input", os.path.join(DEMO, "images.bin"), "--input-type", "uint8", "--input-scale", "0.0625"]


def relu(name=b"n", x=b"x", y=b"y", dims=(1, 4), **more):
    return onnx.model([onnx.node("Relu", [x], [y], name)], [onnx.value_info(x, dims)], [onnx.value_info(y, dims)], **more)


def npy(code, shape, data):
    head = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


class MessagesTest(tool.ToolTest):
    def run_quiet(self, *words):
        """stdout of a run without --input, which says so."""
        status, out, errors = self.run_tool("run", *words)
        self.assertEqual((status, errors), (0, "vta: no --input: one random sample from seed 1\n"), out)
        return out

    def test_layers_on_the_host_say_why(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        for source in (DIGITS, "d.vta"):
            out = self.run_quiet(source, "--report", "r.json")
            self.assertRegex(out, r"(?m)^image_quantized +quantize +[\d,]+ +cpu a")
            self.assertIn("\ncpu a: converts float32 to int8\n", out)
            layers = json.loads(self.read("r.json"))["layers"]
            self.assertEqual(layers[0]["why"], "converts float32 to int8")
            for layer in layers:
                self.assertEqual("why" in layer, layer["where"] == "cpu", layer)

    def test_a_memory_limit_says_what_is_needed(self):
        need = (r"vta: {}: memory = (\d+) bytes: must be at most the limit, 4096: (\d+) of activations \(the largest tensor, "
                r"\S+, has \d+\), (\d+) of constants, (\d+) of workspace for \d+ threads?, (\d+) of code\n")
        self.done("compile", DIGITS, "-o", "d.vta")
        for words in (("compile", DIGITS, "-o", "no.vta"), ("run", DIGITS), ("run", "d.vta")):
            status, _, errors = self.run_tool(*words, "--memory-limit", "4K")
            self.assertEqual(status, 1)
            match = re.fullmatch(need.format(re.escape(words[1])), errors)
            self.assertTrue(match, errors)
            all_of_it, *parts = map(int, match.groups())
            self.assertEqual(all_of_it, sum(parts))
        self.assertFalse(os.path.exists(self.path("no.vta")))
        self.run_quiet(DIGITS, "--memory-limit", "1G")
        self.run_quiet("d.vta", "--memory-limit", str(all_of_it), "--report", "r.json")
        memory = json.loads(self.read("r.json"))["memory"]
        self.assertEqual(memory["peak_bytes"], all_of_it)
        self.assertLess(memory["activation_bytes"], memory["tensor_bytes"])
        self.assertEqual(self.run_tool("run", "d.vta", "--memory-limit", str(all_of_it - 1))[0], 1)
        for bad in ("", "x", "-1", "1T", "1KK", "9G9", "9000000000G"):
            self.assertEqual(self.run_tool("run", "d.vta", "--memory-limit=" + bad)[0], 2, bad)

    def test_a_float_model_says_that_it_is_float(self):
        self.write("f.onnx", relu())
        out = self.run_quiet("f.onnx", "--report", "r.json")
        self.assertIn("\ncpu a: computes in float32: its input is not quantised\n"
                      "vta: 0 of 1 layer, 0.0 % of the MACs; the model is float, not int8: it runs on the cpu\n", out)
        self.assertIs(json.loads(self.read("r.json"))["is_float"], True)
        out = self.run_quiet(DIGITS, "--target", "cpu")
        self.assertNotIn("cpu a", out)
        self.assertRegex(out, r"(?m)^cpu: \d+ layers, \d+[.]\d\d GMAC/s$")

    def test_names_move_no_cursor_and_forge_no_line(self):
        bad = b"a\x1b[2J\nvta: proved\xe2\x80\xae"
        seen = "a\\x1b[2J\\x0avta: proved\\xe2\\x80\\xae"
        self.write("m.onnx", relu(name=bad, x=b"x" + bad, y=b"y" + bad))
        self.write("zero.bin", bytes(16))
        self.done("compile", "m.onnx", "-o", "m.vta", "--dump-dir", "dumps")
        for source in ("m.onnx", "m.vta"):
            out = self.done("run", source, "--input", "zero.bin", "--reference", "zero.bin", "--report", "r.json")
            self.assertIn(f"\n{seen}  relu", out)
            self.assertIn(f"output y{seen}: 0 of 4 values differ", out)
            self.assertEqual(json.loads(self.read("r.json"))["layers"][0]["name"].encode(), bad)
            self.write("short.bin", b"123")
            self.fails(f"short.bin: size = 3 bytes: must be whole samples of x{seen}: 4 float32 values, 16 bytes each",
                       "run", source, "--input", "short.bin")
        for name in os.listdir(self.path("dumps")):
            for line in self.read("dumps/" + name).decode().splitlines():
                self.assertTrue(line.isprintable(), (name, line))
        self.write("bad.onnx", onnx.model([onnx.node(b"O" + bad, ["x"], ["y"])], [onnx.value_info("x", [1])],
                                          [onnx.value_info("y", [1])]))
        self.fails(f"bad.onnx: operator = O{seen} (1 node): is not supported", "run", "bad.onnx")
        self.write("c.json", json.dumps({"name": "c", "isa": "1.0", bad.decode(): {}}))
        self.assertIn("unknown key", self.run_tool("run", "m.onnx", "-c", "./c.json")[2])
        self.assertTrue(self.run_tool("run", "m.onnx", "-c", "./c.json")[2].rstrip("\n").isprintable())
        self.write("p.s", b"finish\n" + bad + b"\n")
        self.assertTrue(self.run_tool("check", "p.s")[2].rstrip("\n").isprintable())

    def test_names_of_steps_are_shown_by_every_command(self):
        # A package's layer on the accelerator with a name of the same length.
        with open(DIGITS, "rb") as file:
            self.write("m.onnx", file.read().replace(b"conv2", b"c\x1b[2J").replace(b"conv1", b"c\nv:a"))
        self.done("compile", "m.onnx", "-o", "m.vta")
        for words in (["check", "m.vta"], ["exec", "m.vta", "--apart"], ["dis", "m.vta"], ["run", "m.vta", *IMAGES]):
            out = self.run_tool(*words)[1]
            self.assertIn("c\\u001b[2J" if words[0] == "dis" else "c\\x1b[2J", out, words)
            self.assertIn("c\\nv:a" if words[0] == "dis" else "c\\x0av:a", out, words)
            self.assertNotIn("\x1b", out, words)
            self.assertNotRegex(out, r"(?m)^v:a", words)

    def test_symbolic_dimensions_are_given(self):
        self.write("m.onnx", relu(dims=("batch", "N")))
        self.fails("m.onnx: symbolic dimension = N: give its size, such as vta run m.onnx --dim N=224", "run", "m.onnx")
        self.write("a net.onnx", relu(dims=("batch", "N", "?")))
        command = "vta run 'a net.onnx' --config small_8x8 --engine functional --apart --dim N=2 --dim x:2=224"
        words = ["run", "a net.onnx", "-c", "small_8x8", "--engine", "functional", "--apart", "--dim", "N=2"]
        self.fails(f"a net.onnx: symbolic dimension = x:2: give its size, such as {command}", *words)
        self.assertRegex(self.run_quiet(*shlex.split(command)[2:]), r"(?m)^n +relu +2x224 -> 2x224 ")
        self.fails("a net.onnx: symbolic dimensions = N, x:2: give their sizes, such as vta quantize 'a net.onnx' "
                   "--data x.npy --output q.onnx --dim N=224 --dim x:2=224",
                   "quantize", "a net.onnx", "--data", "x.npy", "-o", "q.onnx")
        out = self.run_quiet("m.onnx", "--dim", "N=6")
        self.assertRegex(out, r"(?m)^n +relu +6 -> 6 ")
        self.assertRegex(self.run_quiet("m.onnx", "--dim", "x:1=6"), r"(?m)^n +relu +6 -> 6 ")
        out = self.run_quiet("--dim", "batch=3", "--dim", "N=6", "m.onnx")
        self.assertRegex(out, r"(?m)^n +relu +3x6 -> 3x6 ")
        self.fails("m.onnx: --dim = M=6: the model has no such symbolic dimension; it has N, batch",
                   "run", "m.onnx", "--dim", "N=1", "--dim", "M=6")
        status, out, errors = self.run_tool("run", "m.onnx", "--dim", "N=1", "--dim", "N=2")
        self.assertEqual((status, out, errors.splitlines()[0]), (2, "", "vta: --dim: N=2: gives a dimension a second size"))
        for words in ("N", "=3", "N=0", "N=-1", "N=1.5", "N="):
            status, out, errors = self.run_tool("run", "m.onnx", "--dim", words)
            self.assertEqual((status, out, errors.splitlines()[0]),
                             (2, "", f"vta: --dim: {words} must be NAME=SIZE, with a size of 1 or more"))

    def test_a_batch_is_several_inferences(self):
        self.write("m.onnx", relu(dims=("N", 2)))
        self.write("in.bin", struct.pack("<6f", 1, 2, 4, 3, 5, 6))
        self.write("labels.txt", "1\n0\n0\n")
        words = ["run", "m.onnx", "--dim", "N=3", "--input", "in.bin"]
        out = self.done(*words, "--labels", "labels.txt", "--repeat", "2", "--report", "r.json")
        self.assertIn("; a run is 3 inferences\nmemory: ", out)
        self.assertIn("accuracy: 66.67 % (2 of 3)\n", out)
        self.assertEqual(json.loads(self.read("r.json"))["batch"], 3)
        self.write("labels.txt", "1\n")
        self.fails("labels.txt: labels = 1: there are 3 samples", *words, "--labels", "labels.txt")

    def test_labels_are_classes(self):
        for label in ("-1", "1000000", "10"):
            self.write("labels.txt", "3\n" * 399 + label + "\n")
            self.fails(f"labels.txt:400: label = {label}: must be 0 to 9: the output has 10 classes",
                       "run", DIGITS, *IMAGES, "--labels", "labels.txt")

    def test_models_of_other_kinds_are_named(self):
        self.write("m.onnx", b"\xff\0\0\0TFL3" + bytes(64))  # the content says what it is
        self.fails("m.onnx: model = 72 bytes: is truncated or damaged: its flatbuffer does not verify", "run", "m.onnx")
        self.write("text.onnx", onnx.model([onnx.node("Relu", ["x"], ["y"])],
                                           [onnx.value_info("x", [1], onnx.STRING)], [onnx.value_info("y", [1])]))
        self.fails('text.onnx: input "x": element type = STRING: is not a supported element type', "run", "text.onnx")

    def test_floats_that_are_computed_as_others_are_named(self):
        self.write("half.onnx", onnx.model([onnx.node("Relu", ["x"], ["y"])],
                                           [onnx.value_info("x", [1, 2], onnx.FLOAT16)], [onnx.value_info("y", [1, 2], onnx.FLOAT16)]))
        self.write("in.bin", struct.pack("<2f", -1.5, 2.5))
        status, out, errors = self.run_tool("run", "half.onnx", "--input", "in.bin", "--output", "y.bin")
        self.assertEqual(status, 0, errors)
        self.assertIn("half.onnx: tensors of FLOAT16 are computed in float32", errors)
        self.assertEqual(struct.unpack("<2f", self.read("y.bin")), (0, 2.5))

    def test_tensors_of_numpy_and_onnx(self):
        self.write("m.onnx", relu(dims=(1, 2)))
        data = struct.pack("<4f", 1, -2, -3, 4)
        self.write("in.npy", npy("<f4", (2, 2), data))
        self.write("in.pb", onnx.number(1, 2) + onnx.number(1, 2) + onnx.number(2, onnx.FLOAT) + onnx.text(9, data))
        self.write("expected.bin", struct.pack("<4f", 1, 0, 0, 4))
        for name in ("in.npy", "in.pb"):
            for output in ("y.npy", "y.pb"):
                out = self.done("run", "m.onnx", "--input", name, "--reference", "expected.bin", "--output", output)
                self.assertIn("2 of 2 samples equal", out)
                self.done("run", "m.onnx", "--input", name, "--reference", output)
        self.assertEqual(self.read("y.npy"), npy("<f4", (2, 2), self.read("expected.bin")))
        self.write("wrong.npy", npy("<f4", (2, 1, 3), bytes(24)))
        self.fails("wrong.npy: shape = [2,1,3]: must be [1,2] of x, or several along the first dimension",
                   "run", "m.onnx", "--input", "wrong.npy")
        self.write("wrong.npy", npy("<f8", (1, 2), bytes(16)))
        self.fails("wrong.npy: element type = float64: must be float32, as is x; --input-type converts inputs",
                   "run", "m.onnx", "--input", "wrong.npy")
        self.write("u8.npy", npy("|u1", (1, 2), b"\x02\x04"))
        self.write("half.bin", struct.pack("<2f", 1, 2))
        self.done("run", "m.onnx", "--input", "u8.npy", "--input-type", "uint8", "--input-scale", "0.5",
                  "--reference", "half.bin")


tool.main()
