#===- round_trip.py - what JAX exports comes back the same -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs of `jax_corpus` go from jaxlib to ours and back and must stay the same module.

Each way is one of: pretty text, pretty text with locations, generic text, generic text with
locations, bytecode; each answer is compared as text, byte for byte:

  pretty    -> ours -> pretty    = jaxlib's pretty text
  pretty    -> ours -> generic   = jaxlib's generic text
  generic   -> ours -> pretty    = jaxlib's pretty text
  bytecode  -> ours -> locations = jaxlib's text with locations
  locations -> ours -> bytecode  -> jaxlib's text with locations
"""

import os
import re
import subprocess
import tempfile

import jax_corpus
import oracle
from oracle import ir

BATCH = 40
# MLIR 23, inside jaxlib, has codes for the types of 8 bits and fewer; MLIR 22 refuses them.
NEWER_TYPE = "unknown attribute code"


class Sources:
    """One program in the forms that travel. Text is parsed again first: an exported module
    holds attributes that its own text leaves out."""

    def __init__(self, program):
        self.name = program.name
        source = program.text(locations=True)
        for _ in range(3):  # the numbers of locations settle when they are read again
            self.module = oracle.parse(source)
            source = self.locations = oracle.text(self.module, locations=True)
        asm = self.module.operation.get_asm
        self.pretty, self.generic = asm(), asm(print_generic_op_form=True)

    def bytecode(self, path):
        with open(path, "wb") as file:
            self.module.operation.write_bytecode(file)


def compare(tally, batch, way, sources, wanted, *flags):
    found = oracle.ours_batch(sources, *flags)
    for program, source, want, have in zip(batch, sources, wanted, found):
        if isinstance(have, oracle.OurError):
            tally.fail(f"{program.name} {way}", f"{have}\nprogram:\n{source}")
        else:
            tally.equal(f"{program.name} {way}", want.strip(), have.strip(), source)


def compare_bytecode(tally, batch):
    with tempfile.TemporaryDirectory() as folder:
        for program in batch:
            path, back = os.path.join(folder, "theirs.mlirbc"), os.path.join(folder, "ours.mlirbc")
            program.bytecode(path)
            done = oracle.process([oracle.OPT, path, "--mlir-print-debuginfo"])
            if NEWER_TYPE in done.stderr and re.search(r"[^i]f[864]E\d", program.pretty):
                tally.ok()
            elif tally.check(f"{program.name} bytecode", done.returncode == 0, done.stderr):
                tally.equal(f"{program.name} bytecode", program.locations.strip(), done.stdout.strip())
            done = subprocess.run(
                [oracle.OPT, "--emit-bytecode", "-o", back], input=program.locations.encode()
            )
            if not tally.check(f"{program.name} to bytecode", done.returncode == 0, program.pretty):
                continue
            with open(back, "rb") as file, oracle.context() as context:
                module = ir.Module.parse(file.read(), context=context)
            tally.equal(f"{program.name} to bytecode", program.locations.strip(),
                        oracle.text(module, locations=True).strip(), program.pretty)  # fmt: skip


def check(tally, batch):
    pretty, generic = [p.pretty for p in batch], [p.generic for p in batch]
    locations = [p.locations for p in batch]
    compare(tally, batch, "pretty", pretty, pretty)
    compare(tally, batch, "to generic", pretty, generic, "--mlir-print-op-generic")
    compare(tally, batch, "from generic", generic, pretty)
    compare(tally, batch, "locations", locations, locations, "--mlir-print-debuginfo")
    compare_bytecode(tally, batch)


def main():
    args = oracle.arguments(__doc__, cases=300, long_cases=4000)
    tally = oracle.Tally("round_trip", show=20)
    batch = []
    for program in jax_corpus.exported(args.seed, args.cases):
        batch.append(Sources(program))
        if len(batch) == BATCH:
            check(tally, batch)
            batch = []
    check(tally, batch)
    tally.finish()


if __name__ == "__main__":
    main()
