#!/usr/bin/env python3
"""Evaluates ONNX models operator by operator in numpy float64, as the ONNX specification reads.

It shares nothing with the compiler or the training code: a second opinion on a model's accuracy.
  onnx_numpy.py MODEL.onnx DIGITS.json    prints the accuracy on the test images that the JSON names
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper


def _quantize(node, x, scale, zero_point):
    info = np.iinfo(zero_point.dtype)
    rounded = np.rint(x / scale.astype(np.float64)) + zero_point
    return np.clip(rounded, info.min, info.max).astype(zero_point.dtype)


def _dequantize(node, x, scale, zero_point):
    shape = [1] * x.ndim
    if scale.ndim:
        shape[node.get("axis", 1)] = -1
    return (x - zero_point.reshape(shape).astype(np.float64)) * scale.reshape(shape)


def _windows(node, x, kernel, fill):
    """[batch, channel, oh, ow, kh, kw] views of the padded input."""
    top, left, bottom, right = node.get("pads", [0] * 4)
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    rows, cols = node.get("strides", [1, 1])
    return np.lib.stride_tricks.sliding_window_view(x, tuple(kernel), (2, 3))[:, :, ::rows, ::cols]


def _conv(node, x, weight, bias):
    groups = node.get("group", 1)
    windows = _windows(node, x, weight.shape[2:], 0)
    batch, channels, height, width = windows.shape[:4]
    out = []
    for k, w in zip(np.split(windows, groups, 1), np.split(weight, groups, 0)):
        columns = k.transpose(0, 2, 3, 1, 4, 5).reshape(batch * height * width, -1)
        out.append(np.einsum("ij,kj->ik", columns, w.reshape(len(w), -1)))
    y = np.concatenate(out, axis=1).reshape(batch, height, width, -1).transpose(0, 3, 1, 2)
    return y + bias[:, None, None]


OPERATORS = {
    "QuantizeLinear": _quantize,
    "DequantizeLinear": _dequantize,
    "Conv": _conv,
    "Relu": lambda node, x: np.maximum(x, 0),
    "Clip": lambda node, x, low, high: np.clip(x, low, high),
    "Add": lambda node, a, b: a + b,
    "MaxPool": lambda node, x: _windows(node, x, node["kernel_shape"], -np.inf).max(axis=(4, 5)),
    "GlobalAveragePool": lambda node, x: x.mean(axis=(2, 3), keepdims=True),
    "Flatten": lambda node, x: x.reshape(int(np.prod(x.shape[:node.get("axis", 1)])), -1),
    "Gemm": lambda node, a, b, c: a @ (b.T if node.get("transB", 0) else b) + c,
}


def run(model, image, observe=lambda name, value: None):
    """The model's first output; `observe` sees each value as it is made."""
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values[model.graph.input[0].name] = image
    for node in model.graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        value = OPERATORS[node.op_type](attributes, *(values[name] for name in node.input))
        observe(node.output[0], value)
        values[node.output[0]] = value
    return values[model.graph.output[0].name]


def accuracy(model, images, labels):
    """The share of images [count, channel, height, width] whose greatest logit is the label."""
    return float(np.mean(run(model, images).argmax(axis=1) == labels))


def load_test_split(path):
    """The test split that a digits.json describes: images as the model takes them, and labels."""
    path = pathlib.Path(path)
    images = json.loads(path.read_text())["images"]
    pixels = np.fromfile(path.parent / images["file"], images["type"]).reshape(images["shape"])
    labels = np.loadtxt(path.parent / images["labels_file"], dtype=np.int64)
    return (pixels * images["scale"]).astype(np.float32), labels


if __name__ == "__main__":
    print(accuracy(onnx.load(sys.argv[1]), *load_test_split(sys.argv[2])))
