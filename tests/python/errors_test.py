"""What is refused, with the tool's words, as vta.Error."""

import logging
import pickle
import re

import numpy as np
import pytest
import vta

from conftest import parts


def refusal(call):
    with pytest.raises(vta.Error) as error:
        call()
    return parts(error)


def test_an_error_has_parts(demo):
    with pytest.raises(vta.Error) as caught:
        vta.compile(demo / "digits_int8.onnx", target="accelerator")
    error = caught.value
    assert parts(caught) == ("target", "accelerator", "must be one of vta, cuda, opencl, cpu")
    assert str(error) == "target = accelerator: must be one of vta, cuda, opencl, cpu"
    assert isinstance(error, RuntimeError)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.subject, copy.value, copy.rule) == (str(error), error.subject, error.value, error.rule)


@pytest.mark.parametrize(("options", "what"), [
    ({"config": "defualt"}, ("config", "defualt")),
    ({"target": ["cpu", "vta"]}, ("target", "cpu,vta")),
    ({"cpu": "z80"}, ("cpu", "z80")),
    ({"rounding": "triple"}, ("rounding", "triple")),
    ({"precision": "fp8"}, ("precision", "fp8")),
    ({"effort": -1}, ("effort", "-1")),
    ({"effort": "many"}, ("effort", "many")),
    ({"memory_limit": "1Q"}, ("memory_limit", "1Q")),
    ({"memory_limit": 1000}, ("memory", re.compile(r"6\d{4} bytes"))),  # the code of kernels with it
    ({"threads": 0}, ("threads", "0")),
    ({"exact": 3}, ("exact", "3")),
    ({"place": {"no such node": "cpu"}}, None),
    ({"config": {}}, None),
    ({"config": {"name": "x", "arch": {"batch": 3}}}, None),
    ({"config": 3}, ("config", "int")),
    ({"log": "/nowhere"}, None),
    ({"schedule": {"conv1": "/nowhere"}}, None),
    ({"config": "default", "target": "cpu"}, ("config", "default")),
    ({"schedule_fallback": True}, None),
    ({"assume": "int4"}, ("assume", "int4")),
    ({"dim": {"batch": "x"}}, None),
])
def test_options_of_compile_are_refused(demo, options, what):
    with pytest.raises(vta.Error) as caught:
        vta.compile(demo / "digits_int8.onnx", **options)
    error = caught.value
    assert error.rule
    if what:  # what is refused after the command line is where the error is
        subject, value = what
        assert (error.subject or error.where) == subject
        assert value.fullmatch(error.value) if isinstance(value, re.Pattern) else error.value == value


def test_files_are_refused(tmp_path):
    nowhere, empty = tmp_path / "nowhere.onnx", tmp_path / "empty"
    empty.write_bytes(b"")
    for path in (nowhere, empty, tmp_path):
        for call in (vta.load_model, vta.compile, vta.Package.load):
            with pytest.raises(vta.Error) as error:
                call(path)
            assert str(path) in str(error.value)
    for source in (b"", b"no model", b"\x08" * 100):
        with pytest.raises(vta.Error):
            vta.load_model(source)
    assert refusal(lambda: vta.load_model(3)) == ("model", "int", "must be a str or a path")
    assert refusal(lambda: vta.compile(None)) == ("model", "NoneType", "must be a str or a path")
    assert refusal(lambda: vta.Package.load(b"bytes")) == ("path", "bytes", "must be a str or a path")


def test_models_and_packages_are_not_taken_for_each_other(demo, package, tmp_path):
    package.save(tmp_path / "p.vta")
    assert refusal(lambda: vta.compile(tmp_path / "p.vta"))[2] == "is a package: it is compiled already"
    assert "is not a package" in refusal(lambda: vta.Package.load(demo / "digits_int8.onnx"))[2]
    damaged = bytearray((tmp_path / "p.vta").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged.vta").write_bytes(damaged)
    assert refusal(lambda: vta.Package.load(tmp_path / "damaged.vta"))
    model = vta.load_model(demo / "digits_int8.onnx")
    assert refusal(lambda: vta.compile(model, assume="int8"))[:2] == ("assume", "")
    assert refusal(lambda: vta.compile(model, dim={"batch": 2}))[:2] == ("dim", "")
    for wrong in ("x", model):
        with pytest.raises(vta.Error, match="makes one"):
            vta.Session(wrong)


def test_a_package_may_have_to_be_trusted(on_cpu, tmp_path):
    import hashlib
    on_cpu.save(tmp_path / "p.vta")
    digest = hashlib.sha256((tmp_path / "p.vta").read_bytes()).hexdigest()
    assert refusal(lambda: vta.Package.load(tmp_path / "p.vta", native="trusted"))[:2] == ("SHA-256", digest)
    assert refusal(lambda: vta.Package.load(tmp_path / "p.vta", expect_hash="0" * 64))[:2] == ("SHA-256", digest)
    refused = vta.Package.load(tmp_path / "p.vta", native="refuse")
    assert refusal(lambda: vta.Session(refused))
    vta.Session(vta.Package.load(tmp_path / "p.vta", native="trusted", expect_hash=digest))


def test_samples_are_refused(demo, images):
    model = vta.load_model(demo / "digits_f32.onnx")
    nan = images[0].copy()
    nan[0, 0, 3, 3] = np.nan
    for samples, subject in (
        ([], "samples"),
        ([{"image": images[0]}, {"other": images[0]}], "sample 1 image"),
        ([{"image": images[0], "other": 0}], "sample 0"),
        ([images[0][0]], "sample 0 image shape"),
        ([images[0].astype(np.float64)], "sample 0 image dtype"),
        ([3], "sample 0 image"),
    ):
        assert refusal(lambda samples=samples: model.quantize(samples))[0] == subject
    assert refusal(lambda: model.quantize([nan]))
    with pytest.raises(TypeError):
        model.quantize(3)
    with pytest.raises(ZeroDivisionError):  # what an iterator raises is the caller's own
        model.quantize(1 / 0 for _ in range(2))
    assert refusal(lambda: model.quantize(images[:2], calibration="best"))[0] == "calibration"
    quantised = vta.load_model(demo / "digits_int8.onnx")
    assert "is quantised already" in refusal(lambda: quantised.quantize(images[:2]))[2]


def test_engines_are_refused(package, on_cpu):
    known = ", ".join(vta.engines())
    assert refusal(lambda: vta.Session(package, "cylce")) == ("engine", "cylce", f"must be one of {known}; did you mean cycle?")
    assert refusal(lambda: vta.Session(package, "serial:"))[0] == "engine"
    assert refusal(lambda: vta.Session(package, "serial:/nowhere"))
    assert refusal(lambda: vta.Session(package, device="cuda"))[:2] == ("device", "cuda")
    assert refusal(lambda: vta.Session(package, threads=-1))[:2] == ("threads", "-1")
    assert refusal(lambda: vta.Session(on_cpu, "cycle")) == ("", "", "is for an accelerator, and the package has none")


def test_messages_go_to_a_logger(demo, tmp_path, caplog):
    (tmp_path / "empty.jsonl").write_text("")
    with caplog.at_level(logging.DEBUG, "vta"):
        vta.compile(demo / "digits_int8.onnx", effort=0, log=tmp_path / "empty.jsonl")
    assert [(record.name, record.levelname) for record in caplog.records if "has nothing" in record.message] == [("vta", "WARNING")]


def test_nothing_is_no_object(images):
    """None, and other objects, where one of the module's is wanted: an error in words."""
    calls = [
        lambda it: vta.Session(it), lambda it: vta.SessionPool(it, 1), lambda it: vta.Schedule(it), lambda it: vta.build(it),
        lambda it: vta.evaluate(it, images[:1]), lambda it: vta.Model(it), lambda it: vta.Package(it), lambda it: vta.Program(it),
        lambda it: vta.Function(it), lambda it: vta.te.lower("f", it), lambda it: vta.te.lower("f", [it]), lambda it: vta.te.parse(it),
        lambda it: vta.te.exp(it), lambda it: vta.te.sum(1, it), lambda it: vta.te.pad("p", it, 1, 1), lambda it: vta.load_config(it),
        lambda it: vta.load_model(it), lambda it: vta.compile(it), lambda it: vta.asm(it), lambda it: vta.Package.load(it),
        lambda it: vta.Program.load(it), lambda it: vta.explore(it, {}, "d"), lambda it: vta.sensitivity(it, "default"),
        lambda it: vta.tune(it, "log"), lambda it: vta.devices(it),
    ]
    for call in calls:
        for it in None, object():
            with pytest.raises((vta.Error, TypeError)) as caught:
                call(it)
            assert str(caught.value)


def test_errors_name_keywords(demo, tmp_path):
    """And no option of the command line."""
    with pytest.raises(vta.Error) as error:
        vta.explore(demo / "digits_int8.onnx", {"name": "x"}, tmp_path / "d", objective="error")
    assert "eval" in str(error.value) and "--" not in str(error.value)
    with pytest.raises(vta.Error) as error:
        vta.tune(demo / "digits_int8.onnx", tmp_path / "log", import_=tmp_path / "x")
    assert "import_" in str(error.value) and "--" not in str(error.value)
    path = tmp_path / "a--target b.onnx"  # what is a file's stays
    with pytest.raises(vta.Error) as error:
        vta.load_model(path)
    assert str(path) in str(error.value)


def test_dicts_are_dicts(demo, images, package):
    float_file, file = demo / "digits_f32.onnx", demo / "digits_int8.onnx"
    calls = {
        "dim": lambda it: vta.load_model(float_file, dim=it), "place": lambda it: vta.compile(file, place=it),
        "schedule": lambda it: vta.compile(file, schedule=it), "inputs": lambda it: vta.Session(package).run(it),
        "out": lambda it: vta.Session(package).run({"image": images[0]}, out=it),
        "memory": lambda it: vta.asm(".code\n finish").run(memory=it),
    }
    for subject, call in calls.items():
        for it, kind in (("", "str"), ("ab", "str"), ([], "list"), (0, "int"), (images, "ndarray")):
            assert refusal(lambda call=call, it=it: call(it)) == (subject, kind, "must be a dict")
