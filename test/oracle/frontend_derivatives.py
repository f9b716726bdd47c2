#===- frontend_derivatives.py - the table of derivatives against JAX ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Each differentiable function of the front end (the cases of frontend_primitives.py and frontend_numpy.py): its jvp
and its vjp, both orders of differentiation, the batched gradient and the gradient of the batched function, compared
with JAX's in values, and the jaxprs of its jvp, vjp and batched forms (batched in front, and at the end) as texts.
A sample by --seed; --long runs all."""

import argparse
import os
import random

import jax

import frontend_primitives as fp
import oracle
from frontend.jax_ops import OTHER_JAXPR
from frontend.jaxpr_text import jaxpr_difference
from frontend.program import arguments_of, leaves_of, transformed
from frontend.user_ops import CASES as USER_CASES

args = fp.args
VALUES = ["values:jvp", "values:vjp", "values:jvp.vjp", "values:vjp.jvp", "values:vmap.vjp", "values:vjp.vmap"]
TEXTS = ["jaxpr:", "jaxpr:vmap", "jaxpr:vmap_last", "jaxpr:jvp", "jaxpr:vjp"]


def theirs(p, field):
    leaves, ins = leaves_of(field), arguments_of(p, leaves_of(field))
    if field.startswith("values"):
        return fp.value_of(p, lambda f: transformed(f, leaves), ins)
    try:
        return str(jax.make_jaxpr(transformed(p.evaluate, leaves))(*ins))
    except Exception as error:  # The text of JAX's error is what is compared.
        return f"{type(error).__name__}: {error}"


def differs(field, mine, value):
    if field.startswith("values"):
        return fp.fm.differs(field, mine, value)
    return jaxpr_difference(mine, value)


# Functions whose derivatives are the same by other equations.
UNEQUAL = set("""lu lu_permutation qr svd svd_values reduce reduce_pairs reduce_matrices cholesky triangular_solve eigh
    accurate_sin""".split())
# Errors of JAX where a rule is missing that the front end has.
REFUSALS = ("NotImplementedError: ragged_dot vmap over any dim but 0", "NotImplementedError: Unimplemented grad_",
            "TypeError: select cases must have the same shapes")


def is_known(case, field, theirs):
    """Whether a difference is a defect of JAX."""
    if isinstance(theirs, str) and theirs.startswith(REFUSALS):
        return True
    # JAX puts the batch dimension at its position into the order of dimensions, not in front of the others.
    return case.op == "layout_constraint" and field == "jaxpr:vmap_last"


SAMPLE = 6


def fields_of(case):
    """Values of all derivatives, and the texts of primitives, which are no functions of the numpy layer."""
    if case.op in OTHER_JAXPR or case.op.startswith(("np_", "nn_", "linalg_", "random_")):
        return VALUES
    return VALUES + (TEXTS[:1] if case.op in UNEQUAL else TEXTS)


def main():
    server = fp.CaseServer()
    tally = oracle.Tally("frontend_derivatives", show=int(os.environ.get("SHOW", 5)))
    functions = {}
    for case in fp.CASES + USER_CASES:
        if case.op in fp.TRACED_ONLY:
            continue
        if any(o.literal is None and o.dtype == "f32" for o in case.operands):
            functions.setdefault(case.op, []).append(case)
    names, rng = sorted(functions), random.Random(args.seed)
    if not args.long:
        names = sorted(rng.sample(names, max(SAMPLE, args.cases)))
    for _, name in oracle.part(args, names):
        for case in functions[name] if args.long else [rng.choice(functions[name])]:
            if args.only and args.only not in str(case):
                continue
            p = fp.Program(case)
            fields = fields_of(case)
            ours = server.ask("\n".join(p.lines + ["ask " + " ".join(fields)]))
            if ours is None:
                tally.fail(str(case), "the server ended")
                continue
            for field in fields:
                value = theirs(p, field)
                problem = differs(field, ours[field], value)
                tally.ok() if problem is None or is_known(case, field, value) else tally.fail(f"{case} {field}", problem)
    server.close()
    print(f"{len(names)} functions of {len(functions)}")
    tally.finish()


main()
