#===- sharded_function.py - a jitted function with found shardings --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Jits a function again as it was jitted: with its static and donated arguments, but with other shardings, and with constraints
on values inside."""

import functools

from shardwright.jax import jaxpr_values


class Jitted:
    """A jitted function, or a function that is jitted without options."""

    def __init__(self, function):
        import jax

        self.jitted = function if hasattr(function, "trace") else jax.jit(function)
        self.function = getattr(self.jitted, "__wrapped__", self.jitted)
        #: JAX's record of the options of `jax.jit`; a private name, without which they are the defaults
        self.info = getattr(self.jitted, "_jit_info", None)
        self.static_argnums = tuple(getattr(self.info, "static_argnums", ()))
        self.static_argnames = tuple(getattr(self.info, "static_argnames", ()))

    def again(self, function, **changes):
        """jax.jit of another function of the same signature, with the same options but for `changes`."""
        import jax

        options = {}
        if self.info is not None:
            for name in ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "keep_unused", "inline"):
                if getattr(self.info, name, None):
                    options[name] = getattr(self.info, name)
            for name in ("in_shardings", "out_shardings"):
                tree, leaves = getattr(self.info, f"{name}_treedef"), getattr(self.info, f"{name}_leaves")
                if any(type(leaf).__name__ != "UnspecifiedValue" for leaf in leaves):
                    options[name] = jax.tree_util.tree_unflatten(tree, leaves)
            if getattr(self.info, "compiler_options_kvs", ()):
                options["compiler_options"] = dict(self.info.compiler_options_kvs)
        return jax.jit(function, **(options | changes))

    def with_values(self, evaluate):
        """The function, where `evaluate(closed jaxpr)` returns the function of flat arguments that is called instead."""
        import jax

        @functools.wraps(self.function)
        def called(*args, **kwargs):
            static = {i % max(len(args), 1) for i in self.static_argnums if -len(args) <= i < len(args)}
            names = set(self.static_argnames)
            dynamic = [args[i] for i in range(len(args)) if i not in static]
            keywords = {k: v for k, v in kwargs.items() if k not in names}
            leaves, tree = jax.tree_util.tree_flatten((dynamic, keywords))

            def flat(*leaves):
                values, keywords = jax.tree_util.tree_unflatten(tree, leaves)
                values = iter(values)
                joined = [args[i] if i in static else next(values) for i in range(len(args))]
                return self.function(*joined, **({k: v for k, v in kwargs.items() if k in names} | keywords))

            closed, shape = jax.make_jaxpr(flat, return_shape=True)(*leaves)
            return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(shape), evaluate(closed)(*leaves))

        return called


class WithKeywords:
    """A jitted function that is called with keyword arguments, whose shardings `in_shardings` cannot name: they are passed on
    as one dictionary. Called, lowered and traced as the function itself."""

    def __init__(self, jitted, function, args_shardings, kwargs_shardings, out_shardings, donated):
        import jax

        names = set(jitted.static_argnames)

        def together(keywords, static, *args):
            return function(*args, **dict(static), **keywords)

        def split(kwargs):
            keywords = {k: v for k, v in kwargs.items() if k not in names}
            if set(keywords) != set(kwargs_shardings):
                raise TypeError(f"the shardings were found for the keyword arguments {sorted(kwargs_shardings)}, not for {sorted(keywords)}")
            return keywords, tuple(sorted((k, v) for k, v in kwargs.items() if k in names))

        self._split = split
        self._jitted = jax.jit(
            together,
            in_shardings=(kwargs_shardings, *args_shardings),
            out_shardings=out_shardings,
            static_argnums=(1, *(i + 2 for i in jitted.static_argnums)),
            donate_argnums=tuple(i + 2 for i in donated),
        )

    def __call__(self, *args, **kwargs):
        return self._jitted(*self._split(kwargs), *args)

    def lower(self, *args, **kwargs):
        return self._jitted.lower(*self._split(kwargs), *args)

    def trace(self, *args, **kwargs):
        return self._jitted.trace(*self._split(kwargs), *args)


def tagged(jitted):
    """The function, jitted so that its lowered module names the equations of its jaxpr; and the list of these equations, which
    is filled when it is traced."""
    equations = []

    def evaluate(closed):
        equations[:] = jaxpr_values.number_equations(closed)[1]
        return jaxpr_values.tagged(closed)

    return jitted.again(jitted.with_values(evaluate)), equations


def with_shardings(jitted, args_info, in_shardings, out_shardings, constraints):
    """The function, jitted with the shardings of its arguments: the pair (positional, by keyword) of pytrees. Donation is that
    of `args_info`. `constraints` is {(equation, result): sharding}."""
    import jax

    function = jitted.function
    if constraints:
        function = jitted.with_values(lambda closed: jaxpr_values.constrained(closed, constraints))
    args, kwargs = in_shardings
    positions = [i for i in range(len(args) + len(jitted.static_argnums)) if i not in jitted.static_argnums]
    donated = tuple(
        positions[i] for i, info in enumerate(args_info[0]) if any(leaf.donated for leaf in jax.tree_util.tree_leaves(info))
    )
    if kwargs or jitted.static_argnames:
        return WithKeywords(jitted, function, args, kwargs, out_shardings, donated)
    return jitted.again(function, in_shardings=args, out_shardings=out_shardings, donate_argnums=donated, donate_argnames=None)
