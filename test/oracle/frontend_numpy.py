#===- frontend_numpy.py - the numpy layer of the front end against JAX ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Functions in the manner of jax.numpy, jax.numpy.linalg, jax.numpy.fft, jax.nn and jax.random, run by
frontend_server and by JAX: values executed op by op and compiled, both derivatives and both orders of them, and
batches. Random numbers are equal to the last bit."""

import os
import warnings

import numpy as np

import frontend_primitives as fp
import oracle
from frontend.index_cases import WITHOUT_JAXPR, index_cases
from frontend.jaxpr_text import without_addresses
from frontend.user_ops import CASES

# One case in so many is compared without --long.
SAMPLE = 4


def main():
    # Of updates that do not fit the type of an array.
    warnings.simplefilter("ignore", FutureWarning)
    server = fp.CaseServer()
    tally = oracle.Tally("frontend_numpy", show=int(os.environ.get("SHOW", 5)))
    random_cases = fp.args.cases if fp.args.cases > 1 else 1000 if fp.args.long else 100 // fp.args.every
    whole = fp.args.long or fp.args.only
    chosen = CASES if whole else CASES[fp.args.seed % SAMPLE :: SAMPLE]
    for number, case in enumerate(chosen + index_cases(fp.args.seed, random_cases)):
        if fp.args.only and fp.args.only not in str(case):
            continue
        has_jaxpr = case.op.startswith("index_") and case.op not in WITHOUT_JAXPR and not (
            case.op == "index_power" and case.operands[0].dtype == "i32")
        p = fp.Program(case, number)
        theirs = fp.expected(p) if p.error is None else {"values": f"{type(p.error).__name__}: {p.error}"}
        ours = server.table(p.lines, theirs)
        if ours is None:
            tally.fail(str(case), "the server ended")
            continue
        for name, value in theirs.items():
            if name == "jaxpr" and not has_jaxpr:
                continue
            mine = ours.get(name, "missing")
            if name == "jaxpr":
                problem = None if mine == without_addresses(value) else f"ours:\n{mine}\nJAX:\n{value}"
            else:
                problem = fp.fm.differs(name, mine, value)
            if problem is None and case.op.startswith("random_") and name == "values" and not isinstance(value, str):
                exact = all(np.array_equal(np.float32(a), b.ravel()) for a, b in zip(mine, value))
                # The last bit of transcendental functions is the code generator's.
                if not exact and case.op in fp.EXACT_RANDOM:
                    problem = f"not equal to the last bit\n{mine}\nJAX: {value}"
            if problem is None:
                tally.ok()
            else:
                tally.fail(f"{case} {name}", problem)
    server.close()
    tally.finish()


main()
