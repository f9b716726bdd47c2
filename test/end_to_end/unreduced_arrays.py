#===- unreduced_arrays.py - unreduced arguments and results ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright run` of programs whose arguments or results are unreduced: an argument counts once for
any number of devices; the partial sums (maxima, minima) of a result are combined, to the bit, for any rank."""

import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

tally = oracle.Tally("unreduced_arrays")

MESH = 'sdy.mesh @mesh = <["x"=4, "y"=2]>\n'


def check(case, text, arguments, expected, nans=False):
    """nans: any NaN stands for any other."""
    with tempfile.TemporaryDirectory() as folder:
        module, given, out = (os.path.join(folder, n) for n in ("m.mlir", "a.npz", "o.npz"))
        with open(module, "w") as file:
            file.write(MESH + text)
        np.savez(given, **{f"arg{i}": x for i, x in enumerate(arguments)})
        done = oracle.process([oracle.TOOL, "run", module, given, "--out", out])
        why = [] if done.returncode == 0 else [done.stderr + done.stdout]
        if not why:
            with np.load(out) as got:
                for i, wanted in enumerate(expected):
                    found = got[f"out{i}"]
                    if nans and found.dtype.kind == "f":
                        found, wanted = (np.where(np.isnan(v), np.array(np.nan, v.dtype), v) for v in (found, wanted))
                    if found.dtype != wanted.dtype or found.tobytes() != wanted.tobytes():
                        why.append(f"result {i} is\n{found}\nexpected\n{wanted}")
        tally.check(case, not why, "\n".join([*why, text]))


data = np.random.default_rng(0)


def samples(shape, dtype):
    """Returns numbers that include zeros of both signs."""
    x = data.integers(-9, 9, shape).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x = np.where(data.random(shape) < 0.3, np.array(-0.0, dtype), x)
    return np.asarray(x, dtype)


def sharding(rank, axes="", unreduced="x", kind=""):
    dims = ["{}"] * rank
    if axes and rank:
        dims[0] = "{%s}" % axes
    tail = ', unreduced=%s{"%s"}' % (kind, unreduced) if unreduced else ""
    return "#sdy.sharding<@mesh, [%s]%s>" % (", ".join(dims), tail)


for dtype, element in ((np.float32, "f32"), (np.float64, "f64"), (np.float16, "f16"), (np.int32, "i32"), (np.int8, "i8")):
    for shape in ((), (8,), (7, 5)):
        type_ = "tensor<%s%s>" % ("".join(f"{n}x" for n in shape), element)
        rank, x = len(shape), samples(shape, dtype)
        for axes in ("", '"y"'):
            # An unreduced result is the same array as a reduced one.
            whole = sharding(rank, unreduced="")
            check(
                f"argument {type_} {axes}",
                f"""func.func @main(%x: {type_} {{sdy.sharding = {sharding(rank, axes)}}}) -> ({type_} {{sdy.sharding = {whole}}}) {{
  return %x : {type_}
}}""",
                [x],
                [x],
            )
            check(
                f"result {type_} {axes}",
                f"""func.func @main(%x: {type_} {{sdy.sharding = {whole}}}) -> ({type_} {{sdy.sharding = {sharding(rank, axes)}}}) {{
  return %x : {type_}
}}""",
                [x],
                [x],
            )
            check(
                f"both {type_} {axes}",
                f"""func.func @main(%x: {type_} {{sdy.sharding = {sharding(rank, axes)}}}) -> ({type_} {{sdy.sharding = {sharding(rank, axes)}}}) {{
  return %x : {type_}
}}""",
                [x],
                [x],
            )

# Maxima and minima: NaN, infinities, zeros of both signs, the extremes of integers.
for dtype, element in ((np.float32, "f32"), (np.float64, "f64"), (np.float16, "f16"), (np.int32, "i32"), (np.uint8, "ui8"),
                       (np.int8, "i8"), (np.bool_, "i1")):  # fmt: skip
    special = [np.nan, np.inf, -np.inf, -0.0, 0.0] if np.dtype(dtype).kind == "f" else [0, 1]
    if np.dtype(dtype).kind in "iu":
        special += [np.iinfo(dtype).min, np.iinfo(dtype).max]
    for shape, kind in (((), "max"), ((), "min"), ((7, 5), "max"), ((7, 5), "min")):
        x = np.asarray(data.choice(np.array([*special, 3], dtype), shape))
        type_ = "tensor<%s%s>" % ("".join(f"{n}x" for n in shape), element)
        given, whole = sharding(len(shape), kind=kind), sharding(len(shape), unreduced="")
        for before, after in ((given, whole), (whole, given), (given, given)):
            check(
                f"{kind} {type_}",
                f"""func.func @main(%x: {type_} {{sdy.sharding = {before}}}) -> ({type_} {{sdy.sharding = {after}}}) {{
  return %x : {type_}
}}""",
                [x],
                [x],
            )
        if not shape or element == "i1":
            continue
        # Maxima and minima that devices have computed.
        name = {"max": "maximum", "min": "minimum"}[kind]
        start = {"max": "-9", "min": "9"}[kind] if element != "ui8" else "9"
        start += "" if np.dtype(dtype).kind in "iu" else ".0"
        y = np.asarray(data.choice(np.array([*special, 3], dtype), (8, 5)))
        combine = np.maximum if kind == "max" else np.minimum
        wanted = combine.reduce(np.concatenate([y, np.full((1, 5), dtype(float(start)), dtype)]), axis=0)
        if np.dtype(dtype).kind == "f":  # numpy leaves open which zero is larger
            order = np.where(np.signbit(y) & (y == 0), dtype(-1e-7), np.where(y == 0, dtype(1e-7), y))
            best = combine.reduce(np.concatenate([order, np.full((1, 5), dtype(float(start)), dtype)]), axis=0)
            wanted = np.where(wanted == 0, np.copysign(dtype(0), best), wanted).astype(dtype)
        check(
            f"{kind} of all {element}",
            f"""func.func @main(%x: tensor<8x5x{element}> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> (tensor<5x{element}> {{sdy.sharding = {sharding(1, kind=kind)}}}) {{
  %z = stablehlo.constant dense<{start}> : tensor<{element}>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.{name} across dimensions = [0] : (tensor<8x5x{element}>, tensor<{element}>) -> tensor<5x{element}>
  return %0 : tensor<5x{element}>
}}""",
            [y],
            [wanted],
            nans=True,
        )

# Partial sums that devices have computed, also of rank 0.
x = samples((8, 5), np.int32)
check(
    "sum of all",
    f"""func.func @main(%x: tensor<8x5xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> (tensor<i32> {{sdy.sharding = {sharding(0)}}}) {{
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x5xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}}""",
    [x],
    [x.sum(dtype=np.int32)],
)
a, b = samples((6, 8), np.int32), samples((8, 5), np.int32)
check(
    "dot",
    f"""func.func @main(%a: tensor<6x8xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}]>}},
    %b: tensor<8x5xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> (tensor<6x5xi32> {{sdy.sharding = {sharding(2)}}}) {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}, {{}}], unreduced={{"x"}}>]>}}
    : (tensor<6x8xi32>, tensor<8x5xi32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}}""",
    [a, b],
    [a @ b],
)
# An argument without its own sharding.
x = samples((4, 6), np.int32)
check(
    "propagated",
    f"""func.func @main(%x: tensor<4x6xi32>) -> (tensor<4x6xi32> {{sdy.sharding = {sharding(2, unreduced="")}}}) {{
  %0 = sdy.sharding_constraint %x <@mesh, [{{}}, {{}}], unreduced={{"x"}}> : tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}}""",
    [x],
    [x],
)
# One along two axes, in the order of the devices and in another order.
for ids in ("", ", device_ids=[7, 6, 5, 4, 3, 2, 1, 0]"):
    check(
        "two axes" + ids,
        f"""sdy.mesh @m = <["x"=4, "y"=2]{ids}>
func.func @main(%x: tensor<4x6xi32> {{sdy.sharding = #sdy.sharding<@m, [{{}}, {{}}], unreduced={{"x", "y"}}>}})
    -> (tensor<4x6xi32> {{sdy.sharding = #sdy.sharding<@m, [{{"y"}}, {{}}]>}}, tensor<4x6xi32> {{sdy.sharding = #sdy.sharding<@m, [{{"y"}}, {{}}], unreduced={{"x":(2)2}}>}}) {{
  return %x, %x : tensor<4x6xi32>, tensor<4x6xi32>
}}""",
        [x],
        [x, x],
    )
tally.finish()
