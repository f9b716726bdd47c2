#===- callbacks.py - programs that call Python functions ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""debug.print, pure_callback and io_callback: the number of calls, their values and
errors are the same on both platforms."""

import jax
import jax.numpy as jnp
import numpy as np
from both import J11, case, main
from jax.experimental import io_callback
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

F32 = jax.ShapeDtypeStruct((), np.float32)
X84 = np.arange(32, dtype=np.float32).reshape(8, 4)


def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def sharded(x, *spec):
    return jax.device_put(x, NamedSharding(mesh(), P(*spec)))


class Log(list):
    __hash__ = object.__hash__

    def __call__(self, *args):
        self.append(tuple(str(np.asarray(a).tolist()) for a in args))

    def counting(self, *args):
        self(*args)
        return np.float32(len(self))


@case
def pure():
    f = lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="expand_dims")
    x = jnp.arange(6.0).reshape(2, 3)
    return jax.jit(f)(x), f(x), jax.vmap(f)(x), jax.jit(lambda x: f(f(x)) + 1)(x)


@case
def several_results():
    out = (jax.ShapeDtypeStruct((2,), jnp.int32), jax.ShapeDtypeStruct((), jnp.bfloat16))
    return jax.jit(lambda x: jax.pure_callback(lambda a: (np.array([1, 2], np.int32), np.asarray(a, jnp.bfloat16)), out, x))(jnp.float32(3))


@case
def once_for_a_sharded_value():
    log = Log()
    y = jax.jit(lambda x: io_callback(log.counting, F32, x) + x)(sharded(np.arange(8, dtype=np.float32), "x"))
    jax.effects_barrier()
    return jax.block_until_ready(y), list(log)


@case
def result_is_sharded():
    s = NamedSharding(mesh(), P("x"))
    f = lambda x: jax.lax.with_sharding_constraint(jax.pure_callback(lambda a: a * 2, jax.ShapeDtypeStruct((8,), np.float32), x), s)
    return jax.jit(f)(sharded(np.arange(8, dtype=np.float32), "y"))


@case
def on_every_device_of_a_shard_map():
    log = Log()
    f = jax.shard_map(lambda x: io_callback(log.counting, F32, x) * 0 + x, mesh=mesh(), in_specs=P(("x", "y")), out_specs=P(("x", "y")), check_vma=False)
    y = jax.block_until_ready(jax.jit(f)(np.arange(8, dtype=np.float32)))
    jax.effects_barrier()
    return y, sorted(log)


@case
def ordered_in_a_loop():
    log = Log()

    def body(c, i):
        io_callback(log, None, i, ordered=True)
        return c + 1.0, i

    y = jax.jit(lambda x: jax.lax.scan(body, x, jnp.arange(6)))(1.0)
    jax.effects_barrier()
    return y, list(log)


@case
def ordered_between_programs():
    log = Log()

    @jax.jit
    def f(x):
        io_callback(log, None, x, ordered=True)
        return x + 1

    x = jnp.float32(0)
    for _ in range(5):
        x = f(x)
    jax.effects_barrier()
    return x, list(log)


@case
def debug_callback():
    log = Log()

    @jax.jit
    def f(x):
        jax.debug.callback(log, x, x * 2)
        return x

    f(jnp.arange(3.0))
    jax.effects_barrier()
    jax.debug.callback(log, jnp.ones(2))
    jax.effects_barrier()
    return list(log)


@case
def debug_print():
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):

        @jax.jit
        def f(x):
            jax.debug.print("x={x} y={y}", x=x, y=x + 1)
            jax.debug.print("ordered {}", x, ordered=True)
            return x

        f(1.5)
        jax.effects_barrier()
    return sorted(out.getvalue().splitlines())


@case
def debug_print_sharded():
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        jax.jit(lambda x: jax.debug.print("{}", x))(sharded(np.arange(8, dtype=np.float32), "x"))
        jax.effects_barrier()
    return out.getvalue()


@case
def in_a_branch_and_a_loop():
    log = Log()

    @jax.jit
    def f(x):
        def body(i, x):
            return jax.lax.cond(i % 2 == 0, lambda x: x + io_callback(log.counting, F32, x, ordered=True), lambda x: x * 2, x)

        return jax.lax.fori_loop(0, 5, body, x)

    y = f(1.0)
    jax.effects_barrier()
    return y, list(log)


def raising(*_):
    raise ValueError("this is what was raised")


def reported(f):
    try:
        jax.block_until_ready(f())
        jax.effects_barrier()
    except Exception as error:
        text = str(error)
        import jax._src.dispatch as dispatch

        dispatch.runtime_tokens.clear()
        return type(error).__name__, text.split(":")[0], "this is what was raised" in text, "Incorrect output" in text
    return "no error"


@case
def error_in_a_callback():
    first = reported(lambda: jax.jit(lambda x: io_callback(raising, F32, x))(1.0))
    return [*map(str, first)], jnp.ones(2) + 1


@case
def error_on_eight_devices():
    f = jax.jit(jax.shard_map(lambda x: jax.lax.psum(jax.pure_callback(raising, F32, x[0]), "x"), mesh=mesh(), in_specs=P("x"), out_specs=P(), check_vma=False))
    first = reported(lambda: f(np.arange(8, dtype=np.float32)))
    return [*map(str, first)], jnp.ones(2) + 1


@case
def wrong_shape_from_a_callback():
    return [*map(str, reported(lambda: jax.jit(lambda x: jax.pure_callback(lambda a: np.zeros(3, np.float32), F32, x))(1.0)))]


@case
def jax_inside_a_callback():
    f = lambda a: np.asarray(jnp.sin(a) @ jnp.ones(3))
    return jax.jit(lambda x: jax.pure_callback(f, F32, x) + 1)(jnp.arange(3.0))


@case
def meshes_of_callbacks():
    """A callback that uses JAX does not see the mesh of the program's context."""
    seen = []

    def f(a):
        seen.append(str(jax.sharding.get_abstract_mesh().empty))
        return np.asarray(jnp.sin(a) * 2)

    out = jax.ShapeDtypeStruct((8, 4), np.float32)
    with jax.set_mesh(mesh()):
        y = jax.jit(lambda x: jax.pure_callback(f, out, x) + 1)(sharded(X84, "x"))
        z = jax.jit(lambda x: io_callback(f, out, x) * 1)(sharded(X84, "y"))
    return jax.block_until_ready([y, z]), sorted(seen) if J11 else ""


# --- shards of sharded values ---------------------------------------------------------------


def called_with_parts(function, *args):
    """Returns the operands of a partitioned debug callback, independent of the order of the devices."""
    log = []
    look = lambda *values: log.append(" ".join(f"{v.shape} {float(v.sum()):g}" for v in values))
    y = jax.block_until_ready(jax.jit(lambda *args: function(look, *args))(*args))
    jax.effects_barrier()
    return y, sorted(log)


@case
def partitioned_debug_callback():
    both = lambda look, x: (jax.debug.callback(look, x, x.sum(1), partitioned=True), x + 1)[1]
    one = lambda look, x: (jax.debug.callback(look, x * 2, partitioned=True), x)[1]
    loop = lambda look, x: jax.lax.scan(lambda c, _: (one(look, c), None), x, None, length=2)[0]
    return [
        called_with_parts(both, sharded(X84, "x", "y")),
        called_with_parts(one, sharded(X84, "y")),
        called_with_parts(one, sharded(X84)),
        called_with_parts(loop, sharded(X84, "x")),
        called_with_parts(one, X84),
    ]


@case
def partitioned_debug_callback_in_a_shard_map():
    one = lambda look: lambda x: (jax.debug.callback(look, x, partitioned=True), x)[1]
    f = lambda axes: lambda look, x: jax.shard_map(one(look), mesh=mesh(), in_specs=P("x"), out_specs=P("x"), axis_names=axes)(x)
    return called_with_parts(f({"x", "y"}), sharded(X84, "x"))


@case
def partitioned_debug_print():
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        jax.jit(lambda x: jax.debug.print("sum {}", x.sum(1), partitioned=True))(sharded(X84, "x"))
        jax.effects_barrier()
    return sorted(out.getvalue().splitlines())


@case
def pure_callback_around_shardings():
    f = lambda x: jax.pure_callback(lambda a: np.asarray(a) * 2 + a.size, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="expand_dims")
    g = lambda x: jax.pure_callback(lambda a: np.asarray(a) * 2 + a.size, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="sequential")
    x = sharded(X84, "x", "y")
    mapped = jax.shard_map(lambda x: jax.vmap(g)(x) + f(x), mesh=mesh(), in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False)
    scan = lambda x: jax.lax.scan(lambda c, row: (c + f(row).sum(), g(row)), jnp.float32(0), x)
    return jax.jit(f)(x), jax.jit(jax.vmap(f))(x), jax.jit(jax.vmap(g, in_axes=1))(x), jax.jit(mapped)(x), jax.jit(scan)(x)


if __name__ == "__main__":
    main(__doc__)
