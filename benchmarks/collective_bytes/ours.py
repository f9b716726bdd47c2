#===- ours.py - bytes that our partitioned programs send ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import common


def stats(program):
    """Runs the program through `shardwright run`, whose --expect checks the results."""
    return common.check_ours(program)
