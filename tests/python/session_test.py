"""Sessions: threads, pools, the end of them, forks, and what is left behind."""

import gc
import os
import resource
import sys
import threading
import time

import numpy as np
import pytest
import vta

from conftest import parts


def in_threads(count, work):
    """Runs it in so many threads; the first exception is raised."""
    failed = []
    def guarded(index):
        try:
            work(index)
        except BaseException as error:
            failed.append(error)
    threads = [threading.Thread(target=guarded, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_threads_share_a_session(package, images):
    session = vta.Session(package, threads=2)
    expected = [session.run({"image": image})["logits"] for image in images[:8]]
    def work(index):
        for _ in range(50):
            np.testing.assert_array_equal(session.run({"image": images[index]})["logits"], expected[index])
    in_threads(8, work)


def test_a_pool_runs_in_parallel(package, images):
    with vta.Session(package) as session:
        expected = [session.run({"image": image})["logits"] for image in images[:40]]
    with vta.SessionPool(package, 3) as pool:
        for one, other in zip(pool.map({"image": image} for image in images[:40]), expected, strict=True):
            np.testing.assert_array_equal(one["logits"], other)
        with pytest.raises(vta.Error) as error:
            pool.map([{"image": images[0]}, {"image": 0}])
        assert error.value.subject == "input image"
        taken = []
        with pytest.raises(vta.Error):
            pool.map(taken.append(i) or {"image": 0} for i in range(100_000))
        assert len(taken) < 100
        np.testing.assert_array_equal(pool.run({"image": images[0]})["logits"], expected[0])
    for count in 0, -1, 1 << 70:
        with pytest.raises(vta.Error) as error:
            vta.SessionPool(package, count)
        assert parts(error) == ("sessions", str(count), "must be 1 to 1024")
    with pytest.raises(TypeError):
        vta.SessionPool(package, 1.5)


def test_errors_cross_threads(package):
    session = vta.Session(package)
    def work(_):
        for _ in range(50):
            with pytest.raises(vta.Error):
                session.run({"image": np.zeros(3)})
    in_threads(4, work)


def test_the_interpreter_runs_on(package, images):
    """Nobody takes the lock from who runs Python for so long: a run gives it back by itself."""
    session = vta.Session(package, "cycle")
    other_runs, seen = threading.Event(), []
    def work():
        end = time.monotonic() + 5
        while not other_runs.is_set() and time.monotonic() < end:
            session.run({"image": images[0]})
        seen.append(other_runs.is_set())
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        other_runs.set()
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert seen == [True]


def test_a_closed_session_is_refused(package, images):
    session = vta.Session(package)
    assert not session.closed
    session.close()
    session.close()
    assert session.closed and "closed" in repr(session)
    for call in (lambda: session.run({"image": images[0]}), lambda: session.report):
        with pytest.raises(vta.Error) as error:
            call()
        assert parts(error) == ("session", "", "is closed")
    with pytest.raises(vta.Error), vta.Session(package) as other:
        other.close()
        other.run({"image": images[0]})


def test_close_waits_for_what_runs(package, images):
    session = vta.Session(package)
    outcomes = []
    def work(index):
        if index == 0:
            time.sleep(0.02)
            session.close()
            return
        try:
            for _ in range(100000):
                session.run({"image": images[0]})
        except vta.Error as error:
            outcomes.append(error.rule)
    in_threads(4, work)
    assert outcomes == ["is closed"] * 3


def test_the_last_reference_goes_while_it_runs(package, images):
    for _ in range(20):
        session = vta.Session(package)
        threads = [threading.Thread(target=session.run, args=({"image": images[0]},)) for _ in range(2)]
        for thread in threads:
            thread.start()
        del session
        for thread in threads:
            thread.join()


def in_fork(work):
    """The exit status of a forked process that does it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = work()
        finally:
            os._exit(status)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.1)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hangs"


def test_a_fork_makes_sessions_of_its_own(on_cpu, images):
    session = vta.Session(on_cpu, threads=2)
    expected = session.run({"image": images[0]})["logits"]
    def work():
        rules = []
        for call in (lambda: session.run({"image": images[0]}), session.close, lambda: session.report):
            try:
                call()
            except vta.Error as error:
                rules.append(error.rule)
        if rules != ["is of the process that this one was forked from: make one here"] * 3:
            return 2
        own = vta.Session(on_cpu, threads=2)
        return 0 if (own.run({"image": images[0]})["logits"] == expected).all() else 3
    assert in_fork(work) == 0
    def drop():
        nonlocal session
        session = None
        gc.collect()
        return 0
    assert in_fork(drop) == 0
    np.testing.assert_array_equal(session.run({"image": images[0]})["logits"], expected)


def test_a_run_is_stopped(package, images):
    session = vta.Session(package)
    with pytest.raises(vta.Error) as error:
        session.run({"image": images[0]}, limit_s=1e-9)
    assert error.value.rule == "was stopped: the time for the run ended"
    session.run({"image": images[0]}, limit_s=100)
    session.run({"image": images[0]})
    for limit in (0, -1, float("nan"), 1e10):
        with pytest.raises(vta.Error) as error:
            session.run({"image": images[0]}, limit_s=limit)
        assert error.value.subject == "limit_s"


def resident_kb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def test_sessions_leave_nothing(on_cpu, images):
    """Also what failed: after the first hundred the process does not grow."""
    count = 10000 if os.environ.get("VTA_TEST_WHOLE") == "1" else 1000
    def some(times):
        for _ in range(times):
            session = vta.Session(on_cpu, threads=1)
            session.run({"image": images[0]})
            with pytest.raises(vta.Error):
                session.run({"image": images[0], "other": 1})
            with pytest.raises(vta.Error):
                vta.Session(on_cpu, "no engine")
    some(100)
    gc.collect()
    before, files = resident_kb(), len(os.listdir("/proc/self/fd"))
    some(count)
    gc.collect()
    assert resident_kb() - before < 2000  # a session of the demo has more than 64 kB, so 64 MB
    assert len(os.listdir("/proc/self/fd")) == files
