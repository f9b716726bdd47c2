#===- exporting.py - artifacts that contain our partition -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Exports a function as `jax.export` does, with the program in region form."""

import dataclasses

from shardwright.jax.elsewhere import marks, rewriting


def _artifact(text):
    """Serializes a module's text as jax.export does, for consumers that are a month old."""
    from jax.extend import mlir
    from jax.extend.mlir import ir
    from jax.extend.mlir.dialects import stablehlo
    from jax.interpreters.mlir import make_ir_context

    month = stablehlo.StablehloCompatibilityRequirement.WEEK_4
    with make_ir_context() as context:
        module = ir.Module.parse(text, context=context)
        return mlir.serialize_portable_artifact(module, stablehlo.get_version_from_compatibility_requirement(month), True)


def export(jitted, **options):
    import jax

    exporter = jax.export.export(jitted, **options)

    def exported(*args, **kwargs):
        program = exporter(*args, **kwargs)
        chosen = marks.marked(program.fun_name) or marks.Options()
        if program.nr_devices < 2:
            return program
        chosen = chosen.on(program.platforms[0] if len(program.platforms) == 1 else None)
        answer = rewriting.partition_text(program.mlir_module(), chosen, program.nr_devices, [True], [True], functions=False)
        return dataclasses.replace(program, mlir_module_serialized=_artifact(answer["module"]))

    return exported
