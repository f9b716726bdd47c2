#===- stablehlo_dialect.py - programs that JAX exports, printed by us ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs exported by JAX must survive a round trip byte for byte: pretty form, generic form and with
locations. Our output must parse in jaxlib. After the fixed list come random elementwise, shape and
control-flow programs."""

import functools

import oracle

oracle.require()

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


I32 = functools.partial(spec, dtype=jnp.int32)


def mlp(w1, w2, x, y):
    def loss(w1, w2):
        logits = jax.nn.gelu(x @ w1) @ w2
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * y, -1))

    grads = jax.grad(loss, (0, 1))(w1, w2)
    return jax.tree.map(lambda w, g: w - 0.1 * g, (w1, w2), grads)


def attention(x, w):
    q, k, v = jnp.split(x @ w, 3, -1)
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / np.sqrt(q.shape[-1])
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(scores), v)


def conv(x, w):
    dims = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=dims).sum()


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum()


def adam(p, g, m, v, t):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 1e-3 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v


def scanned(c, xs):
    return lax.scan(lambda c, x: (jnp.tanh(c + x), c * 2), c, xs)


def special(x):
    fs = (lax.erf, lax.erfc, lax.erf_inv, lax.lgamma, lax.digamma, lax.bessel_i1e, lax.asin,
          lax.acos, lax.atan, lax.sinh, lax.cosh, lax.asinh, lax.acosh, lax.atanh, lax.tan,
          lax.square, lax.is_finite, lax.cbrt, lax.rsqrt, lax.log1p, lax.expm1, lax.logistic,
          lax.round, lax.sign)  # fmt: skip
    return [f(x) for f in fs] + [lax.nextafter(x, x * 2)]


def integers(a, b):
    return (a // b, a % b, a & b, a | b, a ^ b, ~a, a << b, a >> b,
            lax.shift_right_logical(a, b), lax.clz(a), lax.population_count(a), a**3)  # fmt: skip


def randoms(key):
    return (jax.random.normal(key, (3, 4)), jax.random.uniform(key, (5,)),
            jax.random.permutation(key, 10), jax.random.categorical(key, jnp.ones(5)))  # fmt: skip


def fourier(x):
    f = jnp.fft.fft(x)
    return f, jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x)), abs(f), jnp.conj(f), jnp.angle(f)


def scatters(x, i):
    return x.at[i].add(1.0), x.at[i].set(2.0), x.at[i].mul(2.0), x.at[i, i].max(3.0)


def reductions(x):
    return (x.sum(), x.max(0), x.min(1), x.prod(), jnp.any(x > 0), jnp.all(x > 0),
            x.astype(jnp.int32).sum(), jnp.var(x, 0), jax.nn.logsumexp(x), jnp.argmax(x, 1))  # fmt: skip


def precisions(x, y):
    dims = (((1,), (0,)), ((), ()))
    preset = lax.DotAlgorithmPreset.BF16_BF16_F32_X3
    return jnp.dot(x, y, precision="highest"), lax.dot_general(x, y, dims, precision=preset)


def moves(x):
    return (jnp.pad(x, ((1, 2), (0, 3))), x[::2, 1:], x[::-1], jnp.concatenate([x, x]), x.T,
            x.reshape(-1), jnp.tile(x, (2, 1)), lax.pad(x, 0.0, ((1, -1, 2), (0, 0, 0))))  # fmt: skip


PROGRAMS = {
    "mlp": (mlp, spec(8, 16), spec(16, 4), spec(32, 8), spec(32, 4)),
    "attention": (jax.grad(lambda x, w: attention(x, w).sum(), (0, 1)), spec(2, 8, 16), spec(16, 48)),
    "scan": (jax.grad(lambda c, xs: scanned(c, xs)[0].sum()), spec(4), spec(10, 4)),
    "while": (lambda x: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 2), (0, x)),
              spec(3)),
    "cond": (lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), spec(dtype=jnp.bool_), spec(3)),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), I32(), spec(3)),
    "embedding": (jax.grad(lambda t, i: jnp.take(t, i, axis=0).sum()), spec(10, 4), I32(6)),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x, axis=0), lax.top_k(x, 2)), spec(4, 5)),
    "convolution": (jax.grad(conv, (0, 1)), spec(1, 8, 8, 3), spec(3, 3, 3, 4)),
    "pool": (jax.grad(pool), spec(1, 8, 8, 3)),
    "cumulative": (lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x)), spec(4, 5)),
    "special": (special, spec(7)),
    "integers": (integers, I32(7), I32(7)),
    "random": (randoms, spec(2, dtype=jnp.uint32)),
    "dynamic_slice": (lambda x, i: (lax.dynamic_slice(x, (i, i), (2, 2)),
                                    lax.dynamic_update_slice(x, x[:1], (i, i))), spec(5, 5), I32()),
    "moves": (moves, spec(4, 5)),
    "fourier": (fourier, spec(8)),
    "linalg": (lambda x: (jnp.linalg.cholesky(x), jnp.linalg.qr(x), jnp.linalg.eigh(x),
                          jnp.linalg.solve(x, x), jnp.linalg.svd(x)), spec(4, 4)),
    "bf16_dot": (lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32),
                 spec(4, 5, dtype=jnp.bfloat16), spec(5, 6, dtype=jnp.bfloat16)),
    "precision": (precisions, spec(4, 5), spec(5, 6)),
    "bits": (lambda x: (lax.bitcast_convert_type(x, jnp.int32), lax.reduce_precision(x, 5, 10),
                        lax.bitcast_convert_type(x, jnp.uint8)), spec(4)),
    "scatters": (scatters, spec(6, 6), I32(3)),
    "reductions": (reductions, spec(4, 5)),
    "remat": (jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), spec(4)),
    "barrier": (lambda x: lax.optimization_barrier((x, x + 1)), spec(4)),
    "rng_bits": (lambda k: lax.rng_bit_generator(k, (4,)), spec(4, dtype=jnp.uint32)),
    "callback": (lambda x: jax.pure_callback(np.asarray, spec(4), x), spec(4)),
    "activations": (jax.grad(lambda x: (jax.nn.relu(x) + jax.nn.silu(x) + jax.nn.softplus(x)).sum()),
                    spec(4)),
    "adam": (adam, *[spec(8, 8)] * 4, I32()),
    "gamma": (lambda x, y: (jax.scipy.special.polygamma(2, x), jax.scipy.special.zeta(x, y),
                            lax.igamma(x, y), lax.betainc(x, y, x)), spec(5), spec(5)),
}  # fmt: skip

UNARY = [jnp.sin, jnp.cos, jnp.tanh, jnp.exp, jnp.abs, jnp.negative, lax.logistic, lax.floor,
         lambda x: x.T, lambda x: jnp.cumsum(x, 0), lambda x: x[::-1], lambda x: x - x.max(1, keepdims=True),
         lambda x: x.astype(jnp.bfloat16).astype(jnp.float32), jnp.square, lambda x: jnp.sort(x, 0),
         lambda x: jnp.where(x > 0, x, 0.5), lambda x: lax.fori_loop(0, 3, lambda i, c: c * 2, x),
         lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), lambda x: jnp.pad(x, 1)[1:-1, 1:-1],
         lambda x: jax.jit(jnp.cosh)(x)]  # fmt: skip
BINARY = [jnp.add, jnp.multiply, jnp.subtract, jnp.maximum, jnp.arctan2, jnp.matmul, jnp.power,
          lambda x, y: jnp.concatenate([x, y])[: x.shape[0]], lambda x, y: lax.select(x < y, x, y)]  # fmt: skip


def random_program(rng):
    """Returns a function of two square matrices: a few random ops, sometimes its gradient."""

    def function(x, y):
        values = [x, y]
        local = type(rng)(rng.seed_value)
        for _ in range(local.randint(2, 9)):
            if local.random() < 0.5:
                values.append(local.choice(UNARY)(local.choice(values)))
            else:
                values.append(local.choice(BINARY)(local.choice(values), local.choice(values)))
        return values[-1]

    n = rng.randint(1, 5)
    if rng.random() < 0.4:
        return jax.grad(lambda x, y: function(x, y).sum(), (0, 1)), spec(n, n), spec(n, n)
    return function, spec(n, n), spec(n, n)


def compare(tally, name, program):
    function, *arguments = program
    try:
        lowered = jax.jit(function).lower(*arguments)
    except (NotImplementedError, TypeError) as error:
        return tally.skip(name, f"JAX cannot lower it: {error}")
    text, debug = lowered.as_text(), lowered.as_text(debug_info=True)
    # Parsed again, because the exported func.func has empty attributes that text omits.
    generic = oracle.parse(text).operation.get_asm(print_generic_op_form=True)
    try:
        tally.equal(name, text.strip(), oracle.ours(text).strip(), text)
        tally.equal(name + " locations", debug.strip(),
                    oracle.ours(debug, "--mlir-print-debuginfo").strip(), debug)  # fmt: skip
        tally.equal(name + " generic", generic.strip(),
                    oracle.ours(text, "--mlir-print-op-generic").strip(), text)  # fmt: skip
        tally.equal(name + " from generic", text.strip(), oracle.ours(generic).strip(), generic)
        oracle.parse(oracle.ours(text))
    except oracle.OurError as error:
        tally.fail(name, f"{error}\nprogram:\n{text}")


def main():
    args = oracle.arguments(__doc__, cases=25, long_cases=1000)
    tally = oracle.Tally("stablehlo_dialect")
    for name, program in PROGRAMS.items():
        compare(tally, name, program)
    for rng in oracle.generators(args):
        compare(tally, rng.name, random_program(rng))
    tally.finish()


if __name__ == "__main__":
    main()
