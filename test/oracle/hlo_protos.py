#===- hlo_protos.py - HLO protos as XLA writes them ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jaxlib converts programs into HloModuleProtos, with and without tuples as arguments and results. Ours
reads them, and both forms of a program must give the same bits, or agree within the bounds of
ops/tolerance.py where jaxlib has folded constants. The programs: each op with each element type of
op_tests.py, with random attributes."""

import oracle

args = oracle.arguments(__doc__, cases=400, long_cases=12000)

try:
    import ops
except ImportError as missing:
    print(f"SKIPPED hlo_protos: {missing}; scripts/bootstrap.sh installs it")
    print("hlo_protos: 0 passed, 0 failed, 1 skipped")
    raise SystemExit(0)

import collections
import random

import numpy as np
from jaxlib._jax import mlir as converter

from child import Child
from ops import case as case_module
from ops import tolerance
from ops.engines import Failed, Ours

ENTRIES = list(case_module.REGISTRY)
random.Random(0).shuffle(ENTRIES)


def make(seed):
    rng = random.Random(seed)
    rng.seed_value = seed
    _, name, element, generator = ENTRIES[seed % len(ENTRIES)]
    case = case_module.Case(rng, name, element)
    generator(case, element)
    return case


def is_kept(case):
    """False for programs that jaxlib changes when it converts them: it drops the device ids of meshes of
    replica groups (and declares the mesh, of which each replica then has one), and narrows results of
    reductions in a wider type."""
    return "wider" not in case.name and "replica_group_mesh_axes" not in case.text()


def to_proto(request):
    text, tuple_arguments, tuple_results = request
    made = converter.mlir_module_to_xla_computation(
        text, use_tuple_args=tuple_arguments, return_tuple=tuple_results
    )
    return made.as_serialized_hlo_module_proto()


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def message(number, content):
    """A field of a protocol buffer that is a message."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def with_config(proto, replicas, partitions):
    """A HloModuleProtoWithConfig."""
    config = varint(4 << 3) + varint(replicas) + varint(5 << 3) + varint(partitions)
    return message(1, proto) + message(2, config)


def differ(case, direct, read):
    """What differs, or None. jaxlib may have folded constants with other roundings."""
    for i, (value, _, scale, ulps) in enumerate(case.results):
        if direct[i].tobytes() == read[i].tobytes():
            continue
        element = case.element if case_module.is_complex(case.element) else value.element
        bound = tolerance.bound_of(case.name, element) if ulps is None else ulps
        wrong = tolerance.compare(direct[i], read[i], value.element, bound, scale, True)
        if wrong:
            return f"result {i} ({value.type}): {wrong}"
    return None


def check(tally, child, ours, seed, refused):
    case = make(seed)
    if not is_kept(case):
        return
    label = f"{case.name} {case.element} (--seed {seed} --cases 1)"
    request = (case.text(), seed % 3 == 0, seed % 2 == 0)
    kind, proto = child.ask(request)
    if kind != "ok":
        refused[case.name].append(proto.strip().splitlines()[0] if proto else kind)
        return
    if case.replicas * case.partitions > 1:
        proto = with_config(proto, case.replicas, case.partitions)
    try:
        direct = ours.run(case)
    except Failed:
        return  # op_tests.py checks that these compile
    try:
        read = ours.run(case, proto)
    except Failed as failed:
        tally.fail(label, f"{failed.kind}: {failed.message}\nprogram:\n{case.text()}")
        return
    wrong = differ(case, direct, read)
    tally.check(label, wrong is None, f"{wrong}\nprogram:\n{case.text()}")


def main():
    tally = oracle.Tally("hlo_protos", show=6)
    child, ours = Child(to_proto), Ours()
    refused = collections.defaultdict(list)
    for seed in range(args.seed, args.seed + args.cases):
        check(tally, child, ours, seed, refused)
    ours.stop()
    for name, messages in sorted(refused.items()):
        print(f"jaxlib does not convert: {name} ({len(messages)}): {messages[0][:150]}")
    tally.finish()


if __name__ == "__main__":
    main()
