"""Runs the code of a notebook, cell by cell, from the root of the sources.

usage: notebook.py NOTEBOOK [--write]

With --write the notebook is written again with what the cells print and draw. Exit status 77 (skipped) where matplotlib is
not there: `./vta test` installs it (tools/python.txt, group notebooks), and runs this with that Python.
"""

import ast
import base64
import contextlib
import io
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from environments import programs_of


def pictures():
    """Outputs with the figures that are open."""
    import matplotlib.pyplot as plt

    outputs = []
    for number in plt.get_fignums():
        png = io.BytesIO()
        plt.figure(number).savefig(png, format="png", bbox_inches="tight", metadata={"Software": None})
        data = {"image/png": base64.b64encode(png.getvalue()).decode() + "\n", "text/plain": ["<figure>"]}
        outputs.append({"output_type": "display_data", "metadata": {}, "data": data})
    plt.close("all")
    return outputs


def shown(value, count):
    """Outputs with the value of the last line of a cell."""
    if value is None:
        return []
    if hasattr(value, "_repr_html_"):
        data = {"text/plain": [f"<{type(value).__name__}>"], "text/html": value._repr_html_().splitlines(keepends=True)}
    else:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
    return [{"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}]


def run(cell, count, names):
    """What a cell prints, draws and is."""
    code = "".join(cell["source"])
    tree = ast.parse(code, f"cell {count}")
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        if last:
            value = eval(compile(last, f"cell {count}", "eval"), names)
    text = printed.getvalue()
    outputs = [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}] if text else []
    return outputs + pictures() + shown(value, count)


def main(file, *options):
    try:
        import matplotlib
    except ModuleNotFoundError:
        python = os.path.join(programs_of("notebooks"), "python")
        if not os.access(python, os.X_OK) or os.path.dirname(sys.executable) == os.path.dirname(python):
            print("skipped: matplotlib is not installed (tools/python.txt, group notebooks)")
            sys.exit(77)
        os.execv(python, [python, "-B", *sys.argv])
    matplotlib.use("Agg")
    with open(file) as opened:
        notebook = json.load(opened)
    names, count = {"__name__": "__main__"}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        outputs = run(cell, count, names)
        if "--write" in options:
            cell |= {"execution_count": count, "outputs": outputs}
    assert count, "no code"
    if "--write" in options:
        with open(file, "w") as opened:
            opened.write(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


main(*sys.argv[1:])
