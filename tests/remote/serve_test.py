"""Devices that vta serve gives to others on loopback: results as here, and what becomes of clients and servers that end.

usage: serve_test.py TOOL SOURCE_FOLDER OTHER_CLOCK
"""

import ctypes
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(sys.argv[2], "tests/cli"))

import hostile  # noqa: E402
import tool  # noqa: E402

OTHER_CLOCK = sys.argv[3]
DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
PATIENCE = 60  # seconds in which a step of a test must have happened


def heed_signals():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class ServeTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.write("image.bin", struct.pack("<64f", *(pixel % 17 / 16 for pixel in range(64))))

    def serve(self, *arguments, **environment):
        """Starts a server at a free port; its process and HOST:PORT."""
        log = open(self.path("serve.log"), "a")
        self.addCleanup(log.close)
        server = subprocess.Popen([tool.TOOL, "serve", "--listen", "127.0.0.1:0", *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=log, text=True, preexec_fn=heed_signals, env=os.environ | environment)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        line = server.stdout.readline()
        self.assertRegex(line, r"^serves \S+ as remote://127\.0\.0\.1:[0-9]+/\S+\n\Z", self.read("serve.log"))
        return server, re.search(r"127\.0\.0\.1:[0-9]+", line)[0]

    def devices(self, where, *arguments):
        return json.loads(self.done("devices", where, "--json", *arguments))["devices"]

    def wait_for(self, where, good):
        """The first device, once that is true of it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            device = self.devices(where)[0]
            if good(device):
                return device
        self.fail(device)

    def compiled(self, name, *arguments):
        status, _, errors = self.run_tool("compile", DIGITS, "-o", name, *arguments)
        self.assertEqual(status, 0, errors)
        return name

    def run_to(self, prefix, engine, package, *arguments):
        """Outputs and the report of a run."""
        status, out, errors = self.run_tool("run", package, "--engine", engine, "--input", "image.bin", "--output", f"{prefix}.bin",
                                            "--report", f"{prefix}.json", *arguments)
        self.assertEqual((status, errors), (0, ""), out)
        return self.read(f"{prefix}.bin"), json.loads(self.read(f"{prefix}.json"))

    def test_runs_are_those_of_this_machine(self):
        package = self.compiled("digits.vta")
        _, where = self.serve("--device", "cycle")
        outputs, report = self.run_to("here", "cycle", package)
        for engine in (f"remote://{where}", f"remote://{where}/cycle"):
            theirs, their_report = self.run_to("there", engine, package)
            self.assertEqual(theirs, outputs)
            for key in ("cycles", "timing_hash", "config", "memory"):
                self.assertEqual(their_report.get(key), report.get(key), key)
            self.assertEqual([layer.get("cycles") for layer in their_report["layers"]], [layer.get("cycles") for layer in report["layers"]])
        # A model is compiled here and runs there; times are taken there.
        out = self.done("run", DIGITS, "--engine", f"remote://{where}", "--input", "image.bin", "--time", "number=2,repeat=3")
        self.assertRegex(out, r"(?m)^time: .* of 3 measurements of 2 runs$")
        self.assertEqual(self.done("run", "--self-test", "--engine", f"remote://{where}"),
                         self.done("run", "--self-test", "--engine", "cycle").replace("on cycle", f"on remote://{where}"))
        bisected = self.done("run", package, "--bisect", "--input", "image.bin", "--engine", f"remote://{where}")
        self.assertEqual(bisected, self.done("run", package, "--bisect", "--input", "image.bin", "--engine", "cycle").replace("cycle", f"remote://{where}"))

    def test_what_is_not_said_is_what_the_server_has(self):
        _, where = self.serve("--device", "cycle", "-c", "small_8x8")
        given = ("--engine", f"remote://{where}", "--input", "image.bin")
        self.assertRegex(self.done("run", DIGITS, *given), r"\Acompiled \S+ for small_8x8 in ")
        self.assertEqual(self.done("run", "--self-test", "--engine", f"remote://{where}"),
                         self.done("run", "--self-test", "--engine", "cycle", "-c", "small_8x8").replace("on cycle", f"on remote://{where}"))
        status, _, errors = self.run_tool("run", DIGITS, *given, "-c", "default")
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf"^vta: remote://{where}: device: .*small_8x8.*\n\Z")
        _, where = self.serve("--device", "cpu")
        self.assertRegex(self.done("run", DIGITS, "--engine", f"remote://{where}", "--input", "image.bin"), r"\Acompiled \S+ for the CPU in ")

    def test_several_samples_are_in_flight(self):
        _, where = self.serve("--device", "functional")
        self.write("images.bin", self.read("image.bin") * 3)
        out = self.done("run", self.compiled("digits.vta"), "--engine", f"remote://{where}", "--input", "images.bin", "--in-flight", "4", "--repeat", "5")
        self.assertRegex(out, r"(?s)throughput: [0-9.]+ inferences/s with 4 in flight\n  measured in 15 runs: ")
        self.assertEqual([one["leases"] for one in self.devices(where)], [1])

    def test_candidates_cost_there_what_the_cycle_model_says(self):
        _, where = self.serve("--device", "cycle", "--device", "functional", "--key", "any")
        given = ("tune", DIGITS, "--trials", "8", "--log")
        self.assertEqual(self.run_tool(*given, "here.jsonl")[0], 0)
        status, out, errors = self.run_tool(*given, "there.jsonl", "--measure", f"remote://{where}/any")
        self.assertEqual(status, 0, errors)
        tool.same_costs(self, "here.jsonl", "there.jsonl")
        self.refuses(f"--measure: remote://{where}: is of the accelerator's programs: --target vta, or vta,cpu",
                     "tune", DIGITS, "--target", "cpu", "--log", "cpu.jsonl", "--measure", f"remote://{where}")

    def test_programs_in_c_have_sessions_there(self):
        package = self.compiled("digits.vta", "--cpu", "cortex-a9,native")
        image = self.read("image.bin")
        wanted, _ = self.run_to("here", "cycle", package)
        _, where = self.serve("--device", "cycle")
        library = ctypes.CDLL(os.path.join(os.path.dirname(tool.TOOL), "../runtime/libvta_runtime.so"))
        error, model, session = ctypes.create_string_buffer(4096), ctypes.c_void_p(), ctypes.c_void_p()

        def call(name, *arguments):
            return getattr(library, name)(*arguments, error), error.value.decode()
        path, out = self.path(package).encode(), ctypes.create_string_buffer(len(wanted))
        for load in "vta_model_load", "vta_model_load_for_server":
            self.assertEqual(call(load, path, ctypes.byref(model)), (0, ""))
            self.assertEqual(call("vta_session_create", model, f"remote://{where}".encode(), ctypes.c_int64(0), ctypes.byref(session)), (0, ""))
            for _ in range(2):
                self.assertEqual(call("vta_set_input", session, ctypes.c_size_t(0), image, ctypes.c_size_t(len(image)))[0], 0)
                self.assertEqual(call("vta_run", session), (0, ""))
                self.assertEqual(call("vta_get_output", session, ctypes.c_size_t(0), out, ctypes.c_size_t(len(wanted)))[0], 0)
                self.assertEqual(out.raw, wanted)
            library.vta_session_free(session)
            library.vta_model_free(model)
        self.wait_for(where, lambda device: device["state"] == "free" and device["leases"] == 2)
        self.write("arm.vta", self.read(self.compiled("arm.vta", "--cpu", "cortex-a9")))
        status, message = call("vta_model_load", self.path("arm.vta").encode(), ctypes.byref(model))
        self.assertNotEqual(status, 0)
        self.assertEqual(call("vta_model_load_for_server", self.path("arm.vta").encode(), ctypes.byref(model))[0], 0)
        status, message = call("vta_session_create", model, f"remote://{where}".encode(), ctypes.c_int64(0), ctypes.byref(session))
        self.assertEqual(status, 1, message)
        self.assertIn(f"remote://{where}: {self.path('arm.vta')}: modules = ", message)
        self.assertEqual(call("vta_session_create", model, b"remote://x", ctypes.c_int64(0), ctypes.byref(session))[0], 2)
        library.vta_model_free(model)

    def test_raw_programs_leave_the_memory_that_they_leave_here(self):
        self.write("gemm.s", tool.GEMM)
        self.done("asm", "gemm.s", "-o", "gemm.img")
        _, where = self.serve("--device", "cycle")
        words = re.search(r"--insn \S+ --count \S+", self.run_tool("asm", "gemm.s", "-o", "gemm.img")[1])
        words = words[0].split() if words else ["--insn", "0x1000", "--count", "7"]
        said = [self.done("exec", "gemm.img", *words, "-c", "default", "--engine", engine, "-o", image)
                for engine, image in (("cycle", "here.img"), (f"remote://{where}", "there.img"))]
        self.assertEqual(*said)
        self.assertEqual(self.read("here.img"), self.read("there.img"))

    def test_kernels_alone_run_on_a_cpu_and_programs_do_not(self):
        _, where = self.serve("--device", "cpu")
        self.run_to("there", f"remote://{where}/cpu", self.compiled("cpu.vta", "--target", "cpu"))
        self.fails(f"remote://{where}: device = cpu: has no accelerator for programs of default",
                   "run", self.compiled("vta.vta"), "--engine", f"remote://{where}", "--input", "image.bin")

    def test_a_config_of_the_server_is_held_against_the_package(self):
        _, where = self.serve("--device", "functional", "-c", "small_8x8")
        status, _, errors = self.run_tool("run", self.compiled("digits.vta"), "--engine", f"remote://{where}", "--input", "image.bin")
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf"^vta: remote://{where}: device: .*small_8x8.*\n\Z")

    def test_kernels_are_guests_whose_end_is_that_of_their_lease(self):
        package = self.compiled("good.vta", "--target", "cpu")
        _, where = self.serve("--device", "cpu", "--kernel-limit", "0.5")
        for name, code, says in (("loop.vta", hostile.LOOP, "its limit, 0.5 s, ended"), ("null.vta", hostile.NULL, "SIGSEGV"),
                                 ("fork.vta", hostile.system_call(57), "")):
            self.write(name, hostile.package(self.read(package), code))
            status, _, errors = self.run_tool("run", name, "--engine", f"remote://{where}", "--input", "image.bin")
            self.assertEqual(status, 1, name)
            self.assertRegex(errors, rf"^vta: remote://{where}: {name}: step .*{re.escape(says)}.*\n\Z")
        self.run_to("there", f"remote://{where}", package)
        _, where = self.serve("--device", "cpu", "--native", "refuse")
        self.fails(f"remote://{where}: good.vta: modules = 1: native code is refused here",
                   "run", package, "--engine", f"remote://{where}", "--input", "image.bin")

    def holder(self, where):
        """A client in the middle of a long run, which has the device."""
        client = self.start("run", self.compiled("digits.vta"), "--engine", f"remote://{where}", "--input", "image.bin", "--repeat", "1000000000")
        self.addCleanup(client.stderr.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        self.wait_for(where, lambda device: device["state"] == "leased")
        return client

    def children(self, server):
        """All processes below a server, but for the one that others come from and those that no lease has had."""
        found = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,comm="], capture_output=True, text=True).stdout.split("\n")
        parents = {int(line.split()[0]): int(line.split()[1]) for line in found if line and not line.endswith(" vta-lease-next")}
        spawner = [pid for pid, parent in parents.items() if parent == server.pid]
        return [pid for pid, parent in parents.items() if parent in spawner]

    def works(self, server):
        """Waits until there is a process of a lease."""
        end = time.monotonic() + PATIENCE
        while not self.children(server):
            self.assertLess(time.monotonic(), end)

    def test_the_device_of_a_client_that_dies_goes_to_the_next_one(self):
        server, where = self.serve("--device", "cycle")
        client = self.holder(where)
        self.works(server)
        client.kill()
        start = time.monotonic()
        self.run_to("next", f"remote://{where}", "digits.vta")
        self.wait_for(where, lambda device: device["state"] == "free" and device["fence"] == 2)
        self.assertEqual(self.children(server), [])

    def test_the_device_of_a_client_that_is_frozen_goes_to_the_next_one(self):
        server, where = self.serve("--device", "cycle")
        client = self.holder(where)
        self.works(server)
        client.send_signal(signal.SIGSTOP)
        self.run_to("next", f"remote://{where}", "digits.vta")
        device = self.wait_for(where, lambda device: device["state"] == "free" and device["fence"] == 2)
        self.assertLess(device["revoked_after_s"], 1.5)  # of a machine that does other things too; 1 is what it is to be
        self.assertEqual(self.children(server), [])
        client.send_signal(signal.SIGCONT)
        self.assertRegex(client.stderr.read(), rf"vta: remote://{where}: lease 1 (was revoked: no beat came for 1 s|.*)\n\Z")
        self.assertEqual(client.wait(), 1)

    def test_a_server_that_dies_is_named_and_so_is_one_that_is_none(self):
        server, where = self.serve("--device", "cycle")
        client = self.holder(where)
        server.kill()
        self.assertRegex(client.stderr.read(), rf"vta: remote://{where}: .+\n\Z")
        self.assertEqual(client.wait(), 1)
        status, _, errors = self.run_tool("devices", where)
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf"^vta: remote://{where}: cannot be reached: .*refused.*\n\Z")
        with socket.create_server(("127.0.0.1", 0)) as listener:  # it never says a word
            silent = f"127.0.0.1:{listener.getsockname()[1]}"
            start = time.monotonic()
            status, _, errors = self.run_tool("devices", silent)
            self.assertEqual(status, 1)
            self.assertRegex(errors, rf"^vta: remote://{silent}: (did not answer within 5 s: it may be no vta server|cannot be reached: .*)\n\Z")
            self.assertLess(time.monotonic() - start, 15)

    def test_who_waits_in_vain_is_told_who_has_it(self):
        _, where = self.serve("--device", "cycle", "--key", "board")
        client = self.holder(where)
        status, _, errors = self.run_tool("run", "digits.vta", "--engine", f"remote://{where}/board", "--wait", "0.2")
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf"vta: remote://{where}/board: key = board: no device was free within 0.2 s: cycle is leased to .* process {client.pid} at ")
        status, _, errors = self.run_tool("run", "digits.vta", "--engine", f"remote://{where}/ultra96", "--input", "image.bin")
        self.assertEqual((status, errors), (1, f"vta: remote://{where}/ultra96: key = ultra96: is not served there; what is served: board\n"))

    def test_what_is_listed(self):
        _, where = self.serve("--device", "cycle", "--cache", "10M")
        said = self.document("vta-devices", self.done("devices", where, "--json"))
        self.assertEqual([(one["device"], one["key"], one["state"], one["leases"]) for one in said["devices"]], [("cycle", "cycle", "free", 0)])
        self.assertEqual(said["cache"], {"packages": 0, "bytes": 0, "limit_bytes": 10_000_000 if said["cache"]["limit_bytes"] == 10_000_000 else 10 << 20})
        self.assertRegex(self.done("devices", where), rf"(?m)^cycle +cycle +free .*\n(.*\n)*{where}: vta .*, protocol 1; a lease ends 1 s after its last beat; ")

    def test_credentials(self):
        self.assertEqual(self.done("serve", "--make-credentials", "c"), "c: server/ is for vta serve --credentials, client/ for who uses it\n")
        self.done("serve", "--make-credentials", "other")
        self.done("serve", "--make-credentials", "old", "--days", "0")
        self.fails("c: holds something: credentials go into a folder of their own", "serve", "--make-credentials", "c")
        self.assertEqual({oct(os.stat(self.path(f"c/{side}/{file}")).st_mode & 0o777) for side in ("server", "client")
                          for file in ("token", "key.pem", "ca.pem", "certificate.pem")}, {"0o600"})
        server, where = self.serve("--device", "cycle", "--credentials", "c/server")
        good = ("--credentials", "c/client")
        self.assertEqual(self.devices(where, *good)[0]["state"], "free")
        self.run_to("there", f"remote://{where}", self.compiled("digits.vta"), *good)
        os.environ["VTA_CREDENTIALS"] = "c/client"
        self.addCleanup(os.environ.pop, "VTA_CREDENTIALS", None)
        self.assertEqual(self.devices(where)[0]["leases"], 1)
        del os.environ["VTA_CREDENTIALS"]
        refused = rf"^vta: remote://{where}: .+\n\Z"
        for wrong in ((), ("--credentials", "other/client"), ("--credentials", "old/client")):
            status, out, errors = self.run_tool("devices", where, *wrong)
            self.assertEqual((status, out), (1, ""), wrong)
            self.assertRegex(errors, refused)
        # An authority, but no certificate of its own; a certificate, but not the token.
        for name, without in (("anonymous", "certificate.pem"), ("silent", "token")):
            os.mkdir(self.path(name))
            for file in ("token", "ca.pem", "certificate.pem", "key.pem"):
                if file != without and (file, without) != ("key.pem", "certificate.pem"):
                    self.write(f"{name}/{file}", self.read(f"c/client/{file}"))
            self.assertEqual(self.run_tool("devices", where, "--credentials", name)[0], 1)
        token = self.read("c/server/token").decode().strip()
        self.assertEqual(len(token), 64)
        self.assertNotIn(token, self.read("serve.log").decode())
        for file in ("cmdline", "environ"):
            with open(f"/proc/{server.pid}/{file}", "rb") as text:
                self.assertNotIn(token.encode(), text.read())
        _, where = self.serve("--device", "cycle", "--credentials", "old/server")
        status, _, errors = self.run_tool("devices", where, "--credentials", "old/client")
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf"^vta: remote://{where}: .+\n\Z")

    def test_clocks_that_differ(self):
        self.done("serve", "--make-credentials", "c")
        package = self.compiled("digits.vta")
        self.run_to("here", "functional", package)
        for server_clock, client_clock in ((0, 0), (0, 80_000), (0, -80_000), (40_000, -40_000)):
            clock = {"LD_PRELOAD": OTHER_CLOCK, "VTA_TEST_CLOCK": str(server_clock)}
            server, where = self.serve("--device", "functional", "--credentials", "c/server", **clock)
            client = {**os.environ, **clock, "VTA_TEST_CLOCK": str(client_clock)}
            run = subprocess.run([tool.TOOL, "run", package, "--engine", f"remote://{where}", "--credentials", "c/client", "--input", "image.bin",
                                  "--output", "there.bin"], cwd=self.folder, env=client, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((run.returncode, run.stderr), (0, ""), (server_clock, client_clock))
            self.assertEqual(self.read("there.bin"), self.read("here.bin"))
            devices = subprocess.run([tool.TOOL, "devices", where, "--credentials", "c/client"], cwd=self.folder, capture_output=True, text=True)
            self.assertRegex(devices.stdout, r"(?m)^functional +functional +free ")
            server.kill()
        # Days later, which a certificate of a day does not allow.
        self.done("serve", "--make-credentials", "short", "--days", "1")
        _, where = self.serve("--device", "functional", "--credentials", "short/server")
        later = {**os.environ, "LD_PRELOAD": OTHER_CLOCK, "VTA_TEST_CLOCK": "200000"}
        late = subprocess.run([tool.TOOL, "devices", where, "--credentials", "short/client"], cwd=self.folder, env=later, capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual((late.returncode, late.stdout), (1, ""))
        self.assertRegex(late.stderr, rf"^vta: remote://{where}: .+\n\Z")

    def test_command_lines(self):
        self.refuses("--device: is missing: what is served", "serve")
        self.refuses("--listen: 0.0.0.0:0: can be reached from other machines, for which --credentials is needed: vta serve --make-credentials "
                     "makes some", "serve", "--device", "cycle", "--listen", "0.0.0.0:0")
        self.refuses("--listen: nowhere: must be HOST:PORT", "serve", "--device", "cycle", "--listen", "nowhere")
        self.refuses("--key: a b: must end with a key of 1 to 64 letters, digits, '-', '_' or '.'", "serve", "--device", "cycle", "--key", "a b")
        self.refuses("HOST:PORT: nowhere: must be HOST:PORT", "devices", "nowhere")
        self.refuses("--engine: remote://x must be HOST:PORT", "run", "x.vta", "--engine", "remote://x")
        self.refuses("--engine: functional,remote://h:1: compares layers, which stay on a server: name it alone",
                     "run", self.compiled("digits.vta"), "--engine", "functional,remote://h:1", "--input", "image.bin")
        self.refuses("--unproved: remote://h:1: may be a board, whose memory is that of its processor, too",
                     "exec", "x.img", "--insn", "0", "--count", "1", "--engine", "remote://h:1", "--unproved")
        _, where = self.serve("--device", "cycle")
        self.fails(f"--listen: {where}: cannot be listened at: the port may be taken, the host another machine's, or a certificate or key none",
                   "serve", "--device", "cycle", "--listen", where)



tool.main()
