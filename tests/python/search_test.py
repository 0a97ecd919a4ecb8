"""Searches: what they find is the tool's, they tell how far they are, and what a signal raises ends them."""

import json
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import vta

from conftest import heed_signals, refused

SPACE = {
    "name": "made",
    "isa": "1.0",
    "arch": {"block_in": {"list": [8, 16]}, "block_out": {"expr": "arch.block_in"}, "acc_depth": {"list": [512, 2048]}},
}


@pytest.fixture(scope="module")
def tuned(demo, tmp_path_factory):
    """(a search, where its log is, what it told of itself)."""
    log = tmp_path_factory.mktemp("tuned") / "log.jsonl"
    told = []
    tuning = vta.tune(demo / "digits_int8.onnx", log, trials=24, progress=lambda *place: told.append(place))
    return tuning, log, told


def test_a_search_finds_what_the_tool_finds(tuned, demo, tool, tmp_path):
    tuning, log, _ = tuned
    tool("tune", demo / "digits_int8.onnx", "--log", tmp_path / "tool.jsonl", "--trials", 24)
    def points(file):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        return [(line["step"], line["point"], line.get("cost"), line["estimate"]) for line in lines]
    assert points(log) == points(tmp_path / "tool.jsonl")
    assert tuning.unit == "cycles" and tuning.on == "default" and tuning.log == str(log)
    for task in tuning.tasks:
        assert task.bound <= task.best <= task.untuned
        costs = [trial.cost for trial in task.trials if trial.cost is not None]
        assert task.best == min(costs)
        assert task.point in {trial.point for trial in task.trials}
    assert str(tuning).splitlines()[0].split()[:3] == ["task", "steps", "space"]
    assert tuning._repr_html_().count("<tr>") == 1 + len(tuning.tasks)


def test_a_search_tells_where_it_is(tuned):
    tuning, _, told = tuned
    numbers = [number for place, number, total in told if total == len(tuning.tasks)]  # behind those of the compile
    assert numbers == sorted(numbers)
    assert numbers[-1] == len(tuning.tasks)
    assert any(tuning.tasks[-1].step in place for place, _, _ in told)


def test_a_compile_takes_what_was_found(tuned, demo):
    tuning, log, _ = tuned
    package = vta.compile(demo / "digits_int8.onnx", log=log)
    assert package.check()
    again = vta.tune(vta.load_model(demo / "digits_int8.onnx"), log, trials=24, progress=False)
    assert [task.best for task in again.tasks] == [task.best for task in tuning.tasks]


def test_options_of_a_search_are_refused(demo, tmp_path):
    model, log = demo / "digits_int8.onnx", tmp_path / "log"
    assert refused(vta.tune, model, log, trials=0) == ("trials", "0")
    assert refused(vta.tune, model, log, target="vta,cpu,cuda") == ("target", "vta,cpu,cuda")
    assert refused(vta.tune, model, log, config="defualt") == ("config", "defualt")
    assert refused(vta.tune, model, tmp_path / "no" / "log")
    assert refused(vta.tune, model, log, target="cpu", jobs=2) == ("jobs", "2")
    assert refused(vta.explore, model, SPACE, tmp_path / "d", search="best") == ("search", "best")
    assert refused(vta.explore, model, {**SPACE, "arch": {"batch": {"list": [3]}}}, tmp_path / "d")
    assert refused(vta.explore, model, SPACE, tmp_path / "d", objective=["error"]) == ("objective", "error")
    assert refused(vta.explore, [], SPACE, tmp_path / "d")
    for seed in (-1, 1 << 64, "x", 1.5):
        assert refused(vta.explore, model, SPACE, tmp_path / "d", seed=seed) == ("seed", str(seed))
    for source in (b"", b"no model"):
        assert refused(vta.explore, source, SPACE, tmp_path / "d")[0]
    assert not (tmp_path / "d").exists()


def test_what_a_listener_raises_ends_a_search(demo, tmp_path):
    def listener(place, number, total):
        if total:
            raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        vta.tune(demo / "digits_int8.onnx", tmp_path / "log", progress=listener)
    assert vta.tune(demo / "digits_int8.onnx", tmp_path / "log", trials=8, progress=False).tasks


def test_variants_are_what_the_tool_says(demo, tool, tmp_path):
    told = []
    found = vta.explore(demo / "digits_int8.onnx", SPACE, tmp_path / "d", confirm=0, reports=1, effort=0, pruning=False,
                        progress=lambda *place: told.append(place))
    (tmp_path / "s.json").write_text(json.dumps(SPACE))
    out = tool("explore", demo / "digits_int8.onnx", "--space", "s.json", "-o", "t", "--confirm", "0", "--reports", "0",
               "--effort", "0", "--no-pruning", "--json")
    points = json.loads(out)["points"]
    def costs(documents):
        return [(one["config"], one["latency_ms"], one["area"], one["energy_mj"], one["front"]) for one in documents]
    assert costs([point.document for point in found.points]) == costs(points)
    assert len(found.points) == 4 and 1 <= len(found.front) <= 4
    assert found.points[0].values.keys() == {"arch.block_in", "arch.acc_depth"}
    assert json.loads((tmp_path / "d/summary.json").read_text()) == found.document
    assert (tmp_path / "d" / found.front[0].document["reports"][0]).read_text().startswith("<!DOCTYPE html>")
    assert told[-1][0]
    assert found._repr_html_().count("<tr>") == 1 + len(found.front)
    assert "on the front" in str(found)


def test_steps_from_a_config(demo):
    steps = vta.sensitivity(demo / "digits_int8.onnx", "default", effort=0)
    assert steps.config == "default" and steps.ms > 0
    times = [step.ms for step in steps.steps if step.ms is not None]
    assert times == sorted(times)
    assert any(step.why for step in steps.steps)
    assert "arch.block_in" in steps._repr_html_()


def interrupted(work, begun, folder):
    """Seconds that a process takes to end its work after Ctrl-C, once `begun` says that it has begun."""
    text = textwrap.dedent(f"""
        import sys, vta
        try:
            {work}
        except KeyboardInterrupt:
            sys.exit(3)
        """)
    process = subprocess.Popen([sys.executable, "-c", text], cwd=folder, preexec_fn=heed_signals)
    for _ in range(1200):
        if begun() or process.poll() is not None:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert process.wait(60) == 3
    return time.monotonic() - start


def test_interrupted_searches_go_on(demo, tmp_path):
    model, log = demo / "digits_f32.onnx", tmp_path / "log"
    size = lambda: log.exists() and log.stat().st_size > 0  # noqa: E731
    seconds = interrupted(f"vta.tune({str(model)!r}, 'log', target='cpu', trials=5000)", size, tmp_path)
    assert seconds < 10  # one candidate, at most, on a machine that has other work
    lines = log.read_text().splitlines()
    assert lines and all(json.loads(line)["point"] for line in lines)
    assert vta.tune(model, log, target="cpu", trials=8, progress=False).tasks


def test_interrupted_sweeps_go_on(demo, tmp_path):
    space = {**SPACE, "arch": {**SPACE["arch"], "inp_depth": {"pow2": [64, 4096]}, "wgt_depth": {"pow2": [64, 4096]}}}
    (tmp_path / "s.json").write_text(json.dumps(space))
    file = tmp_path / "d/points.jsonl"
    begun = lambda: file.exists() and file.read_text().count("\n") > 2  # noqa: E731
    work = f"vta.explore({str(demo / 'digits_int8.onnx')!r}, 's.json', 'd', confirm=0, reports=0, pruning=False)"
    assert interrupted(work, begun, tmp_path) < 10
    assert all(json.loads(line) for line in file.read_text().splitlines())
    found = vta.explore(demo / "digits_int8.onnx", space, tmp_path / "d", confirm=0, reports=0, effort=0, budget=0.001)
    assert found.points


def test_variants_are_costed_with_networks_in_memory(demo, images, tmp_path):
    """Models, the bytes of files and ONNX's protos, as the files."""
    options = {"confirm": 0, "reports": 0, "effort": 0, "pruning": False}
    space = {"name": "narrow", "isa": "1.0", "arch": {"block_in": {"list": [8, 16]}, "block_out": {"expr": "arch.block_in"}}}
    def costs(found):
        return [(point.config, point.latency_ms, point.energy_mj, point.front) for point in found.points]
    file, names = demo / "digits_int8.onnx", []
    expected = costs(vta.explore(file, space, tmp_path / "file", **options))
    sources = [file.read_bytes(), vta.load_model(file.read_bytes(), name="mine")]
    try:
        import onnx
        sources.append(onnx.load(file))
    except ImportError:
        pass
    for number, source in enumerate(sources):
        found = vta.explore(source, space, tmp_path / str(number), **options)
        assert costs(found) == expected
        names.append([network["name"] for network in found.document["networks"]])
    assert names[:2] == [["model"], ["mine"]]
    # Several, of the same name, and with the reports and errors that the tool makes of files.
    np.save(tmp_path / "in.npy", images[:4])
    model = vta.load_model(demo / "digits_f32.onnx").quantize(images[:4])
    found = vta.explore([model, model], space, tmp_path / "several", **{**options, "reports": 1})
    assert [network["name"] for network in found.document["networks"]] == [model.name, f"{model.name} (2)"]
    assert list((tmp_path / "several/front").glob("*.1.html"))
    found = vta.explore(model, space, tmp_path / "errors", objective=["latency", "error"], eval=f"--data {tmp_path / 'in.npy'}", **options)
    assert all(point.error_percent is not None for point in found.points)
    assert vta.sensitivity(vta.load_model(file), "default", effort=0).ms == vta.sensitivity(file, "default", effort=0).ms
