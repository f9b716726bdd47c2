#===- explicit_steps.py - steps on values whose shardings are types -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The steps that explicit_generator.py tries on values: arithmetic, sums and products that produce
partial sums, reshards. Each `step(s)` takes a scope, adds operations that JAX accepts, and returns
a name, or None."""

import math
import string

from explicit_generator import Type, spec_text


def literal(s, t):
    return str(s.gen.rng.choice([2, 3, -1, 0.5] if t.is_float and s.gen.inexact else [2, 3, -1]))


def to_spec(s, name, dims, unreduced=(), reduced=()):
    """Returns the value with this sharding."""
    t = s.type(name)
    same = [tuple(d) for d in dims] == [tuple(d) for d in t.dims]
    if same and set(unreduced) == t.unreduced and set(reduced) == t.reduced:
        return name
    # JAX's CPU aborts if each side has axes that the other lacks.
    for a, b in ((set(unreduced), t.unreduced), (set(reduced), t.reduced)):
        if a - b and b - a:
            return None
    return s.one(f"reshard({name}, {spec_text(dims, unreduced, reduced)})")


def plain(s, accept=lambda t: True):
    return s.pick(lambda t: not t.unreduced and accept(t))


def unary(s):
    v = plain(s)
    t = v and s.type(v)
    if not v:
        return None
    if t.dtype == "bool":
        return s.one(f"{v}.astype(jnp.int32)")
    smooth = ["jnp.tanh({})", "jnp.sin({})", "{} * 0.25", "jax.nn.relu({})", "jnp.square({})"] if t.is_float and s.gen.inexact else ["jax.nn.relu({})"] if t.is_float else ["{} % 7", "{} // 2", "{} ^ 5"]
    return s.one(s.gen.rng.choice(["-{}", "jnp.abs({})", "{} + 1", "{} * " + literal(s, t), *smooth]).format(v))


def convert(s):
    return converted(s, s.pick(), s.gen.rng.choice(["float32", "int32"]))


def converted(s, name, dtype):
    """Does not convert inexact floats to integers, because a rounding error could change the integer."""
    if s.type(name).is_float and dtype == "int32" and s.gen.inexact:
        return None
    return s.one(f"{name}.astype(jnp.{dtype})")


def binary(s):
    v = s.pick()
    t = s.type(v)
    w = s.pick(lambda o: o.shape == t.shape and o.dtype == t.dtype)
    if t.unreduced:
        w = to_spec(s, w, t.dims, t.unreduced, t.reduced)
        return w and s.one(f"{v} + {w}")
    if s.type(w).unreduced:
        w = v
    w = to_spec(s, w, t.dims, (), t.reduced)
    op = s.gen.rng.choice(["{} + {}", "{} - {}", "{} * {}", "jnp.maximum({}, {})", "jnp.where({} > {}, %s, %s)" % (v, w)])
    return w and s.one(op.format(v, w))


def scaled(s):
    """A value times a scalar value."""
    v = s.pick(lambda t: t.rank > 0)
    t = v and s.type(v)
    w = v and s.pick(lambda o: o.rank == 0 and o.dtype == t.dtype and not o.unreduced)
    if not w:
        return None
    w = to_spec(s, w, [], (), t.unreduced | t.reduced)
    return w and s.one(f"{v} * {w}" if s.gen.chance(0.5) else f"{w} * {v}")


def times_reduced(s):
    """A partial sum times a replicated value of its shape."""
    v = s.pick(lambda t: t.unreduced)
    t = v and s.type(v)
    w = v and plain(s, lambda o: o.shape == t.shape and o.dtype == t.dtype)
    w = w and to_spec(s, w, t.dims, (), t.unreduced)
    return w and s.one(f"{v} * {w}")


def reshard(s):
    v = s.pick(recent=0.4)
    if not v:
        return None
    t = s.type(v)
    for _ in range(4):
        dims, u, r = s.gen.random_spec(t.shape, 0.4, 0.15)
        if s.gen.chance(0.4):  # reduce some of them; dimensions in any case
            u = {a for a in t.unreduced if s.gen.chance(0.5) and a not in {b for d in dims for b in d}}
        if made := to_spec(s, v, dims, u, r - u):
            return made
    return None


def total(s):
    v = s.pick(lambda t: t.rank > 0 and t.dtype != "bool")
    if not v:
        return None
    t, rng = s.type(v), s.gen.rng
    axes = sorted(rng.sample(range(t.rank), rng.randint(1, t.rank)))
    if s.gen.chance(0.25):
        f = rng.choice(["jnp.sum({}, {})", "jnp.max({}, {})", "jnp.sum({}, {}, keepdims=True)", "jnp.min({}, {})", "jnp.mean({}, {})" if s.gen.inexact else "jnp.sum({}, {})"])
        return s.one(f.format(v, tuple(axes)))
    summed = [a for i in axes for a in t.dims[i]]
    u = {a for a in summed if s.gen.chance(0.7)} | {a for a in t.unreduced if s.gen.chance(0.9)}
    u = () if s.gen.automatic else u
    left = [d for i, d in enumerate(t.dims) if i not in axes]
    return s.one(f"lax.reduce_sum({v}, {tuple(axes)}, out_sharding={spec_text(left, u, t.reduced)})")


def product(s):
    """An einsum with contracted dimensions that are sharded alike: its result is partial along their
    axes."""
    rng = s.gen.rng
    v = plain(s, lambda t: t.dtype != "bool")
    w = v and plain(s, lambda o: o.dtype == s.type(v).dtype)
    if not v:
        return None
    a, b = s.type(v), s.type(w)
    letters, sizes = iter(string.ascii_lowercase), {}
    left = [next(letters) for _ in a.shape]
    sizes.update(zip(left, a.shape))
    right, free = [], list(left)
    for size in b.shape:
        same = [l for l in free if sizes[l] == size]
        if same and s.gen.chance(0.8):
            right.append(rng.choice(same))
            free.remove(right[-1])
        else:
            right.append(next(letters))
            sizes[right[-1]] = size
    shared = [l for l in left if l in right]
    if set(left) & set(right) == set() and a.size * b.size > 1024:
        return None
    out = [l for l in dict.fromkeys(left + right) if l not in shared or s.gen.chance(0.25)]
    batch = [l for l in out if l in shared]
    # In JAX's order for a product of two, so that no transpose of a partial sum follows.
    out = batch + [l for l in left if l in out and l not in batch] + [l for l in right if l in out and l not in batch]
    if math.prod(sizes[l] for l in out) > 2048 or len(out) > 4:
        return None
    where, _ = s.gen.random_dims([sizes[l] for l in sizes], s.gen.explicit, 0.75)
    where = dict(zip(sizes, where))
    reduced_to = lambda mine, other: {x for l in other if l not in mine for x in where[l] if s.gen.chance(0.4) and not s.gen.automatic}
    v = to_spec(s, v, [where[l] for l in left], (), reduced_to(left, right))
    w = to_spec(s, w, [where[l] for l in right], (), reduced_to(right, left))
    if not v or not w:
        return None
    contracted = {x for l in sizes if l not in out for x in where[l]}
    u = contracted if s.gen.chance(0.7) and not s.gen.automatic else ()
    code = f"jnp.einsum('{''.join(left)},{''.join(right)}->{''.join(out)}', {v}, {w}, out_sharding={spec_text([where[l] for l in out], u)})"
    return s.one(code)


def moved(s):
    """Transposes, reshapes, slices and the like."""
    rng = s.gen.rng
    v = s.pick(lambda t: t.rank > 0)
    if not v:
        return None
    t = s.type(v)
    spec = lambda dims: spec_text(dims, t.unreduced, t.reduced)
    whole = [i for i, d in enumerate(t.dims) if not d]
    kind = rng.choice("transpose reshape squeeze expand slice concatenate stack pad flip dynamic update cumsum sort broadcast index".split())
    if kind == "transpose":
        return s.one(f"lax.transpose({v}, {tuple(rng.sample(range(t.rank), t.rank))})")
    if kind == "reshape":
        factors = [f for f in (2, 4, 8) if t.shape[-1] % f == 0]
        i = rng.randrange(t.rank)
        if t.rank > 1 and s.gen.chance(0.5) and i + 1 < t.rank:
            shape = t.shape[:i] + (t.shape[i] * t.shape[i + 1],) + t.shape[i + 2 :]
        elif factors:
            f = rng.choice(factors)
            shape = t.shape[:-1] + (f, t.shape[-1] // f)
        else:
            shape = (t.size,)
        dims, _ = s.gen.random_dims(shape, [a for a in s.gen.explicit if a not in t.unreduced | t.reduced])
        return s.one(f"jnp.reshape({v}, {shape}, out_sharding={spec(dims)})" if s.gen.chance(0.7) else f"{v}.reshape({shape})")
    if kind == "squeeze":
        ones = [i for i, n in enumerate(t.shape) if n == 1]
        return s.one(f"lax.squeeze({v}, ({rng.choice(ones)},))") if ones else None
    if kind == "expand":
        return s.one(f"lax.expand_dims({v}, ({rng.randint(0, t.rank)},))") if t.rank < 4 else None
    if kind == "broadcast":
        dims, _ = s.gen.random_dims((4,), [a for a in s.gen.explicit if a not in t.used | t.unreduced | t.reduced])
        return s.one(f"lax.broadcast_in_dim({v}, {(4, *t.shape)}, {tuple(range(1, t.rank + 1))}, out_sharding={spec(dims + t.dims)})") if t.rank < 3 else None
    if kind == "stack":
        w = s.pick(lambda o: o.text == t.text)
        return s.one(f"jnp.stack([{v}, {w}])") if t.rank < 4 else None
    if kind == "concatenate":
        w = s.pick(lambda o: o.dtype == t.dtype and o.dims == t.dims and o.unreduced == t.unreduced and o.rank == t.rank)
        return s.one(f"lax.concatenate([{v}, {w}], {rng.choice(whole or [0])})")
    if not whole:
        return None
    i = rng.choice(whole)
    n = t.shape[i]
    start = rng.randint(0, max(n // 2 - 1, 0))
    if kind == "slice":
        return s.one(f"lax.slice_in_dim({v}, {start}, {rng.randint(start + 1, n)}, axis={i})")
    if kind == "index":
        return s.one(f"lax.index_in_dim({v}, {start}, {i}, keepdims={s.gen.chance(0.3)})")
    if kind == "pad":
        return s.one(f"lax.pad({v}, jnp.zeros((), {v}.dtype), {[(1, 0, 0) if j == i else (0, 0, 0) for j in range(t.rank)]})") if n < 9 else None
    if kind == "flip":
        return s.one(f"lax.rev({v}, ({i},))")
    if kind == "cumsum":
        return s.one(f"jnp.cumsum({v}, {i})") if t.dtype != "bool" else None
    if kind == "sort":
        return s.one(f"jnp.sort({v}, {i})")
    number = s.pick(lambda o: o.rank == 0 and o.dtype == "int32" and not o.unreduced and not o.reduced) or "1"
    if kind == "dynamic":
        return s.one(f"lax.dynamic_slice_in_dim({v}, {number}, {max(n // 2, 1)}, {i})")
    w = s.pick(lambda o: o.text == t.text)
    piece = s.one(f"lax.slice_in_dim({w}, 0, {max(n // 2, 1)}, axis={i})")
    return piece and s.one(f"lax.dynamic_update_slice_in_dim({v}, {piece}, {number}, {i})")


def constant(s):
    shape = s.gen.rng.choice([(), (), *s.gen.shapes])
    dims, u, r = s.gen.random_spec(shape, 0.3, 0.1)
    dtype = s.gen.rng.choice(["float32", "int32"])
    if s.gen.chance(0.15):
        return s.one(f"jnp.zeros({shape}, jnp.{dtype}, out_sharding={spec_text(dims, u, r)})")
    v = s.one(f"jnp.full({shape}, {s.gen.rng.randint(-3, 3)}, jnp.{dtype}, out_sharding={spec_text(dims)})")
    return v and to_spec(s, v, dims, u, r)


def fit(s, name, want):
    """Returns a value of the type `want`, made from the named value. None if that is not possible."""
    t = s.type(name)
    if t.text == want.text:
        return name
    if t.unreduced and (t.shape != want.shape or t.dtype != want.dtype or t.unreduced != want.unreduced):
        name = to_spec(s, name, t.dims, (), t.reduced)
        t = name and s.type(name)
    if not name:
        return None
    if t.shape != want.shape:
        if t.rank:
            name = s.one(f"lax.reduce_sum({name}, {tuple(range(t.rank))}, out_sharding=P())") if t.dtype != "bool" else None
        name = name and s.one(f"jnp.broadcast_to({name}, {want.shape}, out_sharding={spec_text(want.dims)})")
    if name and s.type(name).dtype != want.dtype:
        name = converted(s, name, want.dtype)
    if name:
        t = s.type(name)
        if t.reduced - want.reduced and want.reduced - t.reduced:
            name = to_spec(s, name, want.dims)
        name = name and to_spec(s, name, want.dims, want.unreduced, want.reduced)
    return name if name and s.type(name).text == want.text else None


EXPLICIT = [(unary, 2), (convert, 1), (binary, 3), (scaled, 1.5), (times_reduced, 1), (reshard, 4), (total, 3), (product, 4), (moved, 4), (constant, 1)]
