#===- frontend_explicit.py - shardings in types against JAX ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded programs over arrays on a mesh with Explicit axes, written once and run twice: by
frontend_mesh_server (C++) and by JAX under set_mesh. Compared: the jaxpr with the shardings in its types, the
text of an error where an operation has no type, the values of the jitted program, and the vjp and its types."""

# Feature: axis-types
import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding

import frontend_mesh as fm
import oracle

args = oracle.arguments(__doc__, cases=120, long_cases=1200)
MESHES = [((4, 2), ("x", "y"), ("Explicit", "Explicit")), ((4, 2), ("x", "y"), ("Explicit", "Auto")),
          ((2, 2, 2), ("x", "y", "z"), ("Explicit", "Explicit", "Auto"))]


class Case:
    """A random program of a few operations on sharded arrays."""

    def __init__(self, rng):
        self.rng = rng
        maps = rng.random() < 0.25
        sizes, names, types = MESHES[0] if maps else rng.choice(MESHES)
        self.size = dict(zip(names, sizes))
        self.explicit = [n for n, t in zip(names, types) if t == "Explicit"]
        self.p = fm.Program(sizes, names, types)
        self.p.context = True
        self.p.options["forward"] = 0
        self.shapes, self.literals = [], set()
        shape = rng.choice([(8, 4), (8, 8), (4, 8), (16,), (8, 4, 4)][:2 if maps else 5])
        for _ in range(rng.choice([1, 2, 2])):
            self.argument(shape)
        for _ in range(rng.randint(1, 2)):
            if maps:
                self.map(rng.randrange(len(self.p.ins)))
            else:
                self.step()
        used = {i for step in self.p.steps if step[0] == "op" for i in step[2]}
        for i in range(len(self.p.ins), len(self.shapes)):
            if i not in used and i not in self.literals:
                self.p.result(i)

    def random_spec(self, shape):
        free, spec = list(self.p.names), []
        for n in shape:
            entry = []
            while free and self.rng.random() < 0.45:
                a = free[self.rng.randrange(len(free))]
                if n % int(np.prod([self.size[b] for b in entry + [a]])):
                    break
                entry.append(a)
                free.remove(a)
            spec.append(tuple(entry))
        return spec

    def argument(self, shape):
        numbers = np.random.default_rng(self.rng.getrandbits(32))
        self.p.add_input(np.float32(numbers.uniform(0.1, 0.9, shape)), fm.spec(self.random_spec(shape)))
        self.shapes.append(tuple(shape))

    def emit(self, name, operands, *shapes, **keys):
        self.p.op(name, operands, **keys)
        self.shapes.extend(tuple(s) for s in shapes)

    def literal(self, kind, value):
        self.p.literal(kind, value)
        self.shapes.append(())
        self.literals.add(len(self.shapes) - 1)
        return len(self.shapes) - 1

    def step(self):
        rng = self.rng
        x = rng.choice([i for i, s in enumerate(self.shapes) if s])
        shape = self.shapes[x]
        rank = len(shape)
        axis = rng.randrange(rank)
        y = rng.choice([i for i, s in enumerate(self.shapes) if s == shape])
        kind = rng.choice("""unary binary binary scalar reduce cumulative transpose rev expand squeeze broadcast reshape
            reshape slice pad concat dot dot select clamp sort update dynamic iota reshard auto look slices""".split())
        if kind == "unary":
            return self.emit(rng.choice(["sin", "neg", "exp", "stop_gradient", "jit_sin"]), [x], shape)
        if kind == "binary":
            return self.emit(rng.choice(["add", "mul", "max", "sub"]), [x, y], shape)
        if kind == "scalar":
            return self.emit("mul", [x, self.literal("f32", 0.5)], shape)
        if kind == "reduce":
            axes = tuple(sorted(rng.sample(range(rank), rng.randint(1, rank))))
            return self.emit(rng.choice(["reduce_sum", "reduce_max"]), [x],
                             [n for d, n in enumerate(shape) if d not in axes], axes=axes)
        if kind == "cumulative":
            return self.emit("cumsum", [x], shape, axis=axis)
        if kind == "transpose":
            order = rng.sample(range(rank), rank)
            return self.emit("transpose", [x], [shape[d] for d in order], permutation=order)
        if kind == "rev":
            return self.emit("rev", [x], shape, dims=(axis,))
        if kind == "expand":
            return self.emit("expand_dims", [x], shape[:axis] + (1,) + shape[axis:], dims=(axis,))
        if kind == "squeeze":
            if 1 not in shape:
                return self.emit("neg", [x], shape)
            d = shape.index(1)
            return self.emit("squeeze", [x], shape[:d] + shape[d + 1:], dims=(d,))
        if kind == "broadcast":
            return self.emit("broadcast_in_dim", [x], (2,) + shape, shape=(2,) + shape, dims=tuple(range(1, rank + 1)))
        if kind == "reshape":
            pick = rng.randrange(3)
            new = list(shape)
            if pick == 0 and rank > 1:
                d = rng.randrange(rank - 1)
                new[d:d + 2] = [shape[d] * shape[d + 1]]
            elif pick == 1 and shape[axis] % 4 == 0:
                new[axis:axis + 1] = rng.choice([[shape[axis] // 2, 2], [2, shape[axis] // 2], [shape[axis] // 4, 4]])
            else:
                new = [int(np.prod(shape))]
            return self.emit("reshape", [x], new, shape=tuple(new))
        if kind == "slice":
            limit = list(shape)
            limit[axis] = rng.choice([n for n in (2, 4, 6, shape[axis]) if n <= shape[axis]])
            return self.emit("slice", [x], limit, start=(0,) * rank, limit=tuple(limit), strides=(1,) * rank)
        if kind == "pad":
            config = [0, 0, 0] * rank
            config[3 * axis] = rng.choice([0, 2, 4])
            new = list(shape)
            new[axis] += config[3 * axis]
            return self.emit("pad", [x, self.literal("f32", 0.5)], new, config=config)
        if kind == "concat":
            new = list(shape)
            new[axis] *= 2
            return self.emit("concatenate", [x, y], new, dim=axis)
        if kind == "dot":
            c = rng.randrange(rank)
            free = [n for d, n in enumerate(shape) if d != c]
            if rank > 1 and rng.random() < 0.4:
                b = 0 if c else 1
                free = [n for d, n in enumerate(shape) if d not in (b, c)]
                return self.emit("dot_general", [x, y], [shape[b]] + free + free, lc=(c,), rc=(c,), lb=(b,), rb=(b,))
            return self.emit("dot_general", [x, y], free + free, lc=(c,), rc=(c,))
        if kind == "select":
            self.emit("lt", [x, y], shape)
            return self.emit("select_n", [len(self.shapes) - 1, x, y], shape)
        if kind == "clamp":
            return self.emit("clamp", [self.literal("f32", 0.25), x, self.literal("f32", 0.75)], shape)
        if kind == "sort":
            return self.emit("sort", [x], shape, dim=axis)
        if kind == "dynamic":
            sizes = list(shape)
            sizes[axis] = rng.choice([n for n in (2, 4, shape[axis]) if n <= shape[axis]])
            starts = [self.literal("i32", 0) for _ in shape]
            return self.emit("dynamic_slice", [x] + starts, sizes, sizes=tuple(sizes))
        if kind == "update":
            starts = [self.literal("i32", 0) for _ in shape]
            return self.emit("dynamic_update_slice", [x, y] + starts, shape)
        if kind == "iota":
            self.emit("iota", [], shape, shape=shape, dim=axis)
            return self.emit("add", [x, len(self.shapes) - 1], shape)
        if kind == "reshard":
            return self.emit("reshard", [x], shape, spec=fm.spec(self.explicit_spec(shape)))
        if kind == "auto":
            return self.emit("auto_sin", [x], shape, spec=fm.spec(self.explicit_spec(shape)))
        if kind == "slices":
            out = [shape[axis]] + [n for d, n in enumerate(shape) if d != axis]
            return self.emit("slices", [x], out, axis=axis, body=rng.choice(sorted(fm.SLICES)))
        if kind == "look":
            return self.emit("look", [x], shape, partitioned=rng.randint(0, 1))
        raise ValueError(kind)

    def map(self, x):
        """A shard_map whose specs have unreduced or reduced axes."""
        rng = self.rng
        rows, sums, copies, both, split = "x|-", "x|-^y", "x|-~y", "x|y", "x+y|-"
        before, body, after = rng.choice([
            (sums, "psum", rows), (sums, "pmean", rows), (sums, "same", sums), (copies, "same", copies), (copies, "sin", copies),
            (copies, "square", copies), (copies, "total", "x~y"), (sums, "total", "x^y"), (sums, "twice", sums), (copies, "twice", copies),
            (sums, "scatter", split), (split, "gather", copies), (both, "to unreduced", sums), (rows, "to reduced", copies),
            (copies, "to varying", split), (sums, "transpose", "-|x^y"), (copies, "transpose", "-|x~y"), (sums, "psum x", ".^y"),
            (copies, "psum x", ".~y"), (sums, "permute", sums), (copies, "permute", copies), (both, "same", sums), (both, "sin", sums), (both, "jit", both), (rows, "jit", rows), ("product", "", sums)])
        if rng.random() < 0.15:
            body = rng.choice(sorted(fm.BODIES))
        if rng.random() < 0.1:
            after = rng.choice([rows, sums, copies, both, split])
        if before == "product":
            y = self.unread("reshard", [x], spec=copies)
            x = self.unread("map_product", [self.unread("reshard", [x], spec=sums), y], spec=sums, other=copies, result=after)
        else:
            x = self.unread("map_shards", [self.unread("reshard", [x], spec=before)], spec=before, body=body.replace(" ", "_"), result=after)
        self.unread("reshard", [x], spec=".")

    def unread(self, name, operands, **keys):
        """An operation whose result other steps do not read."""
        self.emit(name, operands, (), **keys)
        return len(self.shapes) - 1

    def explicit_spec(self, shape):
        spec = self.random_spec(shape)
        if self.rng.random() < 0.9:
            return [tuple(a for a in e if a in self.explicit) for e in spec]
        return spec


def types_of(outs):
    return " ".join(v.aval.str_short(True) for v in outs)


def normalized(text):
    text = re.sub(r" *This error occurs at source: .*", "", text)
    return fm.normalized(text).strip()


def expected(p):
    mesh = Mesh(np.array(jax.devices()).reshape(p.sizes), p.names, axis_types=tuple(AxisType[t] for t in p.types))
    with jax.set_mesh(mesh):
        ins = [jax.device_put(x, NamedSharding(mesh, fm.parse_spec(s))) for x, s in zip(p.ins, p.specs)]

        def f(*a):
            return p.evaluate(a)

        out = {"jaxpr": normalized(fm.or_error(lambda: str(jax.make_jaxpr(f)(*ins))))}
        fm.take_seen()
        values = fm.or_error(lambda: jax.jit(f)(*ins))
        seen = fm.take_seen()
        if isinstance(values, str):
            out["values"] = normalized(values)
            return out
        out["values"] = fm.floats(values)
        out["seen"] = seen
        out["types"] = types_of(jax.jit(f).trace(*ins).jaxpr.jaxpr.outvars)
        if all(v.dtype == jnp.float32 for v in values):
            def pulled(*a):
                ys, back = jax.vjp(f, *a)
                return back([jax.reshard(jnp.ones_like(y), jax.typeof(y).sharding) for y in ys])
            out["vjp"] = fm.or_error(lambda: fm.floats(jax.jit(pulled)(*ins)))
            if isinstance(out["vjp"], str):
                del out["vjp"]  # An operation of JAX's own rule has no type; ours may have another one.
        return out


def main():
    server = fm.Server()
    tally = oracle.Tally("frontend_explicit", show=int(os.environ.get("SHOW", 3)))
    for rng in oracle.generators(args):
        p = Case(rng).p
        server.send(p, "types")
        theirs = expected(p)
        ours = server.receive()
        if ours is None:
            tally.fail(rng.name, "the server ended\n" + p.brief())
            break
        for name, value in theirs.items():
            mine = ours.get(name, "missing")
            if isinstance(mine, str):
                mine = normalized(mine)
            problem = fm.differs(name, mine, value)
            if problem is None:
                tally.ok()
            else:
                tally.fail(f"{rng.name} {name}", f"{problem}\n{theirs.get('jaxpr')}\n{p.brief()}")
    server.close()
    tally.finish()


main()
