"""What ./vta package makes: its contents, that nothing in them leads back to the folder they were made in, and that the tool runs from where each
was unpacked, with an empty environment.

usage: package_test.py SOURCE_FOLDER SCRATCH_FOLDER
"""

import array
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = map(os.path.abspath, sys.argv[1:3])
DEMO = "share/vta/tools/demo"


def run(*command, **options):
    """Exit status, stdout and stderr together."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, **options)
    return done.returncode, done.stdout.decode(errors="replace")


def done(*command, **options):
    status, output = run(*command, **options)
    if status:
        raise AssertionError(f"{' '.join(command)}: status {status}\n{output[-4000:]}")
    return output


def version():
    with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(vta VERSION (\S+)", file.read())[1]


def setUpModule():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    made = subprocess.run([os.path.join(SOURCE, "vta"), "package"], env=dict(os.environ, VTA_YES="1"), check=True, stdout=subprocess.PIPE, text=True)
    PackageTest.deb, = (line for line in made.stdout.split("\n") if line.endswith(".deb"))
    PackageTest.archive, = (line for line in made.stdout.split("\n") if line.endswith(".tar.gz"))
    unpacked = os.path.join(SCRATCH, "a folder")
    os.makedirs(unpacked)
    done("dpkg-deb", "-x", PackageTest.deb, os.path.join(unpacked, "debian"))
    done("tar", "-xf", PackageTest.archive, "-C", unpacked)
    PackageTest.prefixes = [os.path.join(unpacked, "debian/usr"),
                            os.path.join(unpacked, os.path.basename(PackageTest.archive).removesuffix(".tar.gz"))]


def tearDownModule():
    shutil.rmtree(SCRATCH)


class PackageTest(unittest.TestCase):
    def vta(self, prefix, *arguments):
        """stdout of the unpacked tool, in an empty folder, without an environment."""
        return done(os.path.join(prefix, "bin/vta"), *arguments, cwd=self.empty(),
                    env={"PATH": "/usr/bin:/bin", "HOME": os.path.join(SCRATCH, "home")})

    def empty(self):
        folder = os.path.join(SCRATCH, "here")
        os.makedirs(folder, exist_ok=True)
        return folder

    def test_are_of_this_version(self):
        self.assertRegex(os.path.basename(self.deb), rf"^vta_{re.escape(version())}_\w+\.deb$")
        self.assertTrue(os.path.basename(self.archive).startswith(f"vta-{version()}-linux-"))
        for path in self.deb, self.archive:
            with open(path, "rb") as file, open(path + ".sha256", encoding="utf-8") as said:
                self.assertEqual(said.read().split(), [hashlib.sha256(file.read()).hexdigest(), os.path.basename(path)])

    def test_debian_knows_what_is_needed(self):
        fields = done("dpkg-deb", "-f", self.deb)
        for name in "libc6", "libllvm19", "libprotobuf32", "libxrt1", "libfmt9", "libxgboost0", "libpagmo8":
            self.assertRegex(fields, rf"(?m)^Depends: .*\b{re.escape(name)}\b")
        self.assertRegex(fields, r"(?m)^Recommends: verilator, make, g\+\+$")
        self.assertRegex(fields, rf"(?m)^Version: {re.escape(version())}$")
        for line in done("dpkg-deb", "-c", self.deb).splitlines():
            self.assertRegex(line, r"^[-dl][rwx-]{9} root/root +\d+ \S+ \S+ \./(usr/|$)")
            self.assertRegex(line, r"^(l|.{7}r)")  # everybody may read it

    def test_both_hold_the_same(self):
        def files(prefix):
            return sorted(os.path.relpath(os.path.join(folder, name), prefix) for folder, _, names in os.walk(prefix) for name in names)
        self.assertEqual(*map(files, self.prefixes))
        for name in ("bin/vta", "bin/vta-run", "lib/vta/libvta_codegen.so", "lib/vta/libvta_search.so", "lib/vta/libvta_xrt.so",
                     "lib/vta/libvta_xrt_device.so", "share/doc/vta/copyright", "share/doc/vta/CHANGELOG.md",
                     "share/doc/vta/pages/README.md", "share/vta/isa/configs/default.json", "share/vta/hw/vta.f", "share/vta/README.md",
                     "include/vta/runtime/c/vta.h"):
            self.assertTrue(os.path.exists(os.path.join(self.prefixes[0], name)), name)

    def test_nothing_leads_back(self):
        for prefix in self.prefixes:
            for folder, _, names in os.walk(prefix):
                for path in (os.path.join(folder, name) for name in names):
                    if os.path.islink(path):
                        self.assertFalse(os.path.isabs(os.readlink(path)), path)
                        continue
                    with open(path, "rb") as file:
                        content = file.read()
                    self.assertNotIn(SOURCE.encode(), content, path)
                    if content[:4] == b"\x7fELF":
                        self.assertNotRegex(done("readelf", "-d", path), "RPATH|RUNPATH", path)

    def test_runs_where_it_lies(self):
        for prefix in self.prefixes:
            with self.subTest(prefix):
                shutil.rmtree(self.empty())
                demo = os.path.join(prefix, DEMO)
                self.assertIn("accuracy 99.25 % int8 on cycle", self.vta(prefix, "demo"))
                self.vta(prefix, "compile", f"{demo}/digits_int8.onnx", "--cpu", "x86-64", "-o", "d.vta")
                with open(f"{demo}/images.bin", "rb") as pixels, open(self.empty() + "/in.bin", "wb") as values:
                    array.array("f", (pixel / 16 for pixel in pixels.read(64 * 25))).tofile(values)
                self.vta(prefix, "run", "d.vta", "--input", "in.bin", "--engine", "functional,cycle", "--output", "want.bin")
                self.vta(prefix, "hw", "package", "--board", "ultra96", "-o", "project")
                self.assertIn("default", self.vta(prefix, "isa", "--configs"))
                done(os.path.join(prefix, "bin/vta-run"), "d.vta", "--input", "in.bin", "--output", "got.bin", cwd=self.empty(), env={})
                with open(self.empty() + "/want.bin", "rb") as want, open(self.empty() + "/got.bin", "rb") as got:
                    self.assertEqual(want.read(), got.read())

    def test_c_programs_link(self):
        prefix, program = self.prefixes[0], os.path.join(SCRATCH, "digits")
        library = os.path.dirname(glob.glob(prefix + "/lib/**/libvta_runtime.so", recursive=True)[0])
        done("cc", "-std=c99", os.path.join(SOURCE, "tests/consumer/digits.c"), "-I", prefix + "/include/vta", "-L", library, "-lvta_runtime", "-o", program)
        minor = version().rpartition(".")[0]
        self.assertIn(f"[libvta_runtime.so.{minor}]", done("readelf", "-d", program))
        model = os.path.join(prefix, DEMO, "digits_int8.onnx")
        self.vta(prefix, "compile", model, "--target", "cpu", "-o", SCRATCH + "/cpu.vta")
        images = os.path.join(prefix, DEMO, "images.bin")
        self.vta(prefix, "run", SCRATCH + "/cpu.vta", "--input", images, "--input-type", "uint8", "--input-scale", "0.0625", "--output", SCRATCH + "/scores.bin")
        self.assertEqual(done(program, SCRATCH + "/cpu.vta", images, SCRATCH + "/scores.bin", env={"LD_LIBRARY_PATH": library}), "400 of 400 equal\n")

    def test_cut_in_half(self):
        for path, command in (self.deb, ["dpkg-deb", "-x"]), (self.archive, ["tar", "-C", SCRATCH + "/half", "-xf"]):
            half = os.path.join(SCRATCH, os.path.basename(path))
            os.makedirs(SCRATCH + "/half", exist_ok=True)
            with open(path, "rb") as whole, open(half, "wb") as cut:
                cut.write(whole.read(os.path.getsize(path) // 2))
            shutil.copy(path + ".sha256", SCRATCH)
            self.assertNotEqual(run(*command, half, *([SCRATCH + "/half"] if command[0] == "dpkg-deb" else []))[0], 0)
            status, output = run("sha256sum", "-c", os.path.basename(path) + ".sha256", cwd=SCRATCH)
            self.assertEqual((status, output.splitlines()[0]), (1, os.path.basename(path) + ": FAILED"))


unittest.main(argv=sys.argv[:1])
