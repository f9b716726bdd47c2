#===- partition_engines.py - runs partitioned programs --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Ours runs all programs in one process, from their text to global arrays. XLA runs the program of one
device that our partitioner makes."""

import itertools
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile

import numpy as np

import oracle
import replicas
from ops import engines
from ops.case import dtype, is_complex, is_float, part
from ops.engines import Failed

CHECKED = 1 << 63
# The interpreter has one thread per core, and every device needs one.
MOST_DEVICES = {"xla": 8, "region": 8, "interpreter": min(8, os.cpu_count() or 1)}
# Relative to the largest value.
CLOSE = {"f64": 1e-11, "f32": 3e-5, "f16": 8e-3, "bf16": 4e-2}


class Ours:
    def __init__(self):
        self.server = engines.Ours()

    def stop(self):
        self.server.stop()

    def whole(self, text, values, results):
        return self.run(text, values, results, 0)

    def partitioned(self, text, values, results, effort):
        return self.run(text, values, results, CHECKED + effort)

    def on_devices(self, text, shards, results):
        """Returns results[device][result] of the program of one device, for shards[device][argument].
        `results` has the types on one device."""
        devices = len(shards)
        text = re.sub(r"module\b(?!_)[^{]*(attributes \{.*?\} )?\{", f"module attributes {{mhlo.num_partitions = {devices} : i32}} {{",
                      text, count=1)  # fmt: skip
        flat = self.run(text, [v for row in shards for v in row], list(results) * devices, devices)
        return [flat[d * len(results) : (d + 1) * len(results)] for d in range(devices)]

    def run(self, text, values, results, devices):
        data = b"".join(engines.to_bytes(v, named(v)) for v in values)
        payload = self.server.exchange(text, data, devices)
        found, at = [], 0
        for value in results:
            count = int(np.prod(value.shape)) * dtype(value.element).itemsize
            found.append(engines.from_bytes(payload[at : at + count], value))
            at += count
        if at != len(payload):
            raise Failed("run", f"{len(payload)} bytes of results, expected {at}")
        return found


def named(array):
    return "i4" if array.dtype.name == "int4" else "i2" if array.dtype.name == "int2" else ""


def element_of(array):
    name = array.dtype.name
    return {"float64": "f64", "complex128": "f64", "float32": "f32", "complex64": "f32", "float16": "f16",
            "bfloat16": "bf16"}.get(name, name)  # fmt: skip


def is_real(array):
    return array.dtype.kind not in "iub" and "int" not in array.dtype.name


def wide(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def coarsest(text):
    """Returns the tolerance for sums in another order: by the narrowest float type of the program,
    whose rounding errors may appear in wider results."""
    types = set(re.findall(r"(?<=[x<])(bf16|f16|f32|f64|f[468]E\w+)\b", text))
    return max((CLOSE.get(e, 4 if e[1] in "46" else 0.5) for e in types), default=0)


def compare(expected, found, exact, bound, near=None):
    """Returns the error, or None. near: results for slightly different arguments; a result may differ
    from the expected one by as much as these do."""
    for i, (e, f) in enumerate(zip(expected, found)):
        if e.shape != f.shape or e.dtype != f.dtype:
            return f"result {i}: {e.dtype}{e.shape} expected, {f.dtype}{f.shape} found"
        both = is_real(e) and (e != e) & (f != f)
        same = np.frombuffer(e.tobytes(), np.uint8).reshape(e.shape + (-1,)) == np.frombuffer(f.tobytes(), np.uint8).reshape(
            e.shape + (-1,)) if e.size else np.ones(e.shape + (1,), bool)  # fmt: skip
        ok = same.all(axis=-1) | both
        if is_real(e) and not exact:
            with np.errstate(all="ignore"):
                a, b = wide(e), wide(f)
                scale = max(1.0, float(np.max(np.abs(a[np.isfinite(a)]), initial=0)))
                ok |= np.isclose(a, b, rtol=bound, atol=bound * scale, equal_nan=True) | (~np.isfinite(a) & ~np.isfinite(b))
        if near is not None:
            with np.errstate(all="ignore"):
                a, b, n = wide(e), wide(f), wide(near[i])
                ok |= np.abs(a - b) <= 30 * np.abs(a - n)
                # A selection that the change affects: the other result is accepted.
                ok |= (a != n) if not is_real(e) else False
        if not ok.all():
            at = tuple(int(k) for k in np.argwhere(~ok)[0])
            return f"result {i}: {int((~ok).sum())} of {ok.size} differ, first at {at}: {e[at]!r} expected, {f[at]!r} found"
    return None


def disturbed(values, seed):
    """Adds noise of the size of rounding errors to the arguments."""
    rng = np.random.default_rng(seed)
    for _ in range(4):
        noisy = []
        for v in values:
            if is_real(v):
                bound = CLOSE.get(element_of(v), 0.1) / 4
                v = (wide(v) * (1 + bound * rng.uniform(-1, 1, v.shape))).astype(v.dtype)
            noisy.append(v)
        yield noisy


def differs(engine, program, plain, values, expected, found, exact, bound):
    """How the results differ from those of one device, or None. If a small change of the arguments changes the results as
    much, sums in another order may differ too."""
    wrong = compare(expected, found, exact, bound)
    if not wrong or exact:
        return wrong
    for noise in disturbed(values, program.seed):
        try:
            near = engine.whole(plain, noise, program.results)
        except Failed:
            break
        if not compare(expected, found, exact, bound, near=near):
            return None
    return wrong


# --- others -------------------------------------------------------------------------------


def through(engine, program, values):
    """Runs our program of one device elsewhere. Returns the error, None, or "skipped" if it cannot run
    there."""
    options = [f"--{k}={v}" for k, v in program.options.items() if k not in ("overlap", "machine")]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        if "machine" in program.options:
            file.write(program.options["machine"])
            file.flush()
            options.append(f"--machine={file.name}")
        return elsewhere_with(engine, program, values, options)


def elsewhere_with(engine, program, values, options):
    """`through`, with these options of our partitioner."""
    if engine == "region":
        try:
            # A region keeps the shardings of arguments, which effort 3 fixes.
            options = [o.replace("--partition-effort=3", "--partition-effort=2") for o in options]
            target = f"--target={TARGETS[program.seed % len(TARGETS)]}"
            region = stage(program.text(sharded=True), "local", [*options, "--form=region", "--keep-functions", target])
        except oracle.OurError as error:
            return "skipped" if NO_REGION.search(str(error)) else f"{error}"
        return elsewhere(engine, program, values, region, region)
    reshard, local = (stage(program.text(sharded=True), name, options) for name in ("reshard", "local"))
    return elsewhere(engine, program, values, reshard, local)


def elsewhere(engine, program, values, reshard, local):
    """reshard: with the shardings of @main; local: the program of one device, or its region form."""
    try:
        oracle.parse(local)
    except oracle.OracleError as error:
        # Newer types and ops.
        return "skipped" if re.search("sdy|unknown|quant", str(error)) else f"{error}\n{local}"
    # Narrow types: XLA's support for them is incomplete.
    if re.search(r"(?<=[x<])(u?i[24]|f[468]E\w+)\b", local):
        return "skipped"
    mesh, meshes = program.mesh, program.meshes
    if engine == "region":
        # The region has one mesh, which may have other axes than those of the program.
        name, text = re.search(r"sdy\.mesh @(\w+) = (<.*>)", local).groups()
        mesh = replicas.DeviceMesh.parse(text)
        meshes = {name: mesh}
    ins, outs = replicas.signature(reshard, meshes)
    shards = replicas.split(values, ins, mesh.devices)
    execute = interpret if engine == "interpreter" else XLA.execute
    # The expected results are those of the same engine for the unpartitioned program: engines
    # differ in scatters out of bounds. XLA returns one result for scatters into equal operands.
    if engine != "interpreter" and "stablehlo.scatter of itself" in program.families:
        return "skipped"
    try:
        expected = execute(stage(program.text(sharded=False), "local"), [values])[0]
    except Exception:
        return "skipped"
    try:
        found = (XLA.execute_region if engine == "region" else execute)(local, shards)
    except Exception as error:
        return "skipped" if NOT_THERE.search(str(error)) else f"{type(error).__name__}: {str(error)[:2000]}\n{local}"
    try:
        whole = replicas.joined(found, outs, mesh, [e.shape for e in expected])
    except AssertionError as error:
        return f"{error}\n{local}"
    wrong = compare(expected, whole, False, max(1e-5, coarsest(local)))
    return f"{wrong}\n{local}" if wrong else None


XLA = replicas.Process()
TARGETS = ("cpu", "gpu", "tpu")
NO_REGION = re.compile("no common refinement")
NOT_THERE = re.compile("(?i)crashed|no ffi handler|unimplemented|not implemented|unsupported|not supported|no registered|unknown custom|no such|skipped|"
                       "invalid dtype|not a valid jax")  # fmt: skip


def stage(text, name, options=()):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = oracle.process([oracle.TOOL, "partition", file.name, f"--stop-after={name}", *options])
    if done.returncode:
        raise oracle.OurError(done)
    return done.stdout


def interpret(local, shards):
    """Runs StableHLO's reference interpreter for all devices at once. It hangs on permutes from a
    device to itself, and confuses a second use of a channel with the first; such programs are
    skipped."""
    pairs = [p for text in re.findall(r"source_target_pairs = dense<(\[\[.*?\]\])>", local) for p in json.loads(text)]
    loops = "stablehlo.while" in local and "channel_handle" in local
    if loops or any(a == b for a, b in pairs) or "source_target_pairs = dense<" in local and not pairs:
        raise RuntimeError("skipped")
    number = itertools.count(1)
    local = re.sub(r"channel_handle<handle = \d+", lambda m: f"channel_handle<handle = {next(number)}", local)
    request = pickle.dumps((local, shards))
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, os.path.join(here, "partition_interpret.py")], input=request,
                          capture_output=True, timeout=120)  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-1500:])
    return pickle.loads(done.stdout)
