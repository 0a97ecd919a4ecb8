"""Which devices are here."""

import ctypes
import os


def has_driver():
    try:
        return bool(ctypes.CDLL("libcuda.so.1"))
    except OSError:
        return False


def has_opencl_device():
    try:
        library = ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return False
    count = ctypes.c_uint(0)
    return library.clGetPlatformIDs(0, None, ctypes.byref(count)) == 0 and count.value > 0


def set_variable(test, name, value):
    """For one test."""
    before = os.environ.get(name)
    test.addCleanup(os.environ.pop, name) if before is None else test.addCleanup(os.environ.__setitem__, name, before)
    os.environ[name] = value


def keep_cache_of_opencl(test):
    """What drivers compile lies in the test's folder."""
    set_variable(test, "POCL_CACHE_DIR", test.path("pocl"))
