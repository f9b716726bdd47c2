#===- ours.py - bytes that our partition sends -----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import common


def stats(program):
    """The same program through `shardwright run`: its answer is checked by --expect."""
    return common.check_ours(program)
