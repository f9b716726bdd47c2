#===- explicit_generator.py - random programs, made during tracing --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Makes a program for a seed. Steps are tried on tracers when they are made. A step that JAX's types
refuse is dropped at once, so that nearly all programs are accepted. A `Scope` is a function that is
being traced: its values by name, and whether its axes are explicit, automatic or manual."""

import math
import random

import jax
from explicit_text import IMPORTS, NAME, Function, Program, Step

MESHES = [((4, 2), "xy"), ((2, 4), "xy"), ((2, 2, 2), "xyz"), ((8,), "x"), ((2, 2), "xy"), ((1, 4), "xy"), ((4, 1, 2), "xyz")]
DEPTH = 3
# Maximum number of elements of a value.
LARGEST = 4096


def spec_text(dims, unreduced=(), reduced=()):
    parts = [repr(d[0]) if len(d) == 1 else repr(tuple(d)) if d else "None" for d in dims]
    for name, axes in (("unreduced", unreduced), ("reduced", reduced)):
        if axes:
            parts.append(f"{name}={{{', '.join(map(repr, sorted(axes)))}}}")
    return f"P({', '.join(parts)})"


class Type:
    """The JAX type of a value: shape, dtype, axes of its dimensions, unreduced and reduced axes, and
    inside a manual computation the axes along which it varies."""

    def __init__(self, value):
        t = jax.typeof(value)
        self.text, self.shape, self.rank = t.str_short(), tuple(t.shape), len(t.shape)
        self.dtype = str(t.dtype)
        spec = t.sharding.spec
        self.dims = [() if p is None else p if isinstance(p, tuple) else (p,) for p in spec.partitions]
        self.dims += [()] * (self.rank - len(self.dims))
        manual = t.sharding.mesh.are_all_axes_manual
        self.unreduced = frozenset(t.mat.unreduced if manual else spec.unreduced)
        self.reduced = frozenset(t.mat.reduced if manual else spec.reduced)
        self.varying = frozenset(t.mat.varying)

    @property
    def used(self):
        return {a for d in self.dims for a in d}

    @property
    def is_float(self):
        return self.dtype in ("float32", "bfloat16")

    @property
    def size(self):
        return math.prod(self.shape)

    def spec(self):
        return spec_text(self.dims, self.unreduced, self.reduced)


class Scope:
    def __init__(self, gen, env, names, kind, depth):
        self.gen, self.env, self.names, self.kind, self.depth = gen, env, list(names), kind, depth
        self.steps = []

    def type(self, name):
        return Type(self.env[name])

    def pick(self, accept=lambda t: True, recent=0.6):
        """Returns an accepted value, often an unused or a recent one. None if there is none."""
        names = [n for n in self.names if accept(self.type(n))]
        if not names:
            return None
        unread = [n for n in names if n not in self.gen.read] if self.gen.chance(0.4) else []
        return self.gen.rng.choice(unread or (names[-4:] if self.gen.chance(recent) else names))

    def _add(self, code, make, count, single, functions):
        try:
            values = make()
            names = [self.gen.name("v") for _ in range(1 if single else count())]
            self.env.update(zip(names, (values,) if single else values))
            types = [self.type(n) for n in names]
        except Exception as error:
            self.gen.note(error)
            return None
        if not names or any(t.size > LARGEST for t in types):
            return None
        for function in functions:  # functions of the text, so that they can be called again
            exec(function.text(), self.env)
        self.gen.read.update(NAME.findall(code))
        self.steps.append(Step(names, code, [t.text for t in types], list(functions), single))
        self.names += names
        return names

    def one(self, code):
        """Returns the name of the value of an expression, or None if JAX refuses it."""
        names = self._add(code, lambda: eval(code, self.env), None, True, ())
        return names and names[0]

    def several(self, code, functions, count):
        """Calls these functions. Returns the names of the results; count() is their number after the
        call."""
        return self._add(code, lambda: eval(code, self.env), count, False, functions)

    def function(self, grow, kind=None, scalar=False, closed=False):
        """Makes a function that a step of this scope calls: grow(scope, params) returns the names of
        its results. A closed function uses only its parameters."""
        made = Function(self.gen.name("f"), scalar=scalar)
        kind = kind or self.kind

        def traced(*args):
            if made.done:
                env = dict(self.env)
                exec(made.text(), env)
                return env[made.name](*args)
            inner = Scope(self.gen, dict(self.env), () if closed or kind != self.kind else self.names, kind, self.depth + 1)
            made.params = [self.gen.name("v") for _ in args]
            inner.env.update(zip(made.params, args))
            inner.names += made.params
            made.types = [inner.type(p).text for p in made.params]
            made.results = list(grow(inner, made.params))
            made.steps, made.done = inner.steps, True
            values = tuple(inner.env[r] for r in made.results)
            return values[0] if scalar else values

        self.env[made.name] = traced
        return made


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.count = {"v": 0, "f": 0}
        self.refused = {}
        self.mesh = None
        # Values that are used by a step.
        self.read = set()

    def note(self, error):
        text = f"{type(error).__name__}: {str(error)[:100]}"
        self.refused[text] = self.refused.get(text, 0) + 1

    def name(self, letter):
        self.count[letter] += 1
        return f"{letter}{self.count[letter] - 1}"

    def chance(self, p):
        return self.rng.random() < p

    def axes_of(self, mesh):
        return dict(mesh.shape)

    def random_dims(self, shape, axes, p=0.5):
        """Assigns some of the given axes to the dimensions. Returns (dims, remaining axes)."""
        left = list(axes)
        self.rng.shuffle(left)
        dims = [() for _ in shape]
        for axis in list(left):
            where = [i for i, s in enumerate(shape) if s % (math.prod(self.sizes[a] for a in dims[i]) * self.sizes[axis]) == 0]
            if where and self.chance(p):
                i = self.rng.choice(where)
                dims[i] += (axis,)
                left.remove(axis)
        return dims, left

    def random_spec(self, shape, unreduced=0.0, reduced=0.0, p=0.5):
        dims, left = self.random_dims(shape, self.explicit, p)
        if self.automatic:  # JAX supports no partial sums beside axes of other types
            left = []
        u = {a for a in left if self.chance(unreduced)}
        r = {a for a in left if a not in u and self.chance(reduced)}
        return dims, u, r


def _arguments(gen):
    out = []
    for i in range(gen.rng.randint(2, 4)):
        shape = () if gen.chance(0.2) else gen.rng.choice(gen.shapes)
        dtype = gen.rng.choice(["float32", "float32", "int32"])
        dims, _, reduced = gen.random_spec(shape, 0, 0.35)
        out.append(f"data({i}, {shape}, {dtype!r}, {gen.data if dtype == 'float32' else 'integers'!r}, {spec_text(dims, (), reduced)})")
    return out


def generate(seed):
    """Returns {"program": Program, "refused": counts} of a seed."""
    import explicit_bodies

    gen = Generator(seed)
    rng = gen.rng
    shape, names = rng.choice(MESHES)
    gen.sizes = dict(zip(names, shape))
    gen.automatic = rng.sample(names, rng.randint(1, len(names) - 1)) if len(names) > 1 and gen.chance(0.12) else []
    gen.explicit = [n for n in names if n not in gen.automatic]
    sizes = rng.sample([1, 4, 8, 8, 16], 3)
    gen.shapes = [tuple(rng.choice(sizes) for _ in range(rng.randint(1, 3))) for _ in range(3)]
    gen.data = rng.choice(["integers"] * 6 + ["fractions"] * 3 + ["special"])
    gen.inexact = gen.data != "integers"
    env = {}
    exec("\n".join(IMPORTS), env)
    types = jax.sharding.AxisType
    gen.mesh = jax.make_mesh(shape, tuple(names), axis_types=tuple(types.Auto if n in gen.automatic else types.Explicit for n in names))
    arguments = _arguments(gen)
    gen.mode = mode = rng.choice(["jit", "jit", "value_and_grad", "grad", "vjp", "jvp"])
    with jax.set_mesh(gen.mesh):
        args = [eval(a, env) for a in arguments]
        s = Scope(gen, env, (), "explicit", 0)

        def grow(inner, params):
            explicit_bodies.grow(inner, rng.randint(4, 14))
            new = [n for n in inner.names if n not in params] or params
            unread = [n for n in new if n not in gen.read]
            results = list(dict.fromkeys(new[-1:] + unread[-3:] + rng.sample(new, min(len(new), rng.randint(0, 2)))))
            if mode == "jit":
                return results
            number = explicit_bodies.to_number(inner, results)
            if not number:
                raise ValueError("no scalar")
            return [number]

        main = s.function(grow, scalar=mode != "jit")
        jax.eval_shape(env[main.name], *args)
        main.remove_unused()
        program = Program(gen.sizes, gen.automatic, arguments, main, "")
        exec(main.text(), env)
        floats = tuple(i for i, a in enumerate(args) if a.dtype == "float32")
        for mode in (mode, "jit"):
            program.entry = entry(mode, main.name, floats)
            try:
                jax.eval_shape(eval(program.entry, env), *args)
                break
            except Exception as error:
                gen.note(error)
        return {"program": program, "refused": gen.refused, "mode": mode}


def entry(mode, name, floats):
    """Returns the call of a program: its values, or gradients of its only result."""
    if mode == "jit" or not floats:
        return f"jax.jit({name})"
    if mode in ("grad", "value_and_grad"):
        return f"jax.jit(jax.{mode}({name}, argnums={floats}))"
    if mode == "vjp":
        return f"jax.jit(pullback({name}, {floats}))"
    return f"jax.jit(pushforward({name}, {floats}))"
