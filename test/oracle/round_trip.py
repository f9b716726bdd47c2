#===- round_trip.py - round trips of JAX's programs through ours ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs of `jax_corpus` are passed from jaxlib to ours and back, and must stay the same module.

A program is passed as pretty text, pretty text with locations, generic text, generic text with
locations, or bytecode. Each result is compared as text, byte for byte:

  pretty    -> ours -> pretty    = jaxlib's pretty text
  pretty    -> ours -> generic   = jaxlib's generic text
  generic   -> ours -> pretty    = jaxlib's pretty text
  bytecode  -> ours -> locations = jaxlib's text with locations
  locations -> ours -> bytecode  -> jaxlib's text with locations

The valid cases of the dialects' lit tests are checked in the same way.
"""

import os
import re
import subprocess
import tempfile

import jax_corpus
import oracle
import verifier_agreement
from oracle import ir

BATCH = 40
# MLIR 23, inside jaxlib, has codes for the types of 8 bits and fewer. MLIR 22's driver refuses
# them; our reader (`convert`, below) reads them.
NEWER_TYPE = "unknown attribute code"
EMIT_BYTECODE = ["--emit-bytecode", *(["--old-bytecode"] if oracle.VERSION < (0, 12) else [])]


class Sources:
    """One program in all forms. Text is parsed again first, because an exported module has attributes
    that its own text omits."""

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
                done = oracle.process([oracle.TOOL, "convert", path, "--to=text"])
                tally.equal(f"{program.name} bytecode", program.pretty.strip(), done.stdout.strip())
            elif tally.check(f"{program.name} bytecode", done.returncode == 0, done.stderr):
                tally.equal(f"{program.name} bytecode", program.locations.strip(), done.stdout.strip())
            done = subprocess.run(
                [oracle.OPT, *EMIT_BYTECODE, "-o", back], input=program.locations.encode()
            )
            if not tally.check(f"{program.name} to bytecode", done.returncode == 0, program.pretty):
                continue
            try:
                with open(back, "rb") as file, oracle.context() as context:
                    module = ir.Module.parse(file.read(), context=context)
            except ir.MLIRError as error:
                tally.fail(f"{program.name} to bytecode", f"{error}\nprogram:\n{program.pretty}")
                continue
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


def lit_programs():
    """Returns every operation of the lit tests in some large modules, except those whose text jaxlib
    prints but cannot read."""
    functions = []
    for name, ops in sorted(verifier_agreement.collect(verifier_agreement.modules_of_files()).items()):
        for op in ops:
            if "is_stable" in op.attributes and name == "chlo.top_k":
                continue  # newer than jaxlib, for which it is an unknown attribute
            text = op.text()
            try:
                oracle.parse(oracle.text(oracle.parse(text), locations=True))
            except oracle.OracleError:
                continue
            if op.prelude:
                yield jax_corpus.Program(f"lit {name}", oracle.parse(text))
            else:
                functions.append(text.replace('sym_name = "main"', f'sym_name = "f{len(functions)}"'))
    for start in range(0, len(functions), 100):
        text = "".join(functions[start : start + 100])
        yield jax_corpus.Program(f"lit functions {start}", oracle.parse(text))


def main():
    args = oracle.arguments(__doc__, cases=90, long_cases=4000)
    tally = oracle.Tally("round_trip", show=20)
    check(tally, [Sources(program) for program in lit_programs()])
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
