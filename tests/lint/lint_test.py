"""Every lint script finds what it is there to find, and nothing in a clean tree."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class LintTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, path, text):
        full = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        return full

    def run_lint(self, script, *arguments):
        run = subprocess.run([sys.executable, "-B", os.path.join(HERE, script), self.folder.name, *arguments],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout

    def expect(self, script, problem, *arguments):
        status, output = self.run_lint(script, *arguments)
        self.assertEqual(status, 1, output)
        self.assertIn(problem, output)
        self.assertIn("1 problems.", output)

    def expect_clean(self, script, *arguments):
        self.assertEqual(self.run_lint(script, *arguments), (0, ""))

    def include(self, path, text, problem):
        with self.subTest(path=path, include=text):
            full = self.write(path, f"// A file.\n#include {text}\n")
            if problem:
                self.expect("includes.py", f"{path}:2: {problem}")
            else:
                self.expect_clean("includes.py")
            os.remove(full)

    def test_includes(self):
        allowed = (("isa/a.cc", '"isa/b.h"'), ("sim/a.cc", '"isa/b.h"'), ("driver/functional/a.cc", '"sim/b.h"'),
                   ("runtime/a.cc", '"driver/b.h"'), ("tools/shared/a.cc", '"runtime/b.h"'), ("tools/vta/a.cc", '"compiler/b.h"'), ("tools/runner/a.cc", '"tools/shared/b.h"'),
                   ("isa/a.cc", "<nlohmann/json.hpp>"), ("compiler/a.cc", "<boost/x.hpp>"),
                   ("compiler/targets/vta/a.cc", '"compiler/targets/vta/b.h"'),
                   ("compiler/targets/a.cc", '"compiler/targets/vta/b.h"'),
                   ("compiler/targets/vta/plan.cc", '"compiler/targets/vta/kernels/b.h"'),
                   ("compiler/targets/vta/kernels/a.cc", '"compiler/targets/vta/tasks/b.h"'),
                   ("compiler/targets/vta/tasks/a.cc", '"compiler/targets/vta/tasks/b.h"'),
                   ("compiler/frontend/onnx/a.cc", '"compiler/frontend/math.h"'),
                   ("tools/vta/run/a.cc", '"tools/vta/common/b.h"'), ("tools/vta/run/a.cc", '"tools/vta/commands.h"'))
        for path, text in allowed:
            self.include(path, text, None)
        self.include("isa/a.cc", '"sim/b.h"', '"sim/b.h": isa may include only isa')
        self.include("sim/a.h", '"runtime/b.h"', '"runtime/b.h": sim may include only sim, isa')
        self.include("compiler/a.cc", '"sim/b.h"', '"sim/b.h": compiler may include only compiler, isa')
        self.include("driver/device.h", '"sim/b.h"', '"sim/b.h": driver may include only driver, isa')
        self.include("driver/uio/a.cc", '"sim/b.h"', '"sim/b.h": driver may include only driver, isa')
        self.include("runtime/a.cc", '"compiler/b.h"', '"compiler/b.h": runtime may include only')
        self.include("isa/a.cc", '"b.h"', '"b.h": write the path from the repository root')
        self.include("isa/a.h", "<nlohmann/json.hpp>", "<nlohmann/json.hpp>: slow to compile")
        self.include("compiler/a.h", '"compiler/b_generated.h"', '"compiler/b_generated.h": slow to compile')
        self.include("isa/a.cc", "<fmt/format.h>", "<fmt/format.h>: isa depends on the standard library")
        self.include("runtime/a.cc", "<llvm/IR/Module.h>", "<llvm/IR/Module.h>: a board is without")
        self.include("compiler/lower/a.cc", "<llvm-c/Core.h>", "<llvm-c/Core.h>: only compiler/llvm/")
        self.include("tools/vta/tune/a.cc", "<xgboost/c_api.h>", "<xgboost/c_api.h>: only tools/search/module/boosted_trees.cc depends on that library")
        self.include("tools/explore/a.cc", "<pagmo/problem.hpp>", "<pagmo/problem.hpp>: only tools/search/module/evolve.cc depends on that library")
        self.include("sim/cycle/core/a.cc", "<systemc>", "<systemc>: only the SystemC module")
        self.include("tools/shared/a.cc", '"tools/vta/b.h"', '"tools/vta/b.h": tools/shared may include only isa, driver, runtime, tools/images, tools/shared')
        self.include("tools/runner/a.cc", '"compiler/b.h"', '"compiler/b.h": tools/runner may include only isa, driver')
        self.include("tools/runner/a.cc", "<fmt/format.h>", "<fmt/format.h>: a board is without")
        self.include("compiler/targets/vta/a.cc", '"compiler/targets/cpu/b.h"',
                     '"compiler/targets/cpu/b.h": compiler/targets/* are siblings')
        self.include("compiler/frontend/onnx/a.cc", '"compiler/frontend/tflite/b.h"',
                     '"compiler/frontend/tflite/b.h": compiler/frontend/* are siblings')
        for room in ("bench", "common"):
            self.include(f"tools/vta/{room}/a.cc", '"tools/vta/run/b.h"', '"tools/vta/run/b.h": tools/vta/* are siblings')
        self.include("compiler/targets/vta/lower/a.cc", '"compiler/targets/vta/kernels/b.h"',
                     '"compiler/targets/vta/kernels/b.h": compiler/targets/vta/lower may include only lower, tasks of compiler/targets/vta')
        self.include("compiler/targets/vta/tasks/a.cc", '"compiler/targets/vta/plan.h"',
                     '"compiler/targets/vta/plan.h": compiler/targets/vta/tasks may include only tasks of')
        self.include("compiler/targets/vta/new/a.cc", '"compiler/targets/vta/plan.h"',
                     '"compiler/targets/vta/plan.h": compiler/targets/vta/new has no place among the floors')

    def test_lengths(self):
        self.write("isa/ok.cc", "\n" * 500)
        self.write("isa/generated.cc", "// Generated by a test, do not edit.\n" + "\n" * 900)
        self.write("build/long.cc", "\n" * 900)
        self.expect_clean("lengths.py")
        self.write("hw/rtl/long.sv", "\n" * 401)
        self.expect("lengths.py", "hw/rtl/long.sv: 401 lines, the limit is 400")

    def test_text(self):
        self.write("docs/a.md", "a ../work/b and homework/ and /usr/home/ are fine\n")
        self.expect_clean("text.py")
        for line, problem in (("see /home/me/x", "'/home/': the path of one machine"),
                              ("// TODO: later", "'TODO': finish it")):
            self.write("docs/a.md", f"first\n{line}\n")
            self.expect("text.py", f"docs/a.md:2: {problem}")

    def test_links(self):
        self.write("docs/a.md", "[b](../b.md#part) [c](https://example.org/x)\n```cpp\n[&](Expr i) {}\n```\n")
        self.write("b.md", "")
        self.expect_clean("links.py")
        self.write("docs/a.md", "```\n[a](a.md)\n```\n[b](b.md)\n")
        self.expect("links.py", "docs/a.md:4: (b.md): no such file")

    def test_pages(self):
        index = "| 1 | [A](a.md) | |\n| 2 | [B](../b.md) | |\n\n| [C](../c/README.md) | |\n"
        clean = {"docs/README.md": index, "docs/a.md": "# A\n\nNext: [b](../b.md)\n",
                 "b.md": "# B\n\nNext: [every page](docs/README.md)\n", "c/README.md": "# C\n"}
        for files, problem in (({}, None),
                               ({"docs/README.md": index + "| [again](a.md) |\n"}, "docs/README.md: lists docs/a.md 2 times, not once"),
                               ({"docs/README.md": index.replace("| 2", "| 3")}, "docs/README.md: step 3 stands where 2 should"),
                               ({"docs/README.md": index.replace("1 |", "").replace("2 |", "")}, "docs/README.md: has no row"),
                               ({"b.md": "# B\n\nNext: [a](docs/a.md)\n"}, "b.md: its last line must be 'Next: [...](...)', to docs/README.md"),
                               ({"docs/a.md": ""}, "docs/a.md: its last line must be 'Next: [...](...)', to b.md"),
                               ({"docs/new.md": "# New\n"}, "docs/README.md: lists docs/new.md 0 times, not once")):
            with self.subTest(problem):
                for path, text in {**clean, **files}.items():
                    self.write(path, text)
                if problem:
                    self.expect("pages.py", problem)
                else:
                    self.expect_clean("pages.py")

    def test_version(self):
        cmake = "project(vta VERSION 9.3.0 LANGUAGES CXX)\n"
        new, old = "## [9.3.0] - unreleased\n", "## [9.2.0] - 2026-01-31\n"
        for files, problem in (({}, None),
                               ({"CMakeLists.txt": "project(vta)\n"}, "CMakeLists.txt: has no project(vta VERSION X.Y.Z"),
                               ({"CHANGELOG.md": old}, "CHANGELOG.md: its first section must be of 9.3.0"),
                               ({"CHANGELOG.md": ""}, "CHANGELOG.md: its first section must be of 9.3.0"),
                               ({"CHANGELOG.md": new + "## [9.10.0] - 2026-01-31\n"}, "CHANGELOG.md: 9.10.0 stands below 9.3.0"),
                               ({"CHANGELOG.md": new + "## [9.2.0] - unreleased\n"}, "CHANGELOG.md: 9.2.0 is below a newer one, and unreleased"),
                               ({"CHANGELOG.md": new + "## 9.2.0\n"}, "CHANGELOG.md: '## 9.2.0': must be"),
                               ({"docs/a.md": "get vta_9.3.0_amd64.deb\n"}, "docs/a.md:1: names the version")):
            with self.subTest(problem):
                self.write("docs/a.md", "get vta_*.deb, vta-9.2.0 is gone\n")
                for path, text in {"CMakeLists.txt": cmake, "CHANGELOG.md": "# Changelog\n" + new + old, **files}.items():
                    self.write(path, text)
                if problem:
                    self.expect("version.py", problem)
                else:
                    self.expect_clean("version.py")

    def test_format(self):
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("isa/a.cc", "int a;\n")
        self.expect_clean("format.py", "clang-format-14")
        self.write("isa/b.cc", "int  b ;\n")
        status, output = self.run_lint("format.py", "clang-format-14")
        self.assertEqual(status, 1)
        self.assertIn("Run: clang-format-14 -i isa/b.cc\n", output)

    def test_packages(self):
        self.write("tools/python.txt", "")
        self.write("tools/packages.txt", "# Groups: build (the tool)\nbuild g++ compiler\n")
        self.expect_clean("packages.py")
        for row, problem in (("build g++ again", "packages.txt:3: g++ stands twice"),
                             ("tets cmake why", "packages.txt:3: tets is none of the groups"),
                             ("build cmake", "packages.txt:3: a row is GROUP PACKAGE WHY")):
            self.write("tools/packages.txt", f"# Groups: build (the tool)\nbuild g++ compiler\n{row}\n")
            self.expect("packages.py", problem)
        self.write("tools/packages.txt", "# Groups: build (the tool)\nbuild g++ compiler\n")
        row = "a-b==1.0.post1 --hash=sha256:" + 64 * "0"
        for text, problem in ((f"# group a: why\n{row}\n# group b: why\n{row} --hash=sha256:{64 * 'f'}\n", None),
                              (f"{row}\n", "python.txt:1: stands before the first line"),
                              (f"# group a: why\n{row}\n{row}\n", "python.txt:3: a-b stands twice in its group"),
                              (f"# group a: why\n{row[:-1]}\n", "python.txt:2: a row is NAME==VERSION"),
                              (f"# group a: why\na-b>=1 {row}\n", "python.txt:2: a row is NAME==VERSION")):
            self.write("tools/python.txt", text)
            if problem:
                self.expect("packages.py", problem)
            else:
                self.expect_clean("packages.py")

    def test_generated(self):
        rows = self.write("rows.txt", "# rows\ndocs/a.md: echo current\n")
        self.write("docs/a.md", "current\n")
        self.expect_clean("generated.py", rows, "bin")
        self.write("docs/a.md", "stale\n")
        self.expect("generated.py", "docs/a.md: not current; run: ./echo current > docs/a.md", rows, "bin")
        self.write("rows.txt", "docs/b.md: echo current\n")
        self.expect("generated.py", "docs/b.md: missing", rows, "bin")
        self.write("rows.txt", "docs/a.md: exit 3\n")
        self.expect("generated.py", "docs/a.md: 'exit 3' failed with status 3", rows, "bin")

    def test_names(self):
        self.write("isa/a.h", "namespace vta::isa {\nclass Gate;\nclass Gate {\n};\nnamespace {\nstruct Own {};\n}  // namespace\n}  // namespace vta::isa\n")
        for text, problem in (("namespace vta::sim {\nclass Gate {};\nstruct Own {};\n}  // namespace vta::sim\n", None),
                              ("namespace vta::isa {\nnamespace {\nstruct Gate : Base {};\n}  // namespace\n}  // namespace vta::isa\n", None),
                              ("namespace vta::isa {\nclass Gate;\nstruct Own {};\n}  // namespace vta::isa\n", None),
                              ("namespace vta::isa {\nstruct Gate : Base {\n};\n}  // namespace vta::isa\n",
                               "isa/b.cc:2: vta::isa::Gate is also a class of isa/a.h")):
            with self.subTest(text):
                self.write("isa/b.cc", text)
                if problem:
                    self.expect("names.py", problem)
                else:
                    self.expect_clean("names.py")

    def test_seeds(self):
        rows = [("c.Files/Loop", "tests/a.txt"), ("c.One", "Case"), ("cli.a_test", "tests/a_test.py:test_a"), ("bench seeds", "hiding")]
        table = [[str(number), *rows[number % 2 * 2 + part]] for number in range(1, 41) for part in range(2)]
        lines = {"0": "Shown by `c.Files/Loop`: `tests/a.txt`; `c.One`: `Case`.",
                 "1": "Shown by `cli.a_test`: `tests/a_test.py:test_a`; `vta bench seeds hiding --check`."}
        page = "# Rows\n" + "".join(f"### {number}. Name\n\n{lines[str(number % 2)]}\n" for number in range(1, 41)) + "## More\n\nShown by nothing.\n"
        clean = {"tests/seeds/rows.csv": "row,test,case\n" + "".join(",".join(row) + "\n" for row in table), "docs/seeds.md": page,
                 "tests/a.txt": "", "tests/a_test.py": "def test_a(self):\n", "tests/one_test.cc": "TEST_F(One,\n       Case) {}\n",
                 "tools/vta/bench/seeds/seeds.cc": '    {"hiding", "of some", Hiding},\n'}
        for files, problem in (({}, None),
                               ({"tests/one_test.cc": "TEST(One, Cases) {}\n"}, "row 2: c.One: there is no Case"),
                               ({"tests/a_test.py": "def test_b(self):\n"}, "row 1: cli.a_test: there is no tests/a_test.py:test_a"),
                               ({"tools/vta/bench/seeds/seeds.cc": ""}, "row 1: bench seeds: there is no hiding"),
                               ({"docs/seeds.md": page.replace("### 7.", "### 7 ")}, "docs/seeds.md: has no section '### 7. ...'"),
                               ({"docs/seeds.md": page + "### 41. Name\n"}, "section 41: rows are 1 to 40"),
                               ({"docs/seeds.md": page.replace(lines["0"], "Shown by `c.One`: `Case`.", 1)}, f"section 2 must have this line: {lines['0']}"),
                               ({"tests/seeds/rows.csv": clean["tests/seeds/rows.csv"].replace("\n9,", "\n11,")}, "row 9: nothing shows it")):
            with self.subTest(problem):
                for path, text in {**clean, **files}.items():
                    self.write(path, text)
                if problem:
                    status, output = self.run_lint("seeds.py")
                    self.assertEqual(status, 1)
                    self.assertIn(problem, output)
                else:
                    self.expect_clean("seeds.py")

    def test_seeds_that_ran(self):
        """A row is shown by a case that passed: not by one that was skipped, nor by the rest of its test."""
        def case(name, output, status="run"):
            return f'<testcase name="{name}" status="{status}"><system-out>{output}</system-out></testcase>'
        outputs = {"compiler.Workloads/Property": "[       OK ] Workloads/Property.RandomSchedulesComputeTheSame/0 (7 ms)\n",
                   "compiler.GpuKernel": "[       OK ] GpuKernel.NoThreadsMeet (0 ms)\n", "compiler.Files/LoopPass": "",
                   "cli.seeds_test": "test_tasks (a.b) ... skipped 'why'\ntest_artifacts (a.b)\nSays what it is. ... ok\ntest_ratios (a.b) ... FAIL\n"}
        results = self.write("results.xml", "<testsuite>" + "".join(case(*test) for test in outputs.items()) + case("runtime.TimerTest", "", "fail") + "</testsuite>")
        run = subprocess.run([os.path.join(HERE, "../seeds/ran.py"), results], stdout=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 1)
        lines = {number: line for number, line in re.findall(r"(?m)^row (\d+): (.*)$", run.stdout)}
        self.assertTrue(lines["2"].startswith("1 of 2 passed; not compiler.NativeKernels "), lines)
        self.assertEqual(lines["4"], "1 of 1 passed")
        self.assertEqual(lines["11"], "0 of 1 passed; not compiler.GpuKernel EachBarrierKeepsThreadsApart")
        self.assertTrue(lines["27"].startswith("0 of 1 ") and lines["34"].startswith("0 of 2 "), lines)
        self.assertTrue(lines["40"].startswith("1 of 2 passed; not cli.seeds_test "), lines)

    def test_nightly(self):
        self.write(".ci/nightly.txt", "# rows\na | all | true\nb | isa | true\n")
        head = "test,commit,date,seconds,result\n"
        self.write(".ci/nightly.csv", head + "a,1,2026-01-01,3,passed\n")
        self.expect_clean("nightly.py")
        for row, problem in (("b,2,2026-01-02,3,failed", "line 2: b: failed at 2; mend it, then run: .ci/nightly b"),
                             ("c,2,2026-01-02,3,passed", "line 2: c: is no row"), ("a,2", "line 2: a: is no row")):
            self.write(".ci/nightly.csv", f"{head}{row}\n")
            self.expect("nightly.py", problem)

    def test_nightly_tests_are_run_of_what_is_committed(self):
        """With rows whose commands tell what they find."""
        for path in ".ci/nightly", "vta":
            self.write(path, "")
        shutil.copy(os.path.join(HERE, "../../.ci/nightly"), os.path.join(self.folder.name, ".ci/nightly"))
        os.chmod(self.write("vta", "#!/bin/sh\necho built >> log\n"), 0o755)
        self.write("isa/a", "")
        self.write(".gitignore", "log\n")
        self.write(".ci/nightly.txt", "tests | all | echo tests >> log; ! grep -q failed .ci/nightly.csv\na | isa | echo a >> log; exit 1\n")
        head = "test,commit,date,seconds,result\n"
        self.write(".ci/nightly.csv", head + "tests,1,2026-01-01,3,failed\na,1,2026-01-01,3,failed\n")
        def git(*words):
            return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.folder.name, check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
        def nightly(*words):
            """Its status, what ran, and the table without dates and seconds."""
            self.write("log", "")
            run = subprocess.run([os.path.join(self.folder.name, ".ci/nightly"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env={**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(self.folder.name)})
            with open(os.path.join(self.folder.name, "log"), encoding="utf-8") as log, \
                 open(os.path.join(self.folder.name, ".ci/nightly.csv"), encoding="utf-8") as table:
                return run, log.read().split(), [[row.split(",")[i] for i in (0, 1, 4)] for row in table.read().splitlines()[1:]]
        git("init", "-q")
        git("add", "-A")
        git("commit", "-qm", "all")
        commit = git("rev-parse", "--short=10", "HEAD").strip()
        for words, status, ran, rows in (
                (["tests"], 1, ["built", "tests"], [["tests", commit, "failed"], ["a", "1", "failed"]]),  # a is red
                ([], 1, ["built", "tests", "a"], [["tests", commit, "passed"], ["a", commit, "failed"]]),
                (["--touched", "docs"], 1, [], None), (["--touched", "isa/a/"], 1, ["built", "tests", "a"], None),
                (["--touched", ".ci"], 1, ["built", "tests"], None), (["b"], 1, [], None)):
            with self.subTest(words):
                run, log, table = nightly(*words)
                self.assertEqual((run.returncode, log), (status, ran), run.stderr)
                if rows:
                    self.assertEqual(table, rows)
        os.chmod(self.write("vta", "#!/bin/sh\nexit 1\n"), 0o755)
        self.assertIn("the tree has changes", nightly()[0].stderr)
        git("commit", "-qam", "one that is not built")
        run, log, _ = nightly()
        self.assertEqual((run.returncode, log), (1, []))
        self.assertIn(" cannot be built", run.stderr)

    def test_some_rows_of_a_generated_table(self):
        """With a head, of rows a to h; the command prints those that are named, or all."""
        rows = self.write("rows.txt", "docs/a.md: sh table.sh ROWS\n")
        self.write("table.sh", 'echo head; for row in ${*:-a b c d e f g h}; do echo "| \\`$row\\` | 1 |"; done\n')
        table = "head\n" + "".join(f"| `{row}` | 1 |\n" for row in "abcdefgh")
        self.write("docs/a.md", table)
        self.expect_clean("generated.py", rows, "bin")
        for stale in (table.replace("head", "old head"), table.replace("1", "2")):
            self.write("docs/a.md", stale)
            self.expect("generated.py", "docs/a.md: not current; run: ./sh table.sh > docs/a.md", rows, "bin")


unittest.main(verbosity=2)
