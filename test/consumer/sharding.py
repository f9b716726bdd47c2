#===- sharding.py - the installed Python package ---------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Uses shardwright.sharding without JAX and outside of the source tree."""

import importlib.util
import sys

assert importlib.util.find_spec("jax") is None, "this environment should have no jax"
import shardwright.sharding
from shardwright.sharding import HloSharding, Mesh

assert sys.prefix in shardwright.sharding.__file__, shardwright.sharding.__file__
v1 = HloSharding("{devices=[4,2]0,4,1,5,2,6,3,7}")
assert str(v1.to_v2()) == "{devices=[4,2]<=[2,4]T(1,0)}"
assert v1.to_v2().to_proto().hex() == "08031a0204024a02020452020100"
mesh = Mesh({"x": 2, "y": 4})
assert v1.to_sdy(mesh, rank=2) == '[{"y"}, {"x"}]'
assert str(v1.to_spec(mesh)) == "P('y', 'x')"
assert HloSharding.from_spec("P('y', 'x')", mesh, rank=2) == v1
assert v1.indices((8, 4))[1] == (slice(2, 4), slice(0, 2))
assert Mesh.infer([v1]).axes == {"_axis_0": 2, "_axis_1": 4}
for axes in ({"x": 2**70}, {"x": 2**63}, {"x": -(2**70)}):
    try:
        Mesh(axes)
    except OverflowError as error:
        assert "does not fit 64 bits" in str(error), error
    else:
        raise AssertionError(f"{axes} was taken")
try:
    HloSharding("{devices=[4,2]0,1}")
except ValueError as error:
    assert "8 tiles but 2 devices" in str(error), error
else:
    raise AssertionError("a list that is too short was taken")
