#===- array_layouts.py - arrays in other layouts than row-major -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Arrays that are put in a layout have it, and the right elements wherever they are read: by the host, by
DLPack, by other devices and by the next program."""

import copy
import itertools
import pickle

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax.experimental.layout import Format, Layout
from jax.sharding import NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P
from layout_helpers import CUBE, A, mesh, named, said, text


@case
def moved_between_formats():
    x = jax.device_put(A, named("x"))
    found = [x]
    for layout in (1, 0), (0, 1):
        for sharding in (named("y"), named("x", "y"), named(), NamedSharding(mesh(), P("y", "x"))):
            found.append(jax.device_put(found[-1], Format(Layout(layout), sharding)))
    return found, text(*found)


@case
def made_from_parts():
    columns = Format(Layout((1, 0)), named("x", "y"))
    x = jax.make_array_from_callback(A.shape, columns, lambda index: A[index])
    return x, text(x)


@case
def default_formats():
    arrays = [jnp.zeros(shape, dtype) for shape in ((), (3,), (0, 4), (2, 3, 4), (1, 2, 1, 3, 2)) for dtype in ("float32", "bool", "int8", "bfloat16")]
    made = jax.jit(lambda v: (v, v.T, v.sum()))(jax.device_put(A, named("x", "y")))
    return text(arrays, made, jax.device_put(A, named("y")), jax.random.key_data(jax.random.key(1)))


@case
def every_order_of_dimensions():
    """Each order of four dimensions, put by the host and made by a program."""
    x = np.arange(4 * 2 * 3 * 5, dtype=np.int32).reshape(4, 2, 3, 5)
    found = []
    for order in itertools.permutations(range(4)):
        where = Format(Layout(order), named("x", "y"))
        put, made = jax.device_put(x, where), jax.jit(lambda: jnp.arange(120).reshape(4, 2, 3, 5), out_shardings=where)()
        found.append([put, made, put[1:, :, ::2], text(put, made)])
    return found


@case
def degenerate_shapes():
    found = []
    for shape, order in (((), ()), ((5,), (0,)), ((0, 3), (1, 0)), ((3, 0, 2), (2, 0, 1)), ((1, 1, 7), (2, 1, 0)), ((1, 8), (1, 0))):
        where = Format(Layout(order), SingleDeviceSharding(jax.devices()[2]))
        x = jax.device_put(np.ones(shape, np.float32), where)
        y = jax.jit(lambda v: v * 2, in_shardings=where, out_shardings=where)(x)
        found.append([x, y, text(x, y)])
    return found


@case
def layout_objects():
    a, b = Layout((1, 0)), Layout(major_to_minor=[1, 0], tiling=())
    s = named("x")
    return [
        str(a), str(b), str(a == b), str(hash(a) == hash(Layout((1, 0)))), str(Format(a, s) == Format(Layout((1, 0)), s)), str(Layout.AUTO),
        str(Format(None, s).layout), str(Format().sharding), said(Format, "row-major", s), said(Format, None, "x"), said(Format, a, P("x")),
        said(Format, Layout.AUTO, P("x")), str({Format(a, s): 1}[Format(Layout((1, 0)), s)]), said(lambda: jax.device_put(A, named("x")).format.nothing),
    ]  # fmt: skip


@case
def read_by_the_host():
    x = jax.device_put(CUBE, Format(Layout((2, 0, 1)), named("x", "y")))
    one = jax.device_put(CUBE, Format(Layout((1, 2, 0)), SingleDeviceSharding(jax.devices()[3])))
    x.copy_to_host_async()
    parts = [np.asarray(s.data) for s in sorted(x.addressable_shards, key=lambda s: s.device.id)]
    loaded, copied = pickle.loads(pickle.dumps(x)), copy.deepcopy(one)
    return [
        x, parts, one, np.array(one, order="F"), one.tolist()[0], jax.device_get({"x": x})["x"], one.addressable_data(0), str(text(*[s.data for s in x.addressable_shards])),
        loaded, copied, text(loaded, copied), next(iter(one)), str(x[1, 2, 3].item()), str(len(one)), np.from_dlpack(one), jnp.from_dlpack(one), memoryview(np.asarray(one)).tobytes().hex()[:40],
    ]  # fmt: skip


@case
def through_dlpack():
    found = []
    for dtype in (np.int8, np.float16, np.float64, np.complex64):
        one = jax.device_put((CUBE % 50).astype(dtype), Format(Layout((1, 0, 2)), SingleDeviceSharding(jax.devices()[0])))
        back = jax.dlpack.from_dlpack(one)
        found += [np.from_dlpack(one), back, jnp.asarray(np.from_dlpack(one)) + 1, np.asarray(one) * 2]
    columns = np.asfortranarray(A)
    return found, jnp.from_dlpack(columns), jax.device_put(columns, Format(Layout((1, 0)), named("x")))


@case
def of_host_arrays_with_strides():
    """Host arrays in any order, put in any layout."""
    found = []
    for host in (np.asfortranarray(CUBE), CUBE[::-1, ::2], CUBE.transpose(2, 0, 1)[::2], np.broadcast_to(np.float32(3), (4, 8, 4))):
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
            x = jax.device_put(host, Format(Layout(order), named(None, "x")))
            found.append([x, text(x)])
    return found


@case
def put_in_other_places():
    columns = Format(Layout((1, 0)), SingleDeviceSharding(jax.devices()[0]))
    x = jax.device_put(A, columns)
    there = [jax.device_put(x, d) for d in (jax.devices()[0], jax.devices()[1])]
    there += [jax.device_put(x, SingleDeviceSharding(jax.devices()[2])), jax.device_put(x, named("x", "y")), jax.device_put(x, columns)]
    there.append(jax.device_put(x))
    submesh = jax.sharding.Mesh(np.array(jax.devices()[2:6]).reshape(2, 2), ("a", "b"))
    there += jax.device_put([A, A], [Format(Layout((0, 1)), named("y")), Format(Layout((1, 0)), NamedSharding(submesh, P("b", "a")))])
    there.append(jax.device_put(there[-1], named("x")))
    other = Format(Layout((1, 0)), SingleDeviceSharding(jax.devices()[5]))
    return there, text(*there), said(jax.device_put, x, other)


@case
def put_with_options():
    columns, rows = Format(Layout((1, 0)), named("x", "y")), Format(Layout((0, 1)), named("x", "y"))
    x = jax.device_put(A, columns)
    given = jax.device_put(x, rows, donate=True)
    kept = jax.device_put(given, rows, may_alias=True)
    inside = jax.jit(lambda v: jax.device_put(v * 2, columns))
    return [given, kept, inside(kept), text(given, kept), str(given is kept), said(jax.device_put, A, columns, may_alias=True, donate=True)]


@case
def assembled():
    columns = Format(Layout((1, 0)), named("x", "y"))
    parts = [s.data for s in jax.device_put(A, columns).addressable_shards]
    joined = jax.make_array_from_single_device_arrays(A.shape, named("x", "y"), parts)
    local = jax.make_array_from_process_local_data(named("x", "y"), A)
    mixed = [jax.device_put(p, Format(Layout((0, 1)), p.sharding)) if i == 3 else p for i, p in enumerate(parts)]
    return joined, text(joined), local, said(jax.make_array_from_single_device_arrays, A.shape, named("x", "y"), mixed), said(jax.make_array_from_callback, A.shape, Format(Layout.AUTO, named("x")), lambda i: A[i])


@case
def eager_operations():
    x = jax.device_put(CUBE, Format(Layout((2, 0, 1)), named("x", "y")))
    found = [x + 1, x[0], x.T, x.sum(1), x.at[1].set(0), x.reshape(-1), jnp.concatenate([x, x], 1), x.astype("int8"), jnp.sort(x, 0), x @ x.swapaxes(1, 2), -x, jnp.where(x > 5, x, 0), x == x]
    return found, text(*found)


@case
def typed_arrays():
    """Arrays of random keys have no layout of their own."""
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), named("x"))
    found = jax.jit(lambda k: jax.vmap(jax.random.normal)(k), out_shardings=Format(Layout((0,)), named("x")))(keys)
    return found, text(found), said(lambda: jax.device_put(keys, Format(Layout((0,)), named("x"))))


if __name__ == "__main__":
    main(__doc__)
