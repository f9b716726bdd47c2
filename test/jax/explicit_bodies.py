#===- explicit_bodies.py - steps that call functions ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Loops, branches, recomputation, maps, gradients and manual computations. Each contains functions
whose bodies consist of steps again."""

import explicit_manual
from explicit_generator import DEPTH, Type, spec_text
from explicit_steps import EXPLICIT, fit, to_spec


def grow(s, steps):
    """Adds about this number of steps of the scope's kind."""
    kinds = {"explicit": EXPLICIT, "auto": AUTO, "manual": explicit_manual.MANUAL}[s.kind]
    bodies = {"explicit": BODIES, "auto": [], "manual": explicit_manual.BODIES}[s.kind]
    made = tries = 0
    while made < steps and tries < 6 * steps:
        tries += 1
        from_bodies = bodies and s.depth < DEPTH and s.gen.chance(0.3 / (1 + s.depth))
        choices = bodies if from_bodies else kinds
        step = s.gen.rng.choices([c for c, _ in choices], [w for _, w in choices])[0]
        if s.names and step(s) is not None:
            made += 1


def shortly(s):
    return s.gen.rng.randint(1, 4)


def like(s, wants, extra=()):
    """Returns names of values of these types: often accumulators, the sum of the old value and a new
    one."""
    results = []
    for want in wants:
        new = s.pick(lambda t: t.dtype != "bool" and t.rank <= len(want.shape) or t.text == want.text)
        made = new and fit(s, new, want)
        if not made and extra:
            made = next((n for n in s.names if s.type(n).text == want.text), None)
        if not made:
            raise ValueError("nothing of the type")
        results.append(made)
    return results


def accumulate(s, carries):
    """Returns a value of the type of each carried value; sometimes the carried value plus another."""
    results = []
    for name in carries:
        want = s.type(name)
        new, = like(s, [want], extra=(name,))
        if s.gen.chance(0.6) and want.dtype != "bool" and new != name:
            new = s.one(f"{name} + {new}") or new
        results.append(new)
    return results


def carried(s):
    """Returns values to carry, including partial sums and scalars."""
    names = []
    for _ in range(s.gen.rng.randint(1, 3)):
        shape = s.gen.rng.choice([(), *s.gen.shapes]) if s.gen.chance(0.5) else None
        if shape is None:
            names.append(s.pick())
            continue
        dims, u, r = s.gen.random_spec(shape, 0.6, 0.1)
        made = s.one(f"jnp.zeros({shape}, jnp.{s.gen.rng.choice(['float32', 'float32', 'int32'])}, out_sharding={spec_text(dims, u, r)})")
        names.append(made or s.pick())
    return list(dict.fromkeys(names))


def joined(names):
    return "(" + "".join(n + ", " for n in names) + ")"


def scan(s):
    start = carried(s)
    xs = []
    for _ in range(s.gen.rng.randint(0, 2)):
        v = s.pick(lambda t: t.rank > 0 and not t.unreduced and 1 < t.shape[0] <= 8 and (not xs or t.shape[0] == s.type(xs[0]).shape[0]))
        t = v and s.type(v)
        v = v and to_spec(s, v, [()] + t.dims[1:], (), t.reduced)
        xs += [v] if v and v not in xs else []

    def body(inner, params):
        carries, rows = params[: len(start)], params[len(start) :]
        grow(inner, shortly(inner))
        out = accumulate(inner, carries)
        ys = [y for _ in range(inner.gen.rng.randint(0, 2)) if (y := inner.pick(lambda t: t.rank < 3))]
        body.ys = len(ys)
        return out + ys

    f = s.function(body)
    # The function's text returns one tuple; scan needs two.
    k = len(start)
    length = s.type(xs[0]).shape[0] if xs else s.gen.rng.randint(1, 4)
    flags = f"length={length}" + (", reverse=True" if s.gen.chance(0.2) else "") + (", unroll=2" if s.gen.chance(0.1) else "")
    code = f"scan({f.name}, {k}, {joined(start)}, {joined(xs)}, {flags})"
    # The number of result rows is known only after the body.
    return s.several(code, [f], lambda: k + body.ys)


def fori(s):
    start = carried(s)

    def body(inner, params):
        inner.names.remove(params[0])
        if inner.gen.chance(0.5):
            inner.names.append(params[0])
        grow(inner, shortly(inner))
        return accumulate(inner, params[1:])

    f = s.function(body)
    n = s.gen.rng.randint(0, 4)
    upper = s.pick(lambda t: t.rank == 0 and t.dtype == "int32" and not t.unreduced and not t.reduced) if s.gen.chance(0.4) else None
    upper = f"jnp.clip({upper}, 0, 3)" if upper else str(n)
    return s.several(f"lax.fori_loop(0, {upper}, lambda i, c: {f.name}(i, *c), {joined(start)})", [f], lambda: len(start))


def while_(s):
    start = carried(s)
    number = s.pick(lambda t: t.rank == 0 and t.dtype == "int32" and not t.unreduced and not t.reduced)

    def body(inner, params):
        grow(inner, shortly(inner))
        return [inner.one(f"{params[0]} + 1"), *accumulate(inner, params[1:])]

    f = s.function(body)
    limit = f"jnp.clip({number}, 0, 3)" if number and s.gen.chance(0.6) else str(s.gen.rng.randint(0, 4))
    code = f"lax.while_loop(lambda c: c[0] < {limit}, lambda c: {f.name}(*c), (jnp.int32(0), *{joined(start)}))"
    return s.several(code, [f], lambda: len(start) + 1)


def branches(s):
    number = s.pick(lambda t: t.rank == 0 and t.dtype == "int32" and not t.unreduced and not t.reduced)
    operands = list(dict.fromkeys(s.pick() for _ in range(s.gen.rng.randint(1, 3))))
    if not number:
        return None
    types = []

    def first(inner, params):
        grow(inner, shortly(inner))
        results = [inner.pick() for _ in range(inner.gen.rng.randint(1, 2))]
        types[:] = [inner.type(r) for r in results]
        return results

    def other(inner, params):
        grow(inner, shortly(inner))
        return like(inner, types)

    count = s.gen.rng.choice([2, 2, 3])
    fs = [s.function(first if i == 0 else other) for i in range(count)]
    names = ", ".join(f.name for f in fs)
    if count == 2:
        code = f"lax.cond({number} % 2 == 0, {names}, {', '.join(operands)})"
    else:
        code = f"lax.switch({number} % 4, [{names}], {', '.join(operands)})"
    return s.several(code, fs, lambda: len(types))


def some_results(inner):
    return list(dict.fromkeys(inner.pick() for _ in range(inner.gen.rng.randint(1, 2))))


def called(s):
    """Calls a function under jit, under remat, or directly."""
    operands = list(dict.fromkeys(s.pick() for _ in range(s.gen.rng.randint(1, 3))))

    def body(inner, params):
        grow(inner, shortly(inner) + 1)
        return some_results(inner)

    f = s.function(body)
    way = s.gen.rng.choice(["jax.jit({})", "jax.checkpoint({})", "jax.checkpoint({})", "jax.checkpoint({}, policy=jax.checkpoint_policies.dots_saveable)"])
    return s.several(f"{way.format(f.name)}({', '.join(operands)})", [f], lambda: len(f.results))


def custom(s):
    """Calls a function with a custom gradient rule."""
    v = s.pick(lambda t: t.is_float) if s.gen.mode != "jvp" else None
    if not v:
        return None
    want = s.type(v)

    def body(inner, params):
        grow(inner, 2)
        return like(inner, [want], extra=(1,))

    f = s.function(body, closed=True)
    way = s.gen.rng.choice(["lambda r, ct: (ct + ct,)", "lambda r, ct: (ct,)"])
    return s.several(f"own_gradient({f.name}, {way})({v})", [f], lambda: 1)


def mapped(s):
    v = s.pick(lambda t: t.rank > 1)
    if not v:
        return None
    t = s.type(v)
    i = s.gen.rng.randrange(t.rank)
    others = [w for w in dict.fromkeys(s.pick(lambda o: o.rank < 3) for _ in range(s.gen.rng.randint(0, 2))) if w]
    ways = [i] + [0 if s.type(w).rank and s.type(w).shape[0] == t.shape[i] and s.type(w).dims[0] == t.dims[i] else None for w in others]

    def body(inner, params):
        grow(inner, shortly(inner) + 1)
        return some_results(inner)

    f = s.function(body, closed=True)
    axes = t.dims[i]
    spmd = f", spmd_axis_name={axes[0] if len(axes) == 1 else axes!r}" if len(axes) > 1 else f", spmd_axis_name={axes[0]!r}" if axes else ""
    spmd = spmd if s.gen.chance(0.5) else ""
    return s.several(f"jax.vmap({f.name}, in_axes={tuple(ways)}{spmd})({', '.join([v, *others])})", [f], lambda: len(f.results))


def to_number(s, names):
    """Returns a float32 scalar that depends on all of these values."""
    out = None
    for name in names:
        t = s.type(name)
        if t.unreduced:
            name = to_spec(s, name, t.dims, (), t.reduced - t.unreduced)
        if not name:
            continue
        if s.gen.chance(0.7):
            name = s.one(f"{name} * {name}") or name
        if t.rank:
            name = s.one(f"lax.reduce_sum({name}, {tuple(range(t.rank))}, out_sharding=P())")
        elif t.reduced:
            name = s.one(f"reshard({name}, P())")
        if name and s.type(name).dtype != "float32":
            name = s.one(f"{name}.astype(jnp.float32)")
        if name:
            out = s.one(f"{out} + {name}") or out if out else name
    return out


def gradient(s):
    """The gradient of a function inside the program, with a rule that may return a partial sum."""
    operands = list(dict.fromkeys(filter(None, (s.pick(lambda t: t.dtype == "float32" and not t.unreduced) for _ in range(s.gen.rng.randint(1, 2))))))
    if not operands:
        return None

    def body(inner, params):
        grow(inner, shortly(inner) + 1)
        names = [n for n in inner.names[-2:] if inner.type(n).is_float]
        result = to_number(inner, names + inner.gen.rng.sample(params, 1))
        if not result:
            raise ValueError("no scalar")
        return [result]

    f = s.function(body, scalar=True)
    code = f"jax.grad({f.name}, argnums={tuple(range(len(operands)))})({', '.join(operands)})"
    return s.several(code, [f], lambda: len(operands))


def automatic(s):
    """Calls a function in which axes are automatic."""
    operands = list(dict.fromkeys(filter(None, (s.pick(lambda t: not t.unreduced and not t.reduced) for _ in range(s.gen.rng.randint(1, 2))))))
    if not operands:
        return None

    def body(inner, params):
        grow(inner, shortly(inner) + 1)
        result = [inner.names[-1]]
        shape = inner.type(result[0]).shape
        body.spec = s.gen.random_spec(shape, 0, 0)[0]
        return result

    f = s.function(body, "auto", closed=True)
    rng = s.gen.rng.random()
    try:
        import jax

        types = [s.env[o] for o in operands]
        mesh = s.gen.mesh.abstract_mesh.update_axis_types({a: jax.sharding.AxisType.Auto for a in s.gen.explicit})
        with jax.sharding.use_abstract_mesh(mesh):
            jax.eval_shape(s.env[f.name], *[jax.ShapeDtypeStruct(x.shape, x.dtype) for x in types])
    except Exception as error:
        s.gen.note(error)
        return None
    exec(f.text(), s.env)
    return s.several(f"jax.sharding.auto_axes({f.name}, out_sharding=({spec_text(body.spec)},))({', '.join(operands)})", [f], lambda: 1)


def manual(s):
    """A manual computation over all axes, or over some axes if nothing is partial."""
    operands = list(dict.fromkeys(s.pick(lambda t: t.dtype != "bool") for _ in range(s.gen.rng.randint(1, 3))))
    types = [s.type(o) for o in operands]
    specs, some = [t.spec() for t in types], ""
    if s.gen.chance(0.2) and not any(t.unreduced or t.reduced for t in types):
        axes = s.gen.rng.sample(list(s.gen.sizes), s.gen.rng.randint(1, len(s.gen.sizes)))
        specs = [spec_text([[a for a in d if a in axes] for d in t.dims]) for t in types]
        some = f", axis_names={{{', '.join(map(repr, sorted(axes)))}}}"

    def body(inner, params):
        grow(inner, shortly(inner) + 2)
        results, body.specs = explicit_manual.results(inner)
        return results

    f = s.function(body, "manual", closed=True)
    # The specs of the results are known only after the body is made, so the first call has
    # placeholders.
    s.env["_specs"] = lambda: body.specs
    comma = "".join(o + ", " for o in specs)
    call = lambda outs: f"jax.shard_map({f.name}, in_specs=({comma}), out_specs={outs}{some})({', '.join(operands)})"
    try:
        eval(call("P()"), s.env)
    except Exception as error:
        if not f.done:
            s.gen.note(error)
            return None
    if not f.done:
        return None
    return s.several(call("(" + "".join(o + ", " for o in body.specs) + ")"), [f], lambda: len(f.results))


def auto_step(s):
    """Adds a step in a scope where types have no shardings."""
    from explicit_steps import binary, moved, unary

    return s.gen.rng.choice([unary, unary, auto_binary, auto_product, auto_total])(s)


def auto_binary(s):
    v = s.pick()
    w = s.pick(lambda o: o.shape == s.type(v).shape and o.dtype == s.type(v).dtype)
    return s.one(f"{v} {s.gen.rng.choice('+-*')} {w}")


def auto_product(s):
    v = s.pick(lambda t: t.rank == 2)
    w = v and s.pick(lambda t: t.rank == 2 and t.shape[0] == s.type(v).shape[1] and t.dtype == s.type(v).dtype)
    return s.one(f"{v} @ {w}") if w else None


def auto_total(s):
    v = s.pick(lambda t: t.rank > 0)
    return v and s.one(s.gen.rng.choice(["jnp.sum({}, 0)", "{}.T", "jnp.max({}, -1)", "jnp.cumsum({}, 0)", "jnp.roll({}, 1, 0)"]).format(v))


AUTO = [(auto_step, 1)]
BODIES = [(scan, 4), (fori, 2), (while_, 1.5), (branches, 2.5), (called, 3), (custom, 1), (mapped, 2.5), (gradient, 2), (automatic, 1), (manual, 4)]
