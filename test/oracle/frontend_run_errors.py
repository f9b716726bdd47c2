#===- frontend_run_errors.py - mistakes that tracing and running show -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls of JAX with a mistake each, for frontend_errors.py: devices of nested calls, donated buffers that nothing uses
(a warning), compiled programs that are called on traced values, ordered effects on several devices, compiler options,
carries and collectives in bodies of shard_map. test/oracle/frontend_run_mistakes.cc makes the same calls in C++."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from frontend_type_errors import AUTO, D, TYPED, X, auto_map, typed, typed_map

FIRST, SECOND = Mesh(np.array(D[:2]), ("x",)), Mesh(np.array(D[2:4]), ("x",))


def f(x):
    return x + 1.0


def summed(x):
    return x.sum()


def on(mesh, spec=P("x")):
    return NamedSharding(mesh, spec)


def placed(spec=P()):
    return jax.device_put(X, on(FIRST, spec))


def calling(inner):
    """A jitted function of the name f."""
    def f(x):
        return inner(x)
    f.__qualname__ = "f"
    return jax.jit(f)


def under(mesh, function, *args):
    with jax.set_mesh(mesh):
        return function(*args)


def recursive(x):
    return jax.jit(recursive)(x)


DEVICES = {
    "devices of a nested argument": lambda: calling(jax.jit(f, in_shardings=on(SECOND)))(placed()),
    "devices of a nested result": lambda: calling(jax.jit(f, out_shardings=on(SECOND)))(placed()),
    "devices of a placement": lambda: calling(lambda x: jax.device_put(x, on(SECOND)))(placed()),
    "devices of a nested constraint": lambda: calling(
        jax.jit(lambda x: lax.with_sharding_constraint(x, on(SECOND)) + 1))(placed()),
    "axis twice in in_shardings": lambda: under(AUTO, jax.jit(f, in_shardings=P("x", "x")), X),
    "axis twice in out_shardings": lambda: under(AUTO, jax.jit(f, out_shardings=P("x", "x")), X),
    "unknown axis in in_shardings": lambda: under(AUTO, jax.jit(f, in_shardings=P("z")), X),
    "rank of a constraint": lambda: jax.jit(lambda x: lax.with_sharding_constraint(x, on(AUTO, P("x", "y", None))))(X),
    "arguments of an executable": lambda: jax.jit(f).lower(X).compile()._executable.call(X, X),
    "pointer to several buffers": lambda: placed(P("x")).unsafe_buffer_pointer(),
}


def on_one(*shape):
    return jax.device_put(np.ones(shape, np.float32), D[0])


def donating(function, *args, **options):
    return lambda: jax.jit(function, donate_argnums=tuple(range(len(args))), **options)(*args)


def warnings_of(run):
    """The texts of the warnings, as that of an error."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run()
    raise RuntimeError("; ".join(str(w.message) for w in seen))


DONATION = {
    "donated for a scalar": donating(summed, on_one(8, 4)),
    "donated from the host": donating(summed, X),
    "two donated": donating(lambda x, y: x.sum() + y.sum(), on_one(8, 4), on_one(3)),
    "one of two donated": donating(lambda x, y: x + y.sum(), on_one(8, 4), on_one(3)),
    "donated and not used": donating(lambda x, y: y.sum(), on_one(8, 4), on_one(8, 4)),
    "donated and kept": donating(lambda x, y: y.sum(), on_one(8, 4), on_one(3), keep_unused=True),
    "donated for as many elements": donating(lambda x: x.reshape(4, 8), on_one(8, 4)),
    "donated on several devices": donating(summed, placed(P("x")), out_shardings=on(FIRST, P())),
    "donated for a result that is not known": donating(summed, placed(P("x"))),
    "donated for another sharding": donating(f, placed(P("x")), out_shardings=on(FIRST, P())),
}


def compiled(shape=(8, 4)):
    return jax.jit(f).lower(np.ones(shape, np.float32)).compile()


def printing(ordered):
    def f(x):
        jax.debug.print("{}", x, ordered=ordered)
        return x
    return f


OPTIONS = {"xla_cpu_enable_fast_math": True}
fast = jax.jit(f, compiler_options=OPTIONS)
TRACED = {
    "compiled program in jit": lambda: jax.jit(lambda x: compiled()(x))(X),
    "compiled program in grad": lambda: jax.grad(lambda x: compiled()(x).sum())(X),
    "compiled program in vmap": lambda: jax.vmap(lambda x: compiled((4,))(x))(X),
    "ordered print on several devices": lambda: jax.jit(printing(True))(placed()),
    "ordered print in a body": lambda: auto_map(printing(True), P("x"), P("x"), X),
    "options in grad": lambda: jax.grad(lambda x: fast(x).sum())(X),
    "options in vmap in jit": lambda: jax.jit(jax.vmap(fast))(X),
    "options in a loop": lambda: lax.scan(lambda c, x: (c, fast(x)), 0.0, X),
    "options in a linearization": lambda: jax.linearize(fast, X),
    "unknown option of XLA": lambda: jax.jit(f, compiler_options={"xla_foo_bar": True})(X),
    "unknown option of XLA in vmap": lambda: jax.vmap(jax.jit(f, compiler_options={"xla_foo_bar": True}))(X),
    "value of an option in vmap": lambda: jax.vmap(jax.jit(f, compiler_options={"xla_cpu_enable_fast_math": "maybe"}))(X),
    "unknown option of a stage": lambda: jax.jit(f).lower(X).compile(compiler_options={"xla_tpu_foo": 1}),
}
ZEROS, ONES = jnp.zeros((2, 4)), jnp.ones((2, 4))
BODIES = {
    "carry of a scan in a body": lambda: auto_map(
        lambda x: lax.scan(lambda c, _: (c + x, None), ZEROS, None, length=2)[0], P("x"), P("x"), X),
    "carry that varies along two axes": lambda: auto_map(
        lambda x: lax.scan(lambda c, _: (c + x, None), jnp.zeros((1, 4)), None, length=2)[0], P(("x", "y")), P(("x", "y")), X),
    "two carries of a scan in a body": lambda: auto_map(
        lambda x: lax.scan(lambda c, _: ((c[0] + x, c[1] * x), None), (ZEROS, ONES), None, length=2)[0], P("x"), P("x"), X),
    "one of two carries in a body": lambda: auto_map(
        lambda x: lax.scan(lambda c, _: ((c[0] + 1, c[1] * x), None), (ZEROS, ONES), None, length=2)[0], P("x"), P("x"), X),
    "carry of a loop in a body": lambda: auto_map(
        lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] + x), (0, ZEROS))[1], P("x"), P("x"), X),
    "carry with another shape in a body": lambda: auto_map(
        lambda x: lax.scan(lambda c, _: (x[:1], None), ZEROS, None, length=2)[0], P("x"), P("x"), X),
    "branches that vary along other axes": lambda: auto_map(
        lambda x: lax.cond(np.bool_(True), lambda v: v, lambda v: lax.pcast(ZEROS, "y", to="varying"), x), P("x"), P("x", "y"), X),
    "branches of two results in a body": lambda: auto_map(
        lambda x: lax.cond(np.bool_(True), lambda v: (v, v), lambda v: (lax.pcast(ZEROS, "y", to="varying"), v), x),
        P("x"), P("x", "y"), X),
    "four carries of a scan in a body": lambda: auto_map(
        lambda x: lax.scan(lambda c, _: (tuple(v + x for v in c), None), (ZEROS,) * 4, None, length=2)[0], P("x"), P("x"), X),
    "carry that does not vary": lambda: auto_map(
        lambda x: lax.scan(lambda c, _: (ZEROS, None), x, None, length=2)[0], P("x"), P("x"), X),
    "cast to reduced": lambda: auto_map(lambda x: lax.pcast(x, "x", to="reduced"), P("x"), P("x"), X),
    "psum outside": lambda: jax.jit(lambda x: lax.psum(x, "q"))(X),
    "all_to_all outside": lambda: jax.jit(lambda x: lax.all_to_all(x, "q", 0, 0))(X),
    "psum_scatter outside": lambda: jax.jit(lambda x: lax.psum_scatter(x, "q"))(X),
    "ppermute outside": lambda: jax.jit(lambda x: lax.ppermute(x, "q", [(0, 1)]))(X),
    "axis_index outside": lambda: jax.jit(lambda x: x + lax.axis_index("q"))(X),
    "axis_size outside": lambda: jax.jit(lambda x: x * lax.axis_size("q"))(X),
    "vmapped axis in specs": lambda: mapped(P("x"), P("y")),
    "vmapped axis in out specs": lambda: mapped(P("y"), P("x")),
    "vmapped axis in specs without the check": lambda: mapped(P("x"), P("y"), check_vma=False),
    "vmapped axis in names": lambda: mapped(P("y"), P("y"), axis_names={"x"}),
}


def mapped(i, o, **options):
    """A mapped dimension that an Explicit axis shards."""
    def run(x):
        return jax.vmap(jax.shard_map(lambda v: v, in_specs=i, out_specs=o, **options))(x)
    return under(TYPED, jax.make_jaxpr(run), typed(P("x"), np.ones((8, 8), np.float32)))


MISTAKES = DEVICES | {name: lambda run=run: warnings_of(run) for name, run in DONATION.items()} | TRACED | BODIES
