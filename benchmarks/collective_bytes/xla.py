#===- xla.py - bytes that XLA's partition sends ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import hlo_bytes


def stats(program):
    """XLA for 8 host devices: its answer is checked, its optimised HLO is counted."""
    import jax

    compiled = program.lowered.compile()
    program.check("XLA", jax.tree.leaves(compiled(*program.args)))
    return hlo_bytes.summary(compiled.as_text())
