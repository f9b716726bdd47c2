#===- frontend_calls.py - the numpy layer on arrays of all types ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random calls of the functions of the front end in the manner of jax.numpy, on arrays of all element types and ranks, empty
ones and scalars among them, and with axes that there are not: types, values, derivatives, and classes of errors are
JAX's. --only NAME calls the functions whose names contain NAME."""

import argparse
import os
import random
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import oracle

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--only", default="", help="functions whose names contain this")
args = oracle.arguments(__doc__, cases=100, long_cases=20000, parser=parser)

from frontend import arrange_calls, draw_calls, elementwise_calls, reduction_calls, scipy_calls, set_calls, typed_calls
from frontend.case_server import CaseServer

CALLS = (elementwise_calls.CALLS + arrange_calls.CALLS + reduction_calls.CALLS + draw_calls.CALLS + scipy_calls.CALLS +
         set_calls.CALLS)


def main():
    warnings.simplefilter("ignore")
    server = CaseServer()
    tally = oracle.Tally("frontend_calls", show=int(os.environ.get("SHOW", 5)))
    calls = [c for c in CALLS if args.only in c.op]
    for seed in range(args.seed, args.seed + args.cases):
        # Each function in turn, so that few cases call all of them.
        call = calls[random.Random(seed // len(calls)).sample(range(len(calls)), len(calls))[seed % len(calls)]]
        program = typed_calls.Program(call, seed)
        wrong = typed_calls.problem(program, server)
        if wrong is None:
            tally.ok()
        else:
            tally.fail(program.name, wrong)
    server.close()
    tally.finish()


main()
