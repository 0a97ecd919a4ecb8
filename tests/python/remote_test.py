"""A server's devices, from Python, on loopback."""

import os
import re
import subprocess

import numpy as np
import pytest
import vta

from conftest import refused

pytestmark = pytest.mark.skipif(
    subprocess.run([os.environ["VTA_TOOL"], "help", "serve"], capture_output=True).returncode != 0, reason="built without vta serve")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """HOST:PORT of a server with a cycle model and a CPU."""
    folder = tmp_path_factory.mktemp("server")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([os.environ["VTA_TOOL"], "serve", "--listen", "127.0.0.1:0", "--device", "cycle", "--device", "cpu"],
                                   cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            line = process.stdout.readline()
            where = re.search(r"127\.0\.0\.1:[0-9]+", line)
            assert where, (folder / "log").read_text()
            yield where[0]
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def test_runs_are_those_of_this_machine(server, package, images):
    with vta.Session(package, "cycle") as here:
        expected = here.run({"image": images[0]})["logits"]
        report = here.report
    with vta.Session(package, f"remote://{server}/cycle") as there:
        out = np.zeros((1, 10), np.float32)
        outputs = there.run({"image": images[0]}, out={"logits": out})
        assert outputs["logits"] is out
        np.testing.assert_array_equal(out, expected)
        assert there.report.total.cycles == report.total.cycles
        other = there.run({"image": images[1]})["logits"]
        assert (other != out).any()


def test_kernels_run_there(server, on_cpu, images):
    with vta.Session(on_cpu) as here, vta.Session(on_cpu, f"remote://{server}/cpu") as there:
        np.testing.assert_array_equal(here.run({"image": images[0]})["logits"], there.run({"image": images[0]})["logits"])


def test_devices_are_listed(server, package):
    state = vta.devices(server)
    assert {device.key for device in state.devices} >= {"cycle", "cpu"}
    assert all(device.state in ("free", "testing") for device in state.devices)
    assert state.protocol >= 1 and state.devices[0].device in str(state) and state.devices[0].device in state._repr_html_()
    with vta.Session(package, f"remote://{server}/cycle"):
        assert [device.state for device in vta.devices(server).devices if device.key == "cycle"] == ["leased"]
        with pytest.raises(vta.Error) as error:
            vta.Session(package, f"remote://{server}/cycle", wait=0.1)
        assert server in str(error.value)


def test_programs_run_there(server):
    program = vta.asm(".code\n finish")
    here, there = program.run("cycle"), program.run(f"remote://{server}/cycle")
    assert here.launches[0].cycles == there.launches[0].cycles


def test_servers_that_are_none_are_refused(server, package, tmp_path):
    assert refused(vta.devices, "nowhere")[1] == "nowhere"
    with pytest.raises(vta.Error, match=r"127\.0\.0\.1:1"):
        vta.devices("127.0.0.1:1")
    assert refused(vta.devices, server, credentials=tmp_path)
    assert refused(vta.Session, package, "remote://127.0.0.1:1")
    assert refused(vta.Session, package, f"remote://{server}/no-such-key")
    assert refused(vta.Session, package, "cycle", wait=-1)[0] == "wait"
