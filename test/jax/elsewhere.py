#===- elsewhere.py - our partition on JAX's own CPU backend --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Each case runs with jax.jit and with shardwright.jax.jit on 8 devices of JAX's own CPU backend. Arrays,
types, shardings, memory kinds and texts must be equal, and our partitioner must have made the programs.
The cases are in elsewhere_cases.py (values and transformations) and elsewhere_api.py (stages, effects,
errors).

    python test/jax/elsewhere.py [--every N] [NAME...]
"""

import argparse
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=8", TF_CPP_MIN_LOG_LEVEL="3")
# Devices that wait for each other block threads of XLA's pool.
os.environ.update(JAX_CPU_ENABLE_ASYNC_DISPATCH="false", NPROC="32")
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "test", "oracle"), HERE]

import oracle

oracle.require()

import elsewhere_api
import elsewhere_cases
import jax
import numpy as np

import shardwright.jax
from shardwright.jax.elsewhere import rewriting


class Count:
    """Counts the programs that we partitioned."""

    def __init__(self):
        self.programs = 0
        original = rewriting.partition_text

        def partition_text(*args, **kwargs):
            answer = original(*args, **kwargs)
            self.programs += 1
            return answer

        rewriting.partition_text = partition_text


def leaves(tree):
    """Returns what two runs must agree on: [(path, value, type and place)]."""
    found = []
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree):
        place = None
        if isinstance(leaf, jax.Array):
            place = (str(leaf.aval), str(leaf.sharding), leaf.sharding.memory_kind, leaf.committed)
            if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
                leaf = jax.random.key_data(leaf)
        value = leaf if isinstance(leaf, str) else np.asarray(leaf)
        found.append((jax.tree_util.keystr(path), value, place))
    return found


def difference(ours, theirs, rtol):
    """Returns a text, or None if they are equal."""
    if [path for path, *_ in ours] != [path for path, *_ in theirs]:
        return f"other leaves: {[p for p, *_ in ours]}, {[p for p, *_ in theirs]}"
    for (path, a, place), (_, b, other) in zip(ours, theirs):
        if place != other:
            return f"{path}: {place}, expected {other}"
        if isinstance(a, str) or isinstance(b, str):
            if a is not b and a != b:
                return f"{path}: {a!r}, expected {b!r}"
            continue
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{path}: {a.dtype}{a.shape}, expected {b.dtype}{b.shape}"
        if a.dtype.kind not in "fcV" and not np.array_equal(a, b):
            return f"{path}: {a}, expected {b}"
        if a.dtype.kind == "V":  # bf16 and smaller: their bits within a rounding
            a, b = a.astype(np.float32), b.astype(np.float32)
        if a.dtype.kind in "fc" and not np.allclose(a, b, rtol, rtol * np.max(np.abs(b), initial=0), equal_nan=True):
            return f"{path}: {a}, expected {b}"
    return None


def run(name, function, options, tally, count):
    """Runs a case both ways."""
    for _ in range(1):
        try:
            if options.get("alone"):
                before = count.programs
                function(tally, shardwright.jax.jit)
                continue
            theirs = leaves(function(jax.jit))
            before = count.programs
            ours = leaves(function(shardwright.jax.jit))
        except Exception:
            tally.fail(name, traceback.format_exc())
            continue
        wrong = difference(ours, theirs, options.get("rtol", 2e-6))
        made = count.programs - before
        tally.check(f"{name}: equal", wrong is None, wrong)
        wanted = options.get("programs", True)
        tally.check(f"{name}: partitioned by us", bool(made) == wanted, f"{made} programs")


def main(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth case")
    parser.add_argument("--long", action="store_true", help="the same: all cases run")
    args = parser.parse_args()
    tally, count = oracle.Tally("jax/elsewhere"), Count()
    tally.show = 20
    cases = elsewhere_cases.CASES | elsewhere_api.CASES
    for name, (function, options) in list(cases.items())[:: args.every]:
        if not args.names or name in args.names:
            run(name, function, options, tally, count)
    tally.finish()


if __name__ == "__main__":
    main(__doc__)
