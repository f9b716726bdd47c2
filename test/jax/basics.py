#===- basics.py - programs on one device ----------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Numbers, control flow, linear algebra, dtypes, donation and errors as on JAX's CPU."""

import re

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax import lax


@case(exact=True)
def random_bits():
    key = jax.random.key(7)
    return [
        jax.random.bits(key, (16,)),
        jax.random.uniform(key, (8, 3)),
        jax.random.randint(key, (9,), 0, 100),
        jax.random.permutation(key, 10),
        jax.random.split(key, 3),
        jax.random.key(3, impl="rbg"),
    ]


@case
def random_values():
    key = jax.random.key(8)
    return [jax.random.normal(key, (64,)), jax.random.gamma(key, 2.0, (8,)), jax.random.truncated_normal(key, -1, 1, (8,))]


@case
def long_sums():
    """Returns the errors of sums of many equal numbers; if they were added one by one, the errors
    would be percents."""
    x = np.full(3 << 19, 0.1, np.float32)
    wide = x.astype(np.float64)

    def close(f, shape, **more):
        want = f(wide.reshape(shape), **more)
        got = np.asarray(jax.jit(lambda a: getattr(jnp, f.__name__)(a, **more))(x.reshape(shape)))
        return bool(np.all(np.abs(got - want) <= 2e-6 * np.abs(want)))

    shapes = [(len(x),), (3, -1), (-1, 3), (-1, 24, 8)]
    ways = [(f, shape, axis) for f in (np.sum, np.cumsum) for shape in shapes for axis in range(len(shape))]
    pooled = lax.reduce_window(x, 0.0, lax.add, (1 << 16,), (1 << 16,), "VALID")
    return [close(f, shape, axis=axis) for f, shape, axis in ways], close(np.sum, shapes[3], axis=(0, 2)), pooled


@case
def long_sums_of_exponentials():
    """For equal numbers x the logarithm of the sum of n exponentials is x + log(n); if they were added
    one by one, the error would be a tenth of a percent."""
    n = 1 << 18
    want, x = np.float64(np.float32(0.1)) + np.log(np.arange(1, n + 1)), np.full(n, 0.1, np.float32)
    wide = np.tile(x, (3, 1))
    wide[1, 7:n // 2], wide[2, 5] = -np.inf, np.nan

    def close(got, want):
        return bool(np.all(np.abs(np.asarray(got) - want) <= 1e-6 * np.abs(want)))

    scan = jax.jit(lax.cumlogsumexp, static_argnames=("axis", "reverse"))
    return [
        close(scan(x), want), close(scan(x, reverse=True), want[::-1]), close(scan(wide.T, axis=0)[:, 0], want),
        close(jax.jit(jnp.logaddexp.reduce)(x), want[-1]),
        scan(wide[:, :20000], axis=1), scan(wide[:, :20000].T, axis=0, reverse=True), scan(np.full(99, -np.inf, np.float32)),
    ]  # fmt: skip


@case(rtol=1e-4, atol=1e-4)
def linear_algebra():
    a = jax.random.normal(jax.random.key(0), (5, 5))
    spd = a @ a.T + 5 * jnp.eye(5)
    w, v = jnp.linalg.eigh(spd)
    u, s, vt = jnp.linalg.svd(a)
    q, r = jnp.linalg.qr(a)
    return dict(
        cholesky=jnp.linalg.cholesky(spd), inv=jnp.linalg.inv(spd), solve=jnp.linalg.solve(spd, a), w=w,
        back=v @ jnp.diag(w) @ v.T, s=s, usv=u @ jnp.diag(s) @ vt, qr=q @ r, det=jnp.linalg.det(a),
        slogdet=jnp.linalg.slogdet(a), pinv=jnp.linalg.pinv(a), lstsq=jnp.linalg.lstsq(a, spd)[0],
        eigvals=jnp.sort(jnp.abs(jnp.linalg.eigvals(a))), expm=jax.scipy.linalg.expm(a / 5),
        lu=jax.scipy.linalg.lu(a), rank=jnp.linalg.matrix_rank(a),
    )  # fmt: skip


@case(rtol=1e-4, atol=1e-4)
def batched_linear_algebra():
    a = jax.random.normal(jax.random.key(1), (4, 3, 3))
    spd = a @ a.mT + 3 * jnp.eye(3)
    return jnp.linalg.cholesky(spd), jnp.linalg.eigh(spd)[0], jnp.linalg.inv(spd), jnp.linalg.svd(a, compute_uv=False)


@case(rtol=1e-4, atol=1e-4)
def gradients_of_linear_algebra():
    a = jax.random.normal(jax.random.key(2), (4, 4))
    spd = a @ a.T + 4 * jnp.eye(4)
    return [jax.grad(lambda m: f(m).sum())(spd) for f in (jnp.linalg.inv, jnp.linalg.cholesky, lambda m: jnp.linalg.eigh(m)[0])]


@case(rtol=1e-4, atol=1e-4)
def fourier():
    x = jax.random.normal(jax.random.key(3), (4, 6))
    return jnp.fft.fft(x), jnp.fft.rfft2(x), jnp.fft.irfft(x.astype(complex)), jnp.fft.fftshift(x), jnp.fft.ifftn(x)


@case
def sorting():
    x = jax.random.permutation(jax.random.key(4), 20).reshape(4, 5)
    return jnp.sort(x), jnp.argsort(x, axis=0), lax.top_k(x, 3), jnp.searchsorted(jnp.arange(9), 4), jnp.unique(x % 3, size=3), jnp.lexsort((x[0], x[1]))


@case
def control_flow():
    return [
        lax.scan(lambda c, x: (c * 0.5 + x, c), 1.0, jnp.arange(7.0)),
        lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 2), (0, 1.0)),
        lax.fori_loop(0, 6, lambda i, x: x + i, 0),
        lax.cond(jnp.array(True), lambda x: x + 1, lambda x: x - 1, 3.0),
        [lax.switch(i, [lambda x: x, lambda x: x * 2, lambda x: x * 3], 5.0) for i in range(4)],
        lax.map(lambda x: x**2, jnp.arange(4.0)),
        lax.associative_scan(jnp.add, jnp.arange(8.0)),
        jax.grad(lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=5)[0])(0.7),
    ]


@case
def checkpointed_gradient():
    f = jax.checkpoint(lambda x: jnp.sin(jnp.sin(jnp.sin(x))))
    return jax.grad(lambda x: f(x).sum())(jnp.arange(4.0)), jax.hessian(lambda x: (f(x) ** 2).sum())(jnp.arange(3.0))


@case(rtol=1e-2, atol=1e-2)
def element_types():
    out = []
    names = "bool int8 int16 int32 uint8 uint16 uint32 float16 bfloat16 float32 complex64 float8_e4m3fn float8_e5m2 int4 uint4"
    for name in names.split():
        x = jnp.arange(4).astype(name)
        out.append((x, x.astype(jnp.float32) if name != "complex64" else x.real))
        if name != "bool" and "float8" not in name:
            out.append(x + x)
    out.append(jnp.ones(3, jnp.bfloat16) + jnp.ones(3, jnp.float16))
    out.append([str((jnp.ones(2, a) * jnp.ones(2, b)).dtype) for a in ("int8", "bfloat16", "float32") for b in ("uint8", "float16", "int32")])
    return out


@case
def sixty_four_bits():
    with jax.enable_x64(True):
        x = jnp.arange(5, dtype=jnp.float64) / 3
        return x, jnp.arange(3), jnp.linalg.inv(jnp.eye(2) * 3.0), jax.random.normal(jax.random.key(0), (3,), dtype=jnp.float64), jnp.ones(2, jnp.complex128) * 1j


@case
def empty_arrays():
    x = jnp.zeros((0, 3))
    return x + 1, x.sum(), jnp.concatenate([x, jnp.ones((2, 3))]), jnp.zeros((2, 0)) @ x


@case
def donation():
    f = jax.jit(lambda x, y: (x + 1, y * 2), donate_argnums=0)
    x, y = jnp.arange(4.0), jnp.arange(4.0)
    return f(x, y), x.is_deleted(), y.is_deleted()


@case(errors="same")
def donated_array_used():
    x = jnp.arange(4.0)
    jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    return x + 1


@case(errors="same")
def donated_array_passed():
    x = jnp.arange(4.0)
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    f(x)
    return f(x)


@case(errors="same")
def donated_and_used_in_one_call():
    x = jnp.arange(4.0)
    return jax.jit(lambda x, y: x + y, donate_argnums=0)(x, x)


@case(errors="same")
def donated_twice_in_one_call():
    x = jnp.arange(4.0)
    return jax.jit(lambda x, y: (x + 1, y + 2), donate_argnums=(0, 1))(x, x)


@case(errors="same")
def deleted_array():
    x = jnp.arange(4.0)
    x.delete()
    return jnp.sin(x)


@case(errors="same")
def deleted_array_to_host():
    x = jnp.arange(4.0)
    x.delete()
    return np.asarray(x)


@case(errors="same")
def unknown_compiler_option():
    return jax.jit(lambda x: x + 1, compiler_options={"invalid_key": "invalid_value"})(1.0)


@case
def host_arrays():
    a = np.arange(24).reshape(4, 6)
    return [jnp.asarray(v) for v in (a, a.T, a[::2, ::-1], a[1:, 2:4], a.astype(np.float32)[:, 0], np.array(3.0), np.zeros((0, 2)))]


@case
def asynchronous_errors_do_not_stay():
    x = jnp.ones((64, 64))
    for _ in range(20):
        x = jnp.tanh(x @ x)
    return x


@case
def ahead_of_time():
    lowered = jax.jit(lambda x: x * 2).lower(jax.ShapeDtypeStruct((4,), jnp.float32))
    compiled = lowered.compile()
    return compiled(jnp.arange(4.0)), sorted(k for k in ("flops", "bytes accessed") if k in compiled.cost_analysis()), compiled.memory_analysis().argument_size_in_bytes


@case
def exported():
    from jax import export

    platforms = ["cpu", "shardwright"] if jax.default_backend() != "cpu" else ["cpu"]
    called = export.export(jax.jit(jnp.sin), platforms=platforms)(jnp.arange(3.0)).call
    return called(jnp.arange(3.0)), jax.jit(lambda x: called(x) * 2)(jnp.arange(3.0))


@case
def loops_that_begin_with_a_view():
    """The initial value of the loop is read after it, too, in another shape."""
    a = np.arange(512, dtype=np.float32).reshape(4, 8, 16) % 5 / 8
    looped = lambda w: (jax.lax.fori_loop(0, 3, lambda i, c: c + c.sum() / 512, w), (w * w).sum(), w.max())
    made = [lambda v: jnp.sort(v, 0), lambda v: jnp.cumsum(v, 1), lambda v: v * 2, lambda v: v[jnp.array([1, 0, 3, 2])]]
    shaped = [lambda v: v.reshape(8, 4, 16), lambda v: v, lambda v: v.reshape(-1).reshape(16, 32)]
    return [jax.jit(lambda v: looped(s(m(v))))(a) for m in made for s in shaped]


@case
def layouts():
    from jax.experimental.layout import Format, Layout

    device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    columns, rows = Format(Layout((1, 0)), device), Format(Layout((0, 1)), device)
    text = lambda x: str(x.format.layout)
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = jax.device_put(a, columns)
    y = jax.jit(lambda x: x * 2, in_shardings=columns, out_shardings=columns)(x)
    z = jax.jit(lambda x: x.T + 1, out_shardings=rows)(x)
    donated = jax.jit(lambda x: x - 1, in_shardings=columns, out_shardings=columns, donate_argnums=0)(x)
    return a, y, z, donated, x.is_deleted(), text(y), text(z), text(donated), text(jax.device_put(y, rows)), y[1:, ::2]


@case
def layouts_of_arguments_and_results():
    """Layouts of arrays, of compiled programs, and in their text."""
    from jax.experimental.layout import Format, Layout, with_layout_constraint

    a, by_columns = np.arange(12, dtype=np.float32).reshape(3, 4), Layout((1, 0))
    columns = Format(by_columns, jax.sharding.SingleDeviceSharding(jax.devices()[0]))
    constrained = lambda x: with_layout_constraint(x, by_columns)
    out = []
    for f, options in [
        (lambda x: x * 2, dict(in_shardings=columns)), (lambda x: x * 2, dict(in_shardings=columns, out_shardings=columns)),
        (lambda x: x * 2, dict(out_shardings=columns)), (lambda x: x.T, {}), (constrained, {}), (lambda x: constrained(x) + 1, {}),
        (lambda x: (constrained(x * 2), x.sum(), x), {}),
    ]:  # fmt: skip
        compiled = jax.jit(f, **options).lower(a).compile()
        entry = re.search(r"entry_computation_layout={((?:[^{}=]|{[0-9,]*})*)}", compiled.as_text()).group(1)
        formats = [jax.tree.leaves(v, is_leaf=lambda v: isinstance(v, Format)) for v in (compiled.input_formats, compiled.output_formats)]
        out.append((entry, str([[v.layout.major_to_minor for v in some] for some in formats]), jax.tree.map(lambda v: str(v.format.layout), jax.jit(f, **options)(a))))
    return out


@case(errors="same")
def layout_that_does_not_fit():
    from jax.experimental.layout import Format, Layout

    device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    x = jax.device_put(np.ones((3, 4), np.float32), device)
    return jax.jit(lambda x: x, in_shardings=Format(Layout((1, 0)), device))(x)


@case
def automatic_layouts():
    from jax.experimental.layout import Format, Layout

    compiled = jax.jit(lambda x: x @ x.T, in_shardings=Format(Layout.AUTO)).lower(jax.ShapeDtypeStruct((3, 4), jnp.float32)).compile()
    return compiled(np.ones((3, 4), np.float32)), str(compiled.input_formats[0][0].layout), str(compiled.output_formats.layout)


@case
def serialized_executable():
    from jax.experimental import serialize_executable

    compiled = jax.jit(lambda x: x * 3).lower(jnp.arange(4.0)).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled), execution_devices=jax.devices()[:1])
    return loaded(jnp.arange(4.0))


if __name__ == "__main__":
    main(__doc__)
