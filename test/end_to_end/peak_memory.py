#===- peak_memory.py - predicted peak memory and the memory plan ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The peak memory that is predicted without machine code is at most 10 % below that of the CPU's memory plan, and within
10 % of it for nine programs in ten: the programs of benchmarks/collective_bytes, as they are and with all arguments
donated, and the models of test/jax/models.py. Each eighth of them, with --long all. Prints the distribution."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

args = oracle.arguments(__doc__, cases=72, long_cases=10000)
tally = oracle.Tally("peak_memory")
BELOW, NEAR, SHARE = 0.9, 0.1, 0.9
# The scratch of oneDNN and LAPACK is estimated as on machines with AVX-512; elsewhere programs with it are left out.
with open("/proc/cpuinfo") as file:
    KNOWS_SCRATCH = "avx512f" in file.read()


def programs():
    """Yields (name, function that returns the module's text)."""
    root = oracle.ROOT
    sys.path[:0] = [os.path.join(root, "benchmarks", "collective_bytes"), os.path.join(root, "benchmarks")]
    import common

    common.Program.runs = False
    import run as listing

    suite = listing.suite
    for listed in (listing.programs(), listing.later_programs(suite.SECOND), listing.later_programs(suite.THIRD)):
        for name, make in listed:
            yield name, lambda make=make: make().text
            yield f"{name}, donated", lambda make=make: donated(make().text)
    try:
        import flax  # noqa: F401
        import optax  # noqa: F401
    except ImportError:
        return
    # Another module of this name is loaded already.
    sys.path.insert(0, os.path.join(root, "test", "jax"))
    spec = importlib.util.spec_from_file_location("jax_models", os.path.join(root, "test", "jax", "models.py"))
    models = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(models)

    for problem, (model, inputs, labels) in models.PROBLEMS.items():
        for how, (spec, batch) in models.PARALLELISMS.items():

            def text(arguments=(model, inputs, labels, spec, batch)):
                step, values = models.make_step(*arguments)
                return step.lower(*values).as_text()

            yield f"{problem}, {how}", text


def donated(text):
    """Lets every argument of @main be donated."""
    begin = text.index("@main(")
    end = text.index("\n", begin)
    arguments, results = text[begin:end].split("->", 1)
    arguments = re.sub(r"(%arg\d+: tensor<[^>]*>) \{", r"\1 {jax.buffer_donor = true, ", arguments)
    arguments = re.sub(r"(%arg\d+: tensor<[^>]*>)(?=[,)]| loc)", r"\1 {jax.buffer_donor = true}", arguments)
    return text[:begin] + arguments + "->" + results + text[end:]


def ratio(name, text, folder):
    """The predicted peak over that of the memory plan; none if the program fails."""
    module = os.path.join(folder, "module.mlir")
    with open(module, "w") as file:
        file.write(text)
    done = subprocess.run([oracle.TOOL, "partition", module, "-o", os.devnull, "--stats=json"],
                          capture_output=True, text=True, timeout=300)  # fmt: skip
    if not tally.check(name, done.returncode == 0, done.stderr):
        return None
    stats = json.loads(done.stdout)
    planned, predicted = stats["peak_bytes_per_device"], stats["predicted_peak"]["bytes"]
    sums = sum(stats["predicted_peak"]["classes"].values())
    tally.check(f"{name}: classes", sums == predicted, f"the classes add up to {sums} of {predicted} bytes")
    found = predicted / planned
    tally.check(f"{name}: not below", found >= BELOW, f"predicted {predicted} bytes, planned {planned}")
    return found


with tempfile.TemporaryDirectory() as folder:
    listed = list(programs())
    step = max(1, len(listed) // args.cases)
    ratios = {}
    for _, (name, make) in oracle.part(args, listed[args.seed % step :: step]):
        text = make()
        if not KNOWS_SCRATCH and re.search(r"stablehlo\.convolution|lapack_", text):
            continue
        found = ratio(name, text, folder)
        if found is not None:
            ratios[name] = found

ordered = sorted(ratios.values())
for share in (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1):
    print(f"  {share:4.0%} of the programs: at most {ordered[int(share * (len(ordered) - 1))]:.3f} of the plan's peak")
print(f"  equal: {sum(r == 1 for r in ordered)} of {len(ordered)}")
far = {name: r for name, r in ratios.items() if abs(r - 1) > NEAR}
for name, found in sorted(far.items(), key=lambda item: item[1]):
    print(f"  {found:.3f} {name}")
tally.check("near the plan", len(far) <= (1 - SHARE) * len(ratios), f"{len(far)} of {len(ratios)} are further off than {NEAR:.0%}")
tally.finish()
