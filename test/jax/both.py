#===- both.py - the same JAX program on our devices and on the CPU ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs the cases of a script in two processes, on 8 devices of the plugin and on 8 of JAX's own CPU
backend, and compares what they return: arrays, shardings (as text), and the errors that they raise.

    from both import case, main

    @case
    def sum_of_squares():
        return jnp.sum(jnp.arange(4.0) ** 2)

    main(__doc__)

A case returns a tree of arrays, numbers and texts. `@case(rtol=.., atol=..)` sets tolerances,
`@case(errors="type")` compares the type of an error alone.
"""

import argparse
import os
import pickle
import re
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEVICES = 8

# Our errors also say where.
WHERE = re.compile(r" \(stablehlo\.\w+ at [^()]*: device \d+\)$")

_cases = {}


def case(function=None, **options):
    if function is None:
        return lambda f: case(f, **options)
    _cases[function.__name__] = (function, options)
    return function


def _result(function):
    import jax
    import numpy as np

    try:
        leaves = []
        for path, leaf in jax.tree_util.tree_leaves_with_path(function()):
            name = jax.tree_util.keystr(path)
            if not isinstance(leaf, str):
                if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
                    leaf = jax.random.key_data(leaf)
                leaf = np.asarray(leaf)
            leaves.append((name, leaf))
        return "value", leaves
    except Exception as error:
        return "error", (type(error).__name__, str(error), traceback.format_exc())


def _child(out, names):
    with open(out, "wb") as file:
        for name in names:
            pickle.dump((name, None), file)
            file.flush()
            pickle.dump((name, _result(_cases[name][0])), file)
            file.flush()


def environment(platform):
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONDONTWRITEBYTECODE="1")
    python = [os.path.join(ROOT, "python"), os.environ.get("PYTHONPATH", "")]
    if platform == "shardwright":
        env.update(JAX_PLATFORMS="shardwright", SHARDWRIGHT_NUM_DEVICES=str(DEVICES))
        env["PYTHONPATH"] = os.pathsep.join(filter(None, python))
    else:
        env.update(JAX_PLATFORMS="cpu", XLA_FLAGS=f"--xla_force_host_platform_device_count={DEVICES}")
    return env


def run(platform, names, limit=600):
    """{name: result}; a case that ended the process has None, and the cases after it run in another."""
    results, script = {}, os.path.abspath(sys.argv[0])
    names = list(names)
    while names:
        with tempfile.NamedTemporaryFile(suffix=".pickle") as out:
            command = [sys.executable, script, "--child", out.name, *names]
            try:
                done = subprocess.run(
                    command, env=environment(platform), capture_output=True, text=True, timeout=limit
                )
                output = f"exit code {done.returncode}\n" + (done.stdout + done.stderr)[-3000:]
            except subprocess.TimeoutExpired:
                output = f"stopped after {limit} s"
            last = None
            with open(out.name, "rb") as file:
                while True:
                    try:
                        last, result = pickle.load(file)
                    except EOFError:
                        break
                    results[last] = result
        if last is None:
            last = names[0]
            results[last] = None
        if results[last] is None:
            results[last] = ("crash", output)
        names = names[names.index(last) + 1 :]
    return results


def _difference(ours, theirs, options):
    import numpy as np

    if ours[0] == "crash":
        return "ended the process: " + ours[1]
    if theirs[0] != ours[0]:
        show = lambda r: f"{r[1][0]}: {r[1][1]}\n{r[1][2]}" if r[0] == "error" else "a value"
        return f"the CPU gives {show(theirs)}\nwe give {show(ours)}"
    if ours[0] == "error":
        same = ours[1][0] == theirs[1][0] and (
            options.get("errors") == "type" or WHERE.sub("", ours[1][1]).replace("shardwright", "cpu") == theirs[1][1]
        )
        return None if same else f"the CPU says {theirs[1][:2]}\nwe say {ours[1][:2]}"
    a, b = ours[1], theirs[1]
    if [n for n, _ in a] != [n for n, _ in b]:
        return f"the trees differ: {[n for n, _ in a]}, {[n for n, _ in b]}"
    for (name, x), (_, y) in zip(a, b):
        if isinstance(x, str) or isinstance(y, str):
            if x != y:
                return f"{name}: {x!r}, the CPU {y!r}"
            continue
        if x.dtype != y.dtype or x.shape != y.shape:
            return f"{name}: {x.dtype}{x.shape}, the CPU {y.dtype}{y.shape}"
        rtol, atol = options.get("rtol", 1e-5), options.get("atol", 1e-6)
        if x.dtype.kind not in "biu" and options.get("by_type"):
            rtol = max(rtol, {1: 0.26, 2: 0.02}.get(x.dtype.itemsize, 0))
        if x.dtype.kind not in "biufc":  # types that numpy does not know
            x, y = x.astype(np.float64), y.astype(np.float64)
        exact = x.dtype.kind in "biu" or options.get("exact")
        if not (np.array_equal(x, y, equal_nan=x.dtype.kind in "fc") if exact else np.allclose(x, y, rtol, atol, equal_nan=True)):
            return f"{name}: differs by {np.max(np.abs(x.astype(np.complex128) - y)) if x.size else 0}:\n{x}\nthe CPU:\n{y}"
    return None


def main(doc):
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--long", action="store_true", help="the same")
    parser.add_argument("names", nargs="*", help="cases")
    args = parser.parse_args()
    if args.child:
        return _child(args.child, args.names)
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))
    import oracle

    tally = oracle.Tally("jax/" + os.path.splitext(os.path.basename(sys.argv[0]))[0])
    names = args.names or list(_cases)
    theirs, ours = run("cpu", names), run("shardwright", names)
    for name in names:
        if theirs[name][0] == "crash":
            tally.fail(name, "the CPU's process ended: " + theirs[name][1])
            continue
        difference = _difference(ours[name], theirs[name], _cases[name][1])
        tally.check(name, difference is None, difference or "")
    tally.finish()
