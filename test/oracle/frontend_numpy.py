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

import numpy as np

import frontend_primitives as fp
import oracle
from frontend.user_ops import CASES


def main():
    server = fp.CaseServer()
    tally = oracle.Tally("frontend_numpy", show=int(os.environ.get("SHOW", 5)))
    for number, case in enumerate(CASES):
        if fp.args.only and fp.args.only not in str(case):
            continue
        p = fp.Program(case, number)
        theirs = fp.expected(p)
        ours = server.table(p.lines, theirs)
        if ours is None:
            tally.fail(str(case), "the server ended")
            continue
        for name, value in theirs.items():
            if name == "jaxpr":
                continue
            mine = ours.get(name, "missing")
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
