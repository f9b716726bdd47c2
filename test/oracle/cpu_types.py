#===- cpu_types.py - element types on the CPU backend against XLA ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Operations on the rarer element types, run by `shardwright run` and by XLA's CPU client (for
floats of 4 to 8 bits: by ml_dtypes in f32, rounded after each operation).

Families: complex, tiny_ints, tiny_floats, structure, expanded, regions. A case is a module of many
operations on arguments of one shape; a failure names the operation.
"""

import argparse
import os
import tempfile

import numpy as np

import cpu
import oracle

COMPLEX = ["complex<f32>", "complex<f64>"]
TINY_INTS = ["i2", "i4", "ui2", "ui4"]
TINY_FLOATS = ["f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ",
               "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU"]


def dtype(element):
    import ml_dtypes

    if element.startswith("complex"):
        return np.dtype({"complex<f32>": np.complex64, "complex<f64>": np.complex128}[element])
    if element in TINY_INTS:
        return np.dtype(getattr(ml_dtypes, element.replace("ui", "uint").replace("i", "int")
                                if element[0] == "i" else element.replace("ui", "uint")))
    if element in TINY_FLOATS:
        head, rest = element[:2], element[2:].lower()
        return np.dtype(getattr(ml_dtypes, {"f4": "float4", "f6": "float6", "f8": "float8"}[head]
                                + "_" + rest))
    return cpu.dtype(element)


def bits(a):
    """What np.savez can hold."""
    if a.dtype.kind in "biufc" and a.dtype.name not in ("bfloat16",) and a.dtype.isbuiltin == 1:
        return a
    return a.view(np.uint16 if a.dtype.itemsize == 2 else np.uint8)


class Program(cpu.Program):
    def values(self, shape, element, wild):
        n = int(np.prod(shape))
        r = self.np
        if element.startswith("complex"):
            def part():
                x = r.standard_normal(n)
                if wild:
                    x *= 10.0 ** r.integers(-4, 3, n)
                    special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5]
                    x = np.where(r.random(n) < 0.2, r.choice(special, n), x)
                return x
            return (part() + 1j * part()).reshape(shape).astype(dtype(element))
        if element in TINY_INTS:
            width = int(element.lstrip("ui"))
            low = 0 if element[0] == "u" else -(1 << (width - 1))
            return r.integers(low, low + (1 << width), n).reshape(shape).astype(np.int8).astype(
                dtype(element))
        if element in TINY_FLOATS:
            width = int(element[1])
            return r.integers(0, 1 << width, n).astype(np.uint8).view(dtype(element)).reshape(shape)
        return super().values(shape, element, wild)


def T(shape, element):
    return cpu.t(shape, element)


UNARY_COMPLEX = ["negate", "exponential", "exponential_minus_one", "log", "log_plus_one", "sqrt",
                 "rsqrt", "sine", "cosine", "tan", "tanh", "logistic", "sign"]
BINARY_COMPLEX = ["add", "subtract", "multiply", "divide", "power"]


def complex_(p):
    r = p.rng
    e = r.choice(COMPLEX)
    half = e[8:11]
    shape = p.shape(r.choice([0, 1, 2, 3]))
    x, y = p.arg(shape, e, wild=True), p.arg(shape, e, wild=True)
    out = [p.unary(n, x) for n in UNARY_COMPLEX] + [p.binary(n, x, y) for n in BINARY_COMPLEX]
    for n in ("abs", "real", "imag"):
        out.append(p.unary(n, x, half))
    re, im = out[-2], out[-1]
    out.append(p.op(f"stablehlo.complex {im[0]}, {re[0]} : {T(shape, e)}", shape, e))
    for d in ("EQ", "NE"):
        out.append(p.op(f"stablehlo.compare {d}, {x[0]}, {y[0]} : ({T(shape, e)}, {T(shape, e)}) -> "
                        f"{T(shape, 'i1')}", shape, "i1"))
    out.append(p.op(f"stablehlo.select {out[-1][0]}, {x[0]}, {y[0]} : {T(shape, 'i1')}, "
                    f"{T(shape, e)}", shape, e))
    other = COMPLEX[1 - COMPLEX.index(e)]
    for to in (other,):
        out.append(p.unary("convert", x, to))
    for source in ("f32", "i32", "bf16"):
        out.append(p.unary("convert", p.arg(shape, source), e))
    return out


def structure(p):
    """Movement, reductions and dots of every type."""
    r = p.rng
    e = r.choice(COMPLEX + TINY_INTS + ["f8E4M3FN", "f8E5M2"])
    shape = p.shape(r.choice([1, 2, 3, 4]))
    rank = len(shape)
    x = p.arg(shape, e)
    out = [p.transpose(x, r.sample(range(rank), rank)), p.reshape(x, [int(np.prod(shape))])]
    out.append(p.op(f"stablehlo.reverse {x[0]}, dims = [{rank - 1}] : {T(shape, e)}", shape, e))
    cat = list(shape)
    cat[-1] *= 2
    out.append(p.op(f"stablehlo.concatenate {x[0]}, {x[0]}, dim = {rank - 1} : ({T(shape, e)}, "
                    f"{T(shape, e)}) -> {T(cat, e)}", cat, e))
    bound = [7] + shape
    out.append(p.broadcast(x, bound, range(1, rank + 1)))
    lim = [max(1, s - s // 3) for s in shape]
    sl = ", ".join(f"{s // 4}:{max(s // 4 + 1, l)}:2" for s, l in zip(shape, lim))
    sizes = [-(-(max(s // 4 + 1, l) - s // 4) // 2) for s, l in zip(shape, lim)]
    out.append(p.op(f"stablehlo.slice {x[0]} [{sl}] : ({T(shape, e)}) -> {T(sizes, e)}", sizes, e))
    z = p.arg((), e)
    padded = [s + 2 + max(s - 1, 0) for s in shape]
    out.append(p.op(f"stablehlo.pad {x[0]}, {z[0]}, low = {[1] * rank}, high = {[1] * rank}, "
                    f"interior = {[1] * rank} : ({T(shape, e)}, {T((), e)}) -> {T(padded, e)}",
                    padded, e))
    i = p.arg((), "i32", data=r.randrange(0, 3))
    starts = ", ".join([i[0]] * rank)
    part = [max(1, s // 2) for s in shape]
    st = ", ".join(["tensor<i32>"] * rank)
    out.append(p.op(f"stablehlo.dynamic_slice {x[0]}, {starts}, sizes = {part} : ({T(shape, e)}, "
                    f"{st}) -> {T(part, e)}", part, e))
    out.append(p.op(f"stablehlo.dynamic_update_slice {x[0]}, {out[-1][0]}, {starts} : "
                    f"({T(shape, e)}, {T(part, e)}, {st}) -> {T(shape, e)}", shape, e))
    if e.startswith("complex"):
        axes = sorted(r.sample(range(rank), r.randint(1, rank)))
        zero = p.constant("(0.0, 0.0)", (), e)
        kept = [s for d, s in enumerate(shape) if d not in axes]
        one = p.constant("(1.0, 0.0)", (), e)
        for op, init in (("add", zero), ("multiply", one)):
            if op == "multiply" and np.prod(shape) > 3000:
                continue
            out.append(p.op(f"stablehlo.reduce({x[0]} init: {init[0]}) applies stablehlo.{op} across "
                            f"dimensions = {axes} : ({T(shape, e)}, {T((), e)}) -> {T(kept, e)}",
                            kept, e))
        k = shape[-1]
        b = p.arg([k, 5], e)
        dot = shape[:-1] + [5]
        out.append(p.op(f"stablehlo.dot_general {x[0]}, {b[0]}, contracting_dims = [{rank - 1}] x [0]"
                        f" : ({T(shape, e)}, {T([k, 5], e)}) -> {T(dot, e)}", dot, e))
    return out


def tiny_ints(p):
    r = p.rng
    e = r.choice(TINY_INTS)
    shape = p.shape(r.choice([1, 2]))
    x, y = p.arg(shape, e), p.arg(shape, e)
    out = [p.binary(n, x, y) for n in
           ("add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or",
            "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic", "power")]
    out += [p.unary(n, x) for n in ("negate", "not", "count_leading_zeros")]
    if e[0] == "i":
        out += [p.unary(n, x) for n in ("abs", "sign")]
    for d in ("EQ", "LT", "GE"):
        out.append(p.op(f"stablehlo.compare {d}, {x[0]}, {y[0]} : ({T(shape, e)}, {T(shape, e)}) -> "
                        f"{T(shape, 'i1')}", shape, "i1"))
    for to in ("i8", "i32", "ui8", "f32", "i4", "ui4", "i2", "ui2", "bf16", "i1"):
        if to != e:
            out.append(p.unary("convert", x, to))
    for source in ("i32", "f32", "ui8", "f64"):
        out.append(p.unary("convert", p.arg(shape, source, wild=True), e))
    out.append(p.op(f"stablehlo.iota dim = 0 : {T(shape, e)}", shape, e))
    return out


def rounded(x, element):
    with np.errstate(all="ignore"):
        return x.astype(np.float32).astype(dtype(element))


def tiny_floats(p):
    """Expected values are computed here: (name, shape, element, expected)."""
    r = p.rng
    e = r.choice(TINY_FLOATS)
    shape = p.shape(r.choice([1, 2]))
    x, y = p.arg(shape, e), p.arg(shape, e)
    a, b = (d.astype(np.float32) for d in p.data[:2])
    out = []
    with np.errstate(all="ignore"):
        for n, f in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply),
                     ("divide", np.divide), ("maximum", np.maximum), ("minimum", np.minimum)):
            out.append((*p.binary(n, x, y), rounded(f(a, b), e)))
        for n, f in (("negate", np.negative), ("abs", np.abs), ("exponential", np.exp),
                     ("floor", np.floor), ("sqrt", np.sqrt)):
            if n in ("negate", "abs") and e == "f8E8M0FNU":
                continue
            out.append((*p.unary(n, x), rounded(f(a), e)))
        for to in ("f32", "bf16", "f16", "f64", "f8E5M2", "f8E4M3FN", "f8E4M3FNUZ"):
            if to != e:
                want = a.astype(dtype(to))
                out.append((*p.unary("convert", x, to), want))
        for d, f in (("LT", np.less), ("EQ", np.equal)):
            out.append((*p.op(f"stablehlo.compare {d}, {x[0]}, {y[0]} : ({T(shape, e)}, "
                              f"{T(shape, e)}) -> {T(shape, 'i1')}", shape, "i1"), f(a, b)))
        f = p.arg(shape, "f32", wild=True)
        v = p.data[-1]
        out.append((*p.unary("convert", f, e), v.astype(dtype(e))))
        i = p.arg(shape, "i32")
        out.append((*p.unary("convert", i, e), p.data[-1].astype(np.float32).astype(dtype(e))))
    return out


def expanded(p):
    """Operations that become others before they are compiled."""
    r = p.rng
    f = r.randrange(3)
    shape = [r.choice([2, 3, 4, 7]) for _ in range(3)]
    n = [shape[f]]
    x, g = p.arg(shape, "f32"), p.arg(shape, "f32")
    scale, offset, mean = (p.arg(n, "f32") for _ in range(3))
    variance = p.unary("abs", p.arg(n, "f32"))
    S, N = T(shape, "f32"), T(n, "f32")
    at = f"<{{epsilon = 1.0e-2 : f32, feature_index = {f} : i64}}>"
    out = []

    def several(text, results):
        name = f"%v{p.count}"
        p.count += 1
        p.lines.append(f"{name}:{len(results)} = {text}")
        out.extend((f"{name}#{i}", tuple(s), "f32") for i, s in enumerate(results))

    several(f'"stablehlo.batch_norm_training"({x[0]}, {scale[0]}, {offset[0]}) {at} : '
            f"({S}, {N}, {N}) -> ({S}, {N}, {N})", [shape, n, n])
    several(f'"stablehlo.batch_norm_grad"({x[0]}, {scale[0]}, {mean[0]}, {variance[0]}, {g[0]}) {at} '
            f": ({S}, {N}, {N}, {N}, {S}) -> ({S}, {N}, {N})", [shape, n, n])
    out.append(p.op(f'"stablehlo.batch_norm_inference"({x[0]}, {scale[0]}, {offset[0]}, {mean[0]}, '
                    f"{variance[0]}) {at} : ({S}, {N}, {N}, {N}, {N}) -> {S}", shape, "f32"))
    batch = r.randrange(2)
    dim = r.randrange(batch, 3)
    index = [shape[0]] * batch + [5] * r.randrange(1, 3)
    i = p.arg(index, "i32", data=np.random.default_rng(r.seed_value).integers(0, shape[dim], index))
    taken = shape[:dim] + index[batch:] + shape[dim + 1:]
    out.append(p.op(f'"stablehlo.torch_index_select"({x[0]}, {i[0]}) <{{dim = {dim} : i64, batch_dims '
                    f"= {batch} : i64}}> : ({S}, {T(index, 'i32')}) -> {T(taken, 'f32')}", taken, "f32"))
    sizes = dict(zip("abc", shape))
    b = p.arg([shape[2], 6], "f32")
    sizes["d"] = 6
    for config in r.sample(["abc,cd->abd", "abc,cd->dba", "abc,cd->acd", "abc,cd->d"], 2):
        to = [sizes[l] for l in config[8:]]
        out.append(p.op(f'stablehlo.einsum {x[0]}, {b[0]}, config = "{config}" : ({S}, '
                        f"{T([shape[2], 6], 'f32')}) -> {T(to, 'f32')}", to, "f32"))
    out.append(p.op(f""""stablehlo.map"({x[0]}, {g[0]}) <{{dimensions = array<i64: 0, 1, 2>}}> ({{
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %twice = stablehlo.multiply %p, %two : tensor<f32>
    %more = stablehlo.compare GT, %twice, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %one = stablehlo.select %more, %twice, %q : tensor<i1>, tensor<f32>
    stablehlo.return %one : tensor<f32>
  }}) : ({S}, {S}) -> {S}""", shape, "f32"))
    wide = [5] + shape
    out.append(p.op(f"stablehlo.broadcast {x[0]}, sizes = [5] : ({S}) -> {T(wide, 'f32')}", wide, "f32"))
    n = int(np.prod(shape))
    c = p.constant(f"[{n}]", [1], "i32")
    out.append(p.op(f"stablehlo.dynamic_reshape {x[0]}, {c[0]} : ({S}, tensor<1xi32>) -> "
                    f"{T([n], 'f32')}", [n], "f32"))
    lo, hi, st = (p.constant(str(v), [3], "i32") for v in ([1, 0, 0], shape, [1, 2, 1]))
    cut = [shape[0] - 1, -(-shape[1] // 2), shape[2]]
    out.append(p.op(f"stablehlo.real_dynamic_slice {x[0]}, {lo[0]}, {hi[0]}, {st[0]} : ({S}, "
                    f"tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> {T(cut, 'f32')}", cut, "f32"))
    out.append(p.op(f"stablehlo.get_dimension_size {x[0]}, dim = 1 : ({S}) -> tensor<i32>", (), "i32"))
    return out


def regions(p):
    """Windows and reductions of several operands with bodies of their own."""
    r = p.rng
    shape = [r.choice([3, 4, 5, 9, 17]) for _ in range(r.choice([1, 2, 3]))]
    rank = len(shape)
    x = p.arg(shape, "f32")
    i = p.op(f"stablehlo.iota dim = {r.randrange(rank)} : {T(shape, 'i32')}", shape, "i32")
    low, first = p.constant("0xFF800000", (), "f32"), p.constant("0", (), "i32")
    window = [r.choice([1, 2, 3]) for _ in shape]
    strides = [r.choice([1, 2]) for _ in shape]
    base, dilation = [r.choice([1, 2]) for _ in shape], [r.choice([1, 2]) for _ in shape]
    pad = [[r.randrange(2), r.randrange(2)] for _ in shape]
    to = []
    for s, w, q, b, d, (lo, hi) in zip(shape, window, strides, base, dilation, pad):
        to.append(max(0, ((s - 1) * b + 1 + lo + hi - ((w - 1) * d + 1)) // q + 1))
    A = lambda v: "array<i64: " + ", ".join(map(str, v)) + ">"
    body = """({
  ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
    %k = stablehlo.select %c, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<f32>, tensor<i32>
  })"""
    name = f"%v{p.count}"
    p.count += 1
    p.lines.append(
        f'{name}:2 = "stablehlo.reduce_window"({x[0]}, {i[0]}, {low[0]}, {first[0]}) <{{base_dilations = '
        f"{A(base)}, padding = dense<{pad}> : tensor<{rank}x2xi64>, window_dilations = {A(dilation)}, "
        f"window_dimensions = {A(window)}, window_strides = {A(strides)}}}> {body} : "
        f"({T(shape, 'f32')}, {T(shape, 'i32')}, tensor<f32>, tensor<i32>) -> "
        f"({T(to, 'f32')}, {T(to, 'i32')})")
    return [(f"{name}#0", tuple(to), "f32"), (f"{name}#1", tuple(to), "i32")]


FAMILIES = {"expanded": expanded, "regions": regions, "complex": complex_, "structure": structure, "tiny_ints": tiny_ints,
            "tiny_floats": tiny_floats}


def ours(p, text, results, folder):
    import subprocess

    module, inputs, outputs = (os.path.join(folder, n) for n in ("m.mlir", "in.npz", "out.npz"))
    with open(module, "w") as f:
        f.write(text)
    np.savez(inputs, **{f"arg{i}": bits(a) for i, a in enumerate(p.data)})
    if os.path.exists(outputs):
        os.remove(outputs)
    run = subprocess.run([oracle.TOOL, "run", module, inputs, "--out", outputs, "--devices", "1"],
                         capture_output=True, text=True)
    if run.returncode:
        return f"exit code {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-2000:]}"
    with np.load(outputs) as z:
        got = [z[f"out{i}"] for i in range(len(results))]
    return [g if g.dtype == dtype(r[2]) else g.view(dtype(r[2])) for g, r in zip(got, results)]


# Units in the last place, of the larger part of a complex number.
ULPS = {"complex<f32>": 2.0**-23, "complex<f64>": 2.0**-52}


def difference(want, got, element, loose):
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"{want.dtype}{want.shape} expected, got {got.dtype}{got.shape}"
    with np.errstate(all="ignore"):
        if element.startswith("complex"):
            near = np.abs(want - got) <= np.abs(want) * ULPS[element] * loose + 1e-37
            same = near | (want == got)
            special = ~np.isfinite(want) | ~np.isfinite(got)
            # Infinite and NaN parts agree in kind: XLA's differ from C99 in places.
            same |= special & ~(np.isfinite(want) & np.isfinite(got)) & \
                (np.isfinite(want) == np.isfinite(got))
        elif element in TINY_INTS or element in TINY_FLOATS:
            a, b = want.astype(np.float32), got.astype(np.float32)
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            if element in TINY_FLOATS and loose > 1:  # within one step
                same |= np.abs(want.view(np.uint8).astype(int) - got.view(np.uint8)) <= 1
        else:
            return cpu.difference(want, got, element, loose)
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{int((~same).sum())} of {same.size} differ, first at {at}: {want[at]!r} expected, " \
           f"got {got[at]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=sorted(FAMILIES), help="only this one")
    args = oracle.arguments(__doc__, cases=24, long_cases=1500, parser=parser)
    tally = oracle.Tally("cpu_types", show=6)
    names = sorted(FAMILIES)
    with tempfile.TemporaryDirectory() as folder:
        for rng in oracle.generators(args):
            family = args.family or names[rng.seed_value % len(names)]
            p = Program(rng)
            results = FAMILIES[family](p)
            text = p.text([r[:3] for r in results])
            if len(results[0]) == 4:
                want = [r[3] for r in results]
            else:
                # XLA fails on some moves of 4-bit elements: they move as bytes.
                tiny = family == "structure" and next(
                    (e for _, _, e in p.args if e in TINY_INTS + TINY_FLOATS), None)
                try:
                    if tiny:
                        want = cpu.xla(text.replace(f"{tiny}>", "ui8>"),
                                       [d.view(np.uint8) if d.dtype == dtype(tiny) else d
                                        for d in p.data])
                        want = [w.view(dtype(tiny)) if w.dtype == np.uint8 else w for w in want]
                    else:
                        want = cpu.xla(text, p.data)
                except Exception as error:  # what XLA cannot do is not compared
                    tally.skip(rng.name, f"{family}: XLA: {str(error)[:200]}")
                    continue
            got = ours(p, text, results, folder)
            if isinstance(got, str):
                tally.fail(f"{rng.name} --family {family}", got + "\n" + text)
                continue
            lines = dict(l.split(" = ", 1) for l in p.lines if " = " in l and l[0] == "%")
            for i, (w, g, res) in enumerate(zip(want, got, results)):
                op = lines.get(res[0], "?")
                loose = 200 if family == "expanded" or "dot" in op or "reduce" in op or "power" in op else 24
                wrong = difference(np.asarray(w), g, res[2], loose)
                tally.check(f"{rng.name} --family {family}: {op}", not wrong, wrong)
    tally.finish()


if __name__ == "__main__":
    main()
