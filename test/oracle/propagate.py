#===- propagate.py - our propagation beside Shardy's on random programs ----===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Random programs through sdy-propagation-pipeline and through single passes, in jaxlib and in
shardwright-opt. The printed modules must be equal. A failing program is reduced.

Also checks properties of propagation: it is idempotent and deterministic, and removes no axis that
the user put on an argument."""

import argparse
import os
import pickle
import re

import oracle
import propagate_programs

FULL = "sdy-propagation-pipeline"
# In Shardy the origins of axes that do not come from an annotation depend on chance (the growth of
# a map).
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
IMPORT = (
    "sdy-import-pipeline,sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls,symbol-dce,"
    "sdy-apply-sharding-constraints,sdy-sharding-group-import"
)
PROPAGATE = "sdy-user-priority-propagate"


def pipelines(rng, fixed):
    if fixed:
        return fixed
    names, weights = zip(*PIPELINES)
    return rng.choices(names, weights)[0]


# An empty list of origins, which Shardy writes beside some manual computations, says nothing. Ours
# makes a call's result unreduced where the callee's is not (docs/compatibility.md).
NO_ORIGINS = re.compile(r", sdy\.sharding_origins = \[\{\}(, \{\})*\]")
KNOWN = re.compile(r"'func.call' op has unreduced axes mismatch for '[^']*' at call result")


class Crash(Exception):
    """The oracle's process aborted."""


def compare(texts, pipeline, ours):
    """Returns (the oracle's output, our output as the oracle prints it) for each text; errors as
    exceptions.

    Runs in a child process, because Shardy aborts on some inputs. Such a case becomes a Crash, and
    the next child continues after it."""
    results = []
    while len(results) < len(texts):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "wb") as out:
                for text, mine in list(zip(texts, ours))[len(results) :]:
                    try:
                        want = NO_ORIGINS.sub("", oracle.run(text, pipeline))
                    except oracle.OracleError as error:
                        want = error
                    have = mine
                    if isinstance(mine, str):
                        try:
                            have = NO_ORIGINS.sub("", oracle.normal(mine))
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
        mine = oracle.ours(text, f"--pass-pipeline=builtin.module({oracle.as_oracle(pipeline)})")
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


def axes_of_arguments(text):
    """Returns, for each argument of a function with a sharding, the names of axes by dimension."""
    found = {}
    for line in text.splitlines():
        function = re.match(r"\s*func\.func (?:\w+ )?@([\w.]+)", line)
        if not function:
            continue
        for part in line.split(") -> ")[0].split("%arg")[1:]:
            sharding = re.search(r"sdy\.sharding<@\w+, \[(.*?)\](?:,|>)", part)
            if sharding:
                dims = re.findall(r"\{(.*?)\}", sharding[1])
                found[function[1], part.split(":")[0]] = [re.findall(r'"(\w+)"', dim) for dim in dims]
    return found


def properties(tally, cases):
    """Checks properties of propagation on modules: idempotent if the oracle is, deterministic,
    monotone."""
    ours = lambda texts, pipeline: oracle.ours_batch(
        texts, f"--pass-pipeline=builtin.module({oracle.as_oracle(pipeline)})")
    imported = [(n, t) for n, t in zip((n for n, _ in cases), ours([str(p) for _, p in cases], IMPORT)) if isinstance(t, str)]
    once = ours([t for _, t in imported], PROPAGATE)
    known = [(n, before, t) for (n, before), t in zip(imported, once) if isinstance(t, str)]
    again = ours([t for _, _, t in known], PROPAGATE)
    twice = ours([before for _, before, _ in known], PROPAGATE)
    for (name, before, text), more, same in zip(known, again, twice):
        expected = text.strip()
        if str(more).strip() != expected:
            # See "run once more" in docs/compatibility.md.
            expected, more = oracle.run(text, PROPAGATE), oracle.normal(str(more))
        tally.equal(f"idempotent {name}", expected.strip(), str(more).strip(), text)
        tally.equal(f"deterministic {name}", text, same, before)
        after = axes_of_arguments(text)
        for place, dims in axes_of_arguments(before).items():
            kept = all(new[: len(old)] == old for old, new in zip(dims, after.get(place, [])))
            tally.check(f"monotone {name}", kept and len(after.get(place, [])) == len(dims),
                        f"{place}: {dims} became {after.get(place)}\n{before}")  # fmt: skip


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
        mine = oracle.ours_batch(texts, f"--pass-pipeline=builtin.module({oracle.as_oracle(pipeline)})")
        # Our exceptions cannot be pickled for the parent.
        mine = [m if isinstance(m, str) else (str(m), None) for m in mine]
        for (name, program), (want, have) in zip(cases, compare(texts, pipeline, mine)):
            if isinstance(want, Crash):
                crashed += 1
                continue
            if not isinstance(want, str):
                # The oracle refuses the program, so ours must refuse it, too.
                refused += 1
                tally.check(
                    name,
                    not isinstance(have, str) or KNOWN.search(str(want)),
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
    if not args.pipeline:
        own = [(rng.name, propagate_programs.generate(rng)) for rng in oracle.generators(args)]
        properties(tally, own[: max(40, len(own) // 10)])
    print(f"the oracle refused {refused} and crashed on {crashed}")
    tally.finish()


if __name__ == "__main__":
    main()
