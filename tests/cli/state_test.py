"""Inputs that are outputs for the sample before: --state of vta run and of vta-run."""

import os
import struct

import onnx_bytes as onnx
import tool

RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


class StateTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        # s' = s + x and t' = t - x; y is their product.
        inputs = [onnx.value_info(name, (1, 2)) for name in ("s", "x", "t")]
        outputs = [onnx.value_info(name, (1, 2)) for name in ("y", "sum", "a=b")]
        nodes = [onnx.node("Add", ["s", "x"], ["sum"]), onnx.node("Sub", ["t", "x"], ["a=b"]),
                 onnx.node("Mul", ["sum", "a=b"], ["y"])]
        inputs.append(onnx.value_info("wide", (1, 3)))
        outputs.append(onnx.value_info("wider", (1, 3)))
        nodes.append(onnx.node("Relu", ["wide"], ["wider"]))
        self.write("m.onnx", onnx.model(nodes, inputs, outputs))
        self.write("x.bin", floats(1, 2, 3, 4, 5, 6))
        self.write("wide.bin", floats(*[0] * 9))
        self.done("compile", "m.onnx", "--target", "cpu", "-o", "m.vta")

    def run_states(self, tool_name, *words):
        """The outputs y, sum and a=b of a run."""
        model = "m.onnx" if tool_name == tool.TOOL else "m.vta"
        written = [word for name in ("y", "sum", "t", "w") for word in ("--output", f"{name}.out")]
        status, out, errors = self.run_process([tool_name, *(["run"] if tool_name == tool.TOOL else []), model, *words, *written])
        self.assertEqual((status, errors), (0, ""), out)
        return [struct.unpack("<6f", self.read(f"{name}.out")) for name in ("y", "sum", "t")]

    def test_outputs_go_back_to_inputs(self):
        states = ("--state", "s=sum", "--state", "t=a=b")
        fed = ("--input", "x.bin", "--input", "wide.bin")
        for tool_name in tool.TOOL, RUNNER:
            for more in (), ("--repeat", "3"):  # each time from the beginning
                y, sums, t = self.run_states(tool_name, *fed, *states, *more)
                self.assertEqual(sums, (1, 2, 4, 6, 9, 12))
                self.assertEqual(t, (-1, -2, -4, -6, -9, -12))
                self.assertEqual(y, (-1, -4, -16, -36, -81, -144))
            # What they begin with.
            self.write("s.bin", floats(10, 20))
            self.write("t.bin", floats(0, 100))
            files = [word for name in ("s", "x", "t", "wide") for word in ("--input", f"{name}.bin")]
            y, sums, t = self.run_states(tool_name, *files, *states)
            self.assertEqual(sums, (11, 22, 14, 26, 19, 32))
            self.assertEqual(t, (-1, 98, -4, 94, -9, 88))
            # One state; the other input is given for each sample.
            self.write("t.bin", floats(*[7] * 6))
            files = [word for name in ("x", "t", "wide") for word in ("--input", f"{name}.bin")]
            y, sums, t = self.run_states(tool_name, *files, "--state", "s=sum")
            self.assertEqual((sums, t), ((1, 2, 4, 6, 9, 12), (6, 5, 4, 3, 2, 1)))

    def test_every_engine_has_them(self):
        y, sums, t = self.run_states(tool.TOOL, "--input", "x.bin", "--input", "wide.bin", "--state", "s=sum", "--state", "t=a=b",
                                     "--engine", "functional,cycle")
        self.assertEqual(sums, (1, 2, 4, 6, 9, 12))

    def test_without_input_they_begin_with_zeros(self):
        self.assertRegex(self.done("run", "m.vta", "--state", "s=sum", "--quiet"), r"(?m)^sum \[1,2\] float32: ")

    def test_says_what_is_wrong(self):
        fed = ("--input", "x.bin", "--input", "wide.bin")
        for message, words in (
                ("s must be IN=OUT, an input and an output", ("--state", "s")),
                ("q=sum: the model has no such input; it has s, x, t, wide", ("--state", "q=sum")),
                ("s=q: the model has no such output; it has y, sum, a=b, wider", ("--state", "s=q")),
                ("wide=sum: wide is float32 [1,3] and sum is float32 [1,2]: must be of one type and shape", ("--state", "wide=sum")),
                ("s=y: gives an input a second output", ("--state", "s=sum", "--state", "s=y"))):
            self.refuses(f"--state: {message}", "run", "m.vta", *words)
        self.refuses("--input: 2 files: the model has 4; give --input once for each", "run", "m.vta", *fed)
        self.refuses("--input: 2 files: the model has 4; give --input once for each, or once for each of the 3 that are no state",
                     "run", "m.vta", *fed, "--state", "s=sum")
        files = [word for name in ("x", "x", "x", "wide") for word in ("--input", f"{name}.bin")]
        self.fails("x.bin: samples = 3: must be one, with which s begins, as --state has it", "run", "m.vta", *files, "--state", "s=sum")
        self.refuses("--state excludes --in-flight", "run", "m.vta", "--state", "s=sum", "--in-flight", "2")


tool.main()
