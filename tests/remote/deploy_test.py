"""vta deploy to a board that is an sshd on loopback whose root is a folder with BusyBox alone.

usage: deploy_test.py TOOL SOURCE_FOLDER. Exit status 77 (skipped) where there is no sshd, no busybox, or no root of one's own.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest.mock

sys.path.insert(0, os.path.join(sys.argv[2], "tests/cli"))

import tool  # noqa: E402

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
SERVER = os.path.join(os.path.dirname(tool.TOOL), "vta-serve")
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/bin")
CHROOT = shutil.which("chroot", path="/usr/sbin:/usr/bin")
BUSYBOX = shutil.which("busybox")
OWN_ROOT = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-mr"]
COMMANDS = ("cat", "chmod", "cp", "cut", "df", "dirname", "grep", "id", "kill", "mkdir", "mv", "pwd", "rm", "sha256sum",
            "sleep", "tail", "tr")
SYSTEMCTL = """#!/bin/sh
echo "$@" >> /systemctl.log
case "$*" in
  "enable --now vta-serve") sed -n 's/^ExecStart=//p' /etc/systemd/system/vta-serve.service > /start.sh
    sh /start.sh > /data/vta/vta-serve.log 2>&1 < /dev/null & echo $! > /unit.pid ;;
  "is-active -q vta-serve") kill -0 $(cat /unit.pid) ;;
esac
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class DeployTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        for folder in ("bin", "data", "tmp", "proc", "dev", "etc"):
            os.makedirs(self.path(f"board/{folder}"))
        shutil.copy(BUSYBOX, self.path("board/bin/busybox"))
        for name in (*COMMANDS, "sed"):
            os.symlink("busybox", self.path(f"board/bin/{name}"))
        shutil.copy("/bin/dash", self.path("board/bin/sh"))  # BusyBox's own would not ask for scripts in PATH
        self.copy_libraries("/bin/dash")
        self.script("board/bin/uname", 'case "$1" in -s) echo Linux ;; *) echo x86_64 ;; esac\n')
        self.script("enter", f"exec {' '.join(OWN_ROOT)} sh -c 'mount --bind {self.path('board')} {self.path('board')} && mount --rbind /proc {self.path('board/proc')} && mount --rbind /dev {self.path('board/dev')} && "
                    f"cd / && exec {CHROOT} {self.path('board')} /bin/sh -c \"cd /data; $SSH_ORIGINAL_COMMAND\"'\n")
        for key in "host", "user":
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(key)], check=True)
        self.port = free_port()
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self.write("sshd_config", f"""Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.path('host')}
AuthorizedKeysFile {self.path('user.pub')}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
SetEnv HOME=/data PATH=/bin
ForceCommand {self.path('enter')}
""".encode())
        self.write("known_hosts", f"[127.0.0.1]:{self.port} ".encode() + self.read("host.pub"))
        sshd = subprocess.Popen([SSHD, "-D", "-e", "-f", self.path("sshd_config")], stderr=subprocess.DEVNULL)
        self.addCleanup(sshd.wait)
        self.addCleanup(sshd.kill)
        self.addCleanup(self.end_server)
        self.until(lambda: socket.create_connection(("127.0.0.1", self.port)).close() is None)
        self.assertEqual(self.run_tool("compile", DIGITS, "--cpu", "x86-64", "-o", "digits.vta")[0], 0)

    def copy_libraries(self, program):
        """Of a program that is no static one, to where the board would have them."""
        libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"/\S+", libraries):
            os.makedirs(self.path(f"board{os.path.dirname(library)}"), exist_ok=True)
            shutil.copy(library, self.path(f"board{library}"))

    def until(self, good):
        end = time.monotonic() + 30
        while True:
            try:
                if good():
                    return
            except OSError:
                pass
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def script(self, name, text):
        if os.path.islink(self.path(name)):
            os.remove(self.path(name))
        self.write(name, b"#!/bin/sh\n" + text.encode())
        os.chmod(self.path(name), 0o755)

    def pid(self, name="data/vta/vta-serve.pid"):
        return int(self.read(f"board/{name}")) if os.path.exists(self.path(f"board/{name}")) else None

    def end_server(self):
        for name in ("data/vta/vta-serve.pid", "unit.pid"):
            if self.pid(name):
                try:
                    os.kill(self.pid(name), signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def deploy(self, *arguments, package="digits.vta", port=None):
        return self.run_tool("deploy", package, "--to", f"{os.environ.get('USER', 'root')}@127.0.0.1", "--port", str(port or self.port), "--identity", "user",
                             "--ssh-option", f"UserKnownHostsFile={self.path('known_hosts')}", "--ssh-option", "BatchMode=yes", *arguments)

    def failed(self, message, *arguments, **more):
        status, out, errors = self.deploy(*arguments, **more)
        self.assertEqual(status, 1, out)
        self.assertRegex(errors, rf"^vta: \w+@127\.0\.0\.1: {message}\n\Z")

    def test_a_server_is_put_there_started_and_tested(self):
        given = ("--device", "functional", "--device", "cycle", "--listen", "127.0.0.1:0", "--key", "ultra96")
        status, out, errors = self.deploy(*given)
        self.assertEqual((status, errors), (0, ""), out)
        size = f"{os.path.getsize(SERVER):,}"
        self.assertRegex(out, rf"(?m)\A\w+@127\.0\.0\.1: x86_64, [0-9,]+ bytes sent to /data/vta\n")
        self.assertGreater(int(re.search(r"([0-9,]+) bytes", out)[1].replace(",", "")), int(size.replace(",", "")))
        self.assertEqual(re.findall(r"(?m)^self-test of (\w+): passed in [0-9.]+ s$", out), ["functional", "cycle"])
        self.assertRegex(out, r"(?m)^\S+ on functional: one run in [0-9.]+ ms$")
        where = re.search(r"(?m)^serves functional as remote://(127\.0\.0\.1:([0-9]+))/ultra96$", out)
        self.assertRegex(out, rf"(?m)^reached from here by: ssh -N -L {where[2]}:127.0.0.1:{where[2]} ")
        listed = json.loads(self.done("devices", where[1], "--json"))
        self.assertEqual([one["leases"] for one in listed["devices"]], [1, 1])
        self.assertEqual(listed["cache"]["packages"], 1)
        self.assertEqual(sorted(os.listdir(self.path("board/data/vta"))),
                         ["digits.vta", "vta-serve", "vta-serve.log", "vta-serve.pid", "vta-serve.sh"])
        # Once more: nothing is sent, and the new server is in the place of the old one.
        old = self.pid()
        status, out, errors = self.deploy(*given)
        self.assertEqual((status, errors), (0, ""))
        self.assertIn(": x86_64, 0 bytes sent to ", out)
        self.assertNotEqual(self.pid(), old)
        self.until(lambda: not os.path.exists(f"/proc/{old}"))
        # By systemd, with what clients must show.
        self.end_server()
        self.script("board/bin/systemctl", SYSTEMCTL)
        self.done("serve", "--make-credentials", "shown")
        tracker = subprocess.Popen([tool.TOOL, "tracker", "--listen", "127.0.0.1:0", "--credentials", "shown/server"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(tracker.stdout.close)
        self.addCleanup(tracker.wait)
        self.addCleanup(tracker.kill)
        tracked = re.search(r"127\.0\.0\.1:[0-9]+", tracker.stdout.readline())[0]
        status, out, errors = self.deploy("--device", "functional", "--listen", "0.0.0.0:0", "--credentials", "shown", "--systemd", "--tracker", tracked)
        self.assertEqual((status, errors), (0, ""), out)
        self.assertEqual(self.read("board/systemctl.log").decode().splitlines()[:3], ["stop vta-serve", "daemon-reload", "enable --now vta-serve"])
        self.assertEqual({os.stat(self.path(f"board/data/vta/credentials/{name}")).st_mode & 0o777
                          for name in os.listdir(self.path("board/data/vta/credentials"))}, {0o600})
        port = re.search(r"remote://0\.0\.0\.0:([0-9]+)/", out)[1]
        self.assertEqual(self.run_tool("devices", f"127.0.0.1:{port}")[0], 1)
        self.done("devices", f"127.0.0.1:{port}", "--credentials", "shown/client")
        self.until(lambda: [device["server"] for device in json.loads(self.done("devices", tracked, "--json", "--credentials", "shown/client"))["devices"]]
                   == [f"127.0.0.1:{port}"])

    def test_a_runner_is_put_there_and_tested(self):
        self.copy_libraries(os.path.join(os.path.dirname(tool.TOOL), "vta-run"))
        status, out, errors = self.deploy("--runner", "--device", "functional")
        self.assertEqual((status, errors), (0, ""), out)
        self.assertRegex(out, r"(?s)\A\S+: x86_64, [0-9,]+ bytes sent to /data/vta\nself-test on functional: [0-9]+ programs, all as they should\n\S+: 1 run on x86_64, the accelerator simulated: ")
        self.assertEqual(sorted(os.listdir(self.path("board/data/vta"))), ["digits.vta", "vta-run"])

    def test_the_file_of_a_device_goes_with_it(self):
        self.write("shell.xclbin", b"what XRT reads")
        given = ("--device", "xrt:shell.xclbin@3", "--listen", "127.0.0.1:0")
        self.copy_libraries(os.path.join(os.path.dirname(tool.TOOL), "vta-run"))
        self.failed("self-test: failed: .*xrt.*", "--runner", *given[:2])  # there is no such device
        self.assertEqual(self.read("board/data/vta/shell.xclbin"), b"what XRT reads")
        self.script("board/bin/uname", 'case "$1" in -s) echo Linux ;; *) echo aarch64 ;; esac\n')
        os.mkdir(self.path("build"))
        self.write("build/vta-serve", b"#!/bin/sh\necho $@\n")
        self.failed("vta-serve: failed: --listen 127.0.0.1:0 --package digits.vta --device xrt:shell.xclbin@3", *given, "--build", "build")
        if not os.path.exists(os.path.join(tool.SOURCE, "build-aarch64-xrt/bin/vta-serve")):
            self.failed("machine = aarch64: has no build: cmake --preset aarch64-xrt and .*", *given)
        os.remove(self.path("shell.xclbin"))
        status, _, errors = self.deploy(*given, "--build", "build")
        self.assertEqual((status, errors), (1, "vta: shell.xclbin: cannot open: No such file or directory\n"))

    def test_what_fails_is_said_and_leaves_what_was_there(self):
        given = ("--device", "functional", "--listen", "127.0.0.1:0")
        self.refuses("--device: is missing: what runs the programs of digits.vta: functional, cycle, or one of the board's",
                     "deploy", "digits.vta", "--to", "nobody@nowhere")
        self.refuses("--listen: 0.0.0.0:1: can be reached from other machines, for which --credentials is needed: vta serve --make-credentials makes some",
                     "deploy", "digits.vta", "--to", "nobody@nowhere", "--device", "cycle", "--listen", "0.0.0.0:1")
        self.failed("ssh says: .*Connection refused.*", *given, port=free_port())
        self.write("known_hosts", b"")
        self.failed("ssh says: .*Host key verification failed.*", *given)
        self.write("known_hosts", f"[127.0.0.1]:{self.port} ".encode() + self.read("host.pub"))
        os.rename(self.path("user.pub"), self.path("other.pub"))
        self.failed("ssh says: .*Permission denied.*", *given)
        os.rename(self.path("other.pub"), self.path("user.pub"))
        with unittest.mock.patch.dict(os.environ, PATH="/nowhere"):
            self.failed("ssh says: there is no program ssh: it is in Debian's openssh-client", *given)
        self.failed("vta-serve: failed: vta-serve: --device: rtl must be one of cpu, functional, cycle, .*", "--device", "rtl", "--listen", "127.0.0.1:0")
        # What was half copied is not there; what was there stays.
        shutil.rmtree(self.path("board/data/vta"))
        self.script("board/bin/df", "echo x; echo /dev/root 1000 900 100 90% /\n")
        self.failed(r"disk of /data/vta = 102400 bytes: must have [0-9]+ bytes free", *given)
        self.script("board/bin/df", "echo x; echo /dev/root 1000 900 100000000 90% /\n")
        self.script("board/bin/cat", "head -c 1000; echo 'cat: write error: No space left on device' >&2; exit 1\n")
        os.symlink("busybox", self.path("board/bin/head"))
        self.write("board/data/vta/vta-serve", b"old")
        self.failed("file /data/vta/vta-serve: cannot be put there: .*No space left on device.*", *given)
        self.assertEqual(self.read("board/data/vta/vta-serve"), b"old")
        self.script("board/bin/cat", "head -c 1000\n")
        self.failed("file /data/vta/vta-serve: cannot be put there: it came damaged", *given)
        self.assertEqual((self.read("board/data/vta/vta-serve"), os.listdir(self.path("board/data/vta"))), (b"old", ["vta-serve"]))
        for machine, build, message in (("riscv64", (), "has no build: there are those for x86_64, aarch64, armv7l and armv8l, as uname -m has them; .*"),
                                        ("aarch64", ("--build", "."), "is to have --build's program, and there is no ./vta-serve")):
            self.script("board/bin/uname", f'case "$1" in -s) echo Linux ;; *) echo {machine} ;; esac\n')
            self.failed(f"machine = {machine}: {message}", *given, *build)
        self.script("board/bin/uname", "echo Darwin\n")
        self.failed("system = Darwin: must be Linux, for which the programs are", *given)

    def test_a_program_of_another_machine_does_not_start(self):
        self.script("board/bin/uname", 'case "$1" in -s) echo Linux ;; *) echo armv7l ;; esac\n')
        self.write("vta-serve", b"\x7fELF, but of another machine")
        self.failed(r"vta-serve: failed: .*vta-serve.*", "--device", "functional", "--listen", "127.0.0.1:0", "--build", ".")


if not SSHD or not BUSYBOX or not os.path.exists(SERVER) or subprocess.run([*OWN_ROOT, "true"], capture_output=True).returncode:
    print("skipped: no sshd, busybox, vta-serve or root of one's own")
    sys.exit(77)
tool.main()
