#===- check_profile.py - checks the profile of a run ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Checks the profile in the statistics of two runs of budgets.mlir: check_profile.py STATISTICS.json"""

import json
import sys

with open(sys.argv[1]) as file:
    profile = json.load(file)["profile"]
kernels = profile["kernels"]
assert profile["runs"] == 2 and "measured now" in profile["machine"], profile
seconds = [k["seconds"] for k in kernels]
assert seconds == sorted(seconds, reverse=True) and all(s > 0 for s in seconds), seconds
for kernel in kernels:
    assert kernel["bytes"] > 0 and kernel["roofline_seconds"] > 0 and kernel["limit"] in ("memory", "compute"), kernel
# The dot in the loop: three times 64x64 by 64x64, divided over the devices in some way.
dots = [k for k in kernels if "dot_general" in k["name"]]
assert any(k["runs"] >= 3 for k in dots) and all(k["flops"] > 0 for k in dots), dots
