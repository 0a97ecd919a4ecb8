"""Networks for GPUs: packages, and what is said where there is none."""

import ctypes
import unittest

import tool


def has_driver():
    try:
        return bool(ctypes.CDLL("libcuda.so.1"))
    except OSError:
        return False


class GpuTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.done("model", "mobilenet_tiny", "-o", "m.onnx")

    def test_a_package_holds_code_for_gpus(self):
        out = self.done("compile", "m.onnx", "--target", "cuda", "-o", "g.vta", "--dump-dir", "stages")
        self.assertIn(", 0 programs, 0 instructions, 0 layout changes ", out)
        package = self.read("g.vta")
        for words in b'"format": "ptx"', b'"arch": "nvptx64"', b'"sm_70"', b".visible .entry conv2d_i8_":
            self.assertEqual((words, words in package), (words, True))
        self.done("compile", "m.onnx", "--target", "cuda", "-o", "again.vta")
        self.assertTrue(self.read("again.vta") == package)

    @unittest.skipIf(has_driver(), "there is a driver of NVIDIA's here")
    def test_without_a_gpu(self):
        self.done("compile", "m.onnx", "--target", "cuda", "-o", "g.vta")
        for words in (["g.vta"], ["m.onnx", "--target", "cuda"], ["g.vta", "--device", "cuda:1"]):
            status, out, errors = self.run_tool("run", *words)
            self.assertEqual(status, 1)
            self.assertRegex(out, r"^(compiled m.onnx for a GPU in [^\n]*\n)?$")
            self.assertIn("vta: libcuda.so.1: cannot be loaded: ", errors)
        status, out, errors = self.run_tool("bench", "gpu", "--network", "mobilenet_tiny")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("vta: libcuda.so.1: cannot be loaded: ", errors)

    def test_what_is_refused(self):
        for device in "cuda", "cuda:", "cuda:x", "cuda:-1", "rocm:0", "cuda:1234":
            self.refuses(f"--device: {device} must be cuda:N, such as cuda:0", "run", "m.onnx", "--device", device)
        self.refuses("--target: gpu must be one of vta,cpu, cpu, vta, cuda; did you mean cpu?", "run", "m.onnx", "--target", "gpu")
        self.refuses("--device: 1 must be cuda:N, such as cuda:0", "bench", "gpu", "--device", "1")
        self.refuses("--peer: jit must be one of graph, compile", "bench", "gpu", "--peer", "jit")
        self.write("t", "")
        status, _, errors = self.run_tool("compile", "m.onnx", "--target", "cuda", "-o", "g.vta", "--schedule", "stem=t")
        self.assertEqual(status, 1)
        self.assertIn("target = cuda: traces are of steps on vta", errors)


if __name__ == "__main__":
    tool.main()
