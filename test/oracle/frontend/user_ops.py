#===- user_ops.py - functions of jax.numpy, jax.nn and jax.random ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The operations of user_ops.cc by name, written with JAX, and the cases of frontend_numpy.py."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn, random

from frontend.primitive_cases import arg, case, ints

F = jnp.float32


def f32(x):
    return x.astype(F)


def real_of(z):
    return lax.add(lax.real(z), lax.mul(lax.imag(z), lax.full_like(lax.real(z), 0.5)))


def key(k):
    return random.key(k["seed"][0])


def axes(k):
    found = k.get("axes")
    return None if found is None else found[0] if len(found) == 1 else found


def regular(x):
    return x + 2.0 * jnp.eye(x.shape[-1])


def definite(x):
    return jnp.matmul(x, jnp.swapaxes(x, -1, -2)) + jnp.eye(x.shape[-2])


def with_nan(x):
    return jnp.where(x < 0.3, jnp.nan, x)


def broken(x):
    return jnp.where(x > 0.8, jnp.inf, with_nan(x))


NORMS = [[None, 1, jnp.inf, "nuc", 2], ["fro", 1, jnp.inf, "nuc", 2]]
PADS = ["constant", "edge", "reflect", "symmetric", "wrap"]


def np_pad(a, k):
    mode = PADS[k["mode"][0]]
    options = {"constant_values": 0.5} if mode == "constant" else {}
    return jnp.pad(a[0], tuple(zip(*[iter(k["widths"])] * 2)), mode=mode, **options)


def norm(a, k):
    which = axes(k)
    kinds = NORMS[isinstance(which, tuple)]
    return jnp.linalg.norm(a[0], None if which is None else kinds[k["kind"][0]], which, bool(k["keep"][0]))


ONE = {
    "random_uniform": lambda a, k: random.uniform(key(k), k["shape"], minval=-1, maxval=2),
    "random_unit": lambda a, k: random.uniform(key(k), k["shape"]),
    "random_truncated_normal": lambda a, k: random.truncated_normal(key(k), -1.0, 2.0, k["shape"]),
    "random_bernoulli": lambda a, k: random.bernoulli(key(k), 0.3, k["shape"]),
    "random_randint": lambda a, k: random.randint(key(k), k["shape"], k["lo"][0], k["hi"][0]),
    "random_categorical": lambda a, k: random.categorical(key(k), a[0], k["axis"][0]),
    "random_permutation": lambda a, k: random.permutation(key(k), a[0], k["axis"][0]),
    "random_permutation_n": lambda a, k: random.permutation(key(k), k["n"][0]),
    "random_choice": lambda a, k: random.choice(key(k), k["n"][0], k["shape"], bool(k["replace"][0])),
    "random_choice_p": lambda a, k: random.choice(key(k), a[0].shape[0], k["shape"], p=a[0]),
    "linalg_solve": lambda a, k: jnp.linalg.solve(regular(a[0]), a[1]),
    "linalg_inv": lambda a, k: jnp.linalg.inv(regular(a[0])),
    "linalg_det": lambda a, k: jnp.linalg.det(a[0]),
    "linalg_pinv": lambda a, k: jnp.linalg.pinv(a[0]),
    "linalg_lstsq": lambda a, k: jnp.linalg.lstsq(a[0], a[1])[0],
    "linalg_matrix_power": lambda a, k: jnp.linalg.matrix_power(regular(a[0]), k["n"][0]),
    "linalg_matrix_rank": lambda a, k: jnp.linalg.matrix_rank(a[0]),
    "linalg_norm": norm,
    "linalg_cholesky": lambda a, k: jnp.linalg.cholesky(definite(a[0])),
    "linalg_eigvalsh": lambda a, k: jnp.linalg.eigvalsh(definite(a[0])),
    "np_fft": lambda a, k: real_of(jnp.fft.fft(a[0], k["n"][0], k["axis"][0])),
    "np_ifft": lambda a, k: real_of(jnp.fft.ifft(lax.complex(*a))),
    "np_rfft": lambda a, k: real_of(jnp.fft.rfft(a[0], axis=k["axis"][0])),
    "np_irfft": lambda a, k: jnp.fft.irfft(lax.complex(*a), k["n"][0]),
    "np_fft2": lambda a, k: real_of(jnp.fft.fft2(a[0])),
    "np_fftn": lambda a, k: real_of(jnp.fft.fftn(a[0])),
    "np_rfftn": lambda a, k: real_of(jnp.fft.rfftn(a[0])),
    "np_irfftn": lambda a, k: jnp.fft.irfftn(lax.complex(*a)),
    "np_fftshift": lambda a, k: jnp.fft.fftshift(a[0], axes(k)),
    "np_ifftshift": lambda a, k: jnp.fft.ifftshift(a[0], axes(k)),
    "np_fftfreq": lambda a, k: jnp.fft.fftfreq(k["n"][0], 0.5),
    "np_rfftfreq": lambda a, k: jnp.fft.rfftfreq(k["n"][0], 0.5),
    "np_pad": np_pad,
    "np_roll": lambda a, k: jnp.roll(a[0], k["shift"][0], axes(k)),
    "np_tile": lambda a, k: jnp.tile(a[0], k["reps"]),
    "np_repeat": lambda a, k: jnp.repeat(a[0], k["n"][0], k["axis"][0]),
    "np_repeat_flat": lambda a, k: jnp.repeat(a[0], k["n"][0]),
    "np_flip": lambda a, k: jnp.flip(a[0], axes(k)),
    "np_moveaxis": lambda a, k: jnp.moveaxis(a[0], k["from"][0], k["to"][0]),
    "np_hstack": lambda a, k: jnp.hstack(a),
    "np_vstack": lambda a, k: jnp.vstack(a),
    "np_diag": lambda a, k: jnp.diag(a[0], k["k"][0]),
    "np_trace": lambda a, k: jnp.trace(a[0]),
    "np_linspace": lambda a, k: jnp.linspace(-1, 2, k["n"][0]),
    "np_tensordot": lambda a, k: jnp.tensordot(a[0], a[1], k["axes"][0]),
    "np_einsum": lambda a, k: jnp.einsum("bij,bjk->bik", *a),
    "np_cumprod": lambda a, k: jnp.cumprod(a[0], k["axis"][0]),
    "np_diff": lambda a, k: jnp.diff(a[0], k["n"][0], k["axis"][0]),
    "np_searchsorted": lambda a, k: jnp.searchsorted(jnp.sort(a[0]), a[1], side="right" if k["right"][0] else "left"),
    "np_bincount": lambda a, k: jnp.bincount(a[0], length=k["length"][0]),
    "np_histogram": lambda a, k: jnp.histogram(a[0], jnp.linspace(0.2, 0.8, 5))[0],
    "np_tril": lambda a, k: jnp.tril(a[0], k["k"][0]),
    "np_triu": lambda a, k: jnp.triu(a[0], k["k"][0]),
    "np_take_along_axis": lambda a, k: jnp.take_along_axis(a[0], jnp.argsort(a[0], axis=k["axis"][0]), k["axis"][0]),
    "np_isnan": lambda a, k: f32(jnp.isnan(broken(a[0]))),
    "np_isinf": lambda a, k: f32(jnp.isinf(broken(a[0]))),
    "np_isfinite": lambda a, k: f32(jnp.isfinite(broken(a[0]))),
    "np_nan_to_num": lambda a, k: jnp.nan_to_num(broken(a[0])),
    "np_nansum": lambda a, k: jnp.nansum(with_nan(a[0]), axes(k)),
    "np_nanmean": lambda a, k: jnp.nanmean(with_nan(a[0]), axes(k)),
    "np_nanmax": lambda a, k: jnp.nanmax(with_nan(a[0]), axes(k)),
    "np_nanmin": lambda a, k: jnp.nanmin(with_nan(a[0]), axes(k)),
    "np_std": lambda a, k: jnp.std(a[0], axes(k), ddof=k["ddof"][0]),
    "np_var": lambda a, k: jnp.var(a[0], axes(k)),
    "np_count_nonzero": lambda a, k: jnp.count_nonzero(jnp.floor(a[0] * 3), axes(k)),
    "np_median": lambda a, k: jnp.median(a[0], k["axis"][0]),
    "np_round": lambda a, k: jnp.round(a[0] * 7),
    "np_trunc": lambda a, k: jnp.trunc(a[0] * 7),
    "np_isclose": lambda a, k: f32(jnp.isclose(*a, 0.1, 0.1)),
    "np_allclose": lambda a, k: f32(jnp.allclose(*a, 0.1, 0.1)),
    "np_clip": lambda a, k: jnp.clip(a[0], 0.3, 0.6),
    "np_where": lambda a, k: jnp.where(a[0] > a[1], a[0], 0.5),
    "nn_relu6": lambda a, k: nn.relu6(a[0] * 4),
    "nn_celu": lambda a, k: nn.celu(a[0], 0.5),
    "nn_hard_sigmoid": lambda a, k: nn.hard_sigmoid(a[0] * 3),
    "nn_hard_silu": lambda a, k: nn.hard_silu(a[0] * 3),
    "nn_gelu_exact": lambda a, k: nn.gelu(a[0], approximate=False),
    "nn_glu": lambda a, k: nn.glu(a[0], k["axis"][0]),
    "nn_softmax": lambda a, k: nn.softmax(a[0], k["axis"][0]),
    "nn_log_softmax": lambda a, k: nn.log_softmax(a[0], k["axis"][0]),
    "nn_logsumexp": lambda a, k: nn.logsumexp(a[0], k["axis"][0]),
    "nn_standardize": lambda a, k: nn.standardize(a[0], k["axis"][0]),
    "nn_one_hot": lambda a, k: nn.one_hot(jnp.argmax(a[0], 1), 6),
    "nn_dot_product_attention": lambda a, k: nn.dot_product_attention(*a, is_causal=bool(k["causal"][0])),
}
# Functions of the same name with the arguments as they are.
for name in "normal gumbel exponential laplace logistic cauchy rademacher".split():
    ONE[f"random_{name}"] = (lambda f: lambda a, k: f(key(k), k["shape"]))(getattr(random, name))
for name in "dot vdot inner outer kron matmul logaddexp floor_divide hypot arctan2 reciprocal".split():
    ONE[f"np_{name}"] = (lambda f: lambda a, k: f(*a))(getattr(jnp, name))
for name in """relu elu selu leaky_relu hard_tanh log_sigmoid soft_sign squareplus mish gelu silu softplus""".split():
    ONE[f"nn_{name}"] = (lambda f: lambda a, k: f(a[0]))(getattr(nn, name))
USER = {name: (lambda f: lambda a, k: [f(a, k)])(f) for name, f in ONE.items()} | {
    "linalg_slogdet": lambda a, k: list(jnp.linalg.slogdet(a[0])),
    "np_split": lambda a, k: list(jnp.split(a[0], k["at"], k["axis"][0])),
    "np_meshgrid": lambda a, k: list(jnp.meshgrid(*a, indexing="xy" if k["xy"][0] else "ij")),
}

X, Y, S, B = arg(4, 6), arg(4, 6), arg(4, 4), arg(2, 3, 3)
SIGNED = arg(4, 6, lo=-2, hi=2)
CASES = [case(f"random_{name}", seed=seed, shape=(3, 5)) for seed in (0, 42) for name in
         "unit uniform normal truncated_normal gumbel exponential laplace logistic cauchy rademacher bernoulli".split()]
CASES += [case("random_randint", seed=3, shape=(7,), lo=lo, hi=hi) for lo, hi in ((0, 10), (-5, 9), (4, 5), (0, 100000))]
CASES += [case("random_categorical", X, seed=1, axis=a) for a in (0, -1)] + [
    case("random_permutation", X, seed=1, axis=a) for a in (0, 1)] + [
    case("random_permutation", arg(9), seed=5, axis=0), case("random_permutation_n", seed=2, n=2000),
    case("random_choice", seed=2, n=10, shape=(2, 3), replace=1),
    case("random_choice", seed=2, n=10, shape=(2, 3), replace=0), case("random_choice_p", arg(6), seed=2, shape=(9,))]
CASES += [case("linalg_solve", B, arg(2, 3, 2)), case("linalg_solve", S, arg(4)), case("linalg_inv", B),
          case("linalg_det", B), case("linalg_det", S), case("linalg_slogdet", B), case("linalg_pinv", X),
          case("linalg_pinv", arg(6, 3)), case("linalg_lstsq", arg(6, 3), arg(6, 2)), case("linalg_lstsq", arg(5, 3), arg(5)),
          case("linalg_matrix_power", B, n=3), case("linalg_matrix_power", B, n=-2), case("linalg_matrix_rank", X),
          case("linalg_cholesky", B), case("linalg_eigvalsh", B)]
CASES += [case("linalg_norm", X, kind=0, keep=0)] + [
    case("linalg_norm", X, axes=(1,), kind=kind, keep=keep) for kind in (0, 1, 2, 4) for keep in (0, 1)] + [
    case("linalg_norm", B, axes=(1, 2), kind=kind, keep=kind % 2) for kind in range(5)]
CASES += [case("np_fft", X, n=n, axis=a) for n, a in ((6, 1), (4, 1), (9, -1), (3, 0))] + [
    case("np_ifft", X, Y), case("np_rfft", X, axis=1), case("np_rfft", X, axis=0), case("np_irfft", S, arg(4, 4), n=6),
    case("np_irfft", S, arg(4, 4), n=7), case("np_fft2", B), case("np_fftn", B), case("np_rfftn", X),
    case("np_irfftn", S, arg(4, 4)), case("np_fftshift", X), case("np_fftshift", arg(5), axes=(0,)),
    case("np_ifftshift", arg(5)), case("np_fftfreq", n=7), case("np_fftfreq", n=8), case("np_rfftfreq", n=7)]
CASES += [case("np_pad", X, widths=(1, 2, 3, 0), mode=mode) for mode in range(5)] + [
    case("np_pad", arg(3), widths=(7, 8), mode=mode) for mode in range(5)] + [
    case("np_roll", X, shift=s, axes=(a,)) for s, a in ((1, 0), (-2, 1), (9, -1))] + [
    case("np_roll", X, shift=5), case("np_tile", X, reps=(2,)), case("np_tile", arg(3), reps=(2, 2)),
    case("np_repeat", X, n=3, axis=0), case("np_repeat", X, n=2, axis=-1), case("np_repeat_flat", X, n=2),
    case("np_flip", X), case("np_flip", X, axes=(1,)), case("np_moveaxis", B, **{"from": 0, "to": 2}),
    case("np_moveaxis", B, **{"from": -1, "to": 0}), case("np_hstack", X, Y), case("np_hstack", arg(3), arg(2)),
    case("np_vstack", X, Y), case("np_vstack", arg(3), arg(3)), case("np_split", X, at=(1, 4), axis=1),
    case("np_meshgrid", arg(3), arg(2), xy=1), case("np_meshgrid", arg(3), arg(2), arg(4), xy=0),
    case("np_diag", arg(3), k=0), case("np_diag", arg(3), k=2), case("np_diag", arg(3), k=-1), case("np_diag", X, k=1),
    case("np_diag", X, k=-2), case("np_trace", S), case("np_linspace", n=7), case("np_linspace", n=1),
    case("np_dot", X, arg(6, 2)), case("np_dot", arg(3), arg(3)), case("np_vdot", X, Y), case("np_inner", X, Y),
    case("np_outer", arg(3), arg(4)), case("np_kron", arg(2, 3), arg(2, 2)), case("np_tensordot", X, Y, axes=2),
    case("np_tensordot", X, arg(6, 2), axes=1), case("np_matmul", B, arg(2, 3, 4)), case("np_matmul", arg(4), X),
    case("np_einsum", B, arg(2, 3, 2)), case("np_cumprod", X, axis=1), case("np_diff", X, n=1, axis=1),
    case("np_diff", X, n=2, axis=0), case("np_searchsorted", arg(9), X, right=0), case("np_searchsorted", arg(9), X, right=1),
    case("np_bincount", ints(20, lo=0, hi=9), length=6), case("np_histogram", arg(40)), case("np_tril", X, k=1),
    case("np_triu", B, k=-1), case("np_take_along_axis", X, axis=0), case("np_take_along_axis", X, axis=1)]
CASES += [case(f"np_{name}", X) for name in "isnan isinf isfinite nan_to_num reciprocal round trunc clip".split()] + [
    case(f"np_{name}", X, axes=axes) for name in "nansum nanmean nanmax nanmin count_nonzero var".split()
    for axes in ((0,), (1,), (0, 1))] + [
    case("np_std", X, axes=(1,), ddof=0), case("np_std", X, axes=(0,), ddof=1), case("np_median", X, axis=0),
    case("np_median", arg(4, 5), axis=1)] + [
    case(f"np_{name}", X, Y) for name in """logaddexp floor_divide hypot arctan2 isclose allclose where""".split()] + [
    case("np_floor_divide", ints(4, 6, lo=-20, hi=20), ints(4, 6, lo=1, hi=5))]
CASES += [case(f"nn_{name}", SIGNED) for name in """relu relu6 elu celu selu leaky_relu hard_tanh hard_sigmoid hard_silu
    log_sigmoid soft_sign squareplus mish gelu gelu_exact silu softplus one_hot""".split()] + [
    case(f"nn_{name}", SIGNED, axis=a) for name in "softmax log_softmax logsumexp standardize".split() for a in (0, -1)] + [
    case("nn_glu", SIGNED, axis=1)] + [
    case("nn_dot_product_attention", *[arg(2, 5, 3, 4)] * 3, causal=c) for c in (0, 1)]
