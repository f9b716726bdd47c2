#===- newer_functions.py - what JAX 0.11 and 0.12 added ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Public functions and options that came with JAX 0.11 and 0.12. With an older version their cases are the
text that says so."""

import functools
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from both import J11, J12, case, main
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

X = (np.arange(128, dtype=np.float32).reshape(16, 8) - 40) / 32


def since(is_there, version, **options):
    """A case that needs a version of JAX."""

    def register(function):
        @functools.wraps(function)
        def run():
            return function() if is_there else f"since {version}"

        return case(run, **options)

    return register


def mesh(axis_type=AxisType.Auto):
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(axis_type,) * 2)


def put(x, *spec):
    return jax.device_put(x, NamedSharding(mesh(), P(*spec)))


def plain(text):
    return str(text).replace("shardwright-cpu", "cpu").replace("shardwright", "cpu").replace("Shardwright", "Cpu")


def said(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        return plain(f"{type(error).__name__}: {error}").split("\n")[0]
    return "nothing"


# --- functions -----------------------------------------------------------------------------------


@since(J11, "0.11", close=True)
def logarithms_and_differences():
    f = lambda x: (lax.log2(jnp.abs(x) + 0.1), lax.one_minus_square(x), jax.grad(lambda v: lax.log2(v * v + 1).sum())(x), jax.grad(lambda v: lax.one_minus_square(v).sum())(x))
    types = [lax.log2(jnp.asarray([0.5, 1, 2, 3, 0, -1, np.inf], t)) for t in ("float32", "bfloat16", "float16")]
    return jax.jit(f)(X), jax.jit(f)(put(X, "x", "y")), types, lax.log2(jnp.asarray([1 + 1j, -2], "complex64")), jax.vmap(lax.one_minus_square)(X)


@since(J12, "0.12", close=True)
def polynomials():
    f = lambda x, c: lax.polynomial(x, [c, 2.0, x * 0 + 0.5, -1.0])
    unrolled = [jax.jit(lambda x: lax.polynomial(x, [1.0, 2.0, 3.0, 4.0, 5.0], unroll=n))(X) for n in (1, 2, None)]
    return jax.jit(f)(put(X, "x"), 3.0), unrolled, jax.jit(jax.grad(lambda x: f(x, 1.0).sum()))(X), said(lax.polynomial, X, [])


@since(J12, "0.12", close=True)
def accuracies():
    found = [jax.jit(lambda x: lax.erfc(x, accuracy=lax.AccuracyMode.DEFAULT))(X), jax.jit(lambda x: lax.erfc(x, accuracy=lax.Tolerance(atol=1e-5, rtol=1e-5, ulps=0)))(X)]
    found += [jax.jit(lambda x: f(x, accuracy=lax.AccuracyMode.HIGHEST))(jnp.abs(X) + 0.5) for f in (lax.exp, lax.log, lax.sin, lax.tanh, lax.rsqrt, lax.logistic, lax.cbrt, lax.expm1, lax.log1p)]
    return found


@since(J11, "0.11")
def largest_and_smallest():
    ties = np.asarray([[3, 1, 3, 2, 3, 1, 0, 3], [1, 1, 1, 1, 2, 2, 2, 2]], np.float32)
    top = [jax.jit(lambda x: lax.top_k(x, 3, is_stable=True))(ties), jax.jit(lambda x: lax.top_k(x, 3, is_stable=False)[0])(ties)]
    top += [jax.jit(lambda x: lax.top_k(x, 2, axis=0))(put(X, "x", "y")), lax.top_k(X.astype(np.int32), 4)]
    extremes = [jnp.minmax(put(X, "x")), jnp.minmax(X, axis=1), jnp.minmax(X, axis=0, keepdims=True, initial=0.0), jnp.minmax(X, initial=(5.0, -5.0), where=X > 0)]
    return top, extremes, jax.jit(jax.grad(lambda x: sum(jnp.minmax(x))))(X), jax.jit(jax.grad(lambda x: lax.top_k(x, 2)[0].sum()))(X)


@since(J12, "0.12")
def top_k_of_numpy():
    found = [jnp.top_k(X, 3), jnp.top_k(put(X, "x", "y"), 2, axis=0), jnp.top_k(X, 3, mode="smallest"), jnp.top_k(X, 3, sorted=True)]
    return found, said(jnp.top_k, X, 3, mode="other"), said(jnp.top_k, X, 9), said(jnp.top_k, X, 3, axis=2)


@since(J11, "0.11")
def empty_arrays():
    made = [jnp.empty((3, 4)), jnp.empty((2,), "int8"), jax.jit(lambda: jnp.empty((16, 8), out_sharding=None))()]
    return [str((v.shape, v.dtype)) for v in made], jnp.empty((0, 3)), jnp.array(X, copy=True, order="K", ndmin=3), said(lambda: jnp.array(X, None, True))


# --- jit, refs, compute_on -------------------------------------------------------------------------


@since(J11, "0.11")
def inlining():
    found = []
    for inline in jax.Inline:
        inner = jax.jit(lambda x: jnp.sin(x) * 2, inline=inline)
        outer = jax.jit(lambda x: inner(inner(x)) + inner(x[:1]))
        found += [outer(X), jax.jit(jax.grad(lambda x: outer(x).sum()))(put(X, "x")), jax.jit(lambda x: lax.scan(lambda c, r: (inner(c) + r, c), x[0], x))(X)]
    return found, said(jax.jit, jnp.sin, inline="other")


@since(J11, "0.11")
def levels_of_effort():
    run = lambda **options: jax.jit(lambda x: x * 2, compiler_options=options)(X)
    levels = [run(optimization_level=level) for level in ("O0", "O1", "O2", "O3", 29, jax.CompilerEffortLevel.O3)]
    levels += [run(memory_fitting_level="O1"), run(optimization_level="O2", memory_fitting_level=39)]
    removed = [said(run, **{name: value}) for name in ("exec_time_optimization_effort", "memory_fitting_effort") for value in (0.5, "0.5", 1, True)]
    return levels, removed, said(run, optimization_level="O9"), said(run, optimization_level=7.5), said(run, nothing_of_the_kind=1)


@since(J12, "0.12")
def indices_of_outputs():
    lowered = jax.jit(lambda x: (x, x * 2)).lower(X)
    compiled = [lowered.compile({"individually_defined_output_indices": value}) for value in ((0,), (0, 1), ())]
    return [c(X) for c in compiled], said(lowered.compile, {"individually_defined_output_indices": 1}).split("\n")[0]


@since(J11, "0.11")
def references():
    def f(x):
        r, e = jax.new_ref(x), jax.empty_ref(jax.ShapeDtypeStruct((3,), np.float32))
        r[0] += 1.0
        e[...] = r[0, :3] * 2
        lax.fori_loop(0, 3, lambda i, _: r.__setitem__((1, i), r[1, i] * 2), None)
        return jax.freeze(r), e[...]

    eager = jax.new_ref(jnp.zeros(3))
    eager[1] = 5.0
    jax.jit(lambda r: r.__setitem__(0, r[1] + 1))(eager)
    return jax.jit(f)(X), jax.jit(f)(put(X, "y")), eager[...], jax.jit(jax.grad(lambda x: f(x)[0].sum()))(X), said(jax.jit(lambda x: jax.freeze(jax.new_ref(x, pin=True))), X).split(":")[0]


@since(J11, "0.11")
def computed_elsewhere():
    from jax.experimental.compute_on import compute_on

    host = compute_on(lambda x: jnp.sin(x) * 2, compute_type="device_host", out_memory_spaces=jax.memory.Space.Device)
    many = compute_on(lambda x, y: (x @ y, x.sum()), compute_type="device_host", out_memory_spaces=(jax.memory.Space.Device, jax.memory.Space.Device))
    f = lambda x: host(x + 1) * 3
    return jax.jit(f)(X), jax.jit(f)(put(X, "x", "y")), jax.jit(jax.grad(lambda x: f(x).sum()))(X), jax.jit(many)(X, X.T), jax.jit(jax.vmap(f))(X), said(compute_on, jnp.sin, compute_type="nowhere", out_memory_spaces=None)


# --- meshes, shardings, collectives ------------------------------------------------------------------


@since(J11, "0.11")
def meshes_of_contexts():
    with jax.set_mesh(mesh()):
        inside = [plain(jax.get_mesh()), plain(jax.get_abstract_mesh()).replace("device_kind=cpu, ", "")]
    abstract = jax.sharding.AbstractMesh((2, 4), ("a", "b"))
    with jax.sharding.use_abstract_mesh(abstract):
        inside.append(str(jax.get_abstract_mesh()))
    named = jax.make_mesh(axis_sizes=(2, 4), axis_names=("a", "b"))
    return inside, plain(jax.get_mesh()), plain(named), str(jax.get_abstract_mesh().empty)


@since(J12, "0.12")
def devices_of_abstract_meshes():
    """The platform of an abstract mesh's device is the one that is lowered for."""
    device = jax.sharding.AbstractDevice(device_kind="TPU v6 lite", num_cores=1, platform="tpu")
    abstract = jax.sharding.AbstractMesh((8,), ("x",), (AxisType.Explicit,), abstract_device=device)
    f = jax.jit(lambda x: lax.platform_dependent(x, tpu=lambda v: v - 7, cpu=lambda v: v + 3))
    with jax.sharding.use_abstract_mesh(abstract):
        text = f.lower(jax.ShapeDtypeStruct((16, 8), np.float32)).as_text()
    own = jax.sharding.AbstractDevice(device_kind="any", num_cores=None, platform=jax.default_backend())
    with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((8,), ("x",), (AxisType.Explicit,), abstract_device=own)):
        other = f.lower(jax.ShapeDtypeStruct((16, 8), np.float32)).as_text()
    return str("7.0" in text), str("3.0" in text), str("3.0" in other), plain(own), said(lambda: f.lower(X).compile())


@since(J12, "0.12")
def forbidden_collectives():
    with jax.set_mesh(mesh(AxisType.Explicit)):
        x = jax.device_put(X, P("x", "y"))
        gather, total = jax.jit(lambda v: jax.sharding.reshard(v, P("x", None))), jax.jit(lambda v: v.sum(0))
        found = [gather(x), total(x)]
        with jax.sharding.no_collectives({"y"}):
            found += [said(gather, x + 1), said(total, x), said(jax.jit(lambda v: v * 2), x)]
        with jax.sharding.no_collectives({"x", "y"}):
            found += [said(jax.jit(lambda v: v.sum(0) + 1), x), said(jax.jit(lambda v: jax.sharding.reshard(v, P("x", "y"))), x)]
        return found, gather(x)


@since(J11, "0.11")
def largest_of_sharded_dimensions():
    with jax.set_mesh(mesh(AxisType.Explicit)):
        x = jax.device_put(X, P("x", "y"))
        high = jax.jit(lambda v: lax.reduce_max(v, (0,), out_sharding=P("y")))
        parts = jax.jit(lambda v: lax.reduce_min(v, (0,), out_sharding=P("y", unreduced={"x"}, unreduced_kind=jax.sharding.UnreducedKind.min)))
        whole = jax.jit(lambda v: jax.sharding.reshard(parts(v), P(None)))
        return high(x), plain(high(x).sharding), plain(jax.typeof(parts(x))), whole(x), said(np.asarray, parts(x)), said(lambda: parts(x) + 1)


@since(J11, "0.11")
def collectives_by_mesh_axes():
    """Groups are mesh axes in the program; with jax_use_rgv3 off they are lists."""

    def f(v):
        return lax.psum(v, "x"), lax.all_gather(v, ("y", "x"), tiled=True), lax.psum_scatter(v, "x", tiled=True), lax.all_to_all(v, "y", 0, 1, tiled=True), lax.pmax(v, ("x", "y"))

    specs = (P(None, "y"), P(), P("x", "y"), P(("x", "y")), P())
    found = []
    for flag in (True, False):
        with jax._src.config.use_rgv3(flag) if hasattr(jax._src.config, "use_rgv3") else jax.no_tracing(False):
            jitted = jax.jit(jax.shard_map(f, mesh=mesh(), in_specs=P("x", "y"), out_specs=specs, check_vma=False))
            text = jitted.lower(X[:, :8]).as_text()
            found += [jitted(X), str(text.count("replica_group_mesh_axes")), str("replica_group_mesh_axes" in jitted.lower(X).compile().as_text())]
            jax.clear_caches()
    return found


@since(J12, "0.12")
def started_scatters():
    if not hasattr(lax, "psum_scatter_start"):
        return "gone"
    f = jax.shard_map(lambda v: lax.psum_scatter_start(v, "x"), mesh=mesh(), in_specs=P("x"), out_specs=P("x"), check_vma=False)
    return said(jax.jit(f), X)


@since(J11, "0.11")
def partly_manual_sums():
    with jax.set_mesh(mesh(AxisType.Explicit)):
        x = jax.device_put(X, P("x", "y"))
        local = lambda v: v.sum(0, keepdims=True)
        f = jax.shard_map(local, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
        return jax.jit(f)(x), plain(jax.jit(f)(x).sharding)


# --- interchange and profiles ------------------------------------------------------------------------


@since(J12, "0.12")
def versioned_capsules():
    x = jnp.arange(6.0)
    names = [repr(x.__dlpack__(**options)).split('"')[1] for options in ({}, {"max_version": (0, 8)}, {"max_version": (1, 0)}, {"max_version": (1, 1)})]
    copied = np.from_dlpack(x, copy=True)
    return names, copied, str(copied.flags.writeable), x, np.from_dlpack(x, copy=False), str(np.from_dlpack(x).flags.writeable), said(np.from_dlpack, jnp.zeros(3, "bfloat16")).split(":")[0]


@since(J12, "0.12")
def profiles():
    with jax.profiler.trace() as session:
        jax.jit(lambda x: x * 2)(X).block_until_ready()
    with tempfile.TemporaryDirectory() as folder:
        jax.profiler.start_trace(folder)
        jax.jit(lambda x: x * 3)(X).block_until_ready()
        data = jax.profiler.stop_trace()
    return type(session).__name__, type(data).__name__, str(data is None or len(list(data.planes)) > 0)


@since(J11, "0.11")
def bounds_of_symbolic_dimensions():
    if not hasattr(jax.export, "symbolic_dim_bounds"):
        return "not there"
    scope = jax.export.SymbolicScope(["n >= 4", "n <= 16"])
    n, = jax.export.symbolic_shape("n", scope=scope)
    return said(jax.export.symbolic_dim_bounds, n), str(jax.export.symbolic_dim_bounds(n))


if __name__ == "__main__":
    main(__doc__)
