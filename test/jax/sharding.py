#===- sharding.py - jit over eight devices ------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs with shardings: forms of in_shardings and out_shardings, constraints, explicit axes,
training with data, tensor and fully sharded parallelism. Values and shardings must be those of
JAX's CPU."""

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax.sharding import SingleDeviceSharding


def mesh(shape=(4, 2), names=("x", "y"), types=AxisType.Auto):
    return jax.make_mesh(shape, names, axis_types=(types,) * len(names))


def put(x, *spec, on=None):
    return jax.device_put(x, NamedSharding(on or mesh(), P(*spec)))


def spec(*arrays):
    """Returns the specs of arrays, without trailing replicated dimensions."""
    out = []
    for a in arrays:
        parts = list(getattr(a.sharding, "spec", [type(a.sharding).__name__]))
        while parts and parts[-1] is None:
            parts.pop()
        out.append(str(tuple(parts)))
    return out


A = np.arange(128, dtype=np.float32).reshape(16, 8) / 50
B = np.cos(np.arange(64, dtype=np.float32)).reshape(8, 8)


@case
def shardings_of_results_are_found():
    x, w = put(A, "x"), put(B, None, "y")
    y = jax.jit(lambda x, w: jnp.tanh(x @ w))(x, w)
    return y, spec(y), jax.jit(lambda x: x.T)(x), spec(jax.jit(lambda x: x.T)(x))


@case
def in_and_out_shardings():
    m = mesh()
    s = lambda *p: NamedSharding(m, P(*p))
    out = []
    for ins, outs in [
        ((s("x"), s()), s("x", "y")),
        ((s("x", "y"), s("y", "x")), s(None, ("x", "y"))),
        ((None, s("y")), None),
        ((s(("x", "y")), None), s()),
        ((s(), s()), s("y", "x")),
    ]:
        y = jax.jit(lambda x, w: x @ w, in_shardings=ins, out_shardings=outs)(A, B)
        out.append((y, spec(y) if outs is not None else []))
    return out


@case
def trees_of_shardings():
    m = mesh()
    s = {"a": NamedSharding(m, P("x")), "b": (NamedSharding(m, P("y")), None)}
    f = jax.jit(lambda t: jax.tree.map(lambda v: v * 2, t), in_shardings=(s,), out_shardings=s)
    y = f({"a": A, "b": (B, np.float32(3))})
    return y, spec(y["a"], y["b"][0])


@case
def constraints():
    m = mesh()

    @jax.jit
    def f(x, w):
        h = lax.with_sharding_constraint(x @ w, NamedSharding(m, P("x", "y")))
        return lax.with_sharding_constraint(jnp.sin(h), NamedSharding(m, P("y", "x"))).sum(0)

    y = f(A, B)
    with jax.set_mesh(m):
        z = jax.jit(lambda x: lax.with_sharding_constraint(x + 1, P("y")))(A)
    return y, z, spec(z)


@case
def constraint_in_grad():
    m = mesh()

    def loss(w, x):
        h = lax.with_sharding_constraint(jnp.tanh(x @ w), NamedSharding(m, P("x", "y")))
        return (h**2).mean()

    value, grad = jax.jit(jax.value_and_grad(loss))(put(B, None, "y"), put(A, "x"))
    return value, grad, spec(grad)


@case
def devices_in_any_order():
    out = []
    devices = np.array(jax.devices())
    for order in (devices[::-1], devices[[3, 1, 0, 2, 7, 5, 6, 4]]):
        m = Mesh(order.reshape(2, 4), ("a", "b"))
        x = put(A, "a", "b", on=m)
        y = jax.jit(lambda x: jnp.cumsum(x, axis=0) @ B)(x)
        out.append((y, spec(y), str([s.device.id for s in y.addressable_shards])))
    return out


@case
def some_of_the_devices():
    m = Mesh(np.array(jax.devices()[2:6]).reshape(2, 2), ("a", "b"))
    y = jax.jit(lambda x: x @ B)(put(A, "b", "a", on=m))
    return y, spec(y), str(sorted(d.id for d in y.sharding.device_set))


@case
def device_put_between_shardings():
    x = put(A, "x", "y")
    out = []
    for p in [(None, "x"), ("y", "x"), (("x", "y"),), (), (None, ("y", "x"))]:
        x = put(x, *p)
        out.append((x, [str(s.index) for s in x.addressable_shards]))
    x = jax.device_put(x, jax.devices()[3])
    return out, x, str(x.devices()).split("id=")[1:]


@case
def shards_and_arrays():
    s = NamedSharding(mesh(), P("x", "y"))
    x = jax.make_array_from_callback(A.shape, s, lambda index: A[index])
    parts = [jax.device_put(A[i], d) for d, i in s.addressable_devices_indices_map(A.shape).items()]
    y = jax.make_array_from_single_device_arrays(A.shape, s, parts)
    return x, y, [np.asarray(shard.data) for shard in (x + y).addressable_shards]


@case
def replicated_and_unsharded_arguments():
    f = jax.jit(lambda x, y, z: x + y * z)
    return f(put(A, "x"), put(A), 2.0), spec(f(put(A, "x"), put(A), 2.0))


@case(errors="type")
def incompatible_devices():
    return jax.jit(lambda x, y: x + y)(jax.device_put(A, jax.devices()[0]), jax.device_put(A, jax.devices()[1]))


@case(errors="same")
def indivisible_dimension():
    return put(np.zeros((6, 3)), "x")


@case
def explicit_axes():
    with jax.set_mesh(mesh(types=AxisType.Explicit)):
        x = jax.device_put(A, P("x", None))
        w = jax.device_put(B, P(None, "y"))

        @jax.jit
        def f(x, w):
            h = jnp.sin(x @ w)
            return h, jax.sharding.reshard(h, P("y", "x")), str(jax.typeof(h).sharding.spec) and h.sum(0)

        out = f(x, w)
        g = jax.jit(jax.grad(lambda w: jnp.tanh(x @ w).sum()))(w)
        return out, spec(*out), g, spec(g)


@case
def explicit_and_auto_axes():
    m = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Auto))
    with jax.set_mesh(m):
        x = jax.device_put(A, P("x"))
        y = jax.jit(lambda x: jnp.tanh(x * 2))(x)
        return y, spec(y)


@case
def vmapped_constraint():
    m = mesh()
    f = lambda x: lax.with_sharding_constraint(jnp.sin(x), NamedSharding(m, P("y")))
    y = jax.jit(jax.vmap(f, spmd_axis_name="x"))(A.reshape(4, 4, 8))
    return y, spec(y)


@case
def loops_over_sharded_values():
    def step(carry, w):
        h = jnp.tanh(carry @ w)
        return h, h.sum()

    ws = put(np.stack([B] * 5), None, None, "y")
    h, sums = jax.jit(lambda x: lax.scan(step, x, ws))(put(A, "x"))
    n = jax.jit(lambda x: lax.while_loop(lambda s: s[1].sum() < 1e3, lambda s: (s[0] + 1, s[1] * 2), (0, x)))(put(A, "x", "y"))
    return h, sums, n, spec(h)


@case(exact=True)
def random_numbers_are_the_same_when_sharded():
    s = NamedSharding(mesh(), P("x", "y"))
    f = jax.jit(lambda k: jax.random.bits(k, (16, 8)), out_shardings=s)
    return f(jax.random.key(5)), jax.jit(lambda k: jax.random.permutation(k, 16), out_shardings=NamedSharding(mesh(), P("x")))(jax.random.key(1))


@case(rtol=1e-4, atol=1e-4)
def batched_linear_algebra_stays_sharded():
    a = np.random.RandomState(0).randn(8, 4, 4).astype(np.float32)
    spd = put(a @ a.transpose(0, 2, 1) + 4 * np.eye(4, dtype=np.float32), "x")
    chol, w = jax.jit(jnp.linalg.cholesky)(spd), jax.jit(jnp.linalg.eigvalsh)(spd)
    return chol, w, jax.jit(jnp.linalg.inv)(spd)


@case
def indexing_sorting_and_windows():
    x = put(A, "x", "y")
    f = lambda x: [x[3:7, ::2], x[jnp.array([1, 5, 2])], jnp.sort(x, axis=0), x.at[2].set(0), jnp.roll(x, 3, 0), lax.reduce_window(x, -jnp.inf, lax.max, (3, 3), (1, 1), "SAME"), jnp.concatenate([x, x]), x.reshape(8, 16)]
    return jax.jit(f)(x)


@case(rtol=1e-4, atol=1e-4)
def convolution():
    x = put(np.random.RandomState(1).randn(8, 8, 8, 4).astype(np.float32), "x")
    k = put(np.random.RandomState(2).randn(3, 3, 4, 6).astype(np.float32), None, None, None, "y")
    f = lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y, grads = jax.jit(lambda x, k: (f(x, k), jax.grad(lambda x, k: (f(x, k) ** 2).sum(), (0, 1))(x, k)))(x, k)
    return y, grads


def train(specs, steps=20, batch=P("x")):
    """An MLP whose parameters have these specs; losses of some steps."""
    m = mesh()
    rng = np.random.RandomState(0)
    params = [rng.randn(a, b).astype(np.float32) / np.sqrt(a) for a, b in ((8, 16), (16, 16), (16, 8))]
    params = [jax.device_put(p, NamedSharding(m, s)) for p, s in zip(params, specs)]
    x = jax.device_put(rng.randn(32, 8).astype(np.float32), NamedSharding(m, batch))
    y = jax.device_put(rng.randn(32, 8).astype(np.float32), NamedSharding(m, batch))

    def loss(params, x, y):
        for w in params[:-1]:
            x = jax.nn.relu(x @ w)
        return jnp.mean((x @ params[-1] - y) ** 2)

    @jax.jit
    def step(params, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return value, [p - 0.1 * g for p, g in zip(params, grads)]

    losses = []
    for _ in range(steps):
        value, params = step(params, x, y)
        losses.append(value)
    return jnp.stack(losses), params, spec(*params)


@case(rtol=1e-3, atol=1e-4)
def training_with_data_parallelism():
    return train([P(), P(), P()], batch=P(("x", "y")))[:2]


@case(rtol=1e-3, atol=1e-4)
def training_with_tensor_parallelism():
    return train([P(None, "y"), P("y", None), P(None, "y")])[:2]


@case(rtol=1e-3, atol=1e-4)
def training_fully_sharded():
    return train([P("x", "y"), P("x", "y"), P("x", "y")], batch=P(("x", "y")))[:2]


@case
def donated_shards():
    x = put(A, "x", "y")
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    return y, x.is_deleted(), spec(y)


@case
def offloaded_to_the_host():
    host = NamedSharding(mesh(), P("x"), memory_kind="pinned_host")
    device = host.with_memory_kind("device")
    x = jax.device_put(A, host)
    y = jax.jit(lambda x: jax.device_put(x, device) * 2, out_shardings=host)(x)
    return y, y.sharding.memory_kind, x.sharding.memory_kind


@case
def single_device_in_and_out():
    one = SingleDeviceSharding(jax.devices()[5])
    y = jax.jit(lambda x: x * 2, in_shardings=one, out_shardings=one)(A)
    return y, str([d.id for d in y.devices()])


@case
def without_shardy():
    jax.config.update("jax_use_shardy_partitioner", False)
    try:
        m = mesh()
        f = jax.jit(lambda x, w: lax.with_sharding_constraint(x @ w, NamedSharding(m, P("x", "y"))))
        g = jax.jit(jax.shard_map(lambda x: lax.psum(x, "x"), mesh=m, in_specs=P("x", "y"), out_specs=P(None, "y")))
        y, z = f(put(A, "x"), put(B, None, "y")), g(put(A, "x", "y"))
        return y, z, spec(y, z)
    finally:
        jax.config.update("jax_use_shardy_partitioner", True)


if __name__ == "__main__":
    main(__doc__)
