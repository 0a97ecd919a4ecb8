"""Workers that Slurm starts with the script of docs/farm.md, on one node: they do a search's work, heed the signal of the end of their time, and the next ones go on.

usage: farm_slurm.py TOOL SOURCE_FOLDER
"""

import getpass
import os
import re
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(sys.argv[2], "tests/remote"))

import farm  # noqa: E402
import tool  # noqa: E402

os.environ["PATH"] += ":/usr/sbin"
# The control groups of the node are another one's: what Slurm has of them lies in a folder that is none.
CONFIG = """ClusterName=farm
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SchedulerParameters=batch_sched_delay=0,sched_interval=1
KillWait=10
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
CONTROL_GROUPS = "CgroupPlugin=cgroup/v1\nCgroupMountpoint={folder}/groups\nCgroupAutomount=no\n"


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class SlurmTest(farm.FarmTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)  # munged wants it
        for name in ("state", "spool", "munge", "bin", "groups"):
            os.mkdir(self.path(name))
        os.symlink(tool.TOOL, self.path("bin/vta"))
        self.write("munge/key", os.urandom(64))
        os.chmod(self.path("munge/key"), 0o600)
        facts = {"host": socket.gethostname().split(".")[0], "ports": free_ports(2), "folder": self.folder, "user": getpass.getuser(),
                 "cpus": os.cpu_count()}
        self.write("slurm.conf", CONFIG.format(**facts))
        self.write("cgroup.conf", CONTROL_GROUPS.format(**facts))
        self.environment = {"SLURM_CONF": self.path("slurm.conf"), "HOME": self.folder, "PATH": self.path("bin") + ":" + os.environ["PATH"]}
        files = [f"--{what}={self.path('munge/' + name)}" for what, name in
                 (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))]
        self.daemon("munged", "--foreground", *files)
        self.wait_for("munged", lambda: os.path.exists(self.path("munge/socket")))
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D")
        self.wait_for("the node", lambda: self.slurm("sinfo", "--noheader", "--format=%T") == "idle\n")
        self.addCleanup(self.end_jobs)

    def daemon(self, *words):
        log = open(self.path(words[0] + ".said"), "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | self.environment,
                                   preexec_fn=farm.heed_signals)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def slurm(self, *words):
        """What it prints; nothing where it fails, as long as what it asks does not answer."""
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=farm.PATIENCE, env=os.environ | self.environment).stdout

    def end_jobs(self):
        self.slurm("scancel", "--user", getpass.getuser())
        self.wait_for("the end of all jobs", lambda: self.slurm("squeue", "--noheader") == "")

    def script(self, url):
        """The one that the page has, for a server that is here."""
        page = os.path.join(tool.SOURCE, "docs/farm.md")
        with open(page, encoding="utf-8") as file:
            script = re.search(r"<<'END'\n(#!/bin/sh\n#SBATCH .*?)END\n", file.read(), re.DOTALL)[1]
        self.assertIn("tls://farm:4222", script)
        return script.replace("tls://farm:4222", url)

    def test_workers_that_slurm_starts(self):
        self.done("serve", "--make-credentials", "credentials")
        self.done("model", "resnet_tiny", "-o", "m.onnx")
        _, url = self.up("--credentials", "credentials/server")
        self.write("workers.sbatch", self.script(url))
        job = re.match(r"Submitted batch job ([0-9]+)\n\Z", self.slurm("sbatch", "workers.sbatch"))[1]
        tune = ["tune", "m.onnx", "-c", "small_8x8", "--trials", "40", "--log"]
        _, here, _ = self.run_tool(*tune, "here.jsonl", "--jobs", "1")
        status, there, errors = self.run_tool(*tune, "there.jsonl", "--farm", url, "--credentials", "credentials/client")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(self.best(there), self.best(here))
        self.assertRegex(there, r"messages by 1 worker; 0 sent again, 0 set aside")
        # As at the end of its time, one minute before which the signal of the script comes; then the next one of the array is there.
        self.slurm("scancel", "--batch", "--signal=TERM", f"{job}_1")
        said = self.path(f"slurm-{job}_1.out")
        ended = r"works for \S+ as \S+\n(slurmstepd.+\n)?[1-9][0-9]* jobs in [1-9][0-9]* batches\n\Z"
        self.wait_for("the end of the first worker", lambda: re.match(ended, self.text(said)))
        self.wait_for("the second worker", lambda: self.text(self.path(f"slurm-{job}_2.out")).startswith("works for "))
        status, _, errors = self.run_tool(*tune, "again.jsonl", "--farm", url, "--credentials", "credentials/client")
        self.assertEqual((status, errors), (0, ""))

    def text(self, path):
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()


if missing := [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if shutil.which(name) is None]:
    sys.exit(f"farm_slurm.py: {missing[0]} is missing: apt-get install the packages of group slurm in tools/packages.txt")
tool.main()
