#===- frontend_types.py - types of primitives against JAX -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The cases of frontend_primitives.py with other element types, with scalars, and with dimensions of size 0 and 1, traced by
frontend_server and by JAX: the jaxprs, or the texts of the errors, are equal. Nothing is compiled."""

import json
import os
import random
import re
import subprocess

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

import oracle
from frontend.jax_ops import OTHER_JAXPR, function
from frontend.jaxpr_text import without_addresses
from frontend.primitive_cases import CASES

args = oracle.arguments(__doc__, cases=200, long_cases=6000)
BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")
TYPES = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "u8": "uint8", "u32": "uint32", "bf16": "bfloat16",
         "f16": "float16", "f32": "float32", "c64": "complex64"}
# Operations that look at the numbers of their operands' dimensions only, so that sizes may change.
ANY_SIZE = {"contract", "select_n", "optimization_barrier", "clamp", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod",
            "reduce_and", "reduce_or", "reduce_xor", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", "transpose", "rev",
            "sort", "sort_pair", "argmax", "argmin", "dot_general", "pad", "tile", "stack", "reduce", "reduce_pairs", "squeeze",
            "expand_dims", "to_i32", "bits_of", "integer_pow", "round", "select3"}
# Operations with steps of their own, whose errors speak of these.
SKIPPED = {"callback_pure", "callback_pair", "callback_io", "callback_debug", "map_batch", "checkpoint_policy", "device_put",
           "grad", "hessian", "jacfwd", "jacrev", "random_wrap", "window_tangent", "window_cotangent"}
# Operations that promote their operands' types.
ONE_TYPE = {"contract", "stack"}
# Operations on matrices, or on values along given dimensions.
NO_SCALARS = {"eigh", "cholesky", "lu_permutation", "vmap_last", "vmap_rows", "dynamic_update_slice", "take_each", "add_each"}
# What the front end refuses when it traces, and JAX when it lowers; or what it refuses with another text.
REFUSED = re.compile("|".join((
    "(argmax|argmin) does not accept dtype complex64", "does not accept dtype (bfloat16|float16). Accepted dtypes are float32",
    "cumlogsumexp does not accept dtype (u?int|complex)", "conv_general_dilated does not accept dtype bool", "RFFT input",
    "select `which` must be", "top_k does not accept dtype bool", "Slice size at index 0 in gather op is out of range")))
# Errors that JAX does not mean to give: any error of ours will do.
ACCIDENTAL = ("AssertionError", "IndexError", "ZeroDivisionError", "AttributeError", "RecursionError", "StopIteration",
              "KeyError", "UnboundLocalError", "OverflowError")


class Traced:
    """A case with types and shapes chosen by `rng`."""

    def __init__(self, case, rng):
        self.case = case
        arrays = [o for o in case.operands if o.literal is None]
        sizes = sorted({n for o in arrays for n in o.shape})
        changes = case.op in ANY_SIZE or not case.keys
        size = {n: rng.choice([0, 1, n, n]) if changes and rng.random() < 0.4 else n for n in sizes}
        scalar = not case.keys and case.op not in NO_SCALARS and rng.random() < 0.15
        same = rng.choice(list(TYPES)) if rng.random() < 0.8 else None
        types = {o.dtype: same or rng.choice(list(TYPES)) for o in case.operands}
        mixed = rng.random() < 0.2 and case.op not in ONE_TYPE
        self.ins, self.operands, lines = [], [], []
        for o in case.operands:
            kind = rng.choice(list(TYPES)) if mixed else types[o.dtype] if case.op in ONE_TYPE or rng.random() < 0.9 else o.dtype
            if o.literal is not None:
                infinite = isinstance(o.literal, float) and np.isinf(o.literal)
                self.operands.append((o, o.dtype if kind in ("c64", "bool") or infinite else kind))
                continue
            shape = () if scalar else tuple(size[n] for n in o.shape)
            self.ins.append(jax.ShapeDtypeStruct(shape, jnp.dtype(TYPES[kind])))
            self.operands.append(None)
            lines.append(f"shape {kind} {','.join(map(str, shape)) or '-'}")
        number, literal, order = 0, len(self.ins), []
        for o in self.operands:
            order.append(number if o is None else literal)
            number, literal = (number + 1, literal) if o is None else (number, literal + 1)
            if o is not None:
                lines.append(f"lit {o[1]} {o[0].literal}")
        keys = "".join(f" {k}={','.join(map(str, v))}" for k, v in case.keys.items() if v)
        lines.append(f"op {case.op} {' '.join(map(str, order))}{keys}")
        self.lines, self.first = lines, literal

    def evaluate(self, *ins):
        arguments = iter(ins)
        operands = [next(arguments) if o is None else np.asarray(o[0].literal).astype(jnp.dtype(TYPES[o[1]]))[()]
                    for o in self.operands]
        return list(function(self.case.op)(operands, self.case.keys))


def sorted_types(text):
    """JAX lists the types that a primitive accepts in any order."""
    return re.sub(r"(subtypes of )([\w, ]+)", lambda m: m[1] + ", ".join(sorted(m[2].split(", "))), text)


def jax_text(p):
    try:
        return without_addresses(str(jax.make_jaxpr(p.evaluate)(*p.ins)))
    except Exception as error:  # The text of JAX's error is what is compared.
        return sorted_types(f"{type(error).__name__}: {error}".strip())


def start():
    return subprocess.Popen([os.path.join(BUILD, "bin", "frontend_server")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)


def main():
    server = start()
    tally = oracle.Tally("frontend_types", show=int(os.environ.get("SHOW", 5)))
    cases = [c for c in CASES if c.op not in SKIPPED]
    for rng in oracle.generators(args):
        p = Traced(rng.choice(cases), rng)
        theirs = jax_text(p)
        outs = len(jax.make_jaxpr(p.evaluate)(*p.ins).out_avals) if theirs[0] in "{l" else 1
        text = "\n".join(p.lines + ["out " + " ".join(str(p.first + i) for i in range(outs))])
        server.stdin.write(text + "\ntrace\n")
        server.stdin.flush()
        line = server.stdout.readline()
        if not line:
            tally.fail(rng.name, f"the server ended\n{text}")
            server.wait()
            server = start()
            continue
        ours = sorted_types(without_addresses(json.loads(line)["jaxpr"].strip()))
        is_error, is_ours_error = theirs[0] not in "{l", ours[0] not in "{l"
        if is_ours_error and (is_error and theirs.startswith(ACCIDENTAL) or REFUSED.search(ours)):
            theirs = ours
        # JAX compares initial values with the identity of or, and, xor in floating types, too.
        if is_error and is_ours_error and p.case.op in ("reduce", "scatter"):
            theirs = ours
        if not is_error and not is_ours_error and p.case.op in OTHER_JAXPR:
            theirs = ours
        tally.equal(rng.name, theirs, ours, text)
    server.stdin.close()
    server.wait()
    tally.finish()


main()
