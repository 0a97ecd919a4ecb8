"""Writes the trained digits network as ONNX: in float, and quantised to int8 in QDQ form.

Opset 13, NCHW, batch 1. Weights: int8, symmetric, one scale an output channel. Activations: int8,
asymmetric, one scale and zero point a tensor, from the range over the calibration images. Biases:
int32 of scale input x weight. The network has no batch normalisation, so there is none to fold.
"""
import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, shape_inference

import cnn

OPSET = 13
KEEPS_RANGE = ("MaxPool", "Flatten")  # operators whose output keeps its input's scale


def _onnx_parameters(node, weight, bias):
    """The weight in ONNX's layout: [out, in / groups, kh, kw], or [out, in] for the dense layer."""
    if node.op == "Conv":
        weight = weight.transpose(3, 2, 0, 1)
    elif node.op == "DepthwiseConv":
        weight = weight.transpose(2, 0, 1)[:, None]
    else:
        weight = weight.T
    return np.ascontiguousarray(weight), bias


def _operators(node):
    """The ONNX operators of one node of the network: [(name, operator, attributes)]."""
    if node.op in ("Conv", "DepthwiseConv"):
        pad = node.kernel // 2
        groups = node.channels if node.op == "DepthwiseConv" else 1
        first = (node.name, "Conv", dict(kernel_shape=[node.kernel] * 2, pads=[pad] * 4,
                                         strides=[node.stride] * 2, group=groups))
    elif node.op == "MaxPool":
        first = (node.name, "MaxPool", dict(kernel_shape=[2, 2], strides=[2, 2]))
    elif node.op == "Dense":
        return [("flatten", "Flatten", dict(axis=1)), (node.name, "Gemm", dict(transB=1))]
    else:
        first = (node.name, node.op, {})
    return [first] + ([(node.name + "_relu", "Relu", {})] if node.relu else [])


class _FloatGraph:
    """Collects nodes and initialisers; a value is named after the operator that makes it."""

    def __init__(self):
        self.nodes, self.initializers = [], []

    def constant(self, name, array):
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def input(self, name):
        return name

    def parameters(self, name, source, weight, bias):
        return [self.constant(name + "_weight", weight), self.constant(name + "_bias", bias)]

    def activation(self, name, source, keeps_range):
        return name

    def output(self, name):
        self.nodes[-1].output[0] = name
        return name


class _QdqGraph(_FloatGraph):
    """The same graph with each activation and parameter passing through int8 or int32."""

    def __init__(self, ranges):
        super().__init__()
        self.ranges = ranges      # {value name: (least, greatest)} over the calibration images
        self.quantization = {}    # {value name: (scale, zero point)}

    def input(self, name):
        return self.activation(name, None, False)

    def parameters(self, name, source, weight, bias):
        scale = (np.abs(weight.reshape(len(weight), -1)).max(axis=1) / 127).astype(np.float32)
        column = scale.reshape((-1,) + (1,) * (weight.ndim - 1))
        weight_q = np.clip(np.rint(weight / column), -127, 127).astype(np.int8)
        bias_scale = (self.quantization[source][0] * scale).astype(np.float32)
        bias_q = np.rint(bias.astype(np.float64) / bias_scale).astype(np.int32)
        return [self._dequantized_constant(name + "_weight", weight_q, scale),
                self._dequantized_constant(name + "_bias", bias_q, bias_scale)]

    def _dequantized_constant(self, name, values, scale):
        zero_point = self.constant(name + "_zero_point", np.zeros(len(scale), values.dtype))
        inputs = [self.constant(name, values), self.constant(name + "_scale", scale), zero_point]
        return self.node("DequantizeLinear", inputs, name + "_dequantized", axis=0)

    def activation(self, name, source, keeps_range):
        if keeps_range:
            self.quantization[name] = self.quantization[source]
        else:
            least, greatest = (float(bound) for bound in self.ranges[name])
            least, greatest = min(least, 0.0), max(greatest, 0.0)
            scale = np.float32((greatest - least) / 255)
            zero_point = np.int8(np.clip(np.rint(-128 - least / scale), -128, 127))
            self.quantization[name] = (scale, zero_point)
        scale, zero_point = self.quantization[name]
        parameters = [self.constant(name + "_scale", scale),
                      self.constant(name + "_zero_point", zero_point)]
        quantized = self.node("QuantizeLinear", [name] + parameters, name + "_quantized")
        return self.node("DequantizeLinear", [quantized] + parameters, name + "_dequantized")


def _build(graph, parameters, output):
    # Network value -> (the ONNX value that holds it, the name under which its users read it).
    uses = {cnn.INPUT: (cnn.INPUT, graph.input(cnn.INPUT))}
    for node in cnn.NETWORK:
        sources = [uses[name] for name in node.inputs]
        operators = _operators(node)
        for i, (name, op, attributes) in enumerate(operators):
            inputs = [read for _, read in sources]
            if op in ("Conv", "Gemm"):
                weight, bias = _onnx_parameters(node, *parameters[node.name])
                inputs += graph.parameters(name, sources[0][0], weight, bias)
            value = graph.node(op, inputs, name, **attributes)
            if i + 1 < len(operators) and operators[i + 1][1] == "Relu":
                sources = [(value, value)]  # a rectifier reads unrounded values
            else:
                sources = [(value, graph.activation(value, sources[0][0], op in KEEPS_RANGE))]
        uses[node.name] = sources[0]
    graph.output(output)


def _model(graph, name):
    proto = helper.make_graph(
        graph.nodes, name,
        [helper.make_tensor_value_info(cnn.INPUT, TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 10])], graph.initializers)
    model = helper.make_model(proto, producer_name="vta tools/demo/train_digits.py", ir_version=7,
                              opset_imports=[helper.make_opsetid("", OPSET)])
    checker.check_model(shape_inference.infer_shapes(model, strict_mode=True), full_check=True)
    return model


def float_model(parameters):
    graph = _FloatGraph()
    _build(graph, parameters, "logits")
    return _model(graph, "digits_f32")


def value_ranges(parameters, images):
    """{ONNX value name: (least, greatest)} over the images, for each value that is rounded."""
    values = cnn.forward(parameters, images)
    names = {node.name: _operators(node)[-1][0] for node in cnn.NETWORK}
    return {names.get(name, name): (value.min(), value.max()) for name, value in values.items()}


def int8_model(parameters, calibration_images):
    graph = _QdqGraph(value_ranges(parameters, calibration_images))
    _build(graph, parameters, "logits")
    return _model(graph, "digits_int8")
