#===- public_names.py - partitioned functions without private names -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Where JAX has no function that we can wrap (`hook`), a partitioned function is lowered, changed and
compiled by JAX's public functions. JAX then does not know the compiled program, so a call costs more.
Inside of transformations and other programs the function is plain."""

import functools
import threading

from shardwright.jax.elsewhere import hook, marks, rewriting


class Jitted:
    """Stands for a function of jax.jit."""

    def __init__(self, wrapper, options, jit_options):
        import jax

        functools.update_wrapper(self, wrapper)
        self._wrapper, self._options, self._jit_options = wrapper, options, jit_options
        self._plain = jax.jit(wrapper, **jit_options)
        self._compiled, self._lock = {}, threading.Lock()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._plain, name)

    def _static(self, args, kwargs):
        """Splits the arguments: (static ones as a key, the others)."""
        import inspect

        numbers = self._jit_options.get("static_argnums", ())
        given = self._jit_options.get("static_argnames", ())
        numbers = {numbers} if isinstance(numbers, int) else set(numbers)
        given = {given} if isinstance(given, str) else set(given)
        try:
            order = [p.name for p in inspect.signature(self._wrapper).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        except (TypeError, ValueError):
            order = []
        numbers = {n % max(len(args), 1) if n < 0 else n for n in numbers}
        given |= {order[n] for n in numbers if n < len(order)}
        numbers |= {order.index(name) for name in given if name in order}
        key = tuple((n, args[n]) for n in sorted(numbers) if n < len(args))
        key += tuple((name, kwargs[name]) for name in sorted(given) if name in kwargs)
        return key, [a for n, a in enumerate(args) if n not in numbers], {k: v for k, v in kwargs.items() if k not in given}

    def __call__(self, *args, **kwargs):
        import jax

        static, dynamic, named = self._static(args, kwargs)
        leaves, tree = jax.tree.flatten((dynamic, named))
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return self._plain(*args, **kwargs)
        key = (static, tree, tuple(map(_kind, leaves)), jax.config.jax_enable_x64)
        with self._lock:
            compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self.compile(*args, **kwargs)
            with self._lock:
                compiled = self._compiled.setdefault(key, compiled)
        return compiled(*dynamic, **named)

    def compile(self, *args, **kwargs):
        """Returns the Compiled of the partitioned program."""
        import jax

        def lower():
            # JAX keeps lowered programs by function, so that a change is visible to other users of it.
            @functools.wraps(self._wrapper)
            def fresh(*args, **kwargs):
                return self._wrapper(*args, **kwargs)

            return jax.jit(fresh, **self._jit_options).lower(*args, **kwargs)

        lowered = lower()
        module = lowered.compiler_ir()
        devices = rewriting.devices_of(module)
        if devices < 2:
            return lowered.compile()

        def compile_region():
            answer = rewriting.partition_text(rewriting.text_of(module), self._options.on(jax.default_backend()), devices, [True], [True])
            replace_contents(module, answer["module"])
            return lowered.compile()

        return hook.guarded(hook.module_name(module), self._options, jax.default_backend(), compile_region, lambda: lower().compile())


def _kind(leaf):
    """Returns what a compiled program depends on of an argument."""
    import jax

    aval = jax.api_util.shaped_abstractify(leaf) if hasattr(jax, "api_util") else jax.typeof(leaf)
    return aval, getattr(leaf, "sharding", None) if getattr(leaf, "committed", True) else None, getattr(leaf, "committed", False)


def replace_contents(module, text):
    """Replaces the functions and attributes of a module by those of a text."""
    from jax.extend.mlir import ir

    new = ir.Module.parse(text, context=module.context)
    for op in list(module.body.operations):
        op.operation.erase()
    for op in list(new.body.operations):
        module.body.append(op.operation.detach_from_parent() if hasattr(op.operation, "detach_from_parent") else op)
    for attribute in new.operation.attributes:
        name = attribute.name if hasattr(attribute, "name") else attribute
        module.operation.attributes[name] = new.operation.attributes[name]
