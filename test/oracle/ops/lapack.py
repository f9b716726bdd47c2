#===- lapack.py - the linear algebra calls that JAX emits ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Factors are not unique, so results are checked by their defining properties: the product is the
matrix; the factors are unitary, triangular, ordered. Errors are measured in `eps` of the element
type times the size and the norm of the matrix."""

import numpy as np

from ops.case import COMPLEX, dtype, is_complex, op, part, tensor

TYPES = ["f32", "f64", *COMPLEX]
LETTER = {"f32": "s", "f64": "d", "complex<f32>": "c", "complex<f64>": "z"}
SIZES = (1, 2, 3, 5, 8, 17)


def wide(x):
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def real(e):
    return part(e) if is_complex(e) else e


def batch_of(c):
    return list(c.shape(c.rng.choice((0, 0, 1, 2)), largest=3))


def call(c, target, operands, attributes, results, aliases=()):
    """results: (shape, element). Matrices are column-major, as JAX requests."""
    batch = max(len(v.shape) for v in operands) - 2

    def layout(shape):
        rank = len(shape)
        order = [rank - 2, rank - 1, *range(rank - 3, -1, -1)] if rank - batch == 2 else list(range(rank - 1, -1, -1))
        return f"dense<{order if order else ''}> : tensor<{rank}xindex>"

    names = ", ".join(map(str, operands))
    types = ", ".join(v.type for v in operands)
    alias = ", ".join(
        f"#stablehlo.output_operand_alias<output_tuple_indices = [{o if len(results) > 1 else ''}], operand_index = {i}, operand_tuple_indices = []>"
        for i, o in aliases)  # fmt: skip
    out = ", ".join(tensor(*r) for r in results)
    return c.ops(
        f'stablehlo.custom_call @{target}({names}) {{backend_config = "", mhlo.backend_config = {{{attributes}}}, '
        f"operand_layouts = [{', '.join(layout(v.shape) for v in operands)}], output_operand_aliases = [{alias}], "
        f"result_layouts = [{', '.join(layout(s) for s, _ in results)}]}} : ({types}) -> "
        f"{out if len(results) == 1 else '(' + out + ')'}", *results)  # fmt: skip


def code(letter):
    return f"{ord(letter)} : ui8"


class Check:
    """Collects the errors of results."""

    def __init__(self, e, n):
        self.bound = 60 * max(n, 4) * np.finfo(dtype(real(e))).eps
        self.wrong = None

    def equal(self, what, got, want):
        got, want = wide(np.asarray(got)), wide(np.asarray(want))
        if got.shape != want.shape:
            self.wrong = self.wrong or f"{what}: shape {got.shape} expected {want.shape}"
        elif want.size:
            error, norm = np.max(np.abs(got - want)), max(1.0, float(np.max(np.abs(want))))
            if not error <= self.bound * norm:
                self.wrong = self.wrong or f"{what}: off by {error}, allowed {self.bound * norm}\n{got}\nexpected\n{want}"

    def unitary(self, what, q):
        q = wide(q)
        self.equal(f"{what} is not unitary", adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1])))

    def zeros(self, what, x):
        self.equal(what, x, np.zeros_like(x))


def register(real_name, complex_name=None):
    """generate(c, e, batch, info) also returns the check of its results; n <= 17."""

    def decorate(generator):
        for e in TYPES:
            name = f"lapack_{LETTER[e]}{complex_name if is_complex(e) and complex_name else real_name}_ffi"

            @op(f"lapack {real_name}", [e])
            def generate(c, e, name=name):
                generator(c, e, name, batch_of(c))

            generate.__module__ = __name__
        return generator

    return decorate


def results(c, *values):
    for v in values:
        c.result(v)


def hermitian(c, e, batch, n, definite=False):
    a = wide(c.random([*batch, n, n], e, False))
    return a @ adjoint(a) / max(n, 1) + np.eye(n) if definite else a + adjoint(a)


@register("potrf")
def potrf(c, e, name, batch):
    n, lower = c.rng.choice(SIZES), c.rng.random() < 0.5
    x = c.arg([*batch, n, n], e, data=hermitian(c, e, batch, n, True))
    a = wide(c.data[0])
    results(c, *call(c, name, [x], f"uplo = {code('L' if lower else 'U')}", [(x.shape, e), (batch, "i32")], [(0, 0)]))

    def check(found):
        k, f = Check(e, n), wide(found[0])
        f = np.tril(f) if lower else np.triu(f)
        k.equal("product", f @ adjoint(f) if lower else adjoint(f) @ f, a)
        k.zeros("info", found[1])
        return k.wrong

    c.check(check)


@register("getrf")
def getrf(c, e, name, batch):
    m, n = c.rng.choice(SIZES), c.rng.choice(SIZES)
    x, r = c.arg([*batch, m, n], e), min(m, n)
    a = wide(c.data[0])
    results(c, *call(c, name, [x], "", [(x.shape, e), ([*batch, r], "i32"), (batch, "i32")], [(0, 0)]))

    def check(found):
        k, f = Check(e, max(m, n)), wide(found[0])
        rows = np.broadcast_to(np.arange(m), (*batch, m)).copy()
        for i in range(r):
            other = found[1][..., i : i + 1] - 1
            here = rows[..., i : i + 1].copy()
            rows[..., i : i + 1] = np.take_along_axis(rows, other, -1)
            np.put_along_axis(rows, other, here, -1)
        lower = np.tril(f, -1)[..., :, :r] + np.eye(m, r)
        k.equal("product", lower @ np.triu(f)[..., :r, :], np.take_along_axis(a, rows[..., None], -2) if a.size else a)
        return k.wrong

    c.check(check)


def reflectors(v, tau, count, offset=0):
    """Returns the product of the Householder reflectors below the diagonal of v, as a full matrix."""
    m = v.shape[-2]
    q = np.broadcast_to(np.eye(m, dtype=wide(v).dtype), (*v.shape[:-2], m, m)).copy()
    for i in range(count):
        w = np.zeros((*v.shape[:-2], m, 1), q.dtype)
        w[..., i + offset :, 0] = v[..., i + offset :, i]
        w[..., i + offset, 0] = 1
        q = q - (q @ w) @ adjoint(w) * tau[..., i, None, None]
    return q


def qr(c, e, targets, batch, pivots):
    """A QR factorisation, then the explicit Q, in one program."""
    m, n = c.rng.choice(SIZES), c.rng.choice(SIZES)
    x, r = c.arg([*batch, m, n], e), min(m, n)
    a = wide(c.data[0])
    if pivots:
        free = c.constant(0, [*batch, n], "i32")
        f, p, tau = call(c, targets[0], [x, free], "", [(x.shape, e), ([*batch, n], "i32"), ([*batch, r], e)], [(0, 0), (1, 1)])
    else:
        (f, tau), p = call(c, targets[0], [x], "", [(x.shape, e), ([*batch, r], e)], [(0, 0)]), None
    cut = f
    if n > m:
        ranges = ", ".join(f"0:{s}" for s in [*batch, m, m])
        cut = c.op(f"stablehlo.slice {f} [{ranges}] : ({f.type}) -> {tensor([*batch, m, m], e)}", [*batch, m, m], e)
    q, = call(c, targets[1], [cut, tau], "", [(cut.shape, e)], [(0, 0)])
    results(c, f, tau, q, *([p] if pivots else []))

    def check(found):
        k, factor, thin = Check(e, max(m, n)), wide(found[0]), wide(found[2])
        k.unitary("Q", thin)
        k.equal("Q of the reflectors", thin, reflectors(factor, wide(found[1]), r)[..., : thin.shape[-1]])
        upper = np.triu(factor)[..., : thin.shape[-1], :]
        want = np.take_along_axis(a, (found[3] - 1)[..., None, :].astype(np.int64), -1) if pivots and a.size else a
        k.equal("product", thin @ upper, want)
        if pivots and r and a.size:
            d = np.abs(np.diagonal(upper, axis1=-2, axis2=-1))
            k.zeros("order of the diagonal", np.maximum(d[..., 1:] - d[..., :-1] * (1 + k.bound), 0))
        return k.wrong

    c.check(check)


def qr_names(e):
    t = LETTER[e]
    return f"lapack_{t}{'ung' if is_complex(e) else 'org'}qr_ffi"


@register("geqrf")
def geqrf(c, e, name, batch):
    qr(c, e, (name, qr_names(e)), batch, False)


@register("geqp3")
def geqp3(c, e, name, batch):
    qr(c, e, (name, qr_names(e)), batch, True)


@op("custom_call Qr", TYPES)
def qr_by_name(c, e):
    qr(c, e, ("Qr", "ProductOfElementaryHouseholderReflectors"), batch_of(c), False)


@register("ormqr", "unmqr")
def ormqr(c, e, name, batch):
    m, n, r = c.rng.choice(SIZES), c.rng.choice((1, 2, 5)), c.rng.choice((1, 2, 3))
    left, transpose = c.rng.random() < 0.5, c.rng.random() < 0.5
    m, r = max(m, r), min(m, r)
    v = c.arg([*batch, m, r], e)
    tau = c.arg([*batch, r], e)
    y = c.arg([*batch, m, n] if left else [*batch, n, m], e)
    q = reflectors(wide(c.data[0]), wide(c.data[1]), r)
    q, b = adjoint(q) if transpose else q, wide(c.data[2])
    results(c, *call(c, name, [v, tau, y], f"left = {str(left).lower()}, transpose = {str(transpose).lower()}", [(y.shape, e)], [(2, 0)]))

    def check(found):
        k = Check(e, m)
        k.bound *= max(1.0, float(np.max(np.abs(q), initial=0))) * 4
        k.equal("product", found[0], q @ b if left else b @ q)
        return k.wrong

    c.check(check)


@register("syevd", "heevd")
def syevd(c, e, name, batch):
    n, lower = c.rng.choice(SIZES), c.rng.random() < 0.5
    x = c.arg([*batch, n, n], e, data=hermitian(c, e, batch, n))
    a, vectors = wide(c.data[0]), c.rng.random() < 0.8
    results(c, *call(c, name, [x], f"mode = {code('V' if vectors else 'N')}, uplo = {code('L' if lower else 'U')}",
                     [(x.shape, e), ([*batch, n], real(e)), (batch, "i32")], [(0, 0)]))  # fmt: skip

    def check(found):
        k, v, w = Check(e, n), wide(found[0]), wide(found[1])
        if a.size:
            k.equal("eigenvalues", w, np.linalg.eigvalsh(a))
        if vectors:
            k.unitary("eigenvectors", v)
            k.equal("eigenvectors", a @ v, v * w[..., None, :])
        return k.wrong

    c.check(check)


@register("geev")
def geev(c, e, name, batch):
    n, left, right = c.rng.choice(SIZES), c.rng.random() < 0.5, c.rng.random() < 0.7
    x = c.arg([*batch, n, n], e)
    a, z = wide(c.data[0]), e if is_complex(e) else f"complex<{e}>"
    values = [([*batch, n], e)] * (1 if is_complex(e) else 2)
    attributes = f"compute_left = {code('V' if left else 'N')}, compute_right = {code('V' if right else 'N')}"
    results(c, *call(c, name, [x], attributes, [*values, (x.shape, z), (x.shape, z), (batch, "i32")]))

    def check(found):
        k = Check(e, 4 * n)
        w = wide(found[0]) if is_complex(e) else wide(found[0]) + 1j * wide(found[1])
        l, r = (wide(f) for f in found[-3:-1])
        if right:
            k.equal("right vectors", a @ r, r * w[..., None, :])
            k.equal("their norms", np.linalg.norm(r, axis=-2), np.ones(w.shape))
        if left:
            k.equal("left vectors", adjoint(l) @ a, w[..., :, None] * adjoint(l))
        k.equal("sum of eigenvalues", np.sum(w, -1), np.trace(a, axis1=-2, axis2=-1))
        return k.wrong

    c.check(check)


def svd(c, e, name, batch):
    m, n, mode = c.rng.choice(SIZES), c.rng.choice(SIZES), c.rng.choice("ASN")
    x, r = c.arg([*batch, m, n], e), min(m, n)
    a = wide(c.data[0])
    u = [*batch, m, m if mode == "A" else r if mode == "S" else m]
    vt = [*batch, n if mode == "A" else r if mode == "S" else n, n]
    results(c, *call(c, name, [x], f"mode = {code(mode)}",
                     [(x.shape, e), ([*batch, r], real(e)), (u, e), (vt, e), (batch, "i32")], [(0, 0)]))  # fmt: skip

    def check(found):
        k, s = Check(e, max(m, n)), wide(found[1])
        if a.size:
            k.equal("singular values", s, np.linalg.svd(a, compute_uv=False))
        if mode != "N":
            u, vt = wide(found[2]), wide(found[3])
            k.unitary("U", u)
            k.unitary("V", adjoint(vt))
            k.equal("product", (u[..., :r] * s[..., None, :]) @ vt[..., :r, :], a)
        return k.wrong

    c.check(check)


register("gesdd")(svd)
register("gesvd")(svd)


@register("gees")
def gees(c, e, name, batch):
    n, vectors = c.rng.choice(SIZES), c.rng.random() < 0.8
    x = c.arg([*batch, n, n], e)
    a = wide(c.data[0])
    values = [([*batch, n], e)] * (1 if is_complex(e) else 2)
    results(c, *call(c, name, [x], f"mode = {code('V' if vectors else 'N')}, sort = {code('N')}",
                     [(x.shape, e), (x.shape, e), *values, (batch, "i32"), (batch, "i32")], [(0, 0)]))  # fmt: skip

    def check(found):
        k, t, z = Check(e, 4 * n), wide(found[0]), wide(found[1])
        k.zeros("below the diagonal", np.tril(t, -1 if is_complex(e) else -2))
        if vectors:
            k.unitary("Z", z)
            k.equal("product", z @ t @ adjoint(z), a)
        w = wide(found[2]) if is_complex(e) else wide(found[2]) + 1j * wide(found[3])
        k.equal("sum of eigenvalues", np.sum(w, -1), np.trace(a, axis1=-2, axis2=-1))
        return k.wrong

    c.check(check)


@register("gehrd")
def gehrd(c, e, name, batch):
    n = c.rng.choice([s for s in SIZES if s > 1])
    x = c.arg([*batch, n, n], e)
    a = wide(c.data[0])
    results(c, *call(c, name, [x], f"high = {n} : i32, low = 1 : i32", [(x.shape, e), ([*batch, n - 1], e), (batch, "i32")], [(0, 0)]))

    def check(found):
        k, h = Check(e, 4 * n), wide(found[0])
        q = reflectors(h, wide(found[1]), n - 1, 1)
        k.equal("product", q @ np.triu(h, -1) @ adjoint(q), a)
        return k.wrong

    c.check(check)


@register("sytrd", "hetrd")
def sytrd(c, e, name, batch):
    n, lower = c.rng.choice([s for s in SIZES if s > 1]), c.rng.random() < 0.5
    x = c.arg([*batch, n, n], e, data=hermitian(c, e, batch, n))
    a = wide(c.data[0])
    results(c, *call(c, name, [x], f"uplo = {code('L' if lower else 'U')}",
                     [(x.shape, e), ([*batch, n], real(e)), ([*batch, n - 1], real(e)), ([*batch, n - 1], e), (batch, "i32")], [(0, 0)]))  # fmt: skip

    def check(found):
        k, d, off = Check(e, 4 * n), wide(found[1]), wide(found[2])
        t = np.zeros((*batch, n, n))
        i = np.arange(n)
        t[..., i, i] = d
        t[..., i[1:], i[:-1]] = t[..., i[:-1], i[1:]] = off
        if a.size:
            k.equal("eigenvalues", np.linalg.eigvalsh(t), np.linalg.eigvalsh(a))
        if lower:
            q = reflectors(wide(found[0]), wide(found[3]), n - 1, 1)
            k.equal("product", q @ t @ adjoint(q), a)
        return k.wrong

    c.check(check)


@register("trsm")
def trsm(c, e, name, batch):
    n, m = c.rng.choice(SIZES), c.rng.choice((1, 2, 7))
    left, lower, unit, trans = c.rng.random() < 0.5, c.rng.random() < 0.5, c.rng.random() < 0.5, c.rng.choice("NTC")
    x = c.arg([*batch, n, n], e, data=wide(c.random([*batch, n, n], e, False)) / n + 2 * np.eye(n))
    y = c.arg([*batch, n, m] if left else [*batch, m, n], e)
    a, b = wide(c.data[0]), wide(c.data[1])
    a = np.tril(a) if lower else np.triu(a)
    a = a - a * np.eye(n) + np.eye(n) if unit else a
    a = {"N": a, "T": np.swapaxes(a, -1, -2), "C": adjoint(a)}[trans]
    attributes = (f"diag = {code('U' if unit else 'N')}, side = {code('L' if left else 'R')}, trans_x = {code(trans)}, "
                  f"uplo = {code('L' if lower else 'U')}")  # fmt: skip
    results(c, *call(c, name, [x, y], attributes, [(y.shape, e)], [(1, 0)]))

    def check(found):
        k, s = Check(e, n), wide(found[0])
        k.bound *= max(1.0, float(np.max(np.abs(s), initial=0)))
        k.equal("product", a @ s if left else s @ a, b)
        return k.wrong

    c.check(check)


@register("gtsv")
def gtsv(c, e, name, batch):
    n, m = c.rng.choice((3, 5, 8, 17)), c.rng.choice((1, 2, 7))
    dl, d, du = (c.arg([*batch, n], e, data=c.random([*batch, n], e, False) + (4 if k == 1 else 0)) for k in range(3))
    y = c.arg([*batch, n, m], e)
    lower, main, upper, b = map(wide, c.data)
    vector = ([*batch, n], e)
    results(c, *call(c, name, [dl, d, du, y], "", [vector, vector, vector, (y.shape, e), (batch, "i32")],
                     [(i, i) for i in range(4)]))  # fmt: skip

    def check(found):
        k, s = Check(e, n), wide(found[3])
        product = main[..., None] * s
        product[..., 1:, :] += lower[..., 1:, None] * s[..., :-1, :]
        product[..., :-1, :] += upper[..., :-1, None] * s[..., 1:, :]
        k.bound *= max(1.0, float(np.max(np.abs(s), initial=0))) * 8
        k.equal("product", product, b)
        return k.wrong

    c.check(check)

