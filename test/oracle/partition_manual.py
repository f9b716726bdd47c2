#===- partition_manual.py - manual computations of random programs --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Manual computations, over all or some axes of a mesh, with collectives, and the equivalent ops on
global values; functions and calls."""

import math

import numpy as np

from partition_builder import array, ints, t

CHANNELS = "channel_handle = #stablehlo.channel_handle<handle = {}, type = 1>"


class Body:
    """A manual computation of one operand whose dimension `dim` has `along` as its minor-most axes.
    `lists` has the manual axes of each dimension."""

    def __init__(self, b):
        self.b, r = b, b.rng
        self.mesh = mesh = b.p.mesh
        names = [n for n, _ in mesh.axes]
        self.manual = sorted(r.sample(names, r.randint(1, len(names))), key=names.index)
        self.free = [n for n in names if n not in self.manual]
        self.along = r.sample(self.manual, r.randint(1, min(2, len(self.manual))))
        self.n = math.prod(mesh.size(a) for a in self.along)
        rank = r.randint(1, 3)
        self.dim = r.randrange(rank)
        self.lists = [[] for _ in range(rank)]
        for a in self.manual:
            if a not in self.along and r.random() < 0.6:
                self.lists[r.randrange(rank)].append(a)
        self.lists[self.dim] += self.along
        self.shape = [r.choice([1, 2, 3, 4, 6]) * self.shards(l) for l in self.lists]

    def shards(self, axes):
        return math.prod(self.mesh.size(a) for a in axes)

    def local(self, shape, lists):
        return [n // self.shards(l) for n, l in zip(shape, lists)]

    def spec(self, lists, shape):
        """Returns a sharding, sometimes with free axes after the manual ones."""
        free = [a for a in self.free if self.b.rng.random() < 0.3]
        dims = [list(l) for l in lists]
        for a in free:
            dims[self.b.rng.randrange(len(dims))].append(a)
        return "<@mesh, [" + ", ".join("{" + ", ".join(f'"{a}"' for a in d) + "}" for d in dims) + "]>"

    def groups(self):
        """Returns groups of devices that differ along `along` only, in its order."""
        names = [n for n, _ in self.mesh.axes]
        ids = np.array(self.mesh.ids or range(self.mesh.devices)).reshape([s for _, s in self.mesh.axes])
        at = [names.index(a) for a in self.along]
        rest = [i for i in range(len(names)) if i not in at]
        return ids.transpose(rest + at).reshape(-1, self.n)

    def attributes(self, is_global=True):
        g = self.groups()
        text = f"{CHANNELS.format(self.b.rng.choice([1, 1, 7, self.b.count + 1, 2**63 - 2]))}, replica_groups = dense<{g.tolist()}> : tensor<{g.shape[0]}x{g.shape[1]}xi64>"
        return text + (", use_global_device_ids" if is_global else "")

    def emit(self, x, lines, out_lists, out_shape, plain):
        """Emits the op. lines: the body, from %m to %r. plain: the text of the equivalent global op,
        ending in %OUT."""
        b = self.b
        out = b.new(out_shape, x.element)
        local = t(self.local(x.shape, self.lists), x.element)
        result = t(self.local(out_shape, out_lists), x.element)
        manual = ", ".join(f'"{a}"' for a in self.manual)
        body = "".join(f"      {line}\n" for line in lines)
        text = (
            f"    %{out.name} = sdy.manual_computation(%{x.name}) in_shardings=[{self.spec(self.lists, x.shape)}] "
            f"out_shardings=[{self.spec(out_lists, out_shape)}] manual_axes={{{manual}}} (%m: {local}) {{\n"
            f"{body}      sdy.return %r : {result}\n    }} : ({x.type}) -> {t(out_shape, x.element)}\n"
        )
        b.op([out], [x], text, plain.replace("%OUT", "%" + out.name).replace("%w", f"%w{out.name}_"))
        b.values.append(out)

    def inner(self, name, shape, element):
        """Sometimes adds a constraint along the free axes."""
        if not self.free or self.b.rng.random() < 0.5:
            return []
        axis = self.b.rng.choice(self.free)
        size = self.mesh.size(axis)
        cuts = [k for k in range(2, size) if size % k == 0]
        ref = f'"{axis}":(1){self.b.rng.choice(cuts)}' if cuts and self.b.rng.random() < 0.4 else f'"{axis}"'
        d = self.b.rng.randrange(len(shape))
        dims = ", ".join("{" + (ref if k == d else "") + "}" for k in range(len(shape)))
        T = t(shape, element)
        return [f"%n = sdy.sharding_constraint {name} <@mesh, [{dims}]> : {T}"]

    def blocks(self):
        """Returns the global shape with `dim` as (n, rest)."""
        rest = self.shape[self.dim] // self.shards(self.lists[self.dim])
        outer = self.shards(self.lists[self.dim]) // self.n
        return self.shape[: self.dim] + [outer, self.n, rest] + self.shape[self.dim + 1 :]

    def folded(self):
        """Returns the shape without `n`, and the lists without `along`."""
        shape = list(self.shape)
        shape[self.dim] //= self.n
        lists = [list(l) for l in self.lists]
        lists[self.dim] = lists[self.dim][: -len(self.along)]
        return shape, lists


def operand(b, body):
    fits = [v for v in b.values if v.shape == body.shape and v.element in ("f32", "i32")]
    return b.rng.choice(fits) if fits and b.rng.random() < 0.5 else b.arg(body.shape)


def start(body, x):
    """Returns the first lines of the body, and the name of the value to continue with."""
    local = body.local(x.shape, body.lists)
    lines = body.inner("%m", local, x.element)
    return lines, "%n" if lines else "%m", local


def plain_copy(x):
    return f"    %OUT = stablehlo.reshape %{x.name} : ({x.type}) -> {x.type}\n"


def double(b):
    """Without communication."""
    body = Body(b)
    x = operand(b, body)
    lines, m, local = start(body, x)
    T = t(local, x.element)
    body.emit(x, lines + [f"%r = stablehlo.add {m}, {m} : {T}"], body.lists, x.shape,
              f"    %OUT = stablehlo.add %{x.name}, %{x.name} : {x.type}\n")  # fmt: skip


def gather(b):
    body = Body(b)
    x = operand(b, body)
    lines, m, local = start(body, x)
    out = list(local)
    out[body.dim] *= body.n
    _, lists = body.folded()
    body.emit(x, lines + [f'%r = "stablehlo.all_gather"({m}) <{{all_gather_dim = {body.dim} : i64, {body.attributes()}}}> : '
                          f"({t(local, x.element)}) -> {t(out, x.element)}"], lists, x.shape, plain_copy(x))  # fmt: skip


def reducer(kind, e):
    s = f"tensor<{e}>"
    return f"({{ ^bb0(%p: {s}, %q: {s}): %c = stablehlo.{kind} %p, %q : {s} stablehlo.return %c : {s} }})"


def plain_reduce(body, x, kind, shape):
    blocks = body.blocks()
    left = blocks[: body.dim + 1] + blocks[body.dim + 2 :]
    e = x.element
    init = {"add": "0", "maximum": "-1000000000", "minimum": "1000000000"}[kind]
    init = init if e == "i32" else f"{init}.0"
    return (f"    %w0 = stablehlo.reshape %{x.name} : ({x.type}) -> {t(blocks, e)}\n"
            f"    %w1 = stablehlo.constant dense<{init}> : tensor<{e}>\n"
            f"    %w2 = stablehlo.reduce(%w0 init: %w1) applies stablehlo.{kind} across dimensions = [{body.dim + 1}] : "
            f"({t(blocks, e)}, tensor<{e}>) -> {t(left, e)}\n"
            f"    %OUT = stablehlo.reshape %w2 : ({t(left, e)}) -> {t(shape, e)}\n")  # fmt: skip


def reduce(b):
    body = Body(b)
    x, kind = operand(b, body), b.rng.choice(["add", "add", "maximum", "minimum"])
    lines, m, local = start(body, x)
    T = t(local, x.element)
    shape, lists = body.folded()
    body.emit(x, lines + [f'%r = "stablehlo.all_reduce"({m}) <{{{body.attributes()}}}> {reducer(kind, x.element)} : ({T}) -> {T}'],
              lists, shape, plain_reduce(body, x, kind, shape))  # fmt: skip


def scatter(b):
    body = Body(b)
    to = b.rng.randrange(len(body.shape))
    body.shape[to] *= body.n
    x, kind = operand(b, body), b.rng.choice(["add", "add", "maximum", "minimum"])
    lines, m, local = start(body, x)
    out = list(local)
    out[to] //= body.n
    shape, lists = body.folded()
    lists[to] = lists[to] + body.along
    body.emit(x, lines + [f'%r = "stablehlo.reduce_scatter"({m}) <{{scatter_dimension = {to} : i64, {body.attributes()}}}> '
                          f"{reducer(kind, x.element)} : ({t(local, x.element)}) -> {t(out, x.element)}"],
              lists, shape, plain_reduce(body, x, kind, shape))  # fmt: skip


def all_to_all(b):
    body = Body(b)
    others = [d for d in range(len(body.shape)) if d != body.dim]
    if not others:
        return gather(b)
    to = b.rng.choice(others)
    body.shape[to] *= body.n
    x = operand(b, body)
    lines, m, local = start(body, x)
    out = list(local)
    out[to] //= body.n
    out[body.dim] *= body.n
    _, lists = body.folded()
    lists[to] = lists[to] + body.along
    body.emit(x, lines + [f'%r = "stablehlo.all_to_all"({m}) <{{split_dimension = {to} : i64, concat_dimension = {body.dim} : i64, '
                          f"split_count = {body.n} : i64, {body.attributes(False)}}}> : ({t(local, x.element)}) -> {t(out, x.element)}"],
              lists, x.shape, plain_copy(x))  # fmt: skip


def permute(b):
    """Sends each block k devices further; devices that receive none get zeros."""
    body = Body(b)
    x, k = operand(b, body), b.rng.randint(0, body.n)
    wrap = b.rng.random() < 0.5
    lines, m, local = start(body, x)
    T, e, n = t(local, x.element), x.element, body.n
    pairs = [[int(g[i]), int(g[(i + k) % n])] for g in body.groups() for i in range(n) if wrap or i + k < n]
    b.rng.shuffle(pairs)
    if not pairs:
        return double(b)
    lines.append(f'%r = "stablehlo.collective_permute"({m}) <{{{CHANNELS.format(b.rng.choice([1, 3, 2**63 - 1]))}, '
                 f"source_target_pairs = dense<{pairs}> : tensor<{len(pairs)}x2xi64>}}> : ({T}) -> {T}")  # fmt: skip
    blocks, k = body.blocks(), k % n if wrap else k
    D = body.dim + 1
    cut = lambda lo, hi: ", ".join(f"{lo}:{hi}" if d == D else f"0:{s}" for d, s in enumerate(blocks))
    sized = lambda c: t([c if d == D else s for d, s in enumerate(blocks)], e)
    plain = f"    %w0 = stablehlo.reshape %{x.name} : ({x.type}) -> {t(blocks, e)}\n"
    if k == 0:
        plain += f"    %w3 = stablehlo.reshape %w0 : ({t(blocks, e)}) -> {t(blocks, e)}\n"
    else:
        head = (f"stablehlo.slice %w0 [{cut(n - k, n)}] : ({t(blocks, e)}) -> {sized(k)}" if wrap else
                f"stablehlo.constant dense<{'0' if e == 'i32' else '0.0'}> : {sized(k)}")  # fmt: skip
        plain += (f"    %w1 = {head}\n    %w2 = stablehlo.slice %w0 [{cut(0, n - k)}] : ({t(blocks, e)}) -> {sized(n - k)}\n"
                  f"    %w3 = stablehlo.concatenate %w1, %w2, dim = {D} : ({sized(k)}, {sized(n - k)}) -> {t(blocks, e)}\n")  # fmt: skip
    body.emit(x, lines, body.lists, x.shape, plain + f"    %OUT = stablehlo.reshape %w3 : ({t(blocks, e)}) -> {x.type}\n")


def index(b):
    """Adds the index along an axis, which the device looks up in a table."""
    body = Body(b)
    x = b.arg(body.shape, "i32")
    lines, m, local = start(body, x)
    T, mesh, n = t(local, "i32"), body.mesh, body.n
    table = [0] * mesh.devices
    for g in body.groups():
        for i, d in enumerate(g):
            table[int(d)] = i
    rank = len(local)
    lines += [
        f"%t = stablehlo.constant dense<{table}> : tensor<{mesh.devices}xi32>",
        "%i = stablehlo.partition_id : tensor<ui32>",
        f"%s = stablehlo.dynamic_slice %t, %i, sizes = [1] : (tensor<{mesh.devices}xi32>, tensor<ui32>) -> tensor<1xi32>",
        "%u = stablehlo.reshape %s : (tensor<1xi32>) -> tensor<i32>",
        f"%v = stablehlo.broadcast_in_dim %u, dims = [] : (tensor<i32>) -> {T}",
        f"%r = stablehlo.add {m}, %v : {T}",
    ]
    blocks = body.blocks()
    D = body.dim + 1
    B = t(blocks, "i32")
    body.emit(x, lines, body.lists, x.shape,
              f"    %w0 = stablehlo.reshape %{x.name} : ({x.type}) -> {B}\n"
              f"    %w1 = stablehlo.iota dim = {D} : {B}\n    %w2 = stablehlo.add %w0, %w1 : {B}\n"
              f"    %OUT = stablehlo.reshape %w2 : ({B}) -> {x.type}\n")  # fmt: skip


def call(b):
    """One function, called on values of different shardings, and by another function."""
    x = b.pick()
    y = b.like(x.shape, x.element)
    name, T, e = f"f{b.count}", x.type, x.element
    attr = lambda: f" {{sdy.sharding = #sdy.sharding{b.sharding(x.shape)}}}" if b.rng.random() < 0.4 else ""
    dims = list(range(len(x.shape)))[::-1]
    turned = [x.shape[d] for d in dims]
    function = (
        f"func.func private @{name}(%p: {T}{attr()}, %q: {T}{attr()}) -> ({T}{attr()}, {t(turned, e)}) {{\n"
        f"    %0 = stablehlo.subtract %p, %q : {T}\n"
        f"    %1 = stablehlo.transpose %0, dims = {ints(dims)} : ({T}) -> {t(turned, e)}\n"
        f"    return %0, %1 : {T}, {t(turned, e)}\n  }}"
    )
    outer = (
        f"func.func private @{name}o(%p: {T}) -> {T} {{\n    %0:2 = call @{name}(%p, %p) : ({T}, {T}) -> ({T}, {t(turned, e)})\n"
        f"    %1:2 = call @{name}(%0#0, %p) : ({T}, {T}) -> ({T}, {t(turned, e)})\n    return %1#0 : {T}\n  }}"
    )
    u, v, w = b.new(x.shape, e), b.new(turned, e), b.new(x.shape, e)
    line = (f"    %{u.name}, %{v.name} = call @{name}(%{x.name}, %{y.name}) : ({T}, {T}) -> ({T}, {t(turned, e)})\n"
            f"    %{w.name} = call @{name}o(%{u.name}) : ({T}) -> {T}\n")  # fmt: skip
    b.op([u, v, w], [x, y], line, functions=(function, outer))
    b.values += [u, v, w]


def one_device(b):
    """A call that only one device makes; it adds the number of that device. All devices get the
    result."""
    device = b.p.meshes["one"].ids[0] if "one" in b.p.meshes else None
    if device is None or b.p.mesh.devices == 1:
        return double(b)
    x, factor = b.pick("f32"), b.rng.choice([0.5, 2.0, -1.0])
    T = x.type
    call = f"stablehlo.custom_call @test_scale(%{x.name}) {{backend_config = {{factor = {factor} : f32}}, api_version = 4 : i32, has_side_effect = true"
    out = b.new(x.shape, "f32")
    plain = (f"    %w0 = stablehlo.constant dense<{factor}> : {T}\n    %w1 = stablehlo.multiply %{x.name}, %w0 : {T}\n"
             f"    %w2 = stablehlo.constant dense<{float(device)}> : {T}\n    %OUT = stablehlo.add %w1, %w2 : {T}\n")  # fmt: skip
    b.op([out], [x], f"    %{out.name} = {call}, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>}} : ({T}) -> {T}\n",
         plain.replace("%OUT", "%" + out.name).replace("%w", f"%w{out.name}_"))  # fmt: skip
    b.values.append(out)


FAMILIES = {
    "one device": one_device, "manual double": double, "manual gather": gather, "manual reduce": reduce, "manual scatter": scatter,
    "manual all_to_all": all_to_all, "manual permute": permute, "manual index": index, "call": call,
}  # fmt: skip
