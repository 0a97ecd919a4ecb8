"""What quantising costs: the tool's numbers."""

import dataclasses
import json
import re

import numpy as np
import pytest
import vta


@pytest.fixture(scope="module")
def model(demo):
    return vta.load_model(demo / "digits_int8.onnx")


def test_an_evaluation_is_the_tools(model, demo, images, tool, tmp_path, monkeypatch):
    labels = np.loadtxt(demo / "labels.txt", dtype=np.int64)[:20]
    np.save(tmp_path / "in.npy", images[:20])
    (tmp_path / "labels.txt").write_text("".join(f"{label}\n" for label in labels))
    theirs = json.loads(tool("eval", demo / "digits_int8.onnx", "--data", "in.npy", "--labels", "labels.txt",
                             "--engine", "functional", "-c", "vta_0.0.2", "--no-trials", "--json"))
    ours = vta.evaluate(model, images[:20], labels, engine="functional", config="vta_0.0.2", trials=False)
    assert {**ours.document, "model": ""} == {**theirs, "model": ""}
    assert [run.name for run in ours.runs] == ["float", "int8", "int8 on vta_0.0.2 (functional)"]
    assert ours.runs[0].accuracy_percent == 100.0
    assert ours.layers[0].whole_db == theirs["layers"][0]["whole_db"] and ours.trials == ()


def test_labels_may_be_absent_and_a_float_network_is_quantised(demo, images):
    model = vta.load_model(demo / "digits_f32.onnx")
    found = vta.evaluate(model, images[:4], calibration_samples=images[4:8], calibration="minmax", equalise="off",
                         trials=False)
    assert found.samples == 4 and found.runs[0].accuracy_percent is None and found.runs[1].outputs_db > 20


def test_fields_are_those_of_the_schema(source):
    properties = json.loads((source / "docs/schemas/vta-eval.json").read_text())["properties"]
    def names(kind):
        return {field.name for field in dataclasses.fields(kind)} - {"document"}
    assert names(vta.Evaluation) == set(properties) - {"schema", "version"}
    for kind, key in (vta.Accuracy, "runs"), (vta.LayerError, "layers"), (vta.Trial, "trials"):
        assert names(kind) == set(properties[key]["items"]["properties"])


@pytest.mark.parametrize(("labels", "subject", "value"), [
    ([0] * 3, "labels", "3"), ([], "labels", "0"), ([10] * 4, "label", "10"), ([-1] * 4, "label", "-1"), (["3"] * 4, "label", "str"),
])
def test_labels_are_refused(model, images, labels, subject, value):
    with pytest.raises(vta.Error) as error:
        vta.evaluate(model, images[:4], labels, trials=False)
    assert (error.value.subject, error.value.value) == (subject, value)


def test_other_arguments_are_refused(model, images):
    with pytest.raises(vta.Error) as error:
        vta.evaluate(model, images[:4], engine="none")
    assert error.value.subject == "engine"
    with pytest.raises(vta.Error) as error:
        vta.evaluate(model, images[:4], calibration_samples=[0])
    assert error.value.subject == "sample 0 image"


def test_keywords_of_the_quantiser_stand_in_one_place(model, images, tool):
    group, = re.findall(r"^Quantising:\n(.*?)\n\n", tool("quantize", "--help"), re.M | re.S)
    options = set(re.findall(r"^ +(?:-\w, ?)?--([a-z-]+)", group, re.M)) - {"dim"}  # which load_model has
    assert {name.replace("_", "-") for name in vta.QuantizeOptions.__annotations__} == options
    for call in (model.quantize, lambda samples, **others: vta.evaluate(model, samples, **others)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'calibrations'"):
            call(images[:1], calibrations="minmax")
