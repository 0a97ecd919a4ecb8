"""Networks for GPUs: packages, and what is said where there is none."""

import json
import os
import unittest

import numpy

import gpu_device
import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")


class GpuTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.done("model", "mobilenet_tiny", "-o", "m.onnx")

    def runs_as_on_the_cpu(self, model, *, within):
        """Outputs of the model on the first OpenCL device beside those on the CPU: bytes of which so many may differ."""
        gpu_device.keep_cache_of_opencl(self)
        numpy.save(self.path("x.npy"), numpy.random.default_rng(1).normal(size=(1, 3, 32, 32)).astype("float32"))
        self.done("compile", model, "--target", "opencl", "-o", "g.vta")
        for device in ([], ["--device", "opencl:0"]):
            self.done("run", "g.vta", "--input", "x.npy", "--output", "g.npy", *device)
        self.done("run", model, "--target", "cpu", "--exact", "--input", "x.npy", "--output", "c.npy")
        on_gpu, on_cpu = (numpy.load(self.path(name)) for name in ("g.npy", "c.npy"))
        self.assertGreater(abs(on_cpu).max(), 0)
        self.assertLessEqual(abs(on_gpu - on_cpu).max(), within * abs(on_cpu).max())

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_int8_on_opencl_gives_the_bytes_of_the_cpu(self):
        self.runs_as_on_the_cpu("m.onnx", within=0)
        self.assertRegex(self.done("run", "g.vta", "--input", "x.npy"), r"(?m)^stem +conv2d_i8 .* opencl ")

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_floats_on_opencl(self):
        self.done("model", "resnet_tiny", "--type", "float", "-o", "f.onnx")
        self.runs_as_on_the_cpu("f.onnx", within=1e-5)

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_measures_and_searches_on_opencl(self):
        gpu_device.keep_cache_of_opencl(self)
        self.done("compile", "m.onnx", "--target", "opencl", "-o", "g.vta")
        self.done("compile", "m.onnx", "--target", "cpu", "-o", "c.vta")
        self.assertRegex(self.done("measure", "g.vta"), r"(?m)^g\.vta +[0-9]+ +[0-9.]+$")
        # What cannot be measured is said, and the next one is.
        self.write("cut.vta", self.read("g.vta")[:5000])
        status, out, errors = self.run_tool("measure", "g.vta", "cut.vta", "c.vta", "g.vta", "--quiet")
        self.assertEqual(status, 1, errors)
        self.assertRegex(out, r"(?m)^cut\.vta .*cut\.vta: ")
        self.assertRegex(out, r"(?m)^c\.vta .* c\.vta: modules: are not for a GPU$")
        self.assertEqual(len([line for line in out.splitlines() if line.startswith("g.vta ") and line[-1].isdigit()]), 2)
        said = self.done("tune", DIGITS, "--target", "opencl", "--log", "l.jsonl", "--trials", "8")
        self.assertRegex(said, r"[0-9]+ tasks, [0-9]+ trials in ")
        entries = [json.loads(line) for line in self.read("l.jsonl").splitlines()]
        self.assertEqual({entry["target"] for entry in entries}, {"opencl"})
        self.assertTrue(all(entry.get("cost", 0) > 0 for entry in entries), entries)
        self.done("compile", DIGITS, "--target", "opencl", "--log", "l.jsonl", "-o", "tuned.vta")
        self.done("run", "tuned.vta", "--quiet", "--output", "tuned.npy")
        self.done("run", DIGITS, "--quiet", "--target", "cpu", "--exact", "--output", "plain.npy")
        self.assertTrue((numpy.load(self.path("tuned.npy")) == numpy.load(self.path("plain.npy"))).all())

    def test_a_package_holds_source_for_opencl(self):
        self.done("compile", "m.onnx", "--target", "opencl", "-o", "g.vta", "--dump-dir", "stages")
        package = self.read("g.vta")
        for words in b'"format": "opencl"', b'"arch": "opencl"', b'"1.2"', b"__kernel ", b"\nvoid conv2d_i8_":
            self.assertEqual((words, words in package), (words, True))
        source, = (name for name in os.listdir(self.path("stages")) if name.endswith(".cl"))
        self.assertIn(self.read("stages/" + source), package)
        self.done("compile", "m.onnx", "--target", "opencl", "-o", "again.vta")
        self.assertTrue(self.read("again.vta") == package)

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_where_a_device_is_not(self):
        gpu_device.keep_cache_of_opencl(self)
        self.done("compile", "m.onnx", "--target", "opencl", "-o", "g.vta")
        self.done("compile", "m.onnx", "--target", "cuda", "-o", "c.vta")
        for package, device, message in (
            ("g.vta", "opencl:99", r"OpenCL device = 99: there are [0-9]+"),
            ("c.vta", "opencl:0", r"c\.vta: modules = ptx for sm_80, ptx for sm_70: .* compiles OpenCL C [0-9.]+, and runs none of them"),
        ):
            status, _, errors = self.run_tool("run", package, "--device", device, "--quiet")
            self.assertEqual(status, 1)
            self.assertRegex(errors, f"^vta: {message}\n$")
        gpu_device.set_variable(self, "OCL_ICD_VENDORS", self.path("nowhere"))
        status, _, errors = self.run_tool("run", "g.vta", "--quiet")
        self.assertEqual((status, errors), (1, "vta: OpenCL: there is no platform: no driver of a device is installed\n"))

    def test_a_package_holds_code_for_gpus(self):
        out = self.done("compile", "m.onnx", "--target", "cuda", "-o", "g.vta", "--dump-dir", "stages")
        self.assertIn(", 0 programs, 0 instructions, 0 layout changes ", out)
        package = self.read("g.vta")
        for words in b'"format": "ptx"', b'"arch": "nvptx64"', b'"sm_70"', b".visible .entry conv2d_i8_":
            self.assertEqual((words, words in package), (words, True))
        self.done("compile", "m.onnx", "--target", "cuda", "-o", "again.vta")
        self.assertTrue(self.read("again.vta") == package)

    @unittest.skipIf(gpu_device.has_driver(), "there is a driver of NVIDIA's here")
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
        for device in "cuda", "cuda:", "cuda:x", "cuda:-1", "rocm:0", "cuda:1234", "opencl", "opencl:x":
            self.refuses(f"--device: {device} must be cuda:N or opencl:N, such as cuda:0", "run", "m.onnx", "--device", device)
        self.refuses("--target: gpu must be one of vta,cpu, cpu, vta, cuda, opencl; did you mean cpu?", "run", "m.onnx", "--target", "gpu")
        self.refuses("--device: 1 must be cuda:N or opencl:N, such as cuda:0", "bench", "gpu", "--device", "1")
        self.refuses("--peer: jit must be one of graph, compile", "bench", "gpu", "--peer", "jit")
        self.write("t", "")
        status, _, errors = self.run_tool("compile", "m.onnx", "--target", "cuda", "-o", "g.vta", "--schedule", "stem=t")
        self.assertEqual(status, 1)
        self.assertIn("target = cuda: traces are of steps on vta", errors)


if __name__ == "__main__":
    tool.main()
