"""Networks for GPUs: packages, and what is said where there is none."""

import json
import os
import re
import shutil
import subprocess
import unittest

import numpy

import gpu_device
import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")


class GpuTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        gpu_device.set_variable(self, "VTA_CACHE_DIR", self.path("cache"))
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

    def rows_of(self, out):
        """The rows of a run's table: the operators and where they ran."""
        found = re.findall(r"(?m)^\S+ +(\S+) .*? (to opencl|from opencl|vta|opencl|cpu)\b", out)
        return [(op, where) for op, where in found if op != "op"]

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_mixed_with_the_cpu(self):
        gpu_device.keep_cache_of_opencl(self)
        places = "stem=opencl,block2.depthwise=cpu,head=opencl,classifier=cpu"
        self.done("compile", "m.onnx", "--target", "opencl,cpu", "--place", places, "-o", "g.vta")
        package = self.read("g.vta")
        for words in b'"format": "opencl"', b'"format": "elf"', b'"copy": true', b'"gpu_offset": ':
            self.assertEqual((words, words in package), (words, True))
        out = self.done("run", "g.vta", "--output", "g.npy", "--report", "r.json", "--quiet")
        rows = self.rows_of(out)
        self.assertEqual([row for row in rows if row[0] == "copy"], [("copy", "from opencl"), ("copy", "to opencl"), ("copy", "from opencl")])
        self.assertIn(("identity", "cpu"), rows)
        for row in r"on opencl +[\d,]+ ", r"copies +0 +[\d,]+ +\d", r"on cpu +[\d,]+ ":
            self.assertRegex(out, "(?m)^" + row)
        self.assertRegex(out, r"(?m)^copies to and from opencl: 3, [\d,]+ bytes in [\d.]+ ms$")
        self.assertRegex(out, r"(?m)^in the GPU's memory: [\d,]+ bytes of constants and activations$")
        report = json.loads(self.read("r.json"))
        copies = [layer for layer in report["layers"] if layer["op"] == "copy"]
        self.assertEqual(sum(layer["kernel_bytes"] for layer in copies), report["copies"]["kernel_bytes"])
        self.assertTrue(all(layer["wall_ms"] > 0 for layer in copies), copies)
        self.assertGreater(report["gpu"]["macs"], 0)
        self.done("run", "m.onnx", "--target", "cpu", "--output", "c.npy", "--quiet")
        self.assertTrue((numpy.load(self.path("g.npy")) == numpy.load(self.path("c.npy"))).all())
        # In a process of their own kernels of the CPU share the borders all the same.
        self.done("run", "g.vta", "--native", "any", "--sandbox", "--output", "s.npy", "--quiet")
        self.assertTrue((numpy.load(self.path("s.npy")) == numpy.load(self.path("c.npy"))).all())
        status, _, errors = self.run_tool("measure", "g.vta", "--quiet")
        self.assertEqual(status, 1, errors)

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_code_is_kept_by_content_and_driver(self):
        gpu_device.keep_cache_of_opencl(self)
        self.done("compile", "m.onnx", "--target", "opencl", "-o", "g.vta")
        made, kept = "with code that its driver made", "with code from the cache"

        def loads(how, *, name="g.npy"):
            out = self.done("run", "g.vta", "--output", name, "--report", "r.json", "--quiet")
            self.assertRegex(out, rf"(?m)^loaded on \S.* in [\d.]+ s, {how}; the first run took [\d.]+ ms$")
            load = json.loads(self.read("r.json"))["load"]
            self.assertEqual(load["from_cache"], how == kept)
            self.assertTrue(load["ms"] > 0 and load["first_run_ms"] > 0, load)
            return numpy.load(self.path(name))

        first = loads(made)
        self.assertTrue((loads(kept) == first).all())
        file, = os.listdir(self.path("cache"))
        self.assertRegex(file, "^gpu-[0-9a-f]{64}$")
        self.write("cache/" + file, self.read("cache/" + file)[:-1])
        self.assertTrue((loads(made) == first).all())
        self.assertTrue((loads(kept) == first).all())
        # A package with other kernels has code of its own.
        self.done("compile", DIGITS, "--target", "opencl", "-o", "g.vta")
        loads(made)
        self.assertEqual(len(os.listdir(self.path("cache"))), 2)
        # As those do that make code while another process measures.
        self.done("compile", "m.onnx", "--target", "opencl", "-o", "g.vta")
        shutil.rmtree(self.path("cache"))
        requests = [{"do": "runs"}, {"do": "hello", "code": self.path("cache")}, {"do": "prepare", "package": self.path("g.vta")}, {"do": "prepare", "package": "none.vta"}]
        asked = subprocess.run([tool.TOOL, "measure", "--requests", "--device", "opencl:0"], input="\n".join(map(json.dumps, requests)), cwd=self.folder, capture_output=True, text=True, check=True)
        early, _, done, refused = map(json.loads, asked.stdout.splitlines())
        self.assertEqual(early["error"], "request: do = runs: must come behind a hello")
        self.assertEqual(done, {"prepared": True})
        self.assertRegex(refused["error"], "^none.vta: ")
        loads(kept)

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_a_file_of_several_packages(self):
        gpu_device.keep_cache_of_opencl(self)
        parts = []
        for targets in "opencl", "cpu", "vta,cpu":
            self.done("compile", "m.onnx", "--target", targets, "-o", "one.vta")
            parts.append(self.read("one.vta"))
        self.write("all.vta", b"".join(parts))
        outputs = []
        for words, targets, where in (
            ([], "opencl", {"opencl"}),
            (["--target", "cpu"], "cpu", {"cpu"}),
            (["--target", "opencl,cpu"], "opencl", {"opencl"}),
            (["--target", "vta,cpu"], "vta,cpu", {"vta", "cpu"}),
            (["--target", "cuda,cpu"], "cpu", {"cpu"}),
        ):
            out = self.done("run", "all.vta", *words, "--output", "o.npy", "--quiet")
            self.assertTrue(out.startswith(f"all.vta: packages for opencl; cpu; vta,cpu; this run is of that for {targets}\n"), out)
            self.assertEqual({place for _, place in self.rows_of(out.split("\n", 1)[1])}, where)
            outputs.append(self.read("o.npy"))
        self.assertEqual(len(set(outputs)), 1)
        self.fails("all.vta: targets = opencl; cpu; vta,cpu: none of its packages is for --target cuda", "run", "all.vta", "--target", "cuda")
        self.refuses("all.vta: --config = pynq: is for a model; a package is compiled already", "run", "all.vta", "-c", "pynq")
        self.refuses("one.vta: --target = cpu: is for a model; a package is compiled already", "run", "one.vta", "--target", "cpu")
        self.fails(f"all.vta: {sum(map(len, parts))} bytes: another package begins at {len(parts[0])}, and one is wanted", "check", "all.vta")

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_mixed_with_the_accelerator(self):
        gpu_device.keep_cache_of_opencl(self)
        self.done("run", "m.onnx", "--target", "vta,cpu", "--output", "c.npy", "--quiet")
        out = self.done("run", "m.onnx", "--target", "vta,opencl,cpu", "--output", "g.npy", "--quiet")
        self.assertNotIn("opencl", {where for _, where in self.rows_of(out)})
        self.assertIn("is less work than copies to opencl and back", out)
        self.assertTrue((numpy.load(self.path("g.npy")) == numpy.load(self.path("c.npy"))).all())
        for targets in "vta,opencl,cpu", "vta,opencl":
            out = self.done("run", "m.onnx", "--target", targets, "--place", "block2.depthwise=opencl,classifier=opencl", "--engine", "functional", "--output", "g.npy", "--quiet")
            where = {where for _, where in self.rows_of(out)}
            self.assertEqual(where, {"vta", "opencl", "to opencl", "from opencl"} | ({"cpu"} if "cpu" in targets else set()))
            self.assertTrue((numpy.load(self.path("g.npy")) == numpy.load(self.path("c.npy"))).all())

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

    def test_small_planes_and_lookups(self):
        """Biases under functions of codes, gates whose planes are smaller than a warp's product, of several images."""
        for words, targets in ((["--type", "int8"], (["cuda"], ["opencl"])), (["--type", "float", "--batch", "8"], (["cuda", "--precision", "fp16"], ["cuda", "--precision", "tf32"]))):
            self.done("model", "mobilenet_v3_small", *words, "-o", "v3.onnx")
            for target in targets:
                self.done("compile", "v3.onnx", "--target", *target, "-o", "v3.vta", "--quiet")

    @unittest.skipUnless(gpu_device.has_opencl_device(), "no OpenCL device is here")
    def test_where_a_device_is_not(self):
        gpu_device.keep_cache_of_opencl(self)
        self.done("compile", "m.onnx", "--target", "opencl", "-o", "g.vta")
        self.done("compile", "m.onnx", "--target", "cuda", "-o", "c.vta")
        for package, device, message in (
            ("g.vta", "opencl:99", r"g\.vta: step 0 image/quantized \(quantize 3x32x32 -> 3x32x32\): opencl:99: OpenCL device = 99: there are [0-9]+"),
            ("c.vta", "opencl:0", r"c\.vta: modules = ptx for sm_80, ptx for sm_70: .* compiles OpenCL C [0-9.]+, and runs none of them"),
        ):
            status, _, errors = self.run_tool("run", package, "--device", device, "--quiet")
            self.assertEqual(status, 1)
            self.assertRegex(errors, f"^vta: {message}\n$")
        gpu_device.set_variable(self, "OCL_ICD_VENDORS", self.path("nowhere"))
        status, _, errors = self.run_tool("run", "g.vta", "--quiet")
        self.assertEqual((status, errors), (1, "vta: g.vta: step 0 image/quantized (quantize 3x32x32 -> 3x32x32): opencl:0: OpenCL: there is no platform: no driver of a device is installed\n"))

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
            device = "cuda:1" if "--device" in words else "cuda:0"
            self.assertIn(f": step 0 image/quantized (quantize 3x32x32 -> 3x32x32): {device}: libcuda.so.1: cannot be loaded: ", errors)
        status, _, errors = self.run_tool("run", "m.onnx", "--target", "vta,cuda,cpu", "--place", "block2.depthwise=cuda")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"(?m)^vta: m\.onnx: step [0-9]+ block2\.\S+ \(unpack [^)]*\): cuda:0: libcuda\.so\.1: cannot be loaded: ")
        status, out, errors = self.run_tool("bench", "gpu", "--network", "mobilenet_tiny")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("vta: libcuda.so.1: cannot be loaded: ", errors)

    def test_what_is_refused(self):
        for device in "cuda", "cuda:", "cuda:x", "cuda:-1", "rocm:0", "cuda:1234", "opencl", "opencl:x":
            self.refuses(f"--device: {device} must be cuda:N or opencl:N, such as cuda:0", "run", "m.onnx", "--device", device)
        for targets, rule in (
            ("gpu", "gpu must be one of vta, cuda, opencl, cpu; did you mean cpu?"),
            ("cpu,cpu", "cpu,cpu names a target twice"),
            ("cuda,vta", "cuda,vta must begin with vta: cuda takes any operator, and leaves nothing for it"),
            ("vta,cuda,opencl", "vta,cuda,opencl must have at most one kind of GPU"),
        ):
            self.refuses(f"--target: {rule}", "run", "m.onnx", "--target", targets)
        self.refuses("--target: cuda,cpu: is of several: a search is of one target, or of vta,cpu", "tune", "m.onnx", "--target", "cuda,cpu", "--log", "l.jsonl")
        self.refuses("--device: 1 must be cuda:N or opencl:N, such as cuda:0", "bench", "gpu", "--device", "1")
        self.refuses("--peer: jit must be one of graph, compile", "bench", "gpu", "--peer", "jit")
        for option in ["--bisect"], ["--in-flight", "2"]:
            self.refuses(f"{option[0]}: is for packages without steps for a GPU", "run", "m.onnx", "--target", "vta,cuda", "--place", "stem.im2col=cuda", *option)
        self.refuses("--raw: raw: is for packages without steps for a GPU", "compile", "m.onnx", "--target", "vta,cuda", "--raw", "raw", "-o", "no.vta")
        self.assertFalse(os.path.exists(self.path("no.vta")))
        self.write("t", "")
        status, _, errors = self.run_tool("compile", "m.onnx", "--target", "cuda", "-o", "g.vta", "--schedule", "stem=t")
        self.assertEqual(status, 1)
        self.assertIn("target = cuda: traces are of steps on vta", errors)


if __name__ == "__main__":
    tool.main()
