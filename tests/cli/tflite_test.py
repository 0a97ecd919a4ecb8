"""TensorFlow Lite models through the tool: the bytes of their ONNX forms, on the accelerator and the CPU."""

import os

import tool

DEMO = os.path.join(tool.SOURCE, "tools/demo")
CASES = os.environ.get("VTA_CASES", os.path.join(tool.SOURCE, "../shared/cases"))
IMAGES = ["--input", os.path.join(DEMO, "images.bin"), "--input-type", "uint8", "--input-scale", "0.0625"]
TARGETS = (["--engine", "functional"], ["--target", "cpu"])


class TfliteTest(tool.ToolTest):
    def test_the_digits_give_the_bytes_of_the_onnx_form(self):
        labels = ["--labels", os.path.join(DEMO, "labels.txt")]
        for name in ("digits_int8", "digits_f32"):
            onnx, tflite = (os.path.join(DEMO, f"{name}.{suffix}") for suffix in ("onnx", "tflite"))
            for rounding in ("single", "double"):
                self.done("run", onnx, "--rounding", rounding, *IMAGES, "--target", "cpu", "--output", "expected.npy")
                for target in TARGETS:
                    out = self.done("run", tflite, "--rounding", rounding, *IMAGES, *labels, *target, "--output", "y.npy")
                    self.assertIn("accuracy: 99.25 % (397 of 400)", out)
                    self.assertIn(f", {rounding} rounding\n", out)
                    self.assertEqual(self.read("y.npy"), self.read("expected.npy"), (name, rounding, target))

    def test_the_format_says_how_to_round(self):
        for suffix, rounding in (("onnx", "single"), ("tflite", "double")):
            model = os.path.join(DEMO, f"digits_int8.{suffix}")
            self.assertIn(f", {rounding} rounding\n", self.done("run", model, *IMAGES, "--engine", "functional"))
            self.assertIn(f", {rounding} rounding\n", self.done("compile", model, "-o", "d.vta"))
        self.assertIn("double for TensorFlow Lite models", " ".join(self.done("run", "--help").split()))

    def test_real_models_give_the_bytes_of_their_kernels(self):
        runs = [("kws_dscnn_int8", "inputs_i8.bin", "expected_int8.bin", []),
                ("kws_dscnn_int8", "inputs_i8.bin", "expected_int8_single_rounding.bin", ["--rounding", "single"])]
        runs += [("person_detect_int8", f"in_{name}.i8.bin", f"out_{name}.i8.bin", []) for name in ("zeros", "person", "no_person")]
        for case, inputs, expected, words in runs:
            folder = os.path.join(CASES, "public", case)
            if not os.path.isdir(folder):
                self.skipTest(f"no case {folder}")
            files = [os.path.join(folder, name) for name in ("model.tflite", inputs, expected)]
            for target in TARGETS:
                self.done("run", files[0], "--input", files[1], "--reference", files[2], *words, *target)


tool.main()
