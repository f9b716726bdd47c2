#===- slurm.py - a Slurm cluster on this machine --------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A Slurm cluster of two nodes on this machine, for tests of jobs that srun starts. Its daemons and the script run in
namespaces of their own (mounts, network, processes): they use the ports and files of no other cluster, and end with
the script. Needs root."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

NODES = ("node0", "node1")
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo", "scontrol", "bash", "unshare", "ip")
NAMESPACES = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
# The first process of a namespace is to reap orphans, as bash does: slurmstepd waits for the last process of a step.
FIRST = ["bash", "-c", '"$@"; exit $?', "bash"]
INSIDE = "SLURM_TEST_NAMESPACES"

CONFIGURATION = """
ClusterName=test
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmctldPort=7001
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdLogFile={folder}/slurmd.%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why there can be no cluster here, or an empty text."""
    found = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if not shutil.which(name, path=found)]
    if absent:
        return f"not installed here: {', '.join(absent)}"
    done = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True)
    return f"namespaces are not allowed here: {done.stderr.strip()}" if done.returncode else ""


def enter():
    """Runs this script again in namespaces of its own, unless it is there already. Does not return then."""
    if INSIDE not in os.environ:
        sys.stdout.flush()
        env = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "OMPI_", "PMI"))}
        env[INSIDE] = "1"
        os.execvpe(NAMESPACES[0], [*NAMESPACES, *FIRST, sys.executable, *sys.argv], env)


class Cluster:
    """Munge, the controller and two nodes. Call `enter` before."""

    def __init__(self, processors=4):
        self.processors = processors
        self.folder = tempfile.mkdtemp(prefix="slurm")
        self.environment = {**os.environ, "SLURM_CONF": f"{self.folder}/slurm.conf"}
        self.environment["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

    def execute(self, *command, check=True):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start_network(self):
        """The C library resolves no names where loopback is the only device: there is another one, which is not used."""
        self.execute("ip", "link", "set", "lo", "up")
        self.execute("ip", "link", "add", "own0", "type", "veth", "peer", "name", "own1")
        self.execute("ip", "addr", "add", "10.251.78.1/24", "dev", "own0")
        for device in ("own0", "own1"):
            self.execute("ip", "link", "set", device, "up")
        names = " ".join(dict.fromkeys(["localhost", socket.gethostname(), *NODES]))
        self.execute("mount", "--bind", self.write("hosts", f"127.0.0.1 {names}\n"), "/etc/hosts")

    def start_munge(self):
        key = os.path.join(self.folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(1024))
        names = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid", "log-file": "munged.log", "seed-file": "munged.seed"}
        self.execute("munged", "--force", *(f"--{option}={self.folder}/{name}" for option, name in names.items()))

    def start(self, limit=60):
        """Returns when the nodes are idle."""
        os.chmod(self.folder, 0o755)
        self.start_network()
        self.start_munge()
        os.mkdir(os.path.join(self.folder, "state"))
        nodes = "\n".join(f"NodeName={name} NodeHostname={socket.gethostname()} NodeAddr=127.0.0.1 Port={7002 + i} CPUs={self.processors}"
                          for i, name in enumerate(NODES))  # fmt: skip
        self.write("slurm.conf", CONFIGURATION.format(folder=self.folder, nodes=nodes))
        # No control group is made; version 1 does not look at what is mounted.
        self.write("cgroup.conf", "CgroupPlugin=cgroup/v1\n")
        self.execute("slurmctld")
        for name in NODES:
            for kind in ("spool", "tmp"):
                os.mkdir(os.path.join(self.folder, f"{kind}.{name}"))
            self.execute("slurmd", "-N", name)
        end = time.monotonic() + limit
        while self.execute("sinfo", "--noheader", "--format=%T %D", check=False).strip() != f"idle {len(NODES)}":
            if time.monotonic() > end:
                raise RuntimeError(f"the nodes of Slurm are not idle after {limit} s:\n{self.logs()}")
            time.sleep(0.2)

    def logs(self):
        texts = []
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".log"):
                with open(os.path.join(self.folder, name), errors="replace") as file:
                    texts.append(f"--- {name}\n{file.read()[-2000:]}")
        return "\n".join(texts)

    def run(self, *command, limit=200, **more):
        """Runs a command of Slurm. Returns its exit code (None: it took too long), and what it wrote."""
        running = subprocess.Popen(command, env={**self.environment, **more}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)  # fmt: skip
        try:
            out, err = running.communicate(timeout=limit)
            return running.returncode, out, err
        except subprocess.TimeoutExpired:
            running.kill()
            out, err = running.communicate()
            return None, out, err + f"\nno end within {limit} s\n{self.logs()}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.execute("scontrol", "shutdown", check=False)
        end = time.monotonic() + 10
        while any(name.startswith("slurm") and name.endswith(".pid") for name in os.listdir(self.folder)) and time.monotonic() < end:
            time.sleep(0.1)
        self.execute("munged", "--stop", f"--socket={self.folder}/munge.socket", check=False)
        self.execute("umount", "/etc/hosts", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
