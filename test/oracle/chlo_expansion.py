#===- chlo_expansion.py - accuracy of the expansions of CHLO ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Every CHLO function, expanded by us and run by XLA on the CPU, against 40 digits of mpmath.
Units are last places (ulp) of the element type; results below its normal range are compared
in absolute terms, since XLA may flush them."""

import oracle

oracle.require()

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)

try:
    import ml_dtypes
    import mpmath as mp
except ImportError as missing:
    print(f"SKIPPED chlo_expansion: {missing}; scripts/bootstrap.sh installs it")
    print("chlo_expansion: 0 passed, 0 failed, 1 skipped")
    raise SystemExit(0)

from jaxlib import xla_client
from jaxlib.mlir import ir
from jax._src.interpreters import mlir as jax_mlir

mp.mp.dps = 40
EXPAND = "--pass-pipeline=builtin.module(func.func(chlo-legalize-to-stablehlo))"
TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def run(text, *arguments):
    device = jax.devices()[0]
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        code = jax_mlir.module_to_bytecode(ir.Module.parse(text))
    program = device.client.compile_and_load(
        code, xla_client.DeviceList((device,)), xla_client.CompileOptions()
    )
    return [np.asarray(o) for o in program.execute([jax.device_put(a, device) for a in arguments])]


def within(function, low, high):
    return lambda x: function(x) if low <= x <= high else mp.nan


def signed_infinity_at_one(function):
    return within(lambda x: mp.inf * x if abs(x) == 1 else function(x), -1, 1)


def is_pole(x):
    return x <= 0 and x == mp.floor(x)


def log_gamma(x):
    return mp.inf if mp.isinf(x) or is_pole(x) else mp.log(abs(mp.gamma(x)))


def bessel_i1e(x):
    return mp.mpf(0) if mp.isinf(x) else mp.exp(-abs(x)) * mp.besseli(1, x)


# Name -> (exact function, bound in ulp of f32, bound in ulp of f64). f64 bounds are wider
# where a zero of the function, or XLA's own log1p, costs digits.
UNARY = {
    "erf": (mp.erf, 4, 4),
    "erfc": (mp.erfc, 4, 4),
    "erf_inv": (signed_infinity_at_one(mp.erfinv), 4, 8),
    "asin": (within(mp.asin, -1, 1), 4, 4),
    "acos": (within(mp.acos, -1, 1), 4, 4),
    "atan": (mp.atan, 4, 4),
    "sinh": (mp.sinh, 4, 4),
    "cosh": (mp.cosh, 4, 4),
    "asinh": (mp.asinh, 4, 4),
    "acosh": (within(mp.acosh, 1, mp.inf), 4, 4),
    "atanh": (signed_infinity_at_one(mp.atanh), 4, 300),
    "lgamma": (log_gamma, 4, None),
    "digamma": (lambda x: mp.nan if is_pole(x) or x == -mp.inf else mp.digamma(x), 4, None),
    "bessel_i1e": (bessel_i1e, 4, 8),
    "tan": (lambda x: mp.nan if mp.isinf(x) else mp.tan(x), 4, 4),
    "square": (lambda x: x * x, 1, 1),
}


def points(rng, dtype):
    uniform = lambda low, high, n: [rng.uniform(low, high) for _ in range(n)]
    signs = lambda values: [rng.choice((-1, 1)) * v for v in values]
    near = [10.0**e for e in uniform(-7, 0, 120)]
    values = (
        uniform(-1, 1, 150) + uniform(-10, 10, 150) + uniform(-80, 80, 60)
        + signs(10.0**e for e in uniform(-6, 2, 150))
        + [1 - e for e in near] + [e - 1 for e in near] + [1 + e for e in near]
        + [0.0, -0.0, 1, -1, 2, -2, 3, 0.5, -0.5, np.inf, -np.inf, np.nan]
    )  # fmt: skip
    return np.array(values).astype(dtype)


def ulp(dtype, value):
    info = ml_dtypes.finfo(dtype)
    exponent = max(np.floor(np.log2(max(abs(float(value)), 1e-320))), np.log2(float(info.tiny)))
    return 2.0**exponent * float(info.eps)


def check(tally, case, dtype, inputs, results, exact, bound):
    """`exact(*mpf)` at each point; NaN and infinities must agree."""
    info = ml_dtypes.finfo(dtype)
    largest, tiny = float(info.max), float(info.tiny)
    worst, where = 0.0, None
    for i, found in enumerate(results.astype(np.float64)):
        point = [float(x[i]) for x in inputs]
        expected = mp.nan if any(np.isnan(point)) else exact(*map(mp.mpf, point))
        if mp.isnan(expected) or np.isnan(found):
            if mp.isnan(expected) != np.isnan(found):
                return tally.fail(case, f"at {point}: expected {expected}, found {found}")
            continue
        if abs(expected) > largest:
            expected = mp.sign(expected) * mp.inf
        if mp.isinf(expected) or np.isinf(found):
            if float(expected) != found and abs(float(expected) - found) != 0:
                return tally.fail(case, f"at {point}: expected {expected}, found {found}")
            continue
        if abs(expected) < 4 * tiny:
            error = 0.0 if abs(expected - found) < 4 * tiny else np.inf
        else:
            error = float(abs(expected - mp.mpf(found))) / ulp(dtype, expected)
        if error > worst:
            worst, where = error, (point, found, mp.nstr(expected, 17))
    tally.check(case, worst <= bound, f"{worst} ulp at {where}, more than {bound}")


def test_unary(tally, rng):
    for name, (exact, bound32, bound64) in UNARY.items():
        for short, dtype in TYPES.items():
            bound = {"f32": bound32, "f64": bound64}.get(short, 1)
            if bound is None:
                continue  # as accurate as f32 needs
            x = points(rng, dtype)
            tensor = f"tensor<{len(x)}x{short}>"
            text = oracle.ours(
                f"func.func @main(%a: {tensor}) -> {tensor} {{\n"
                f"  %0 = chlo.{name} %a : {tensor} -> {tensor}\n  return %0 : {tensor}\n}}", EXPAND
            )  # fmt: skip
            tally.check(f"{name} {short} expanded", "chlo" not in text, text)
            check(tally, f"{name} {short} ({rng.name})", dtype, [x], run(text, x)[0], exact, bound)


def test_binary(tally, rng):
    cases = {
        "zeta": (lambda x, q: mp.zeta(x, q), lambda: (1 + 10 ** rng.uniform(-2, 1), 10 ** rng.uniform(-2, 1.5))),
        "polygamma": (lambda n, x: mp.psi(int(n), x),
                      lambda: (float(rng.randint(0, 6)), 10 ** rng.uniform(-1, 1.5))),
    }  # fmt: skip
    for name, (exact, draw) in cases.items():
        a, b = (np.array(v, np.float32) for v in zip(*(draw() for _ in range(150))))
        tensor = f"tensor<{len(a)}xf32>"
        text = oracle.ours(
            f"func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n"
            f"  %0 = chlo.{name} %a, %b : {tensor}, {tensor} -> {tensor}\n  return %0 : {tensor}\n}}",
            EXPAND,
        )  # fmt: skip
        check(tally, f"{name} ({rng.name})", np.float32, [a, b], run(text, a, b)[0], exact, 4)


def test_next_after(tally, rng):
    for short in ("f32", "f64", "f16"):
        dtype = TYPES[short]
        special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, np.finfo(dtype).max,
                   np.finfo(dtype).smallest_subnormal, -np.finfo(dtype).smallest_subnormal]  # fmt: skip
        special += [rng.uniform(-10, 10) for _ in range(6)]
        x, y = (g.ravel().astype(dtype) for g in np.meshgrid(special, special))
        tensor = f"tensor<{len(x)}x{short}>"
        text = oracle.ours(
            f"func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n"
            f"  %0 = chlo.next_after %a, %b : {tensor}, {tensor} -> {tensor}\n"
            f"  return %0 : {tensor}\n}}", EXPAND
        )  # fmt: skip
        found = run(text, x, y)[0]
        with np.errstate(over="ignore"):
            expected = np.nextafter(x, y)
        same = (found.view(f"u{found.itemsize}") == expected.view(f"u{found.itemsize}")) | (
            np.isnan(found) & np.isnan(expected)
        )
        # C gives y for equal arguments; numpy's f16 gives x, which differs for 0 and -0.
        same |= (x == 0) & (y == 0) & (found == y) & (np.signbit(found) == np.signbit(y))
        message = f"{x[~same]} {y[~same]}: {found[~same]}, not {expected[~same]}"
        tally.check(f"next_after {short} ({rng.name})", same.all(), message)


def test_integers_and_top_k(tally, rng):
    for bits in (8, 16, 32, 64):
        for sign in ("i", "u"):
            dtype = np.dtype(f"{sign}{bits // 8}")
            info = np.iinfo(dtype)
            draw = lambda: np.array(
                [info.min, info.max, 0, 1] + [rng.randint(info.min, info.max) for _ in range(60)], dtype
            )  # fmt: skip
            a, b = draw(), draw()
            tensor = f"tensor<64x{'u' if sign == 'u' else ''}i{bits}>"
            text = oracle.ours(
                f"func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n"
                f"  %0 = chlo.mulhi %a, %b : {tensor}, {tensor} -> {tensor}\n"
                f"  return %0 : {tensor}\n}}", EXPAND
            )  # fmt: skip
            expected = np.array([(int(p) * int(q)) >> bits for p, q in zip(a, b)], dtype)
            found = run(text, a, b)[0]
            tally.check(f"mulhi {dtype} ({rng.name})", (found == expected).all(), f"{found} {expected}")
    x = np.array([[rng.choice((1.0, -0.0, 0.0, 2.0, -np.inf)) for _ in range(9)] for _ in range(5)], np.float32)
    text = oracle.ours(
        "func.func @main(%a: tensor<5x9xf32>) -> (tensor<5x4xf32>, tensor<5x4xi32>) {\n"
        "  %0:2 = chlo.top_k(%a, k = 4) : tensor<5x9xf32> -> (tensor<5x4xf32>, tensor<5x4xi32>)\n"
        "  return %0#0, %0#1 : tensor<5x4xf32>, tensor<5x4xi32>\n}", EXPAND
    )  # fmt: skip
    values, indices = run(text, x)
    # Largest first; +0 before -0; ties by index.
    key = lambda row, i: (-row[i], bool(np.signbit(row[i])), i)
    order = np.array([sorted(range(9), key=lambda i, row=row: key(row, i))[:4] for row in x])
    tally.check(f"top_k ({rng.name})", (indices == order).all(), f"{x}\n{indices}\n{order}")
    tally.check(f"top_k values ({rng.name})", (values == np.take_along_axis(x, order, 1)).all())


def main():
    args = oracle.arguments(__doc__, cases=1, long_cases=20)
    tally = oracle.Tally("chlo_expansion")
    for rng in oracle.generators(args):
        test_unary(tally, rng)
        test_binary(tally, rng)
        test_next_after(tally, rng)
        test_integers_and_top_k(tally, rng)
    tally.finish()


if __name__ == "__main__":
    main()
