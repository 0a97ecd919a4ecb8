"""What Python gets is what the command line gets, and what NumPy computes."""

import re
import sys

import numpy as np
import pytest
import vta


def test_a_package_is_the_tools(package, demo, tool, tmp_path):
    tool("compile", demo / "digits_int8.onnx", "--effort", 0, "-o", "tool.vta")
    bytes_of_tool = (tmp_path / "tool.vta").read_bytes()
    assert package.to_bytes() == bytes_of_tool
    package.save(tmp_path / "saved.vta")
    assert (tmp_path / "saved.vta").read_bytes() == bytes_of_tool
    assert package.targets == ("vta", "cpu") and package.config["name"] == "default"
    assert package.inputs == (vta.Tensor("image", "float32", (1, 1, 8, 8)),)
    assert package.outputs == (vta.Tensor("logits", "float32", (1, 10)),)
    assert package.disassemble() == tool("dis", "saved.vta")
    assert package.disassemble(number=True) == tool("dis", "saved.vta", "--number")


def test_proofs_are_the_tools(package, tool, tmp_path):
    package.save(tmp_path / "p.vta")
    checks = package.check()
    assert checks and all(check.ok for check in checks)
    def without_time(text):
        return re.sub(r"[0-9.]+ ms\n", "", text)
    printed = "".join(f"{check.program}: {check.text}" for check in checks)
    assert without_time(printed) == without_time(tool("check", "p.vta"))


@pytest.mark.parametrize("engine", ("functional", "cycle"))
def test_outputs_are_the_tools(package, images, engine, tool, tmp_path):
    package.save(tmp_path / "p.vta")
    some = images[:8]
    some.tofile(tmp_path / "in.bin")
    tool("run", "p.vta", "--engine", engine, "--input", "in.bin", "--output", "out.bin")
    expected = np.fromfile(tmp_path / "out.bin", np.float32).reshape(-1, 1, 10)
    with vta.Session(package, engine) as session:
        for image, logits in zip(some, expected, strict=True):
            np.testing.assert_array_equal(session.run({"image": image})["logits"], logits)
    # A package that was read runs its kernels in a process of their own.
    with vta.Session(vta.Package.load(tmp_path / "p.vta"), engine) as session:
        np.testing.assert_array_equal(session.run({"image": some[0]})["logits"], expected[0])


def test_outputs_are_those_of_numpy(on_cpu, demo, images, monkeypatch):
    onnx = pytest.importorskip("onnx")
    monkeypatch.setattr(sys, "path", [str(demo), *sys.path])
    import onnx_numpy
    model = onnx.load(demo / "digits_f32.onnx")
    with vta.Session(on_cpu) as session:
        for image in images[:50]:
            np.testing.assert_allclose(session.run({"image": image})["logits"], onnx_numpy.run(model, image), rtol=1e-4, atol=1e-4)


def test_accuracy(package, demo, images):
    labels = np.loadtxt(demo / "labels.txt", dtype=np.int64)
    with vta.Session(package) as session:
        right = [session.run({"image": image})["logits"].argmax() == label for image, label in zip(images, labels, strict=True)]
    assert np.mean(right) == 0.9925


def test_a_network_is_quantised_as_the_tool_does(demo, images, tool, tmp_path):
    some = images[:8]
    np.save(tmp_path / "in.npy", some)
    tool("quantize", demo / "digits_f32.onnx", "--data", "in.npy", "--calibration", "minmax", "--equalise", "off", "-o", "q.onnx")
    model = vta.load_model(demo / "digits_f32.onnx")
    assert not model.is_quantised
    options = {"calibration": "minmax", "equalise": "off"}
    quantised = model.quantize([{"image": image} for image in some], **options)
    assert quantised.is_quantised and "int8" in repr(quantised)
    assert quantised.to_onnx() == (tmp_path / "q.onnx").read_bytes()
    assert model.quantize(some, **options).to_onnx() == quantised.to_onnx()
    quantised.save(tmp_path / "mine.onnx")
    tool("compile", "mine.onnx", "-c", "small_8x8", "--effort", 0, "-o", "tool.vta")
    mine = vta.compile(quantised, "small_8x8", effort=0)
    with vta.Session(mine) as one, vta.Session(vta.Package.load(tmp_path / "tool.vta")) as other:
        for image in some[:10]:
            np.testing.assert_array_equal(one.run({"image": image})["logits"], other.run({"image": image})["logits"])


def test_a_model_is_a_file_its_bytes_or_a_proto(demo, package):
    onnx = pytest.importorskip("onnx")
    file = demo / "digits_int8.onnx"
    models = [vta.load_model(file), vta.load_model(str(file)), vta.load_model(file.read_bytes()), vta.load_model(onnx.load(file))]
    for model in models:
        assert model.inputs == package.inputs and model.outputs == package.outputs
        assert vta.compile(model, effort=0).to_bytes() == package.to_bytes()
    tflite = vta.load_model((demo / "digits_int8.tflite").read_bytes(), name="digits.tflite")
    assert tflite.name == "digits.tflite" and tflite.inputs[0].shape == (1, 8, 8, 1)


def test_configs(demo, source, package):
    names = vta.configs()
    assert names == sorted(path.stem for path in (source / "isa/configs").glob("*.json"))
    config = vta.load_config("default")
    assert config == package.config == vta.load_config(config) == vta.load_config(source / "isa/configs/default.json")
    config["arch"]["inp_depth"] //= 2
    config["name"] = "half"
    half = vta.compile(demo / "digits_int8.onnx", config, effort=0)
    assert half.config == config


def test_engines_are_those_of_the_command_line(tool):
    help_of_run = " ".join(tool("run", "--help").split())
    assert ", ".join(vta.engines()) in help_of_run.replace("- ", "-")


def test_options_are_those_of_the_command_line(tool):
    """compile has a keyword for each option that says how to compile, and no other."""
    import inspect
    groups = re.split(r"\n(?=\S)", tool("compile", "--help"))
    options = {name for group in groups if re.match("Compiling|Choosing|Reading", group)
               for name in re.findall(r"^ +(?:-\w, ?)?--([a-z-]+)", group, re.M)}
    assert len(options) > 10
    keywords = {name.replace("_", "-") for name in inspect.signature(vta.compile).parameters} - {"model"}
    assert keywords == options
