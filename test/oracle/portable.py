#===- portable.py - portable artifacts, exchanged with jaxlib -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs go through artifacts of many versions, in both directions:

  jaxlib writes, ours reads   = jaxlib writes, jaxlib reads
  ours writes, jaxlib reads   = the same
  ours writes, ours reads     = the same

If jaxlib cannot write a version, ours must refuse it too, or express the program by older ops so
that jaxlib reads it. The programs are the modules of the dialect's lit tests (all ops), the
examples, and programs that JAX exports (`jax_corpus`), as its C API client would send them to a
plugin."""

import glob
import os
import random
import re
import subprocess
import tempfile

import oracle

oracle.require()

import jax_corpus
from jax._src.interpreters import mlir as interpreters
from jax._src.lib import _jax
from jaxlib.mlir.dialects import stablehlo
from oracle import ir

VERSIONS = ("0.9.0", "0.14.0", "0.17.0", "0.19.0", "1.0.0", "1.3.0", "1.4.0", "1.5.0", "1.8.0",
            "1.9.0", "1.10.0", "1.11.0", "1.13.0", "1.14.0", "1.16.0", "1.17.0")  # fmt: skip
# Versions that ours supports and that are newer than jaxlib.
NEWER = "1.20.0"
LIT = os.path.join(oracle.ROOT, "test", "stablehlo")


def theirs(text, version, folder):
    """Returns jaxlib's artifact, and the module that it reads from it. None if it cannot write it."""
    module = oracle.parse(text)
    try:
        with module.context:
            artifact = stablehlo.serialize_portable_artifact(
                module, version, allow_other_dialects=True)  # fmt: skip
    except (ir.MLIRError, ValueError):
        return None, None
    path = os.path.join(folder, "theirs")
    with open(path, "wb") as file:
        file.write(artifact)
    return path, read_theirs(artifact)


def read_theirs(artifact):
    return oracle.text(stablehlo.deserialize_portable_artifact(oracle._shared(), artifact))


def convert(source, *flags, binary=False):
    """Returns standard output of `shardwright convert`, or an OurError."""
    done = subprocess.run([oracle.TOOL, "convert", *flags], input=source, capture_output=True, timeout=300)
    done.stderr = done.stderr.decode()
    if done.returncode != 0:
        return oracle.OurError(done)
    return done.stdout if binary else done.stdout.decode()


def check(tally, name, text, version, folder):
    case = f"{name} {version}"
    path, wanted = theirs(text, version, folder)
    ours = convert(text.encode(), "-", "--to=portable", "--version=" + version, binary=True)
    if path is not None:
        tally.equal(case + " jaxlib to ours", wanted.strip(), str(convert(b"", path, "--to=text")).strip(), text)
    if isinstance(ours, oracle.OurError):
        tally.check(case + " ours", path is None and ours.code == 2, f"{ours}\n{text}")
        return
    try:
        found = read_theirs(ours)
    except (ir.MLIRError, ValueError) as error:
        tally.fail(case + " ours to jaxlib", f"{error}\n{text}")
        return
    if wanted is not None:
        tally.equal(case + " ours to jaxlib", wanted.strip(), found.strip(), text)
    with open(os.path.join(folder, "ours"), "wb") as file:
        file.write(ours)
    back = convert(b"", file.name, "--to=text")
    tally.equal(case + " ours to ours", found.strip(), str(back).strip(), text)


def check_newest(tally, name, text, folder):
    """Versions that jaxlib does not support: the program is the same as from its own newest version."""
    _, wanted = theirs(text, VERSIONS[-1], folder)
    if wanted is None:
        return
    path = os.path.join(folder, "newest")
    done = convert(text.encode(), "-", "--to=portable", "--version=" + NEWER, "-o", path)
    if tally.check(f"{name} {NEWER}", not isinstance(done, oracle.OurError), f"{done}\n{text}"):
        tally.equal(f"{name} {NEWER}", wanted.strip(), str(convert(b"", path, "--to=text")).strip(), text)


def survives(text):
    """True if jaxlib parses the text. In a child process, because it crashes on some texts that we
    refuse."""
    child = os.fork()
    if child == 0:
        try:
            oracle.parse(text)
            os._exit(0)
        except oracle.OracleError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def check_client(tally, program, version, mixed, folder):
    """Checks the artifact that JAX's C API client sends to a plugin: composites for chlo, mixed with
    sdy."""
    case = f"{program.name} client {version}" + (" mixed" if mixed else "")
    try:
        artifact = _jax.mlir.serialize_portable_artifact(
            interpreters.module_to_bytecode(program.module), version, mixed)  # fmt: skip
        wanted = read_theirs(artifact)
    except Exception as error:  # jaxlib's own exceptions, different for each program
        tally.check(case, "serialize" in str(error) or "parse" in str(error), str(error))
        return
    path = os.path.join(folder, "client")
    with open(path, "wb") as file:
        file.write(artifact)
    tally.equal(case, wanted.strip(), str(convert(b"", path, "--to=text")).strip(), program.text())


def lit_modules():
    for path in sorted(glob.glob(os.path.join(LIT, "*.mlir"))):
        # Programs that jaxlib refuses; and attributes of the module, which VHLO does not change.
        if os.path.basename(path).startswith(("verify_", "bytecode")):
            continue
        with open(path) as file:
            source = re.sub(r"^ *//(?! -----).*$", "", file.read(), flags=re.M)
        for number, part in enumerate(source.split("// -----")):
            # One function at a time, if one of them is newer than jaxlib.
            whole = survives(part)
            parts = [part] if whole else re.split(r"^(?=func\.func)", part, flags=re.M)
            for index, text in enumerate(parts):
                if not text.strip() or not (whole or survives(text)):
                    continue
                normal = oracle.normal(text)
                # jaxlib cannot parse everything that it prints.
                if survives(normal):
                    yield f"{os.path.basename(path)}#{number}.{index}", normal


def programs():
    """Yields (name, text, whether in every version)."""
    for name, text in lit_modules():
        yield name, text, True
    for name in oracle.EXAMPLES:
        with open(oracle.example(name)) as file:
            yield name, oracle.normal(file.read()), False


def main():
    args = oracle.arguments(__doc__, cases=24, long_cases=2000)
    tally = oracle.Tally("portable", show=8)
    # A forked child has no threads for verification.
    oracle._shared().enable_multithreading(False)
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        for name, text, all_versions in programs():
            versions = VERSIONS if all_versions and args.long else (
                [VERSIONS[-1], *rng.sample(VERSIONS[:-1], 3 if all_versions else 1)])  # fmt: skip
            for version in versions:
                check(tally, name, text, version, folder)
            check_newest(tally, name, text, folder)
        for program in jax_corpus.exported(args.seed, args.cases):
            text = oracle.normal(program.text())
            check(tally, program.name, text, VERSIONS[-1], folder)
            check(tally, program.name, text, rng.choice(VERSIONS[:-1]), folder)
            check_newest(tally, program.name, text, folder)
            for mixed in (True, False):
                check_client(tally, program, rng.choice(("1.17.0", "1.13.7")), mixed, folder)
    tally.finish()


if __name__ == "__main__":
    main()
