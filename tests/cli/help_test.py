"""Help, versions, completion, manual pages, messages: what the tool says of itself, and how.

usage: help_test.py TOOL SOURCE_FOLDER
"""

import os
import pty
import re
import select
import shutil
import struct
import fcntl
import subprocess
import termios
import unittest

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
EVERYWHERE = ["--help", "--version", "--quiet", "--verbose", "--log-level", "--color"]


def sections(page):
    """{command: its help} of the page of all commands."""
    return {name: text for name, text in re.findall(r"^## ([a-z -]+)\n\n```\n(.*?)```$", page, re.MULTILINE | re.DOTALL)}


def options(text):
    """The long names of the options that a help lists, group by group, in order."""
    groups = {}
    for group, rows in re.findall(r"^(\S[^\n]*):\n((?:  .*\n)+)", text, re.MULTILINE):
        found = re.findall(r"^  (?:-\w, |    )(--[a-z0-9-]+)", rows, re.MULTILINE)
        if found:
            groups[group] = found
    return groups


class HelpTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.help = sections(subprocess.run([tool.TOOL, "help", "--markdown"], capture_output=True, text=True, check=True).stdout)

    def on_terminal(self, *command, columns=80, **environment):
        """Exit status and what a terminal of that width gets from both streams."""
        person, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "TERM")}
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                                   env={**clean, "TERM": "xterm", **environment})
        os.close(terminal)
        said = b""
        while select.select([person], [], [], 60)[0]:
            try:
                said += os.read(person, 65536)
            except OSError:  # the other end is closed
                break
        os.close(person)
        return process.wait(), said.decode().replace("\r\n", "\n")

    def test_each_command_has_help(self):
        self.assertGreater(len(self.help), 25)
        for name, text in self.help.items():
            with self.subTest(command=name):
                words = name.split()[1:]
                self.assertEqual(self.run_tool(*words, "--help"), (0, text, ""))
                self.assertEqual(self.run_tool("help", *words), (0, text, ""))
                self.assertTrue(text.startswith(f"usage: {name}"))
                for word in ("Excludes", "Needs:", "REQUIRED", "[OPTIONS]", "SUBCOMMAND", ":INT", "TEXT:", "FLOAT", "OUT ", " ..."):
                    self.assertNotIn(word, text)
                for line in text.splitlines():
                    self.assertLessEqual(len(line), 80, line)
                groups = options(text)
                listed = [option for group in groups.values() for option in group]
                self.assertEqual(len(listed), len(set(listed)), "an option stands in one group")
                groups.pop("Everywhere", None)
                sizes = [len(group) for group in groups.values()]
                self.assertEqual(sizes, sorted(sizes), "the shortest group is first")
                self.assertLessEqual(max(sizes, default=0), 10, "a group that no one reads to its end")
                self.assertIn("\nEverywhere:\n", text)

    def test_help_needs_nothing_else(self):
        for words in (["run", "-h"], ["--color", "never", "run", "none.onnx", "--seed", "x", "--help"], ["run", "--bogus", "--help"],
                      ["-q", "run", "--help", "--engine"], ["help", "run"], ["run", "--input", "--help", "-h"]):
            self.assertEqual(self.run_tool(*words), (0, self.help["vta run"], ""), words)

    def test_help_names_values(self):
        run = self.help["vta run"]
        self.assertRegex(run, r"(?m)^  -c, --config CONFIG +accelerator variant: a shipped name or a file\n? *\[default: default\]$")
        self.assertRegex(run, r"(?m)^      --rounding single\|double$")
        self.assertRegex(run, r"(?m)^      --engine ENGINE")
        self.assertRegex(run, r"(?m)^      --output FILE\.\.\.")
        self.assertRegex(run, r"(?m)^      --seed N ")
        self.assertRegex(self.help["vta compile"], r"(?m)^      --dump-dir FOLDER ")

    def test_help_fits_the_terminal(self):
        for columns in (50, 72, 100, 180):
            status, out = self.on_terminal(tool.TOOL, "run", "--help", columns=columns, NO_COLOR="1")
            self.assertEqual(status, 0)
            widest = max(len(line) for line in out.splitlines())
            self.assertLessEqual(widest, max(min(columns, 100), 62))  # a list of changes of --what-if is one long word
            self.assertGreater(widest, min(columns, 100) - 15)
        narrow = self.on_terminal(tool.TOOL, "run", "--help", columns=180, COLUMNS="72", NO_COLOR="1")
        self.assertEqual(narrow, self.on_terminal(tool.TOOL, "run", "--help", columns=72, NO_COLOR="1"))

    def test_the_nearest_is_named(self):
        for message, words in (
                ("rnu: is not a command; did you mean run? vta --help lists them", ["rnu"]),
                ("rnu: is not a command; did you mean run? vta --help lists them", ["--color=never", "-q", "rnu", "--bogus"]),
                ("rnu: is not a command; did you mean run? vta --help lists them", ["help", "rnu"]),
                ("aera: is not a command; did you mean area? vta hw --help lists them", ["hw", "aera"]),
                ("--enigne: is not an option; did you mean --engine? vta run --help lists them", ["run", DIGITS, "--enigne", "cycle"]),
                ("--enigne: is not an option; did you mean --engine? vta run --help lists them", ["run", DIGITS, "--enigne=cycle"]),
                ("--sede: is not an option; did you mean --seed? vta run --help lists them", ["run", "--input", "--seed", DIGITS, "--sede", "3"]),
                ("--colour: is not an option; did you mean --color? vta run --help lists them", ["run", "--colour", "always"]),
                ("--outptu: is not an option; did you mean --output? vta compile --help lists them", ["compile", DIGITS, "--outptu", "x.vta"]),
                ("-x: is not an option; vta compile --help lists them", ["compile", DIGITS, "-x"]),
                ("--rounding: singel must be one of single, double; did you mean single?", ["run", DIGITS, "--rounding", "singel"]),
                ("--log-level: inof must be one of error, warning, info, debug; did you mean info?", ["run", DIGITS, "--log-level", "inof"]),
                (f"--engine: cylce must be one of {tool.ENGINES}; did you mean cycle?", ["run", DIGITS, "--engine", "rtl,cylce"]),
                ("--output: a value is missing", ["compile", DIGITS, "--output"]),
                ("--seed: is given more than once", ["run", DIGITS, "--seed", "1", "--seed", "2"]),
                ("x.onnx: is more than vta run takes", ["run", DIGITS, "x.onnx"]),
                ("more: is not a command: vta run has none", ["help", "run", "more"]),
                ("RNU: is not a command; did you mean run? vta --help lists them", ["RNU"]),
                ("config: is not a command; vta --help lists them", ["config", "--help"]),
                ("SHELL: fihs must be one of bash, zsh, fish; did you mean fish?", ["completion", "fihs"])):
            self.refuses(message, *words)
        status, out, errors = self.run_tool("run", DIGITS, "-c", "pynk")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(errors, r"^vta: config: pynk: must be the path of a file or one of .*; did you mean pynq\?\n$")

    def test_vta_run_has_the_same_face(self):
        status, text, errors = self.run_process([RUNNER, "--help"])
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("usage: vta-run [OPTION...] [PACKAGE]\n", text)
        for option in ["--engine", "--input", *EVERYWHERE]:
            self.assertRegex(text, rf"(?m)^  (-\w, |    ){option}\b")
        self.assertEqual(self.run_process([RUNNER, "x.vta", "--theads", "2"]),
                         (2, "", "vta-run: --theads: is not an option; did you mean --threads? vta-run --help lists them\n"))
        self.assertTrue(self.run_process([RUNNER, "--version"])[1].startswith("vta-run "))

    def test_version(self):
        text = self.done("--version")
        for same in (["version"], ["run", "--version"], ["--quiet", "version"]):
            self.assertEqual(self.done(*same), text)
        with open(os.path.join(tool.SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(vta VERSION ([0-9.]+)", file.read())[1]
        facts = dict(line.split(": ", 1) for line in text.splitlines()[1:])
        self.assertEqual(text.splitlines()[0], f"vta {version}")
        self.assertRegex(facts.pop("commit"), r"^([0-9a-f]{12,}(-dirty)?|unknown)$")
        self.assertRegex(facts.pop("build"), r"^\w+, \w+ [0-9.]+, \w+, with(out)? XRT$")
        self.assertRegex(facts.pop("LLVM"), r"^[0-9]+\.[0-9.]+$")
        self.done("compile", DIGITS, "-o", "p.vta")
        self.assertEqual(facts, {"package format": self.read("p.vta")[:8].decode(), "ISA": "0.0.2, 1.0"})
        if os.path.exists("/proc/self/maps"):  # code generation is not loaded for it
            self.assertNotIn("LLVM", self.run_process(["ldd", tool.TOOL])[1])

    def bash_completes(self, script, *words):
        """What bash offers for the last of the words."""
        program = (f'. "{script}"; COMP_WORDS=({" ".join(map(repr, words))}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); '
                   f'{"_" + words[0].replace("-", "_")}; printf "%s\\n" "${{COMPREPLY[@]}}"')
        status, out, errors = self.run_process(["bash", "--norc", "-c", program])
        self.assertEqual((status, errors), (0, ""))
        return [line for line in out.splitlines() if line]

    def test_bash_completes(self):
        self.done("completion", "bash", "-o", "vta.bash")
        self.write("model.onnx", b"")
        os.mkdir(self.path("models"))
        offers = lambda *words: self.bash_completes(self.path("vta.bash"), *words)
        for name, text in self.help.items():
            with self.subTest(command=name):
                listed = [option for group in options(text).values() for option in group]
                offered = [word for word in offers(*name.split(), "--") if word.startswith("--")]
                self.assertEqual(sorted(offered), sorted(set(listed + EVERYWHERE)))
                below = [other.split()[-1] for other in self.help if " " in other and other.rsplit(" ", 1)[0] == name]
                if below:
                    self.assertEqual(sorted(offers(*name.split(), "")), sorted(below))
        self.assertEqual(offers("vta", "ru"), ["run"])
        self.assertEqual(offers("vta", "-q", "hw", "ar"), ["area"])
        self.assertEqual(offers("vta", "run", "--rounding", "d"), ["double"])
        self.assertEqual(offers("vta", "run", "--rounding", "=", "d"), ["double"])
        self.assertEqual(offers("vta", "run", "--engine", "f"), ["functional"])
        self.assertEqual(offers("vta", "--color", "a"), ["auto", "always"])
        self.assertEqual(sorted(offers("vta", "run", "mod")), ["model.onnx", "models"])
        self.assertEqual(sorted(offers("vta", "run", "--input", "mod")), ["model.onnx", "models"])
        self.assertEqual(offers("vta", "compile", "--dump-dir", "mod"), ["models"])
        self.assertEqual(offers("vta", "run", "--seed", ""), [])
        self.assertIn("pynq", offers("vta", "run", "-c", "py"))
        self.assertEqual(offers("vta", "model", "resnet5"), ["resnet50"])
        self.assertEqual(offers("vta-run", "--th"), ["--threads"])
        for name in "star *.png", "star one.png":
            self.write(name, b"")
        self.assertEqual(sorted(offers("vta", "run", "--input", "star")), ["star *.png", "star one.png"])

    def test_fish_completes(self):
        self.done("completion", "fish", "-o", "vta.fish")
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")

        def offers(line):
            run = subprocess.run(["fish", "--no-config", "-c", "source vta.fish; complete -C $argv[1]", line], cwd=self.folder,
                                 env={**os.environ, "HOME": self.folder}, capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            return [row.split("\t")[0] for row in run.stdout.splitlines()]
        self.write("model.onnx", b"")
        self.assertEqual(offers("vta ru"), ["run"])
        self.assertEqual(offers("vta hw are"), ["area"])
        self.assertEqual(offers("vta run --round"), ["--rounding"])
        self.assertEqual(offers("vta run --rounding d"), ["double"])
        self.assertEqual(offers("vta run --input mod"), ["model.onnx"])
        self.assertEqual(offers("vta run mod"), ["model.onnx"])
        self.assertEqual(offers("vta run --colo"), ["--color"])
        self.assertEqual(offers("vta-run --thr"), ["--threads"])
        for name, text in self.help.items():
            for option in (option for group in options(text).values() for option in group):
                self.assertIn(f" -l {option[2:]} ", self.read("vta.fish").decode(), name)

    def test_zsh_completes(self):
        script = self.done("completion", "zsh")
        self.write("_vta", script)
        for name, text in self.help.items():
            function = re.search(rf"(?ms)^__{name.replace(' ', '__')}\(\) \{{\n(.*?)^\}}$", script)[1]
            for option in (option for group in options(text).values() for option in group):
                self.assertRegex(function, rf"'\*?{option}\[", name)
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        self.assertEqual(self.run_process(["zsh", "-f", "-n", "_vta"]), (0, "", ""))
        # compsys itself reads the specifications, in a shell on a terminal of its own.
        self.write("ask.zsh", r"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1=; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy"
            zpty -r -m shell line '*ready*'
            ask() { zpty -w -n shell $'\x15'"$1"$'\t'; zpty -r -m shell line "*$2*"; print -r -- "$2" }
            ask "vta ru" "vta run "
            ask "vta -q run --roun" "--rounding "
            ask "vta run --rounding dou" "double "
            ask "vta run -c py" "pynq "
            ask "vta hw are" "area "
            ask "vta-run --thr" "--threads "
            zpty -d shell
        """)
        run = subprocess.run(["timeout", "60", "zsh", "-f", "ask.zsh"], cwd=self.folder, env={**os.environ, "TERM": "dumb"},
                             stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout.split()), (0, ["vta", "run", "--rounding", "double", "pynq", "area", "--threads"]), run)

    def test_manual_pages(self):
        self.done("man", "-o", "pages")
        for page, names in (("vta.1", list(self.help)), ("vta-run.1", ["vta-run"]), ("vta-serve.1", ["vta-serve"])):
            text = self.read(f"pages/{page}").decode()
            for name in names:
                self.assertIn(name.replace("-", "\\-"), text)
        whole = self.read("pages/vta.1").decode()
        self.assertEqual(self.done("man"), whole)
        for text in self.help.values():
            for option in (option for group in options(text).values() for option in group):
                self.assertIn(option.replace("-", "\\-"), whole)
        self.write("hw_pnr.1", self.done("man", "hw", "pnr"))
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for page in ("pages/vta.1", "pages/vta-run.1", "pages/vta-serve.1", "hw_pnr.1"):
            status, out, errors = self.run_process(["groff", "-ww", "-man", "-Tutf8", "-P-cbou", page])
            self.assertEqual((status, errors), (0, ""), page)
            self.assertIn("EXIT STATUS", out)

    def test_messages_go_to_stderr_and_as_far_as_asked(self):
        notice = "vta: no --input: one random sample from seed 1\n"
        status, out, errors = self.run_tool("run", DIGITS)
        self.assertEqual((status, errors), (0, notice))
        for words in (["--quiet", "run", DIGITS], ["run", DIGITS, "-q"], ["run", DIGITS, "--log-level", "error"],
                      ["run", "--log-level=warning", DIGITS]):
            self.assertEqual(self.run_tool(*words)[2], "", words)
        for words in (["run", DIGITS, "--verbose"], ["-v", "run", DIGITS], ["--log-level", "debug", "run", DIGITS]):
            status, _, errors = self.run_tool(*words)
            self.assertEqual(status, 0)
            self.assertIn(notice, errors)
            for step in ("importing the model", "passes over the graph", "scheduling conv1", "generating 3 kernels", "step 1 of "):
                self.assertRegex(errors, rf"(?m)^vta: run .*: [0-9]+\.[0-9][0-9] s, .*{step}")
        self.assertEqual(self.run_tool("-q", "run", "none.onnx")[::2], (1, "vta: none.onnx: cannot open: No such file or directory\n"))
        self.refuses("--quiet excludes --verbose", "run", DIGITS, "-v", "-q")

    def test_colors(self):
        red = "\x1b[31m\x1b[1mvta:"
        for words, environment, colored in (([], {}, True), (["--color", "never"], {}, False), ([], {"NO_COLOR": "1"}, False),
                                            ([], {"NO_COLOR": ""}, True), (["--color=always"], {"NO_COLOR": "1"}, True),
                                            ([], {"TERM": "dumb"}, False)):
            status, said = self.on_terminal(tool.TOOL, "run", "none.onnx", *words, **environment)
            self.assertEqual(status, 1)
            self.assertEqual(said.startswith("vta: none.onnx"), not colored, (words, environment, said))
            self.assertEqual("\x1b[" in said, colored)
            said = self.on_terminal(tool.TOOL, "isa", "--help", *words, **environment)[1]
            self.assertEqual("\x1b[1mEverywhere:\x1b[0m" in said, colored, (words, environment))
        self.assertIn("\x1b[", self.run_tool("run", "none.onnx", "--color", "always")[2])
        self.assertNotIn("\x1b[", self.run_tool("run", "none.onnx")[2])

    def test_tables_fit_the_terminal(self):
        for name in ("a.json", "b.json"):
            self.done("run", "-q", DIGITS, "--report", name)
        full = self.done("report", "diff", "a.json", "b.json")
        self.assertEqual(self.on_terminal(tool.TOOL, "report", "diff", "a.json", "b.json"), (0, full))
        said = self.on_terminal(tool.TOOL, "report", "diff", "a.json", "b.json", columns=40)[1]
        self.assertLessEqual(max(len(line) for line in said[said.index("\nlayer"):].splitlines()), 40)
        self.assertEqual(said.count("\nlayer "), 2)
        for columns in (72, 100):
            status, said = self.on_terminal(tool.TOOL, "run", DIGITS, "-q", "--wide", columns=columns)
            self.assertEqual(status, 0)
            rules = re.findall(r"(?m)^-+$", said)
            self.assertGreater(len(rules), 1)  # its columns stand below each other
            self.assertLessEqual(max(map(len, rules)), columns)
        self.assertEqual(len(re.findall(r"(?m)^-+$", self.run_tool("run", DIGITS, "-q", "--wide")[1])), 1)

    def test_compile_draws_a_bar(self):
        self.done("model", "resnet18", "-o", "m.onnx")
        status, said = self.on_terminal(tool.TOOL, "compile", "m.onnx", "-o", "m.vta")
        self.assertEqual(status, 0)
        self.assertRegex(said, r"\[#+ *\] compile m.onnx: [0-9]+ s, [0-9]+ of [0-9]+, (scheduling|generating) ")
        self.assertRegex(said, r"\r\x1b\[Km\.vta: [0-9,]+ bytes, [^\r]*\n$")
        status, said = self.on_terminal(tool.TOOL, "compile", "m.onnx", "-o", "m.vta", "--quiet")
        self.assertRegex(said, r"^m\.vta: [^\r]*\n$")

    def test_an_argument_writes_no_control_character(self):
        bad = "\x1b[2J\x07\n\x9b"
        for words in ([bad], ["--" + bad], ["run", bad], ["run", "--" + bad], ["run", DIGITS, "--engine", bad], ["run", DIGITS, "extra" + bad],
                      ["run", DIGITS, "-c", bad], ["run", DIGITS, "-c", bad + "/x.json"], ["hw", bad], ["help", bad], ["compile", bad, "-o", "x"],
                      ["compile", DIGITS, "-o", bad + "/x"], ["run", DIGITS, "--limit", bad], ["completion", bad], ["dis", bad],
                      ["exec", bad], ["report", "diff", bad, bad], ["run", DIGITS, "--dim", bad], ["run", DIGITS, "--place", bad]):
            status, out, errors = self.run_tool(*words)
            self.assertIn(status, (1, 2), words)
            self.assertEqual(out, "", words)
            lines = errors.replace("\nRun with --help for more information.\n", "\n")
            self.assertEqual(lines.count("\n"), 1, (words, errors))
            self.assertTrue(lines[:-1].isprintable(), (words, errors))
        out = self.done("compile", DIGITS, "-o", "\x1b[2J.vta")
        self.assertTrue(out.startswith("\\x1b[2J.vta: "), out)


tool.main()
