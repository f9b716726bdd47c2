#===- partition.py - partitioned programs against the unpartitioned one ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs with random shardings: propagated, partitioned by `sw-insert-collectives`
and `sw-localize`, run on up to 8 CPU devices and compared with the program as one device
runs it. Integers must be equal, floats within 1e-5 of the largest value.

    partition.py [--cases N] [--seed S] [--family NAME] [--oracle-propagation]
                 [--effort 0|1|2]
"""

import argparse
import os

import oracle
import replicas
import numpy as np

import partition_programs as programs


def compile_case(propagated, effort):
    reshard = oracle.ours(propagated, f"--sw-insert-collectives=effort={effort}")
    local = oracle.ours(reshard, "--sw-localize")
    return reshard, local


def compare(expected, found):
    for i, (e, f) in enumerate(zip(expected, found)):
        if e.dtype.kind == "f":
            scale = max(1.0, float(np.max(np.abs(e[np.isfinite(e)]), initial=0)))
            close = np.isclose(e, f, rtol=1e-5, atol=1e-5 * scale, equal_nan=True)
            if not close.all():
                at = tuple(int(k) for k in np.argwhere(~close)[0])
                return f"result {i} differs at {at}: {e[at]} expected, {f[at]} found"
        elif not np.array_equal(e, f):
            at = tuple(int(k) for k in np.argwhere(e != f)[0])
            return f"result {i} differs at {at}: {e[at]} expected, {f[at]} found"
    return None


def check(program, args):
    """None if the case passes, else a message."""
    text = program.text(sharded=True)
    try:
        if args.oracle_propagation:
            propagated = oracle.run(text, "sdy-propagation-pipeline")
        else:
            propagated = oracle.ours(text, "--sdy-propagation-pipeline")
    except oracle.OracleError as error:
        return f"oracle refused: {error}"
    except oracle.OurError as error:
        return f"propagation failed: {error}"
    reshard = local = ""
    try:
        reshard, local = compile_case(propagated, args.effort)
        oracle.parse(local)
        ins, outs = replicas.signature(reshard, program.mesh)
        values = program.inputs()
        expected = replicas.execute(program.text(sharded=False), [values])[0]
        found = replicas.run_partitioned(
            local, values, ins, outs, program.mesh, [e.shape for e in expected]
        )
        message = compare(expected, found)
    except oracle.OurError as error:
        message = str(error)
    except oracle.OracleError as error:
        message = f"the oracle does not take our program: {error}"
    except Exception as error:  # XLA refuses or devices disagree
        message = f"{type(error).__name__}: {str(error)[:2000]}"
    if message:
        message += f"\n--- reshard\n{reshard}\n--- local\n{local}"
    return message


def shrink(program, args):
    """Drops results and ops while the case still fails."""
    changed = True
    while changed:
        changed = False
        for smaller in program.smaller():
            if check(smaller, args):
                program, changed = smaller, True
                break
    return program


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", help="only ops of this family")
    parser.add_argument("--oracle-propagation", action="store_true",
                        help="propagate with jaxlib's Shardy")
    parser.add_argument("--effort", type=int, default=1, choices=(0, 1, 2))
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--show", action="store_true", help="print each program")
    args = oracle.arguments(__doc__, cases=40, long_cases=1000, parser=parser)
    tally = oracle.Tally("partition")
    for rng in oracle.generators(args):
        program = programs.random_program(rng, args.family)
        if args.show:
            print(program.text(sharded=True))
        message = check(program, args)
        if not message:
            tally.ok()
            continue
        if not args.no_shrink and tally.failed < tally.show:
            program = shrink(program, args)
            message = check(program, args)
        tally.fail(rng.name, f"{message}\n--- program\n{program.text(sharded=True)}")
    tally.finish()


if __name__ == "__main__":
    main()
