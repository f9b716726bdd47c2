#===- program.py - programs of the front end as text and in JAX -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs of operations and of functions with bodies: blocks of steps. Their text is what frontend_server reads
(program.h); here they are evaluated with JAX. A block may be made while it is evaluated the first time."""

import ast
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import frontend_mesh as fm
from frontend import jax_ops

POLICIES = [jax.checkpoint_policies.everything_saveable, jax.checkpoint_policies.nothing_saveable,
            jax.checkpoint_policies.dots_saveable]
MESH_OPS = set(fm.COLLECTIVES) | {"reshard", "constrain"}


class Step:
    """An operation on values by number, with text keys; `blocks` are the bodies of its functions."""

    def __init__(self, name, args, keys=None, blocks=(), literal=None):
        self.name, self.args, self.keys = name, list(args), dict(keys or {})
        self.blocks, self.literal = list(blocks), literal

    def number(self, key, default=0):
        return int(self.keys.get(key, default))

    def numbers(self, key):
        text = str(self.keys.get(key, ""))
        return [int(v) for v in text.split(",") if v]

    def lines(self):
        if self.literal is not None:
            return [f"lit {self.literal[0]} {self.literal[1]}"]
        head = " ".join([self.name] + [str(i) for i in self.args] +
                        [f"{k}={v}" for k, v in self.keys.items() if v != ""])
        if not self.blocks:
            return ["op " + head]
        return ["begin " + head] + [line for b in self.blocks for line in b.lines()] + ["end"]


class Block:
    """Steps on the values around it and its arguments. `make(values, count)` writes the steps of a new block, where
    `count` values are around it, and returns all values."""

    def __init__(self, make=None):
        self.steps, self.outs, self.make = [], [], make

    def lines(self):
        body = [line for s in self.steps for line in s.lines()]
        return ["block"] + body + ["yield " + " ".join(map(str, self.outs))]

    def uses(self):
        """The numbers of all values that the block names, those of blocks in it included."""
        out = set(self.outs)
        for s in self.steps:
            out.update(s.args)
            for b in s.blocks:
                out |= b.uses()
        return out

    def run(self, scope, args):
        values = list(scope) + list(args)
        if self.make:
            make, self.make = self.make, None
            values = make(self, values, len(scope))
        else:
            for step in self.steps:
                values.extend(apply(step, values))
        return [values[i] for i in self.outs]

    def function(self, scope):
        return lambda *args: self.run(scope, args)


def renumbered(steps, start, by):
    """The steps with all values from `start` on moved."""
    move = lambda i: i + by if i >= start else i
    out = []
    for s in steps:
        copy = Step(s.name, [move(i) for i in s.args], s.keys, [], s.literal)
        for b in s.blocks:
            block = Block()
            block.steps, block.outs = renumbered(b.steps, start, by), [move(i) for i in b.outs]
            copy.blocks.append(block)
        out.append(copy)
    return out


def value_of(literal):
    kind, value = literal
    return {"weak": float, "weak_int": int, "f32": np.float32, "i32": np.int32}[kind](value)


def is_float(x):
    return jnp.issubdtype(x.dtype, jnp.floating)


def is_inexact(x):
    return jnp.issubdtype(x.dtype, jnp.inexact)


# --- functions with bodies: the same as in block_ops.cc ------------------------------------


def scan(s, scope, a):
    n = s.number("carry")
    body = s.blocks[0].function(scope)

    def one(c, x):
        outs = body(*c, *x)
        return outs[:n], outs[n:]
    c, ys = lax.scan(one, a[:n], a[n:], length=s.keys.get("length") and s.number("length"),
                     reverse=bool(s.number("reverse")), unroll=s.number("unroll", 1))
    return c + ys


def while_loop(s, scope, a):
    test, body = (b.function(scope) for b in s.blocks)
    return lax.while_loop(lambda c: test(*c)[0], lambda c: body(*c), a)


def fori(s, scope, a):
    body = s.blocks[0].function(scope)
    return lax.fori_loop(s.number("from"), s.number("to"), lambda i, c: body(i, *c), a)


def dynamic_fori(s, scope, a):
    body = s.blocks[0].function(scope)
    return lax.fori_loop(a[0], a[1], lambda i, c: body(i, *c), a[2:])


def jitted(s, scope, a):
    def inner(args):
        return s.blocks[0].run(scope, args)
    f = jax.jit(inner, inline=bool(s.number("inline")))
    out = f(a)
    for _ in range(s.number("times", 1) - 1):
        out = f(out)
    return out


def checkpoint(s, scope, a):
    policy = POLICIES[s.number("policy")] if "policy" in s.keys else None
    return jax.checkpoint(s.blocks[0].function(scope), policy=policy, prevent_cse=bool(s.number("prevent_cse", 1)))(*a)


def vmap(s, scope, a):
    axes = tuple(None if i < 0 else i for i in s.numbers("in"))
    outs = s.numbers("out")
    size = s.number("size") if "size" in s.keys else None
    named = {"axis_name": s.keys["name"]} if s.keys.get("name") else {}
    return jax.vmap(s.blocks[0].function(scope), in_axes=axes, out_axes=outs[0] if len(outs) == 1 else outs,
                    axis_size=size, **named)(*a)


def value_and_grad(s, scope, a):
    f = s.blocks[0].function(scope)
    value, grads = jax.value_and_grad(lambda args: f(*args)[0])(a)
    return [value] + list(grads)


def jvp(s, scope, a):
    n = len(a) // 2
    ys, ts = jax.jvp(s.blocks[0].function(scope), tuple(a[:n]), tuple(a[n:]))
    return list(ys) + list(ts)


def vjp(s, scope, a):
    n = s.number("primals")
    ys, pull = jax.vjp(s.blocks[0].function(scope), *a[:n])
    return list(ys) + list(pull(list(a[n:])))


def linearize(s, scope, a):
    n = len(a) // 2
    ys, push = jax.linearize(s.blocks[0].function(scope), *a[:n])
    negative = [lax.neg(t) for t in a[n:]]
    return list(ys) + list(push(*a[n:])) + list(push(*negative))


def custom_jvp(s, scope, a):
    def own(args):
        return s.blocks[0].run(scope, args)
    f = jax.custom_jvp(own)

    def rule(primals, tangents):
        outs = s.blocks[1].run(scope, list(primals[0]) + list(tangents[0]))
        return outs[:len(outs) // 2], outs[len(outs) // 2:]
    rule.__name__ = "<lambda>"
    f.defjvp(rule)
    return f(a)


def custom_vjp(s, scope, a):
    def own(args):
        return s.blocks[0].run(scope, args)
    f = jax.custom_vjp(own)
    n = s.number("results")

    def forward(args):
        outs = s.blocks[1].run(scope, args)
        return outs[:n], outs[n:]
    forward.__name__ = "<lambda>"
    f.defvjp(forward, lambda residuals, cts: (s.blocks[2].run(scope, list(residuals) + list(cts)),))
    return f(a)


def mapped(s, scope, a):
    f = s.blocks[0].function(scope)
    return lax.map(lambda xs: f(*xs), a, batch_size=s.number("batch") or None)


def associative_scan(s, scope, a):
    f = s.blocks[0].function(scope)
    return lax.associative_scan(lambda x, y: f(*x, *y), a, reverse=bool(s.number("reverse")), axis=s.number("axis"))


def shard_map(s, scope, a):
    def mapped(args):
        return s.blocks[0].run(scope, args)
    specs = {k: [fm.parse_spec(t) for t in s.keys[k].split(";")] for k in ("in", "out")}
    axes = {"axis_names": set(s.keys["axes"].split(","))} if s.keys.get("axes") else {}
    return jax.shard_map(mapped, in_specs=(specs["in"],), out_specs=specs["out"],
                         check_vma=bool(s.number("check", 1)), **axes)(a)


def axes_tree(text):
    """`(0,n,[1],{a:0})`: integers, `n` for None, tuples, lists and maps."""
    text = re.sub(r"\bn\b(?!:)", "None", text)
    text = re.sub(r"([a-z]):", r"'\1':", text)
    return ast.literal_eval(text)


def pmap_options(s):
    keys, options = s.keys, {}
    if keys.get("name"):
        options["axis_name"] = keys["name"]
    for key, name in (("in", "in_axes"), ("out", "out_axes")):
        # `jax_in`: what JAX is given instead.
        if text := keys.get("jax_" + key, keys.get(key)):
            options[name] = axes_tree(text)
    if keys.get("devices"):
        first, count = (int(v) for v in keys["devices"].split(","))
        options["devices"] = [jax.devices()[(first + i) % 8] for i in range(count)]
    if keys.get("size"):
        options["axis_size"] = s.number("size")
    return options


PMAPS = []


def pmap(s, scope, a):
    """The forms of pmap_ops.h. JAX has no pmap inside of pmap: that is vmap."""
    options, function = pmap_options(s), s.blocks[0].function(scope)
    form = s.keys.get("form", "")
    if PMAPS:
        return jax.vmap(lambda args: function(*args), **options)(list(a))

    def body(*args):
        PMAPS.append(s)
        try:
            return function(*args)
        finally:
            PMAPS.pop()
    as_map = lambda items: {chr(ord("a") + i): x for i, x in enumerate(items)}
    if form == "tree":
        def of_tree(x, rest):
            outs = body(x, *rest)
            return outs[0], as_map(outs[1:])
        first, others = jax.pmap(of_tree, **options)(a[0], list(a[1:]))
        return [first] + [others[key] for key in sorted(others)]
    if form == "keywords":
        return jax.pmap(lambda x, **rest: body(x, *[rest[key] for key in sorted(rest)]), **options)(a[0], **as_map(a[1:]))
    if form == "static":
        return jax.pmap(lambda x, factor: body(lax.mul(x, np.asarray(factor, x.dtype))), static_broadcasted_argnums=1, **options)(a[0], 3)
    if form == "two":
        return jax.pmap(lambda x, y: body(x, y), **options)(*a)
    if form == "one":
        return [jax.pmap(lambda x: body(x)[0], **options)(*a)]
    return jax.pmap(lambda args: body(*args), **options)(list(a))


def auto_axes(s, scope, a):
    specs = [fm.parse_spec(t) for t in s.keys["out"].split(";")]
    return jax.sharding.auto_axes(lambda args: s.blocks[0].run(scope, args), out_sharding=specs)(a)


BLOCK_OPS = {
    "scan": scan, "while": while_loop, "fori": fori, "fori_dynamic": dynamic_fori,
    "cond": lambda s, scope, a: lax.cond(a[0], s.blocks[0].function(scope), s.blocks[1].function(scope), *a[1:]),
    "switch": lambda s, scope, a: lax.switch(a[0], [b.function(scope) for b in s.blocks], *a[1:]),
    "jit": jitted, "checkpoint": checkpoint, "vmap": vmap, "grad": value_and_grad, "jvp": jvp, "vjp": vjp,
    "linearize": linearize, "custom_jvp": custom_jvp, "custom_vjp": custom_vjp, "map": mapped,
    "assoc_scan": associative_scan, "shard_map": shard_map, "auto_axes": auto_axes, "pmap": pmap,
}


def apply(step, values):
    """The results of a step."""
    if step.literal is not None:
        return [value_of(step.literal)]
    args = [values[i] for i in step.args]
    if step.blocks:
        # Functions keep only what they use, as those of users do: JAX names results that are still alive.
        pending = any(b.make for b in step.blocks)
        used = set() if pending else set().union(*(b.uses() for b in step.blocks))
        scope = [v if pending or i in used else None for i, v in enumerate(values)]
        return list(BLOCK_OPS[step.name](step, scope, args))
    if step.name in MESH_OPS:
        keys = {k: [int(x) for x in v.split(",")] if k == "perm" else int(v) if str(v).lstrip("-").isdigit() else v
                for k, v in step.keys.items()}
        if step.name == "constrain":
            return [lax.with_sharding_constraint(args[0], fm.parse_spec(step.keys["spec"]))]
        return fm.COLLECTIVES[step.name](args, keys) if step.name in fm.COLLECTIVES else fm.LAX[step.name](args, keys)
    keys = {k: tuple(int(x) for x in str(v).split(",")) for k, v in step.keys.items()}
    return list(jax_ops.function(step.name)(args, keys))


def leaves_of(fields):
    """The transformations of a field such as `jaxpr:vmap.vjp`."""
    return [t for t in fields.partition(":")[2].split(".") if t]


# --- transformations of whole programs: the same as in frontend_server.cc ------------------


def pulled(f):
    """The cotangents of the floating arguments, for cotangents sin(result)."""
    def back(*a):
        values, pull = jax.vjp(f, *a)
        cts = pull([lax.sin(y) if is_inexact(y) else np.zeros(y.shape, jax.dtypes.float0) for y in values])
        return [ct for ct, x in zip(cts, a) if is_float(x)]
    return back


def pushed(f):
    """The tangents of the floating results, for tangents cos(argument)."""
    def forward(*a):
        tangents = tuple(lax.cos(x) if is_float(x) else np.zeros(x.shape, jax.dtypes.float0) for x in a)
        values, out = jax.jvp(f, a, tangents)
        return [t for t, y in zip(out, values) if is_float(y)]
    return forward


def mapped_last(f):
    """The function of arguments whose batch dimension is the last one."""
    return lambda *a: jax.vmap(f, in_axes=tuple(x.ndim - 1 for x in a))(*a)


TRANSFORMS = {"vjp": pulled, "jvp": pushed, "vmap": jax.vmap, "vmap_last": mapped_last}


def arguments_of(program, names):
    """The arguments of a transformed program: a batch of each where it is mapped."""
    if "vmap_last" in names:
        return [np.moveaxis(x, 0, -1) for x in program.batches]
    return program.batches if "vmap" in names else program.ins


def transformed(f, names):
    for name in reversed(names):
        f = TRANSFORMS[name](f)
    return f
