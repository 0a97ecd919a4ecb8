"""The digits network and its training in numpy: forward, backward, Adam.

Activations are [batch, height, width, channel] float32. Only additions, multiplications, divisions
and square roots are used, through numpy's own loops (einsum, never BLAS), so that the trained bytes
depend neither on the installed BLAS nor on the SIMD width of the CPU.
"""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Node:
    """One operator; `relu` says that a rectifier follows it. Convolutions pad by kernel // 2."""
    name: str
    op: str  # Conv, DepthwiseConv, MaxPool (2x2, stride 2), Add, GlobalAveragePool, Dense
    inputs: tuple
    channels: int  # of the output
    kernel: int = 1
    stride: int = 1
    relu: bool = False


INPUT = "image"  # [batch, 8, 8, 1]
NETWORK = (
    Node("conv1", "Conv", (INPUT,), 16, kernel=3, relu=True),
    Node("conv2", "Conv", ("conv1",), 32, kernel=3, relu=True),
    Node("pool", "MaxPool", ("conv2",), 32),
    Node("depthwise", "DepthwiseConv", ("pool",), 32, kernel=3, relu=True),
    Node("pointwise", "Conv", ("depthwise",), 32),
    Node("residual", "Add", ("pointwise", "pool"), 32, relu=True),
    Node("conv3", "Conv", ("residual",), 64, kernel=3, stride=2, relu=True),
    Node("average", "GlobalAveragePool", ("conv3",), 64),
    Node("dense", "Dense", ("average",), 10),
)


def initial_parameters(rng):
    """{node name: (weight, bias)}.

    A weight is [kh, kw, in, out]; [kh, kw, channel] if depthwise; [in, out] if dense.
    """
    channels = {INPUT: 1}
    parameters = {}
    for node in NETWORK:
        depth = channels[node.inputs[0]]
        channels[node.name] = node.channels
        shape = {"Conv": (node.kernel, node.kernel, depth, node.channels),
                 "DepthwiseConv": (node.kernel, node.kernel, depth),
                 "Dense": (depth, node.channels)}.get(node.op)
        if shape is None:
            continue
        fan_in = node.kernel**2 * (1 if node.op == "DepthwiseConv" else depth)
        limit = np.sqrt(6 / fan_in)  # uniform with variance 2 / fan_in
        parameters[node.name] = (rng.uniform(-limit, limit, shape).astype(np.float32),
                                 np.zeros(node.channels, np.float32))
    return parameters


def _taps(node, x):
    """The kernel's views of the padded input: (row, column, view [batch, oh, ow, channel])."""
    pad = node.kernel // 2
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    out_h = (x.shape[1] - 1) // node.stride + 1
    out_w = (x.shape[2] - 1) // node.stride + 1
    for row in range(node.kernel):
        for col in range(node.kernel):
            yield row, col, padded[:, row:row + node.stride * out_h:node.stride,
                                   col:col + node.stride * out_w:node.stride]


def _scatter_taps(node, x_shape, dtaps):
    """The gradient of _taps: dtaps is [batch, oh, ow, kh, kw, channel]."""
    pad = node.kernel // 2
    batch, height, width, depth = x_shape
    padded = np.zeros((batch, height + 2 * pad, width + 2 * pad, depth), np.float32)
    out_h, out_w = dtaps.shape[1:3]
    for row in range(node.kernel):
        for col in range(node.kernel):
            padded[:, row:row + node.stride * out_h:node.stride,
                   col:col + node.stride * out_w:node.stride] += dtaps[:, :, :, row, col]
    return padded[:, pad:pad + height, pad:pad + width]


def _matmul(a, b):
    return np.einsum("ij,kj->ik", a, np.ascontiguousarray(b.T))


def _forward_node(node, inputs, weight_bias):
    """Returns (output before the rectifier, what the backward pass needs)."""
    x = inputs[0]
    if node.op == "Conv":
        weight, bias = weight_bias
        columns = np.stack([view for _, _, view in _taps(node, x)], axis=3)
        flat = columns.reshape(-1, weight.size // node.channels)
        y = _matmul(flat, weight.reshape(-1, node.channels)) + bias
        return y.reshape(*columns.shape[:3], node.channels), flat
    if node.op == "DepthwiseConv":
        weight, bias = weight_bias
        return sum(view * weight[row, col] for row, col, view in _taps(node, x)) + bias, None
    if node.op == "MaxPool":
        batch, height, width, depth = x.shape
        windows = x.reshape(batch, height // 2, 2, width // 2, 2, depth).transpose(0, 1, 3, 5, 2, 4)
        windows = windows.reshape(batch, height // 2, width // 2, depth, 4)
        return windows.max(axis=4), windows.argmax(axis=4)
    if node.op == "Add":
        return inputs[0] + inputs[1], None
    if node.op == "GlobalAveragePool":
        return x.mean(axis=(1, 2)), None
    weight, bias = weight_bias
    return _matmul(x, weight) + bias, None


def _backward_node(node, inputs, weight_bias, saved, dy):
    """Returns (gradients of the inputs, gradients of (weight, bias) or None)."""
    x = inputs[0]
    if node.op == "Conv":
        weight = weight_bias[0]
        flat_dy = dy.reshape(-1, node.channels)
        dweight = _matmul(np.ascontiguousarray(saved.T), flat_dy).reshape(weight.shape)
        dtaps = _matmul(flat_dy, weight.reshape(-1, node.channels).T)
        dtaps = dtaps.reshape(*dy.shape[:3], node.kernel, node.kernel, x.shape[3])
        return (_scatter_taps(node, x.shape, dtaps),), (dweight, flat_dy.sum(axis=0))
    if node.op == "DepthwiseConv":
        weight = weight_bias[0]
        dweight = np.zeros_like(weight)
        for row, col, view in _taps(node, x):
            dweight[row, col] = (view * dy).sum(axis=(0, 1, 2))
        dtaps = dy[:, :, :, None, None, :] * weight
        return (_scatter_taps(node, x.shape, dtaps),), (dweight, dy.sum(axis=(0, 1, 2)))
    if node.op == "MaxPool":
        windows = (np.arange(4) == saved[..., None]) * dy[..., None]
        batch, height, width, depth = x.shape
        windows = windows.reshape(batch, height // 2, width // 2, depth, 2, 2)
        return (windows.transpose(0, 1, 4, 2, 5, 3).reshape(x.shape).astype(np.float32),), None
    if node.op == "Add":
        return (dy, dy), None
    if node.op == "GlobalAveragePool":
        share = dy[:, None, None, :] / np.float32(x.shape[1] * x.shape[2])
        return (np.broadcast_to(share, x.shape),), None
    return (_matmul(dy, weight_bias[0].T),), (_matmul(x.T, dy), dy.sum(axis=0))


def forward(parameters, images, saved=None):
    """Every node's output (after its rectifier) by name, the input included."""
    values = {INPUT: images}
    for node in NETWORK:
        y, keep = _forward_node(node, [values[i] for i in node.inputs], parameters.get(node.name))
        values[node.name] = np.maximum(y, np.float32(0)) if node.relu else y
        if saved is not None:
            saved[node.name] = keep
    return values


def gradients(parameters, images, labels):
    """Of the squared hinge loss (each class against the rest), in the form of `parameters`."""
    saved = {}
    values = forward(parameters, images, saved)
    scores = values[NETWORK[-1].name]
    sign = np.where(np.arange(scores.shape[1]) == labels[:, None], 1, -1).astype(np.float32)
    slack = np.maximum(1 - sign * scores, np.float32(0))
    dvalues = {NETWORK[-1].name: -2 * sign * slack / np.float32(len(labels))}
    result = {}
    for node in reversed(NETWORK):
        dy = dvalues[node.name]
        if node.relu:
            dy = dy * (values[node.name] > 0)
        dinputs, dparameters = _backward_node(node, [values[i] for i in node.inputs],
                                              parameters.get(node.name), saved[node.name], dy)
        if dparameters is not None:
            result[node.name] = dparameters
        for name, dx in zip(node.inputs, dinputs):
            dvalues[name] = dvalues[name] + dx if name in dvalues else dx
    return result


def shifted(images, rng, reach=0.75):
    """Each image moved by its own fraction of a pixel, at most `reach` each way (bilinear)."""
    height, width = images.shape[1:3]
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shift = rng.uniform(-reach, reach, (2, len(images))).astype(np.float32)[:, :, None, None, None]
    before, after = np.maximum(-shift, 0), np.maximum(shift, 0)
    stay = 1 - before - after
    rows = (before[0] * padded[:, :height] + stay[0] * padded[:, 1:height + 1]
            + after[0] * padded[:, 2:])
    return (before[1] * rows[:, :, :width] + stay[1] * rows[:, :, 1:width + 1]
            + after[1] * rows[:, :, 2:])


def train(images, labels, rng, epochs=60, batch=32, rate=3e-3):
    """Adam with a rate that falls linearly to 0."""
    parameters = initial_parameters(rng)
    first = {name: [np.zeros_like(p) for p in pair] for name, pair in parameters.items()}
    second = {name: [np.zeros_like(p) for p in pair] for name, pair in parameters.items()}
    steps = epochs * (len(images) // batch)
    step, decay_first, decay_second = 0, 1.0, 1.0
    for _ in range(epochs):
        order = rng.permutation(len(images))
        for start in range(0, len(images) - batch + 1, batch):
            picked = order[start:start + batch]
            grads = gradients(parameters, shifted(images[picked], rng), labels[picked])
            step += 1
            decay_first, decay_second = decay_first * 0.9, decay_second * 0.999
            correction = np.sqrt(1 - decay_second) / (1 - decay_first)
            factor = np.float32(rate * (1 - step / steps) * correction)
            for name, pair in parameters.items():
                for i, value in enumerate(pair):
                    g, m, v = grads[name][i], first[name][i], second[name][i]
                    m += np.float32(0.1) * (g - m)
                    v += np.float32(0.001) * (g * g - v)
                    value -= factor * m / (np.sqrt(v) + np.float32(1e-7))
    return parameters
