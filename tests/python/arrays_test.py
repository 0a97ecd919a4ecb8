"""Arrays of all kinds, into runs and out of them."""

import numpy as np
import pytest
import vta

from conftest import parts


@pytest.fixture(scope="module")
def session(on_cpu):
    return vta.Session(on_cpu)


@pytest.fixture(scope="module")
def expected(session, images):
    return session.run({"image": images[0]})["logits"]


def aligned(array, offset=0):
    """The same array, that many bytes behind a multiple of 64."""
    memory = np.zeros(array.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    copy = memory[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def test_outputs_are_arrays_of_their_own(session, images, expected):
    assert expected.dtype == np.float32 and expected.shape == (1, 10)
    other = session.run({"image": images[1]})["logits"]
    assert not np.shares_memory(expected, other)
    assert (expected != other).any()
    assert other.ctypes.data % 64 == 0  # so that kernels work in it
    other[...] = 0  # it may be written


@pytest.mark.parametrize("offset", (0, 4, 32))
def test_memory_may_begin_anywhere(session, images, expected, offset):
    out = aligned(np.zeros((1, 10), np.float32), offset)
    outputs = session.run({"image": aligned(images[0], offset)}, out={"logits": out})
    assert outputs["logits"] is out
    np.testing.assert_array_equal(out, expected)


def test_arrays_may_lie_otherwise(session, images, expected):
    strided = np.zeros((1, 1, 8, 16), np.float32)[..., ::2]
    strided[...] = images[0]
    transposed = np.asfortranarray(images[0])
    assert not transposed.flags.c_contiguous and not strided.flags.c_contiguous
    read_only = images[0].copy()
    read_only.flags.writeable = False
    backwards = images[0][..., ::-1].copy()[..., ::-1]
    for array in (strided, transposed, read_only, backwards, memoryview(images[0].copy())):
        np.testing.assert_array_equal(session.run({"image": array})["logits"], expected)


def test_an_array_is_read_by_each_run(session, images, expected):
    array = aligned(images[1])
    first = session.run({"image": array})["logits"]
    array[...] = images[0]
    np.testing.assert_array_equal(session.run({"image": array})["logits"], expected)
    assert (first != expected).any()


@pytest.mark.parametrize(("array", "what"), [
    (np.zeros((1, 1, 8, 8)), ("input image dtype", "float64", "must be float32")),
    (np.zeros((1, 1, 8, 8), np.int8), ("input image dtype", "int8", "must be float32")),
    (np.zeros((1, 1, 8, 8), ">f4"), ("input image dtype", ">f", "must be float32")),
    (np.zeros((1, 1, 8, 8), np.float16), ("input image dtype", "e", "must be float32")),
    (np.zeros((1, 8, 8), np.float32), ("input image shape", "[1,8,8]", "must be [1,1,8,8]")),
    (np.zeros((2, 1, 8, 8), np.float32), ("input image shape", "[2,1,8,8]", "must be [1,1,8,8]")),
    (np.float32(1), ("input image shape", "[]", "must be [1,1,8,8]")),
    (np.array(["a"], object), ("input image dtype", "O", "must be float32")),
    (np.array(["2020-01-01"], "datetime64[D]"), ("input image", "ndarray", "must be an array of float32 [1,1,8,8]")),
    ([[1.0]], ("input image", "list", "must be an array of float32 [1,1,8,8]")),
    (None, ("input image", "NoneType", "must be an array of float32 [1,1,8,8]")),
])
def test_other_arrays_are_refused(session, array, what):
    with pytest.raises(vta.Error) as error:
        session.run({"image": array})
    assert parts(error) == what


@pytest.mark.parametrize(("inputs", "what"), [
    ({}, ("input image", "", "is missing")),
    ({"imag": 0}, ("input", "imag", "the model has image; did you mean image?")),
    ({"image": 0, 7: 0}, ("input", "7", "the model has image")),
])
def test_other_names_are_refused(session, inputs, what):
    with pytest.raises(vta.Error) as error:
        session.run(inputs)
    assert parts(error) == what


def test_outputs_that_cannot_be_written_are_refused(session, images):
    logits = np.zeros((1, 10), np.float32)
    logits.flags.writeable = False
    def refused(out):
        with pytest.raises(vta.Error) as error:
            session.run({"image": images[0]}, out=out)
        return parts(error)
    assert refused({"logits": logits}) == ("output logits", "ndarray", "is read-only")
    assert refused({"logits": np.zeros((1, 20), np.float32)[:, ::2]}) == ("output logits", "", "must lie in memory row by row")
    assert refused({"logits": np.zeros((10,), np.float32)}) == ("output logits shape", "[10]", "must be [1,10]")
    assert refused({"scores": logits}) == ("output", "scores", "the model has logits")
    image = images[0].copy()
    with pytest.raises(vta.Error) as error:
        session.run({"image": image}, out={"logits": image.reshape(-1)[:10].reshape(1, 10)})
    assert parts(error) == ("output logits", "", "shares memory with another array of the run")


def test_references_are_given_back(session, images):
    import sys
    array = images[0].copy()
    before = sys.getrefcount(array)
    for _ in range(100):
        session.run({"image": array})
        with pytest.raises(vta.Error):
            session.run({"image": array, "other": array})
    assert sys.getrefcount(array) == before
    array.resize((64,))  # which NumPy refuses while somebody has its memory
