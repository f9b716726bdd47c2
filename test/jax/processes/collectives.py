#===- collectives.py - collectives between processes ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Each collective of jax.lax in several element types, over all devices, over one axis of two, and in groups."""

import functools

import jax
import jax.numpy as jnp
import ml_dtypes
from helpers import devices, mesh, numbers, put, replicated
from job import case, main
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

TYPES = {
    "i8": "int8", "i32": "int32", "u16": "uint16", "f32": "float32", "f16": "float16",
    "bf16": ml_dtypes.bfloat16, "pred": "bool", "c64": "complex64", "f8": ml_dtypes.float8_e4m3fn, "i4": ml_dtypes.int4,
}  # fmt: skip
LAYOUTS = [(2, 2), (4, 1)]


def values(n, name):
    """Returns n rows of small numbers of the type."""
    if name == "c64":
        return (numbers((n, 4)) + 1j * numbers((n, 4), seed=1)).astype(TYPES[name])
    if name == "pred":
        return numbers((n, 4), "bool")
    if name in ("i4", "f8"):
        return (numbers((n, 4), "int32") % 3).astype(TYPES[name])
    return numbers((n, 4), "float32" if name[0] in "fb" else "int32").astype(TYPES[name])


def mapped(function, x, out=P("x"), **options):
    m = mesh()
    f = jax.shard_map(function, mesh=m, in_specs=P("x"), out_specs=out, check_vma=False, **options)
    return replicated(jax.jit(f)(put(x, NamedSharding(m, P("x")))))


def _sums(name):
    lax = jax.lax
    x = values(2 * len(devices()), name)
    found = {}
    if name not in ("pred", "f8", "i4"):
        found["psum"] = mapped(lambda x: lax.psum(x, "x"), x)
    if name not in ("pred", "c64", "f8", "i4"):
        found["pmax"] = mapped(lambda x: lax.pmax(x, "x"), x)
        found["pmin"] = mapped(lambda x: lax.pmin(x, "x"), x)
    if name[0] == "f" and name != "f8" or name == "bf16":
        found["pmean"] = mapped(lambda x: lax.pmean(x, "x"), x)
    if name not in ("pred", "f8", "i4"):
        y = values(len(devices()) ** 2, name)
        found["psum_scatter"] = mapped(lambda x: lax.psum_scatter(x, "x", tiled=True), y)
    return found


def _movement(name):
    lax, n = jax.lax, len(devices())
    x = values(n * n, name)
    return {
        "all_gather": mapped(lambda x: lax.all_gather(x, "x"), x[: 2 * n]),
        "all_gather_tiled": mapped(lambda x: lax.all_gather(x, "x", axis=1, tiled=True), x[: 2 * n]),
        "all_to_all": mapped(lambda x: lax.all_to_all(x, "x", 0, 0, tiled=True), x),
        "ppermute": mapped(lambda x: lax.ppermute(x, "x", [(i, (i + 1) % n) for i in range(n)]), x),
        "some_pairs": mapped(lambda x: lax.ppermute(x, "x", [(0, n - 1), (n - 1, 1)]), x),
        "pshuffle": mapped(lambda x: lax.pshuffle(x, "x", list(reversed(range(n)))), x),
    }


for _name in TYPES:
    for _kind in (_sums, _movement):
        if _kind is _sums and _name in ("pred", "f8", "i4"):
            continue

        def _case(kind=_kind, name=_name):
            return kind(name)

        _case.__name__ = f"{_kind.__name__[1:]}_{_name}"
        # XLA's CPU adds bf16 and f16 in their own type, in another order.
        case(_case, rtol=0.05 if _name in ("f16", "bf16") else 1e-5, cpu=_name != "i4")


def groups_of(n):
    """Groups of devices that lie in one process, and that cross processes."""
    found = [[list(range(n))]]
    if n == 4:
        found += [[[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0, 3], [2, 1]]]
    return found


@case
def in_groups():
    n = len(devices())
    x = numbers((n * 4, 3))
    return [
        {
            "psum": mapped(lambda x: jax.lax.psum(x, "x", axis_index_groups=g), x),
            "all_gather": mapped(lambda x: jax.lax.all_gather(x, "x", axis_index_groups=g), x),
            "all_to_all": mapped(lambda x: jax.lax.all_to_all(x, "x", 0, 0, axis_index_groups=g, tiled=True), x),
            "psum_scatter": mapped(lambda x: jax.lax.psum_scatter(x, "x", axis_index_groups=g, tiled=True), x),
        }
        for g in groups_of(n)
    ]


@case(layouts=[(2, 2), (2, 4), (4, 2)])
def over_each_axis():
    m = mesh((2, -1), ("x", "y"))
    x = put(numbers((8, 8)), NamedSharding(m, P("x", "y")))
    found = {}
    for axes in ("x", "y", ("x", "y"), ("y", "x")):

        @jax.jit
        @functools.partial(jax.shard_map, mesh=m, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False)
        def f(x):
            return jax.lax.psum(x, axes) + jax.lax.axis_index(axes)

        found[str(axes)] = replicated(f(x))
    return found


@case(layouts=[*LAYOUTS, (2, (1, 3)), (3, (2, 1, 2))], rtol=0.02, atol=100)
def long_sums():
    """The order of additions is the same however devices are spread."""
    n = len(devices())
    x = put(numbers((n, 3001)) * 1e3, NamedSharding(mesh(), P("x")))
    f = jax.jit(lambda x: (jnp.sum(x, 0), jnp.sum(x.astype(jnp.bfloat16), 0), jnp.prod(x, 0)), out_shardings=NamedSharding(mesh(), P()))
    return f(x)


@case(layouts=[(2, 2)])
def large_arrays():
    """Messages of some megabytes."""
    n = len(devices())
    x = put(numbers((n, 1 << 18)), NamedSharding(mesh(), P("x")))
    y = jax.jit(lambda x: (jnp.sum(x, 0)[::4097], jnp.flip(x, 0)))(x)
    return replicated(y[0]), replicated(jax.jit(lambda y: jnp.sum(y * jnp.arange(n)[:, None], 1))(y[1]))


@case
def of_no_elements():
    n = len(devices())
    x = numbers((n, 0))
    return mapped(lambda x: jax.lax.psum(x, "x"), x), mapped(lambda x: jax.lax.all_gather(x, "x"), x)


@case
def several_operands():
    n = len(devices())
    return mapped(lambda x: sum(jax.lax.psum((x, 2 * x, x[:1]), "x")[:2]), numbers((2 * n, 3)))


@case
def in_a_loop():
    n = len(devices())

    def f(x):
        return jax.lax.fori_loop(0, 7, lambda i, x: jax.lax.ppermute(x, "x", [(k, (k + 1) % n) for k in range(n)]) + jax.lax.pmean(x, "x"), x)

    return mapped(f, numbers((n, 5)))


@case
def in_a_branch_of_some_devices():
    """Devices diverge: only the first two take the branch with a collective of their group."""
    n = len(devices())
    groups = [[0, 1], list(range(2, n))] if n > 3 else [[i] for i in range(n)]

    def f(x):
        inside = lambda x: jax.lax.psum(x, "x", axis_index_groups=groups) if all(len(g) == len(groups[0]) for g in groups) else x
        return jax.lax.cond(jax.lax.axis_index("x") < 2, inside, lambda x: -x, x)

    return mapped(f, numbers((n, 5)))


@case(cpu=False)
def ragged_all_to_all():
    """XLA's CPU does not implement it."""
    n = len(devices())

    def f(x):
        i = jax.lax.axis_index("x")
        sizes = jnp.full((n,), 1, jnp.int32)
        return jax.lax.ragged_all_to_all(
            x, jnp.zeros((n, 3)), jnp.arange(n, dtype=jnp.int32), sizes, jnp.full((n,), i, jnp.int32), sizes, axis_name="x"
        )

    return mapped(f, numbers((n * n, 3)))


main(__doc__, LAYOUTS)
