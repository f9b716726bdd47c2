#===- simulate.py - predicted beside measured times of several processes --===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Fits the link between processes of this machine from loops of all_reduces: of three sizes on 2 processes, of the smallest one
on 4. Compares `shardwright simulate` with loops of these and other sizes on 2 and 4 processes, which share the cores of this
machine. A machine file of this machine (`shardwright measure`) gives the times within a process: --machine. Each figure is the
least of --turns runs. On a machine that does other work, start it by `chrt --rr 1`."""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
COMMAND = os.path.join(BUILD, "bin", "shardwright")
FITTED = {1 << 10: 2000, 1 << 18: 300, 1 << 23: 20}
FITTED_ON = [(1 << 10, 2), (1 << 18, 2), (1 << 23, 2), (1 << 10, 4)]  # size, processes
CORES = len(os.sched_getaffinity(0))
# Times that are fitted: of a packet until it is there, of a process for a packet, of a byte in caches, and of another byte.
START = np.array([1e-5, 1e-5, 2e-10, 1e-9])
CHECKED = {1 << 8: 2000, 1 << 14: 1000, 1 << 20: 100, 1 << 22: 40}


def loop_of_sums(size, trips):
    """Each iteration is an all_reduce of `size` bytes of each device: no machine makes another plan of it."""
    n = size // 4
    row = f"tensor<{n}xf32>"
    return f"""sdy.mesh @mesh = <["x"=8]>
func.func @main(%x: tensor<{8 * n}xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}})
    -> ({row} {{sdy.sharding = #sdy.sharding<@mesh, [{{}}]>}}) {{
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{"x"}}]>] out_shardings=[<@mesh, [{{}}]>] manual_axes={{"x"}} (%own: {row}) {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %trips = stablehlo.constant dense<{trips}> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : {row}
    %r:2 = stablehlo.while(%i = %zero, %sum = %start) : tensor<i32>, {row}
    cond {{
      %go = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    }} do {{
      %j = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.add %own, %sum : {row}
      %next = "stablehlo.all_reduce"(%y) ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }}) {{replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}} : ({row}) -> {row}
      stablehlo.return %j, %next : tensor<i32>, {row}
    }}
    sdy.return %r#1 : {row}
  }} : (tensor<{8 * n}xf32>) -> {row}
  return %0 : {row}
}}
"""


class Programs:
    def __init__(self, folder, base, turns):
        self.folder, self.base, self.turns = folder, base, turns
        self.measured = {}

    def module(self, size, trips):
        path = os.path.join(self.folder, f"sum{size}.mlir")
        with open(path, "w") as file:
            file.write(loop_of_sums(size, trips))
        return path

    def machine(self, devices, link):
        path = os.path.join(self.folder, "machine.json")
        with open(path, "w") as file:
            host = {"devices_per_process": devices, "per_host": 8 // devices, "cores_per_host": CORES}
            json.dump(self.base | {"processes": host | {"link": link}}, file)
        return path

    def simulate(self, size, trips, processes, link):
        """Seconds of an iteration, and the bytes that a process sends in it."""
        command = [COMMAND, "simulate", self.module(size, trips), f"--machine={self.machine(8 // processes, link)}",
                   f"--processes={processes}", "--json"]  # fmt: skip
        job = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["jobs"][0]
        return job["step_seconds"] / trips, job["bytes_between_processes"] / trips

    def measure(self, size, trips, processes, link, again=False):
        """Likewise, as measured so far."""
        key = size, processes
        if again or key not in self.measured:
            found = self.run(size, trips, processes, link)
            self.measured[key] = min(found, self.measured.get(key, found))
        return self.measured[key]

    def run(self, size, trips, processes, link):
        rendezvous = tempfile.mkdtemp(dir=self.folder)
        command = [COMMAND, "run", self.module(size, trips), "--random=1", "--stats=json",
                   f"--machine={self.machine(8 // processes, link)}", f"--devices-per-process={8 // processes}"]  # fmt: skip
        own = {"SHARDWRIGHT_PROCESSES": str(processes), "SHARDWRIGHT_RENDEZVOUS": rendezvous}
        running = [
            subprocess.Popen(command, env=os.environ | own | {"SHARDWRIGHT_PROCESS": str(p)}, stdout=subprocess.PIPE, text=True)
            for p in range(processes)
        ]
        output = [process.communicate(timeout=300)[0] for process in running]
        stats = json.loads(output[0])
        return stats["run_seconds"] / trips, stats["sent_between_processes"] / trips

    def measure_all(self, link):
        """Measures each loop --turns times, in turns, so that other work on the machine disturbs all of them alike."""
        for _ in range(self.turns):
            for size, trips in (FITTED | CHECKED).items():
                for processes in (2, 4):
                    self.measure(size, trips, processes, link, again=True)


def link_of(times):
    latency, message, cached, byte = (float(t) for t in times)
    return {"latency_seconds": latency, "message_seconds": message, "cached_bytes_per_second": 1 / max(cached, 1e-30),
            "bytes_per_second": 1 / max(byte, 1e-30)}  # fmt: skip


def solve(matrix, seconds):
    """The times, none below zero, whose sums are nearest to the seconds, in ratios. Caches are not slower than memory."""
    best, least = None, np.inf
    for used in itertools.chain.from_iterable(itertools.combinations(range(len(START)), n) for n in range(1, len(START) + 1)):
        times = np.zeros(len(START))
        times[list(used)] = np.linalg.lstsq(matrix[:, used], seconds, rcond=None)[0]
        wrong = np.linalg.norm(matrix @ times - seconds)
        _, _, cached, byte = times
        if times.min() >= 0 and cached <= byte and wrong < least - 1e-9:
            best, least = times, wrong
    return best


def fit(programs):
    """The link whose predictions are nearest to the measured times. How often each time counts in a step, `simulate` says."""
    times = START
    for _ in range(4):
        matrix, seconds = [], []
        for size, processes in FITTED_ON:
            trips = FITTED[size]
            predict = lambda times: programs.simulate(size, trips, processes, link_of(times))[0]  # noqa: B023, E731
            base = predict(times)
            steps = np.maximum(times, START / 100) * 0.01
            counts = np.array([(predict(times + step) - base) / step[i] for i, step in enumerate(np.diag(steps))])
            measured = programs.measure(size, trips, processes, link_of(times))[0]
            matrix.append(counts / measured)
            seconds.append((measured - (base - counts @ times)) / measured)
        found = solve(np.array(matrix), np.array(seconds))
        if np.allclose(found, times, rtol=0.01, atol=1e-12):
            break
        times = found
    return times


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
        programs.measure_all(link_of(START))
        link = link_of(fit(programs))
        print(f"link: {link['latency_seconds'] * 1e6:.1f} us, {link['message_seconds'] * 1e6:.1f} us of work for a packet, "
              f"{link['bytes_per_second'] / 1e9:.2f} GB/s, in caches {link['cached_bytes_per_second'] / 1e9:.2f} GB/s")  # fmt: skip
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
