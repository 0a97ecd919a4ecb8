"""Writes one of the digits network's ONNX files as TensorFlow Lite: NHWC, the same numbers.

usage: export_tflite.py MODEL.onnx MODEL.tflite        (needs python3-onnx and flatc)

The tables are written as JSON, of which flatc makes the file by the schema of the importer. Each
layer takes the rectifier and the quantisation after it. SAME would pad what a stride does not
divide at its end alone, so a padding of its own stands before such a layer.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

SCHEMA = pathlib.Path(__file__).parents[2] / "compiler/frontend/tflite/tflite.fbs"
TYPES = {"float32": "FLOAT32", "int8": "INT8", "int32": "INT32"}


class _Writer:
    """Collects tensors, buffers and operators; a tensor is named by its number."""

    def __init__(self):
        self.tensors, self.buffers, self.codes, self.operators = [], [{}], [], []

    def tensor(self, name, shape, dtype, scales=(), zero_points=(), axis=0):
        tensor = {"shape": list(shape), "type": TYPES[str(dtype)], "name": name}
        if len(scales):
            tensor["quantization"] = {"scale": [float(s) for s in scales],
                                      "zero_point": [int(z) for z in zero_points],
                                      "quantized_dimension": axis}
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def constant(self, name, array, scales=(), axis=0):
        number = self.tensor(name, array.shape, array.dtype, scales, [0] * len(scales), axis)
        self.tensors[number]["buffer"] = len(self.buffers)
        self.buffers.append({"data": list(np.ascontiguousarray(array).tobytes())})
        return number

    def operator(self, code, inputs, output, table=None, **options):
        if code not in self.codes:
            self.codes.append(code)
        operator = {"opcode_index": self.codes.index(code), "inputs": inputs, "outputs": [output]}
        if table:
            operator |= {"builtin_options_type": table, "builtin_options": options}
        self.operators.append(operator)

    def model(self, name, inputs, outputs):
        codes = [{"builtin_code": code} for code in self.codes]
        graph = {"tensors": self.tensors, "inputs": inputs, "outputs": outputs,
                 "operators": self.operators, "name": name}
        return {"version": 3, "operator_codes": codes, "subgraphs": [graph],
                "description": "vta tools/demo/export_tflite.py", "buffers": self.buffers}


class _Converter:
    """One ONNX model of the digits network, layer by layer."""

    def __init__(self, model):
        graph = model.graph
        self.graph, self.out = graph, _Writer()
        self.arrays = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        self.made_by = {node.output[0]: node for node in graph.node}
        self.read_by = {}
        for node in graph.node:
            for name in node.input:
                self.read_by.setdefault(name, []).append(node)
        self.numbers = {}  # ONNX value -> tensor
        self.shapes = {}   # the same, NHWC

    def follower(self, value, op):
        """The node of that operator that alone reads the value."""
        readers = self.read_by.get(value, [])
        return readers[0] if len(readers) == 1 and readers[0].op_type == op else None

    def quantization(self, node):
        scale, zero_point = (self.arrays[name] for name in node.input[1:3])
        return np.atleast_1d(scale), np.atleast_1d(zero_point)

    def parameter(self, value, axis, move):
        """A weight or bias, perhaps dequantised, with its axes moved."""
        node = self.made_by.get(value)
        if node is None:
            return self.out.constant(value, move(self.arrays[value]))
        return self.out.constant(node.input[0], move(self.arrays[node.input[0]]),
                                 self.quantization(node)[0], axis)

    def result(self, node, shape):
        """The tensor that a layer makes, and its fused rectifier; what was fused is done."""
        value, relu = node.output[0], self.follower(node.output[0], "Relu")
        value = relu.output[0] if relu else value
        quantize = self.follower(value, "QuantizeLinear")
        if quantize:
            number = self.out.tensor(node.name, shape, "int8", *self.quantization(quantize))
            value = quantize.output[0]
        else:
            number = self.out.tensor(node.name, shape, "float32")
        self.numbers[value], self.shapes[value] = number, shape
        return number, "RELU" if relu else "NONE"

    def source(self, value):
        """The tensor that stands for a value, without the dequantisation before it."""
        node = self.made_by.get(value)
        value = node.input[0] if node is not None and node.op_type == "DequantizeLinear" else value
        return self.numbers[value], self.shapes[value]

    def convert_conv(self, node, attributes):
        x, (batch, height, width, depth) = self.source(node.input[0])
        depthwise, stride, pad = attributes["group"] > 1, attributes["strides"][0], attributes["pads"][0]
        order = (1, 2, 3, 0) if depthwise else (0, 2, 3, 1)
        weight = self.parameter(node.input[1], 3 if depthwise else 0, lambda w: w.transpose(order))
        bias = self.parameter(node.input[2], 0, lambda b: b)
        if stride > 1 and pad:
            x = self.pad(node.name, x, pad)
        channels = self.out.tensors[bias]["shape"][0]
        shape = (batch, (height - 1) // stride + 1, (width - 1) // stride + 1, channels)
        y, activation = self.result(node, shape)
        options = dict(padding="VALID" if stride > 1 else "SAME", stride_w=stride, stride_h=stride,
                       fused_activation_function=activation)
        if depthwise:
            self.out.operator("DEPTHWISE_CONV_2D", [x, weight, bias], y, "DepthwiseConv2DOptions",
                              depth_multiplier=1, **options)
        else:
            self.out.operator("CONV_2D", [x, weight, bias], y, "Conv2DOptions", **options)

    def pad(self, name, x, pad):
        padded = dict(self.out.tensors[x], name=name + "_padded")
        batch, height, width, depth = padded["shape"]
        padded["shape"] = [batch, height + 2 * pad, width + 2 * pad, depth]
        pads = np.array([[0, 0], [pad, pad], [pad, pad], [0, 0]], np.int32)
        pads = self.out.constant(name + "_pads", pads)
        self.out.tensors.append(padded)
        number = len(self.out.tensors) - 1
        self.out.operator("PAD", [x, pads], number)
        return number

    def convert_maxpool(self, node, attributes):
        x, (batch, height, width, depth) = self.source(node.input[0])
        y, activation = self.result(node, (batch, height // 2, width // 2, depth))
        self.out.operator("MAX_POOL_2D", [x], y, "Pool2DOptions", padding="VALID", stride_w=2,
                          stride_h=2, filter_width=2, filter_height=2,
                          fused_activation_function=activation)

    def convert_add(self, node, attributes):
        inputs = [self.source(value) for value in node.input]
        y, activation = self.result(node, inputs[0][1])
        self.out.operator("ADD", [number for number, _ in inputs], y, "AddOptions",
                          fused_activation_function=activation)

    def convert_globalaveragepool(self, node, attributes):
        x, (batch, _, _, depth) = self.source(node.input[0])
        axes = self.out.constant(node.name + "_axes", np.array([1, 2], np.int32))
        y, _ = self.result(node, (batch, 1, 1, depth))
        self.out.operator("MEAN", [x, axes], y, "ReducerOptions", keep_dims=True)

    def convert_flatten(self, node, attributes):
        x, shape = self.source(node.input[0])
        shape = (shape[0], int(np.prod(shape[1:])))
        sizes = self.out.constant(node.name + "_shape", np.array(shape, np.int32))
        y, _ = self.result(node, shape)
        self.out.operator("RESHAPE", [x, sizes], y, "ReshapeOptions", new_shape=shape)

    def convert_gemm(self, node, attributes):
        x, (batch, _) = self.source(node.input[0])
        weight = self.parameter(node.input[1], 0, lambda w: w)
        bias = self.parameter(node.input[2], 0, lambda b: b)
        y, activation = self.result(node, (batch, self.out.tensors[bias]["shape"][0]))
        self.out.operator("FULLY_CONNECTED", [x, weight, bias], y, "FullyConnectedOptions",
                          fused_activation_function=activation)

    def convert_quantizelinear(self, node, attributes):
        if node.output[0] in self.numbers:
            return  # a layer made it
        x, shape = self.source(node.input[0])
        y = self.out.tensor(node.name, shape, "int8", *self.quantization(node))
        self.numbers[node.output[0]], self.shapes[node.output[0]] = y, shape
        self.out.operator("QUANTIZE", [x], y)

    def run(self):
        graph_input = self.graph.input[0]
        sizes = [d.dim_value for d in graph_input.type.tensor_type.shape.dim]
        shape = (sizes[0], sizes[2], sizes[3], sizes[1])
        x = self.out.tensor(graph_input.name, shape, "float32")
        self.numbers[graph_input.name], self.shapes[graph_input.name] = x, shape
        for node in self.graph.node:
            if node.op_type in ("Relu", "DequantizeLinear"):
                continue  # fused, or read through
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            getattr(self, "convert_" + node.op_type.lower())(node, attributes)
        output = self.graph.output[0].name
        y, shape = self.source(output)
        if self.out.tensors[y]["type"] == "INT8":
            codes, y = y, self.out.tensor(output, shape, "float32")
            self.out.operator("DEQUANTIZE", [codes], y)
        self.out.tensors[y]["name"] = output
        return self.out.model(self.graph.name, [x], [y])


def tflite_bytes(model):
    """The ONNX model of the digits network as the bytes of a .tflite file."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "model.json"
        text.write_text(json.dumps(_Converter(model).run()))
        subprocess.run(["flatc", "--binary", "-o", folder, str(SCHEMA), str(text)], check=True)
        return (pathlib.Path(folder) / "model.tflite").read_bytes()


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_bytes(tflite_bytes(onnx.load(sys.argv[1])))
