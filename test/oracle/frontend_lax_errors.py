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

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.layout import Layout, with_layout_constraint

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

ROWS = (((1,), (1,)), ((), ()))


def ragged(dot, lhs, group, sizes=(2,), dtype=jnp.int32):
    return lax.ragged_dot_general(F(6, 3), F(2, 3, 5), jnp.ones(sizes, dtype), lax.RaggedDotDimensionNumbers(dot, lhs, group))


def dot(lc, rc, lb, rb, x=(3, 3), y=(3, 3), **keys):
    return lax.dot_general(F(*x), F(*y), ((lc, rc), (lb, rb)), **keys)


def solve(matvec, solved, transposed=None):
    solver = lambda f: lambda matvec, y: f(y)
    return lax.custom_linear_solve(matvec, F(3), solver(solved), transposed and solver(transposed))


times = lambda x, y: lax.mul(x, y)
MISTAKES |= {
    "reduce_dtype": lambda: lax.reduce(F(3, 4), 0, lax.mul, (0,)),
    "reduce_init": lambda: lax.reduce(F(3, 4), F(2), times, (0,)),
    "reduce_sum_axis": lambda: lax.reduce(F(3, 4), 0.0, lax.add, (-1,)),
    "reduce_capture": lambda: jax.jit(lambda y: lax.reduce(F(3, 4), 1.0, lambda a, b: lax.mul(a, lax.add(b, y)), (0,)))(F()),
    "reduce_bool": lambda: lax.reduce(B(3), False, lax.add, (0,)),
    "ragged_two": lambda: ragged(ROWS, [0, 1], [0]),
    "ragged_none": lambda: ragged(ROWS, [], [0]),
    "ragged_range": lambda: ragged(ROWS, [2], [0]),
    "ragged_no_group": lambda: ragged(ROWS, [0], []),
    "ragged_group_range": lambda: ragged(ROWS, [0], [3]),
    "ragged_group_kind": lambda: ragged(ROWS, [0], [1]),
    "ragged_group_extra": lambda: ragged(ROWS, [1], [0]),
    "ragged_float": lambda: ragged(ROWS, [0], [0], dtype=jnp.float32),
    "ragged_sizes": lambda: ragged(ROWS, [0], [0], (3,)),
    "ragged_rank": lambda: ragged(ROWS, [0], [0], (1, 2)),
    "dot_lhs_range": lambda: dot((2,), (0,), (), ()),
    "dot_rhs_range": lambda: dot((1,), (-2,), (), ()),
    "dot_distinct": lambda: dot((1, 1), (0, 1), (), ()),
    "dot_batch_distinct": lambda: dot((), (), (0, 1), (1, 1)),
    "dot_disjoint": lambda: dot((0,), (0,), (1,), (0,)),
    "dot_batches": lambda: dot((1,), (0,), (0,), ()),
    "dot_batch_sizes": lambda: dot((1,), (1,), (0,), (0,), (2, 3)),
    "dot_sizes": lambda: dot((1, 0), (0,), (), ()),
    "dot_narrow": lambda: lax.dot_general(I(2, 3), I(3, 4), (((1,), (0,)), ((), ())), preferred_element_type=jnp.int16),
    "layout_rank": lambda: with_layout_constraint(F(3, 4), Layout((0,))),
    "solve_matvec": lambda: solve(two, same),
    "solve_shape": lambda: solve(same, two),
    "solve_transposed": lambda: solve(same, same, two),
    "solve_backwards": lambda: jax.grad(lambda b: jnp.sum(lax.custom_linear_solve(same, b, lambda matvec, y: y)))(F(3)),
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
