#===- jobs.py - several processes, their messages and their ends ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Jobs of several processes (job_worker.cc) exchange random messages over TCP, Gloo and MPI. Processes are killed and stopped, leave,
never start, or differ: the others report that within a second, or within SHARDWRIGHT_PEER_TIMEOUT."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

BUILD = os.environ.get("SHARDWRIGHT_BUILD") or os.path.join(oracle.ROOT, "build")
WORKER = os.path.join(BUILD, "bin", "job_worker")
LIMIT = 120
PEER_TIMEOUT = 2


def has_engine(name):
    if name == "tcp":
        return True
    if not os.path.exists(os.path.join(BUILD, "lib", f"libshardwright_{name}.so")):
        return False
    return name != "mpi" or shutil.which("mpirun")


def environment(**more):
    names = ("OMPI_", "PMI", "SLURM_", "SHARDWRIGHT_")
    return {k: v for k, v in os.environ.items() if not k.startswith(names)} | more


def start(engine, number, *arguments, started=None, **more):
    """Starts processes over TCP or Gloo. Returns (exit code, output) of each."""
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for process in range(number if started is None else started):
            env = environment(
                SHARDWRIGHT_PROCESSES=str(number),
                SHARDWRIGHT_PROCESS=str(process),
                SHARDWRIGHT_RENDEZVOUS=os.path.join(folder, "job"),
                SHARDWRIGHT_TRANSPORT=engine,
                **more,
            )
            running.append(
                subprocess.Popen([WORKER, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            )
        end = time.monotonic() + LIMIT
        results = []
        # A stopped process is ended when all others have.
        for process in sorted(running, key=lambda p: p is running[1] if len(running) > 1 else False):
            stopped = "stop" in arguments and process is running[1]
            try:
                output, _ = process.communicate(timeout=0.1 if stopped else max(end - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
                if not stopped:
                    output += "\nstopped by the test"
            results.append((running.index(process), process.returncode, output.strip()))
        return [(code, output) for _, code, output in sorted(results)]


def mpi(number, *arguments, **more):
    """Starts processes by mpirun. Returns its exit code and output."""
    env = environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)
    command = [*oracle.mpirun(number)[0], WORKER, *arguments]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
    return done.returncode, done.stdout


def traffic(tally, engine, seed):
    for number in (2, 3, 4):
        name = f"{engine} traffic, {number} processes, seed {seed}"
        if engine != "mpi":
            for process, (code, output) in enumerate(start(engine, number, "traffic", str(seed))):
                tally.equal(f"{name}, process {process}", (0, f"process {process} of {number} by {engine}: ok"), (code, output))
        else:
            code, output = mpi(number, "traffic", str(seed))
            tally.check(name, code == 0 and output.count("by mpi: ok") == number, output)


def faults(tally, engine):
    """A process comes to an end, and the others go on."""
    gone = r"process 1 \(\S+, pid \d+\) has gone \((.*)\)"
    expected = {
        "kill": (gone, 1000),
        "exit": (gone, 1000),
        "large": (gone, 1000),
        "leave": ("process 1 has ended", 1000),
        "stop": (gone, 1000 * PEER_TIMEOUT),
    }
    for fault, (text, limit) in expected.items():
        results = start(engine, 3, "fault", fault, SHARDWRIGHT_PEER_TIMEOUT=str(PEER_TIMEOUT))
        for process in (0, 2):
            name = f"{engine} {fault}, process {process}"
            code, output = results[process]
            found = re.fullmatch(rf"failed after (\d+) ms: ({text}.*)\nthe others: ok", output)
            tally.check(name, code == 0 and found, f"exit code {code}: {output}")
            if found:  # process 1 waits for 300 ms before
                tally.check(f"{name} in time", int(found.group(1)) <= 300 + limit, output)


def disagreements(tally, engine):
    for process, (code, output) in enumerate(start(engine, 3, "agree")):
        text = "error: process 2 has another build of Shardwright (b) than process 0 (a): all processes of a job need the same"
        tally.equal(f"{engine} agree, process {process}", (3, text), (code, output))
    order = r"process 0 runs barrier where process [12] runs broadcast from process 0 \(launch \d+\): all processes must .* same order"
    for process, (code, output) in enumerate(start(engine, 3, "order")):
        tally.check(f"{engine} order, process {process}", re.fullmatch(order, output), output)
    for process, (code, output) in enumerate(start(engine, 3, "reopen")):
        tally.equal(f"{engine} reopen, process {process}", (0, "ok"), (code, output))
    missing = "error: process 3 of 4 has not started within 1 s"
    for process, (code, output) in enumerate(start(engine, 4, "traffic", started=3, SHARDWRIGHT_START_TIMEOUT="1")):
        tally.check(f"{engine} missing, process {process}", code == 3 and output.startswith(missing), output)


def environments(tally):
    """Variables that are wrong or incomplete."""
    for more, text in [
        ({}, "error: this process belongs to no job: start it by mpirun, or set SHARDWRIGHT_PROCESSES, SHARDWRIGHT_PROCESS and "),
        ({"SHARDWRIGHT_PROCESSES": "x"}, "error: SHARDWRIGHT_PROCESSES is `x`: expected a number of at least 1"),
        ({"SHARDWRIGHT_PROCESSES": "2"}, "error: SHARDWRIGHT_PROCESS is ``: expected a number of at least 0"),
        ({"SHARDWRIGHT_PROCESSES": "2", "SHARDWRIGHT_PROCESS": "2"}, "error: SHARDWRIGHT_PROCESS is 2 in a job of 2 processes"),
        ({"SHARDWRIGHT_PROCESSES": "2", "SHARDWRIGHT_PROCESS": "1"}, "error: SHARDWRIGHT_PROCESSES is set, but SHARDWRIGHT_RENDEZVOUS"),
        ({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0", "SHARDWRIGHT_TRANSPORT": "smoke"}, "error: unknown transport `smoke`"),
        ({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0", "SHARDWRIGHT_PEER_TIMEOUT": "soon"}, "error: SHARDWRIGHT_PEER_TIMEOUT is `soon`"),
    ]:  # fmt: skip
        done = subprocess.run([WORKER, "traffic"], env=environment(**more), capture_output=True, text=True, timeout=LIMIT)
        tally.check(f"environment {more}", done.returncode == 3 and done.stdout.startswith(text), done.stdout + done.stderr)


def mpi_ends(tally, _):
    """mpirun ends the others when a process dies, so that little is left to report."""
    code, output = mpi(3, "order")
    tally.check("mpi order", code == 0 and output.count("runs broadcast from process 0") == 3, output)
    # mpirun reports the first exit code, and ends processes that have yet to print why. Told to wait for them it reports none.
    code, _ = mpi(3, "agree")
    _, output = mpi(3, "agree", OMPI_MCA_orte_abort_on_non_zero_status="0")
    tally.check("mpi agree", code == 3 and output.count("process 2 has another build of Shardwright (b)") == 3, output)
    for fault in ("kill", "exit"):
        start = time.monotonic()
        code, output = mpi(3, "fault", fault)
        tally.check(f"mpi {fault}", code != 0 and time.monotonic() - start < 20, f"exit code {code}: {output}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=2, help="seeds of random traffic")
    parser.add_argument("--long", action="store_true", help="20 seeds")
    args = parser.parse_args()
    tally = oracle.Tally("jobs")
    if not os.path.exists(WORKER):
        tally.skip("jobs", "no job_worker in the build")
        return tally.finish()
    for engine, rest in (("tcp", (faults, disagreements)), ("gloo", (faults, disagreements)), ("mpi", (mpi_ends,))):
        if not has_engine(engine):
            tally.skip(engine, f"no transport {engine} in the build, or no mpirun")
            continue
        for seed in range(args.seed, args.seed + (20 if args.long else args.cases)):
            traffic(tally, engine, seed)
        for check in rest:
            check(tally, engine)
    environments(tally)
    tally.finish()


main()
