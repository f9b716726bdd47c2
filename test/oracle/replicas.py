#===- replicas.py - runs a per-device program on CPU devices --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Executes StableHLO with jaxlib's CPU client. Partitions become replicas, so that the program is
compiled unchanged; programs in region form pass through XLA's partitioner. Meshes have at most 8 devices.

As a script it answers requests of a `Process`, because some programs crash XLA's process.
"""

import os
import pickle
import re
import subprocess
import sys

os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib import xla_client
from jaxlib._jax import DeviceList

jax.config.update("jax_enable_x64", True)


def execute(text, shards):
    """shards[device][arg] -> results[device][result], as numpy arrays."""
    n = len(shards)
    text = re.sub(r"channel_handle = #stablehlo.channel_handle<[^>]*>,?\s*", "", text)
    text = re.sub(r",?\s*use_global_device_ids", "", text)
    text = text.replace("stablehlo.partition_id", "stablehlo.replica_id")
    text = re.sub(r"mhlo.num_partitions = \d+ : i32", "mhlo.num_partitions = 1 : i32", text)
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = n, 1
    return compile_and_run(text, shards, options)


def execute_region(text, shards):
    """As `execute`, for the region form of a program."""
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, len(shards)
    build = options.executable_build_options
    build.use_spmd_partitioning = build.use_shardy_partitioner = True
    return compile_and_run(text, shards, options)


def compile_and_run(text, shards, options):
    n = len(shards)
    devices = jax.devices()[:n]
    executable = devices[0].client.compile_and_load(text, DeviceList(tuple(devices)), options)
    sharding = NamedSharding(Mesh(np.array(devices), ("d",)), PartitionSpec("d"))
    arguments = []
    for j in range(len(shards[0])):
        parts = [jax.device_put(shards[d][j], devices[d]) for d in range(n)]
        shape = parts[0].shape
        if shape:
            whole, layout = (n * shape[0],) + shape[1:], sharding
        else:
            whole, layout = (), NamedSharding(sharding.mesh, PartitionSpec())
        arguments.append(jax.make_array_from_single_device_arrays(whole, layout, parts))
    results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    by_result = [[np.asarray(x) for x in per_device] for per_device in results]
    return [[r[d] for r in by_result] for d in range(n)]


class Sharding:
    """A parsed sharding: `<@mesh, [{"x", "y":(1)2}, {}], unreduced={"z"}>`, with its mesh."""

    def __init__(self, text, mesh):
        self.mesh = mesh
        body = text[text.index("[") :]
        self.dims = [self.axes(dim) for dim in re.findall(r"\{([^}]*)\}", body[: body.index("]") + 1])]
        unreduced = re.search(r"unreduced=\{([^}]*)\}", body)
        self.unreduced = self.axes(unreduced[1]) if unreduced else []

    def axes(self, text):
        return [(name, int(pre or 1), int(size or self.mesh.size(name)))
                for name, pre, size in re.findall(r'"(\w+)"(?::\((\d+)\)(\d+))?', text)]  # fmt: skip

    def summand(self, device):
        """Returns the index of the partial sum of an unreduced value that the device holds."""
        linear = self.mesh.linear(device)
        return tuple(self.mesh.coordinate(linear, *axis) for axis in self.unreduced)

    def box(self, device, shape):
        """Returns slices for the shard that the device holds."""
        out = []
        linear = self.mesh.linear(device)
        for size, axes in zip(shape, self.dims):
            k, n = 0, 1
            for name, pre, part in axes:
                k, n = k * part + self.mesh.coordinate(linear, name, pre, part), n * part
            out.append(slice(k * size // n, (k + 1) * size // n))
        return tuple(out)


class DeviceMesh:
    """axes: [(name, size)]; ids: the device of each linear index, or none."""

    def __init__(self, axes, ids=None):
        self.axes, self.ids = axes, ids
        self.devices = int(np.prod([s for _, s in axes]))

    @staticmethod
    def parse(text):
        """Returns the mesh of `<["x"=4, "y"=2], device_ids=[1, 0, ...]>`."""
        ids = re.search(r"device_ids=\[([\d, ]*)\]", text)
        return DeviceMesh([(name, int(size)) for name, size in re.findall(r'"(\w+)"=(\d+)', text)],
                          [int(i) for i in ids[1].split(",")] if ids else None)  # fmt: skip

    def size(self, name):
        return dict(self.axes)[name]

    def linear(self, device):
        return self.ids.index(device) if self.ids else device

    def coordinate(self, linear, name, pre, part):
        minor = 1
        for other, size in reversed(self.axes):
            if other == name:
                return linear // (minor * (size // (pre * part))) % part
            minor *= size

    def text(self):
        axes = ", ".join(f'"{n}"={s}' for n, s in self.axes)
        return f"<[{axes}]" + (f", device_ids={self.ids}>" if self.ids else ">")


def signature(text, mesh):
    """Returns the shardings of @main's arguments and results in a printed module; None if replicated.
    mesh: the only mesh, or all meshes by name."""
    meshes = mesh if isinstance(mesh, dict) else None
    line = next(l for l in text.splitlines() if "func.func" in l and "@main" in l)
    depth, cut = 0, None
    start = line.index("@main") + 5
    for i, c in enumerate(line[start:], start):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            cut = i
            break

    def shardings(part):
        out = []
        for piece in re.split(r"tensor<", part)[1:]:
            found = re.search(r"sdy.sharding = #sdy.sharding(<@(\w+), \[.*?\](?:, \w+=\{[^}]*\})*>)", piece)
            at = meshes.get(found.group(2)) if found and meshes else mesh
            out.append(Sharding(found.group(1), at) if found and at and at.axes else None)
        return out

    return shardings(line[start : cut + 1]), shardings(line[cut + 1 :])


def run_partitioned(local, arguments, in_shardings, out_shardings, mesh, shapes):
    """Returns the global results. All copies of an element on different devices must agree."""
    shards = split(arguments, in_shardings, mesh.devices)
    return joined(execute(local, shards), out_shardings, mesh, shapes)


def split(arguments, in_shardings, devices):
    """Splits arguments by device. Of an unreduced argument, the first partial sum is the value and the
    others are zeros."""

    def part(a, s, d):
        if not s:
            return a
        shard = a[s.box(d, a.shape)]
        return np.zeros_like(shard) if any(s.summand(d)) else shard

    return [[part(a, s, d) for a, s in zip(arguments, in_shardings)] for d in range(devices)]


def joined(per_device, out_shardings, mesh, shapes):
    """Assembles global results from those of the devices; partial sums are added up."""
    results = []
    for i, (s, shape) in enumerate(zip(out_shardings, shapes)):
        summands = {}
        for d in range(mesh.devices):
            box = s.box(d, shape) if s else tuple(slice(0, n) for n in shape)
            whole = summands.setdefault(s.summand(d) if s else (), np.zeros(shape, per_device[0][i].dtype))
            if per_device[d][i].shape != whole[box].shape:
                raise AssertionError(
                    f"result {i} has local shape {per_device[d][i].shape} "
                    f"where its sharding gives {whole[box].shape}"
                )
            whole[box] = per_device[d][i]
        for d in range(mesh.devices):
            box = s.box(d, shape) if s else tuple(slice(0, n) for n in shape)
            if not equal(summands[s.summand(d) if s else ()][box], per_device[d][i]):
                raise AssertionError(f"devices disagree on result {i}")
        first, *others = summands.values()
        for other in others:
            first = first + other
        results.append(first)
    return results


def equal(a, b):
    """True if all elements are equal, or both NaN; for any type, although numpy tests only its own
    types for NaN."""
    return bool(np.all((a == b) | ((a != a) & (b != b))))


class Process:
    """`execute` and `execute_region` in a process of their own, which is restarted after a crash."""

    def __init__(self):
        self.process = None

    def execute(self, text, shards):
        return self.ask("execute", text, shards)

    def execute_region(self, text, shards):
        return self.ask("execute_region", text, shards)

    def ask(self, function, text, shards):
        """Returns the results of the function. Raises RuntimeError with the reason of a failure."""
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__)], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            pickle.dump((function, text, shards), self.process.stdin)
            self.process.stdin.flush()
            kind, answer = pickle.load(self.process.stdout)
        except (BrokenPipeError, EOFError, pickle.UnpicklingError):
            code = self.process.wait()
            self.process = None
            raise RuntimeError(f"crashed: XLA died with {code}") from None
        if kind == "error":
            raise RuntimeError(answer)
        return answer

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


FUNCTIONS = {"execute": execute, "execute_region": execute_region}


def serve():
    while True:
        try:
            function, text, shards = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = "ok", FUNCTIONS[function](text, shards)
        except Exception as error:
            answer = "error", f"{type(error).__name__}: {error}"
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve()
