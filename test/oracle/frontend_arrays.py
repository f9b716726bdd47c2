#===- frontend_arrays.py - shardings and placed arrays against JAX --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded pairs of shardings of one shape, on meshes of any device order, with memory kinds, rank 0, empty and uneven
dimensions and specs with mistakes. Compared with JAX: the text of the sharding, its HLO sharding, shard shapes and
indices, equivalence, the error of each mistake, and the shards, replicas, kinds and elements of an array that is placed by
the first and moved to the second. Each sharding is made from its HLO text again, too."""

# Feature: array, shard-args, make-array
import os
import random
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, SingleDeviceSharding

import frontend_mesh as fm
import oracle

args = oracle.arguments(__doc__, cases=250, long_cases=4000)
MESHES = [((8,), "x"), ((4, 2), "x,y"), ((2, 2, 2), "x,y,z"), ((2, 4), "x,y"), ((4,), "x"), ((2, 1, 4), "x,y,z"), ((1,), "x"), ((3,), "x"), ((3, 2), "x,y")]
SHAPES = [(), (8,), (16,), (8, 8), (8, 4), (4, 8, 2), (0, 8), (8, 0), (6, 6), (5,), (12, 2)]
KINDS = ["", "", "", "device", "pinned_host", "unpinned_host", "foo"]


def one(rng, rank):
    """The keys of a sharding."""
    kind = rng.choice(KINDS)
    if rng.random() < 0.15:
        return {"device": rng.randrange(8), "kind": kind}
    sizes, names = rng.choice(MESHES)
    names = names.split(",")
    order = list(range(8))
    if rng.random() < 0.5:
        rng.shuffle(order)
    axes, spec = list(names), []
    rng.shuffle(axes)
    for _ in range(rank + (rng.random() < 0.06)):
        entry = [axes.pop() for _ in range(rng.choice([0, 1, 1, 2])) if axes]
        spec.append("+".join(entry) or "-")
    if rng.random() < 0.04:
        spec = ["q"] + spec[1:]
    elif rng.random() < 0.04 and rank > 1:
        spec[:2] = [names[0], names[0]]
    types = [rng.choice(["Auto", "Explicit"])] * len(names)
    return {"sizes": sizes, "names": names, "types": types, "order": order[:int(np.prod(sizes))],
            "spec": "|".join(spec) or ".", "kind": kind}


def theirs(keys):
    kind = {"memory_kind": keys["kind"]} if keys["kind"] else {}
    if "device" in keys:
        return SingleDeviceSharding(jax.devices()[keys["device"]], **kind)
    devices = np.array([jax.devices()[i] for i in keys["order"]]).reshape(keys["sizes"])
    return NamedSharding(Mesh(devices, keys["names"], axis_types=tuple(AxisType[t] for t in keys["types"])),
                         fm.parse_spec(keys["spec"]), **kind)


def box(index, shape):
    return ",".join(f"{s.indices(n)[0]}:{s.indices(n)[1]}" for s, n in zip(index, shape))


def describe(s, shape):
    text = f"{s}" + (" replicated" if s.is_fully_replicated else "")
    try:
        s.check_compatible_aval(shape)
        text = f"{s._to_xla_hlo_sharding(len(shape))} {text}"
        local = s.shard_shape(shape)
    except Exception as e:  # The text of JAX's error is what is compared.
        return f"{text} {type(e).__name__}: {e}"
    return " ".join([text, str(tuple(local))] + [f"{d.id}={box(i, shape)}" for d, i in s.devices_indices_map(shape).items()])


def numbers(x):
    return ",".join(str(int(v)) for v in np.asarray(x, np.float32).ravel())


def contents(x):
    text = f"{x.sharding}{' committed' if x.committed else ''} {x.nbytes} {x.on_device_size_in_bytes()}"
    shards = {s.device: s for s in x.addressable_shards}
    for d in x.sharding._device_assignment:
        s = shards[d]
        text += f" {d.id}={box(s.index, x.shape)}#{s.replica_id}({numbers(s.data)})@{s.data.sharding.memory_kind}"
    return f"{text} [{numbers(x)}]"


def answers(first, second, shape, kind):
    out = {}
    shardings = []
    for name, keys in (("first", first), ("second", second)):
        s = fm.or_error(lambda: theirs(keys))
        out[name] = s if isinstance(s, str) else describe(s, shape)
        shardings.append(s)
    if not any(isinstance(s, str) for s in shardings):
        a, b = shardings
        # JAX has no answer for specs longer than the rank.
        if not any("is only valid for" in out[name] for name in ("first", "second")):
            out["equivalent"] = "yes" if a.is_equivalent_to(b, len(shape)) else "no"
        x = np.arange(int(np.prod(shape))).reshape(shape).astype(jnp.dtype(kind))
        placed = fm.or_error(lambda: jax.device_put(x, a))
        out["placed"] = placed if isinstance(placed, str) else fm.or_error(lambda: contents(placed))
        if isinstance(placed, str):
            out["moved"] = placed
        else:
            moved = fm.or_error(lambda: jax.device_put(placed, b))
            out["moved"] = moved if isinstance(moved, str) else fm.or_error(lambda: contents(moved))
    return out


def sums(rng, shape):
    """The keys of a sharding over Explicit axes, with unreduced or reduced ones."""
    spec, free = [], ["x", "y"]
    rng.shuffle(free)
    for _ in shape:
        entry = [free.pop()] if free and rng.random() < 0.5 else []
        spec.append("+".join(entry) or "-")
    kept = [a for a in free if rng.random() < 0.7]
    text = "|".join(spec) + (rng.choice("^~") + "+".join(kept) if kept else "")
    return {"sizes": (4, 2), "names": ("x", "y"), "types": ("Explicit", "Explicit"), "order": range(8), "spec": text, "kind": ""}


def pieces(x):
    text = f"{x.sharding} {x.aval.str_short(True)}"
    shards = {s.device: s for s in x.addressable_shards}
    return " ".join([text] + [f"{d.id}={numbers(shards[d].data)}," for d in x.sharding._device_assignment])


def resharded(first, second, shape):
    x = jax.device_put(np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape), theirs(first))
    there = fm.or_error(lambda: jax.reshard(x, theirs(second)))
    if isinstance(there, str):
        return {"there": there}
    back = fm.or_error(lambda: jax.reshard(there, theirs(first)))
    if not isinstance(back, str) and not np.array_equal(back, x):
        return {}  # JAX moves elements where x and y shard one dimension and become unreduced.
    return {"there": pieces(there), "back": back if isinstance(back, str) else pieces(back)}


def normalized(text):
    return re.sub(r"\s+", " ", fm.normalized(text)).strip()


def main():
    server = fm.Server()
    tally = oracle.Tally("frontend_arrays", show=int(os.environ.get("SHOW", 3)))
    join = lambda v: ",".join(map(str, v)) if isinstance(v, (list, tuple, range)) else str(v)
    for case in range(args.cases):
        rng = random.Random(args.seed + case)
        shape = rng.choice(SHAPES)
        kind = rng.choice(["float32", "float32", "int8", "bfloat16"])
        first, second = one(rng, len(shape)), one(rng, len(shape))
        if rng.random() < 0.2:
            second = dict(first, kind=rng.choice(KINDS))
        keys = {"shape": shape, "type": kind, **first, **{k + "2": v for k, v in second.items()}}
        line = " ".join(f"{k}={join(v)}" for k, v in keys.items() if join(v))
        server.process.stdin.write(f"place {line}\n")
        server.process.stdin.flush()
        ours = server.receive()
        for name, text in answers(first, second, shape, kind).items():
            # Mistakes of JAX: it asserts, refuses moves between its host memories, cannot read some empty arrays.
            if re.match(r"AssertionError|JaxRuntimeError: INVALID_ARGUMENT: PjRtBuffer's memory|ValueError: (Memory kind mismatch|could not broadcast)", text):
                continue
            # JAX drops None at the end of a spec that is too long for a typed value.
            if "is only valid for" in (ours or {}).get(name, "") and "Explicit" in text:
                continue
            tally.equal(f"{args.seed + case} {name}", normalized(text), normalized((ours or {}).get(name, "nothing")), line)
        if case % 4:
            continue
        shape = rng.choice([(8,), (8, 4), (8, 8, 2)])
        first, second = dict(sums(rng, shape), spec=rng.choice([".", "x", "y", "x+y"])), sums(rng, shape)
        line = " ".join(f"{k}={join(v)}" for k, v in ({"reshard": 1, "shape": shape} | first | {k + "2": v for k, v in second.items()}).items() if join(v))
        server.process.stdin.write(f"place {line}\n")
        server.process.stdin.flush()
        ours = server.receive()
        for name, text in resharded(first, second, shape).items():
            tally.equal(f"{args.seed + case} reshard {name}", normalized(text), normalized((ours or {}).get(name, "nothing")), line)
    server.close()
    tally.finish()


main()
