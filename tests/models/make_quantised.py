"""The demo's float network as ONNX Runtime's quantiser makes integers of it, with that runtime's logits: what a test reads.

usage: make_quantised.py FOLDER     run by the Python of the environment of `./vta bench cpu`

Writes NAME.onnx for each way, and NAME.bin: the logits of the test split, float32, without the runtime's optimisations.
Calibrated on the first images of that split.
"""

import os
import sys

import numpy
import onnx
import onnxruntime
from onnxruntime import quantization

DEMO = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools", "demo")
CALIBRATION = 100
# Name, operators or QDQ, activations, weights, one scale for each channel.
WAYS = (("operators_u8s8_channel", "QOperator", "QUInt8", "QInt8", True), ("operators_s8s8_tensor", "QOperator", "QInt8", "QInt8", False),
        ("operators_u8u8_channel", "QOperator", "QUInt8", "QUInt8", True), ("qdq_u8s8_tensor", "QDQ", "QUInt8", "QInt8", False),
        ("qdq_s8s8_channel", "QDQ", "QInt8", "QInt8", True), ("qdq_u8u8_tensor", "QDQ", "QUInt8", "QUInt8", False))


class Images(quantization.CalibrationDataReader):
    def __init__(self, images):
        self.rest = iter([{"image": image[None]} for image in images])

    def get_next(self):
        return next(self.rest, None)


def main(folder):
    images = numpy.fromfile(os.path.join(DEMO, "images.bin"), numpy.uint8).reshape(-1, 1, 8, 8).astype(numpy.float32) / 16
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for name, form, activations, weights, per_channel in WAYS:
        path = os.path.join(folder, name + ".onnx")
        quantization.quantize_static(os.path.join(DEMO, "digits_f32.onnx"), path, Images(images[:CALIBRATION]), per_channel=per_channel,
                                     quant_format=getattr(quantization.QuantFormat, form),
                                     activation_type=getattr(quantization.QuantType, activations),
                                     weight_type=getattr(quantization.QuantType, weights))
        model = onnx.load(path)
        del model.graph.value_info[:]  # half of the file
        onnx.save(model, path)
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        logits = numpy.concatenate([session.run(None, {"image": image[None]})[0] for image in images])
        logits.astype(numpy.float32).tofile(os.path.join(folder, name + ".bin"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
