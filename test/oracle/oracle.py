#===- oracle.py - shared by the tests that compare with jaxlib ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The oracle is jaxlib: its parser, printer, verifiers and the real Shardy passes, in this process.
Ours is `shardwright-opt`, one process per module or per batch of modules.

A test is a script with a seed:

    import oracle
    args = oracle.arguments(__doc__, cases=50, long_cases=2000)
    tally = oracle.Tally("rules")
    for rng in oracle.generators(args):
        text = make_program(rng)
        tally.equal(rng.name, oracle.run(text, "sdy-propagation-pipeline"),
                    oracle.ours(text, "--sdy-propagation-pipeline"), text)
    tally.finish()

Exit code 0 if all passed, 1 if one failed; the last line is `rules: 50 passed, 0 failed`. Without
jaxlib a test prints that and counts as skipped.
"""

import argparse
import difflib
import os
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
OPT = os.path.join(BUILD, "bin", "shardwright-opt")
TOOL = os.path.join(BUILD, "bin", "shardwright")
EXAMPLES = ("double", "mlp_train", "transformer_block", "gpt")
SPLIT = "// -----\n"

os.environ.setdefault("JAX_PLATFORMS", "cpu")

try:
    import jaxlib
    from jaxlib.mlir import ir, passmanager
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo
except ImportError:
    ir = None

# The oracle's version, e.g. (0, 12, 0, 1); empty if there is none.
VERSION = tuple(int(part) for part in jaxlib.__version__.split(".") if part.isdigit()) if ir else ()
# The version of Shardy that our passes must behave like, to be compared with the oracle's.
SHARDY = "0.12.0" if VERSION >= (0, 12) else "0.10.2"


def arguments(doc, cases, long_cases, parser=None):
    """Parses --cases, --seed, --long. Without jaxlib, prints that and exits (skipped)."""
    parser = parser or argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, help=f"how many random cases ({cases})")
    parser.add_argument("--seed", type=int, default=0, help="the first case's seed (0)")
    parser.add_argument("--long", action="store_true", help=f"{long_cases} cases")
    parser.add_argument("--part", default="0/1", metavar="I/N", help="the I-th of N parts of the cases (0/1)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="a sample: 1/N of the default number of cases")
    args = parser.parse_args()
    if args.cases is None:
        args.cases = max(1, (long_cases if args.long else cases) // args.every)
    require()
    print(f"compared with jaxlib {jaxlib.__version__}")
    return args


def part(args, cases):
    """Yields (number, case) of the part that --part names, with the progress on stderr once a minute."""
    index, parts = (int(number) for number in args.part.split("/"))
    begin = said = time.monotonic()
    for number in range(index, len(cases), parts):
        if time.monotonic() - said > 60:
            said = time.monotonic()
            print(f"case {number} of {len(cases)} after {said - begin:.0f} s", file=sys.stderr, flush=True)
        yield number, cases[number]


def require():
    """Exits with a message if there is no oracle."""
    if ir is None:
        name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
        print(f"SKIPPED {name}: no jaxlib in {sys.executable}; scripts/bootstrap.sh installs it")
        print(f"{name}: 0 passed, 0 failed, 1 skipped")
        sys.exit(0)


def generators(args):
    """Yields one random.Random per case; its .name has the flags that run the case alone."""
    for seed in range(args.seed, args.seed + args.cases):
        rng = random.Random(seed)
        rng.seed_value, rng.name = seed, f"--seed {seed} --cases 1"
        yield rng


# --- the oracle ---------------------------------------------------------------------------


def context():
    """Returns a new context with sdy, stablehlo, chlo and the other dialects that JAX uses."""
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    ctx = ir.Context()
    # Forked children would wait forever for threads of the parent.
    ctx.enable_multithreading(False)
    ctx.append_dialect_registry(registry)
    ctx.load_all_available_dialects()
    sdy.register_dialect(ctx)
    stablehlo.register_dialect(ctx)
    chlo.register_dialect(ctx)
    return ctx


_context = None


def _shared():
    global _context
    if _context is None:
        _context = context()
    return _context


class OracleError(Exception):
    """The oracle refused the input: its diagnostics, one a line."""


def parse(text):
    """Returns the module, in the shared context. Raises OracleError with the diagnostics."""
    try:
        return ir.Module.parse(text, context=_shared())
    except ir.MLIRError as error:
        raise OracleError(str(error)) from None


def text(module, locations=False):
    return module.operation.get_asm(enable_debug_info=locations)


def normal(source):
    """Returns the text as the oracle prints it, so that two texts of one module become equal."""
    return text(parse(source))


def run(source, pipeline):
    """Returns the text after `builtin.module(pipeline)` in the oracle."""
    module = parse(source)
    try:
        with _shared():
            passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
    except ir.MLIRError as error:
        raise OracleError(str(error)) from None
    return text(module)


# --- ours ---------------------------------------------------------------------------------

# Passes and pipelines whose behaviour depends on the version of Shardy.
VERSIONED = re.compile(
    r"(?<![\w-])(sdy-(?:import|propagation|export)-pipeline|sdy-\w+(?:-priority)?-propagate|"
    r"sdy-apply-sharding-constraints|sdy-propagate-to-func-results|sdy-populate-op-sharding-rules|"
    r"sdy-reshard-to-collectives|sdy-convert-global-to-local|sdy-resolve-permutation-factors|sdy-per-instruction-partitioning|sdy-insert-explicit-reshards|sdy-add-data-flow-edges)"
    r"(?![\w-])(?:\{([^}]*)\})?"
)


def as_oracle(pipeline):
    """Returns the pipeline for shardwright-opt, which then behaves like the oracle's version of Shardy."""
    def add(found):
        options = f"sw-shardy={SHARDY} {found[2] or ''}".strip()
        return f"{found[1]}{{{options}}}"

    return VERSIONED.sub(add, pipeline)


def process(command, source="", env=None, timeout=300):
    """Runs one of our tools on stdin. Returns the CompletedProcess with text."""
    return subprocess.run(
        command,
        input=source,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
    )


class OurError(Exception):
    """Our tool refused the input (or crashed: `code` is negative): its stderr."""

    def __init__(self, done):
        super().__init__(f"exit code {done.returncode}\n{done.stderr}")
        self.code, self.stderr = done.returncode, done.stderr


def run_and_compare(source, arguments, expected, *flags):
    """Runs `shardwright run` on a program's text and arrays, and compares the results. Returns the
    finished process."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        module, given, wanted = (os.path.join(folder, n) for n in ("m.mlir", "a.npz", "o.npz"))
        with open(module, "w") as file:
            file.write(source)
        np.savez(given, **{f"arg{i}": x for i, x in enumerate(arguments)})
        np.savez(wanted, **{f"out{i}": x for i, x in enumerate(expected)})
        return process([TOOL, "run", module, given, "--expect", wanted, *flags])


def ours(source, *flags):
    """Returns the output of shardwright-opt for one module."""
    done = process([OPT, *flags], source)
    if done.returncode != 0:
        raise OurError(done)
    return done.stdout


def ours_batch(sources, *flags):
    """Returns the output of shardwright-opt for each of many modules, in one process.

    If one of them fails, all are run again separately, and the failing ones become an OurError."""
    sources = list(sources)
    if not sources:
        return []
    done = process([OPT, "--split-input-file", *flags], SPLIT.join(s.rstrip() + "\n" for s in sources))
    parts = done.stdout.split("\n// -----\n")
    if done.returncode == 0 and len(parts) == len(sources):
        return [part.strip("\n") + "\n" for part in parts]
    results = []
    for source in sources:
        try:
            results.append(ours(source, *flags))
        except OurError as error:
            results.append(error)
    return results


def ours_normal(source, *flags):
    """Returns `ours` as the oracle prints it, for comparison with `run` or `normal`."""
    return normal(ours(source, *flags))


def example(name, *path):
    """Returns the path of a file of an example: example("gpt", "inputs.npz")."""
    return os.path.join(ROOT, "examples", name, *(path or (name + ".mlir",)))


# --- counting -----------------------------------------------------------------------------


class Tally:
    """Counts results, prints the first failures in full, ends the script."""

    def __init__(self, name, show=3):
        self.name, self.show = name, show
        self.passed = self.failed = self.skipped = 0

    def ok(self):
        self.passed += 1

    def skip(self, case, why):
        self.skipped += 1
        print(f"SKIPPED {self.name} {case}: {why}")

    def fail(self, case, message):
        self.failed += 1
        if self.failed <= self.show:
            print(f"FAILED {self.name} {case}\n{message}\n")

    def check(self, case, condition, message=""):
        self.ok() if condition else self.fail(case, message)
        return condition

    def equal(self, case, expected, found, source=None):
        """Compares two texts. A difference is printed as a diff, with its source program."""
        if expected == found:
            self.ok()
            return True
        if isinstance(expected, str) and isinstance(found, str):
            lines = difflib.unified_diff(
                expected.splitlines(), found.splitlines(), "oracle", "ours", lineterm="", n=1
            )
            message = "\n".join(lines)
        else:
            message = f"oracle: {expected}\nours:   {found}"
        if source is not None:
            message += "\nprogram:\n" + source
        self.fail(case, message)
        return False

    def finish(self):
        if self.failed > self.show:
            print(f"... and {self.failed - self.show} more failures")
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.name}: {self.passed} passed, {self.failed} failed{skipped}")
        sys.exit(1 if self.failed else 0)


def mpirun(count):
    """The command of the MPI launcher here that starts a number of processes, and whether it is Open MPI's."""
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    is_open_mpi = "Open MPI" in version
    return ["mpirun", *(["--oversubscribe"] if is_open_mpi else []), "-n", str(count)], is_open_mpi
