#===- hlo_sharding.py - HLO shardings against xla_client -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random shardings in every notation: text, proto, equality, devices, index maps and axes must be
those of jaxlib's HloSharding and JAX's NamedSharding."""

import itertools
import math
import os
import re
import sys

import oracle

sys.path.insert(0, os.path.join(oracle.ROOT, "python"))
args = oracle.arguments(__doc__, cases=1500, long_cases=25000)

from hlo_sharding_texts import *

import numpy as np
from jax._src import xla_bridge
from jax._src.lib import xla_client
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P
from jax._src.sharding_impls import parse_flatten_op_sharding

from shardwright.sharding import HloSharding, Mesh

Theirs = xla_client.HloSharding


# --- checks -------------------------------------------------------------------------------


def kind_of(theirs):
    tests = ("is_replicated", "is_manual", "is_unreduced", "is_unknown", "is_maximal", "is_tiled")
    return [t for t in tests if hasattr(theirs, t) and getattr(theirs, t)()]


def one_text(rng, tally, text):
    theirs, ours = Theirs.from_string(text), HloSharding(text)
    tally.equal(f"{rng.name} text", repr(theirs), str(ours), text)
    proto = theirs.to_proto().SerializeToString()
    tally.equal(f"{rng.name} proto", proto.hex(), ours.to_proto().hex(), text)
    back = HloSharding.from_proto(proto)
    tally.equal(f"{rng.name} from proto", repr(Theirs.from_proto(theirs.to_proto())), str(back), text)
    return theirs, ours


def check_pair(rng, tally):
    """Compares two shardings that are often equal."""
    n = rng.choice([4, 8, 12])
    first, second = random_leaf(rng, n), random_leaf(rng, n)
    if rng.random() < 0.7:
        reshape, perm = random_iota(rng, n)
        dims = factorization(rng, n, 2)
        first = f"{{devices=[{join(dims)}]{iota_text(reshape, perm)}}}"
        second = f"{{devices=[{join(dims)}]{join(iota_list(reshape, perm))}}}"
    a, b = Theirs.from_string(first), Theirs.from_string(second)
    ours = HloSharding(first) == HloSharding(second)
    tally.equal(f"{rng.name} equality", str(a == b), str(ours), f"{first} {second}")


def check_tiles(rng, tally, theirs, ours, text):
    if ours.kind != "tiled":
        return
    tally.equal(f"{rng.name} devices", str(list(theirs.tile_assignment_devices())), str(ours.devices), text)
    tally.equal(f"{rng.name} tiles", str(list(theirs.tile_assignment_dimensions())), str(ours.tile_dims), text)
    v1, v2 = ours.to_v1(), ours.to_v2()
    tally.equal(f"{rng.name} versions", "True True", f"{v1 == ours} {v2 == ours}", text)
    tally.equal(f"{rng.name} versions' text", str(v2), str(v1.to_v2()), text)
    # On the coarsest mesh in terms of axes every device holds the same part as before.
    rank = len(ours.tile_dims) - ours.num_subgroups
    try:
        mesh = Mesh.infer([ours])
    except ValueError as e:
        tally.equal(f"{rng.name} has a mesh", "", str(e), text)
        return
    named = ours.to_v3(mesh, rank)
    tally.equal(f"{rng.name} axes keep the data", "True", str(named.holds_same_data(ours)), f"{text} {named}")
    if not mesh.device_ids and "<=" in str(ours) and "manual" not in text and "unreduced" not in text:
        sizes = list(theirs.get_axis_sizes())
        tally.equal(f"{rng.name} axis sizes", str(sizes), str(list(mesh.axes.values())), text)


def check_named(rng, tally):
    text = random_named(rng)
    try:
        ours = HloSharding(text)
    except ValueError as e:  # jaxlib aborts the process here
        tally.check(f"{rng.name} refused", "adjacent parts" in str(e), f"{text}: {e}")
        return
    theirs = Theirs.from_string(text)
    tally.equal(f"{rng.name} named text", repr(theirs), str(ours), text)
    tally.equal(f"{rng.name} named proto", theirs.to_proto().SerializeToString().hex(), ours.to_proto().hex(), text)
    tally.equal(f"{rng.name} named from proto", repr(Theirs.from_proto(theirs.to_proto())), str(HloSharding.from_proto(theirs.to_proto().SerializeToString())), text)
    if "unreduced" in text and "manual" in text and re.search(r"'.'=1\b", text):
        return
    tiled = Theirs.v3_to_v2_sharding(theirs)
    ours_tiled = ours.to_v1() if not repr(tiled).count("<=") and "devices" in repr(tiled) else ours.to_v2()
    tally.equal(f"{rng.name} named to tiled", repr(tiled), str(ours_tiled), text)


def check_spec(rng, tally):
    """Checks JAX's NamedSharding, its index map, and the conversion back."""
    names = rng.sample("abcd", rng.randint(1, 3))
    sizes = {name: rng.choice([1, 2, 3, 4]) for name in names}
    manual = [name for name in names if rng.random() < 0.1]
    free = [name for name in names if name not in manual]
    rng.shuffle(free)
    rank = rng.randint(0, 3)
    entries = [[] for _ in range(rank)]
    for name in free:
        if rank and rng.random() < 0.7:
            entries[rng.randrange(rank)].append(name)
    entries = [None if not e else e[0] if len(e) == 1 else tuple(e) for e in entries]
    if rng.random() < 0.3:
        while entries and entries[-1] is None:
            entries.pop()
    types = tuple(AxisType.Manual if n in manual else AxisType.Auto for n in names)
    abstract = AbstractMesh(tuple(sizes.values()), tuple(sizes), axis_types=types)
    spec = P(*entries)
    theirs = NamedSharding(abstract, spec)._to_xla_hlo_sharding(rank)
    mesh = Mesh(sizes)
    ours = HloSharding.from_spec(repr(spec).replace("PartitionSpec", "P"), mesh, rank, manual)
    where = f"mesh {sizes} manual {manual} {spec} rank {rank}"
    tally.equal(f"{rng.name} spec", repr(theirs), str(ours), where)
    if manual:
        return
    shape = tuple(rng.choice([1, 2]) * 12 for _ in range(rank))
    if ours.kind == "tiled":
        wanted = {}
        ways = [len(e) and math.prod(sizes[n] for n in ([e] if isinstance(e, str) else e)) if e else 1
                for e in entries + [None] * (rank - len(entries))]
        if all(s % w == 0 for s, w in zip(shape, ways)):
            indices = theirs_indices(theirs, shape)
            tally.equal(f"{rng.name} indices", str(indices), str(sorted_map(ours.indices(shape))), where)
            local = NamedSharding(abstract, spec).shard_shape(shape)
            tally.equal(f"{rng.name} shard shape", str(local), str(ours.shard_shape(shape)), where)
    real = {k: v for k, v in sizes.items() if v > 1}
    back = HloSharding.from_spec(ours.to_spec(Mesh(real)), Mesh(real), rank)
    tally.equal(f"{rng.name} spec and back", str(ours), str(back), where)


def sorted_map(indices):
    return sorted((d, [(s.start, s.stop) for s in box]) for d, box in indices.items())


def theirs_indices(theirs, shape):
    from jax._src.op_shardings import op_sharding_to_numpy_indices

    n = theirs.num_devices()
    all_indices = op_sharding_to_numpy_indices(theirs, shape, n)
    bounds = lambda s, size: (s.start or 0, size if s.stop is None else s.stop)
    return sorted((d, [bounds(s, size) for s, size in zip(box, shape)]) for d, box in enumerate(all_indices))


def check_common_mesh(rng, tally):
    """Checks that the mesh inferred from several shardings of one mesh fits each of them."""
    sizes = [rng.choice([2, 3, 4]) for _ in range(rng.randint(1, 3))]
    axes = {f"m{i}": size for i, size in enumerate(sizes)}
    n = math.prod(sizes)
    ids = rng.sample(range(n), n) if rng.random() < 0.3 else ()
    mesh, shardings = Mesh(axes, ids), []
    for _ in range(rng.randint(1, 5)):
        free = rng.sample(list(axes), rng.randint(0, len(axes)))
        entries = [tuple(free[: len(free) // 2]) or None, tuple(free[len(free) // 2 :]) or None]
        s = HloSharding.from_spec(P(*entries), mesh, 2)
        shardings.append(s.to_v1() if rng.random() < 0.4 else s)
    where = f"{mesh} {shardings}"
    try:
        common = Mesh.infer(shardings, n)
    except ValueError as e:
        tally.equal(f"{rng.name} common mesh", "", str(e), where)
        return
    for s in shardings:
        try:
            same = s.to_v3(common, 2).holds_same_data(s)
        except ValueError as e:
            same = str(e)
        tally.equal(f"{rng.name} on the common mesh", "True", str(same), f"{where} {common} {s}")
        tally.equal(f"{rng.name} on its own mesh", "True", str(s.to_v3(mesh, 2).holds_same_data(s)), where)


def check_limits(tally):
    """Numbers that exceed 64 bits, and shapes of another rank, are errors in Python."""
    tiled, mesh = HloSharding("{devices=[2,2]<=[4]}"), Mesh({"x": 2, "y": 2})
    for name, error, call in (
        ("an axis of 2**70", OverflowError, lambda: Mesh({"x": 2**70})),
        ("an axis of 2**63", OverflowError, lambda: Mesh({"x": 2**63})),
        ("2**80 devices", ValueError, lambda: Mesh({"x": 2**40, "y": 2**40})),
        ("an axis of 1.5", TypeError, lambda: Mesh({"x": 1.5})),
        ("a device of 2**64", OverflowError, lambda: Mesh({"x": 1}, [2**64])),
        ("a zero byte in a name", ValueError, lambda: Mesh({"a\0b": 2})),
        ("a shape of 2**64", OverflowError, lambda: tiled.validate((2**64, 2), 4)),
        ("2**64 devices", OverflowError, lambda: tiled.validate((2, 2), 2**64)),
        ("a rank of 2**64", OverflowError, lambda: tiled.to_sdy(mesh, 2**64)),
        ("a rank of -1", ValueError, lambda: tiled.to_sdy(mesh, -1)),
        ("another rank", ValueError, lambda: tiled.shard_shape((8,))),
        ("boxes of another rank", ValueError, lambda: tiled.indices((8, 8, 8))),
        ("a rank of 2**62", ValueError, lambda: HloSharding("{replicated}").to_sdy(mesh, 2**62)),
        ("a spec of rank 2**62", ValueError, lambda: HloSharding.from_spec("P('x')", mesh, 2**62)),
    ):
        try:
            found = call()
        except error:
            tally.ok()
        except Exception as other:
            tally.fail(name, f"{type(other)}: {other}")
        else:
            tally.fail(name, f"taken: {found}")


def main():
    tally = oracle.Tally("hlo_sharding")
    for rng in oracle.generators(args):
        text = random_text(rng)
        check_tiles(rng, tally, *one_text(rng, tally, text), text)
        check_pair(rng, tally)
        check_named(rng, tally)
        check_spec(rng, tally)
        check_common_mesh(rng, tally)
    check_limits(tally)
    tally.finish()


main()
