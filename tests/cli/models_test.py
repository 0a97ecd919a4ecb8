"""The cache of RTL models: what a build that is killed, fails, races or lacks its tools leaves and says.

Exit status 77 (skipped) where Verilator is not there.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import tool

# Quick to build; no network fits it, so streams run.
CONFIG = os.path.join(tool.SOURCE, "tests/rtl/configs/tiny_4x4.json")


class ModelCacheTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        for name, value in (("VTA_CACHE_DIR", self.path("cache")), ("PATH", self.path("bin") + ":" + os.environ["PATH"])):
            before = os.environ.get(name)
            os.environ[name] = value
            self.addCleanup(lambda n=name, b=before: os.environ.pop(n) if b is None else os.environ.update({n: b}))
        self.write("p.s", "finish\n")
        self.exec = ["exec", "p.s", "-c", CONFIG, "--engine", "rtl"]

    def wrap_verilator(self, script):
        """Puts a verilator in front of the real one, which $REAL names."""
        os.mkdir(self.path("bin"))
        self.write("bin/verilator", f"#!/bin/sh\nREAL={shutil.which('verilator', path='/usr/bin:/usr/local/bin')}\n{script}\n")
        os.chmod(self.path("bin/verilator"), 0o755)

    def models(self):
        return [name for name in os.listdir(self.path("cache")) if name.endswith(".so")]

    def test_killed_and_raced(self):
        # Two builds of one model at once, the first killed in its middle: the other one builds it, once.
        self.wrap_verilator(f'case "$*" in *--getenv*) ;; *) echo run >>{self.path("runs")}; sleep 2;; esac\nexec "$REAL" "$@"')
        first = subprocess.Popen([tool.TOOL, *self.exec], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists(self.path("runs")):
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        self.assertEqual(self.models(), [])
        others = [subprocess.Popen([tool.TOOL, *self.exec], cwd=self.folder, stdout=subprocess.PIPE, text=True)
                  for _ in range(2)]
        for other in others:
            self.assertTrue(other.communicate(timeout=600)[0].startswith("proved\nfinished\n"))
            self.assertEqual(other.returncode, 0)
        self.assertEqual(self.read("runs"), b"run\nrun\n")
        self.assertEqual(len(self.models()), 1)
        left = sorted(name.split(".")[-1] for name in os.listdir(self.path("cache")))
        self.assertEqual(left, ["lock", "log", "so"])
        self.check_damaged()

    def check_damaged(self):
        """A model that is not whole is built again, not loaded; here no build succeeds."""
        model = "cache/" + self.models()[0]
        whole = self.read(model)
        self.write("bin/verilator", "#!/bin/sh\nexit 1\n")
        for damaged in (b"", whole[:5000], whole[:-1], whole[:9000] + bytes([whole[9000] ^ 1]) + whole[9001:]):
            self.write(model, damaged)
            status, out, errors = self.run_tool(*self.exec)
            self.assertEqual((status, out), (1, "proved\n"))
            self.assertIn("vta: config tiny_4x4: Verilator model: the build failed", errors)
        self.write(model, whole)
        self.assertTrue(self.done(*self.exec).startswith("proved\nfinished\n"))

    def test_interrupted(self):
        # Of a group of processes, as a shell's; a build that takes long says so.
        self.wrap_verilator(f"touch {self.path('started')}; sleep 1000")
        build = self.start(*self.exec)
        self.assertRegex(build.stderr.readline(),
                         r"^vta: exec p.s: 10 s, building the Verilator model of config tiny_4x4, log .*/rtl-[0-9a-f]{16}.log\n$")
        self.assertTrue(os.path.exists(self.path("started")))
        build.send_signal(signal.SIGINT)
        self.assertEqual(build.communicate(timeout=60)[1], "vta: interrupted\n")
        self.assertEqual(build.returncode, -signal.SIGINT)
        self.assertEqual(sorted(name.split(".")[-1] for name in os.listdir(self.path("cache"))), ["lock", "log"])
        # Nobody is left who would hold the lock: the next build starts at once.
        self.write("bin/verilator", "#!/bin/sh\nexit 1\n")
        self.assertIn("the build failed", self.run_tool(*self.exec)[2])

    def test_waiting_for_another_build_can_be_interrupted_and_terminated(self):
        self.wrap_verilator(f"touch {self.path('started')}; sleep 1000")
        builds = [self.start(*self.exec) for _ in range(2)]
        while not os.path.exists(self.path("started")):
            time.sleep(0.05)
        for build in builds:
            build.terminate()
        for build in builds:
            build.communicate(timeout=60)
            self.assertEqual(build.returncode, -signal.SIGTERM)
        self.assertEqual([name for name in os.listdir(self.path("cache")) if "build" in name], [])

    def test_a_cache_that_cannot_hold_the_model(self):
        command = f"'{tool.TOOL}' " + " ".join(f"'{word}'" for word in self.exec)
        status, out, errors = self.run_shell("ulimit -f 100; exec " + command)
        self.assertEqual((status, out, errors),
                         (1, "proved\n", f"vta: {self.path('cache')}: Verilator model: cannot be built there: File too large\n"))
        self.assertEqual(self.models(), [])
        os.environ["VTA_CACHE_DIR"] = "/proc"
        status, _, errors = self.run_tool(*self.exec)
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"^vta: /proc/rtl-[0-9a-f]{16}\.lock: cannot open: No such file or directory\n$")

    def test_a_cache_that_make_cannot_name(self):
        os.environ["VTA_CACHE_DIR"] = self.path("a cache")
        status, _, errors = self.run_tool(*self.exec)
        self.assertEqual((status, errors), (1, f"vta: {self.path('a cache')}: Verilator model: cannot be built in a folder with a space in its "
                                               "name; VTA_CACHE_DIR may name another\n"))
        os.mkdir(self.path("a cache"))
        os.symlink("a cache", self.path("link"))
        os.environ["VTA_CACHE_DIR"] = self.path("link")
        self.assertEqual(self.run_tool(*self.exec)[2], errors)
        self.assertEqual(os.listdir(self.path("a cache")), [])
        os.symlink("round", self.path("round"))
        os.environ["VTA_CACHE_DIR"] = self.path("round")
        self.assertEqual(self.run_tool(*self.exec)[2], f"vta: {self.path('round')}: cannot be read: Too many levels of symbolic links\n")

    def test_a_cache_may_be_named_from_here(self):
        os.environ["VTA_CACHE_DIR"] = "cache"
        self.assertEqual(self.run_tool(*self.exec)[0], 0)
        self.assertEqual(len(self.models()), 1)

    def test_failed_build_shows_message_and_log(self):
        for folder in ("hw", "sim/rtl/model"):
            shutil.copytree(os.path.join(tool.SOURCE, folder), self.path("copy/" + folder))
        text = self.read("copy/hw/rtl/vta_alu.sv").decode()
        self.write("copy/hw/rtl/vta_alu.sv", text.replace("endmodule", "  assign = 1;\nendmodule"))
        os.environ["VTA_HOME"] = self.path("copy")
        self.addCleanup(os.environ.pop, "VTA_HOME")
        status, out, errors = self.run_tool(*self.exec)
        self.assertEqual((status, out), (1, "proved\n"))
        self.assertIn("vta: config tiny_4x4: Verilator model: the build failed; its log is ", errors)
        self.assertIn("vta_alu.sv:", errors)
        self.assertIn("syntax error", errors)
        log = errors[errors.index("its log is ") + 11:].split(":\n")[0]
        with open(log, encoding="utf-8") as file:
            self.assertIn("syntax error", file.read())
        self.assertEqual(self.models(), [])

    def test_killed_tool_is_named(self):
        self.wrap_verilator("kill -9 $$")
        status, _, errors = self.run_tool(*self.exec)
        self.assertEqual(status, 1)
        self.assertIn("the build failed; its log is ", errors)
        self.assertEqual(self.models(), [])

    def test_missing_tools(self):
        os.mkdir(self.path("few"))
        for name in ("sh", "env"):
            os.symlink(shutil.which(name), self.path("few/" + name))
        os.environ["PATH"] = self.path("few")
        os.makedirs(self.path("cache"))
        rule = "is not installed; on Debian: apt-get install verilator make g++"
        self.assertEqual(self.run_tool(*self.exec), (1, "proved\n", f"vta: engine rtl: verilator: {rule}\n"))
        os.symlink("/bin/true", self.path("few/verilator"))
        self.assertEqual(self.run_tool(*self.exec), (1, "proved\n", f"vta: engine rtl: make: {rule}\n"))
        self.assertEqual(self.models(), [])

    def test_refused_before_verilator_starts(self):
        self.wrap_verilator(f"touch {self.path('started')}; exit 1")
        cases = [
            ({"block_in": 8, "block_out": 8}, {"bus_bits": 512},
             "uarch.bus_bits = 512: a beat of 64 bytes is wider than an input element of 8"),
            ({"batch": 1, "block_in": 4, "block_out": 16}, {"bus_bits": 64},
             "uarch.bus_bits = 64: a beat of 8 bytes is wider than an input element of 4"),
            ({"batch": 1, "block_in": 16, "block_out": 4}, {"bus_bits": 64},
             "uarch.bus_bits = 64: a beat of 8 bytes is wider than an output element of 4"),
            ({"block_in": 24}, {}, "arch.block_in = 24: must be a power of two in [4, 64]"),
            ({"acc_depth": 4096}, {}, "arch.acc_depth = 4096: must be a power of two in [4, 2048]"),
        ]
        for arch, uarch, rule in cases:
            self.write("bad.json", json.dumps({"name": "bad", "isa": "1.0", "arch": arch, "uarch": uarch}))
            for words in (["hw", "lint", "-c", "./bad.json"],
                          ["run", os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx"), "-c", "./bad.json", "--engine", "rtl"],
                          ["exec", "p.s", "-c", "./bad.json", "--engine", "rtl"]):
                status, out, errors = self.run_tool(*words)
                self.assertEqual((status, out), (1, ""), words)
                self.assertTrue(errors.endswith(f"{rule}\n"), errors)
        self.assertFalse(os.path.exists(self.path("started")))


if not shutil.which("verilator"):
    print("skipped: no verilator")
    sys.exit(77)
tool.main()
