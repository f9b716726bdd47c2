#===- run.py - messages between processes, beside MPI and Gloo alone ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Microseconds of an exchange between 2 and 4 processes of this machine: each sends a message to the next. `round trip` is a
message from process 0 to 1 and one back. Ours (with own matching, on threads of the transport) and the raw library alternate (Gloo beside
our engine on TCP), and the figures are least and median of all repetitions."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
SIZES = {"1 KiB": (1 << 10, 2000), "1 MiB": (1 << 20, 200), "64 MiB": (64 << 20, 10)}
TURNS = 3


def times(engine, program, number, arguments):
    """Returns the microseconds of each exchange."""
    command = [os.path.join(BUILD, "bin", program), *arguments]
    if engine == "mpi":
        env = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", str(number), *command], env=env, capture_output=True, text=True)
        return json.loads(done.stdout)
    with tempfile.TemporaryDirectory() as folder:
        running = [
            subprocess.Popen(
                command,
                env=os.environ
                | {"SHARDWRIGHT_TRANSPORT": engine, "SHARDWRIGHT_PROCESSES": str(number), "SHARDWRIGHT_PROCESS": str(p), "SHARDWRIGHT_RENDEZVOUS": folder},
                stdout=subprocess.PIPE,
                text=True,
            )
            for p in range(number)
        ]
        output = [process.communicate(timeout=300)[0] for process in running]
        return json.loads(output[0])


def measure(engine, number, size, repetitions, how):
    """Returns (least, median) of ours and of the raw library's times."""
    raw = "raw_mpi" if engine == "mpi" else "raw_gloo"
    all_times = {"messages": [], raw: []}
    for _ in range(TURNS):
        for program, found in all_times.items():
            found += times(engine, program, number, [str(size), str(repetitions), how])
    return [(min(found), statistics.median(found)) for found in all_times.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["mpi", "tcp", "gloo"], action="append")
    args = parser.parse_args()
    print(f"{'':34}{'ours: least, median':>24}{'raw: least, median':>24}{'ratio of medians':>18}")
    for engine in args.engine or ["mpi", "tcp", "gloo"]:
        if not os.path.exists(os.path.join(BUILD, "bin", "raw_mpi" if engine == "mpi" else "raw_gloo")) or engine == "mpi" and not shutil.which("mpirun"):
            print(f"{engine}: SKIPPED, it is not installed")
            continue
        for number, how in ((2, "once"), (2, "ring"), (4, "ring")):
            for name, (size, repetitions) in SIZES.items():
                ours, raw = measure(engine, number, size, repetitions, how)
                what = "round trip" if how == "once" else f"exchange of {number}"
                cells = [f"{least:,.1f} {median:,.1f}" for least, median in (ours, raw)]
                print(f"{engine + ' ' + what + ' ' + name:34}{cells[0]:>24}{cells[1]:>24}{ours[1] / raw[1]:18.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
