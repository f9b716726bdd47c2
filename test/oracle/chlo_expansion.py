#===- chlo_expansion.py - accuracy of the expansions of CHLO ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Every CHLO function and StableHLO's complex ones, expanded and run by us, compared with mpmath.

The bounds are in special_functions.py, in units in the last place (ulp) of the element type,
including subnormal results. f16 and bf16 must be within 1. `--docs` prints the page
docs/special-functions.md with the errors found and JAX's errors. Without it the bounds on the page
are compared with the table.
"""

import argparse
import os
import subprocess
import tempfile

import oracle

oracle.require()

import ml_dtypes
import numpy as np

try:
    import mpmath as mp
except ImportError as missing:
    print(f"SKIPPED chlo_expansion: {missing}; scripts/bootstrap.sh installs it")
    print("chlo_expansion: 0 passed, 0 failed, 1 skipped")
    raise SystemExit(0)

import special_functions as exact

mp.mp.dps = 50
EXPAND = "--pass-pipeline=builtin.module(func.func(chlo-legalize-to-stablehlo),sw-expand-complex-math)"
TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
PAGE = os.path.join(oracle.ROOT, "docs", "special-functions.md")
found_errors, jax_errors = {}, {}  # (name, type) -> the largest error in ulp
compare_jax = False


# --- running ------------------------------------------------------------------------------


def bits(a):
    return a.view(np.uint16) if a.dtype == ml_dtypes.bfloat16 else a


def execute(text, arguments, folder):
    """Returns the results of @main by `shardwright run`."""
    module, inputs, outputs = (os.path.join(folder, n) for n in ("m.mlir", "in.npz", "out.npz"))
    with open(module, "w") as file:
        file.write(text)
    np.savez(inputs, **{f"arg{i}": bits(a) for i, a in enumerate(arguments)})
    done = subprocess.run(
        [oracle.TOOL, "run", module, inputs, "--out", outputs, "--devices", "1"],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise oracle.OurError(done)
    with np.load(outputs) as file:
        return [file[f"out{i}"] for i in range(len(file.files))]


def program(operands, lines, results):
    """operands: types; lines: ops that use %a0, %a1, ...; results: (name, type)."""
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(operands))
    types = ", ".join(t for _, t in results)
    body = "\n  ".join(lines)
    return (f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n"
            f"  return {', '.join(n for n, _ in results)} : {types}\n}}\n")  # fmt: skip


# --- points -------------------------------------------------------------------------------


def points(rng, dtype, count):
    """Returns points over all magnitudes, at thresholds of the formulas, near integers, and special
    values."""
    info = ml_dtypes.finfo(dtype)
    low, high = np.log10(float(info.smallest_subnormal)), np.log10(float(info.max))
    draw = lambda n, f: [f() for _ in range(n)]
    sign = lambda: rng.choice((-1, 1))
    near = lambda: 10 ** rng.uniform(np.log10(float(info.eps)), 0)
    values = draw(count, lambda: rng.uniform(-1, 1))
    values += draw(count, lambda: rng.uniform(-12, 12))
    values += draw(count // 2, lambda: sign() * rng.uniform(0, 800 if info.bits == 64 else 100))
    values += draw(count, lambda: sign() * 10 ** rng.uniform(max(low, -320), high))
    values += draw(count, lambda: sign() * 10 ** rng.uniform(-6, 3))
    values += draw(count, lambda: rng.choice((-1, 1)) + sign() * near())
    values += draw(count // 2, lambda: rng.randint(-20, 20) + sign() * near())
    for at in (0.5, 0.9375, 1.4616321449683623, 1.5, 2.0, 2.5, 7.5, 8.0, 10.0):
        values += draw(6, lambda: sign() * at * (1 + sign() * near()))
    values += [0.0, -0.0, np.inf, -np.inf, np.nan, float(info.max), -float(info.max),
               float(info.tiny), float(info.smallest_subnormal), -float(info.smallest_subnormal)]  # fmt: skip
    values += [float(k) for k in range(-5, 12)]
    with np.errstate(over="ignore"):
        return np.array(values, np.float64).astype(dtype)


def ulp(dtype, value):
    info = ml_dtypes.finfo(dtype)
    size = max(abs(value), mp.mpf(float(info.tiny)))
    return mp.mpf(2) ** (mp.frexp(size)[1] - 1) * float(info.eps)


def mpf(value):
    return mp.mpf(float(value))


def measure(dtype, inputs, results, function, bound, floor=None, skip_subnormal=False):
    """Evaluates `function(*mpf)` at each point. Returns the largest error in ulp, its position, and
    plain errors (NaN and infinities must agree)."""
    info = ml_dtypes.finfo(dtype)
    largest, tiny = float(info.max), float(info.tiny)
    half = ulp(dtype, mpf(largest)) / 2
    worst, where, wrong = 0.0, None, None
    for i, result in enumerate(results.astype(np.float64)):
        point = [float(x[i]) for x in inputs]
        expected = mp.nan if any(np.isnan(point)) else function(*map(mpf, point))
        if skip_subnormal and (abs(expected) < 4 * tiny or any(abs(p) < 4 * tiny for p in point)):
            continue
        report = f"at {point}: expected {expected}, found {result}"
        if mp.isnan(expected) or np.isnan(result):
            if mp.isnan(expected) != np.isnan(result):
                wrong = wrong or report
            continue
        if abs(expected) >= largest + half:
            expected = mp.sign(expected) * mp.inf
        if mp.isinf(expected) or np.isinf(result):
            # Close to the largest finite number, both a finite result and infinity are correct.
            close = not mp.isinf(expected) and abs(expected) > largest - bound * 2 * half
            close |= mp.isinf(expected) and abs(result) > largest - bound * 2 * float(half)
            if float(expected) != result and not close:
                wrong = wrong or report
            continue
        size = max(abs(expected), floor(*map(mpf, point)) if floor else 0)
        error = float(abs(expected - mpf(result)) / ulp(dtype, size))
        if error > worst:
            worst, where = error, (point, result, mp.nstr(expected, 20))
    return worst, where, wrong


def check(tally, case, key, dtype, inputs, results, function, bound, floor=None):
    worst, where, wrong = measure(dtype, inputs, results, function, bound, floor)
    found_errors[key] = max(worst, found_errors.get(key, 0))
    if wrong:
        return tally.fail(case, wrong)
    tally.check(case, worst <= bound, f"{worst} ulp at {where}, more than {bound}")
    if compare_jax and key[1] in ("f32", "f64"):
        jax_errors[key] = max(jax_error(key[0], dtype, inputs, function, bound, floor), jax_errors.get(key, 0))


def jax_error(name, dtype, inputs, function, bound, floor):
    import jax

    jax.config.update("jax_enable_x64", True)
    if not hasattr(jax.lax, name):
        return 0.0
    results = np.asarray(jax.jit(getattr(jax.lax, name))(*inputs))
    return measure(dtype, inputs, results, function, bound, floor, skip_subnormal=True)[0]


def floor_of(floor, short):
    return floor if short == "f64" else None


# --- tests --------------------------------------------------------------------------------


def test_unary(tally, rng, folder, count):
    names = sorted(exact.UNARY)
    for short, dtype in TYPES.items():
        x = points(rng, dtype, count)
        t = f"tensor<{len(x)}x{short}>"
        lines = [f"%{n} = chlo.{n} %a0 : {t} -> {t}" for n in names]
        found = execute(program([t], lines, [(f"%{n}", t) for n in names]), [x], folder)
        for name, result in zip(names, found):
            function, bound32, bound64, floor = exact.UNARY[name]
            bound = {"f32": bound32, "f64": bound64}.get(short, 1)
            result = result.view(dtype)
            check(tally, f"{name} {short} ({rng.name})", (name, short), dtype, [x], result, function,
                  bound, floor_of(floor, short))  # fmt: skip


def binary_points(rng, name, count):
    for _ in range(count):
        if name == "zeta":
            x = 1 + 10 ** rng.uniform(-4, 2)
            if rng.random() < 0.3:
                x = float(rng.randint(2, 20))
            q = 10 ** rng.uniform(-4, 4)
            if x == int(x) and rng.random() < 0.5:
                q = -rng.uniform(0, 30)
        else:
            x = float(rng.choice((0, 1, 1, 2, 3, 4, 7, rng.randint(8, 30))))
            q = 10 ** rng.uniform(-3, 3) if rng.random() < 0.7 else rng.uniform(-20, 20)
        yield x, q
    yield from ((1.0, 2.0), (2.0, np.inf), (3.0, 0.0), (0.5, 2.0), (2.0, np.nan), (np.nan, 1.0))


def test_binary(tally, rng, folder, count):
    names = sorted(exact.BINARY)
    for short, dtype in TYPES.items():
        columns = [[np.array(c).astype(dtype) for c in zip(*binary_points(rng, n, count))] for n in names]
        t = f"tensor<{len(columns[0][0])}x{short}>"
        lines = [f"%{n} = chlo.{n} %a{2 * i}, %a{2 * i + 1} : {t}, {t} -> {t}" for i, n in enumerate(names)]
        text = program([t] * 4, lines, [(f"%{n}", t) for n in names])
        found = execute(text, sum(columns, []), folder)
        for name, inputs, result in zip(names, columns, found):
            function, bound32, bound64, floor = exact.BINARY[name]
            bound = {"f32": bound32, "f64": bound64}.get(short, 1)
            check(tally, f"{name} {short} ({rng.name})", (name, short), dtype, inputs,
                  result.view(dtype), function, bound, floor_of(floor, short))  # fmt: skip


def complex_points(rng, short, count):
    dtype = TYPES[short]
    wide = 100 if short == "f64" else 30
    for _ in range(count):
        kind = rng.random()
        if kind < 0.3:
            z = [rng.uniform(-2, 2), rng.uniform(-2, 2)]
        elif kind < 0.5:
            z = [rng.choice((-1, 1)) * 10 ** rng.uniform(-wide, 1.8) for _ in "ri"]
        elif kind < 0.7:  # near 1, i and similar numbers
            z = [rng.choice((-1, 1)) * 10 ** rng.uniform(-12, -1) for _ in "ri"]
            z[rng.randrange(2)] += rng.choice((-1, 1))
        elif kind < 0.8:  # near the unit circle
            angle = rng.uniform(-np.pi, np.pi)
            z = [np.cos(angle), np.sin(angle)]
        else:
            z = [rng.uniform(-60, 60), rng.uniform(-60, 60)]
        yield [float(dtype(v)) for v in z]


def test_complex(tally, rng, folder, count):
    table = [*exact.COMPLEX.items(), *exact.COMPLEX_BINARY.items()]
    for short in ("f32", "f64"):
        dtype = TYPES[short]
        z = np.array(list(complex_points(rng, short, count)), dtype)
        w = np.array(list(complex_points(rng, short, count)), dtype)
        w = np.clip(w, -8, 8)
        t, c = f"tensor<{len(z)}x{short}>", f"tensor<{len(z)}xcomplex<{short}>>"
        lines = [f"%z = stablehlo.complex %a0, %a1 : {c}", f"%w = stablehlo.complex %a2, %a3 : {c}"]
        results = []
        for i, (name, _) in enumerate(table):
            operands = "%z, %w" if name in exact.COMPLEX_BINARY else "%z"
            types = f"{c} -> {c}" if name.startswith("chlo") else c
            lines.append(f"%v{i} = {name} {operands} : {types}")
            for part in ("real", "imag"):
                lines.append(f"%{part}{i} = stablehlo.{part} %v{i} : ({c}) -> {t}")
                results.append((f"%{part}{i}", t))
        text = oracle.ours(program([t] * 4, lines, results), EXPAND)
        found = execute(text, [z[:, 0], z[:, 1], w[:, 0], w[:, 1]], folder)
        for i, (name, (function, bound32, bound64, together)) in enumerate(table):
            operands = [z, w] if name in exact.COMPLEX_BINARY else [z]
            check_complex(tally, name, f"{name} complex<{short}> ({rng.name})", (name, short), dtype, operands,
                          found[2 * i], found[2 * i + 1], function,
                          bound32 if short == "f32" else bound64, together)  # fmt: skip


def check_complex(tally, name, case, key, dtype, operands, re, im, function, bound, together):
    largest = float(ml_dtypes.finfo(dtype).max)
    worst, where = 0.0, None
    for i in range(len(re)):
        point = [complex(*map(float, o[i])) for o in operands]
        with mp.workdps(260):
            expected = mp.mpc(function(*(mp.mpc(p) for p in point)))
        pair = (float(re[i]), float(im[i]))
        scale = exact.condition(name, *map(mp.mpc, point)) if dtype == np.float64 else 1
        if max(abs(expected.real), abs(expected.imag)) > largest / 4:
            continue
        if not np.isfinite(pair).all():
            return tally.fail(case, f"at {point}: expected {mp.nstr(expected, 17)}, found {pair}")
        for part, result in zip((expected.real, expected.imag), pair):
            size = abs(expected) if together else abs(part)
            error = float(abs(part - mpf(result)) / ulp(dtype, size)) / scale
            if error > worst:
                worst, where = error, (point, pair, mp.nstr(expected, 20))
    found_errors[key] = max(worst, found_errors.get(key, 0))
    tally.check(case, worst <= bound, f"{worst} ulp at {where}, more than {bound}")


# The values of C99 for cuts and infinities, as numpy computes them.
NUMPY = {"acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
         "atan": np.arctan, "atanh": np.arctanh, "cosh": np.cosh, "sinh": np.sinh,
         "sqrt": np.sqrt, "log": np.log, "exponential": np.exp, "tanh": np.tanh}  # fmt: skip


def test_special_complex(tally, folder):
    special = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 1e200, -1e-200, np.inf, -np.inf]
    re, im = (g.ravel() for g in np.meshgrid(special, special))
    t, c = f"tensor<{len(re)}xf64>", f"tensor<{len(re)}xcomplex<f64>>"
    lines, results = [f"%z = stablehlo.complex %a0, %a1 : {c}"], []
    for name in NUMPY:
        prefix = "chlo" if f"chlo.{name}" in exact.COMPLEX else "stablehlo"
        lines.append(f"%{name} = {prefix}.{name} %z : {c} -> {c}" if prefix == "chlo"
                     else f"%{name} = {prefix}.{name} %z : {c}")  # fmt: skip
        for part in ("real", "imag"):
            lines.append(f"%{name}_{part} = stablehlo.{part} %{name} : ({c}) -> {t}")
            results.append((f"%{name}_{part}", t))
    found = execute(oracle.ours(program([t] * 2, lines, results), EXPAND), [re, im], folder)
    z = np.array([complex(a, b) for a, b in zip(re, im)])
    for i, (name, function) in enumerate(NUMPY.items()):
        with np.errstate(all="ignore"):
            expected = function(z)
        for part, want, got in (("real", expected.real, found[2 * i]), ("imag", expected.imag, found[2 * i + 1])):
            with np.errstate(all="ignore"):
                same = (want == got) | np.isclose(want, got, rtol=1e-14, atol=0)
                # Annex G leaves signs open if the imaginary part is infinite.
                same &= (np.signbit(want) == np.signbit(got)) | np.isinf(z.imag)
                same |= np.isnan(want) & np.isnan(got)
                same |= np.isinf(z.imag) & np.isinf(want) & np.isinf(got)
            at = "; ".join(f"{z[k]}: {want[k]}, found {got[k]}" for k in np.flatnonzero(~same)[:4])
            tally.check(f"{name} {part} of special values", same.all(), at)


def test_next_after(tally, rng, folder):
    for short in ("f32", "f64", "f16", "bf16"):
        dtype = TYPES[short]
        info = ml_dtypes.finfo(dtype)
        special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, info.max,
                   info.smallest_subnormal, -info.smallest_subnormal]  # fmt: skip
        special += [rng.uniform(-10, 10) for _ in range(6)]
        x, y = (g.ravel().astype(dtype) for g in np.meshgrid(np.array(special, np.float64), np.array(special, np.float64)))
        t = f"tensor<{len(x)}x{short}>"
        text = program([t, t], [f"%0 = chlo.next_after %a0, %a1 : {t}, {t} -> {t}"], [("%0", t)])
        found = execute(text, [x, y], folder)[0].view(dtype)
        with np.errstate(over="ignore"):
            expected = np.nextafter(x, y)
        same = (found.view(f"u{found.itemsize}") == expected.view(f"u{found.itemsize}")) | (
            np.isnan(found) & np.isnan(expected)
        )
        # C returns y for equal arguments. numpy's f16 returns x, which differs for 0 and -0.
        same |= (x == 0) & (y == 0) & (found == y) & (np.signbit(found) == np.signbit(y))
        message = f"{x[~same]} {y[~same]}: {found[~same]}, not {expected[~same]}"
        tally.check(f"next_after {short} ({rng.name})", same.all(), message)


def test_integers_and_top_k(tally, rng, folder):
    for width in (8, 16, 32, 64):
        for sign in ("i", "u"):
            dtype = np.dtype(f"{sign}{width // 8}")
            info = np.iinfo(dtype)
            draw = lambda: np.array(
                [info.min, info.max, 0, 1] + [rng.randint(info.min, info.max) for _ in range(60)], dtype
            )  # fmt: skip
            a, b = draw(), draw()
            t = f"tensor<64x{'u' if sign == 'u' else ''}i{width}>"
            text = program([t, t], [f"%0 = chlo.mulhi %a0, %a1 : {t}, {t} -> {t}"], [("%0", t)])
            expected = np.array([(int(p) * int(q)) >> width for p, q in zip(a, b)], dtype)
            found = execute(text, [a, b], folder)[0]
            tally.check(f"mulhi {dtype} ({rng.name})", (found == expected).all(), f"{found} {expected}")
    x = np.array([[rng.choice((1.0, -0.0, 0.0, 2.0, -np.inf)) for _ in range(9)] for _ in range(5)], np.float32)
    v, i = "tensor<5x4xf32>", "tensor<5x4xi32>"
    text = program(["tensor<5x9xf32>"],
                   [f"%0:2 = chlo.top_k(%a0, k = 4) : tensor<5x9xf32> -> ({v}, {i})"],
                   [("%0#0", v), ("%0#1", i)])  # fmt: skip
    values, indices = execute(text, [x], folder)
    # Largest first; +0 before -0; ties by index.
    key = lambda row, i: (-row[i], bool(np.signbit(row[i])), i)
    order = np.array([sorted(range(9), key=lambda i, row=row: key(row, i))[:4] for row in x])
    tally.check(f"top_k ({rng.name})", (indices == order).all(), f"{x}\n{indices}\n{order}")
    tally.check(f"top_k values ({rng.name})", (values == np.take_along_axis(x, order, 1)).all())


# --- ragged_dot and scan ------------------------------------------------------------------


def test_ragged_dot(tally, rng, folder):
    from jax import lax

    b, m, k, n, g = (rng.randint(1, 5) for _ in range(5))
    draw = np.random.default_rng(rng.seed_value)
    sizes = lambda total, *shape: draw.multinomial(rng.randint(0, total), [1 / g] * g, shape or None).astype(np.int32)
    cases = {
        # name: lhs, rhs, group_sizes, ((contract), (batch)), ragged, group
        "non-contracting": ((m, k), (g, k, n), sizes(m), (([1], [1]), ([], [])), 0, [0]),
        "non-contracting, batch": ((b, m, k), (g, b, k, n), sizes(m), (([2], [2]), ([0], [1])), 1, [0]),
        "non-contracting, own sizes": ((m, b, k), (b, k, g, n), sizes(m, b), (([2], [1]), ([1], [0])), 0, [2]),
        "contracting": ((m, k), (k, n), sizes(k), (([1], [0]), ([], [])), 1, []),
        "contracting, own sizes": ((b, k, m), (n, k, b), sizes(k, b), (([1], [1]), ([0], [2])), 1, []),
        "batch": ((b, m, k), (b, k, n), sizes(b), (([2], [1]), ([0], [0])), 0, []),
    }
    for name, (lhs, rhs, group_sizes, numbers, ragged, group) in cases.items():
        dims = lax.RaggedDotDimensionNumbers(numbers, [ragged], group)
        x, y = (draw.integers(-4, 5, shape).astype(np.float32) for shape in (lhs, rhs))
        function = lambda x, y, s, dims=dims: lax.ragged_dot_general(x, y, s, dims)
        expected = np.asarray(function(x, y, group_sizes))
        attribute = ", ".join(
            f"{key} = {list(value)}"
            for key, value in zip(
                ("lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
                 "rhs_contracting_dimensions", "lhs_ragged_dimensions", "rhs_group_dimensions"),
                (*numbers[1], *numbers[0], [ragged], group),
            )
        )  # fmt: skip
        types = [f"tensor<{'x'.join(map(str, a.shape))}x{e}>" for a, e in ((x, "f32"), (y, "f32"), (group_sizes, "i32"))]
        result = f"tensor<{'x'.join(map(str, expected.shape))}xf32>"
        line = (f'%0 = "chlo.ragged_dot"(%a0, %a1, %a2) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<'
                f"{attribute}>}}> : ({', '.join(types)}) -> {result}")  # fmt: skip
        found = execute(program(types, [line], [("%0", result)]), [x, y, group_sizes], folder)[0]
        tally.check(f"ragged_dot {name} ({rng.name})", (found == expected).all(), f"{line}\n{found}\n{expected}")


def test_scan(tally, rng, folder):
    """The outputs and the carry of a recurrence in both directions, along either dimension."""
    draw = np.random.default_rng(rng.seed_value)
    for reverse in (False, True):
        d, shape = rng.randrange(2), [rng.randint(1, 4), rng.randint(1, 4)]
        x = draw.integers(-3, 4, shape).astype(np.int32)
        rest = shape[1 - d]
        c = draw.integers(-3, 4, rest).astype(np.int32)
        whole, slice_ = f"tensor<{shape[0]}x{shape[1]}xi32>", f"tensor<{rest}xi32>"
        text = program([whole, slice_], [
            f"%0:2 = chlo.scan(%a0) inits (%a1) dimension={d} attributes {{is_reverse = {str(reverse).lower()}}} {{",
            f"^bb0(%x: {slice_}, %c: {slice_}):",
            f"  %d = stablehlo.add %c, %c : {slice_}",
            f"  %s = stablehlo.add %d, %x : {slice_}",
            f"  stablehlo.return %s, %d : {slice_}, {slice_}",
            f"}} : ({whole}, {slice_}) -> ({whole}, {slice_})"],
            [("%0#0", whole), ("%0#1", slice_)])  # fmt: skip
        rows = np.moveaxis(x, d, 0)
        ys, carry = np.zeros_like(rows), c
        for i in range(len(rows))[:: -1 if reverse else 1]:
            carry = carry * 2
            ys[i] = carry + rows[i]
        found = execute(text, [x, c], folder)
        same = (found[0] == np.moveaxis(ys, 0, d)).all() and (found[1] == carry).all()
        tally.check(f"scan reverse={reverse} ({rng.name})", same, f"{text}\n{found}\n{ys} {carry}")


# --- the page -----------------------------------------------------------------------------

HEADER = """# Accuracy of special functions

The tables have three columns for each element type: the promised bound, the largest error found on points over all
magnitudes, and the largest error of `jax.lax` on the CPU at the same points. Errors are in units in the last place (ulp)
of the element type. `-` means that `jax.lax` has no such function, or no implementation of its own. XLA flushes
subnormal numbers, so its column leaves them out; ours includes them. `test/oracle/chlo_expansion.py` checks the bounds
against mpmath; its `--long --docs` prints this page.

f16, bf16 and the f8 types are computed in f32 or wider and rounded once, so they are within 1 ulp everywhere.

## Real
"""

NOTES = """
The gamma functions have many zeros at negative numbers. Near these zeros their f64 results have no small relative
error, because large terms cancel. There errors are relative to these terms: lgamma(-x), digamma(-x), and the largest
terms of the sum for zeta and polygamma.

The tests use second arguments of zeta and polygamma down to -30, and orders of polygamma up to 30. At a pole the result
is infinite if both one-sided limits agree (even x, odd orders), otherwise NaN.

## Complex

The bound holds for the real and the imaginary part separately. For functions marked "of both", one part may cancel, and
the error is relative to the magnitude of the result. complex<f32> is computed in f64. The bound of power is multiplied
by 1 + |w log z| for complex<f64>. Branch cuts, signed zeros and infinities are those of C99.
"""


def row(name, bounds, note=""):
    cells = [name + note]
    for short, bound in zip(("f32", "f64"), bounds):
        number = lambda table: f"{table[name, short]:.2g}" if table.get((name, short)) else "-"
        cells += [str(bound), number(found_errors)] + ([number(jax_errors)] if "." not in name else [])
    return "| " + " | ".join(cells) + " |"


def page():
    lines = [HEADER + "\n| function | f32 | found | jax.lax | f64 | found | jax.lax |\n|" + " --- |" * 7]
    lines += [row(n, e[1:3]) for n, e in sorted({**exact.UNARY, **exact.BINARY}.items())]
    lines.append(NOTES + "\n| function | complex<f32> | found | complex<f64> | found |\n|" + " --- |" * 5)
    for name, entry in sorted({**exact.COMPLEX, **exact.COMPLEX_BINARY}.items()):
        lines.append(row(name, entry[1:3], ", of both" if entry[3] else ""))
    return "\n".join(lines) + "\n"


def without_measured(text):
    """The lines of the page; of tables only the names and bounds."""
    for line in text.splitlines():
        cells = line.split(" | ")
        yield (cells[0], cells[1], cells[len(cells) // 2 + 1]) if len(cells) >= 5 else line


def check_page(tally):
    with open(PAGE) as file:
        written = list(without_measured(file.read()))
    tally.equal("docs/special-functions.md", list(without_measured(page())), written)


def main():
    global compare_jax
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", action="store_true", help="print the page of measured errors")
    args = oracle.arguments(__doc__, cases=1, long_cases=20, parser=parser)
    count = 150 if args.long else 40
    compare_jax = args.docs
    tally = oracle.Tally("chlo_expansion", show=5)
    with tempfile.TemporaryDirectory() as folder:
        for rng in oracle.generators(args):
            test_unary(tally, rng, folder, count)
            test_binary(tally, rng, folder, count)
            test_complex(tally, rng, folder, 3 * count)
            test_next_after(tally, rng, folder)
            test_integers_and_top_k(tally, rng, folder)
            test_ragged_dot(tally, rng, folder)
            test_scan(tally, rng, folder)
        test_special_complex(tally, folder)
    if args.docs:
        print(page(), end="")
    else:
        check_page(tally)
    if not args.docs or tally.failed:
        tally.finish()


if __name__ == "__main__":
    main()
