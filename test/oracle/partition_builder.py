#===- partition_builder.py - programs that are built op by op -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs as lists of ops over named values, with meshes and shardings, so that a failing program can
be reduced."""

import copy
import math
import re

import numpy as np

from ops import case as case_module
from partition_layouts import ADDITIVE, ORDERED, Layout, merged, ref, refs
import replicas

SIZES = (1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 8, 11, 12, 14, 16)
# Meshes of 1 to 16 devices. Axes of size 1 may be anywhere.
MESHES = (
    [("x", 1)],
    [("x", 2)],
    [("x", 3)],
    [("x", 4)],
    [("x", 5)],
    [("x", 8)],
    [("x", 8)],
    [("x", 16)],
    [("x", 1), ("y", 4)],
    [("x", 2), ("y", 2)],
    [("x", 2), ("y", 3)],
    [("x", 3), ("y", 2)],
    [("x", 2), ("y", 4)],
    [("x", 2), ("y", 4)],
    [("x", 4), ("y", 2)],
    [("x", 4), ("y", 2)],
    [("x", 3), ("y", 4)],
    [("x", 4), ("y", 4)],
    [("x", 2), ("y", 1), ("z", 3)],
    [("x", 2), ("y", 2), ("z", 2)],
    [("x", 2), ("y", 2), ("z", 2)],
    [("x", 2), ("y", 3), ("z", 2)],
    [("x", 2), ("y", 4), ("z", 2)],
    [("x", 2), ("y", 2), ("z", 2), ("w", 2)],
)


def t(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def ints(values):
    return "[" + ", ".join(map(str, values)) + "]"


def array(values):
    return "array<i64" + (": " + ", ".join(map(str, values)) if values else "") + ">"


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, list(shape), element

    @property
    def type(self):
        return t(self.shape, self.element)


class Op:
    """`text` and `plain` (if different) are the lines for the sharded and the unsharded program.
    functions: functions of the module, or pairs of them for the two programs. shardings: the op's
    own, if any, one per result. smaller: returns simpler ops that can replace it."""

    def __init__(self, outs, uses, text, plain=None, functions=()):
        self.outs, self.uses, self.sharded = outs, uses, text
        self.plain = text if plain is None else plain
        self.functions = functions
        self.family, self.shardings, self.smaller = None, None, tuple

    def text(self, sharded):
        if not sharded or not self.shardings:
            return self.sharded if sharded else self.plain
        own = f" {{sdy.sharding = #sdy.sharding_per_value<[{', '.join(self.shardings)}]>}}"
        at = attributes_at(self.sharded)
        return self.sharded[:at] + own + self.sharded[at:]

    def takes_shardings(self):
        """True for a single statement whose results are those of the op, written with attributes
        before the types."""
        names = ", ".join("%" + o.name for o in self.outs)
        lines = self.sharded.strip().splitlines()
        if not self.outs or not lines or not lines[0].startswith(names + " = "):
            return False
        body = lines[0][len(names) + 3 :]
        if body.startswith(("sdy.", "stablehlo.constant", "stablehlo.custom_call", "call ", "chlo.")):
            return False
        if len(lines) > 1 and not (body.startswith('"') and lines[-1].startswith("    })")):
            return False
        at = attributes_at(self.sharded)
        return at is not None and not self.sharded[:at].endswith("}") and "sdy.sharding" not in lines[0] + lines[-1]


def attributes_at(text):
    """Returns the position for attributes in the last statement of a text: usually before the last ` :
    ` outside of brackets."""
    barrier = "= stablehlo.optimization_barrier"
    if barrier in text:
        return text.index(barrier) + len(barrier)
    depth, plain = 0, text.replace("->", "  ")
    for i in range(len(plain) - 1, -1, -1):
        depth += (plain[i] in ")]}>") - (plain[i] in "([{<")
        if depth == 0 and plain.startswith(" : ", i):
            return i
    return None


class Program:
    def __init__(self, meshes, seed):
        """meshes: by name, with the same devices; ops use @mesh. options: of the commands, without
        dashes; if there are any, partition-effort is one of them. written: the sizes of @mesh in
        the program, if --mesh sets the real ones."""
        self.meshes, self.seed = meshes, seed
        self.options, self.written, self.kinds = {}, None, {}
        self.args, self.shardings, self.data = [], {}, {}
        self.ops, self.results, self.result_shardings = [], [], {}

    @property
    def mesh(self):
        return self.meshes["mesh"]

    @property
    def families(self):
        return {op.family for op in self.ops}

    def text(self, sharded):
        def attr(sharding):
            if not sharded or sharding is None:
                return ""
            return f" {{sdy.sharding = #sdy.sharding{sharding}}}"

        args = ", ".join(
            f"%{a.name}: {a.type}" + attr(self.shardings.get(a.name)) for a in self.args
        )
        outs = ", ".join(
            r.type + attr(self.result_shardings.get(r.name)) for r in self.results
        )
        body = "".join(op.text(sharded) for op in self.ops)
        bare = lambda f: f if sharded else re.sub(r" \{sdy\.sharding = #sdy\.sharding<@\w+, \[[^\]]*\][^>]*>\}", "", f)
        functions = "".join(f"  {bare(f if isinstance(f, str) else f[not sharded])}\n" for op in self.ops for f in op.functions)
        names = ", ".join("%" + r.name for r in self.results)
        types = ", ".join(r.type for r in self.results)
        meshes = "".join(f"  sdy.mesh @{name} = {(self.written or mesh).text()}\n" for name, mesh in self.meshes.items()
                         if sharded) if sharded else ""  # fmt: skip
        options = " ".join(f"--{k}={v}" for k, v in self.options.items())
        options = f"// {options}\n" if sharded and options else ""
        return (
            f"{options}module {{\n{meshes}{functions}  func.func @main({args}) -> ({outs}) {{\n{body}"
            f"    return {names} : {types}\n  }}\n}}\n"
        )

    def inputs(self):
        rng = np.random.default_rng(self.seed)
        source = case_module.Case(type("Seed", (), {"seed_value": self.seed})(), "", "")
        out = []
        for a in self.args:
            if a.name in self.data:
                out.append(self.data[a.name])
            elif a.element == "f32":
                out.append(rng.uniform(-2, 2, a.shape).astype(np.float32))
            elif a.element == "i32":
                out.append(rng.integers(-9, 10, a.shape).astype(np.int32))
            else:
                out.append(source.random(a.shape, a.element, False))
        return out

    def smaller(self):
        def prune(p):
            needed = {r.name for r in p.results}
            kept = []
            for op in reversed(p.ops):
                if any(o.name in needed for o in op.outs):
                    kept.append(op)
                    needed.update(u.name for u in op.uses)
            p.ops = kept[::-1]
            p.args = [a for a in p.args if a.name in needed] or p.args[:1]
            return p

        if len(self.results) > 1:
            for r in self.results:
                p = copy.copy(self)
                p.results = [r]
                yield prune(p)
        # Return an earlier value instead.
        if len(self.results) == 1:
            for op in reversed(self.ops):
                for out in op.outs:
                    if out.name != self.results[0].name and out.element != "i1":
                        p = copy.copy(self)
                        p.results, p.result_shardings = [out], {}
                        yield prune(p)
        for name in self.options:
            p = copy.copy(self)
            p.options = {k: v for k, v in self.options.items() if k != name}
            p.written = p.written if "mesh" in p.options else None
            yield p
        for name in self.shardings:
            p = copy.copy(self)
            p.shardings = {k: v for k, v in self.shardings.items() if k != name}
            yield p
        for name in self.result_shardings:
            p = copy.copy(self)
            p.result_shardings = {k: v for k, v in self.result_shardings.items() if k != name}
            yield p
        for i, op in enumerate(self.ops):
            if op.shardings:
                p = copy.copy(self)
                bare = copy.copy(op)
                bare.shardings = None
                p.ops = self.ops[:i] + [bare] + self.ops[i + 1 :]
                yield p
        for i, op in enumerate(self.ops):
            for less in op.smaller():
                p = copy.copy(self)
                p.ops = self.ops[:i] + [less] + self.ops[i + 1 :]
                gone = {o.name for o in op.outs} - {o.name for o in less.outs}
                used = {u.name for q in p.ops for u in q.uses} | {r.name for r in p.results}
                if not gone & used:
                    yield prune(p)
        # Remove an op, and use its operand instead of its result.
        for i, op in enumerate(self.ops):
            if len(op.outs) == len(op.uses) == 1 and op.outs[0].type == op.uses[0].type:
                p = copy.copy(self)
                out, use = op.outs[0].name, op.uses[0].name
                p.ops = self.ops[:i] + [renamed(o, out, use) for o in self.ops[i + 1 :]]
                p.results = [op.uses[0] if r.name == out else r for r in self.results]
                if out in self.result_shardings:
                    continue
                yield prune(p)
        # Use an argument instead of a computed value.
        for i, op in enumerate(self.ops):
            if len(op.outs) == 1 and op.outs[0].element != "i1" and op.outs[0].shape and "#" not in op.outs[0].name:
                p = copy.copy(self)
                p.args = self.args + [op.outs[0]]
                p.ops = self.ops[:i] + self.ops[i + 1 :]
                if op.outs[0].name not in {r.name for r in p.results}:
                    yield prune(p)


def renamed(op, old, new):
    """Returns the op with another operand."""
    if all(u.name != old for u in op.uses):
        return op
    op = copy.copy(op)
    name = re.compile(rf"%{re.escape(old)}(?![\w#])")
    op.sharded, op.plain = name.sub("%" + new, op.sharded), name.sub("%" + new, op.plain)
    op.uses = [Value(new, u.shape, u.element) if u.name == old else u for u in op.uses]
    return op


class Builder:
    """sums: places where values may be unreduced: "inside", "arguments", "results"; none by default."""

    def __init__(self, rng, most_devices=16, sums=frozenset()):
        self.rng, self.sums = rng, frozenset(sums)
        axes = list(rng.choice([m for m in MESHES if math.prod(s for _, s in m) <= most_devices]))
        meshes = {"mesh": self.mesh(axes)}
        if rng.random() < 0.25:
            meshes["other"] = self.other_mesh(axes)
        if rng.random() < 0.1:
            meshes["one"] = replicas.DeviceMesh([], [rng.randrange(meshes["mesh"].devices)])
        self.p = Program(meshes, rng.randrange(1 << 30))
        self.p.kinds = self.kinds() if self.sums else {}
        self.values, self.count = [], 0
        self.preferred = None  # the operand that `pick` returns most often

    def kinds(self):
        """Returns, by name of the axis, the kind of values that are unreduced along it. One sharding has
        axes of one kind, and no op may change the kind of an axis; a program may have all kinds."""
        way = self.rng.choice(["sum", "sum", "max", "min", "any", "any"])
        kind = lambda: self.rng.choice(["", "max", "min"]) if way == "any" else way.replace("sum", "")
        return {axis: kind() for axis in "xyzwa"}

    # meshes

    def mesh(self, axes):
        ids = None
        if self.rng.random() < 0.2:
            ids = list(range(math.prod(s for _, s in axes)))
            self.rng.shuffle(ids)
            if ids == sorted(ids):
                ids = None
        return replicas.DeviceMesh(axes, ids)

    def other_mesh(self, axes):
        """Returns a mesh of the same devices: in another order, or split into other axes."""
        r = self.rng.random()
        if r < 0.4:
            return self.mesh(axes)
        if r < 0.7:
            sizes = [s for _, s in axes]
            self.rng.shuffle(sizes)
            return self.mesh([(n, s) for (n, _), s in zip(axes, sizes)])
        return self.mesh([("a", math.prod(s for _, s in axes))])

    # values

    def new(self, shape, element):
        self.count += 1
        return Value(f"v{self.count}", shape, element)

    def arg(self, shape=None, element=None, data=None):
        if shape is None:
            shape = self.shape(1, 4)
        a = Value(f"a{len(self.p.args)}", shape, element or self.rng.choice(["f32", "i32"]))
        self.p.args.append(a)
        if data is not None:
            self.p.data[a.name] = data
        if self.rng.random() < 0.85:
            self.p.shardings[a.name] = self.sharding(a.shape, border=True, element=a.element, place="arguments")
        if data is None:
            self.values.append(a)
        return a

    def shape(self, low, high):
        while True:
            s = [self.rng.choice(SIZES) for _ in range(self.rng.randint(low, high))]
            if math.prod(s) <= 4096:
                return s

    def pick(self, element=None, rank=None, where=None):
        """Returns a value, or a new (or computed) argument, that fits; of rank 1 at least."""
        fits = [
            v
            for v in [self.preferred, *self.values]
            if v is not None
            and (element is None or v.element == element)
            and v.element != "i1"
            and v.shape
            and (rank is None or len(v.shape) >= rank)
            and (where is None or where(v))
        ]
        if self.preferred in fits[:1] and self.rng.random() < 0.8:
            return self.preferred
        if fits and self.rng.random() < 0.85:
            return self.rng.choice(fits[-6:])
        return self.arg(self.shape(max(rank or 1, 1), 4), element)

    def like(self, shape, element):
        """Returns a value of exactly this type."""
        fits = [v for v in self.values if v.shape == list(shape) and v.element == element]
        if fits and self.rng.random() < 0.7:
            return self.rng.choice(fits)
        if not shape:
            return self.constant(self.rng.randint(-3, 3), element)
        return self.arg(shape, element)

    def emit(self, template, shape, element, uses, plain=None, keep=True):
        out = self.new(shape, element)
        self.op([out], uses, f"    %{out.name} = {template}\n",
                None if plain is None else f"    %{out.name} = {plain}\n")
        if keep:
            self.values.append(out)
        return out

    def op(self, outs, uses, text, plain=None, functions=()):
        self.p.ops.append(Op(outs, uses, text, plain, functions))

    def constant(self, value, element, shape=()):
        literal = f"{float(value):e}" if element == "f32" else str(int(value))
        return self.emit(f"stablehlo.constant dense<{literal}> : {t(shape, element)}",
                         shape, element, [], keep=False)

    def index(self, low, high):
        """Returns a scalar i32: a constant, or computed (so that it cannot be folded)."""
        if self.rng.random() < 0.5:
            return self.constant(self.rng.randint(low, high), "i32")
        x = self.pick("i32", 1)
        zero = self.constant(0, "i32")
        dims = ", ".join(str(d) for d in range(len(x.shape)))
        total = self.emit(
            f"stablehlo.reduce(%{x.name} init: %{zero.name}) applies stablehlo.add across "
            f"dimensions = [{dims}] : ({x.type}, tensor<i32>) -> tensor<i32>",
            [], "i32", [x, zero], keep=False)
        if low >= 0:
            total = self.emit(f"stablehlo.abs %{total.name} : tensor<i32>", [], "i32", [total],
                              keep=False)
        modulus = self.constant(high - low + (1 if low >= 0 else 3), "i32")
        return self.emit(f"stablehlo.remainder %{total.name}, %{modulus.name} : tensor<i32>",
                         [], "i32", [total, modulus], keep=False)

    # shardings

    def layout(self, shape, density=0.6, name=None, unreduced=0.0, must=False, element=None):
        """unreduced: the probability that the remaining axes are unreduced. must: some are, if the
        mesh has any. element: of the value, if it may have no order."""
        name = name or self.mesh_name()
        mesh = self.p.meshes[name]
        parts = []
        for axis, size in mesh.axes:
            if size == 1:
                parts.append((axis, 1, 1, 1))
            pre = 1
            while pre < size:
                cuts = [k for k in range(2, size // pre + 1) if size // pre % k == 0]
                k = self.rng.choice(cuts) if self.rng.random() < 0.15 else size // pre
                parts.append((axis, pre, k, size))
                pre *= k
        self.rng.shuffle(parts)
        found = Layout(name, mesh, [[] for _ in shape], kinds=self.p.kinds)
        kinds = [found.kind_of(part) for part in parts if part[2] > 1] or [""]
        kind = self.rng.choice(kinds)
        if element is not None and element not in ORDERED:
            kind = ""
        for part in parts:
            if must and part[2] > 1 and not found.unreduced and found.kind_of(part) == kind:
                found.unreduced.append(part)
            elif shape and self.rng.random() < density:
                found.dims[self.rng.randrange(len(shape))].append(part)
            elif unreduced and self.rng.random() < 0.6 and found.kind_of(part) == kind:
                found.unreduced.append(part)
            else:
                found.left.append(part)
        if not must and unreduced and self.rng.random() >= unreduced:
            found.left += found.unreduced
            found.unreduced = []
        return found

    def mesh_name(self, border=False):
        names = [n for n in self.p.meshes if n != "mesh" and not (border and n == "one")]
        return self.rng.choice(names) if names and self.rng.random() < 0.25 else "mesh"

    def sharding(self, shape, density=0.6, border=False, element=None, place="inside"):
        """Returns `<@mesh, [...]>`. border: for an argument or result, which may have priorities and
        is never for one device only. element: if given, the value may be unreduced, if programs may
        have such values at this place (`sums`)."""
        name = self.mesh_name(border)
        if not self.p.meshes[name].axes:
            return f"<@{name}, []>"
        unreduced = 0.4 if place in self.sums and element in ADDITIVE else 0.0
        layout = self.layout(shape, density, name, unreduced, element=element)
        fancy = self.rng.random() < 0.3

        def spelled(dim):
            axes = [ref(p) for p in merged(dim)]
            if fancy and self.rng.random() < 0.5:
                axes.append("?")
            more = f"p{self.rng.randrange(3)}" if border and fancy and axes and self.rng.random() < 0.3 else ""
            return "{" + ", ".join(axes) + "}" + more

        whole = [n for n, s in layout.mesh.axes if any(p[0] == n and p[2] == s for p in layout.left)]
        replicated = ""
        if fancy and whole and self.rng.random() < 0.3:
            replicated = ", replicated={" + ", ".join(f'"{n}"' for n in whole) + "}"
        return f"<@{name}, [" + ", ".join(map(spelled, layout.dims)) + "]" + replicated + layout.tail() + ">"

    def moved(self, x):
        """Returns the same value with another sharding."""
        if not x.shape and not self.sums:
            return x
        return self.emit(f"sdy.sharding_constraint %{x.name} {self.sharding(x.shape, element=x.element)} : {x.type}",
                         x.shape, x.element, [x], plain=f"stablehlo.reshape %{x.name} : ({x.type}) -> {x.type}",
                         keep=False)  # fmt: skip
