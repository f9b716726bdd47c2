#===- srun.py - jobs that Slurm starts ------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Jobs of `srun` on a cluster of two nodes (slurm.py): the command, and an unmodified JAX program, over TCP and, by
`srun --mpi=pmix`, over MPI. Results have the bits of one process. Skipped where Slurm is not installed or may not be
started."""

import filecmp
import json
import os
import subprocess
import sys
import tempfile

import job
import slurm

both = job.both
PROGRAM = """
import os, re, sys
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

if len(sys.argv) > 2:
    jax.distributed.initialize()
mesh = jax.make_mesh((jax.device_count(),), ("x",), axis_types=(AxisType.Auto,))
rows = np.random.RandomState(1).uniform(-2, 2, (8, 33)).astype(np.float32)
x = jax.make_array_from_callback(rows.shape, NamedSharding(mesh, P("x")), lambda index: rows[index])
y, z = jax.jit(lambda x: (jnp.tanh(x @ x.T) + jnp.sum(x), jnp.sum(x, 0)), out_shardings=NamedSharding(mesh, P()))(x)
with open("/proc/self/maps") as maps:
    engines = sorted(set(re.findall(r"libshardwright_(mpi|gloo)", maps.read())))
np.savez(sys.argv[1].replace("{process}", str(jax.process_index())), y=np.asarray(y), z=np.asarray(z))
print(f"says {jax.process_index()} of {jax.process_count()}, {len(jax.local_devices())} of {jax.device_count()} devices, {engines}")
"""


class Jobs:
    def __init__(self, tally, cluster, folder):
        self.tally, self.cluster, self.folder = tally, cluster, folder
        self.tool = os.path.join(os.path.dirname(job.library_dir()), "bin", "shardwright")
        self.example = os.path.join(job.ROOT, "examples", "mlp_train")
        self.command = [self.tool, "run", os.path.join(self.example, "mlp_train.mlir"), os.path.join(self.example, "inputs.npz")]
        self.one, self.many = os.path.join(folder, "one.npz"), os.path.join(folder, "many.npz")
        # Open MPI runs as root if it is told so. Processes on nodes of one machine would take each other's shared memory.
        self.mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "tcp,self"}

    def rendezvous(self):
        return {"SHARDWRIGHT_RENDEZVOUS": tempfile.mkdtemp(dir=self.folder)}

    def check(self, case, done, condition):
        code, out, err = done
        return self.tally.check(case, condition, f"exit code {code}\n{out}\n{err}")

    def same(self, case, done, devices, transport="tcp"):
        """The command has succeeded on processes with these numbers of devices, with the results of one."""
        code, out, err = done
        if self.check(case, done, code == 0 and err == ""):
            stats = json.loads(out)
            self.tally.equal(f"{case}: processes", (devices, transport), (stats["devices_per_process"], stats["transport"]))
            self.tally.check(f"{case}: bits", filecmp.cmp(self.one, self.many, shallow=False), "other results than one process")
            os.remove(self.many)

    def commands(self):
        """`shardwright run` on 2 and 4 processes, on one node and on two."""
        subprocess.run([*self.command, f"--out={self.one}"], check=True, capture_output=True)
        command = [*self.command, f"--out={self.many}", "--stats=json"]
        for words, devices in [("-n 2", 4), ("-n 4", 2), ("-n 4 -N 2", 2), ("-n 2 -N 2", 4)]:
            done = self.cluster.run("srun", "--quiet", *words.split(), *command, f"--devices-per-process={devices}", **self.rendezvous())
            self.same(f"srun {words}", done, [devices] * (8 // devices))
        done = self.cluster.run("srun", "-n", "2", *command)
        self.check("srun without a rendezvous", done, done[0] == 2 and done[2].count("srun --mpi=pmix") == 2)
        done = self.cluster.run("srun", "-n", "2", *command, "--devices-per-process=3", **self.rendezvous())
        self.check("an error", done, done[0] == 2 and done[2].count("have 6") == 1)

    def batch(self):
        """A batch script is one process, its steps are jobs of as many processes as they say."""
        script = os.path.join(self.folder, "batch.sh")
        lines = ["#!/bin/bash", "#SBATCH -n 4 -N 2", f"{' '.join(self.command)} --out={self.folder}/batch.npz > /dev/null || exit",
                 f"SHARDWRIGHT_RENDEZVOUS=$(mktemp -d -p {self.folder}) srun --quiet -n 3 {' '.join(self.command)} --out={self.many} --stats=json"]  # fmt: skip
        with open(script, "w") as file:
            file.write("\n".join(lines) + "\n")
        output = os.path.join(self.folder, "batch.out")
        code, out, err = self.cluster.run("sbatch", "--quiet", "--wait", f"--output={output}", script)
        with open(output) as file:
            out += file.read()
        self.same("sbatch", (code, out, err), [3, 3, 2])
        if os.path.exists(f"{self.folder}/batch.npz"):
            self.tally.check("sbatch: the script", filecmp.cmp(self.one, f"{self.folder}/batch.npz", shallow=False), "other results")

    def has_mpi(self):
        if not os.path.exists(os.path.join(job.library_dir(), "libshardwright_mpi.so")):
            return "MPI was not there when the tree was built"
        return "" if "pmix" in "".join(self.cluster.run("srun", "--mpi=list")[1:]) else "Slurm has no PMIx here"

    def by_mpi(self):
        """MPI needs no rendezvous."""
        for words, devices in [("-n 2", 4), ("-n 4 -N 2", 2)]:
            done = self.cluster.run("srun", "--quiet", "--mpi=pmix", *words.split(), *self.command, f"--out={self.many}", "--stats=json",
                                    f"--devices-per-process={devices}", **self.mpi)  # fmt: skip
            self.same(f"srun --mpi=pmix {words}", done, [devices] * (8 // devices), "mpi")

    def jax(self, with_mpi):
        """`jax.distributed.initialize()` finds Slurm."""
        script = os.path.join(self.folder, "program.py")
        with open(script, "w") as file:
            file.write(PROGRAM)
        one = os.path.join(self.folder, "jax.npz")
        subprocess.run([sys.executable, script, one], check=True, capture_output=True, env=job.environment("shardwright", 8))
        for words, processes, engine in [("-n 2", 2, []), ("-n 4 -N 2", 4, []), *([("--mpi=pmix -n 4 -N 2", 4, ["mpi"])] if with_mpi else [])]:
            env = job.environment("shardwright", 8 // processes)
            env.update(self.mpi, SHARDWRIGHT_TRANSPORT="auto", SLURM_CONF=self.cluster.environment["SLURM_CONF"])
            files = os.path.join(self.folder, "jax{process}.npz")
            done = self.cluster.run("srun", "--quiet", *words.split(), sys.executable, script, files, "job", **env)
            case = f"srun {words} python"
            wanted = [f"says {i} of {processes}, {8 // processes} of 8 devices, {engine}" for i in range(processes)]
            if self.check(case, done, done[0] == 0 and all(text in done[1] for text in wanted)):
                same = all(filecmp.cmp(one, files.replace("{process}", str(i)), shallow=False) for i in range(processes))
                self.tally.check(f"{case}: bits", same, "other results than one process")


def main(doc):
    args = both.arguments(doc)
    import oracle

    tally = oracle.Tally("jax/processes/srun", args.show)
    why = slurm.missing()
    if why:
        tally.skip("srun", why)
        tally.finish()
    slurm.enter()
    with tempfile.TemporaryDirectory() as folder, slurm.Cluster() as cluster:
        try:
            cluster.start()
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            tally.skip("srun", f"Slurm cannot be started here: {error}")
            tally.finish()
        jobs = Jobs(tally, cluster, folder)
        jobs.commands()
        jobs.batch()
        without_mpi = jobs.has_mpi()
        if without_mpi:
            tally.skip("srun --mpi=pmix", without_mpi)
        else:
            jobs.by_mpi()
        jobs.jax(not without_mpi)
    tally.finish()


main(__doc__)
