"""Networks that ONNX Runtime's quantiser makes, in each of its ways, against that runtime without its optimisations.

usage: quantised.py TOOL [NAME...]     run by the Python of the environment of `./vta bench cpu`

Ways: operators or QDQ; activations uint8 or int8; weights int8 or uint8, of one scale or of one for each channel. Of each network:
  nodes   the network cut at every tensor of codes: each part gets the runtime's own codes and may differ from its result by one code
  argmax  of trained networks equal on 99 % of the samples. Of seeded ones, whose logits one code early on changes, it is printed beside
          that of the runtime with its optimisations
  MACs    all of them on the accelerator
Ends with status 1 where one of these does not hold. Trained networks whose files are not there (see VTA_CASES) are left out.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnx.version_converter
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = os.path.join(os.environ.get("VTA_CASES", os.path.join(SOURCE, "..", "shared", "cases")), "public")
CALIBRATION = 100
# One made here, of the operators that the others do not have, and networks of `vta model`: how many random samples.
SEEDED = {"mixed": 100, "resnet_tiny": 100, "mobilenet_tiny": 100, "squeezenet": 4, "shufflenet_v2": 4, "mobilenet_v2": 4, "mobilenet_v3_small": 4}


def images(folder, file, dtype, shape, real):
    """Samples as a network takes them, one each."""
    stored = numpy.fromfile(os.path.join(folder, file), dtype).reshape(-1, *shape)
    return [real(sample.astype(numpy.float32))[None] for sample in stored]


# Model, and its samples.
TRAINED = {
    "digits": (os.path.join(SOURCE, "tools/demo/digits_f32.onnx"), os.path.join(SOURCE, "tools/demo"), "images.bin", "u1", (1, 8, 8),
               lambda x: x / 16),
    "kws": (os.path.join(CASES, "kws_alibaba_f32/model.onnx"), os.path.join(CASES, "kws_alibaba_f32"), "inputs_i8.bin", "i1", (49, 10, 1),
            lambda x: (x - 83) * numpy.float32(0.5847029)),
    "resnet8": (os.path.join(CASES, "resnet8_cifar_f32/model.onnx"), os.path.join(CASES, "resnet8_cifar_f32"), "inputs_u8.bin", "u1",
                (32, 32, 3), lambda x: x.transpose(2, 0, 1)),
    "mnist": (os.path.join(CASES, "mnist_cntk_f32/model.onnx"), os.path.join(CASES, "mnist_cntk_f32"), "inputs_u8.bin", "u1", (1, 28, 28),
              lambda x: x),
}
WAYS = [(form, *types, per_channel) for form in ("QOperator", "QDQ")
        for types in (("QUInt8", "QInt8"), ("QInt8", "QInt8"), ("QUInt8", "QUInt8")) for per_channel in (False, True)]
CODES = (TensorProto.UINT8, TensorProto.INT8)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words[:3])}: {done.stdout[-500:]}{done.stderr[-1500:]}")
    return done.stdout


def mixed(path):
    """Activations, pools with padding, concat, multiplication, slices, resizing, softmax: 16 channels at 24 x 24."""
    random = numpy.random.default_rng(7)
    nodes, weights = [], []

    def add(operator, inputs, name, **attributes):
        nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def constant(name, values):
        weights.append(numpy_helper.from_array(numpy.array(values), name))
        return name

    def conv(x, name, channels, inputs, kernel=3, **attributes):
        shape = (channels, inputs // attributes.get("group", 1), kernel, kernel)
        taps = shape[1] * kernel * kernel
        w = constant(name + ".w", (random.standard_normal(shape) / numpy.sqrt(taps)).astype(numpy.float32))
        b = constant(name + ".b", (random.standard_normal(channels) / 4).astype(numpy.float32))
        return add("Conv", [x, w, b], name, pads=[kernel // 2] * 4, **attributes)

    def scalar(name, value):
        return constant(name, numpy.float32(value))

    x = conv("image", "stem", 16, 3, strides=[2, 2])
    a = conv(add("LeakyRelu", [x], "leaky", alpha=0.1), "left", 16, 16)
    b = conv(add("Sigmoid", [x], "sigmoid"), "right", 16, 16, group=16)
    c = add("Add", [a, add("AveragePool", [b], "average", kernel_shape=[3, 3], pads=[1, 1, 1, 1])], "sum")
    c = add("Concat", [c, add("MaxPool", [a], "greatest", kernel_shape=[3, 3], pads=[1, 1, 1, 1])], "both", axis=1)
    gate = add("GlobalAveragePool", [c], "squeeze")
    gate = add("HardSigmoid", [conv(gate, "excite", 32, 32, kernel=1)], "gate")
    c = conv(add("Mul", [c, gate], "gated"), "mix", 24, 32, kernel=1)
    c = add("HardSwish", [c], "swish")
    weights.append(numpy_helper.from_array(numpy.array([8, 16], numpy.int64), "sizes"))
    nodes.append(helper.make_node("Split", [c, "sizes"], ["few", "many"], name="split", axis=1))
    few = add("Resize", ["few", "", constant("scales", numpy.array([1, 1, 2, 2], numpy.float32))], "larger", mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    few = add("Relu", [conv(few, "few.conv", 8, 8, strides=[2, 2])], "few.relu")
    few = add("Clip", [few, scalar("low", 0), scalar("high", 1.5)], "few.clip")
    many = add("Pad", [conv("many", "many.conv", 8, 16), constant("pads", numpy.array([0, 0, 1, 1, 0, 0, 1, 1], numpy.int64))], "padded")
    many = conv(add("Tanh", [many], "tanh"), "many.conv2", 8, 8)
    few = add("Pad", [few, constant("pads2", numpy.array([0, 0, 1, 1, 0, 0, 1, 1], numpy.int64))], "few.padded")
    c = add("Sub", [many, few], "difference")
    c = add("Flatten", [add("AveragePool", [c], "last", kernel_shape=[2, 2], strides=[2, 2])], "flat")
    w = constant("dense.w", (random.standard_normal((20, 8 * 49)) / 20).astype(numpy.float32))
    c = add("Gemm", [c, w, constant("dense.b", random.standard_normal(20).astype(numpy.float32))], "dense", transB=1)
    c = add("Relu", [c], "dense.relu")
    w = constant("final.w", random.standard_normal((20, 10)).astype(numpy.float32) / 2)
    add("Softmax", [add("MatMul", [c, w], "final")], "classes", axis=1)
    graph = helper.make_graph(nodes, "mixed", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 24, 24])],
                              [helper.make_tensor_value_info("classes", TensorProto.FLOAT, [1, 10])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)


class Reader(quantization.CalibrationDataReader):
    def __init__(self, name, samples):
        self.rest = iter([{name: sample} for sample in samples])

    def get_next(self):
        return next(self.rest, None)


def session(model, optimised=False):
    options = onnxruntime.SessionOptions()
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def cut(model):
    """The model with its codes as outputs, and its parts: between codes as inputs and codes as outputs."""
    made = [name for node in model.graph.node for name in node.output]
    quantised = {node.output[0] for node in model.graph.node if node.op_type.startswith(("QLinear", "QuantizeLinear", "QGemm"))}
    # What moves codes, or takes the greatest of them, makes codes.
    for node in model.graph.node:
        if node.op_type in ("MaxPool", "Reshape", "Flatten", "Transpose", "Split", "Pad", "Resize", "Concat") and node.input[0] in quantised:
            quantised.update(node.output)
    codes = [name for name in made if name in quantised]
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    del watched.graph.output[:]
    watched.graph.output.extend(onnx.ValueInfoProto(name=name) for name in codes)
    return watched, codes


def parts(model, codes, values):
    """Every tensor of codes that somebody reads is an input, too."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    read = set()
    for node in model.graph.node:
        for i, name in enumerate(node.input):
            if name in codes:
                read.add(name)
                node.input[i] = name + ".given"
    del model.graph.output[:]
    types = {numpy.dtype("uint8"): TensorProto.UINT8, numpy.dtype("int8"): TensorProto.INT8, numpy.dtype("float32"): TensorProto.FLOAT}
    for name in codes:
        model.graph.output.append(helper.make_tensor_value_info(name, types[values[name].dtype], values[name].shape))
    for name in sorted(read):
        model.graph.input.append(helper.make_tensor_value_info(name + ".given", types[values[name].dtype], values[name].shape))
    return model


def check_nodes(tool, model, sample, folder):
    """The codes of every part, beside those of the runtime: the worst difference and how many parts differ by more than one."""
    watched, codes = cut(model)
    runtime = session(watched)
    image = runtime.get_inputs()[0].name
    values = dict(zip(codes, runtime.run(codes, {image: sample})))
    path = os.path.join(folder, "parts.onnx")
    whole = parts(model, codes, values)
    onnx.save(whole, path)
    words = [tool, "run", path, "--engine", "functional"]
    constants = {tensor.name for tensor in whole.graph.initializer}
    for given in (given for given in whole.graph.input if given.name not in constants):
        file = os.path.join(folder, f"in{len(words)}.npy")
        numpy.save(file, sample if given.name == image else values[given.name.removesuffix(".given")])
        words += ["--input", file]
    got = {}
    for name in codes:
        got[name] = os.path.join(folder, f"out{len(words)}.npy")
        words += ["--output", got[name]]
    run(*words)
    worst = {}
    for name in codes:
        have = numpy.load(got[name]).astype(int)
        worst[name] = int(numpy.abs(have - values[name].astype(int)).max())
    return worst


def classes(runtime, samples):
    image = runtime.get_inputs()[0].name
    return numpy.array([int(runtime.run(None, {image: sample})[0].argmax()) for sample in samples])


def check_whole(tool, path, samples, folder):
    """Of our argmaxes, and of the optimised runtime's, how many are the runtime's; the share of MACs on the accelerator."""
    model = onnx.load(path)
    want, optimised = classes(session(model), samples), classes(session(model, True), samples)
    given, out, report = (os.path.join(folder, name) for name in ("in.npy", "out.npy", "report.json"))
    numpy.save(given, numpy.concatenate(samples))
    run(tool, "run", path, "--engine", "functional", "--input", given, "--output", out, "--report", report)
    have = numpy.load(out).reshape(len(samples), -1).argmax(axis=1)
    with open(report, encoding="utf-8") as file:
        layers = json.load(file)["layers"]
    macs = [(layer.get("macs", 0), layer["where"]) for layer in layers]
    on_vta = sum(count for count, where in macs if where == "vta")
    return int((have == want).sum()), int((optimised == want).sum()), on_vta / max(sum(count for count, _ in macs), 1)


def network(tool, name, folder):
    """The float model, of an opset that the quantiser takes, and samples."""
    path = os.path.join(folder, name + ".onnx")
    if name in TRAINED:
        source, *stored = TRAINED[name]
        model = onnx.load(source)
        onnx.save(onnx.version_converter.convert_version(model, 13) if model.opset_import[0].version < 13 else model, path)
        return path, images(*stored)
    if name == "mixed":
        mixed(path)
    else:
        run(tool, "model", name, "--type", "float", "-o", path)
    shape = [dim.dim_value for dim in onnx.load(path).graph.input[0].type.tensor_type.shape.dim]
    random = numpy.random.default_rng(3)
    return path, [random.standard_normal(shape).astype(numpy.float32) for _ in range(SEEDED.get(name, 4))]


def check(tool, name, folder):
    path, samples = network(tool, name, folder)
    constants = {tensor.name for tensor in onnx.load(path).graph.initializer}
    image = next(given.name for given in onnx.load(path).graph.input if given.name not in constants)
    held = True
    for form, activations, weights, per_channel in WAYS:
        quantised = os.path.join(folder, f"{name}.{form}.{activations}.{weights}.{per_channel}.onnx")
        quantization.quantize_static(path, quantised, Reader(image, samples[:CALIBRATION]), per_channel=per_channel,
                                     quant_format=getattr(quantization.QuantFormat, form),
                                     activation_type=getattr(quantization.QuantType, activations),
                                     weight_type=getattr(quantization.QuantType, weights))
        way = f"{name:14} {form:9} {activations:6} {weights:6} {'channel' if per_channel else 'tensor':7}"
        try:
            worst = check_nodes(tool, onnx.load(quantised), samples[0], folder)
            equal, optimised, share = check_whole(tool, quantised, samples, folder)
        except RuntimeError as error:
            print(f"{way} refused: {error}", flush=True)
            held = False
            continue
        far = {node: by for node, by in worst.items() if by > 1}
        exact = sum(by == 0 for by in worst.values())
        good = not far and share == 1 and (name in SEEDED or equal >= 0.99 * len(samples))
        held = held and good
        print(f"{way} {len(worst):3} tensors of codes, {exact:3} equal, worst difference {max(worst.values())}; argmax "
              f"{equal}/{len(samples)}, the optimised runtime's {optimised}; {100 * share:.1f} % of the MACs on VTA"
              f"{'' if good else '   <-- ' + str(far)}", flush=True)
    return held


def main(tool, *names):
    found = [name for name, (path, *_) in TRAINED.items() if os.path.exists(path)]
    with tempfile.TemporaryDirectory() as folder:
        return all([check(tool, name, folder) for name in names or (*found, *SEEDED)])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(0 if main(*sys.argv[1:]) else 1)
