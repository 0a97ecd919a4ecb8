#!/usr/bin/env python3
"""Writes the seed corpus of the ONNX fuzz target: small models that use every supported operator.

usage: make_onnx_corpus.py FOLDER        (needs python3-onnx)
"""

import pathlib
import sys

import numpy
from onnx import TensorProto, helper, numpy_helper


def constant(name, values, dtype):
    return numpy_helper.from_array(numpy.array(values, dtype=dtype), name)


def model(nodes, inputs, constants, opset=13, domains=()):
    """inputs: (name, element type, shape); the output is the last node's."""
    graph = helper.make_graph(
        nodes,
        "seed",
        [helper.make_tensor_value_info(*i) for i in inputs],
        [helper.make_empty_tensor_value_info(nodes[-1].output[0])],
        constants,
    )
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    return helper.make_model(graph, opset_imports=opsets, ir_version=7, producer_name="")


def chain(opset, *ops):
    """A model of unary nodes on a float image; each op is (type, extra inputs, attributes)."""
    nodes, constants, last = [], [], "x"
    for i, (kind, extra, attributes) in enumerate(ops):
        names = []
        for j, value in enumerate(extra):
            names.append(f"c{i}_{j}")
            constants.append(numpy_helper.from_array(value, names[-1]))
        nodes.append(helper.make_node(kind, [last] + names, [f"t{i}"], name=f"n{i}", **attributes))
        last = f"t{i}"
    return model(nodes, [("x", TensorProto.FLOAT, [1, 2, 6, 6])], constants, opset)


def ints(*values):
    return numpy.array(values, dtype=numpy.int64)


def floats(*shape):
    return (numpy.arange(numpy.prod(shape)) % 7 - 3).astype(numpy.float32).reshape(shape)


def qdq_model():
    """Conv, residual add and dense, per-channel weights, asymmetric activations."""
    q, dq, node = "QuantizeLinear", "DequantizeLinear", helper.make_node
    constants = [
        constant("s", 0.5, numpy.float32), constant("z", -3, numpy.int8),
        constant("w", numpy.arange(8).reshape(2, 2, 1, 2) - 4, numpy.int8),
        constant("ws", [0.25, 0.125], numpy.float32), constant("wz", [0, 0], numpy.int8),
        constant("b", [10, -20], numpy.int32), constant("bs", [0.125, 0.0625], numpy.float32),
        constant("bz", [0, 0], numpy.int32),
    ]
    nodes = [
        node(dq, ["x", "s", "z"], ["xr"]), node(dq, ["w", "ws", "wz"], ["wr"], axis=0),
        node(dq, ["b", "bs", "bz"], ["br"], axis=0),
        node("Conv", ["xr", "wr", "br"], ["c"], pads=[0, 0, 0, 1]), node(q, ["c", "s", "z"], ["cq"]),
        node(dq, ["cq", "s", "z"], ["cr"]), node("Add", ["cr", "xr"], ["a"]),
        node("Relu", ["a"], ["r"]), node(q, ["r", "s", "z"], ["y"]),
    ]
    return model(nodes, [("x", TensorProto.INT8, [1, 2, 3, 3])], constants)


def qlinear_model():
    scales = [constant("s", 0.5, numpy.float32), constant("z", 3, numpy.uint8)]
    weights = [constant("w", numpy.arange(4).reshape(2, 2, 1, 1), numpy.uint8),
               constant("m", numpy.arange(18).reshape(9, 2), numpy.uint8)]
    node = helper.make_node
    nodes = [
        node("QLinearConv", ["x", "s", "z", "w", "s", "z", "s", "z"], ["c"]),
        node("QLinearAdd", ["c", "s", "z", "x", "s", "z", "s", "z"], ["a"], domain="com.microsoft"),
        node("Reshape", ["a", "shape"], ["r"]),
        node("QLinearMatMul", ["r", "s", "z", "m", "s", "z", "s", "z"], ["y"]),
    ]
    constants = scales + weights + [constant("shape", [2, -1], numpy.int64)]
    return model(nodes, [("x", TensorProto.UINT8, [1, 2, 3, 3])], constants, 10, ["com.microsoft"])


def contrib_model():
    """Quantised operators of ONNX Runtime's domain, one after the other."""
    constants = [constant("s", 0.5, numpy.float32), constant("z", 3, numpy.uint8),
                 constant("m", numpy.arange(6).reshape(2, 3), numpy.uint8), constant("b", [1, 2, 3], numpy.int32)]
    nodes, last = [], "x"
    for kind, given, attributes in (
            ("QLinearLeakyRelu", "{} s z s z", {"alpha": 0.25}), ("QLinearSigmoid", "{} s z s z", {}),
            ("QLinearMul", "{} s z x s z s z", {}), ("QLinearConcat", "s z {} s z x s z", {"axis": 2}),
            ("QLinearAveragePool", "{} s z s z", {"kernel_shape": [2, 2], "pads": [0, 0, 1, 1]}),
            ("QLinearSoftmax", "{} s z s z", {"axis": 1, "opset": 12}), ("QLinearReduceMean", "{} s z s z", {"axes": [2]}),
            ("QLinearGlobalAveragePool", "{} s z s z", {"channels_last": 0}), ("Flatten", "{}", {}),
            ("QGemm", "{} s z m s z b s z", {"alpha": 0.5})):
        inputs, name = given.format(last).split(), f"t{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [name], domain="com.microsoft" if kind[0] == "Q" else "", **attributes))
        last = name
    return model(nodes, [("x", TensorProto.UINT8, [1, 2, 3, 3])], constants, 13, ["com.microsoft"])


def seeds():
    yield "qdq", qdq_model()
    yield "contrib", contrib_model()
    yield "qlinear", qlinear_model()
    yield "conv", chain(
        13, ("Conv", [floats(4, 1, 3, 3), floats(4)], {"group": 2, "auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ("MaxPool", [], {"kernel_shape": [2, 2], "ceil_mode": 1}), ("Flatten", [], {}),
        ("Gemm", [floats(16, 3), floats(3)], {"alpha": 0.5}), ("Softmax", [], {}))
    yield "shapes", chain(
        13, ("Transpose", [], {"perm": [0, 2, 3, 1]}), ("Reshape", [ints(0, -1, 2)], {}),
        ("Unsqueeze", [ints(1)], {}), ("Squeeze", [ints(1)], {}), ("Pad", [ints(0, 1, 0, 0, 1, 0)], {}),
        ("Cast", [], {"to": TensorProto.DOUBLE}), ("Identity", [], {}), ("Dropout", [], {}))
    yield "pools", chain(
        11, ("AveragePool", [], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}),
        ("Clip", [numpy.float32(0), numpy.float32(6)], {}), ("Mul", [floats(2, 1, 1)], {}),
        ("Sum", [floats(6), floats(1)], {}), ("ReduceMean", [], {"axes": [2, 3], "keepdims": 0}),
        ("MatMul", [floats(2, 2)], {}), ("Concat", [floats(1, 2)], {"axis": -1}))
    yield "old", chain(
        9, ("Pad", [], {"pads": [0, 0, 1, 1, 0, 0, 1, 1]}), ("GlobalAveragePool", [], {}),
        ("Squeeze", [], {"axes": [2, 3]}), ("Softmax", [], {"axis": 0}), ("Clip", [], {"max": 1.0}))


def main(folder):
    for name, seed in seeds():
        pathlib.Path(folder, name + ".onnx").write_bytes(seed.SerializeToString())


if __name__ == "__main__":
    main(*sys.argv[1:])
