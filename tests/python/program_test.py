"""Programs of instructions from Python: what the tool's asm, dis, check and exec do with the same text."""

import json
import re

import numpy as np
import pytest
import vta

from conftest import refused

ADD = """
.code
        load.uop   dram=kernel x=1
        load.acc   dram=input x=16 stride=16
        alu.add    uop=0:1 in=16 dst=0,1 imm=5 push_next
        store.out  dram=output x=16 stride=16 pop_prev push_prev
        finish     pop_next
.uop
kernel: dst=0
.data
input:  .int 1*128 -1*128
.data
output: .space 256
"""


@pytest.fixture(scope="module")
def program():
    return vta.asm(ADD)


@pytest.mark.parametrize("engine", ["functional", "cycle"])
def test_a_program_runs(program, engine, tool, tmp_path):
    values = np.random.default_rng(1).integers(-100, 100, (16, 16), np.int32)
    run = program.run(engine, {"input": values})
    assert run.finished
    np.testing.assert_array_equal(run.read("output", np.int8, (16, 16)), (values + 5).astype(np.int8))
    program.save(tmp_path / "p.img")
    (_, address, count), = program.instructions
    out = tool("exec", "p.img", "--insn", address, "--count", count, "--engine", engine, "--json")
    theirs = json.loads(out)["programs"][0]
    assert run.launches[0].cycles == theirs.get("cycles")
    assert {**run.launches[0].document, "proof": theirs["proof"]} == theirs
    assert (run.launches[0].cycles is None) == (engine == "functional")


def test_memory_is_given_by_labels_and_addresses(program):
    ones = np.ones(256, np.int32)
    by_label, by_address = program.run(memory={"input": ones}), program.run(memory={program.labels["input"]: ones.tobytes()})
    assert by_label.memory == by_address.memory
    assert by_label.read(program.labels["output"], np.int8, 256).tolist() == [6] * 256
    # what the text says, where nobody says otherwise
    assert program.run().read("output", "int8", 256).tolist() == [6] * 128 + [4] * 128
    assert program.image[program.labels["input"]:][:4] == b"\x01\0\0\0"


def test_texts_and_files_are_the_tools(program, tool, tmp_path):
    (tmp_path / "p.s").write_text(ADD)
    tool("asm", "p.s", "-o", "theirs.img")
    program.save(tmp_path / "ours.img")
    assert (tmp_path / "ours.img").read_bytes() == (tmp_path / "theirs.img").read_bytes()
    assert program.disassemble() == tool("dis", "p.s")
    assert program.disassemble(number=True) == tool("dis", "p.s", "--number")
    (check,) = program.check()
    def without_times(text):
        return re.sub(r"[0-9.]+ ms", "", text)
    assert check.ok and without_times(check.text) == without_times(tool("check", "p.s"))
    assert program.check(published=True)[0].published
    (_, address, count), = program.instructions
    image = vta.Program.load(tmp_path / "ours.img", insn=address, count=count)
    assert image.run().memory == program.run().memory
    assert vta.Program.load(tmp_path / "p.s").labels == program.labels


def test_packages_are_programs(package, tmp_path):
    package.save(tmp_path / "p.vta")
    program = vta.Program.load(tmp_path / "p.vta")
    assert program.disassemble() == package.disassemble()
    assert len(program.check()) == len(package.check())
    text = vta.asm(program.disassemble())
    text.save(tmp_path / "again.vta")
    assert (tmp_path / "again.vta").read_bytes() == (tmp_path / "p.vta").read_bytes()
    runs = program.run("cycle")
    assert runs.finished and [run.program for run in runs.launches]
    assert len(program.run("functional", apart=True).launches) == len(program.instructions)


def test_configs_are_named_or_given():
    config = vta.load_config("small_8x8")
    assert vta.asm(ADD, "small_8x8").config["name"] == vta.asm(ADD, config).config["name"] == "small_8x8"
    assert vta.asm(".config small_8x8\n.code\nfinish").config["name"] == "small_8x8"


def test_what_is_wrong_is_refused(program, tmp_path):
    with pytest.raises(vta.Error, match="mine:2: "):
        vta.asm(".code\n add x", name="mine")
    with pytest.raises(vta.Error, match="holds no program"):
        vta.asm("")
    assert refused(vta.asm, ADD, "defualt") == ("config", "defualt")
    assert refused(vta.asm, ".config small_8x8\n.code\nfinish", "pynq") == ("config", "pynq")
    # a wait that nobody ends
    deadlock = vta.asm(".code\n finish pop_next")
    assert not deadlock.check()[0].ok
    with pytest.raises(vta.Error, match="nothing was run"):
        deadlock.run("cycle")
    run = deadlock.run("cycle", unproved=True)
    assert not run.finished and run.launches[0].outcome != "finished"
    assert refused(program.run, "cycl") == ("engine", "cycl")
    assert refused(program.run, memory={"input": np.array([None, 1])})[0] == "memory input"
    for shape in (-4, (-1,), (2**32, 2**32)):
        assert refused(program.run().read, "input", np.int8, shape)[0] == "memory input"
    for memory in ({"nothing": b"1"}, {1 << 40: b"1"}, {-1: b"1"}, {"output": bytes(1 << 20)}, {"input": 3}, {1.5: b"1"}):
        assert refused(program.run, memory=memory)[0].startswith("memory ")
    assert refused(program.run().read, "outptu", np.int8, 4)[0] == "memory outptu"
    assert refused(program.run().read, "output", np.int8, 1 << 20)
    assert refused(program.run, apart=True)[0] == "apart"
    assert refused(vta.Program.load, tmp_path / "no.s")
    program.save(tmp_path / "p.img")
    assert refused(vta.Program.load, tmp_path / "p.img")
    assert refused(vta.Program.load, tmp_path / "p.img", insn=0, count=1 << 29)[0] == "count"
