"""Kernels of a package are guests: what loops is stopped, what faults is named, and only what may run does."""

import hashlib
import os
import re
import platform
import time

import hostile
import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
DRAWN = "vta: no --input: one random sample from seed 1\n"
STEP = r"step [0-9]+ \S+( \(.*\))?: kernel \S+: "


class GuestsTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        if platform.machine() != "x86_64":
            self.skipTest("its kernels are code of x86-64")
        self.tool_done("compile", DIGITS, "--target", "cpu", "-o", "good.vta")

    def tool_done(self, *arguments):
        status, out, errors = self.run_tool(*arguments)
        self.assertEqual(status, 0, errors)
        return out

    def plant(self, name, code):
        self.write(name, hostile.package(self.read("good.vta"), code))
        return hashlib.sha256(self.read(name)).hexdigest()

    def each(self, *arguments):
        """Exit status, stdout and the errors of both tools, without their name and what they say of the input."""
        results = []
        for command in ([tool.TOOL, "run"], [RUNNER]):
            status, out, errors = self.run_process([*command, *arguments])
            errors = re.sub(r"(?m)^vta(-run)?: no --input: .*\n", "", errors)
            self.assertTrue(not errors or errors.startswith(os.path.basename(command[0]) + ": "), errors)
            results.append((status, out, errors.partition(": ")[2]))
        return results

    def stops(self, pattern, *arguments):
        for status, out, errors in self.each(*arguments):
            self.assertEqual((status, out), (1, ""), errors)
            self.assertRegex(errors, rf"^{pattern}\n\Z")

    def test_a_fault_is_one_line_in_either_process(self):
        for name, code, signal in (("null.vta", hostile.NULL, "SIGSEGV at address 0x10"),
                                   ("illegal.vta", hostile.ILLEGAL, "SIGILL at address 0x[0-9a-f]+")):
            pin = self.plant(name, code)
            pattern = rf"{name}: {STEP}was stopped by {signal}, instruction 0x[0-9a-f]+ of its module"
            for options in ((), ("--sandbox",), ("--expect-hash", pin)):
                self.stops(pattern, name, *options)
            self.stops(pattern, name, "--in-flight", "2")

    def test_a_loop_is_stopped_by_either_limit(self):
        pin = self.plant("loop.vta", hostile.LOOP)
        for options in ((), ("--sandbox",), ("--expect-hash", pin)):
            start = time.monotonic()
            self.stops(rf"loop\.vta: {STEP}was stopped: its limit, 0\.1 s, ended", "loop.vta", "--kernel-limit", "0.1", *options)
            self.stops(rf"loop\.vta: {STEP}was stopped: the time for the run ended", "loop.vta", "--limit", "0.1", *options)
            self.assertLess(time.monotonic() - start, 20)

    def test_the_sandbox_allows_no_files_network_or_programs(self):
        for call in (257, 41, 59):  # openat, socket, execve
            self.plant("call.vta", hostile.system_call(call))
            self.stops(rf"call\.vta: {STEP}was stopped: it made system call {call}, instruction 0x[0-9a-f]+ of its module",
                       "call.vta", "--sandbox")
            for status, _, errors in self.each("call.vta"):
                self.assertEqual(status, 0, errors)  # without it they are made

    def test_outputs_are_equal_wherever_kernels_run(self):
        self.tool_done("compile", DIGITS, "-o", "both.vta")
        for name in "good.vta", "both.vta":
            pin = hashlib.sha256(self.read(name)).hexdigest()
            got = set()
            for options in ((), ("--sandbox",), ("--expect-hash", pin), ("--in-flight", "2")):
                for status, _, errors in self.each(name, "--output", "out.bin", *options):
                    self.assertEqual((status, errors), (0, ""))
                    got.add(self.read("out.bin"))
            self.assertEqual(len(got), 1)

    def test_only_trusted_packages_run_where_that_is_asked(self):
        pin = hashlib.sha256(self.read("good.vta")).hexdigest()
        other = "0" * 64
        self.write("list", f"{other}  other.vta\n{pin.upper()} *elsewhere/good.vta\n")
        self.write("others", f"{other}  good.vta\n")
        self.write("escaped", f"\\{pin}  back\\\\slash.vta\r\n")
        for options in (("--trusted", "list"), ("--trusted", "escaped"), ("--expect-hash", pin),
                        ("--expect-hash", pin.upper(), "--trusted", "others")):
            for status, _, errors in self.each("good.vta", "--native", "trusted", *options):
                self.assertEqual((status, errors), (0, ""))
        untrusted = f"good.vta: SHA-256 = {pin}: is not trusted: neither --expect-hash nor a list, --trusted, has it\n"
        for options in ((), ("--trusted", "others")):
            for status, out, errors in self.each("good.vta", "--native", "trusted", *options):
                self.assertEqual((status, out, errors), (1, "", untrusted))
        wrong = f"good.vta: SHA-256 = {pin}: must be {other}, by --expect-hash\n"
        for mode in "any", "trusted":
            for status, out, errors in self.each("good.vta", "--native", mode, "--expect-hash", other):
                self.assertEqual((status, out, errors), (1, "", wrong))
        for status, out, errors in self.each("good.vta", "--native", "refuse", "--expect-hash", pin):
            self.assertEqual((status, out, errors), (1, "", "good.vta: modules = 1: native code is refused here\n"))

    def test_what_was_compiled_here_is_trusted(self):
        self.assertEqual(self.run_tool("run", DIGITS, "--native", "trusted")[0], 0)
        status, _, errors = self.run_tool("run", DIGITS, "--native", "refuse")
        self.assertEqual((status, errors), (1, f"{DRAWN}vta: {DIGITS}: modules = 1: native code is refused here\n"))
        self.refuses("--expect-hash: is for a package; a model is compiled here", "run", DIGITS, "--expect-hash", "0" * 64)
        self.write("list", "")
        self.refuses("--trusted: is for a package; a model is compiled here", "run", DIGITS, "--trusted", "list")

    def test_refuses_wrong_command_lines_and_lists(self):
        for options, message in ((("--native", "some"), "--native: some must be one of any, trusted, refuse"),
                                 (("--expect-hash", "12"), "--expect-hash: 12 must be a SHA-256, 64 hexadecimal digits"),
                                 (("--expect-hash", "g" * 64), f"--expect-hash: {'g' * 64} must be a SHA-256, 64 hexadecimal digits"),
                                 (("--kernel-limit", "0"), "--kernel-limit: 0 must be 0.001 to 1e9 seconds"),
                                 (("--kernel-limit", "nan"), "--kernel-limit: nan must be 0.001 to 1e9 seconds"),
                                 (("--limit", "-1"), "--limit: -1 must be 0.001 to 1e9 seconds")):
            for status, out, errors in self.each("good.vta", *options):
                self.assertEqual((status, out, errors.splitlines()[0]), (2, "", message))
        rule = "must be a SHA-256 and a name, as sha256sum prints them"
        pin = "0" * 64
        for line in ("", "x", pin, pin + " ", pin + "  ", pin + "x  name", pin + " name", "# " + pin):
            self.write("list", f"{pin}  good.vta\n{line}\n")
            for status, out, errors in self.each("good.vta", "--trusted", "list"):
                what = f"line 2 = {line}" if line else "line 2"
                self.assertEqual((status, out, errors), (1, "", f"list: {what}: {rule}\n"))
        self.write("list", "y" * 1000)
        for status, out, errors in self.each("good.vta", "--trusted", "list"):
            self.assertEqual((status, out, errors), (1, "", f"list: line 1 = {'y' * 100}: {rule}\n"))
        for status, out, errors in self.each("good.vta", "--trusted", "none"):
            self.assertEqual((status, out, errors), (1, "", "none: cannot open: No such file or directory\n"))


tool.main()
