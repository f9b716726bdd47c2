#===- compiler_options.py - options of the compiler by name ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Options of the compiler by name, through JAX and through the front end in C++: both take or refuse a name and a value,
with the same text. The names are those of shardwright/compile/xla_option_table.cc and others like them. Names of
enumerators are not checked by ours, and options that only another jaxlib knows are left out."""

import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np

import frontend_mesh as fm
import oracle

args = oracle.arguments(__doc__, cases=150, long_cases=2000)
X = np.ones((8, 4), np.float32)
VALUES = ["True", "False", "true", "1", "0", "-7", "+3", "12345678901", "1.5", "0x10", "", "word", "two words", "tRue", "nan"]


def error_of(name, value):
    try:
        jax.jit(lambda x: x + 1.0, compiler_options={name: value})(X)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("JaxRuntimeError", "RuntimeError")
    return ""


def option(rng, names):
    """A name and a value."""
    name = rng.choice(names)
    if rng.random() < 0.2:
        at = rng.randrange(len(name))
        name = rng.choice([name[:at] + name[at + 1:], name + "_", name.upper(), name[4:], name[:at] + "q" + name[at:]])
    return name, rng.choice(VALUES)


def main():
    with open(os.path.join(oracle.ROOT, "shardwright", "compile", "xla_option_table.cc")) as table:
        names = re.findall(r'"(xla_\w+)"', table.read())
    server = fm.Server()
    tally = oracle.Tally("compiler_options", show=int(os.environ.get("SHOW", 3)))
    for rng in oracle.generators(args):
        name, value = option(rng, names)
        theirs = error_of(name, value)
        if name in names and "No such compile option" in theirs:
            continue
        if "valid enum" in theirs and value:
            continue
        server.process.stdin.write(f"option {name} {value}\n")
        server.process.stdin.flush()
        # XLA has compiled with the option.
        if "is not a valid" not in theirs and "No such" not in theirs:
            theirs = ""
        tally.equal(f"{rng.name} {name}={value}", theirs, server.receive())
    server.close()
    tally.finish()


main()
