"""Ctrl-C, and whatever else a signal's handler raises, ends what runs."""

import json
import re
import signal
import threading
import time

import numpy as np
import pytest
import vta

SOON_S = 20  # of what would take minutes, on a busy machine


def slowed(package, path, count):
    """The same network, whose last layer computes its first product so many times more, each 262,128 times over."""
    lines = package.disassemble().splitlines()
    described = [i for i, line in enumerate(lines) if line.startswith("| ")]
    document = json.loads("\n".join(lines[i][2:] for i in described))
    document["programs"][-1]["count"] += count
    layer = max(i for i, line in enumerate(lines) if re.fullmatch(r"\w+:", line))
    gemm = next(i for i in range(layer, len(lines)) if lines[i].startswith("gemm"))
    again = re.sub(r" (pop|push)_\w+", "", lines[gemm]).replace("out=1 in=1 ", "out=16383 in=16 ")
    lines[gemm:gemm + 1] = [re.sub(r" push_\w+", "", lines[gemm]), *[again] * (count - 1), re.sub(r" pop_\w+", "", lines[gemm])]
    lines[described[0]:described[-1] + 1] = ["| " + line for line in json.dumps(document, indent=2).splitlines()]
    vta.asm("\n".join(lines) + "\n").save(path)
    return vta.Package.load(path)


@pytest.fixture(scope="module")
def quick_and_slow(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("slowed")
    return slowed(package, folder / "quick.vta", 60), slowed(package, folder / "slow.vta", 30000)


@pytest.fixture
def alarm(monkeypatch):
    """Raises Ctrl-C in so many seconds, as often as it is called."""
    def ring(after):
        signal.setitimer(signal.ITIMER_REAL, after)
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    own = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield ring
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    signal.signal(signal.SIGINT, own)


def interrupted(call):
    """How long it took to end."""
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        call()
    return time.monotonic() - start


@pytest.mark.parametrize("engine", ("cycle", "functional"))
def test_a_run_is_interrupted_and_the_session_runs_again(quick_and_slow, images, engine, alarm):
    quick, slow = quick_and_slow
    image = {"image": images[0]}
    with vta.Session(slow, engine) as session:
        for profile in (True, False):
            alarm(0.3)
            assert 0.2 < interrupted(lambda profile=profile: session.run(image, profile=profile)) < SOON_S
            with pytest.raises(vta.Error, match="the time for the run ended"):
                session.run(image, limit_s=0.2)
        assert not session.closed
    with vta.Session(quick, engine) as session:
        expected = session.run(image)["logits"]
        alarm(0.05)
        assert interrupted(lambda: session.run(image)) < SOON_S
        np.testing.assert_array_equal(session.run(image)["logits"], expected)


def test_a_handler_that_raises_nothing_ends_nothing(package, images):
    heard = []
    before = signal.signal(signal.SIGALRM, lambda *_: heard.append(session.closed))
    try:
        with vta.Session(package, "cycle") as session:
            signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                session.run({"image": images[0]})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(heard) > 5


def test_a_handler_does_not_use_the_session_that_it_interrupts(quick_and_slow, images):
    session = vta.Session(quick_and_slow[1])
    before = signal.signal(signal.SIGALRM, lambda *_: session.close())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(vta.Error) as error:
            session.run({"image": images[0]})
    finally:
        signal.signal(signal.SIGALRM, before)
    assert error.value.rule == "is running: a signal's handler cannot use it"
    session.close()


def test_who_waits_for_anothers_run_is_interrupted(quick_and_slow, images, alarm):
    session = vta.Session(quick_and_slow[1])
    failed = []
    def work():
        try:
            session.run({"image": images[0]}, limit_s=2)
        except vta.Error as error:
            failed.append(error.rule)
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.2)
    for call in (lambda: session.run({"image": images[0]}), session.close):
        alarm(0.2)
        assert interrupted(call) < 1
    thread.join()
    assert failed == ["was stopped: the time for the run ended"]
    session.close()


def test_a_pool_is_interrupted(quick_and_slow, images, alarm):
    with vta.SessionPool(quick_and_slow[1], 2) as pool:
        alarm(0.5)
        assert interrupted(lambda: pool.map([{"image": images[0]}] * 8)) < SOON_S
        for session in pool._sessions:  # which are as before
            with pytest.raises(vta.Error, match="the time for the run ended"):
                session.run({"image": images[0]}, limit_s=0.1)


def test_a_program_is_interrupted(alarm):
    again = " gemm uop=0:1 out=16383 in=16 dst=0,0 src=0,0 wgt=0,0 overwrite\n" * 20000
    program = vta.asm(f"""
.code
 load.uop dram=kernel x=1
 load.wgt dram=zero x=1
 load.inp dram=zero x=1 push_next
 gemm uop=0:1 out=1 in=1 dst=0,0 src=0,0 wgt=0,0 pop_prev overwrite
{again} finish
.uop
kernel: dst=0 src=0 wgt=0
.data
zero: .space 256
""")
    alarm(0.5)
    assert interrupted(lambda: program.run("cycle")) < SOON_S
