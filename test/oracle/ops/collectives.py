#===- collectives.py - collectives on two to eight devices -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Each device holds one row of the argument. The references are numpy's, one row per device."""

import numpy as np

from ops.case import (ALL, COMPLEX, FLOAT, INT, PRED, dtype, is_complex, is_float, is_int, op, scalar_region,
                      tensor)  # fmt: skip

CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"


class Devices:
    """n devices as partitions, in groups."""

    def __init__(self, c, equal=True):
        r = c.rng
        self.n = r.choice((2, 4, 8))
        order = list(range(self.n))
        r.shuffle(order)
        size = r.choice([s for s in (1, 2, 4, 8) if s <= self.n])
        self.groups = [order[i : i + size] for i in range(0, self.n, size)]
        if not equal and r.random() < 0.4 and self.n > 2:
            cut = r.randint(1, self.n - 1)
            self.groups = [order[:cut], order[cut:]]

    def text(self):
        width = max(map(len, self.groups))
        rows = ["[" + ", ".join(map(str, g + [-1] * (width - len(g)))) + "]" for g in self.groups]
        return f"replica_groups = dense<[{', '.join(rows)}]> : tensor<{len(rows)}x{width}xi64>"


def on_devices(c, devices, e, shape, result, body, reference, **options):
    """body(x: name of the local value) returns (lines, name of the result)."""
    n = devices.n
    c.functions = [f'sdy.mesh @mesh = <["x"={n}]>']
    x = c.arg([n, *shape], e)
    sharding = lambda rank: f'<@mesh, [{", ".join(["{" + chr(34) + "x" + chr(34) + "}"] + ["{}"] * rank)}]>'
    local, row = tensor([1, *shape], e), tensor(shape, e)
    out, out_row = tensor([1, *result], e), tensor(result, e)
    lines, name = body("%x")
    body_text = "\n    ".join([f"%x = stablehlo.reshape %l : ({local}) -> {row}", *lines,
                               f"%o = stablehlo.reshape {name} : ({out_row}) -> {out}"])  # fmt: skip
    value = c.op(f"""sdy.manual_computation({x}) in_shardings=[{sharding(len(shape))}] out_shardings=[{sharding(len(result))}] manual_axes={{"x"}} (%l: {local}) {{
    {body_text}
    sdy.return %o : {out}
  }} : ({x.type}) -> {tensor([n, *result], e)}""", [n, *result], e)
    rows = reference(list(c.data[0]))
    c.result(value, np.stack(rows).astype(dtype(e)), **options)


def combine(name, rows, e):
    wide = [r.astype(np.complex128 if is_complex(e) else np.float64 if is_float(e) else r.dtype) for r in rows]
    if is_int(e) and np.dtype(dtype(e)).itemsize == 1:
        wide = [r.astype(np.int64) for r in wide]
    function = {"add": np.add, "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply,
                "or": np.bitwise_or, "and": np.bitwise_and}[name]  # fmt: skip
    total = wide[0]
    with np.errstate(all="ignore"):
        for r in wide[1:]:
            total = function(total, r)
    return total


def bounds(c, name, e):
    if is_int(e) or e == "i1" or name not in ("add", "multiply"):
        return {}
    return {"scale": np.float64(8.0), "ulps": 8 if e in ("f32", "f64") or is_complex(e) else 4}


def reducer(c, e):
    if e == "i1":
        return c.rng.choice(("or", "and"))
    if is_complex(e):
        return "add"
    return c.rng.choice(("add", "add", "maximum", "minimum") + (("or", "and") if is_int(e) and e not in ("i2", "i4", "ui2", "ui4") else ()))


def small(c, rank=None):
    return list(c.shape(c.rng.choice((0, 1, 1, 2, 3)) if rank is None else rank, largest=8))


@op("stablehlo.all_reduce", PRED + INT + FLOAT + COMPLEX)
def all_reduce(c, e):
    devices, name, shape, t = Devices(c, equal=False), reducer(c, e), small(c), None
    t = tensor(shape, e)

    def reference(rows):
        out = [None] * devices.n
        for g in devices.groups:
            for d in g:
                out[d] = combine(name, [rows[m] for m in g], e)
        return out

    on_devices(c, devices, e, shape, shape, lambda x: ([
        f'%r = "stablehlo.all_reduce"({x}) <{{{CHANNEL}, {devices.text()}, use_global_device_ids}}> ('
        f"{scalar_region(name, e)}) : ({t}) -> {t}"], "%r"), reference, **bounds(c, name, e))  # fmt: skip


@op("stablehlo.all_gather", ALL)
def all_gather(c, e):
    devices, shape = Devices(c), small(c, c.rng.choice((1, 2, 3)))
    d = c.rng.randrange(len(shape))
    shape[d] = max(shape[d], 1)  # an empty one is refused
    result = list(shape)
    result[d] *= len(devices.groups[0])

    def reference(rows):
        out = [None] * devices.n
        for g in devices.groups:
            for m in g:
                out[m] = np.concatenate([rows[k] for k in g], axis=d)
        return out

    on_devices(c, devices, e, shape, result, lambda x: ([
        f'%r = "stablehlo.all_gather"({x}) <{{all_gather_dim = {d} : i64, {CHANNEL}, {devices.text()}, use_global_device_ids}}> : '
        f"({tensor(shape, e)}) -> {tensor(result, e)}"], "%r"), reference)  # fmt: skip


@op("stablehlo.reduce_scatter", INT + FLOAT + COMPLEX)
def reduce_scatter(c, e):
    devices, name, result = Devices(c), reducer(c, e), small(c, c.rng.choice((1, 2, 3)))
    d, size = c.rng.randrange(len(result)), len(devices.groups[0])
    result[d] = max(result[d], 1)  # an empty one is refused
    shape = list(result)
    shape[d] *= size

    def reference(rows):
        out = [None] * devices.n
        for g in devices.groups:
            parts = np.split(combine(name, [rows[m] for m in g], e), size, axis=d)
            for m, part in zip(g, parts):
                out[m] = part
        return out

    on_devices(c, devices, e, shape, result, lambda x: ([
        f'%r = "stablehlo.reduce_scatter"({x}) <{{{CHANNEL}, {devices.text()}, scatter_dimension = {d} : i64, use_global_device_ids}}> ('
        f"{scalar_region(name, e)}) : ({tensor(shape, e)}) -> {tensor(result, e)}"], "%r"), reference, **bounds(c, name, e))  # fmt: skip


@op("stablehlo.all_to_all", ALL)
def all_to_all(c, e):
    devices, shape = Devices(c), small(c, c.rng.choice((1, 2, 3)))
    split, concat, size = c.rng.randrange(len(shape)), c.rng.randrange(len(shape)), len(devices.groups[0])
    shape[split] *= size
    result = list(shape)
    result[split] //= size
    result[concat] *= size

    def reference(rows):
        out = [None] * devices.n
        for g in devices.groups:
            parts = {m: np.split(rows[m], size, axis=split) for m in g}
            for k, m in enumerate(g):
                out[m] = np.concatenate([parts[other][k] for other in g], axis=concat)
        return out

    on_devices(c, devices, e, shape, result, lambda x: ([
        f'%r = "stablehlo.all_to_all"({x}) <{{{CHANNEL}, concat_dimension = {concat} : i64, {devices.text()}, '
        f"split_count = {size} : i64, split_dimension = {split} : i64}}> : ({tensor(shape, e)}) -> {tensor(result, e)}"], "%r"),
        reference)  # fmt: skip


@op("stablehlo.collective_permute", ALL)
def collective_permute(c, e):
    devices, shape = Devices(c), small(c)
    count = c.rng.randint(1, devices.n)
    pairs = list(zip(c.rng.sample(range(devices.n), count), c.rng.sample(range(devices.n), count)))

    def reference(rows):
        out = [np.zeros_like(r) for r in rows]
        for source, target in pairs:
            out[target] = rows[source]
        return out

    text = ", ".join(f"[{a}, {b}]" for a, b in pairs)
    on_devices(c, devices, e, shape, shape, lambda x: ([
        f'%r = "stablehlo.collective_permute"({x}) <{{{CHANNEL}, source_target_pairs = dense<[{text}]> : tensor<{count}x2xi64>}}> : '
        f"({tensor(shape, e)}) -> {tensor(shape, e)}"], "%r"), reference)  # fmt: skip


@op("stablehlo.collective_broadcast", ALL)
def collective_broadcast(c, e):
    devices, shape = Devices(c), small(c)

    def reference(rows):
        out = [np.zeros_like(r) for r in rows]
        for g in devices.groups:
            for m in g:
                out[m] = rows[g[0]]
        return out

    on_devices(c, devices, e, shape, shape, lambda x: ([
        f'%r = "stablehlo.collective_broadcast"({x}) <{{{CHANNEL}, {devices.text()}}}> : '
        f"({tensor(shape, e)}) -> {tensor(shape, e)}"], "%r"), reference)  # fmt: skip


@op("stablehlo.partition_id", ["ui32"])
def partition_id(c, e):
    devices = Devices(c)
    on_devices(c, devices, e, [], [], lambda x: ([
        "%p = stablehlo.partition_id : tensor<ui32>", "%q = stablehlo.replica_id : tensor<ui32>",
        f"%s = stablehlo.add %p, %q : tensor<ui32>", f"%r = stablehlo.add %s, {x} : tensor<ui32>"], "%r"),
        lambda rows: [(r + np.uint32(d)).astype(np.uint32) for d, r in enumerate(rows)])  # fmt: skip
