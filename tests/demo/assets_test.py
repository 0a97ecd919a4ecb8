"""The shipped digits files agree with their own description, and the int8 model with the float one.

Exit status 77 (skipped) where python3-onnx is not installed.
"""
import hashlib
import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
DEMO = pathlib.Path(__file__).parents[2] / "tools" / "demo"
sys.path.insert(0, str(DEMO))
try:
    import export_tflite
    import onnx
    import onnx_numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


class AssetsTest(unittest.TestCase):
    def setUp(self):
        self.description = json.loads((DEMO / "digits.json").read_text())

    def test_files_have_the_stated_hashes(self):
        for name, digest in self.description["sha256"].items():
            self.assertEqual(hashlib.sha256((DEMO / name).read_bytes()).hexdigest(), digest, name)

    def test_test_split_has_the_stated_size(self):
        images, labels = onnx_numpy.load_test_split(DEMO / "digits.json")
        self.assertEqual(len(images), self.description["split_sizes"]["test"])
        self.assertEqual(len(labels), len(images))
        self.assertEqual((images.min(), images.max()), (0, 1))

    def test_the_tflite_files_are_made_of_the_onnx_files(self):
        for name in ("digits_f32", "digits_int8"):
            made = export_tflite.tflite_bytes(onnx.load(DEMO / f"{name}.onnx"))
            self.assertEqual(made, (DEMO / f"{name}.tflite").read_bytes(), name)

    def test_accuracies_are_those_stated_and_int8_loses_at_most_one_point(self):
        split = onnx_numpy.load_test_split(DEMO / "digits.json")
        measured = {name: onnx_numpy.accuracy(onnx.load(DEMO / f"{name}.onnx"), *split)
                    for name in ("digits_f32", "digits_int8")}
        self.assertEqual(measured, self.description["test_accuracy"])
        self.assertGreaterEqual(measured["digits_f32"], 0.98)
        self.assertGreaterEqual(measured["digits_int8"], measured["digits_f32"] - 0.01)


if __name__ == "__main__":
    unittest.main(verbosity=2)
