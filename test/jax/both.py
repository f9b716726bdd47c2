#===- both.py - runs a JAX program on our devices and on the CPU ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs the cases of a script in two processes, on 8 devices of the plugin and on 8 of JAX's own CPU
backend, and compares the returned arrays, their shardings (as text), and the raised errors.

    from both import case, main

    @case
    def sum_of_squares():
        return jnp.sum(jnp.arange(4.0) ** 2)

    main(__doc__)

A case returns a tree of arrays, numbers and texts. A case that raises an error fails, unless its
options allow it:

  @case(rtol=.., atol=..)       sets tolerances
  @case(errors="same")          the case raises the same error on both platforms
  @case(errors="type")          the case raises errors of the same type
  @case(close=True)             compares as in closeness.py
  @case(.., truth=function)     computes the same in float64, on the CPU, if closeness.py needs it
"""

import argparse
import importlib.metadata
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
# Cases per process, and its time limit in seconds.
CHUNK, LIMIT = 200, 900

# The version of JAX, for expectations that depend on it: the text names the versions as J10 (0.10),
# J11 (0.11 and later) and J12 (0.12 and later).
JAX = tuple(int(n) for n in re.findall(r"\d+", importlib.metadata.version("jax"))[:3])
J11, J12 = JAX >= (0, 11), JAX >= (0, 12)
J10 = not J11

# Our errors also contain the position.
WHERE = re.compile(r" \(stablehlo\.\w+ at [^()]*: device \d+\)$")

_cases = {}


def case(function=None, **options):
    if function is None:
        return lambda f: case(f, **options)
    _cases[function.__name__] = (function, options)
    return function


def cases():
    """Returns the names of all cases."""
    return list(_cases)


def result(function):
    """Calls a case. Returns ("value", leaves) or ("error", (type, text, traceback))."""
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


def child(args):
    """Writes the results of cases to a file, after announcing each case."""
    with open(args.child, "wb") as file:
        for name in args.names:
            pickle.dump((name, None), file)
            file.flush()
            function, options = _cases[name]
            wanted = options["truth"] if os.environ.get("SHARDWRIGHT_TRUTH") else function
            pickle.dump((name, result(wanted)), file)
            file.flush()


def environment(platform):
    # Sets are printed in the order of their hashes.
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0")
    python = [os.path.join(ROOT, "python"), os.environ.get("PYTHONPATH", "")]
    if platform == "shardwright":
        env.update(JAX_PLATFORMS="shardwright", SHARDWRIGHT_NUM_DEVICES=str(DEVICES))
        env["PYTHONPATH"] = os.pathsep.join(filter(None, python))
    else:
        # Devices that wait for each other block threads of XLA's pool, which has one thread per
        # device. A program that needs one more thread would never finish. NPROC adds threads.
        flags = f"{env.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={DEVICES}"
        env.update(JAX_PLATFORMS="cpu", XLA_FLAGS=flags)
        env.update(JAX_CPU_ENABLE_ASYNC_DISPATCH="false", NPROC=str(4 * DEVICES))
    if platform == "truth":
        env.update(JAX_ENABLE_X64="1", SHARDWRIGHT_TRUTH="1")
    return env


def run(platform, names, limit=LIMIT):
    """Returns {name: result}. If a case ends the process, the following cases run in another one."""
    results, script = {}, os.path.abspath(sys.argv[0])
    left = list(names)
    while left:
        names = left[:CHUNK]
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
        left = left[left.index(last) + 1 :]
    return results


def _difference(ours, theirs, options, truth):
    """Returns (verdict of closeness.py, text) for our result and the CPU's."""
    import numpy as np

    from closeness import ACCURATE, APART, BITS, ULPS, compare

    if theirs[0] == "crash":
        return APART, "the CPU's process ended: " + theirs[1]
    if theirs[0] == "error" and theirs[1][0] in ("ImportError", "ModuleNotFoundError", "NameError", "AssertionError"):
        return APART, "the case itself fails: " + theirs[1][2]
    if ours[0] == "crash":
        return APART, "ended the process: " + ours[1]
    if theirs[0] != ours[0]:
        show = lambda r: f"{r[1][0]}: {r[1][1]}\n{r[1][2]}" if r[0] == "error" else "a value"
        return APART, f"the CPU gives {show(theirs)}\nwe give {show(ours)}"
    if ours[0] == "error":
        same = ours[1][0] == theirs[1][0] and (
            options.get("errors") == "type" or WHERE.sub("", ours[1][1]).replace("shardwright", "cpu") == theirs[1][1]
        )
        return (BITS, "") if same else (APART, f"the CPU says {theirs[1][:2]}\nwe say {ours[1][:2]}")
    a, b = ours[1], theirs[1]
    if [n for n, _ in a] != [n for n, _ in b]:
        return APART, f"the trees differ: {[n for n, _ in a]}, {[n for n, _ in b]}"
    truths = dict(truth[1]) if truth and truth[0] == "value" else {}
    found = []
    for (name, x), (_, y) in zip(a, b):
        if isinstance(x, str) or isinstance(y, str):
            found.append((BITS, "") if type(x) is type(y) and x == y else (APART, f"{name}: {x!r}, the CPU {y!r}"))
        elif options.get("close"):
            verdict, text = compare(x, y, truths.get(name), options.get("slack", 1))
            found.append((verdict, f"{name}: {text}"))
        elif x.dtype != y.dtype or x.shape != y.shape:
            found.append((APART, f"{name}: {x.dtype}{x.shape}, the CPU {y.dtype}{y.shape}"))
        else:
            rtol, atol = options.get("rtol", 1e-5), options.get("atol", 1e-6)
            if x.dtype.kind not in "biufc":  # types that numpy does not support
                x, y = x.astype(np.float64), y.astype(np.float64)
            exact = x.dtype.kind in "biu" or options.get("exact")
            if not (np.array_equal(x, y, equal_nan=x.dtype.kind in "fc") if exact else np.allclose(x, y, rtol, atol, equal_nan=True)):
                by = np.max(np.abs(x.astype(np.complex128) - y)) if x.size else 0
                found.append((APART, f"{name}: differs by {by}:\n{x}\nthe CPU:\n{y}"))
    order = (BITS, ULPS, ACCURATE, APART)
    worst = max((verdict for verdict, _ in found), key=order.index, default=BITS)
    return worst, "\n".join(text for verdict, text in found if verdict == worst != BITS)


def difference(ours, theirs, options):
    """Returns how our result of a case differs from the CPU's, or an empty text."""
    from closeness import APART

    verdict, text = _difference(ours, theirs, options, None)
    return text if verdict == APART else ""


def outcomes(names):
    """Returns {name: (verdict, text, the CPU's result)} of cases, run on both platforms."""
    from closeness import APART

    theirs, ours = run("cpu", names), run("shardwright", names)
    judge = lambda name, truth=None: _difference(ours[name], theirs[name], _cases[name][1], truth)
    found = {name: judge(name) for name in names}
    asked = [n for n in names if found[n][0] == APART and "truth" in _cases[n][1] and ours[n][0] == theirs[n][0] == "value"]
    for name, truth in run("truth", asked).items():
        found[name] = judge(name, truth)
    return {name: (*found[name], theirs[name]) for name in names}


def arguments(doc, more=lambda parser: None):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--long", action="store_true", help="all cases, where there is a sample")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth of the cases (1)")
    parser.add_argument("--show", type=int, default=3, help="failures shown in full (3)")
    parser.add_argument("names", nargs="*", help="cases")
    more(parser)
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))
    return parser.parse_args()


def main(doc, sample=None, full=None):
    """The main function of a script. Runs all cases (`full`), or `sample` without --long and names."""
    from closeness import APART

    args = arguments(doc)
    if args.child:
        return child(args)
    import oracle

    tally = oracle.Tally("jax/" + os.path.splitext(os.path.basename(sys.argv[0]))[0], args.show)
    names = args.names or full or list(_cases)
    if sample and not args.long and not args.names:
        names = sample
    names = list(names)[:: args.every]
    for name, (verdict, text, theirs) in outcomes(names).items():
        if theirs[0] == "error" and not _cases[name][1].get("errors"):
            verdict, text = APART, f"the case itself fails: {theirs[1][2]}"
        tally.check(name, verdict != APART, text)
    tally.finish()
