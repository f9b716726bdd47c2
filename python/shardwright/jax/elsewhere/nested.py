#===- nested.py - partitioned functions inside other programs -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A marked function that another program calls. By default the compiler of the outermost program decides
how it is partitioned. With `nested="region"`, our lowering rule of jit adds the function to the outer
module in region form. The values at its border that have no sharding of their own are replicated there."""

import itertools
import threading
import warnings

from shardwright.jax import names
from shardwright.jax.elsewhere import hook, marks, rewriting

_lock = threading.Lock()
_installed = False
_told = set()


def install():
    """Installs the lowering rule once. Without JAX's own rule, which ours calls, nothing happens: the
    outermost program decides."""
    global _installed
    with _lock:
        if _installed:
            return
        _installed = True
        try:
            original = names.find("jax._src.pjit:_pjit_lowering", takes=("name", "jaxpr", "in_shardings", "out_shardings"))
            register = names.find("jax.interpreters.mlir:register_lowering", takes=("cacheable",))
        except names.Missing:
            return
        from jax.extend.core.primitives import jit_p

        register(jit_p, _rule(original), cacheable=False)


def _rule(original):
    def lower(ctx, *args, name, jaxpr, in_shardings, out_shardings, **params):
        options = marks.marked(name)
        outer = hook.module_name(ctx.module_context.module)
        platforms = ctx.module_context.platforms
        # Otherwise we partition the outer program, with this function in it.
        if options is not None and "shardwright" not in platforms and marks.options_of(outer, platforms[0]) is None:
            why = _why_not(ctx, jaxpr, options)
            if why is None:
                results = _lower_region(ctx, args, name, jaxpr, in_shardings, out_shardings, options)
                if results is not None:
                    return results
            elif why not in _told:
                _told.add(why)
                warnings.warn(f"{marks.plain(name)} is inside of {outer}, whose compiler partitions it, {why}", stacklevel=2)
        return original(ctx, *args, name=name, jaxpr=jaxpr, in_shardings=in_shardings, out_shardings=out_shardings, **params)

    return lower


def _why_not(ctx, jaxpr, options):
    """Returns why a nested function has no region of its own, or None."""
    if options.nested != "region":
        return "unless that is a function of shardwright.jax.jit as well, or nested='region' is given"
    if jaxpr.effects:
        return "because it has effects"
    if getattr(ctx.module_context.axis_context, "manual_axes", None):
        return "because some axes are manual there"
    return None


def _lower_region(ctx, args, name, jaxpr, in_shardings, out_shardings, options):
    """Adds the function in region form to the module, and a call. Returns None if it is a program of one
    device."""
    import jax
    from jax.extend.core import jaxpr_as_fun
    from jax.extend.mlir import ir
    from jax.extend.mlir.dialects import func

    module = ctx.module_context.module
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in jaxpr.in_avals]
    inner = jax.jit(jaxpr_as_fun(jaxpr), in_shardings=tuple(in_shardings), out_shardings=list(out_shardings), keep_unused=True)
    lowered = inner.trace(*shapes).lower(lowering_platforms=tuple(ctx.module_context.platforms))
    text = rewriting.text_of(lowered.compiler_ir())
    devices = rewriting.devices_of(lowered.compiler_ir())
    if devices < 2:
        return None
    # Names must not depend on what else this process has lowered.
    symbols = (op.operation.attributes for op in module.body.operations)
    taken = {ir.StringAttr(attributes["sym_name"]).value for attributes in symbols if "sym_name" in attributes}
    entry = next(entry for entry in (f"{name}_{n}" for n in itertools.count()) if entry not in taken)
    try:
        answer = rewriting.partition_text(text, options.on(ctx.module_context.platforms[0]), devices, [True], [True], embed=entry)
    except ValueError as error:
        if options.fallback == "xla":
            warnings.warn(f"shardwright cannot partition {marks.plain(name)}: {error}", stacklevel=2)
            return None
        raise ValueError(f"shardwright cannot partition {marks.plain(name)}, inside of {hook.module_name(module)}: {error}") from error
    region = ir.Module.parse(answer["module"], context=module.context)
    types = None
    for op in list(region.body.operations):
        copied = op.operation.clone(ip=ctx.module_context.ip)
        if getattr(op, "name", None) is not None and ir.StringAttr(copied.attributes["sym_name"]).value == entry:
            types = ir.FunctionType(ir.TypeAttr(copied.attributes["function_type"]).value)
    if types is None or len(types.inputs) != len(args) or [str(a.type) for a in args] != [str(t) for t in types.inputs]:
        raise ValueError(f"{marks.plain(name)}: the region's arguments differ from those of the call")
    call = func.CallOp(list(types.results), ir.FlatSymbolRefAttr.get(entry), list(args))
    return list(call.results)
