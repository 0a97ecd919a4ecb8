"""The report of a run: as the command line has it, and as a notebook shows it."""

import dataclasses
import html.parser
import json

import pytest
import vta

from conftest import parts


@pytest.fixture(scope="module")
def report(package, images):
    session = vta.Session(package, "cycle")
    session.run({"image": images[0]})
    return session.report


def without_times(document):
    """Without what differs between runs, and what only the command adds."""
    if isinstance(document, dict):
        return {key: without_times(value) for key, value in document.items()
                if key not in ("wall_ms", "copy_ms", "modelled", "package_hash", "answer", "between_launches_cycles", "layout_changes")}
    return [without_times(one) for one in document] if isinstance(document, list) else document


def test_a_report_is_the_tools(report, package, images, tool, tmp_path):
    package.save(tmp_path / "p.vta")
    images[0].tofile(tmp_path / "in.bin")
    tool("run", "p.vta", "--engine", "cycle", "--input", "in.bin", "--report", "r.json")
    theirs = json.loads((tmp_path / "r.json").read_text())
    assert without_times(report.document) == without_times(theirs)
    assert report.total.cycles == theirs["total"]["cycles"] > 0
    assert report.config == "default" and report.engine == "cycle" and report.batch == 1
    assert [layer.name for layer in report.layers] == [layer["name"] for layer in theirs["layers"]]
    assert sum(layer.cycles or 0 for layer in report.layers) == report.total.cycles
    assert str(report).startswith("layer ")


def test_fields_are_those_of_the_schema(source):
    schema = json.loads((source / "docs/schemas/vta-report.json").read_text())
    layer = schema["$defs"]["layer"]
    fields = {field.name: field for field in dataclasses.fields(vta.Layer)}
    assert set(fields) == set(layer["properties"])
    assert {name for name, field in fields.items() if field.default is dataclasses.MISSING} == set(layer["required"])
    memory = schema["properties"]["memory"]
    assert {field.name for field in dataclasses.fields(vta.Memory)} == set(memory["properties"])
    known = {field.name for field in dataclasses.fields(vta.Report)} - {"document", "table"}
    assert known <= set(schema["properties"])
    needed = {field.name for field in dataclasses.fields(vta.Report)
              if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING}
    assert needed <= set(schema["required"])


def test_a_notebook_shows_a_table(report):
    class Cells(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.cells = [], []
        def handle_starttag(self, tag, attributes):
            self.open.append(tag)
        def handle_endtag(self, tag):
            assert self.open.pop() == tag
        def handle_data(self, data):
            self.cells.append((self.open[-1], data))
    page = Cells()
    page.feed(report._repr_html_())
    assert page.open == []
    texts = [text for _, text in page.cells]
    for layer in report.layers:
        assert layer.name in texts
    assert f"{report.total.cycles:,}" in texts and "cycles" in texts
    hostile = dataclasses.replace(report, model="<script>", layers=(dataclasses.replace(report.layers[0], name="<b>&"),))
    assert "<script>" not in hostile._repr_html_() and "&lt;b&gt;&amp;" in hostile._repr_html_()


def test_a_report_is_of_a_run_that_was_profiled(package, on_cpu, images):
    session = vta.Session(package)
    session.run({"image": images[0]})
    with pytest.raises(vta.Error) as error:
        _ = session.report
    assert parts(error) == ("report", "", "no run was profiled: run(..., profile=True)")
    session.run({"image": images[0]}, profile=True)
    report = session.report
    assert report.engine == "functional" and report.total.cycles is None and report.total.macs > 0
    cpu = vta.Session(on_cpu)
    cpu.run({"image": images[0]}, profile=True)
    assert cpu.report.config is None and cpu.report.vta.macs == 0
