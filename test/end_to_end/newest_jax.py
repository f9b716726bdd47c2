#===- newest_jax.py - the same programs from two versions of JAX ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs that this JAX and the newest one (.venv-newest, or the Python that SHARDWRIGHT_NEWEST_PYTHON
names) export: the first list of benchmarks/collective_bytes, and collectives in shard_map. Both
exports are printed, read again and run; the results are those of unsharded JAX, and the reports name
the same collectives with the same axes and bytes.

    newest_jax.py [--cases N] [--seed N] [--long] [--verbose] [PART OF A NAME...]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle

NEWEST = os.environ.get("SHARDWRIGHT_NEWEST_PYTHON") or os.path.join(ROOT, ".venv-newest", "bin", "python")
RTOL = 5e-4


def export(folder, wanted):
    """Writes the wanted programs (all if none) as folder/N/{module.mlir, inputs.npz, expected.npz},
    and their names to folder/names.json. Runs in a process of its own, with any version of JAX."""
    sys.path.insert(0, os.path.join(ROOT, "benchmarks", "collective_bytes"))
    import run as collective_bytes  # the first: it requests 8 host devices

    import jax
    import numpy as np
    from jax import lax
    from jax.sharding import PartitionSpec as P

    data = np.random.RandomState(0)
    X = data.standard_normal((16, 8)).astype(np.float32)

    def manual(name, function, axes, spec=P(("x", "y"), None), out=None):
        """A shard_map of `function` on 4 x 2 devices; a reference must not need the mesh, so that the
        results without sharding are those of shard_map on JAX's own devices."""

        def make(constrain):
            mesh = constrain.mesh or collective_bytes.exporting.make_mesh(x=4, y=2)
            return jax.shard_map(
                function, mesh=mesh, in_specs=spec, out_specs=out or spec, axis_names=set(axes), check_vma=False
            )

        def program():
            mesh = collective_bytes.exporting.make_mesh(x=4, y=2)
            return collective_bytes.Program(name, make, mesh, (X,), (spec,), None)

        return name, program

    def everything(x):
        """All collectives that have groups, over each set of axes."""
        for axes in ("x", "y", ("x", "y"), ("y", "x")):
            x = x + lax.psum(x, axes) * 0.1
            x = lax.psum_scatter(lax.all_gather(x, axes, tiled=True), axes, tiled=True) * 0.5
            x = lax.pmax(x, axes) - x
        return lax.all_to_all(x, "y", 1, 1, tiled=True)

    def in_regions(x):
        x, _ = lax.scan(lambda c, _: (c - lax.psum(c, "x") * 0.1, None), x, None, length=3)
        x = lax.cond(lax.psum(x.sum(), ("x", "y")) > 0, lambda v: v + lax.psum(v, "y"), lambda v: v * 2, x)
        return jax.grad(lambda v: (lax.psum(v, ("y", "x")) ** 2).sum())(x)

    listed = [
        *collective_bytes.programs(),
        manual("all collectives", everything, ("x", "y")),
        manual("collectives in regions", in_regions, ("x", "y")),
        manual("collectives over one manual axis", lambda x: x + lax.psum(x, "x"), ("x",), P("x", None)),
    ]
    names = [name for name, _ in listed]
    for name, make in listed:
        if wanted and name not in wanted:
            continue
        try:
            program = make()
        except Exception as error:
            print(f"{name} is not exported by JAX {jax.__version__}: {error}"[:500], file=sys.stderr)
            continue
        place = os.path.join(folder, str(names.index(name)))
        os.makedirs(place)
        for file in (program.module, program.inputs, program.outputs):
            os.rename(file, os.path.join(place, os.path.basename(file)))
    with open(os.path.join(folder, "names.json"), "w") as file:
        json.dump(names, file)


def tool(program, *arguments, source=None):
    done = subprocess.run([program, *arguments], input=source, capture_output=True, text=True)
    if done.returncode:
        said = f"exit code {done.returncode}\n{done.stderr[:3000]}"
        raise RuntimeError(f"{os.path.basename(program)} {' '.join(arguments[:1])}: {said}")
    return done.stdout


def measure(place):
    """Checks that the printed program reads as itself and that the results are right. Returns the
    bytes that a device sends, and the collectives with their axes."""
    module, inputs, expected, report = (
        os.path.join(place, n) for n in ("module.mlir", "inputs.npz", "expected.npz", "report.json")
    )
    printed = tool(oracle.OPT, module)
    if tool(oracle.OPT, "-", source=printed) != printed:
        raise RuntimeError("the printed program reads as another one")
    if "replica_group_mesh_axes" in tool(oracle.TOOL, "partition", module):
        raise RuntimeError("the program of one device has mesh axes in its replica groups")
    tool(oracle.TOOL, "run", module, inputs, "--expect", expected, "--rtol", str(RTOL), f"--report=json={report}")
    with open(report) as file:
        counted = json.load(file)
    uses = sorted((u["kind"], u["axes"], u["bytes"], u["executions"]) for u in counted["collective_uses"])
    return round(counted["bytes_sent_per_device"]), uses


def run_export(python, folder, wanted):
    """Runs `export` with another Python. Returns what it says of programs that JAX refuses."""
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run([python, __file__, "--export", folder, *wanted], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{python}: {done.stderr}")
    return done.stderr


def choose(names, args):
    """Returns the programs to compare, in order: those asked for, or a sample with the last three,
    which have all collectives."""
    if args.names or args.long:
        return [n for n in names if not args.names or any(part in n for part in args.names)]
    sample = random.Random(args.seed).sample(names[:-3], max((args.cases or 8) - 3, 0))
    return [n for n in names if n in sample or n in names[-3:]]


def compare(tally, name, old, new, verbose):
    try:
        old, new = measure(old), measure(new)
    except (RuntimeError, OSError) as error:
        return tally.fail(name, str(error))
    if verbose:
        print(name, *new, flush=True)
    message = f"sends {old[0]} bytes as exported by this JAX, {new[0]} by the newest\n{old[1]}\n{new[1]}"
    tally.check(name, old == new, message)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("names", nargs="*")
parser.add_argument("--cases", type=int, help="how many programs (8)")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--long", action="store_true", help="all programs")
parser.add_argument("--verbose", action="store_true")
parser.add_argument("--export", metavar="FOLDER", help="only export the programs")
args = parser.parse_args()
if args.export:
    export(args.export, args.names)
    sys.exit()
oracle.require()
tally = oracle.Tally("newest_jax")
if not os.path.exists(NEWEST):
    tally.skip("", f"no {os.path.relpath(NEWEST, ROOT)}; scripts/bootstrap.sh makes it")
    tally.finish()
with tempfile.TemporaryDirectory() as folder:
    old, new = (os.path.join(folder, which) for which in ("old", "new"))
    run_export(sys.executable, folder, ["no program"])  # the names alone
    with open(os.path.join(folder, "names.json")) as file:
        names = json.load(file)
    chosen = choose(names, args)
    refused = run_export(sys.executable, old, chosen) + run_export(NEWEST, new, chosen)
    if args.verbose:
        print(refused)
    for name in chosen:
        places = [os.path.join(place, str(names.index(name))) for place in (old, new)]
        compare(tally, name, *places, args.verbose)
tally.finish()
