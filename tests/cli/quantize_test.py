"""Float networks from the command line: quantize and eval, the accuracy that is kept, and what each says when it is handed something wrong."""

import json
import os
import re
import struct
import subprocess
import sys

import tool

DEMO = os.path.join(tool.SOURCE, "tools/demo")
FLOAT = os.path.join(DEMO, "digits_f32.onnx")
INT8 = os.path.join(DEMO, "digits_int8.onnx")
IMAGES = os.path.join(DEMO, "images.bin")
LABELS = os.path.join(DEMO, "labels.txt")
STORED = ["--input-type", "uint8", "--input-scale", "0.0625"]
DATA = ["--data", IMAGES, *STORED]
CASES = os.path.join(os.environ.get("VTA_CASES", os.path.join(tool.SOURCE, "../shared/cases")), "public")


def npy(shape, data):
    """An array of NumPy, of float32."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data


def case(name):
    return os.path.join(CASES, name)


class QuantizeTest(tool.ToolTest):
    def accuracy(self, *arguments):
        return float(re.search(r"(?m)^accuracy: ([\d.]+) %", self.done("run", *arguments)).group(1))

    def test_the_digits_keep_their_accuracy_as_plain_onnx(self):
        out = self.done("quantize", FLOAT, *DATA, "--samples", "100", "-o", "q.onnx")
        self.assertRegex(out, r"^q.onnx: 6 layers with int8 weights, 9 tensors as codes, scales for default\n")
        self.assertRegex(out, r"(?m)^ranges of codes: \d+ by (what later layers get|minmax|percentile|mse)$")
        self.assertRegex(out, r"(?m)^outputs: [3-9]\d\.\d dB of signal to noise against float, on 25 samples held back$")
        costs = [float(cost) for cost in re.findall(r"(?m)^codes of \w+ cost ([\d.]+) dB of that; alone: [\d.]+ dB$", out)]
        self.assertIn(len(costs), (1, 2, 3), out)
        self.assertEqual(costs, sorted(costs, reverse=True))
        images = ["--input", IMAGES, *STORED, "--labels", LABELS]
        self.assertGreaterEqual(self.accuracy("q.onnx", *images), self.accuracy(FLOAT, "--target", "cpu", *images) - 1)
        report = self.done("run", "q.onnx", *images, "--report", "r.json")
        self.assertIn("100.0 % of the MACs", report)
        self.assertNotIn(" float32 ", "".join(re.findall(r"(?m)^cpu .*: computes.*$", report)))
        # The same bytes again.
        self.done("quantize", FLOAT, *DATA, "--samples", "100", "--threads", "1", "-o", "again.onnx")
        self.assertEqual(self.read("q.onnx"), self.read("again.onnx"))

    def test_scales_that_shifts_apply_keep_it_too(self):
        self.done("quantize", FLOAT, *DATA, "--samples", "100", "-c", "vta_0.0.2", "-o", "q.onnx")
        images = ["--input", IMAGES, *STORED, "--labels", LABELS, "--engine", "functional"]
        shifts = self.accuracy("q.onnx", *images, "-c", "vta_0.0.2")
        self.assertGreaterEqual(shifts, 99.25 - 2)

    def test_every_calibration_and_type_keeps_the_digits(self):
        for options in map(str.split, tool.sample([
                "--calibration minmax --type uint8", "--calibration entropy", "--calibration percentile --percentile 99.9",
                "--keep-float depthwise,dense --equalise off --keep-biases", "--calibration mse"], 2)):
            self.done("quantize", FLOAT, *DATA, "--samples", "60", *options, "-o", "q.onnx")
            have = self.accuracy("q.onnx", "--input", IMAGES, *STORED, "--labels", LABELS, "--engine", "functional")
            self.assertGreaterEqual(have, 97, options)
            if "--keep-float" in options:
                self.assertIn(b"depthwise", self.read("q.onnx"))

    def test_names_with_commas_stay_in_float(self):
        with open(FLOAT, "rb") as file:
            self.write("m.onnx", file.read().replace(b"depthwise", b"d,pthwis,").replace(b"dense", b"d,nse"))
        out = self.done("quantize", "m.onnx", *DATA, "--samples", "2", "--keep-float", "d,pthwis,,d,nse", "-o", "q.onnx")
        self.assertEqual(re.findall("(?m)^in float: (.*)$", out), ["d,nse", "d,pthwis,"])

    def test_eval_says_which_layer_is_worst(self):
        out = self.done("eval", FLOAT, *DATA, "--samples", "60", "--labels", LABELS, "--json", "--no-trials")
        report = self.document("vta-eval", out)
        self.assertEqual([run["name"] for run in report["runs"]], ["float", "int8"])
        self.assertEqual(report["samples"], 60)
        self.assertGreaterEqual(report["runs"][1]["accuracy_percent"], report["runs"][0]["accuracy_percent"] - 1)
        alone = [layer["alone_db"] for layer in report["layers"]]
        self.assertEqual(alone, sorted(alone))
        self.assertEqual(len(alone), 9)
        self.assertTrue(all(30 < value < 70 for value in alone), alone)
        out = self.done("eval", FLOAT, *DATA, "--samples", "20", "-c", "vta_0.0.2", "--no-trials")
        self.assertRegex(out, r"(?m)^int8 on vta_0.0.2 \(functional\) +[\d.]+ +[\d.]+$")
        self.assertRegex(out, r"\n[\d,]+ cycles on the accelerator: \d\.\d{3} ms\nms on the host, by a model \(at double, at half its rates\), beside ")
        self.assertRegex(out, r"(?m)^layer +alone dB +whole dB +values +clipped % +channels +what to do$")

    def test_eval_tries_changes(self):
        out = self.document("vta-eval", self.done("eval", FLOAT, *DATA, "--samples", "8", "--json"))
        changes = [trial["change"] for trial in out["trials"]]
        self.assertIn("--calibration minmax", changes)
        self.assertEqual(len([change for change in changes if change.startswith("--keep-float ")]), 3)
        gains = [trial["outputs_db"] for trial in out["trials"]]
        self.assertEqual(gains, sorted(gains, reverse=True))

    def test_eval_compares_a_quantised_network_with_itself_in_float(self):
        out = self.document("vta-eval", self.done("eval", INT8, *DATA, "--labels", LABELS, "--json"))
        self.assertEqual([run["name"] for run in out["runs"]], ["float", "int8"])
        self.assertGreater(out["runs"][1]["accuracy_percent"], 98)
        self.assertTrue(all(trial["change"].endswith(" in float") for trial in out["trials"]))
        # What it takes on the config, as a run counts it.
        self.assertEqual(self.run_tool("run", INT8, "--report", "r.json")[0], 0)
        ran = json.loads(self.read("r.json"))
        self.assertEqual((out["cycles"], out["accelerator_ms"], out["hosts"]), (ran["total"]["cycles"], ran["total"]["ms"], ran["hosts"]))

    def test_data_that_are_wrong(self):
        output = ["-o", "q.onnx"]
        self.write("short.bin", b"\0" * 65)
        self.fails("short.bin: size = 65 bytes: must be whole samples of image: 64 uint8 values, 64 bytes each",
                   "quantize", FLOAT, "--data", "short.bin", *STORED, *output)
        self.write("empty.bin", b"")
        self.fails("empty.bin: size = 0 bytes: must be whole samples of image: 64 uint8 values, 64 bytes each",
                   "quantize", FLOAT, "--data", "empty.bin", *STORED, *output)
        self.write("flat.bin", b"\7" * 128)
        self.fails(f"{FLOAT}: digits_f32: calibration data of \"image\" = 0.4375: is every value of every sample: no range to "
                   "choose from", "quantize", FLOAT, "--data", "flat.bin", *STORED, *output)
        self.write("nan.bin", struct.pack("<64f", *[0.5] * 63, float("nan")))
        self.fails("nan.bin: sample 0: element 63 = nan: must be finite: an input of image",
                   "quantize", FLOAT, "--data", "nan.bin", *output)
        self.write("shape.npy", npy("(1, 1, 4, 16)", b"\0" * 256))
        self.fails("shape.npy: shape = [1,1,4,16]: must be [1,1,8,8] of image, or several along the first dimension",
                   "quantize", FLOAT, "--data", "shape.npy", *output)

    def test_labels_that_do_not_fit(self):
        self.write("digits_f32.txt", "1\n2\n")  # as the graph is called
        self.fails("digits_f32.txt: labels = 2: there are 400 samples", "eval", FLOAT, *DATA, "--labels", "digits_f32.txt")
        self.write("wrong.txt", "10\n" * 400)
        self.fails("wrong.txt:1: label = 10: must be 0 to 9: the output has 10 classes",
                   "eval", FLOAT, *DATA, "--labels", "wrong.txt")

    def test_what_cannot_be_quantised(self):
        self.fails(f"{INT8}: is quantised already; vta eval compares it with itself in float",
                   "quantize", INT8, *DATA, "-o", "q.onnx")
        self.fails(f"{FLOAT}: digits_f32: node to keep in float = nowhere: is no node of the simplified network",
                   "quantize", FLOAT, *DATA, "--samples", "2", "--keep-float", "conv1,nowhere", "-o", "q.onnx")
        self.fails(f"{FLOAT}: digits_f32: no layer to quantise: no convolution or plain product (of factors 1, the left "
                   "matrix as it is) with constant weights that is not kept in float", "quantize", FLOAT, *DATA, "--samples", "2", "--keep-float",
                   "conv1,conv2,depthwise,pointwise,conv3,dense", "-o", "q.onnx")
        self.refuses("--data: 2 files: the model has 1; give --data once for each",
                     "quantize", FLOAT, *DATA, "--data", IMAGES, "-o", "q.onnx")
        self.done("compile", INT8, "-o", "p.vta")
        self.fails("p.vta: is a package: give the model it was made of", "eval", "p.vta", *DATA)

    def test_a_layout_that_is_none(self):
        self.refuses("--input-layout: xyz must be one of nhwc, nchw",
                     "quantize", FLOAT, *DATA, "--input-layout", "xyz", "-o", "q.onnx")


class CaseTest(tool.ToolTest):
    """Trained networks of others, where they lie beside the checkout: what is lost in points of accuracy."""

    CASES = {
        "kws_alibaba_f32": (["inputs_i8.bin", "--input-type", "int8", "--input-scale", "0.5847029",
                             "--input-zero-point", "83"], 92.33, []),
        "mnist_cntk_f32": (["inputs_u8.bin", "--input-type", "uint8"], 99, []),
        "resnet8_cifar_f32": (["inputs_u8.bin", "--input-type", "uint8", "--input-layout", "nhwc"], 89.83,
                              ["calibration_u8.bin"]),
    }

    MOST_LOST = {
        "kws_alibaba_f32": {"default": 1, "vta_0.0.2": 2, "only_mul": 2, "pynq": 2},
        "mnist_cntk_f32": {"default": 1, "vta_0.0.2": 2},
        "resnet8_cifar_f32": {"default": 1, "vta_0.0.2": 2, "pynq": 2},
    }

    def keeps(self, name, most_lost):
        """On one of the configs, or all: what it may lose there."""
        if not os.path.exists(case(name)):
            self.skipTest(f"no case {case(name)}")
        (data, *stored), in_float, calibration = self.CASES[name]
        labels = ["--labels", os.path.join(case(name), "labels.txt")]
        # A hundred samples where the case has none of its own for that.
        calibrate = os.path.join(case(name), *(calibration or [data]))
        for config in tool.sample(list(most_lost), 1):
            self.done("quantize", os.path.join(case(name), "model.onnx"), "--data", calibrate, *stored, "--samples", "100",
                      "-c", config, "-o", "q.onnx")
            have = self.done("run", "q.onnx", "--input", os.path.join(case(name), data), *stored, *labels, "-c", config,
                             "--engine", "functional")
            accuracy = float(re.search(r"(?m)^accuracy: ([\d.]+) %", have).group(1))
            self.assertGreaterEqual(accuracy, in_float - most_lost[config], (name, config))
            self.assertIn("100.0 % of the MACs", have)

    def test_trained_networks(self):
        for name in tool.sample(list(self.MOST_LOST), 1):
            self.keeps(name, self.MOST_LOST[name])

    def test_whole_graphs_with_seeded_weights(self):
        folder = case("light_graphs_seeded")
        if not os.path.exists(folder):
            self.skipTest(f"no case {folder}")
        data = [os.path.join(folder, "input.f32.bin"), "--input-layout", "nchw"]
        # A ten thousandth of the largest output.
        graphs = {"resnet50": ("0.00187", "7.8e-6"), "squeezenet": ("1", "2.7e-5")}
        names = tool.sample(list(graphs), 1)
        for name in {*names, "squeezenet"}:
            subprocess.run([sys.executable, os.path.join(folder, "fill_light.py"), os.path.join(folder, f"light_{name}.onnx"),
                            self.path(f"{name}.onnx"), "7", graphs[name][0]], check=True, capture_output=True)
        for name in names:
            tolerance = graphs[name][1]
            self.done("run", f"{name}.onnx", "--target", "cpu", "--input", *data, "--tolerance", tolerance,
                      "--reference", os.path.join(folder, f"expected_{name}.f32.bin"))
        out = self.done("quantize", "squeezenet.onnx", "--data", *data, "--equalise", "off", "-o", "q.onnx")
        self.assertGreater(float(re.search(r"outputs: ([\d.]+) dB", out).group(1)), 40)


if __name__ == "__main__":
    tool.main()
