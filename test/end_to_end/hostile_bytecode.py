#===- hostile_bytecode.py - mutated bytecode never crashes a tool ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Changes, cuts or duplicates a few bytes in the bytecode of the examples, and in HLO protos, which only
`shardwright` reads. `shardwright partition` exits with 0 or 2, `shardwright-opt` with 0, 1 or 2; neither
crashes, hangs or prints more than one error. MLIR's own reader crashes on about one in fifty."""

import glob
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

OPT = os.path.join(os.path.dirname(oracle.TOOL), "shardwright-opt")


def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(5, len(data))
        what = rng.randrange(8)
        if what == 0:
            del data[at:]
            data += b"\0" * rng.randrange(4)
        elif what == 1:
            data[at:at] = data[at : at + rng.randrange(1, 9)]
        else:
            data[at] = rng.choice((0, 1, 255, rng.randrange(256)))
    return bytes(data)


def main():
    args = oracle.arguments(__doc__, 40, 2000)
    tally = oracle.Tally("hostile_bytecode")
    with tempfile.TemporaryDirectory() as folder:
        sources = []
        for name in oracle.EXAMPLES:
            path = os.path.join(folder, name)
            done = oracle.process([OPT, "--emit-bytecode", oracle.example(name), "-o", path])
            assert done.returncode == 0, done.stderr
            with open(path, "rb") as file:
                sources.append((file.read(), True))
        for path in sorted(glob.glob(os.path.join(oracle.ROOT, "test", "interop", "hlo", "*.pb"))):
            with open(path, "rb") as file:
                sources.append((file.read(), False))
        for rng in oracle.generators(args):
            path = os.path.join(folder, "mutated")
            source, is_bytecode = rng.choice(sources)
            with open(path, "wb") as file:
                file.write(mutated(source, rng))
            commands = [([oracle.TOOL, "partition", path], (0, 2)), ([OPT, path], (0, 1, 2))]
            for command, allowed in commands if is_bytecode else commands[:1]:
                done = subprocess.run(command, capture_output=True, timeout=120)
                stderr = done.stderr.decode(errors="replace")
                errors = [line for line in stderr.splitlines() if "error: " in line]
                tally.check(
                    f"{rng.name} {os.path.basename(command[0])}",
                    done.returncode in allowed and (len(errors) == 1 or done.returncode < 2),
                    f"exit code {done.returncode}\n{stderr[-2000:]}",
                )
    tally.finish()


if __name__ == "__main__":
    main()
