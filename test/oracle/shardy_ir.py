#===- shardy_ir.py - compares each partitioning pass with Shardy's --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs through every `sdy-*` pass from propagation to the program of one device, in jaxlib
and in shardwright-opt. Both get the same input: jaxlib's output of the previous passes (ours if
jaxlib has none). The printed modules must be equal, except for the differences in KNOWN.

    shardy_ir.py --pass sdy-pad-for-divisibility   only this pass and those that lead to it
    shardy_ir.py --counts                          how often each known difference occurred
"""

import argparse
import collections

import child
import oracle

oracle.require()

import partition_programs
import propagate_programs
import shardy_ir_known as known

FUNC = "func.func({})".format
PROPAGATED = "sdy-import-pipeline,sdy-apply-sharding-constraints,sdy-sharding-group-import,sdy-user-priority-propagate"
FULL = FUNC("sdy-insert-explicit-reshards{enable-full-version=true}")

PAD = "sdy-pad-for-divisibility" if oracle.VERSION >= (0, 11) else FUNC("sdy-pad-for-divisibility")

# Name, the pipeline, the pass whose output it gets (none: the program).
STAGES = (
    ("import", PROPAGATED, None),
    ("merge", FUNC("sdy-constant-or-scalar-merger"), "import"),
    ("sink", FUNC("sdy-sink-data-flow-edges"), "merge"),
    ("groups", "sdy-remove-sharding-groups", "sink"),
    ("constraints", FUNC("sdy-sharding-constraint-to-reshard"), "groups"),
    ("divisible", "sdy-update-non-divisible-input-output-shardings", "constraints"),
    ("sub-axes", "sdy-remove-sub-axes-in-input-output-shardings", "divisible"),
    ("close", "sdy-close-shardings", "sub-axes"),
    ("minimal", FUNC("sdy-insert-explicit-reshards"), "close"),
    ("full", FULL, "close"),
    ("export", "sdy-export-pipeline", "import"),
    ("export collectives", "sdy-export-pipeline{enable-insert-explicit-collectives=true}", "import"),
    ("export cmv1", "sdy-export-pipeline{enable-insert-explicit-collectives=true remove-all-gather-reduce-scatter-for-cmv1=true"
                    " update-non-divisible-input-output-shardings=false}", "import"),
    ("export avoid", "sdy-export-pipeline{avoid-export-for-partitioning=true keep-sharding-rules=true avoid-reshards-on-calls=true}",
     "import"),
    ("permutation", "sdy-resolve-permutation-factors{enable-halo-exchange=false}", "full"),
    ("permutation halo", "sdy-resolve-permutation-factors", "full"),
    ("reshard", FUNC("canonicalize{enable-patterns=sdy-reshard}"), "full"),
    ("redundant", FUNC("sdy-reshard-to-collectives{keep-redundant-reshards=true}"), "permutation"),
    ("collectives", FUNC("sdy-reshard-to-collectives"), "permutation"),
    ("collective", "canonicalize{enable-patterns=sdy-collective}", "collectives"),
    ("cmv1", FUNC("sdy-remove-all-gather-reduce-scatter-for-cmv1"), "collective"),
    ("pad", PAD, "collective"),
    ("local", "sdy-convert-global-to-local", "pad"),
    ("local per dim", "sdy-convert-global-to-local{per-dim-all-gather=true}", "pad"),
    ("local combined", "sdy-convert-global-to-local{combine-multi-dimension-reduce-scatter=true}", "pad"),
    ("drop", "sdy-drop-sharding-and-mesh", "local"),
    ("rules", FUNC("sdy-drop-sharding-rules"), "export avoid"),
)  # fmt: skip


def program(rng):
    if rng.random() < 0.35:
        return str(propagate_programs.generate(rng))
    made = partition_programs.random_program(rng, sums=rng.choice(["off", "off", "all"]))
    made.written = None
    return made.text(sharded=True)


class Compare:
    """The oracle's text of a module after a pipeline, and ours."""

    def __init__(self):
        self.child = child.Child(self.run)

    @staticmethod
    def run(question):
        text, pipeline, mine = question
        theirs = oracle.run(text, pipeline)
        try:
            return theirs, mine and oracle.normal(mine)
        except oracle.OracleError as error:
            return theirs, f"the oracle does not read this: {error}\n{mine}"

    def ask(self, texts, pipeline, mine):
        questions = [(t, pipeline, m if isinstance(m, str) else None) for t, m in zip(texts, mine)]
        return self.child.ask_all(questions)


def stages(only):
    if not only:
        return STAGES
    wanted = {name for name, pipeline, _ in STAGES if only in pipeline or only == name}
    for name, _, source in reversed(STAGES):
        if name in wanted and source:
            wanted.add(source)
    return [s for s in STAGES if s[0] in wanted]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pass", dest="only", help="only passes with this in their pipeline, or this stage")
    parser.add_argument("--counts", action="store_true", help="print how often each known difference was met")
    parser.add_argument("--failures", type=int, default=3, help="how many to show (3)")
    args = oracle.arguments(__doc__, cases=30, long_cases=2000, parser=parser)
    tally, compare = oracle.Tally("shardy_ir", show=args.failures), Compare()
    counts = collections.Counter()
    cases = [(rng.name, program(rng)) for rng in oracle.generators(args)]
    for at in range(0, len(cases), 100):
        batch = cases[at : at + 100]
        texts = {None: dict(batch)}
        for name, pipeline, source in stages(args.only):
            given = texts[source]
            mine = oracle.ours_batch(
                given.values(), f"--pass-pipeline=builtin.module({oracle.as_oracle(pipeline)})")
            answers = compare.ask(list(given.values()), pipeline, mine)
            texts[name] = {}
            for (case, text), own, (kind, answer) in zip(given.items(), mine, answers):
                check(tally, counts, f"{case} --pass '{name}'", name, pipeline, text, own, kind, answer)
                good = answer[0] if kind == "ok" else own
                if isinstance(good, str):
                    texts[name][case] = good
    compare.child.close()
    if args.counts:
        for what, count in sorted(counts.items()):
            print(f"{count:6} {what}")
    tally.finish()


def check(tally, counts, case, stage, pipeline, text, own, kind, answer):
    if kind != "ok":
        # Programs that the oracle cannot read, refuses, or on which it aborts.
        counts[f"{stage}: jaxlib {kind}, ours {'ok' if isinstance(own, str) else 'refused'}"] += 1
        return
    theirs, ours = answer
    if ours == theirs:
        tally.ok()
        return
    why = known.reason(stage, text, theirs, ours if ours is not None else str(own))
    if why:
        counts[f"{stage}: {why}"] += 1
        tally.ok()
        return
    if ours is None:
        tally.fail(case, f"{pipeline}\njaxlib accepts, ours says {own}\n{text}")
    else:
        tally.equal(case, theirs, ours, f"{pipeline}\n{text}")


if __name__ == "__main__":
    main()
