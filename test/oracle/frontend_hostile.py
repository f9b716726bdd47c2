#===- frontend_hostile.py - wrong arguments for every function ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls every operation that the tests of the C++ front end know with arguments that mostly do not fit: arrays of
other types, ranks and sizes, empty ones, keys, null handles, and parameters of any value. The answer is a value or an
error, within a time limit: no crash, no hang."""

import json
import os
import re
import select
import subprocess

import oracle

args = oracle.arguments(__doc__, cases=4000, long_cases=200000)

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "frontend")
SERVER = os.path.join(oracle.BUILD, "bin", "frontend_server")
SECONDS = 60
ARRAYS = [
    "f32 2,3 1 -2 3 0 5 6", "f32 - 2.5", "f32 0,3", "f32 3 nan inf -inf", "i32 4 3 -1 0 9", "i32 - -7", "bool 2,3 1 0 1 1 0 0",
    "c64 2,2 1 2 3 4 5 6 7 8", "f16 1,4,1 1 2 3 4", "u8 5 1 2 3 4 255", "f32 2,2 1 2 2 1", "u32 2 7 9", "f32 1 4", "bf16 2,0",
    "f32 1,4,4,1 " + " ".join(map(str, range(16))), "i8 2,3 1 2 3 4 5 6", "key -",
]  # fmt: skip
# Of vmap: all have a leading dimension of the same size.
BATCHES = [
    "f32 2,3 1 -2 3 0 5 6", "f32 2 1 2", "i32 2,2 1 2 3 4", "bool 2 1 0", "c64 2,2 1 2 3 4 5 6 7 8", "f32 2,0", "f32 2,2,2 1 2 3 4 5 6 7 8",
    "u32 2,2 7 9 1 2", "u8 2,1 1 2", "f16 2,1,4,1 1 2 3 4 5 6 7 8",
]  # fmt: skip
NUMBERS = [-(2**63), 2**63 - 1, 2**45, -(2**40), -7, -3, -2, -1, -1, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 9]


# Parameters that choose from a table of the test.
CHOICES = {"by", "method", "mode", "policy", "kind", "type", "norm", "to", "which", "trans", "spec", "config"}


def parameter_names():
    """Returns the names of the parameters that the operations read."""
    found = set()
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith(".cc"):
            with open(os.path.join(FOLDER, name)) as file:
                found.update(re.findall(r'(?:get|one)\(k, "(\w+)"\)', file.read()))
    return sorted(found)


PARAMETERS = parameter_names()
# They divide by a size or swap dimensions themselves; the loop does not end for empty arrays.
LEFT_OUT = {"conv_plain", "ffi_cholesky", "while_double"}


class Server:
    def __init__(self):
        self.process = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, text):
        """Returns the answer, or None if the server has ended or does not answer."""
        try:
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
        line = self.process.stdout.readline() if ready else b""
        return json.loads(line, strict=False) if line.endswith(b"\n") else None

    def stop(self):
        self.process.kill()
        self.process.communicate()
        return self.process.returncode


def subscripts(rng):
    """Returns the codes of some subscripts (index_ops.cc): integers, slices, new dimensions, `...`, arrays."""
    n = lambda: rng.choice(NUMBERS)
    kinds = (lambda: [0, n()], lambda: [1, 1, n(), 1, n(), n()], lambda: [2], lambda: [3], lambda: [4], lambda: [4])
    return ",".join(str(code) for _ in range(rng.choice([1, 1, 2, 2, 3])) for code in rng.choice(kinds)())


def program(rng, name):
    lines = [f"in {rng.choice(ARRAYS)}" for _ in range(8)]
    lines += [f"batch {rng.choice(BATCHES)}" for _ in range(8)]
    numbers = lambda: ",".join(str(rng.choice(NUMBERS)) for _ in range(rng.choice([1, 2, 2, 3, 4])))
    values = {key: rng.randrange(2) if key in CHOICES else numbers() for key in PARAMETERS}
    values["idx"] = subscripts(rng)
    keys = " ".join(f"{key}={value}" for key, value in values.items())
    # The last of them does not exist: a null handle.
    chosen = " ".join(str(rng.randrange(8) if rng.random() < 0.95 else 9) for _ in range(8))
    kind = rng.choice(["eager:", "eager:", "jaxpr:", "jaxpr:vjp", "jaxpr:jvp", "jaxpr:vmap", "eager:vmap", "types:"])
    return "\n".join([*lines, f"op {name} {chosen} {keys}", "out 8", f"ask {kind}"]) + "\n"


def main():
    tally = oracle.Tally("frontend_hostile", show=20)
    server = Server()
    names = sorted(set(server.ask("operations\n")) - LEFT_OUT)
    for rng in oracle.generators(args):
        name = rng.choice(names)
        text = program(rng, name)
        answer = server.ask(text)
        code = 0
        if answer is None:
            code = server.stop()
            server = Server()
        tally.check(f"{rng.name} {name}", answer is not None, f"no answer, exit code {code}\n{text}")
    server.stop()
    tally.check("operations", len(names) > 300, f"only {len(names)} operations")
    tally.finish()


main()
