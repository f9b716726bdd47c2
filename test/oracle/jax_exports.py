#===- jax_exports.py - functions of JAX that jax.export writes -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Exports the functions that `jax_functions` enumerates with jax.export, plain and under grad, jvp or
vmap, many with sharded arguments on a 4 x 2 mesh. The text that JAX lowers to and the portable artifact
must both parse, verify, print as text that reads as itself, and run with the results of unsharded JAX
on `shardwright run`. The artifact must also print as JAX's own reading of it.

    jax_exports.py --long                      every function
    jax_exports.py --seed 7 --cases 1 -v       one of them, with its program

Functions that JAX cannot trace, export or run are not counted."""

import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile

import oracle

oracle.require()

import jax_run  # the first: it sets XLA's flags
import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import jax_functions

SIZES = {"x": 4, "y": 2}
# Artifacts hold VHLO, and sharding attributes of the sdy dialect.
TO_STABLEHLO = "--vhlo-legalize-to-stablehlo=allow-other-dialects"
LIMIT = 300  # seconds of one command


def command(*arguments):
    """Returns the standard output of a command. Raises RuntimeError if it fails."""
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    if done.returncode:
        named = [os.path.basename(a) for a in arguments[:2]]
        raise RuntimeError(f"{' '.join(named)}: exit code {done.returncode}\n{done.stderr[:3000]}")
    return done.stdout


def stored(array):
    """Returns the array as npz files hold it: types that numpy lacks as their bits."""
    if array.dtype.kind in "biufc" and array.dtype.isbuiltin == 1:
        return array
    return array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)


def choose_spec(rng, shape):
    """Returns a PartitionSpec whose axes divide the dimensions."""
    axes, spec = rng.sample(list(SIZES), 2), []
    for size in shape:
        given = ()
        while axes and rng.random() < 0.6 and size % int(np.prod([SIZES[a] for a in (*given, axes[-1])])) == 0:
            given += (axes.pop(),)
        spec.append(given or None)
    return P(*spec)


class Case:
    """A function of JAX, its arguments and their shardings. Raises an exception if JAX refuses it."""

    def __init__(self, rng, name, function, folder):
        self.folder, self.specs = folder, None
        mode = rng.choice(("plain", "plain", "grad", "vmap", "jvp"))
        is_sharded = rng.random() < 0.5
        if function in jax_run.FAMILIES:
            made, arrays = function(rng)
            call = jax_functions.Call(name, made, list(arrays))
        else:
            kinds = (None,) if mode == "plain" else ("float", "float32", "int", "complex")
            call = jax_functions.guess(name, function, rng, rng.choice(kinds), even=is_sharded)
        if call is None:
            raise ValueError("no arguments are known")
        made = jax_run.transformed(mode, call.function, call.arrays)
        if made is None:
            raise ValueError("the transformation does not apply")
        self.function, arrays = made
        self.arguments = [jax_run.sample(rng, a) for a in arrays]
        self.name = f"{call.name} {mode}"
        if is_sharded:
            self.specs = [P() if jax.dtypes.issubdtype(a.dtype, jax.dtypes.prng_key) else choose_spec(rng, a.shape) for a in arrays]
            self.name += f" {self.specs}"
        self.expected = [jax_run.plain(r) for r in jax.tree.leaves(jax.jit(self.function)(*self.arguments))]
        if not self.expected:
            raise ValueError("there are no results")

    def write(self):
        """Writes the module as text, as a portable artifact and as JAX reads that, and the arguments."""
        shardings = {}
        if self.specs:
            mesh = jax.make_mesh(tuple(SIZES.values()), tuple(SIZES), axis_types=(AxisType.Auto,) * 2)
            shardings["in_shardings"] = tuple(NamedSharding(mesh, spec) for spec in self.specs)
        jitted = jax.jit(self.function, keep_unused=True, **shardings)
        shapes = [jax.ShapeDtypeStruct(np.shape(a), a.dtype) for a in self.arguments]
        exported = jax.export.export(jitted, platforms=("cpu",))(*shapes)
        texts = {"lowered.mlir": jitted.lower(*shapes).as_text(), "read.mlir": exported.mlir_module()}
        for name, text in texts.items():
            with open(self.path(name), "w") as file:
                file.write(text)
        with open(self.path("artifact.bc"), "wb") as file:
            file.write(exported.mlir_module_serialized)
        np.savez(self.path("inputs.npz"), **{f"arg{i}": stored(jax_run.plain(a)) for i, a in enumerate(self.arguments)})

    def path(self, name):
        return os.path.join(self.folder, name)

    def printed(self, name, *flags):
        """Returns our print of the module, which reads as itself."""
        text = command(oracle.OPT, self.path(name), *flags)
        with open(self.path("printed.mlir"), "w") as file:
            file.write(text)
        if command(oracle.OPT, self.path("printed.mlir")) != text:
            raise RuntimeError(f"{name}: the printed program reads as another one:\n{text[:4000]}")
        return text

    def run(self, name, loose):
        """Runs the module, and compares the results."""
        command(oracle.TOOL, "run", self.path(name), self.path("inputs.npz"), "--out", self.path("out.npz"))
        found = np.load(self.path("out.npz"))
        raw = [jax_run.plain(a) for a in self.arguments]
        floor = max([0.02 * jax_run.magnitude(a) for a in raw] + [0.1 * jax_run.magnitude(r) for r in self.expected])
        for i, want in enumerate(self.expected):
            got = found[f"out{i}"]
            if got.shape != want.shape or got.dtype != stored(want).dtype:
                raise RuntimeError(f"{name}: result {i} is {got.dtype}{got.shape}, expected {want.dtype}{want.shape}")
            got = got.view(want.dtype)
            # Devices round their partial sums.
            rtol = jax_run.tolerance([*raw, want]) * (2 if self.specs else 1)
            if not loose and jax_run.differs(want, got, rtol, floor):
                raise RuntimeError(f"{name}: result {i}:\nexpected {want!r}\ngot {got!r}\narguments {raw!r}"[:6000])


def check(tally, case, label, loose, verbose):
    try:
        case.printed("lowered.mlir")
        if case.printed("artifact.bc", TO_STABLEHLO) != case.printed("read.mlir"):
            raise RuntimeError("the artifact and JAX's reading of it print as different programs")
        case.run("lowered.mlir", loose)
        case.run("artifact.bc", loose)
    except (RuntimeError, subprocess.TimeoutExpired, KeyError) as error:
        message = str(error)
        if verbose:
            with open(case.path("lowered.mlir")) as file:
                message += "\n" + file.read()[:8000]
        tally.fail(label, message)
    else:
        tally.ok()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--function", default="", help="only functions whose names contain this")
    parser.add_argument("--show", type=int, default=6, help="failures shown in full (6)")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the programs of failures")
    listed = [(f"jax_corpus.{f.__name__}", f) for f in jax_run.FAMILIES] + jax_functions.functions()
    args = oracle.arguments(__doc__, cases=28, long_cases=len(listed), parser=parser)
    listed = [(name, function) for name, function in listed if args.function in name]
    if not listed:
        sys.exit("no function matches")
    random.Random(3).shuffle(listed)
    tally = oracle.Tally("jax_exports", show=args.show)
    refused = collections.Counter()
    for rng in oracle.generators(args):
        name, function = listed[rng.seed_value % len(listed)]
        with tempfile.TemporaryDirectory() as folder:
            try:
                case = Case(rng, name, function, folder)
                case.write()
            except Exception as error:  # limits of JAX, and of the guesses
                refused[type(error).__name__] += 1
                if args.verbose:
                    print(f"refused {name}: {error}"[:300])
                continue
            label = f"{case.name} ({rng.name}{' --function ' + args.function if args.function else ''})"
            check(tally, case, label, name in jax_run.LOOSE, args.verbose)
    print(f"jax_exports: JAX {jax.__version__} refused {sum(refused.values())} of {args.cases}: {dict(refused)}")
    tally.finish()


if __name__ == "__main__":
    main()
