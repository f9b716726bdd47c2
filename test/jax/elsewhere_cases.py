#===- elsewhere_cases.py - values and transformations --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Cases of elsewhere.py: what a program computes, and how JAX's transformations use it. A case gets `jit`
(of JAX or ours) and returns a tree of arrays and texts."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

CASES = {}


def case(function=None, **options):
    """rtol: tolerance; programs=False: no program of several devices is ours."""
    if function is None:
        return lambda f: case(f, **options)
    CASES[function.__name__] = (function, options)
    return function


def make_mesh(sizes=(4, 2), axes=("x", "y"), devices=None):
    devices = np.array(jax.devices() if devices is None else devices)
    return Mesh(devices[: np.prod(sizes)].reshape(sizes), axes, axis_types=(AxisType.Auto,) * len(axes))


MESH = make_mesh()


def on(*spec, mesh=None):
    return NamedSharding(mesh or MESH, P(*spec))


def A(*shape, dtype=np.float32, seed=0):
    values = np.random.RandomState(seed).standard_normal(shape)
    return (values * 4).astype(dtype)


def put(array, *spec, mesh=None):
    return jax.device_put(array, on(*spec, mesh=mesh))


X, W = A(16, 32), A(32, 64, seed=1)


def mlp(x, w):
    return jnp.tanh(x @ w).sum(1)


# --- shardings of arguments and results ---------------------------------------------------------
@case
def numpy_arguments(jit):
    return jit(mlp, in_shardings=(on("x"), on(None, "y")))(X, W)


@case
def placed_arguments(jit):
    return jit(mlp)(put(X, "x"), put(W, None, "y"))


@case
def one_placed_argument(jit):
    return jit(mlp)(put(X, "x", "y"), W)


@case
def partial_shardings(jit):
    return jit(mlp, in_shardings=(on("x"), None))(X, put(W, None, "y"))


@case
def result_shardings(jit):
    f = jit(lambda x, w: (x @ w, w), in_shardings=(on("x"), on("y")), out_shardings=(on("x", "y"), on()))
    return f(X, W)


@case
def result_reshards(jit):
    return jit(lambda x: x * 2, in_shardings=on("x", "y"), out_shardings=on("y", "x"))(X)


@case
def constraints(jit):
    def f(x, w):
        h = lax.with_sharding_constraint(x @ w, on("x", "y"))
        return lax.with_sharding_constraint(jnp.sin(h), on("y"))

    return jit(f)(put(X, "x"), W)


@case
def unspecified_dimensions(jit):
    return jit(lambda x: lax.with_sharding_constraint(x + 1, on(P.UNCONSTRAINED, "y")))(put(X, "x"))


@case
def uneven_dimensions(jit):
    f = jit(lambda x: lax.with_sharding_constraint(jnp.cumsum(x, 0), on("x")), in_shardings=on(None, "y"))
    return f(A(13, 6))


@case
def zero_sizes(jit):
    f = jit(lambda x: (x @ x.T, x.sum(1), x * 2), out_shardings=(on("x"), on("y"), on("x")))
    return f(put(np.zeros((8, 0), np.float32), "x"))


@case
def scalars(jit):
    return jit(lambda x, s: (x.sum() * s, x * s))(put(X, "x"), 3.0)


@case
def all_replicated(jit):
    return jit(lambda x: x @ x.T)(put(X))


@case
def permuted_devices(jit):
    mesh = make_mesh(devices=[jax.devices()[i] for i in (3, 1, 0, 2, 7, 5, 4, 6)])
    return jit(mlp)(put(X, "x", mesh=mesh), put(W, None, "y", mesh=mesh))


@case
def subset_of_devices(jit):
    mesh = make_mesh((2, 2), devices=jax.devices()[3:7])
    return jit(mlp)(put(X, "x", mesh=mesh), put(W, None, "y", mesh=mesh))


@case
def three_devices(jit):
    mesh = make_mesh((3,), ("z",), jax.devices()[2:5])
    return jit(lambda x: (x[::-1], x.sum(0)))(put(A(12, 5), "z", mesh=mesh))


@case(programs=False)
def one_device(jit):
    return jit(mlp)(X, W)


@case
def two_meshes(jit):
    other = make_mesh((2, 4), ("a", "b"))
    return jit(lambda x, w: (x @ w, x.sum()))(put(X, "x"), put(W, None, "b", mesh=other))


@case
def three_axes(jit):
    mesh = make_mesh((2, 2, 2), ("a", "b", "c"))
    return jit(mlp)(put(X, ("a", "c"), mesh=mesh), put(W, None, "b", mesh=mesh))


@case
def explicit_mesh(jit):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh):
        x, w = jax.device_put(X, P("x")), jax.device_put(W, P(None, "y"))
        out = jit(lambda x, w: jnp.tanh(x @ w))(x, w)
        return out, str(jax.typeof(out))


@case
def mesh_in_context(jit):
    with jax.set_mesh(MESH):
        return jit(lambda x: lax.with_sharding_constraint(x * 2, P("y")), in_shardings=P("x"), out_shardings=P("x", "y"))(X)


@case
def unreduced_arrays(jit):
    """Partial sums leave a program, and enter others."""
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh):
        a, b = jax.device_put(A(4, 8), P(None, "x")), jax.device_put(A(8, 8), P("x"))
        u = jit(lambda a, b: jnp.einsum("ij,jk->ik", a, b, out_sharding=P(None, None, unreduced={"x"})))(a, b)
        whole = rows = ()
        if jax.__version_info__ < (0, 11):  # XLA of 0.11 and newer does not let a manual computation reduce its operands
            whole = jit(lambda u: jax.sharding.reshard(u, P(None, None)))(u)
            rows = jit(lambda u: jax.sharding.reshard(u + u, P("x", None)))(u)
        parts = [np.asarray(shard.data) for shard in jit(lambda u: u + u)(u).addressable_shards]
        return whole, rows, parts, str(u.sharding), str(jax.typeof(u))


# --- operations -----------------------------------------------------------------------------------
@case
def loops(jit):
    def f(x):
        y = lax.fori_loop(0, 3, lambda i, v: v @ v.T @ v * 1e-2, x)
        z = lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, c[1] + c[1].sum(0)), (0, x))[1]
        return y, z, lax.scan(lambda c, r: (c + r, c.sum()), jnp.zeros(32), x)

    return jit(f)(put(X * 0.1, "x", "y"))


@case
def branches(jit):
    def f(x, i):
        return lax.switch(i, [lambda v: v.sum(0), lambda v: v.max(0)], x), lax.cond(i > 0, lambda v: v.T, lambda v: v.T * 2, x)

    return jit(f)(put(X, "x"), 1)


@case
def sorting(jit):
    return jit(lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1), lax.top_k(x, 3), jnp.argmax(x)))(put(X, "x", "y"))


@case
def indexing(jit):
    i = np.array([3, 0, 9, 15], np.int32)
    return jit(lambda x, i: (x[i], x.at[i].add(1.0), x[::-1], jnp.roll(x, 3, 0), x[2:9]))(put(X, "x"), i)


@case
def convolution(jit):
    dims = ("NHWC", "HWIO", "NHWC")
    f = lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=dims)
    return jit(f)(put(A(4, 16, 16, 3), None, "x"), A(3, 3, 3, 5))


@case
def pooling_gradient(jit):
    pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return jit(jax.grad(lambda x: (pool(x) ** 2).sum()))(put(A(2, 16, 16, 3), None, "x"))


@case
def transforms(jit):
    return jit(lambda x: jnp.abs(jnp.fft.fft(x)))(put(X, "x"))


@case
def linear_algebra(jit):
    a = A(8, 4, 4)
    a = a @ a.transpose(0, 2, 1) + 8 * np.eye(4, dtype=np.float32)
    return jit(lambda a: (jnp.linalg.cholesky(a), jnp.linalg.inv(a), jnp.linalg.eigvalsh(a)))(put(a, "x"))


@case(rtol=1e-2)
def low_precision(jit):
    return jit(lambda x, w: (x @ w, (x * 2).sum(0)))(put(X.astype(jnp.bfloat16), "x", "y"), put(W.astype(jnp.bfloat16), "y"))


@case
def integers(jit):
    return jit(lambda x: (x.sum(0), x @ x.T, x > 3, x.astype(np.int8), jnp.cumsum(x, 0)))(put(A(16, 8, dtype=np.int32), "x", "y"))


@case
def complex_numbers(jit):
    return jit(lambda x: (x @ x.T.conj(), x.sum(0), jnp.abs(x)))(put(X + 1j * X[::-1], "x", "y"))


@case
def double_precision(jit):
    with jax.enable_x64(True):
        return jit(lambda x: (x @ x.T, x.sum(0)))(put(A(16, 8, dtype=np.float64), "x", "y"))


@case
def random_keys(jit):
    def f(key, x):
        a, b = jax.random.split(key)
        return jax.random.normal(a, x.shape) + x, b

    return [jit(f)(jax.random.key(3, impl=impl), put(X, "x", "y")) for impl in ("threefry2x32", "rbg")]


@case
def sharded_keys(jit):
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), on("x"))
    return jit(lambda k: (jax.vmap(lambda k: jax.random.uniform(k, (3,)))(k), k))(keys)


# --- manual code ------------------------------------------------------------------------------------
@case
def shard_map_collectives(jit):
    @functools.partial(jax.shard_map, mesh=MESH, in_specs=P("x", "y"), out_specs=(P("x", "y"), P("x"), P(None, "y")))
    def body(x):
        i = lax.axis_index("x").astype(jnp.float32)
        moved = lax.ppermute(x, "x", [(k, (k + 1) % 4) for k in range(4)])
        return moved + i, lax.psum(x.sum(1), "y"), lax.psum(x.sum(0, keepdims=True), "x")

    return jit(lambda x: body(x * 2))(put(X, "x", "y"))


@case
def shard_map_over_one_axis(jit):
    body = jax.shard_map(
        lambda x: lax.all_gather(x, "x", tiled=True) * 2, mesh=MESH, in_specs=P("x"), out_specs=P(None), axis_names={"x"}, check_vma=False
    )
    return jit(body)(put(X, "x", "y"))


@case
def shard_map_exchange(jit):
    body = jax.shard_map(
        lambda x: (lax.all_to_all(x, "x", 1, 0, tiled=True), lax.psum_scatter(x, "y", tiled=True)),
        mesh=MESH, in_specs=P("x", None), out_specs=(P(None, "x"), P(("x", "y"))), check_vma=False,
    )  # fmt: skip
    return jit(body)(put(A(32, 8), "x"))


# --- transformations --------------------------------------------------------------------------------
def loss(x, w):
    return (jnp.tanh(x @ w) ** 2).mean()


@case
def gradient_outside(jit):
    return jax.grad(jit(loss), argnums=(0, 1))(put(X, "x"), put(W, None, "y"))


@case
def gradient_inside(jit):
    return jit(jax.value_and_grad(loss, argnums=1))(put(X, "x"), put(W, None, "y"))


@case
def jvp_outside(jit):
    x, w = put(X, "x"), put(W, None, "y")
    return jax.jvp(jit(mlp), (x, w), (x, w))


@case
def vjp_outside(jit):
    out, pull = jax.vjp(jit(mlp), put(X, "x"), put(W, None, "y"))
    return out, pull(out)


@case
def linearized(jit):
    out, push = jax.linearize(jit(loss), put(X, "x"), put(W, None, "y"))
    return out, push(put(X, "x"), put(W, None, "y"))


def special_functions(x, y):
    z = lax.complex(x, y)
    unary = (lax.erf, lax.erfc, lax.lgamma, lax.digamma, lax.bessel_i1e, lax.tan, lax.sinh, lax.asinh, lax.atan, lax.square)
    return [
        *(f(x) for f in unary), lax.erf_inv(x * 0.01), lax.atan(z), lax.conj(z), lax.nextafter(x, y), lax.zeta(lax.abs(x) + 2, lax.abs(y) + 1),
        lax.erf(x.sum(0)), lax.erf(x[0, 0]), lax.erf(x[:0]), lax.erf(x[:7].astype(jnp.bfloat16)), lax.erf(jnp.ones((8, 8))),
        lax.scan(lambda c, x: (lax.erf(c + x), lax.erfc(c)), y[0], x), lax.cond(x[0, 0] > 0, lax.erf, lax.erfc, x),
        jax.grad(lambda x: jax.nn.gelu(x @ x.T, approximate=False).sum())(x),
    ]  # fmt: skip


@case
def functions(jit):
    """What XLA has expansions of its own for. Values only: Shardy in jaxlib does not propagate through erf."""
    f = jit(special_functions, in_shardings=(on("x", "y"), on("x")))
    results = f(A(16, 8), A(16, 8, seed=1)), jit(special_functions)(put(A(16, 8), "y"), put(A(16, 8, seed=1), None, "x"))
    return jax.tree.map(np.asarray, results)


@case
def hessian_outside(jit):
    return jax.hessian(jit(lambda w: jnp.tanh(w).sum() * w[0, 0]))(put(A(8, 2), "x"))


@case
def vmap_outside(jit):
    return jax.vmap(jit(mlp), in_axes=(0, None))(put(A(8, 4, 32), "x"), put(W, None, "y"))


@case
def vmap_inside(jit):
    return jit(jax.vmap(mlp, in_axes=(0, None)))(put(A(8, 4, 32), "x"), put(W, None, "y"))


@case
def rematerialized(jit):
    return jit(jax.grad(lambda w: jax.checkpoint(loss)(X, w)))(put(W, None, "y"))


@case
def checkpoint_of_it(jit):
    return jax.grad(lambda w, f=jit(loss): jax.checkpoint(f)(put(X, "x"), w))(put(W, None, "y"))


@case
def custom_derivatives(jit):
    @jax.custom_vjp
    def f(x):
        return jnp.sin(x).sum()

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * jnp.cos(x) * 2,))
    return jax.grad(jit(f))(put(X, "x", "y")), jit(jax.grad(f))(put(X, "x", "y"))


@case
def training(jit):
    def step(state, batch):
        grads = jax.grad(loss, argnums=1)(batch, state["w"])
        m = 0.9 * state["m"] + grads
        return {"w": state["w"] - 0.1 * m, "m": m, "n": state["n"] + 1}

    f = jit(step, donate_argnums=0)
    state = {"w": put(W, None, "y"), "m": put(np.zeros_like(W), None, "y"), "n": 0}
    for i in range(4):
        state = f(state, put(A(16, 32, seed=i), "x"))
    return state


@case(alone=True)
def one_update_of_a_sharded_array(tally, jit):
    """All devices but one have an index out of bounds (guard_indices.cc)."""
    @jit
    def add(a, i, u):
        a = lax.with_sharding_constraint(a, on(("x", "y")))
        return a.at[i].add(u, mode="drop", wrap_negative_indices=False)

    for dtype in (np.uint16, np.float32):
        a = np.arange(13).astype(dtype)
        for i in (-9, -1, *range(15), 2**31 - 1):
            expected = a.copy()
            if 0 <= i < 13:
                expected[i] += 100
            found = np.asarray(add(put(a), np.int32(i), dtype(100)))
            tally.check(f"update of {dtype.__name__} {i}", np.array_equal(found, expected), f"{found}, expected {expected}")


@case(alone=True)
def parts_of_a_sharded_array(tally, jit):
    """Each device takes a part of the part that the user takes, out of bounds as well (guard_indices.cc)."""
    @jit
    def take(a, i):
        a = lax.with_sharding_constraint(a, on(("x", "y")))
        slice = lax.with_sharding_constraint(lax.dynamic_slice(a, (i,), (8,)), on(("x", "y")))
        return slice, lax.dynamic_slice(2 * slice, (i - 6,), (4,))

    def start(i, size, taken):
        return min(max(i + size if i < 0 else i, 0), size - taken)

    for size in (13, 16):
        a = np.arange(size).astype(np.float32)
        for i in (-90, -9, -1, *range(size + 2), 2**31 - 1):
            at, again = start(i, size, 8), start(i - 6, 8, 4)
            expected = a[at:at + 8]
            found = [np.asarray(x) for x in take(put(a), np.int32(i))]
            tally.check(f"part of {size} at {i}", np.array_equal(found[0], expected), f"{found}, expected {expected}")
            tally.check(f"part of a part of {size} at {i}", np.array_equal(found[1], 2 * expected[again:again + 4]), f"{found}")
