"""Tensor expressions and schedules from Python: kernels that compute what NumPy does."""

import numpy as np
import pytest
import vta
from vta import te

from conftest import refused


def matmul(n=48, m=40, depth=56, dtype="float32"):
    a, b = te.placeholder("a", (n, depth), dtype), te.placeholder("b", (depth, m), dtype)
    k = te.reduce_axis("k", depth)
    c = te.compute("c", [("i", n), ("j", m)], lambda i, j: te.sum(a(i, k) * b(k, j), k))
    return te.lower("matmul", [a, b, c])


def random(shape, dtype="float32", seed=0):
    generator = np.random.default_rng(seed)
    return generator.standard_normal(shape, np.float32) if dtype == "float32" else generator.integers(-100, 100, shape, dtype)


def run(package, *arrays):
    with vta.Session(package) as session:
        outputs = session.run(dict(zip((tensor.name for tensor in package.inputs), arrays, strict=True)))
    return outputs[package.outputs[0].name]


def hand_scheduled():
    schedule = vta.Schedule(matmul())
    outer, inner = schedule.split("c", "i", 8)
    j, lanes = schedule.split("c", "j", 8)
    schedule.reorder("c", outer, j, "k", inner, lanes)
    schedule.vectorize("c", lanes)
    schedule.unroll("c", inner)
    schedule.parallel("c", outer)
    return schedule


def test_a_product_is_numpys():
    a, b = random((48, 56)), random((56, 40), seed=1)
    package = vta.build(matmul())
    assert [(t.name, t.dtype, t.shape) for t in (*package.inputs, *package.outputs)] == [
        ("a", "float32", (48, 56)), ("b", "float32", (56, 40)), ("c", "float32", (48, 40))]
    np.testing.assert_allclose(run(package, a, b), a @ b, rtol=1e-4, atol=1e-4)


def test_a_schedule_changes_how_and_not_what():
    schedule = hand_scheduled()
    assert schedule.loops("c") == ["io", "jo", "k", "ii", "ji"] or len(schedule.loops("c")) == 5
    text = str(schedule)
    assert "parallel" in text and "vectorize" in text
    a, b = random((48, 56)), random((56, 40), seed=1)
    np.testing.assert_allclose(run(schedule.build(), a, b), a @ b, rtol=1e-4, atol=1e-4)


def test_a_trace_is_replayed(tmp_path):
    schedule = hand_scheduled()
    assert len(schedule.trace.splitlines()) == 6
    schedule.save(tmp_path / "trace.txt")
    other = vta.Schedule(matmul())
    other.load(tmp_path / "trace.txt")
    assert str(other) == str(schedule) and other.trace == schedule.trace
    assert str(te.parse(str(schedule))) == str(schedule)
    package = te.parse(str(schedule)).name
    assert package == "matmul"


def test_expressions_are_numpys():
    x = te.placeholder("x", (6, 10), "int32")
    cases = {
        "mixed": (lambda i, j: (x(i, j) * 3 - 7) // 4 + x(i, j) % 5, lambda v: (v * 3 - 7) // 4 + v % 5),
        "chosen": (lambda i, j: te.select((x(i, j) > 0) & (x(i, j) < 50), x(i, j), -x(i, j)),
                   lambda v: np.where((v > 0) & (v < 50), v, -v)),
        "bounded": (lambda i, j: te.maximum(te.minimum(x(i, j), 20), -20), lambda v: np.clip(v, -20, 20)),
        "absolute": (lambda i, j: abs(x(i, j)) + 1, lambda v: np.abs(v) + 1),
        "narrow": (lambda i, j: x(i, j).astype("int8"), lambda v: v.astype(np.int8)),
        "turned": (lambda i, j: x(5 - i, j), lambda v: v[::-1]),
        "real": (lambda i, j: te.sqrt(te.exp(te.cast("float32", x(i, j)) * 0.01)) / 2.0,
                 lambda v: np.sqrt(np.exp(v.astype(np.float32) * np.float32(0.01))) / 2),
        "compared": (lambda i, j: te.select(te.equal(x(i, j) % 2, 0), 1, 2).astype("int32"), lambda v: np.where(v % 2 == 0, 1, 2)),
        "diagonal": (lambda i, j: te.select(i < j, x(i, j), te.constant(0, "int32")), lambda v: np.triu(v, 1)),
    }
    value = random((6, 10), "int32", 3)
    for name, (define, expected) in cases.items():
        y = te.compute("y", (6, 10), define)
        got = run(vta.build(te.lower(name, [x, y])), value)
        np.testing.assert_allclose(got, expected(value), rtol=1e-5, err_msg=name)


def test_reductions_and_padding():
    x = te.placeholder("x", (8, 12), "float32")
    k, m = te.reduce_axis("k", 3), te.reduce_axis("m", 3)
    padded = te.pad("padded", x, (1, 1), (1, 1))
    mean = te.compute("mean", (8, 12), lambda i, j: te.sum(padded(i + k, j + m), [k, m]))
    value = random((8, 12))
    window = np.lib.stride_tricks.sliding_window_view(np.pad(value, 1), (3, 3))
    np.testing.assert_allclose(run(vta.build(te.lower("mean3x3", [x, mean])), value), window.sum((2, 3)), rtol=1e-4, atol=1e-5)
    n = te.reduce_axis("n", 12)
    for reduce, expected in ((te.max, value.max(1)), (te.min, value.min(1))):
        y = te.compute("y", 8, lambda i, reduce=reduce: reduce(x(i, n), n))
        np.testing.assert_array_equal(run(vta.build(te.lower("extreme", [x, y])), value), expected)


def test_methods_are_the_table():
    rows = vta.primitives()
    assert len(rows) > 25
    for name, words, makes, meaning in rows:
        method = vars(vta.Schedule)[name]
        parameters = method.__code__.co_varnames[1:method.__code__.co_argcount + (method.__code__.co_flags & 4 > 0)]
        assert list(parameters) == [word.strip("[]").removesuffix("...").replace("blockIdx|threadIdx", "to") for word in words.split()]
        assert len(method.__defaults__ or ()) == words.count("[")
        sentence = meaning[0].upper() + meaning[1:] + "."
        assert method.__doc__ == sentence + (f" Returns: {makes}." if makes else "")
    names = {name for name, *_ in rows}
    others = {"function", "loops", "trace", "replay", "save", "load", "build"}
    assert {name for name in vars(vta.Schedule) if not name.startswith("_")} == names | others


def test_what_is_not_legal_is_refused(tmp_path):
    schedule = vta.Schedule(matmul())
    before = str(schedule)
    for step in (lambda: schedule.split("c", "i", 0), lambda: schedule.split("c", "x", 4), lambda: schedule.split("d", "i", 4),
                 lambda: schedule.reorder("c", "k", "q"), lambda: schedule.vectorize("c", "k"),
                 lambda: schedule.tensorize("c", "i", "gemm"), lambda: schedule.replay("split c"), lambda: schedule.replay("cut c i 4")):
        assert refused(step)
        assert str(schedule) == before and schedule.trace == ""
    # iterations that depend on each other are no tasks
    racing = vta.Schedule(matmul())
    racing.reorder("c", "k", "i", "j")
    assert refused(lambda: (racing.parallel("c", "k"), racing.build()))
    x = te.placeholder("x", (4, 4), "int8")
    assert refused(te.placeholder, "x", (4,), "float16") == ("dtype", "float16")
    assert refused(lambda: x(0))
    assert refused(lambda: te.compute("y", (4, 4), lambda i, j: x(i, j) + te.constant(1, "float32")))
    assert refused(lambda: te.compute("y", (4, 4), lambda i, j: "x"))[0] == "expression"
    with pytest.raises(vta.Error, match="has no value yet"):
        te.compute("y", (4, 4), lambda i, j: 1 if x(i, j) > 0 else 2)
    assert refused(lambda: te.lower("f", [te.compute("y", (4, 4), lambda i, j: x(i, j))]))
    assert refused(lambda: te.parse("func"))
    assert refused(lambda: te.apply("expp", x(0, 0)))[1] == "expp"
    assert refused(lambda: vta.build(te.lower("f", [x, te.compute("y", 4, lambda i: x(i, i))]), cpu="z80"))
    with pytest.raises(ZeroDivisionError):  # the caller's own
        te.compute("y", 4, lambda i: 1 // 0)
    with pytest.raises(TypeError):
        te.compute("y", (4, 4), lambda i: x(i, i))


def test_packages_of_kernels_are_files(tmp_path):
    a, b = random((48, 56)), random((56, 40), seed=1)
    package = vta.build(hand_scheduled())
    package.save(tmp_path / "p.vta")
    np.testing.assert_array_equal(run(vta.Package.load(tmp_path / "p.vta"), a, b), run(package, a, b))


def test_an_intrinsic_of_the_cpu_is_called():
    """A dot product of four bytes for 16 channels at once, as the kernels of networks have it."""
    texts = vta.intrinsics()
    assert {"vpdpbusd", "sdot", "vpdpwssd"} <= texts.keys()
    assert str(te.parse(texts["sdot"])) == texts["sdot"]
    x, w = te.placeholder("x", (8, 64), "uint8"), te.placeholder("w", (4, 16, 16, 4), "int8")
    k = te.reduce_axis("k", 64)
    c = te.compute("c", [("i", 8), ("o", 64)],
                   lambda i, o: te.sum(x(i, k).astype("int32") * w(o // 16, k // 4, o % 16, k % 4).astype("int32"), k))
    schedule = vta.Schedule(te.lower("dense", [x, w, c]))
    outer, lanes = schedule.split("c", "o", 16)
    steps, group = schedule.split("c", "k", 4)
    schedule.reorder("c", outer, "i", steps, lanes, group)
    schedule.decompose_reduction("c", steps)
    before = str(schedule)
    for name in "sdot", "vpdpwssd", "none":  # of other types, or unknown
        assert refused(schedule.tensorize, "c", lanes, name)
        assert str(schedule) == before
    schedule.tensorize("c", lanes, "vpdpbusd")
    assert "call vpdpbusd.update" in str(schedule)
    assert str(te.parse(str(schedule))) == str(schedule)
    a, b = random((8, 64), "int32", 1).astype(np.uint8), random((4, 16, 16, 4), "int8", 2)
    expected = a.astype(np.int32) @ b.transpose(0, 2, 1, 3).reshape(64, 64).T.astype(np.int32)
    np.testing.assert_array_equal(run(schedule.build(), a, b), expected)


def test_what_is_too_deep_is_one_error():
    """Where a walk through it would end the process: operators, tensors, and what is used twice over and over."""
    x = te.placeholder("x", 4, "int32")
    def lowered(count):
        def element(i):
            value = x(i)
            for _ in range(count):
                value = value + 1
            return value
        return te.lower("f", [x, te.compute("y", 4, element)])
    np.testing.assert_array_equal(run(vta.build(lowered(255)), np.arange(4, dtype=np.int32)), np.arange(4) + 255)
    assert str(te.parse(str(lowered(255)))) == str(lowered(255))
    assert refused(lowered, 256) == ("expression", "257 operators")
    assert refused(lowered, 50000) == ("expression", "257 operators")
    def doubled():
        value = x(0)
        for _ in range(200):
            value = value * value
    assert refused(doubled)[0] == "expression"
    def of_each_other(count):
        tensors = [x]
        for number in range(count):
            tensors.append(te.compute(f"t{number}", 4, lambda i: tensors[-1](i) + 1))
        return te.lower("f", [x, tensors[-1]])
    assert run(vta.build(of_each_other(40)), np.zeros(4, np.int32)).tolist() == [40] * 4
    assert refused(of_each_other, 50000) == ("expression", "4097 operators and tensors")
    def beside_each_other(count):
        tensors = [te.compute(f"t{number}", 4, lambda i: x(i) + 1) for number in range(count)]
        return te.lower("f", [x, *tensors])
    assert refused(beside_each_other, 2000) == ("tensors", "2001")
    texts = ["func f(x: int8[4]) {" + "".join(f"alloc t{i}: int8[4] " for i in range(100000)),
             "func f(x: int8[4]) {" + "scope {" * 100000, "func f(" + "x: int8[4], " * 100000]
    for text in texts:
        assert refused(te.parse, text)


@pytest.mark.parametrize("name", ["", "a b", "1a", "a\0b", "a\n", "ü", "a-b", "#"])
def test_names_are_those_of_the_text(name):
    x = te.placeholder("x", 4)
    for call in (lambda: te.placeholder(name, 4), lambda: te.compute(name, 4, lambda i: x(i)),
                 lambda: te.compute("y", [(name, 4)], lambda i: x(i)), lambda: te.reduce_axis(name, 4),
                 lambda: te.pad(name, x, 1, 1), lambda: te.lower(name, [x, te.compute("y", 4, lambda i: x(i))]),
                 lambda: te.compute("y", 4, lambda i: x(i), name)):
        with pytest.raises(vta.Error) as error:
            call()
        assert error.value.subject in ("tensor", "axis", "function", "scope") and "must be a name" in error.value.rule
        assert "\0" not in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("call", "what"), [
    (lambda: te.placeholder("x", (0,)), ("extent", "0")),
    (lambda: te.placeholder("x", (1 << 30, 1 << 30)), ("extent", str(1 << 30))),
    (lambda: te.placeholder("x", 1 << 70), ("extent", "int")),
    (lambda: te.placeholder("x", 2.5), None),
    (lambda: te.placeholder("x", "5"), ("extent", "str")),
    (lambda: te.compute("x", 1 << 41, lambda i: 1), ("extent", str(1 << 41))),
    (lambda: te.compute("x", [("i", -1)], lambda i: 1), ("axis i", "-1")),
    (lambda: te.reduce_axis("k", 0), ("extent", "0")),
    (lambda: te.pad("p", te.placeholder("x", 4), -1, 1), ("padding", "-1")),
    (lambda: te.pad("p", te.placeholder("x", 4), 1 << 62, 1 << 62), ("padding", str(1 << 62))),
    (lambda: te.constant(300, "int8"), ("constant", "300")),
    (lambda: te.constant(1.5, "int8"), ("constant", "1.5")),
    (lambda: te.constant(float("nan"), "int32"), ("constant", "nan")),
    (lambda: te.constant("1", "int32"), ("constant", "str")),
    (lambda: te.placeholder("x", 4)(0) + "1", ("expression", "str")),
    (lambda: te.placeholder("x", 4)(1 << 70), ("expression", "int")),
    (lambda: vta.Schedule(matmul()).annotate("c", "i", "", 1), ("word of a step", "")),
    (lambda: vta.Schedule(matmul()).annotate("c", "i", "a b", 1), ("word of a step", "a b")),
    (lambda: vta.Schedule(matmul()).set_scope("c", "lo cal"), ("word of a step", "lo cal")),
    (lambda: vta.Schedule(matmul()).split("c", None, 4), ("word of a step", "NoneType")),
    (lambda: vta.Schedule(matmul()).split("c", "i", 1 << 70), ("word of a step", "int")),
])
def test_numbers_and_words_are_refused(call, what):
    with pytest.raises((vta.Error, TypeError)) as error:
        call()
    if what:
        assert (error.value.subject, error.value.value) == what


def test_numbers_of_numpy_are_numbers():
    x = te.placeholder("x", np.int64(4), "float32")
    y = te.compute("y", 4, lambda i: x(i) * np.float32(0.5) + np.float64(1))
    np.testing.assert_array_equal(run(vta.build(te.lower("f", [x, y])), np.ones(4, np.float32)), np.full(4, 1.5))


def test_files_of_traces_are_refused(tmp_path):
    schedule = vta.Schedule(matmul())
    for path in (tmp_path, tmp_path / "no" / "trace", str(tmp_path) + "\0"):
        for call in schedule.save, schedule.load:
            with pytest.raises(vta.Error) as error:
                call(path)
            assert error.value.subject == "path" and "\0" not in str(error.value)
