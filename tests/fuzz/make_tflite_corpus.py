#!/usr/bin/env python3
"""Writes the seed corpus of the TensorFlow Lite fuzz target: small models that use every supported operator.

usage: make_tflite_corpus.py FOLDER        (needs flatc)
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

SCHEMA = pathlib.Path(__file__).parents[2] / "compiler/frontend/tflite/tflite.fbs"
LETTERS = {"FLOAT32": "f", "INT8": "b", "UINT8": "B", "INT32": "i", "INT64": "q", "BOOL": "?", "FLOAT16": "e"}


class Model:
    """Collects tensors and operators; a tensor is named by its number."""

    def __init__(self):
        self.tensors, self.buffers, self.codes, self.operators, self.inputs, self.outputs = [], [{}], [], [], [], []

    def tensor(self, shape, kind="FLOAT32", scales=(), zero_points=(), axis=0):
        tensor = {"shape": list(shape), "type": kind, "name": f"t{len(self.tensors)}"}
        if scales:
            tensor["quantization"] = {"scale": list(scales), "zero_point": list(zero_points), "quantized_dimension": axis}
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def input(self, *arguments, **more):
        self.inputs.append(self.tensor(*arguments, **more))
        return self.inputs[-1]

    def constant(self, shape, values, kind="INT32", **more):
        number = self.tensor(shape, kind, **more)
        self.tensors[number]["buffer"] = len(self.buffers)
        self.buffers.append({"data": list(struct.pack(f"<{len(values)}{LETTERS[kind]}", *values))})
        return number

    def ints(self, *values):
        return self.constant([len(values)], values)

    def operator(self, code, inputs, shape, kind="FLOAT32", outputs=1, scales=(), zero_points=(), table=None, **options):
        """The first output; all are outputs of the model, too, so that nothing is left out."""
        if code not in self.codes:
            self.codes.append(code)
        made = [self.tensor(shape, kind, scales, zero_points) for _ in range(outputs)]
        self.outputs += made
        operator = {"opcode_index": self.codes.index(code), "inputs": inputs, "outputs": made}
        if options:
            operator |= {"builtin_options_type": table + "Options", "builtin_options": options}
        self.operators.append(operator)
        return made[0]

    def text(self):
        graph = {"tensors": self.tensors, "inputs": self.inputs, "outputs": self.outputs, "operators": self.operators}
        return json.dumps({"version": 3, "operator_codes": [{"builtin_code": code} for code in self.codes],
                           "subgraphs": [graph], "buffers": self.buffers})


def layers():
    """Convolutions, pools and a dense layer of int8, each channel with a scale of its own."""
    m = Model()
    q = dict(scales=[0.5], zero_points=[-3])
    x = m.input([1, 4, 4, 2], "INT8", **q)
    window = dict(stride_w=1, stride_h=1)
    w = m.constant([2, 3, 3, 2], range(-18, 18), "INT8", scales=[0.25, 0.125], zero_points=[0, 0])
    b = m.constant([2], [10, -20], scales=[0.125, 0.0625], zero_points=[0, 0])
    y = m.operator("CONV_2D", [x, w, b], [1, 4, 4, 2], "INT8", **q, table="Conv2D", fused_activation_function="RELU6", **window)
    d = m.constant([1, 2, 2, 2], range(8), "INT8", scales=[0.5, 0.25], zero_points=[0, 0], axis=3)
    y = m.operator("DEPTHWISE_CONV_2D", [y, d, -1], [1, 3, 3, 2], "INT8", **q, table="DepthwiseConv2D", padding="VALID",
                   depth_multiplier=1, **window)
    s = m.operator("ADD", [y, y], [1, 3, 3, 2], "INT8", **q, table="Add", fused_activation_function="RELU")
    pool = dict(table="Pool2D", filter_width=2, filter_height=2, **window)
    m.operator("AVERAGE_POOL_2D", [s], [1, 3, 3, 2], "INT8", **q, **pool)
    y = m.operator("MAX_POOL_2D", [s], [1, 2, 2, 2], "INT8", **q, padding="VALID", **pool)
    y = m.operator("PAD", [y, m.constant([4, 2], [0, 0, 1, 0, 0, 1, 0, 0])], [1, 3, 3, 2], "INT8", **q)
    y = m.operator("MEAN", [y, m.ints(1, 2)], [1, 2], "INT8", **q, table="Reducer", keep_dims=False)
    w = m.constant([3, 2], range(6), "INT8", scales=[0.5], zero_points=[0])
    y = m.operator("FULLY_CONNECTED", [y, w, m.constant([3], [1, 2, 3])], [1, 3], "INT8", **q)
    y = m.operator("SOFTMAX", [y], [1, 3], "INT8", scales=[1 / 256], zero_points=[-128], table="Softmax", beta=1.0)
    m.operator("DEQUANTIZE", [m.operator("QUANTIZE", [y], [1, 3], "UINT8", **dict(q, zero_points=[3]))], [1, 3])
    return m


def other_layers():
    m = Model()
    x = m.input([1, 2, 2, 1])
    w = m.constant([1, 3, 3, 1], range(9), "FLOAT32")
    y = m.operator("TRANSPOSE_CONV", [m.ints(1, 4, 4, 1), w, x], [1, 4, 4, 1], table="TransposeConv", stride_w=2, stride_h=2)
    m.operator("RESIZE_BILINEAR", [y, m.ints(3, 5)], [1, 3, 5, 1], table="ResizeBilinear", half_pixel_centers=True)
    m.operator("RESIZE_NEAREST_NEIGHBOR", [y, m.ints(2, 2)], [1, 2, 2, 1], table="ResizeNearestNeighbor", align_corners=True)
    m.operator("BATCH_MATMUL", [x, x], [1, 2, 2, 2], table="BatchMatMul", adj_y=True)
    h = m.constant([2], [1.5, -2], "FLOAT16")
    y = m.operator("MUL", [x, m.operator("DEQUANTIZE", [h], [2])], [1, 2, 2, 2])
    m.operator("DEPTH_TO_SPACE", [m.operator("SPACE_TO_DEPTH", [y], [1, 1, 1, 8], table="SpaceToDepth", block_size=2)],
               [1, 2, 2, 2], table="DepthToSpace", block_size=2)
    s = m.operator("SPACE_TO_BATCH_ND", [y, m.ints(2), m.constant([1, 2], [1, 1])], [2, 2, 2, 2])
    m.operator("BATCH_TO_SPACE_ND", [s, m.ints(2), m.constant([1, 2], [1, 1])], [1, 2, 2, 2])
    return m


def elementwise():
    m = Model()
    x, z = m.input([2, 3]), m.input([3])
    for code in ("ABS NEG FLOOR CEIL ROUND SIGN EXP LOG SQRT RSQRT SQUARE RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 ELU LOGISTIC TANH "
                 "HARD_SWISH LOG_SOFTMAX L2_NORMALIZATION GELU").split():
        m.operator(code, [x], [2, 3])
    m.operator("LEAKY_RELU", [x], [2, 3], table="LeakyRelu", alpha=0.1)
    for code in "SUB MUL DIV MAXIMUM MINIMUM POW SQUARED_DIFFERENCE FLOOR_DIV FLOOR_MOD PRELU".split():
        m.operator(code, [x, z], [2, 3])
    less = m.operator("LESS", [x, z], [2, 3], "BOOL")
    for code in "LESS_EQUAL GREATER GREATER_EQUAL EQUAL NOT_EQUAL".split():
        m.operator("LOGICAL_AND", [less, m.operator(code, [x, z], [2, 3], "BOOL")], [2, 3], "BOOL")
    m.operator("LOGICAL_OR", [less, m.operator("LOGICAL_NOT", [less], [2, 3], "BOOL")], [2, 3], "BOOL")
    m.operator("SELECT_V2", [less, x, z], [2, 3])
    m.operator("SELECT", [less, x, x], [2, 3])
    m.operator("ADD_N", [x, x, x], [2, 3])
    m.operator("CAST", [x], [2, 3], "INT32")
    for code in "SUM REDUCE_MAX REDUCE_MIN".split():
        m.operator(code, [x, m.ints(-1)], [2, 1], table="Reducer", keep_dims=True)
    m.operator("ARG_MAX", [x, m.ints(1)], [2], "INT64")
    m.operator("ARG_MIN", [x, m.ints(0)], [3], "INT32")
    return m


def movement():
    m = Model()
    x = m.input([1, 2, 3])
    m.tensors[x]["shape_signature"] = [-1, 2, 3]
    s = m.operator("SHAPE", [x], [3], "INT32")
    b = m.operator("STRIDED_SLICE", [s, m.ints(0), m.ints(1), m.ints(1)], [], "INT32", table="StridedSlice", shrink_axis_mask=1)
    p = m.operator("PACK", [b, m.constant([], [6])], [2], "INT32", table="Pack", values_count=2)
    y = m.operator("RESHAPE", [x, p], [1, 6])
    m.operator("EXPAND_DIMS", [m.operator("SQUEEZE", [y], [6], table="Squeeze", squeeze_dims=[0]), m.ints(-1)], [6, 1])
    m.operator("TRANSPOSE", [y, m.ints(1, 0)], [6, 1])
    m.operator("CONCATENATION", [y, y], [1, 12], table="Concatenation", axis=-1)
    m.operator("SLICE", [y, m.ints(0, 1), m.ints(1, -1)], [1, 5])
    m.operator("SPLIT", [m.constant([], [1]), y], [1, 3], outputs=2)
    m.operator("SPLIT_V", [y, m.ints(1, -1), m.constant([], [1])], [1, 3], outputs=2)
    m.operator("UNPACK", [x], [2, 3], table="Unpack", num=1, axis=0)
    m.operator("REVERSE_V2", [y, m.ints(1)], [1, 6])
    m.operator("GATHER", [y, m.ints(5, 0)], [1, 2], table="Gather", axis=1)
    m.operator("TILE", [y, m.ints(2, 1)], [2, 6])
    m.operator("BROADCAST_TO", [y, m.ints(2, 6)], [2, 6])
    m.operator("FILL", [m.ints(2, 2), m.constant([], [1.5], "FLOAT32")], [2, 2])
    m.operator("RANK", [y], [], "INT32")
    pads = m.constant([2, 2], [0, 0, 1, 2])
    m.operator("PADV2", [y, pads, m.constant([], [-1.0], "FLOAT32")], [1, 9])
    m.operator("MIRROR_PAD", [y, pads], [1, 9], table="MirrorPad", mode="SYMMETRIC")
    for output in m.outputs:  # their sizes depend on the batch
        m.tensors[output]["shape"] = []
    return m


def main():
    folder = pathlib.Path(sys.argv[1])
    for model in (layers, other_layers, elementwise, movement):
        with tempfile.TemporaryDirectory() as scratch:
            text = pathlib.Path(scratch) / f"{model.__name__}.json"
            text.write_text(model().text())
            subprocess.run(["flatc", "--binary", "-o", str(folder), str(SCHEMA), str(text)], check=True)


main()
