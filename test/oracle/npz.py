#===- npz.py - reads and writes npz files beside numpy --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random arrays of every dtype through numpy.savez, our reader, our writer and numpy.load: stored and
deflated, C and Fortran order, rank 0, empty. Also checks the messages of refused files."""

import os
import subprocess
import tempfile

import oracle

args = oracle.arguments(__doc__, cases=40, long_cases=400)

import ml_dtypes  # noqa: E402  (comes with jaxlib)
import numpy as np  # noqa: E402

REWRITE = os.path.join(oracle.BUILD, "bin", "npz_rewrite")

# Our type, numpy's dtype, and the dtype in the file if it is another one.
TYPES = [
    ("i1", np.bool_, None), ("i8", np.int8, None), ("i16", np.int16, None),
    ("i32", np.int32, None), ("i64", np.int64, None), ("ui8", np.uint8, None),
    ("ui16", np.uint16, None), ("ui32", np.uint32, None), ("ui64", np.uint64, None),
    ("f16", np.float16, None), ("f32", np.float32, None), ("f64", np.float64, None),
    ("complex<f32>", np.complex64, None), ("complex<f64>", np.complex128, None),
    ("bf16", ml_dtypes.bfloat16, np.uint16), ("i4", ml_dtypes.int4, np.uint8),
    ("ui4", ml_dtypes.uint4, np.uint8), ("i2", ml_dtypes.int2, np.uint8),
    ("ui2", ml_dtypes.uint2, np.uint8), ("f8E4M3FN", ml_dtypes.float8_e4m3fn, np.uint8),
    ("f8E5M2", ml_dtypes.float8_e5m2, np.uint8), ("f8E4M3", ml_dtypes.float8_e4m3, np.uint8),
    ("f8E3M4", ml_dtypes.float8_e3m4, np.uint8),
    ("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, np.uint8),
    ("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, np.uint8),
    ("f8E4M3B11FNUZ", ml_dtypes.float8_e4m3b11fnuz, np.uint8),
    ("f8E8M0FNU", ml_dtypes.float8_e8m0fnu, np.uint8),
]  # fmt: skip


def rewrite(source, target, types):
    return subprocess.run([REWRITE, source, target, *types], capture_output=True, text=True)


def random_array(rng, dtype):
    shape = tuple(rng.choice([0, 1, 2, 3, 7]) for _ in range(rng.randrange(5)))
    size = int(np.prod(shape, dtype=np.int64))
    values = np.array([rng.uniform(-4, 4) for _ in range(size)], np.float64).reshape(shape)
    if dtype == np.bool_:
        return values > 0
    if np.dtype(dtype).kind in "u" or dtype in (ml_dtypes.uint4, ml_dtypes.uint2):
        values = np.abs(values)
    if dtype in (ml_dtypes.int2, ml_dtypes.uint2):
        values = values / 4
    if np.dtype(dtype).kind == "c":
        values = values + 1j * values[::-1] if shape else values + 2j
    array = np.asarray(values).astype(dtype)
    return np.asfortranarray(array) if rng.random() < 0.5 else array


tally = oracle.Tally("npz")
with tempfile.TemporaryDirectory() as folder:
    source, target = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    for rng in oracle.generators(args):
        chosen = [rng.choice(TYPES) for _ in range(rng.randrange(1, 8))]
        arrays = [random_array(rng, dtype) for _, dtype, _ in chosen]
        bits = [a if b is None else a.view(b) for a, (_, _, b) in zip(arrays, chosen)]
        save = np.savez_compressed if rng.random() < 0.5 else np.savez
        save(source, **{f"arg{i}": b for i, b in enumerate(bits)})
        done = rewrite(source, target, [name for name, _, _ in chosen])
        if done.returncode != 0:
            tally.fail(rng.name, done.stderr)
            continue
        found = np.load(target)
        problems = [] if len(found.files) == len(bits) else [f"{len(found.files)} arrays"]
        for i, want in enumerate(bits):
            got = found[f"arg{i}"]
            if got.dtype != want.dtype or got.shape != want.shape or got.tobytes() != want.tobytes():
                problems.append(f"arg{i} {chosen[i][0]}: {want!r} became {got!r}")
        tally.equal(rng.name, "", "\n".join(problems))

    def refused(name, message, types=("f32",), **arrays):
        np.savez(source, **arrays)
        done = rewrite(source, target, types)
        tally.equal(name, f"2 {source}: {message}\n", f"{done.returncode} {done.stderr}")

    refused("big endian", "member 'x': dtype '>f4' is big endian; save the array as little endian",
            x=np.zeros(3, ">f4"))
    refused("text", "member 'x': dtype '<U5' is not supported", x=np.array(["hello"]))
    refused("records", "member 'x': structured dtypes are not supported",
            x=np.zeros(2, [("a", "f4")]))
    refused("objects", "member 'x': dtype '|O' is not supported", x=np.array([None]))
    refused("dates", "member 'x': dtype '<M8[D]' is not supported",
            x=np.array(["2020-01-01"], "M8[D]"))
    # Types that ml_dtypes saves as raw bytes are read as their bits.
    np.savez(source, x=np.array([1.5, -2], ml_dtypes.bfloat16))
    done = rewrite(source, target, ["bf16"])
    tally.equal("raw bytes", "[16320 49152]", str(np.load(target)["x"]) if not done.returncode else done.stderr)
tally.finish()
