#===- frontend_jit_errors.py - mistakes in options of jit and stages ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls of JAX with a mistake each, for frontend_errors.py: options of jit, calls of compiled programs, settings, meshes
and orders of devices. test/oracle/frontend_jit_mistakes.cc makes the same calls in C++."""

# Feature: call-checks, device-mismatch
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import mesh_utils
from jax.experimental.layout import Format, Layout
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding

D = jax.devices()
AUTO = Mesh(np.array(D).reshape(4, 2), ("x", "y"))
TYPED = Mesh(np.array(D).reshape(4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
X = np.ones((8, 4), np.float32)


def on(spec):
    return NamedSharding(AUTO, spec)


def f(x):
    return x + 1.0


def g(a, b):
    return a + b, a * b


F = NamedSharding(AUTO, P("x"))
ALL, LONG = on(P()), on(P(None, None, "x"))
HOST = NamedSharding(AUTO, P("x"), memory_kind="pinned_host")


def placed(spec=P("x")):
    return jax.device_put(X, on(spec))


def ordered(order):
    return Format(Layout(order), F)


def tree(a, b):
    return [a[0] + b["q"], a[1]], b["q"]


def in_tree(*ins):
    return jax.jit(tree, in_shardings=ins if len(ins) > 1 else ins[0])([X, X], {"q": X})


def out_tree(*outs):
    return jax.jit(tree, out_shardings=outs)([X, X], {"q": X})


def out_dict(outs):
    return jax.jit(lambda x: {"p": x, "r": x}, out_shardings=outs)(X)


def donated(*numbers):
    a = jax.device_put(X, D[0])
    return jax.jit(g, donate_argnums=numbers)(a, a)


OPTIONS = {
    "memory kind of an argument": lambda: jax.jit(f, in_shardings=HOST)(placed()),
    "layout of an argument": lambda: jax.jit(f, in_shardings=ordered((1, 0)))(placed()),
    "automatic layout of an argument": lambda: jax.jit(f, in_shardings=Format(Layout.AUTO, F))(placed()),
    "in layout rank": lambda: jax.jit(f, in_shardings=ordered((0,)))(X),
    "out layout rank": lambda: jax.jit(f, out_shardings=ordered((0,)))(X),
    "layout without a format": lambda: jax.jit(f, in_shardings=Layout((0, 1)))(X),
    "out layout without a format": lambda: jax.jit(f, out_shardings=Layout((0, 1)))(X),
    "format without a sharding": lambda: Format(Layout((0, 1))),
    "put layout rank": lambda: jax.device_put(X, ordered((0,))),
    "put automatic layout": lambda: jax.device_put(X, Format(Layout.AUTO, F)),
    "put donated and aliased": lambda: jax.device_put(X, F, donate=True, may_alias=True),
    "put rank inside": lambda: jax.jit(lambda x: jax.device_put(x, LONG))(X),
    "put spec inside": lambda: jax.jit(lambda x: jax.device_put(x, P("x")))(X),
    "in list length": lambda: in_tree([ALL] * 3, ALL),
    "in dict key": lambda: in_tree(ALL, {"z": ALL}),
    "in dict key far": lambda: in_tree(ALL, {"hello": ALL}),
    "in dict keys": lambda: jax.jit(lambda d: d, in_shardings=({"alpha": ALL, "beta": ALL},))({"alphb": X, "beta": X}),
    "in type": lambda: in_tree(ALL, [ALL]),
    "in tuple for a list": lambda: in_tree((ALL, ALL), ALL),
    "in list for a leaf": lambda: jax.jit(lambda x, y: x, in_shardings=([ALL], ALL))(X, X),
    "in two mistakes": lambda: in_tree([ALL] * 3, {"z": ALL}),
    "in dict for arguments": lambda: in_tree({"a": ALL}),
    "in rank of a dict": lambda: in_tree(ALL, LONG),
    "in rank of a list": lambda: in_tree(LONG, ALL),
    "out rank of a list": lambda: out_tree(LONG, ALL),
    "out list length": lambda: out_tree([ALL] * 3, ALL),
    "out dict key": lambda: out_dict({"p": ALL, "s": ALL}),
    "out dict missing": lambda: out_dict({"p": ALL}),
    "out type": lambda: out_dict([ALL, ALL]),
    "out list for a leaf": lambda: jax.jit(f, out_shardings=[ALL])(X),
    "out tuple for a list": lambda: jax.jit(lambda x: [x, x], out_shardings=(ALL, ALL))(X),
    "static and donated": lambda: jax.jit(lambda x, n: x, static_argnums=1, donate_argnums=1)(X, 1),
    "donated name": lambda: jax.jit(f, donate_argnames="z")(X),
    "donated number below": lambda: jax.jit(f, donate_argnums=-3)(X),
    "donated twice": lambda: donated(0, 1),
    "donated and used": lambda: donated(0),
    "nested rank": lambda: jax.jit(lambda x: jax.jit(f, in_shardings=LONG)(x))(X),
    "batched layout": lambda: jax.vmap(jax.jit(f, in_shardings=ordered((0,))))(X),
    "memories of operands": lambda: jax.device_put(X, HOST) + placed(),
    "memories of operands inside": lambda: jax.jit(lambda a, b: a * b)(jax.device_put(X, HOST), placed()),
}


def compiled_tree(*args):
    return jax.jit(tree).lower([X, X], {"q": X}).compile()(*args)


def compiled_seven(first, *others):
    return jax.jit(lambda a, b, c, d, e, f, g: a + b + c + d + e + f + g).lower(*[first] * 7).compile()(*others)


def compiled_layout(x):
    return jax.jit(f, in_shardings=ordered((1, 0))).lower(X).compile()(x)


SHORT = np.ones((4, 4), np.float32)
STAGES = {
    "compiled with two arguments": lambda: jax.jit(f).lower(X).compile()(X, X),
    "compiled without arguments": lambda: jax.jit(f).lower(X).compile()(),
    "compiled list length": lambda: compiled_tree([X], {"q": X}),
    "compiled dict key": lambda: compiled_tree([X, X], {"z": X}),
    "compiled dict keys": lambda: compiled_tree([X, X], {"q": X, "z": X}),
    "compiled list for a dict": lambda: compiled_tree([X, X], [X]),
    "compiled list for a leaf": lambda: jax.jit(f).lower(X).compile()([X]),
    "compiled leaf for a list": lambda: compiled_tree(X, {"q": X}),
    "compiled two mistakes": lambda: compiled_tree([X], {"z": X}),
    "compiled tuple for a list": lambda: compiled_tree((X, X), {"q": X}),
    "compiled types": lambda: compiled_tree([SHORT, X], {"q": np.ones(3, np.float32)}),
    "compiled seven types": lambda: compiled_seven(X, *[SHORT] * 7),
    "compiled seven shardings": lambda: compiled_seven(placed(), *[placed(P("y"))] * 7),
    "compiled four shardings": lambda: compiled_seven(placed(), *[placed(P("y"))] * 4, *[placed()] * 3),
    "compiled layout": lambda: compiled_layout(placed()),
    "compiled layout and sharding": lambda: compiled_layout(placed(P("y"))),
    "explicit type and one device": lambda: jax.jit(
        lambda x: jax.reshard(x, NamedSharding(TYPED.abstract_mesh, P("x"))))(jax.device_put(X, D[0])),
}


def under(scope, function, *arguments):
    with scope:
        return function(*arguments)


def nans(function):
    return lambda: under(jax.debug_nans(True), function, jnp.asarray(X))


SETTINGS = {
    "no execution": lambda: under(jax.no_execution(), jax.jit(f), X),
    "nan of a logarithm": nans(jax.jit(lambda x: jnp.log(x - 2))),
    "nan outside of jit": nans(lambda x: jnp.log(x - 2)),
    "nan of a nested function": nans(jax.jit(lambda x: jax.jit(jnp.log)(x - 2) + 1)),
    "nan of a quotient": nans(jax.jit(lambda x: (x - 1) / (x - 1))),
    "nan of a loop": nans(jax.jit(lambda x: jax.lax.scan(lambda c, y: (jnp.log(c - 2), c), x, jnp.zeros(2))[0])),
    "infinity of a logarithm": lambda: under(jax.debug_infs(True), jax.jit(lambda x: jnp.log(x - 1)), X),
}


class Chip:
    """A device of a torus that is not there."""
    device_kind, core_on_chip, slice_index, process_index, platform = "TPU v4", 0, 0, 0, "tpu"

    def __init__(self, number, coordinates):
        self.id, self.coords = number, coordinates


def chips(a, b, c):
    return [Chip(x + a * (y + b * z), (x, y, z)) for z in range(c) for y in range(b) for x in range(a)]


def slices(count):
    out = []
    for i in range(8):
        out.append(Chip(i, None))
        out[-1].slice_index, out[-1].platform = i * count // 8, "cpu"
    return out


def nested_abstract():
    with jax.sharding.use_abstract_mesh(AbstractMesh((4,), ("x",))), jax.sharding.use_abstract_mesh(AbstractMesh((8,), ("x",))):
        return 0


ABSTRACT = NamedSharding(AbstractMesh((4, 2), ("x", "y")), P("x"))
MIXED = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Auto))
MESHES = {
    "unknown memory kind": lambda: NamedSharding(AUTO, P("x"), memory_kind="foo"),
    "unknown memory kind of an abstract mesh": lambda: NamedSharding(ABSTRACT.mesh, P("x"), memory_kind="foo"),
    "unknown memory kind of a device": lambda: SingleDeviceSharding(D[0], memory_kind="foo"),
    "unreduced axis not there": lambda: NamedSharding(AUTO, P(unreduced={"z"})),
    "reduced axis not there": lambda: NamedSharding(AUTO, P(reduced={"z"})),
    "reduced of Auto": lambda: NamedSharding(AUTO, P(reduced={"x"})),
    "devices of an abstract mesh": lambda: ABSTRACT.device_set,
    "addressable devices of an abstract mesh": lambda: ABSTRACT.addressable_devices,
    "indices of an abstract mesh": lambda: ABSTRACT.devices_indices_map((8,)),
    "size of the abstract mesh in context": nested_abstract,
    "update of names": lambda: AUTO.update(axis_names=("a",)),
    "update of types": lambda: AUTO.update(axis_types=(AxisType.Auto,)),
    "types of make_mesh": lambda: jax.make_mesh((2,), ("x",), axis_types=(AxisType.Auto,) * 2),
    "rank of make_mesh": lambda: jax.make_mesh((2, 2), ("x",)),
    "constraint on an Explicit axis": lambda: jax.jit(
        lambda x: jax.lax.with_sharding_constraint(x, NamedSharding(MIXED, P("x"))))(X),
    "size of create_device_mesh": lambda: mesh_utils.create_device_mesh((2, 2)),
    "axes of a torus": lambda: mesh_utils.create_device_mesh((2, 2, 2), devices=chips(4, 2, 1)),
    "axes of a large torus": lambda: mesh_utils.create_device_mesh((8, 8), devices=chips(4, 4, 4)),
    "make_mesh of several slices": lambda: jax.make_mesh((8,), ("x",), devices=slices(2)),
    "number of slices": lambda: mesh_utils.create_hybrid_device_mesh((2, 2), (4, 1), devices=slices(2)),
    "size of a slice": lambda: mesh_utils.create_hybrid_device_mesh((2, 1), (2, 1), devices=slices(2)),
}
# Texts of JAX without a counterpart, because a C++ compiler refuses the call: names of axes that are None or no
# strings, types of axes that are no AxisType, sizes of meshes and sets of axes of other types, a spec that is no
# PartitionSpec, `set_mesh` and `use_abstract_mesh` of other objects, devices of an AbstractMesh and `spec[i]` with sets
# (no such functions), shardings that are no shardings, arguments by name, arguments that are no arrays, static
# arguments without a hash, `static_argnums` (the type Static<T> marks them). Others belong to what C++ does not have: several
# processes, hoisted constants, nested `with mesh:`, `auto_pcast` switched off, pmap.

MISTAKES = OPTIONS | STAGES | SETTINGS | MESHES
