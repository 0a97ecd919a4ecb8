"""The Python on docs/python.md runs, and prints what the page says."""

import re


def blocks(source):
    """(language, text) of each block of the page."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", (source / "docs/python.md").read_text(), re.M | re.S)


def test_the_page_runs(source, monkeypatch, capsys):
    monkeypatch.chdir(source)
    names, ran, printed = {}, 0, ""
    for language, text in blocks(source):
        if language == "python":
            exec(compile(text, "docs/python.md", "exec"), names)
            ran, printed = ran + 1, capsys.readouterr().out
        elif language == "output":
            assert printed == text
    assert ran >= 5
    assert names["report"].total.cycles > 0
    assert len(names["answers"]) == 20
    assert (names["logits"] != 0).any()
    assert names["tuning"].tasks and names["found"].points and names["run"].finished
