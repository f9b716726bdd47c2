#===- simulate.py - predicted beside measured times of several processes --===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Fits the link between two processes of this machine from loops of all_reduces of three sizes, and compares `shardwright
simulate` on it with loops of other sizes on 2 and 4 processes. A machine file of this machine (`shardwright measure`) gives the
times within a process: --machine. Each figure is the least of --turns runs."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
COMMAND = os.path.join(BUILD, "bin", "shardwright")
FITTED = {1 << 10: 2000, 1 << 18: 300, 1 << 23: 20}
CHECKED = {1 << 8: 2000, 1 << 14: 1000, 1 << 20: 100, 1 << 22: 40}


def loop_of_sums(size, trips):
    """Each iteration sums an array of `size` bytes over all devices."""
    n = size // 4
    row, whole = f"tensor<{n}xf32>", f"tensor<8x{n}xf32>"
    return f"""sdy.mesh @mesh = <["x"=8]>
func.func @main(%x: {whole} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}})
    -> ({row} {{sdy.sharding = #sdy.sharding<@mesh, [{{}}]>}}) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<{trips}> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.constant dense<0.0> : {row}
  %r:2 = stablehlo.while(%i = %zero, %sum = %start) : tensor<i32>, {row}
  cond {{
    %go = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }} do {{
    %j = stablehlo.add %i, %one : tensor<i32>
    %wide = stablehlo.broadcast_in_dim %sum, dims = [1] : ({row}) -> {whole}
    %y = stablehlo.add %x, %wide : {whole}
    %next = stablehlo.reduce(%y init: %none) applies stablehlo.add across dimensions = [0] : ({whole}, tensor<f32>) -> {row}
    stablehlo.return %j, %next : tensor<i32>, {row}
  }}
  return %r#1 : {row}
}}
"""


class Programs:
    def __init__(self, folder, base, turns):
        self.folder, self.base, self.turns = folder, base, turns

    def module(self, size, trips):
        path = os.path.join(self.folder, f"sum{size}.mlir")
        with open(path, "w") as file:
            file.write(loop_of_sums(size, trips))
        return path

    def machine(self, devices, link):
        path = os.path.join(self.folder, "machine.json")
        with open(path, "w") as file:
            json.dump(self.base | {"processes": {"devices_per_process": devices, "link": link}}, file)
        return path

    def simulate(self, size, trips, processes, link):
        """Seconds of an iteration, and the bytes that a process sends in it."""
        command = [COMMAND, "simulate", self.module(size, trips), f"--machine={self.machine(8 // processes, link)}",
                   f"--processes={processes}", "--json"]  # fmt: skip
        job = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["jobs"][0]
        return job["step_seconds"] / trips, job["bytes_between_processes"] / trips

    def measure(self, size, trips, processes, link):
        best, sent = None, 0
        for _ in range(self.turns):
            rendezvous = tempfile.mkdtemp(dir=self.folder)
            command = [COMMAND, "run", self.module(size, trips), "--random=1", "--stats=json",
                       f"--machine={self.machine(8 // processes, link)}", f"--devices-per-process={8 // processes}"]  # fmt: skip
            running = [
                subprocess.Popen(
                    command,
                    env=os.environ
                    | {"SHARDWRIGHT_PROCESSES": str(processes), "SHARDWRIGHT_PROCESS": str(p), "SHARDWRIGHT_RENDEZVOUS": rendezvous},
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for p in range(processes)
            ]
            output = [process.communicate(timeout=300)[0] for process in running]
            stats = json.loads(output[0])
            seconds = stats["run_seconds"] / trips
            best = seconds if best is None else min(best, seconds)
            sent = stats["sent_between_processes"] / trips
        return best, sent


def fit(programs):
    """The link whose predictions are nearest to the measured times: latency from the smallest size, the rest per byte."""
    free = {"bytes_per_second": 1e30, "latency_seconds": 0}
    rows = []
    for size, trips in FITTED.items():
        within, sent = programs.simulate(size, trips, 2, free)
        measured, _ = programs.measure(size, trips, 2, free)
        rows.append((sent, 1 if size < 1 << 15 else 2, max(measured - within, 0)))
    latency = rows[0][2] / rows[0][1]
    for _ in range(20):
        bandwidth = rows[-1][0] / max(rows[-1][2] - rows[-1][1] * latency, 1e-9)
        latency = max(rows[0][2] - rows[0][0] / bandwidth, 1e-7) / rows[0][1]
    return {"bytes_per_second": bandwidth, "latency_seconds": latency}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", help="what `shardwright measure` wrote here")
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    base = {}
    if args.machine:
        with open(args.machine) as file:
            base = json.load(file)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(folder, base, args.turns)
        link = fit(programs)
        print(f"link: {link['latency_seconds'] * 1e6:.1f} us, {link['bytes_per_second'] / 1e9:.2f} GB/s")
        print(f"{'bytes':>10} processes  predicted us  measured us  ratio  bytes sent")
        for processes in (2, 4):
            for size, trips in (FITTED | CHECKED).items():
                predicted, expected = programs.simulate(size, trips, processes, link)
                measured, sent = programs.measure(size, trips, processes, link)
                failed |= sent != expected
                print(f"{size:10} {processes:9} {predicted * 1e6:13.1f} {measured * 1e6:12.1f} {predicted / measured:6.2f}"
                      f"  {sent:.0f}{'' if sent == expected else f', predicted {expected:.0f}'}")  # fmt: skip
    sys.exit(failed)


main()
