#===- gspmd.py - programs with GSPMD shardings -----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs that JAX lowers with Shardy off and on (constraints; shard_map over all axes, over some,
nested, in loops) give XLA's results: as GSPMD programs, after `convert --to=sdy` of these, and in
XLA after `convert --to=gspmd`, `gspmd-v1` and `round-trip` of the programs with Shardy. Programs
that PyTorch/XLA sent (Inputs/torch_xla/, by test/pytorch/capture.py) give the results that they have
without shardings, also with padded shards."""

import os
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))
import oracle

oracle.require()

import jax
import numpy as np
import xla_modules
from gspmd_programs import programs


def flat(values):
    return [np.asarray(v) for v in jax.tree.leaves(values)]


def run(*command):
    done = subprocess.run([oracle.TOOL, "run", *command], capture_output=True, text=True)
    return done.returncode, done.stderr.strip()


def convert(path, to, *flags):
    """Returns the path of the converted module, and the error."""
    out = path.replace(".mlir", f".{to}{len(flags)}.mlir")
    done = subprocess.run([oracle.TOOL, "convert", path, "--to=" + to, "-o", out, *flags], capture_output=True, text=True)
    return out, done.stderr.strip()


def lowered(jitted, values, shardy):
    jax.config.update("jax_use_shardy_partitioner", shardy)
    jax.clear_caches()
    return jitted.lower(*values)


def check_jax(tally, folder):
    for name, (function, values, ins, out) in programs.items():
        jitted = jax.jit(function, in_shardings=ins, **({} if out is None else {"out_shardings": out}))
        path = lambda kind: os.path.join(folder, f"{name}.{kind}")
        arguments = flat(values)
        np.savez(path("in.npz"), **{f"arg{i}": v for i, v in enumerate(arguments)})
        for shardy in (False, True):
            module = path("shardy.mlir" if shardy else "gspmd.mlir")
            jax_module = lowered(jitted, values, shardy)
            with open(module, "w") as file:
                file.write(jax_module.as_text(debug_info=True))
            if not shardy:
                expected = flat(jitted(*values))
                np.savez(path("out.npz"), **{f"out{i}": v for i, v in enumerate(expected)})
        check = lambda what, module, *flags: tally.check(
            f"{name} {what}",
            *ok(run(module, path("in.npz"), "--expect", path("out.npz"), "--rtol", "1e-4", *flags)),
        )
        gspmd, sdy = path("gspmd.mlir"), path("shardy.mlir")
        check("with Shardy", sdy)
        check("without Shardy", gspmd)
        check("without Shardy, named axes", gspmd, "--mesh", "x=2,y=4")
        converted, error = convert(gspmd, "sdy", "--mesh=x=2,y=4")
        if tally.check(f"{name} to sdy", not error, error):
            with open(converted) as file:
                text = file.read()
            tally.check(f"{name} is sdy", "sdy.mesh" in text and "mhlo.sharding" not in text, text)
            check("as sdy", converted)
        for to in ("gspmd", "gspmd-v1", "round-trip"):
            converted, error = convert(sdy, to)
            if not tally.check(f"{name} to {to}", not error, error):
                continue
            with open(converted) as file:
                text = file.read()
            tally.check(f"{name} is no sdy", " sdy." not in text and "#sdy" not in re.sub('"[^"]*"', "", text), text)
            if to == "gspmd-v1":
                tally.check(f"{name} is V1", "<=" not in text.replace("<=>", ""), text)
            check(f"as {to}", converted)
            found, error = xla_modules.run(text, arguments, shardy=to == "round-trip")
            if tally.check(f"{name} as {to} in XLA", not error, error):
                same = len(found) == len(expected) and all(
                    np.allclose(a, b, rtol=1e-4, atol=1e-5 * max(1, np.abs(b).max(initial=0))) for a, b in zip(found, expected)
                )
                tally.check(f"{name} as {to} in XLA gives the same", same, text)


def ok(done):
    return done[0] == 0, done[1]


def check_torch(tally, folder):
    programs = os.path.join(HERE, "Inputs", "torch_xla")
    for name in sorted(os.listdir(programs)):
        path, plain = os.path.join(programs, name), os.path.join(folder, name)
        with open(path) as file:
            text = file.read()
        stripped = re.sub(r'mhlo\.sharding = "[^"]*"(, )?', "", text)
        stripped = re.sub(r"(\S+ = )stablehlo\.custom_call @Sharding\((\S+)\) \{[^}]*\} : \((.*)\) -> .*",
                          r"\1stablehlo.optimization_barrier \2 : \3", stripped)
        with open(plain, "w") as file:
            file.write(stripped)
        expected = os.path.join(folder, name + ".npz")
        code, message = run(plain, "--random", "1", "--out", expected)
        tally.check(f"{name} without shardings", code == 0, message)
        for flags in ([], ["--pad-shards"]):
            code, message = run(path, "--random", "1", "--devices", "8", "--expect", expected, "--rtol", "1e-4", *flags)
            tally.check(f"{name} on 8 devices {''.join(flags)}", code == 0, message)


def main():
    tally = oracle.Tally("gspmd")
    with tempfile.TemporaryDirectory() as folder:
        check_jax(tally, folder)
        check_torch(tally, folder)
    tally.finish()


main()
