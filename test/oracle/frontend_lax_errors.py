#===- frontend_lax_errors.py - error texts of primitives against JAX ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Operations of the C++ front end with a mistake each (frontend/mistake_ops.cc), through frontend_server and through JAX: the texts of
the errors are equal. Mistakes in the shapes and types of operands, in the carries of loops and in the results of branches."""

import json
import os
import re
import subprocess

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax.numpy as jnp
import numpy as np
from jax import lax

import oracle

args = oracle.arguments(__doc__, cases=1, long_cases=1)
BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")

F = lambda *shape: jnp.ones(shape, jnp.float32)
I = lambda *shape: jnp.ones(shape, jnp.int32)
B = lambda *shape: jnp.ones(shape, jnp.bool_)
same = lambda x: x
two = lambda x: x[:2]
narrow = lambda x: x.astype(jnp.bfloat16)
holds = lambda c: True
changed = lambda c: (c[0][:2], c[1].astype(jnp.int8))


def scanned(body, init, **keys):
    return lax.scan(lambda c, x: (body(c), x), init, keys.pop("xs", None), **keys)


MISTAKES = {
    "scan_dtype": lambda: scanned(narrow, F(3), length=2),
    "scan_shape": lambda: scanned(two, F(3), length=2),
    "scan_two": lambda: scanned(changed, (F(3), jnp.int32(1)), length=2),
    "scan_length": lambda: scanned(same, F(3), xs=F(3), length=4),
    "scan_lengths": lambda: scanned(same, F(3), xs=(F(3), F(4))),
    "scan_no_length": lambda: scanned(same, F(3)),
    "scan_unroll": lambda: scanned(same, F(3), xs=F(3), unroll=-1),
    "while_dtype": lambda: lax.while_loop(holds, lambda c: narrow(c), F(3)),
    "while_shape": lambda: lax.while_loop(holds, lambda c: two(c), F(3)),
    "while_two": lambda: lax.while_loop(holds, changed, (F(3), jnp.int32(1))),
    "while_cond_shape": lambda: lax.while_loop(lambda c: c < 3, same, F(3)),
    "while_cond_dtype": lambda: lax.while_loop(lambda c: c.sum(), same, F(3)),
    "cond_dtype": lambda: lax.cond(True, same, narrow, F(3)),
    "cond_shape": lambda: lax.cond(True, same, two, F(3)),
    "cond_two": lambda: lax.cond(True, lambda x: (x, x), lambda x: changed((x, x)), F(3)),
    "cond_complex": lambda: lax.cond(jnp.complex64(1), same, same, F(3)),
    "switch_shape": lambda: lax.switch(jnp.int32(1), [same, two, same], F(3)),
    "switch_dtype": lambda: lax.switch(jnp.int32(1), [same, same, narrow], F(3)),
    "mul_shapes": lambda: lax.mul(F(2, 3), F(3, 2)),
    "dtypes": lambda: lax.add(F(3), I(3)),
    "sin_int": lambda: lax.sin(I(3)),
    "and_float": lambda: lax.bitwise_and(F(3), F(3)),
    "concat": lambda: lax.concatenate([F(2, 3), F(2, 4)], 0),
    "concat_rank": lambda: lax.concatenate([F(2, 3), F(2)], 0),
    "concat_dim": lambda: lax.concatenate([F(2, 3), F(2, 3)], 2),
    "concat_none": lambda: lax.concatenate([], 0),
    "concat_dtype": lambda: lax.concatenate([F(2, 3), I(2, 3)], 0),
    "dot": lambda: lax.dot_general(F(2, 3), F(2, 3), (((1,), (0,)), ((), ()))),
    "transpose": lambda: lax.transpose(F(2, 3), (0, 0)),
    "broadcast": lambda: lax.broadcast_in_dim(F(3), (2, 4), (1,)),
    "broadcast_dims": lambda: lax.broadcast_in_dim(F(3), (2, 3), (2,)),
    "broadcast_rank": lambda: lax.broadcast_in_dim(F(3), (2, 3), ()),
    "squeeze": lambda: lax.squeeze(F(2, 3), (0,)),
    "dynamic_slice": lambda: lax.dynamic_slice(F(3), (0,), (4,)),
    "update": lambda: lax.dynamic_update_slice(F(3), F(4), (0,)),
    "update_dtype": lambda: lax.dynamic_update_slice(F(3), I(2), (0,)),
    "pad_interior": lambda: lax.pad(F(3), 0.0, [(0, 0, -1)]),
    "pad_rank": lambda: lax.pad(F(3), 0.0, [(0, 0, 0)] * 2),
    "pad_value": lambda: lax.pad(F(3), F(1), [(0, 0, 0)]),
    "pad_dtype": lambda: lax.pad(F(3), 1, [(0, 0, 0)]),
    "select_cases": lambda: lax.select_n(B(3), F(3), F(2)),
    "select_which": lambda: lax.select_n(B(2), F(3), F(3)),
    "select_float": lambda: lax.select_n(F(3), F(3), F(3)),
    "select_dtype": lambda: lax.select_n(B(3), F(3), I(3)),
    "clamp": lambda: lax.clamp(F(2), F(3), F(3)),
    "reduce_axis": lambda: lax.reduce_sum_p.bind(F(3), axes=(1,), out_sharding=None),
    "reduce_twice": lambda: lax.reduce_sum_p.bind(F(2, 2), axes=(1, 1), out_sharding=None),
    "argmax": lambda: lax.argmax(F(3), 1, jnp.int32),
    "argmax_empty": lambda: lax.argmax(F(0), 0, jnp.int32),
    "argmax_float": lambda: lax.argmax(F(3), 0, jnp.float32),
    "cumsum": lambda: lax.cumsum(F(3), 1),
    "sort": lambda: lax.sort((F(3), F(2))),
    "top_k": lambda: lax.top_k(F(3), 4),
    "rev": lambda: lax.rev(F(3), (1,)),
    "rev_twice": lambda: lax.rev(F(3), (0, 0)),
    "iota": lambda: lax.broadcasted_iota(jnp.float32, (2,), 1),
    "bitcast": lambda: lax.bitcast_convert_type(jnp.ones(3, jnp.int8), jnp.float32),
    "solve": lambda: lax.linalg.triangular_solve(F(2, 2), F(3, 3)),
    "power": lambda: lax.integer_pow(I(2), -1),
    "conv": lambda: lax.conv_general_dilated(F(1, 2, 5), F(3, 3, 2), (1,), "VALID"),
    "fft": lambda: lax.fft(F(3), "RFFT", (4,)),
    "gather": lambda: lax.gather(F(3), F(1, 1), lax.GatherDimensionNumbers((), (0,), (0,)), (1,)),
}


def sorted_types(text):
    """JAX lists the types that a primitive accepts in any order."""
    return re.sub(r"(subtypes of )([\w, ]+)", lambda m: m[1] + ", ".join(sorted(m[2].split(", "))), text)


def text_of(run):
    try:
        run()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        # C++ functions have no place in a file.
        text = re.sub(r"\n(true_fun|false_fun|branch ?\d) is <?\w+>? at [^\n]*", "", text)
        return sorted_types(re.sub(r"differ\.\n+", "differ.\n\n", text).strip())
    return "no error"


def main():
    server = subprocess.Popen([os.path.join(BUILD, "bin", "frontend_server")], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    tally = oracle.Tally("frontend_lax_errors", show=int(os.environ.get("SHOW", 5)))
    for name, run in MISTAKES.items():
        server.stdin.write(f"op mistake_{name}\nout 0\nask values:\n")
        server.stdin.flush()
        line = server.stdout.readline()
        if not line:
            tally.fail(name, "the server ended")
            break
        ours = json.loads(line)["values:"]
        tally.equal(name, text_of(run), sorted_types(ours.strip()) if isinstance(ours, str) else "no error")
    server.stdin.close()
    server.wait()
    tally.finish()


main()
