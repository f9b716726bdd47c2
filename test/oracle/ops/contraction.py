#===- contraction.py - dot_general and its relatives -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import COMPLEX, F8, FLOAT, INT, dims, dtype, is_complex, is_float, is_int, op, tensor

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def wide(x, e):
    if is_complex(e):
        return x.astype(np.complex128)
    return x.astype(np.int64) if is_int(e) else x.astype(np.float64)


def dot_general(c, e, result, attributes="", other=None):
    r = c.rng
    other = other or e
    choose = lambda count: [r.choice((1, 2, 3, 5, 8, 17, 33) if count < 2 else (1, 2, 3, 5)) for _ in range(count)]
    b, m, n, k = choose(r.randint(0, 2)), choose(r.randint(0, 2)), choose(r.randint(0, 2)), choose(r.randint(0, 2))
    if r.random() < 0.03:
        (r.choice([s for s in (b, m, n, k) if s] or [[1]]))[0] = 0
    sizes = {"b": b, "m": m, "n": n, "k": k}
    lhs = [(g, i) for g in "bmk" for i in range(len(sizes[g]))]
    rhs = [(g, i) for g in "bkn" for i in range(len(sizes[g]))]
    r.shuffle(lhs)
    r.shuffle(rhs)
    shape = lambda axes: [sizes[g][i] for g, i in axes]
    x, y = c.arg(shape(lhs), e), c.arg(shape(rhs), other)
    where = lambda axes, g: [axes.index((g, i)) for i in range(len(sizes[g]))]
    free = lambda axes, g: [a for a in axes if a[0] == g]
    out_axes = [("b", i) for i in range(len(b))] + free(lhs, "m") + free(rhs, "n")
    letter = {a: LETTERS[i] for i, a in enumerate(sorted(set(lhs + rhs)))}
    spell = lambda axes: "".join(letter[a] for a in axes)
    equation = f"{spell(lhs)},{spell(rhs)}->{spell(out_axes)}"
    p, q = wide(c.data[0], e), wide(c.data[1], other)
    with np.errstate(all="ignore"):
        reference = np.einsum(equation, p, q)
        scale = None if is_int(result) else np.einsum(equation, np.abs(p), np.abs(q))
    batching = f"batching_dims = {dims(where(lhs, 'b'))} x {dims(where(rhs, 'b'))}, " if b else ""
    value = c.op(f"stablehlo.dot_general {x}, {y}, {batching}contracting_dims = {dims(where(lhs, 'k'))} x "
                 f"{dims(where(rhs, 'k'))}{attributes} : ({x.type}, {y.type}) -> {tensor(shape(out_axes), result)}",
                 shape(out_axes), result)  # fmt: skip
    c.result(value, reference.astype(dtype(result)) if is_int(result) else reference, scale)


@op("stablehlo.dot_general", INT + F8 + FLOAT + COMPLEX)
def same(c, e):
    precision = c.rng.choice(("", "", ", precision = [HIGHEST, DEFAULT]", ", precision = [HIGH, HIGH]"))
    dot_general(c, e, e, precision)


@op("stablehlo.dot_general wider", ["i8", "ui8", "i16", "i4", "bf16", "f16", "f32", *F8])
def wider(c, e):
    result = c.rng.choice({"i8": ["i32", "i16"], "ui8": ["ui32"], "i16": ["i32", "i64"], "i4": ["i32"],
                           "f32": ["f64"]}.get(e, ["f32", "f32", "f64"]))  # fmt: skip
    dot_general(c, e, result)


@op("stablehlo.dot_general algorithm", ["f32", "bf16", "f64"])
def algorithm(c, e):
    kinds = {"f32": [("f32", "f32", 1), ("bf16", "f32", 3), ("tf32", "f32", 3)], "bf16": [("bf16", "f32", 1)],
             "f64": [("f64", "f64", 1)]}[e]  # fmt: skip
    operand, accumulate, count = c.rng.choice(kinds)
    dot_general(c, e, accumulate, f", algorithm = <lhs_precision_type = {operand}, rhs_precision_type = {operand}, "
                f"accumulation_type = {accumulate}, lhs_component_count = 1, rhs_component_count = 1, "
                f"num_primitive_operations = {count}, allow_imprecise_accumulation = false>")  # fmt: skip
    if operand in ("tf32", "bf16") and e == "f32":  # a requested precision is a lower bound
        value, reference, scale, _ = c.results.pop()
        c.result(value, reference, scale, 2**11)


@op("stablehlo.dot", ["f32", "f64", "i32", "bf16"])
def dot(c, e):
    m, k, n = (c.rng.choice((1, 3, 8, 17)) for _ in "mkn")
    lhs, rhs = c.rng.choice([((m, k), (k, n)), ((k,), (k, n)), ((m, k), (k,)), ((k,), (k,))])
    x, y = c.arg(lhs, e), c.arg(rhs, e)
    p, q = wide(c.data[0], e), wide(c.data[1], e)
    shape = [*lhs[:-1], *rhs[1:]]
    scale = None if is_int(e) else np.abs(p) @ np.abs(q)
    c.result(c.op(f"stablehlo.dot {x}, {y} : ({x.type}, {y.type}) -> {tensor(shape, e)}", shape, e),
             np.asarray(p @ q), None if scale is None else np.asarray(scale), 16 if is_float(e) and e != "bf16" else None)  # fmt: skip


@op("stablehlo.einsum", ["f32"])
def einsum(c, e):
    config = c.rng.choice(("ij,jk->ik", "bij,bjk->bik", "ij,ij->", "i,j->ij", "ijk,kl->ijl"))
    inputs, output = config.split("->")
    sizes = {l: c.rng.choice((1, 2, 3, 5)) for l in LETTERS}
    shapes = [[sizes[l] for l in part] for part in (*inputs.split(","), output)]
    x, y = c.arg(shapes[0], e), c.arg(shapes[1], e)
    p, q = c.data[0].astype(np.float64), c.data[1].astype(np.float64)
    c.result(c.op(f'stablehlo.einsum {x}, {y}, config = "{config}" : ({x.type}, {y.type}) -> {tensor(shapes[2], e)}',
                  shapes[2], e), np.einsum(config, p, q), np.einsum(config, abs(p), abs(q)), 16)  # fmt: skip
