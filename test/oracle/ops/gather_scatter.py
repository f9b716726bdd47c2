#===- gather_scatter.py - gather, scatter, torch_index_select --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import (
    ALL,
    COMPLEX,
    F8,
    FLOAT,
    INT,
    PRED,
    array,
    dims,
    is_complex,
    is_int,
    op,
    scalar_region,
    tensor,
)

INDEX_TYPES = ("i32", "i32", "i64", "ui32", "i8", "ui8")


class Indexing:
    """Random dimension numbers: which dimensions of the operand are windows, collapsed, batching."""

    def __init__(self, c):
        r = c.rng
        rank = r.choice((1, 2, 2, 3, 3, 4))
        self.shape = [r.choice((1, 2, 3, 5, 9)) for _ in range(rank)]
        roles = [r.choice(("window", "window", "collapsed", "batching")) for _ in range(rank)]
        if roles.count("batching") > 2:
            roles = ["window" if role == "batching" else role for role in roles]
        if "window" not in roles and "collapsed" not in roles:
            roles[0] = "window"
        self.batching = [d for d in range(rank) if roles[d] == "batching"]
        self.collapsed = [d for d in range(rank) if roles[d] == "collapsed"]
        self.window = [d for d in range(rank) if roles[d] == "window"]
        indexed = [d for d in range(rank) if d not in self.batching]
        # For indices without elements XLA performs no updates, whatever the index vectors.
        self.index_map = r.sample(indexed, r.randint(1, len(indexed)))
        self.sizes = [1 if d not in self.window else (r.randint(1, s) if d in self.index_map or r.random() < 0.2 else s)
                      for d, s in enumerate(self.shape)]  # fmt: skip
        # The dimensions of the indices: batching dimensions have the operand's sizes.
        free = [r.choice((1, 2, 3, 7)) for _ in range(r.choice((0, 1, 1, 2)))]
        batch = [("batching", d) for d in self.batching] + [("free", s) for s in free]
        r.shuffle(batch)
        self.batch_shape = [self.shape[v] if kind == "batching" else v for kind, v in batch]
        self.indices_batching = [batch.index(("batching", d)) for d in self.batching]
        self.index_vector_dim = r.randint(0, len(batch))
        self.indices_shape = list(self.batch_shape)
        if len(self.index_map) == 1 and r.random() < 0.3:  # an implicit last dimension
            self.index_vector_dim = len(batch)
        else:
            self.indices_shape.insert(self.index_vector_dim, len(self.index_map))
            self.indices_batching = [d + (d >= self.index_vector_dim) for d in self.indices_batching]
        # The positions of the window dimensions in the result or the updates.
        total = len(batch) + len(self.window)
        self.offset = sorted(r.sample(range(total), len(self.window)))
        window, rest = iter(self.sizes[d] for d in self.window), iter(self.batch_shape)
        self.result = [next(window) if d in self.offset else next(rest) for d in range(total)]

    def indices(self, c, element, beyond):
        """Returns indices, mostly within range; with `beyond` sometimes out of range."""
        data = np.zeros(self.indices_shape, np.int64)
        axis = self.index_vector_dim if len(self.indices_shape) > len(self.batch_shape) else None
        for k, d in enumerate(self.index_map):
            last = self.shape[d] - self.sizes[d]
            low, high = (-2, last + 3) if beyond else (0, last + 1)
            values = c.np.integers(0 if element[0] == "u" else low, high, self.batch_shape)
            if axis is None:
                data[...] = values
            else:
                data[(slice(None),) * axis + (k,)] = values
        return c.arg(self.indices_shape, element, data=data)


@op("stablehlo.gather", ALL)
def gather(c, e):
    i = Indexing(c)
    x = c.arg(i.shape, e)
    indices = i.indices(c, c.rng.choice(INDEX_TYPES), c.rng.random() < 0.7)
    c.result(c.op(f'"stablehlo.gather"({x}, {indices}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {dims(i.offset)}, '
                  f"collapsed_slice_dims = {dims(i.collapsed)}, operand_batching_dims = {dims(i.batching)}, "
                  f"start_indices_batching_dims = {dims(i.indices_batching)}, start_index_map = {dims(i.index_map)}, "
                  f"index_vector_dim = {i.index_vector_dim}>, slice_sizes = {array(i.sizes)}}}> : ({x.type}, {indices.type}) -> "
                  f"{tensor(i.result, e)}", i.result, e))  # fmt: skip


def scatter_text(i, x, indices, updates, region, unique=False):
    flags = f"indices_are_sorted = false, unique_indices = {str(unique).lower()}, "
    return (f'"stablehlo.scatter"({", ".join(map(str, [*x, indices, *updates]))}) <{{{flags}scatter_dimension_numbers = '
            f"#stablehlo.scatter<update_window_dims = {dims(i.offset)}, inserted_window_dims = {dims(i.collapsed)}, "
            f"input_batching_dims = {dims(i.batching)}, scatter_indices_batching_dims = {dims(i.indices_batching)}, "
            f"scatter_dims_to_operand_dims = {dims(i.index_map)}, index_vector_dim = {i.index_vector_dim}>}}> ({region}) : "
            f"({', '.join(v.type for v in [*x, indices, *updates])}) -> ")  # fmt: skip


def scatter(name, classes):
    @op(f"stablehlo.scatter {name}", classes)
    def generate(c, e):
        i = Indexing(c)
        x = c.arg(i.shape, e)
        indices = i.indices(c, c.rng.choice(INDEX_TYPES), c.rng.random() < 0.7)
        updates = c.arg(i.result, e)
        scale = ulps = None
        if name in ("add", "multiply") and not is_int(e) and e != "i1":
            count = max(1, int(np.prod(i.batch_shape)))
            total = float(np.sum(np.abs(c.data[2].astype(np.complex128)))) + 4
            scale = np.full(i.shape, total) if name == "add" else None
            ulps = 16 if e in ("f32", "f64") or is_complex(e) else count
        region = scalar_region(None if name == "update" else name, e)
        c.result(c.op(scatter_text(i, [x], indices, [updates], region) + x.type, i.shape, e), scale=scale, ulps=ulps)


scatter("add", PRED + INT + FLOAT + COMPLEX)
scatter("maximum", PRED + INT + F8 + FLOAT)
scatter("minimum", INT + FLOAT)
scatter("multiply", INT + ["f32", "f64"])
scatter("or", PRED + INT)
scatter("update", ALL)


@op("stablehlo.scatter body", ["f32", "i32", "f64"])
def scatter_body(c, e):
    """An update computation of several ops that uses each value once: min(max(a, b), 2)."""
    i = Indexing(c)
    x = c.arg(i.shape, e)
    indices = i.indices(c, "i32", True)
    updates, s = c.arg(i.result, e), tensor((), e)
    two = "2" if is_int(e) else "2.0"
    region = (f"{{\n   ^bb0(%a: {s}, %b: {s}):\n    %m = stablehlo.maximum %a, %b : {s}\n    %t = stablehlo.constant dense<{two}> : {s}\n"
              f"    %q = stablehlo.minimum %m, %t : {s}\n    stablehlo.return %q : {s}\n  }}")  # fmt: skip
    c.result(c.op(scatter_text(i, [x], indices, [updates], region) + x.type, i.shape, e))


@op("stablehlo.scatter several", ["f32", "i32"])
def scatter_several(c, e):
    i = Indexing(c)
    x, y = c.arg(i.shape, e), c.arg(i.shape, "i64")
    indices = i.indices(c, "i32", True)
    u, v, s, t = c.arg(i.result, e), c.arg(i.result, "i64"), tensor((), e), "tensor<i64>"
    region = (f"{{\n   ^bb0(%a: {s}, %b: {t}, %c: {s}, %d: {t}):\n    %m = stablehlo.maximum %a, %c : {s}\n"
              f"    %n = stablehlo.add %b, %d : {t}\n    stablehlo.return %m, %n : {s}, {t}\n  }}")  # fmt: skip
    for value in c.ops(scatter_text(i, [x, y], indices, [u, v], region) + f"({x.type}, {y.type})", (i.shape, e), (i.shape, "i64")):
        c.result(value)


@op("stablehlo.torch_index_select", ["f32", "i32"])
def torch_index_select(c, e):
    shape = list(c.shape(2, low=1))
    d = c.rng.randrange(2)
    x, n = c.arg(shape, e), c.rng.choice((1, 3, 5))
    index = c.arg([n], "i32", data=c.np.integers(0, shape[d], n))
    result = list(shape)
    result[d] = n
    c.result(c.op(f'"stablehlo.torch_index_select"({x}, {index}) <{{batch_dims = 0 : i64, dim = {d} : i64}}> : '
                  f"({x.type}, {index.type}) -> {tensor(result, e)}", result, e),
             reference=np.take(c.data[0], c.data[1], axis=d))  # fmt: skip


@op("stablehlo.scatter of itself", ["i32", "f32", "i8"])
def scatter_itself(c, e):
    """The updates, or another operand, are the operand itself: elements must be read before they are
    overwritten. (XLA returns one result for two that start from the same operand.)"""
    rows, columns = c.rng.choice((1, 3, 14)), c.rng.choice((2, 8, 17))
    x, twice = c.arg([rows, columns], e), c.rng.random() < 0.5
    if c.rng.random() < 0.5:
        x = c.op(f"stablehlo.add {x}, {x} : {x.type}", x.shape, e)
    indices = c.arg([columns, 1], "i32", data=c.np.integers(-1, columns + 1, [columns, 1]))
    t, s = x.type, tensor((), e)
    operands, types = ([x, x], [e, e]) if twice else ([x], [e])
    updates = [x, c.arg([rows, columns], e)] if twice else [x]
    names = [f"%{k}{i}" for k in "ab" for i in range(len(operands))]
    body = "".join(f"    %q{i} = stablehlo.maximum %a{i}, %b{i} : {s}\n" for i in range(len(operands)))
    region = (f"{{\n   ^bb0({', '.join(f'{n}: {s}' for n in names)}):\n{body}    stablehlo.return "
              f"{', '.join(f'%q{i}' for i in range(len(operands)))} : {', '.join([s] * len(operands))}\n  }}")  # fmt: skip
    found = c.ops(
        f'"stablehlo.scatter"({", ".join(map(str, [*operands, indices, *updates]))}) <{{indices_are_sorted = false, '
        f"unique_indices = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], "
        f"inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}}> ({region}) : "
        f"({', '.join([t] * len(operands) + [indices.type] + [t] * len(operands))}) -> "
        f"{t if not twice else f'({t}, {t})'}", *[(x.shape, e) for _ in operands])  # fmt: skip
    start = c.data[0] if x.name.startswith("%arg") else c.data[0] + c.data[0]
    for v, update in zip(found, [start, c.data[-1]]):
        expected = start.copy()
        for k, at in enumerate(c.data[1][:, 0]):
            if 0 <= at < columns:
                expected[:, at] = np.maximum(expected[:, at], update[:, k])
        c.result(v, expected, ulps=0)
