#===- suite.py - the lists of programs of this benchmark ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

random = np.random.RandomState(0)
PROGRAMS, SECOND, THIRD = {}, {}, {}


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def integers(high, *shape):
    return random.randint(0, high, shape).astype(np.int32)


def add(name, function, args, specs, outs=None, programs=PROGRAMS, **axes):
    """Adds a program to a list. `specs` has the structure of `args`, with a tuple, the entries of a
    PartitionSpec, for each array; `outs` is the same for the results. Absent shardings are left to
    propagation."""
    assert all(name not in chosen for chosen in (PROGRAMS, SECOND, THIRD)), name
    programs[name] = (function, args, specs, outs, axes)


def second(name, function, args, specs, outs=None, **axes):
    """Adds a program to the second list, as `add` does."""
    add(name, function, args, specs, outs, SECOND, **axes)


def third(name, function, args, specs, outs=None, **axes):
    """Adds a program to the third list, as `add` does."""
    add(name, function, args, specs, outs, THIRD, **axes)


def constrained(function):
    """Marks a function whose first argument is exporting.constrainer's result."""
    function.constrained = True
    return function
