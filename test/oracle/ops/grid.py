#===- grid.py - collectives of replicas and partitions ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A grid of R replicas times P partitions, each with its own arguments. The meaning of groups depends
on the presence of a channel and of use_global_device_ids; groups are lists or axes of a mesh, with
any computation. References are numpy's, one row per device (replica * P + partition)."""

import numpy as np

from ops.case import (ALL, COMPLEX, F8, FLOAT, INT, PRED, TINY, dtype, is_complex, is_float, is_int, op,
                      tensor)  # fmt: skip

GRIDS = ((1, 2), (2, 1), (2, 2), (4, 1), (1, 4), (2, 4), (4, 2), (1, 8), (8, 1))
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"


def listed(groups):
    width = max(map(len, groups))
    rows = ["[" + ", ".join(map(str, g + [-1] * (width - len(g)))) + "]" for g in groups]
    return f"dense<[{', '.join(rows)}]> : tensor<{len(rows)}x{width}xi64>"


def cut(r, count, equal=True):
    """Splits all ids into groups of one size, or of two."""
    order = list(range(count))
    r.shuffle(order)
    if not equal and count > 2 and r.random() < 0.5:
        at = r.randint(1, count - 1)
        return [order[:at], order[at:]]
    size = r.choice([s for s in (1, 2, 4, 8) if count % s == 0])
    return [order[i : i + size] for i in range(0, count, size)]


class Groups:
    """The groups of one collective: `attributes`, and the devices of each group in order."""

    def __init__(self, c, moving, equal=True, mesh=True):
        r = c.rng
        R, P = r.choice(GRIDS)
        c.grid(R, P)
        self.devices = R * P
        if moving:
            channel, wide = r.random() < 0.5, False
        else:
            channel, wide = r.choice(((False, False), (True, False), (True, True)))
        count = P if moving and channel else R if not wide else R * P
        axes = None
        if mesh and wide and R > 1 and P > 1 and r.random() < 0.5:
            # Within each replica's own mesh.
            rows, axes = self.by_axes(r, P)
            rows = [[q * P + p for p in row] for q in range(R) for row in rows]
        elif mesh and wide and r.random() < 0.5:
            rows, axes = self.by_axes(r, R * P)
        else:
            rows = cut(r, count, equal)
        attributes = [f"replica_groups = {axes or listed(rows)}"]
        if channel:
            attributes.append(CHANNEL)
        if wide:
            attributes.append("use_global_device_ids")
        self.attributes = ", ".join(attributes)
        self.size, self.rows = len(rows[0]), len(rows)
        if wide:
            self.groups = rows
        elif moving and channel:
            self.groups = [[q * P + p for p in row] for row in rows for q in range(R)]
        elif not channel:
            self.groups = [[q * P + p for q in row] for row in rows for p in range(P)]
        else:
            self.groups = [[q * P + p for p in range(P) for q in row] for row in rows]
            self.size *= P

    def roots(self, c):
        """Returns a member for each row of replica groups, and for each group."""
        each = len(self.groups) // self.rows
        rows = [c.rng.randrange(len(self.groups[k * each])) for k in range(self.rows)]
        value = c.arg([self.rows], "i32", data=np.broadcast_to(np.array(rows), (self.devices, self.rows)))
        return value, [rows[k // each] for k in range(len(self.groups))]

    @staticmethod
    def by_axes(r, count):
        """Returns a mesh of the devices. Some of its axes or sub-axes form the groups."""
        sizes = {2: [[2]], 4: [[4], [2, 2]], 8: [[8], [2, 4], [4, 2], [2, 2, 2]]}[count]
        sizes = r.choice(sizes)
        ids = list(range(count))
        if r.random() < 0.5:
            r.shuffle(ids)
        names = "xyz"
        # Each axis as factors, some of which belong to the groups.
        factors = []
        for name, size in zip(names, sizes):
            if size > 2 and r.random() < 0.4:
                factors += [(name, 1, 2), (name, 2, size // 2)]
            else:
                factors.append((name, None, size))
        chosen = r.sample(range(len(factors)), r.randint(1, len(factors)))
        grid = np.array(ids).reshape([f[2] for f in factors])
        rest = [i for i in range(len(factors)) if i not in chosen]
        rows = grid.transpose(rest + chosen).reshape(-1, int(np.prod([factors[i][2] for i in chosen])))
        spelled = []
        for i in chosen:
            name, before, size = factors[i]
            sub = "" if before is None else f", sub_axis_info = ({before}){size}"
            spelled.append(f'#stablehlo.axis_ref<name = "{name}"{sub}>')
        mesh_axes = ", ".join(f'#stablehlo.mesh_axis<name = "{n}", size = {s}>' for n, s in zip(names, sizes))
        order = "" if ids == sorted(ids) else f", device_ids = dense<{ids}> : tensor<{count}xi64>"
        text = (f"#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [{mesh_axes}]{order}>, "
                f"axes = [{', '.join(spelled)}]>")  # fmt: skip
        return rows.tolist(), text


def small(c, rank=None):
    return list(c.shape(c.rng.choice((0, 1, 1, 2, 3)) if rank is None else rank, largest=8))


def maximum(a, b):
    return np.maximum(a, b)


REDUCERS = {"add": np.add, "multiply": np.multiply, "maximum": maximum, "minimum": np.minimum, "and": np.bitwise_and,
            "or": np.bitwise_or, "xor": np.bitwise_xor}  # fmt: skip


def reducer(c, e):
    """Returns a computation: its ops on %a and %b up to %q, its function, whether it is exact."""
    t = tensor((), e)
    if e == "i1":
        name = c.rng.choice(("and", "or", "xor"))
        return f"    %q = stablehlo.{name} %a, %b : {t}\n", REDUCERS[name], True
    if is_int(e):
        name = c.rng.choice(("add", "multiply", "maximum", "minimum", "and", "or", "xor", "body"))
    elif is_complex(e):
        name = c.rng.choice(("add", "multiply"))
    else:
        name = c.rng.choice(("add", "maximum", "minimum", "multiply", "body"))
    if name != "body":
        return f"    %q = stablehlo.{name} %a, %b : {t}\n", REDUCERS[name], name in ("maximum", "minimum") or is_int(e)
    # Of several ops: selects the argument of larger magnitude; associative, and commutative except
    # for ties.
    one = "ui" if e[0] == "u" else ""
    if one:
        return f"    %m = stablehlo.minimum %a, %b : {t}\n    %n = stablehlo.maximum %a, %b : {t}\n" \
               f"    %p = stablehlo.compare EQ, %m, %n : ({t}, {t}) -> tensor<i1>\n    %q = stablehlo.select %p, %a, %n : tensor<i1>, {t}\n", maximum, True  # fmt: skip
    return (f"    %c = stablehlo.constant dense<{'2' if is_int(e) and e not in ('i2',) else '1' if is_int(e) else '2.0'}> : {t}\n    %m = stablehlo.maximum %a, %b : {t}\n"
            f"    %q = stablehlo.minimum %m, %c : {t}\n"), lambda a, b: np.minimum(np.maximum(a, b), 1 if e == "i2" else 2), True  # fmt: skip


def region(e, body):
    t = tensor((), e)
    return f"({{\n   ^bb0(%a: {t}, %b: {t}):\n{body}    stablehlo.return %q : {t}\n  }})"


def as_wide(x, e):
    if e == "i1":
        return x
    return x.astype(np.complex128 if is_complex(e) else np.float64 if is_float(e) else np.int64 if e != "ui64" else np.uint64)


def fold(function, rows, e):
    total = as_wide(rows[0], e)
    with np.errstate(all="ignore"):
        for r in rows[1:]:
            total = function(total, as_wide(r, e))
    return total if e == "i1" or is_float(e) or is_complex(e) else total.astype(dtype(e))


def bounds(exact, e):
    if exact:
        return {"ulps": 0}
    return {"scale": np.float64(16.0), "ulps": 8 if e in ("f32", "f64") or is_complex(e) else 16 if e[:2] in ("f8", "f4", "f6") else 8}


def by_group(g, zero, function):
    """Returns one row per device: `function(group, place)` for the members of groups, zeros for
    others."""
    rows = [zero] * g.devices
    for group in g.groups:
        for i, d in enumerate(group):
            rows[d] = function(group, i)
    return np.stack(rows)


SUMMED = PRED + INT + F8 + FLOAT + COMPLEX


@op("stablehlo.all_reduce grid", SUMMED)
def all_reduce(c, e):
    """All-reduces of one or of several operands."""
    g, count = Groups(c, False, equal=False), c.rng.choice((1, 1, 2, 3))
    xs = [c.arg(small(c), e) for _ in range(count)]
    body, function, exact = reducer(c, e)
    types = ", ".join(x.type for x in xs)
    result = types if count == 1 else f"({types})"
    found = c.ops(f'"stablehlo.all_reduce"({", ".join(map(str, xs))}) <{{{g.attributes}}}> {region(e, body)} : ({types}) -> {result}',
                  *[(x.shape, e) for x in xs])  # fmt: skip
    for v, data in zip(found, c.data):
        c.result(v, by_group(g, np.zeros(v.shape), lambda group, i: fold(function, [data[d] for d in group], e)), **bounds(exact, e))


@op("stablehlo.all_reduce wider", ["i8", "ui8", "i16", "bf16", "f16", "f32"])
def wider(c, e):
    """The region's type is wider than the operand's, and so is the result's."""
    to = {"i8": "i32", "ui8": "ui16", "i16": "i64", "bf16": "f32", "f16": "f32", "f32": "f64"}[e]
    g = Groups(c, False)
    x = c.arg(small(c), e, data=None, wild=is_int(e))
    v = c.op(f'"stablehlo.all_reduce"({x}) <{{{g.attributes}}}> {region(to, f"    %q = stablehlo.add %a, %b : {tensor((), to)}" + chr(10))} : '
             f"({x.type}) -> {tensor(x.shape, to)}", x.shape, to)  # fmt: skip
    data = c.data[0].astype(dtype(to))
    c.result(v, by_group(g, np.zeros(v.shape), lambda group, i: fold(np.add, [data[d] for d in group], to)), **bounds(is_int(e), to))


@op("stablehlo.collective_reduce", INT + FLOAT + COMPLEX)
def collective_reduce(c, e):
    """Only the root of each group has the result: the first member, or one that a value selects."""
    g, dynamic = Groups(c, False, equal=False, mesh=False), c.rng.random() < 0.5
    x = c.arg(small(c), e)
    body, function, exact = reducer(c, e)
    roots, operands = [0] * len(g.groups), [x]
    if dynamic:
        named, roots = g.roots(c)
        operands.append(named)
    flag = ", has_dynamic_root" if dynamic else ""
    v = c.op(f'"stablehlo.collective_reduce"({", ".join(map(str, operands))}) <{{{g.attributes}{flag}}}> {region(e, body)} : '
             f"({', '.join(o.type for o in operands)}) -> {x.type}", x.shape, e)  # fmt: skip
    data, zero = c.data[0], np.zeros(x.shape)
    c.result(v, by_group(g, zero, lambda group, i: fold(function, [data[d] for d in group], e)
             if i == roots[g.groups.index(group)] else zero), **bounds(exact, e))  # fmt: skip


@op("stablehlo.collective_broadcast root", ALL + TINY)
def broadcast_root(c, e):
    """From the member that a value selects."""
    g = Groups(c, True, mesh=False)
    x = c.arg(small(c), e, wild=e not in COMPLEX)
    named, roots = g.roots(c)
    v = c.op(f'"stablehlo.collective_broadcast"({x}, {named}) <{{{g.attributes}, has_dynamic_root}}> : ({x.type}, {named.type}) -> {x.type}',
             x.shape, e)  # fmt: skip
    data = c.data[0]
    c.result(v, by_group(g, np.zeros(x.shape, data.dtype), lambda group, i: data[group[roots[g.groups.index(group)]]]), ulps=0)


@op("stablehlo.all_gather grid", ALL + TINY)
def all_gather(c, e):
    """All-gathers of one or of several operands."""
    g, count = Groups(c, False), c.rng.choice((1, 1, 2))
    rank = c.rng.choice((1, 2, 3))
    d = c.rng.randrange(rank)
    some = lambda: [max(s, 1) if k == d else s for k, s in enumerate(small(c, rank))]  # an empty one is refused
    xs = [c.arg(some(), e, wild=e not in COMPLEX) for _ in range(count)]
    out = [[s * g.size if k == d else s for k, s in enumerate(x.shape)] for x in xs]
    types = ", ".join(tensor(s, e) for s in out)
    found = c.ops(f'"stablehlo.all_gather"({", ".join(map(str, xs))}) <{{all_gather_dim = {d} : i64, {g.attributes}}}> : '
                  f"({', '.join(x.type for x in xs)}) -> {types if count == 1 else '(' + types + ')'}", *[(s, e) for s in out])  # fmt: skip
    for v, data in zip(found, c.data):
        c.result(v, by_group(g, np.zeros(v.shape, data.dtype), lambda group, i: np.concatenate([data[m] for m in group], d)), ulps=0)


@op("stablehlo.reduce_scatter grid", SUMMED)
def reduce_scatter(c, e):
    g = Groups(c, False)
    result = small(c, c.rng.choice((1, 2, 3)))
    d = c.rng.randrange(len(result))
    result[d] = max(result[d], 1)  # an empty one is refused
    shape = [s * g.size if k == d else s for k, s in enumerate(result)]
    x = c.arg(shape, e)
    body, function, exact = reducer(c, e)
    v = c.op(f'"stablehlo.reduce_scatter"({x}) <{{scatter_dimension = {d} : i64, {g.attributes}}}> {region(e, body)} : '
             f"({x.type}) -> {tensor(result, e)}", result, e)  # fmt: skip
    data = c.data[0]
    c.result(v, by_group(g, np.zeros(result), lambda group, i: np.split(fold(function, [data[m] for m in group], e), g.size, d)[i]),
             **bounds(exact, e))  # fmt: skip


@op("stablehlo.all_to_all grid", ALL + TINY)
def all_to_all(c, e):
    g = Groups(c, True)
    shape = small(c, c.rng.choice((1, 2, 3)))
    split, concat = c.rng.randrange(len(shape)), c.rng.randrange(len(shape))
    shape[split] *= g.size
    result = list(shape)
    result[split] //= g.size
    result[concat] *= g.size
    x = c.arg(shape, e, wild=e not in COMPLEX)
    v = c.op(f'"stablehlo.all_to_all"({x}) <{{split_dimension = {split} : i64, concat_dimension = {concat} : i64, split_count = {g.size} : i64, '
             f"{g.attributes}}}> : ({x.type}) -> {tensor(result, e)}", result, e)  # fmt: skip
    data = c.data[0]
    c.result(v, by_group(g, np.zeros(result, data.dtype), lambda group, i: np.concatenate(
        [np.split(data[m], g.size, split)[i] for m in group], concat)), ulps=0)  # fmt: skip


def pairs_of(c, count):
    n = c.rng.randint(1, count)
    return list(zip(c.rng.sample(range(count), n), c.rng.sample(range(count), n)))


def moved(c, data, pairs, channel):
    R, P = c.replicas, c.partitions
    rows = [np.zeros_like(data[0])] * (R * P)
    for source, target in pairs:
        for other in range(R if channel else P):
            device = (lambda k: other * P + k) if channel else (lambda k: k * P + other)
            rows[device(target)] = data[device(source)]
    return np.stack(rows)


def spelled(pairs):
    return f"source_target_pairs = dense<[{', '.join(f'[{a}, {b}]' for a, b in pairs)}]> : tensor<{len(pairs)}x2xi64>"


@op("stablehlo.collective_permute grid", ALL + TINY)
def collective_permute(c, e):
    c.grid(*c.rng.choice(GRIDS))
    channel = c.rng.random() < 0.5
    pairs = pairs_of(c, c.partitions if channel else c.replicas)
    x = c.arg(small(c), e, wild=e not in COMPLEX)
    v = c.op(f'"stablehlo.collective_permute"({x}) <{{{CHANNEL + ", " if channel else ""}{spelled(pairs)}}}> : ({x.type}) -> {x.type}',
             x.shape, e)  # fmt: skip
    c.result(v, moved(c, c.data[0], pairs, channel), ulps=0)


@op("stablehlo.send and recv", ["f32", "i8", "bf16", "i1", "complex<f64>"])
def send_recv(c, e):
    """Send or recv comes first, with one value or two."""
    c.grid(1, c.rng.choice((2, 4, 8)))
    pairs, count = pairs_of(c, c.partitions), c.rng.choice((1, 2))
    xs = [c.arg(small(c), e) for _ in range(count)]
    handle = f"<{{channel_handle = #stablehlo.channel_handle<handle = {c.rng.randint(1, 9)}, type = 1>, {spelled(pairs)}}}>"
    types, token = ", ".join(x.type for x in xs), "!stablehlo.token"
    c.lines.append(f"%t = stablehlo.create_token : {token}")
    send = f'%s = "stablehlo.send"({", ".join(map(str, xs))}, %t) {handle} : ({types}, {token}) -> {token}'
    recv = f'%r:{count + 1} = "stablehlo.recv"(%t) {handle} : ({token}) -> ({types}, {token})'
    c.lines += [send, recv] if c.rng.random() < 0.5 else [recv, send]
    for i, x in enumerate(xs):
        v = type(x)(f"%r#{i}", x.shape, e)
        c.result(v, moved(c, c.data[i], pairs, True), ulps=0)


@op("stablehlo.async_start", ["f32", "i32", "bf16"])
def async_start(c, e):
    """A collective that starts, and others that are executed before its end."""
    g = Groups(c, False)
    x = c.arg(small(c), e)
    body, function, exact = reducer(c, e)
    f = f"!stablehlo.future<{x.type}>"
    c.lines.append(f'%f = "stablehlo.async_start"({x}) ({{\n   ^bb0(%x: {x.type}):\n    %y = "stablehlo.all_reduce"(%x) <{{{g.attributes}}}> '
                   f"{region(e, body)} : ({x.type}) -> {x.type}\n    stablehlo.return %y : {x.type}\n  }}) : ({x.type}) -> {f}")  # fmt: skip
    between = c.op(f"stablehlo.add {x}, {x} : {x.type}", x.shape, e)
    done = c.op(f'"stablehlo.async_done"(%f) : ({f}) -> {x.type}', x.shape, e)
    data = c.data[0]
    c.result(done, by_group(g, np.zeros(x.shape), lambda group, i: fold(function, [data[d] for d in group], e)), **bounds(exact, e))
    c.result(between, (data + data).astype(dtype(e)), ulps=0)


@op("stablehlo.replica_id", ["ui32"])
def ids(c, e):
    c.grid(*c.rng.choice(GRIDS))
    count = c.replicas * c.partitions
    r, p = c.op("stablehlo.replica_id : tensor<ui32>", (), e), c.op("stablehlo.partition_id : tensor<ui32>", (), e)
    c.result(r, np.arange(count) // c.partitions)
    c.result(p, np.arange(count) % c.partitions)
