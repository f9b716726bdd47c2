#===- explicit_text.py - programs as text that can be reduced -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A JAX program as functions that consist of steps; explicit_programs.py makes, prints and reduces
them. Values are named v0, v1, ..., functions f0, f1, ...; each name is defined once in a program."""

import re
from dataclasses import dataclass, field

IMPORTS = [
    "import jax, jax.numpy as jnp", "from jax import lax", "from jax.sharding import AxisType, PartitionSpec as P, reshard",
    "from explicit_helpers import apart, data, own_gradient, pullback, pushforward, scan",
]  # fmt: skip
NAME = re.compile(r"\bv\d+\b")


@dataclass
class Step:
    """`names = code`, preceded by the functions that the code calls. `types`: those of the names, as
    text."""

    names: list
    code: str
    types: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    single: bool = False

    def lines(self, indent):
        out = [line for function in self.functions for line in function.lines(indent)]
        left = ", ".join(self.names) + ("," if len(self.names) == 1 and not self.single else "")
        return out + [f"{indent}{left} = {self.code}"]


@dataclass
class Function:
    """A function that returns a tuple or, if `scalar`, its only result."""

    name: str
    params: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    results: list = field(default_factory=list)
    types: list = field(default_factory=list)
    scalar: bool = False
    done: bool = False

    def lines(self, indent=""):
        inner = indent + "    "
        out = [f"{indent}def {self.name}({', '.join(self.params)}):"]
        for step in self.steps:
            out += step.lines(inner)
        result = self.results[0] if self.scalar else "(" + "".join(r + ", " for r in self.results) + ")"
        return out + [f"{inner}return {result}"]

    def text(self, indent=""):
        return "\n".join(self.lines(indent)) + "\n"

    def functions(self):
        """Returns this function and those inside it, outermost first."""
        yield self
        for step in self.steps:
            for function in step.functions:
                yield from function.functions()

    def remove_unused(self):
        """Removes steps whose values are unused."""
        removed = True
        while removed:
            removed = False
            for function in list(self.functions()):
                used = set(function.results)
                for step in reversed(function.steps):
                    if used.isdisjoint(step.names):
                        function.steps.remove(step)
                        removed = True
                        continue
                    used.update(NAME.findall("\n".join(step.lines(""))))

    def rename(self, old, new):
        """Replaces every use of a value by another."""
        swap = lambda text: re.sub(rf"\b{old}\b", new, text)
        for function in self.functions():
            function.results = [swap(r) for r in function.results]
            for step in function.steps:
                step.code = swap(step.code)


@dataclass
class Program:
    """`entry` is a call such as `jax.jit(f0)`; `arguments` are expressions. The mesh has axes of these
    `sizes`, by name; those in `automatic` are Auto."""

    sizes: dict
    automatic: list
    arguments: list
    main: Function
    entry: str

    def text(self, way="devices"):
        """Returns a script that sets `results`, a tree of arrays, and `mesh`. `one`: on one device.
        `eager`: each operation and each manual computation is compiled separately."""
        shape, names = tuple(self.sizes.values()), tuple(self.sizes)
        devices = ""
        if way == "one":
            shape, devices = (1,) * len(shape), ", devices=jax.devices()[:1]"
        types = "".join(f"AxisType.{'Auto' if n in self.automatic else 'Explicit'}, " for n in names)
        mesh = f"mesh = jax.make_mesh({shape}, {names}, axis_types=({types}){devices})"
        where = "jax.set_mesh(mesh), jax.disable_jit()" if way == "eager" else "jax.set_mesh(mesh)"
        call = f"    results = {self.entry}({', '.join(self.arguments)})"
        text = "\n".join([*IMPORTS, mesh]) + "\n\n" + self.main.text() + f"\nwith {where}:\n{call}\n"
        return text.replace("jax.shard_map(", "apart(") if way == "eager" else text


def smaller(program):
    """Yields smaller variants of this program, each a fresh copy: with fewer results, or with a value
    replaced by an earlier one of the same type."""
    import copy

    def changed(change):
        made = copy.deepcopy(program)
        change(made)
        made.main.remove_unused()
        return made

    def drop(i):
        def change(made):
            del made.main.results[i]
        return change

    if not program.main.scalar:
        for i in range(len(program.main.results) if len(program.main.results) > 1 else 0):
            yield changed(drop(i))

    def substitutes(function, known):
        known = known + list(zip(function.params, function.types))
        for step in function.steps:
            for inner in step.functions:
                yield from substitutes(inner, known)
            for name, type_ in zip(step.names, step.types):
                for old, old_type in known:
                    if type_ == old_type:
                        yield name, old
            known = known + list(zip(step.names, step.types))

    for new, old in reversed(list(substitutes(program.main, []))):
        yield changed(lambda made: made.main.rename(new, old))
