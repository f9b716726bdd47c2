#===- xla.py - bytes that XLA's partitioned programs send -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from shardwright.jax.elsewhere import hlo_bytes


def stats(program):
    """Compiles with XLA for 8 host devices, checks the results, and counts the optimised HLO."""
    import jax

    compiled = program.lowered.compile()
    program.check("XLA", jax.tree.leaves(compiled(*program.args)))
    return hlo_bytes.summary(compiled.as_text())
