#===- partition_sorts.py - sorts of random programs -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Sorts: short and long ones, of pairs, and with only the first rows used."""

from partition_builder import t


def sort(b):
    x = b.pick()
    dim = b.rng.randrange(len(x.shape))
    kind = "FLOAT" if x.element == "f32" else "SIGNED"
    s = f"tensor<{x.element}>"
    b.emit(f"\"stablehlo.sort\"(%{x.name}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n"
           f"    ^bb0(%p: {s}, %q: {s}):\n"
           f"      %c = stablehlo.compare LT, %p, %q, {kind} : ({s}, {s}) -> tensor<i1>\n"
           f"      stablehlo.return %c : tensor<i1>\n    }}) : ({x.type}) -> {x.type}",
           x.shape, x.element, [x])


def top_k(b):
    """The first rows of values sorted with their positions, as chlo.top_k is expanded."""
    x = b.pick()
    dim = b.rng.randrange(len(x.shape))
    n = x.shape[dim]
    k = min(n, b.rng.choice([1, 1, 2, 3]))
    kind = "TOTALORDER" if x.element == "f32" else "SIGNED"
    S, I = t([], x.element), t(x.shape, "i32")
    i = b.emit(f"stablehlo.iota dim = {dim} : {I}", x.shape, "i32", [], keep=False)
    u, v = b.new(x.shape, x.element), b.new(x.shape, "i32")
    way = b.rng.choice(["GT", "LT"])
    b.op([u, v], [x, i],
         f"    %{u.name}, %{v.name} = \"stablehlo.sort\"(%{x.name}, %{i.name}) <{{dimension = {dim} : i64, "
         f"is_stable = true}}> ({{\n    ^bb0(%p: {S}, %q: {S}, %i: tensor<i32>, %j: tensor<i32>):\n"
         f"      %c = stablehlo.compare {way}, %p, %q, {kind} : ({S}, {S}) -> tensor<i1>\n"
         f"      stablehlo.return %c : tensor<i1>\n    }}) : ({x.type}, {I}) -> ({x.type}, {I})\n")
    shape = list(x.shape)
    shape[dim] = k
    first = b.rng.randrange(k) if b.rng.random() < 0.2 else 0
    shape[dim] = k - first
    at = ", ".join(f"{first}:{k}" if d == dim else f"0:{m}" for d, m in enumerate(x.shape))
    for part in b.rng.choice([[u, v], [u, v], [u], [v]]):
        b.emit(f"stablehlo.slice %{part.name} [{at}] : ({part.type}) -> {t(shape, part.element)}",
               shape, part.element, [part])


def long_sort(b):
    """A sort with so many rows that shards are sorted and exchanged rather than gathered."""
    e = b.rng.choice(["f32", "i32"])
    shape = [b.rng.randint(800, 3000)]
    if b.rng.random() < 0.3:
        shape.insert(b.rng.randrange(2), b.rng.choice([1, 2, 3]))
    x = b.arg(shape, e)
    spec = b.sharding(shape, density=1.0) if len(shape) > 1 else b.sharding(shape, density=0.9)
    b.p.shardings[x.name] = spec
    dim = shape.index(max(shape))
    operands, T = [x], x.type
    if b.rng.random() < 0.5:
        # Many equal keys, each with its position.
        I = t(shape, "i32")
        operands.append(b.emit(f"stablehlo.iota dim = {dim} : {I}", shape, "i32", [], keep=False)
                        if b.rng.random() < 0.5 else b.arg(shape, "i32"))
        two = b.constant(2, e, shape)
        operands[0] = b.emit(f"stablehlo.remainder %{x.name}, %{two.name} : {T}", shape, e, [x, two], keep=False)
    S, j = t([], e), "tensor<i32>"
    kind = "FLOAT" if e == "f32" else "SIGNED"
    way = b.rng.choice(["LT", "GT"])
    more = f", %i: {j}, %j: {j}" if len(operands) == 2 else ""
    outs = [b.new(shape, o.element) for o in operands]
    types = ", ".join(o.type for o in operands)
    b.op(outs, operands,
         f"    {', '.join('%' + o.name for o in outs)} = \"stablehlo.sort\"({', '.join('%' + o.name for o in operands)}) "
         f"<{{dimension = {dim} : i64, is_stable = true}}> ({{\n    ^bb0(%p: {S}, %q: {S}{more}):\n"
         f"      %c = stablehlo.compare {way}, %p, %q, {kind} : ({S}, {S}) -> tensor<i1>\n"
         f"      stablehlo.return %c : tensor<i1>\n    }}) : ({types}) -> ({types})\n")
    for o in outs:
        b.emit(f"sdy.sharding_constraint %{o.name} {spec} : {o.type}", shape, o.element, [o],
               plain=f"stablehlo.reshape %{o.name} : ({o.type}) -> {o.type}")


def sort_pairs(b):
    """Sorts keys with associated values; equal keys keep their order."""
    x = b.pick(where=lambda v: max(v.shape) >= 4)
    dim = b.rng.randrange(len(x.shape))
    key = b.like(x.shape, "i32")
    three = b.constant(3, "i32", x.shape)
    key = b.emit(f"stablehlo.remainder %{key.name}, %{three.name} : {key.type}", x.shape, "i32", [key, three], keep=False)
    S, j = t([], x.element), "tensor<i32>"
    u, v = b.new(x.shape, "i32"), b.new(x.shape, x.element)
    b.op([u, v], [key, x],
         f"    %{u.name}, %{v.name} = \"stablehlo.sort\"(%{key.name}, %{x.name}) <{{dimension = {dim} : i64, "
         f"is_stable = true}}> ({{\n    ^bb0(%p: {j}, %q: {j}, %i: {S}, %j: {S}):\n"
         f"      %c = stablehlo.compare LT, %p, %q, SIGNED : ({j}, {j}) -> tensor<i1>\n"
         f"      stablehlo.return %c : tensor<i1>\n    }}) : ({key.type}, {x.type}) -> ({key.type}, {x.type})\n")
    b.values += [u, v]
