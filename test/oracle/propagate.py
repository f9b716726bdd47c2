#===- propagate.py - our propagation beside Shardy's on random programs ----===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Random programs through sdy-propagation-pipeline and through single passes, in jaxlib and in
shardwright-opt; the printed modules must be equal. A failing program is shrunk."""

import argparse
import os
import pickle

import oracle
import propagate_programs

FULL = "sdy-propagation-pipeline"
# Origins of axes that began at no annotation are left to chance (the growth of a map) in Shardy.
EDGES = "{debug-propagation-edge-sharding=true}"
DEBUG = "{debug-sharding-origins=true debug-propagation-edge-sharding=true}"
PIPELINES = (
    (FULL, 10),
    (FULL + "{dedup-functions-fully=true}", 3),
    ("sdy-import-pipeline", 2),
    ("sdy-import-pipeline,sdy-apply-sharding-constraints,sdy-sharding-group-import", 1),
    ("sdy-basic-propagate", 1),
    ("sdy-aggressive-propagate", 1),
    ("sdy-aggressive-propagate{propagation-strategy=basic-then-aggressive}", 1),
    ("sdy-op-priority-propagate{keep-sharding-rules=true}", 1),
    ("sdy-user-priority-propagate", 2),
    ("sdy-user-priority-propagate{run-op-priority-propagation=false}", 1),
    ("sdy-user-priority-propagate{conservative-propagation=true}", 1),
    ("sdy-import-pipeline,sdy-basic-propagate", 1),
    ("sdy-import-pipeline,sdy-user-priority-propagate", 2),
    ("sdy-apply-sharding-constraints" + DEBUG, 1),
    ("sdy-import-pipeline,sdy-user-priority-propagate" + EDGES, 2),
    ("sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls,sdy-pre-order-funcs", 1),
)
BATCH = 100


def pipelines(rng, fixed):
    if fixed:
        return fixed
    names, weights = zip(*PIPELINES)
    return rng.choices(names, weights)[0]


class Crash(Exception):
    """The oracle's process died."""


def compare(texts, pipeline, ours):
    """(what the oracle prints, what it prints of ours) for each text; errors as exceptions.

    In a child process: Shardy ends the process on some inputs. The case then holds a Crash
    and the next child goes on after it."""
    results = []
    while len(results) < len(texts):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "wb") as out:
                for text, mine in list(zip(texts, ours))[len(results) :]:
                    try:
                        want = oracle.run(text, pipeline)
                    except oracle.OracleError as error:
                        want = error
                    have = mine
                    if isinstance(mine, str):
                        try:
                            have = oracle.normal(mine)
                        except oracle.OracleError as error:
                            have = error
                    pickle.dump((want, have), out)
                    out.flush()
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as source:
            try:
                while len(results) < len(texts):
                    results.append(pickle.load(source))
            except EOFError:
                results.append((Crash("the oracle crashed"), None))
        os.waitpid(child, 0)
    return results


def both(program, pipeline):
    text = str(program)
    try:
        mine = oracle.ours(text, f"--pass-pipeline=builtin.module({pipeline})")
    except oracle.OurError as error:
        mine = str(error), None
    return compare([text], pipeline, [mine])[0]


def differs(program, pipeline):
    want, have = both(program, pipeline)
    return isinstance(want, str) and want != have


def shrink(program, pipeline, limit=400):
    progress = True
    while progress and limit > 0:
        progress = False
        for candidate in propagate_programs.smaller(program):
            limit -= 1
            if limit <= 0:
                break
            if differs(candidate, pipeline):
                program, progress = candidate, True
                break
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pipeline", help="only this pipeline")
    parser.add_argument("--print", action="store_true", help="print the programs")
    parser.add_argument("--no-shrink", action="store_true")
    args = oracle.arguments(__doc__, cases=150, long_cases=6000, parser=parser)
    tally = oracle.Tally("propagate")
    refused = crashed = 0

    batches = {}

    def run(pipeline):
        nonlocal refused, crashed
        cases = batches.pop(pipeline)
        texts = [str(p) for _, p in cases]
        mine = oracle.ours_batch(texts, f"--pass-pipeline=builtin.module({pipeline})")
        # Errors of ours do not survive the pipe to the parent.
        mine = [m if isinstance(m, str) else (str(m), None) for m in mine]
        for (name, program), (want, have) in zip(cases, compare(texts, pipeline, mine)):
            if isinstance(want, Crash):
                crashed += 1
                continue
            if not isinstance(want, str):
                # The oracle refuses: so should we.
                refused += 1
                tally.check(
                    name,
                    not isinstance(have, str),
                    f"{pipeline}\nours accepts, the oracle says {want}\n{program}",
                )
                continue
            if want == have:
                tally.ok()
                continue
            if tally.failed < tally.show and not args.no_shrink:
                program = shrink(program, pipeline)
                want, have = both(program, pipeline)
            tally.equal(f"{name} --pipeline '{pipeline}'", want, have, str(program))

    for rng in oracle.generators(args):
        pipeline = pipelines(rng, args.pipeline)
        program = propagate_programs.generate(rng)
        if args.print:
            print(program)
        batches.setdefault(pipeline, []).append((rng.name, program))
        if len(batches[pipeline]) >= BATCH:
            run(pipeline)
    for pipeline in list(batches):
        run(pipeline)
    print(f"the oracle refused {refused} and crashed on {crashed}")
    tally.finish()


if __name__ == "__main__":
    main()
