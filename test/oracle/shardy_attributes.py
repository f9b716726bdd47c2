#===- shardy_attributes.py - sdy in frontend attributes, both directions ---===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random sdy modules. After `xla-sdy-round-trip-export-pipeline` a module must become the same HLO in
jaxlib as the original module (which jaxlib exports with the real passes).
`xla-sdy-round-trip-import-shardy-attrs` must produce the same module from HLO as jaxlib's pass of
that name. The complete import must remove all round-trip attributes."""

import oracle

args = oracle.arguments(__doc__, cases=150, long_cases=3000)

import propagate_programs
from child import Child
from jax._src.lib import _jax
from jaxlib.mlir import ir

BATCH = 50


def theirs(source):
    """Returns HLO text, the module imported from HLO, and that module after jaxlib's import pass."""
    computation = _jax.mlir.mlir_module_to_xla_computation(source)
    back = ir.Module.parse(_jax.mlir.xla_computation_to_mlir_module(computation), context=oracle._shared())
    plain = oracle.text(back)
    return computation.as_hlo_text(), plain, oracle.run(plain, "xla-sdy-round-trip-import-shardy-attrs")


def hlo(source):
    return _jax.mlir.mlir_module_to_xla_computation(source).as_hlo_text()


def main():
    tally = oracle.Tally("shardy_attributes")
    child, second = Child(theirs), Child(hlo)
    batch, refused = [], 0
    for rng in oracle.generators(args):
        # jaxlib removes unused operands of manual computations, and functions without calls.
        text = oracle.run(str(propagate_programs.generate(rng)), "canonicalize,symbol-dce")
        if 'manual_axes={"one"}' in text:
            tally.ok()  # jaxlib inlines manual computations along an axis of size 1, ours keeps them
            continue
        kind, answer = child.ask(text)
        # Upstream aborts when it merges meshes of some modules, and refuses named computations.
        if kind != "ok":
            refused += 1
        else:
            batch.append((rng.name, text, *answer))
        if len(batch) == BATCH:
            check(tally, batch, second)
            batch = []
    if batch:
        check(tally, batch, second)
    tally.check("most modules are taken by jaxlib", refused < args.cases * 0.6 + 5, f"{refused} were not")
    print(f"{refused} modules that jaxlib refuses, or aborts on")
    tally.finish()


def check(tally, batch, second):
    names, sources, texts, plain, imported = zip(*batch)
    exported = oracle.ours_batch(sources, "-xla-sdy-round-trip-export-pipeline")
    attributes = oracle.ours_batch(plain, "-xla-sdy-round-trip-import-shardy-attrs")
    whole = oracle.ours_batch(plain, "-xla-sdy-round-trip-import-pipeline")
    for i, name in enumerate(names):
        for what, result in (("export", exported[i]), ("import", attributes[i]), ("whole import", whole[i])):
            tally.check(f"{name} {what}", not isinstance(result, Exception), f"{result}\n{sources[i]}")
        if isinstance(exported[i], Exception) or isinstance(attributes[i], Exception):
            continue
        kind, found = second.ask(exported[i])
        tally.equal(f"{name} HLO", texts[i], found if kind == "ok" else f"{kind}: {found}", exported[i])
        tally.equal(f"{name} attributes", imported[i], oracle.normal(attributes[i]), plain[i])
        left = [word for word in ("xla.sdy.", "mhlo.sharding", "@Sharding") if word in str(whole[i])]
        tally.equal(f"{name} nothing is left", "[]", str(left), str(whole[i]))


main()
