"""Deep input on a shallow stack: what `ulimit -s` allows does not end a run, and what is nested too deeply is refused."""

import os

import onnx_bytes as onnx
import tool

RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")


class StackTest(tool.ToolTest):
    def shallow(self, *command):
        """Exit status, stdout, stderr of a command that gets a stack of 64 KB."""
        return self.run_process(["/bin/sh", "-c", 'ulimit -s 64; exec "$@"', "sh", *command])

    def refused(self, message, *command):
        self.assertEqual(self.shallow(*command), (1, "", f"vta: {message}\n"))

    def test_ten_thousand_nodes_in_a_row(self):
        """Each reads the one before it, so that all could be one expression."""
        count = 10000
        nodes = [onnx.node("Relu", [f"v{i}"], [f"v{i + 1}"], f"n{i}") for i in range(count)]
        self.write("chain.onnx", onnx.model(nodes, [onnx.value_info("v0", [1, 4])], [onnx.value_info(f"v{count}", [1, 4])]))
        status, _, errors = self.shallow(tool.TOOL, "compile", "chain.onnx", "-o", "chain.vta")
        self.assertEqual((status, errors), (0, ""))
        self.write("in.bin", b"\0\0\0\x40\0\0\0\xc0\0\0\0\0\0\0\x80\x3f")  # 2, -2, 0, 1
        status, _, errors = self.shallow(RUNNER, "chain.vta", "--input", "in.bin", "--output", "out.bin", "--threads", "2")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(self.read("out.bin"), b"\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\x80\x3f")

    def test_the_demo_and_every_help(self):
        for words in (["demo"], ["--help"], ["run", "--help"], ["hw", "pnr", "--help"]):
            status, out, errors = self.shallow(tool.TOOL, *words)
            self.assertEqual((status, errors), (0, ""), words)
            self.assertNotEqual(out, "")

    def test_what_is_nested_deeply_is_refused(self):
        deep = 1000000
        self.write("list.json", "[" * deep)
        self.refused(f"list.json: {'[0]' * 19}...: nested deeper than 64 levels", tool.TOOL, "isa", "--sv", "-c", "list.json")
        self.write("object.json", '{"a":' * deep)
        self.refused(f"object.json: {'a.' * 28}a...: nested deeper than 64 levels", tool.TOOL, "report", "diff", "object.json", "object.json")
        inner = onnx.text(1, onnx.node("Relu", ["x"], ["y"])) + onnx.text(2, "g")
        for _ in range(1000):
            branch = onnx.text(1, "then_branch") + onnx.text(6, inner) + onnx.number(20, 5)
            inner = onnx.text(1, onnx.text(1, "c") + onnx.text(2, "y") + onnx.text(4, "If") + onnx.text(5, branch)) + onnx.text(2, "g")
        model = onnx.number(1, 8) + onnx.text(7, inner)
        self.write("if.onnx", model)
        self.refused(f"if.onnx: model = {len(model)} bytes: is truncated or not an ONNX model", tool.TOOL, "compile", "if.onnx", "-o", "p.vta")


tool.main()
