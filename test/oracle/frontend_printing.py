#===- frontend_printing.py - texts and bytes of arrays against JAX --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded arrays of every element type, of rank 0, empty, of one element and of thousands, with numbers of all sizes, NaN,
infinities and negative zeros. Their `str` and `repr` are those of JAX's arrays; their elements come back from the host, from
another array that shares their memory through DLPack, and from an array that is placed on a mesh."""

import os
import random

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np

import frontend_mesh as fm
import oracle

jax.config.update("jax_enable_x64", True)
args = oracle.arguments(__doc__, cases=300, long_cases=6000)
TYPES = """bool int2 int4 int8 int16 int32 int64 uint2 uint4 uint8 uint16 uint32 uint64 float4_e2m1fn float8_e3m4 float8_e4m3
float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float16 bfloat16 float32 float64
complex64 complex128""".split()
SHAPES = [(), (), (1,), (3,), (7,), (0,), (2, 0), (0, 3), (1, 1), (2, 3), (4, 5), (2, 3, 4), (2, 1, 2, 2), (1000,), (1001,), (40, 30), (7, 12, 13), (3, 500), (500, 3), (30,), (80,)]


def floats(rng, count):
    kind = rng.randrange(8)
    out = []
    for _ in range(count):
        v = rng.gauss(0, 1)
        if kind == 1:
            v = float(rng.randrange(-20, 20))
        elif kind == 2:
            v *= 10.0 ** rng.randrange(-12, 12)
        elif kind == 3:
            v = rng.choice([0.0, -0.0, 1.0, 0.5, -2.0])
        elif kind == 4:
            v = rng.choice([v, v, float("nan"), float("inf"), float("-inf"), 0.0])
        elif kind == 5:
            v = rng.randrange(1, 10 ** rng.randrange(1, 10)) / 1000
        elif kind == 6:
            v = round(v, rng.randrange(4))
        out.append(v)
    return out


def array(rng):
    name = rng.choice(TYPES)
    shape = rng.choice(SHAPES)
    count = int(np.prod(shape))
    kind = jnp.dtype(name)
    if name == "bool":
        values = np.array([rng.random() < 0.5 for _ in range(count)], bool)
    elif name.startswith(("int", "uint")):
        info = jnp.iinfo(kind)
        low, high = rng.choice([(int(info.min), int(info.max)), (max(int(info.min), -9), min(int(info.max), 9))])
        values = np.array([rng.randint(low, high) for _ in range(count)], np.uint64 if name == "uint64" else np.int64)
    elif name.startswith("complex"):
        values = np.array([complex(*parts) for parts in zip(floats(rng, count), floats(rng, count))], complex)
    else:
        values = np.array(floats(rng, count))
    with np.errstate(all="ignore"):
        return name, np.asarray(values).astype(kind).reshape(shape)


def main():
    server = fm.Server()
    tally = oracle.Tally("frontend_printing", show=int(os.environ.get("SHOW", 3)))
    for case in range(args.cases):
        rng = random.Random(args.seed + case)
        name, x = array(rng)
        shape = ",".join(map(str, x.shape))
        line = f"type={name} shape={shape} hex={x.tobytes().hex()}"
        server.process.stdin.write(f"array {line}\n")
        server.process.stdin.flush()
        ours = server.receive()
        label = f"{args.seed + case} {name} ({shape})"
        y = jnp.asarray(x)
        tally.equal(f"{label} str", str(y), ours["str"], line[:300])
        tally.equal(f"{label} repr", repr(y), ours["repr"], line[:300])
        # Elements of a few bits are bytes with their values.
        stored = x.astype(np.int8) if name in ("int2", "int4") else x
        for way in ("host", "dlpack", "mesh"):
            if "DLPack has no type" not in ours[way]:
                tally.equal(f"{label} {way}", stored.tobytes().hex(), ours[way], line[:300])
    server.close()
    tally.finish()


main()
