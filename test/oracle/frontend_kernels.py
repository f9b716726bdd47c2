#===- frontend_kernels.py - random kernels over cores ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded kernels (frontend/kernel_programs.py), run by frontend_kernels_server: with threads, without and with jit, and
with race detection in several orders, and on the devices of a mesh, each with other numbers. Every value must be that of the same program in numpy, where copies are done at
once, and in Pallas' interpret mode, where it takes the program; no race may be found. Each tenth program is broken once
in each way: that must be named in every order."""

# Feature: core-map
import os
import random
import re
import select
import subprocess

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

import oracle
from frontend import kernel_programs, kernel_reference

args = oracle.arguments(__doc__, cases=24, long_cases=400)
BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")
RUNS = [("eager", 0), ("jit", 0), ("races", 0), ("races", 1), ("races", 2)]
# What the error of each broken kernel says.
FAULTS = {
    "wait": r"a race in .*dma_start|dma_start.* is in flight|the semaphore .*dma_start.* added|has left the run_scoped",
    "semwait": r"a race in |the semaphore .*semaphore_signal.* added|has left the run_scoped",
    "signal": r"is deadlocked.*waits in `semaphore_wait",
    "range": r"positions \d+( to \d+)? are not inside of dimension",
    "writer": r"a race in ",
}


class Server:
    def __init__(self):
        self.process = subprocess.Popen([os.path.join(BUILD, "bin", "frontend_kernels_server")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def ask(self, mode, seed, program):
        """The lines of the answer. Raises if the server ends, or takes more than two minutes."""
        self.process.stdin.write(f"{mode} {seed} {kernel_programs.text(program)}\n".encode())
        self.process.stdin.flush()
        answer = b""
        while not answer.endswith(b"done\n"):
            if not select.select([self.process.stdout], [], [], 120)[0]:
                self.process.kill()
                raise RuntimeError("the kernel hangs")
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                raise RuntimeError(f"the server ended with {self.process.wait()}")
            answer += part
        return answer.decode().splitlines()[:-1]


def ask(server, mode, seed, program):
    """The answer, from a new server if this one has ended."""
    if server.process.poll() is not None:
        server.__init__()
    try:
        return server.ask(mode, seed, program)
    except (RuntimeError, BrokenPipeError) as error:
        return [f"error {error}"]


def difference(expected, lines):
    """What differs, or None."""
    if len(lines) != len(expected) or any(line.startswith("error") for line in lines):
        return "\n".join(lines).replace("~", "\n")
    for number, (x, line) in enumerate(zip(expected, lines)):
        found = np.array(line.split()[1:], np.float32)
        if not np.array_equal(found, x.ravel()):
            return f"array {number}: {found}\nexpected: {x.ravel()}"
    return None


def compare_with_pallas(tally, case, program, features, expected):
    from frontend import kernel_pallas

    if features & kernel_pallas.REFUSED:
        return False
    try:
        found = kernel_pallas.run(program, case.seed_value)
    except Exception as error:
        kernel_pallas.reset()
        tally.fail(f"{case.name} (Pallas)", f"{type(error).__name__}: {error}\n{kernel_programs.text(program)}")
        return False
    same = all(np.array_equal(x, y) for x, y in zip(found, expected))
    tally.check(f"{case.name} (Pallas)", same, f"Pallas: {found}\nexpected: {expected}\n{kernel_programs.text(program)}")
    return True


def check(tally, server, case):
    made = kernel_programs.Generator(case)
    program = made.program
    features = made.features | ({"x64"} if made.x64 else set())
    expected = kernel_reference.run(program)
    for mode, seed in RUNS:
        wrong = difference(expected, ask(server, mode, seed, program))
        tally.check(f"{case.name} ({mode} {seed})", wrong is None, f"{wrong}\n{kernel_programs.text(program)}")
    check_mesh(tally, server, case, program)
    return compare_with_pallas(tally, case, program, features, expected), features, made.fault.counts


def rotated(program, device):
    """The program as a device of a mesh has it: with the numbers of each array rotated."""
    turned = [[*ref[:3], [ref[3][(i + device) % len(ref[3])] for i in range(len(ref[3]))]] for ref in program[2]]
    return [*program[:2], turned, *program[3:]]


def check_mesh(tally, server, case, program):
    devices = random.Random(case.seed_value).choice([2, 3, 4])
    runs = [kernel_reference.run(rotated(program, device)) for device in range(devices)]
    expected = [np.stack(arrays) for arrays in zip(*runs)]
    for mode in (f"mesh {devices}", f"mesh-races {devices}"):
        wrong = difference(expected, ask(server, mode, case.seed_value, program))
        tally.check(f"{case.name} ({mode})", wrong is None, f"{wrong}\n{kernel_programs.text(program)}")


def visible(steps):
    """The steps around kernels without those that write what a kernel has written: who is seen by nobody is not run."""
    first = next(i for i, step in enumerate(steps) if step[0] == "kernel")
    later = [["get", *step[1:3]] if step[0] == "swap" else step for step in steps[first:]]
    return steps[:first] + [step for step in later if step[0] != "set"]


def broken(seed, fault):
    """The program of a seed with a fault, or None if it is the same as without."""
    program, whole = (kernel_programs.Generator(random.Random(seed), f).program for f in (fault, None))
    return None if program == whole else [*program[:3], visible(program[3])]


def check_faults(tally, server, case, counts):
    """Breaks the program in each way that it has a place for. Returns the kinds."""
    kinds = []
    for kind, text in FAULTS.items():
        places = list(range(counts.get(kind, 0)))
        random.Random(case.seed_value).shuffle(places)
        for number in places:
            program = broken(case.seed_value, kernel_programs.Fault(kind, number))
            if not program:
                continue
            kinds.append(kind)
            for seed in range(3):
                answer = ask(server, "races", seed, program)
                tally.check(f"{case.name} ({kind} {number}, order {seed})", re.search(text, "\n".join(answer)),
                            "\n".join(answer).replace("~", "\n") + f"\n{kernel_programs.text(program)}")
            break
    return kinds


def main():
    tally = oracle.Tally("frontend_kernels")
    server, pallas, kinds, seen = Server(), 0, {}, {}
    for case in oracle.generators(args):
        ran, features, counts = check(tally, server, case)
        pallas += ran
        for name in features:
            seen[name] = seen.get(name, 0) + 1
        if case.seed_value % 10 == 0:
            for kind in check_faults(tally, server, case, counts):
                kinds[kind] = kinds.get(kind, 0) + 1
    server.process.stdin.close()
    print(f"{pallas} programs compared with Pallas; broken: {kinds}; features: {seen}")
    tally.finish()


main()
