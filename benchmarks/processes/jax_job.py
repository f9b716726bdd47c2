#===- jax_job.py - JAX programs on several processes, beside JAX's CPU ----===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Times of collectives (1 KiB, 1 MiB, 64 MiB on each device) and of a training step in jobs of 2 and 4 processes:
our plugin beside JAX's CPU backend, both over Gloo, in turns. Results are compared first; times are medians of
calls that wait for their result, of the slowest process. The last line is the geometric mean of the ratios.

    jax_job.py [--turns N] [--devices K] [--only PART OF A NAME]
"""

import argparse
import json
import math
import os
import pickle
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

SIZES = {"1 KiB": 1 << 10, "1 MiB": 1 << 20, "64 MiB": 64 << 20}
SECONDS = {1 << 10: 1.0, 1 << 20: 2.0, 64 << 20: 6.0}


# --- in each process -----------------------------------------------------------------------


def collective(kind, size, n):
    """A program and its argument: f32, `size` bytes on each device."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding
    from jax.sharding import PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()), ("x",))
    count = size // 4
    bodies = {
        "all_reduce": (lambda x: jax.lax.psum(x, "x"), P()),
        "all_gather": (lambda x: jax.lax.all_gather(x, "x", tiled=True), P()),
        "permute": (lambda x: jax.lax.ppermute(x, "x", [(i, (i + 1) % n) for i in range(n)]), P("x")),
    }
    body, out = bodies[kind]
    run = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=out, check_vma=False))
    sharding = NamedSharding(mesh, P("x"))

    def part(index):
        start = index[0].start or 0
        return ((np.arange(start, start + count) * 7919) % 1000 / 1000).astype(np.float32)

    x = jax.make_array_from_callback((n * count,), sharding, part)
    return run, (x,)


def training(n):
    """One step of a data-parallel MLP of 4 layers: the gradients cross processes."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding
    from jax.sharding import PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()), ("data",))
    random = np.random.RandomState(0)
    whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    put = lambda a, sharding: jax.make_array_from_callback(a.shape, sharding, lambda index: a[index])  # noqa: E731
    weights = [put((random.randn(512, 512) / 23).astype(np.float32), whole) for _ in range(4)]
    x, y = (put(random.randn(64 * n, 512).astype(np.float32), rows) for _ in range(2))

    def loss(weights, x, y):
        for w in weights:
            x = jnp.tanh(x @ w)
        return jnp.mean((x - y) ** 2)

    def step(weights, x, y):
        value, grads = jax.value_and_grad(loss)(weights, x, y)
        return value, [w - 0.1 * g for w, g in zip(weights, grads)]

    return jax.jit(step, out_shardings=(whole, [whole] * 4)), (weights, x, y)


def child(out, port, size, process, only):
    import jax
    import numpy as np

    jax.distributed.initialize(f"localhost:{port}", size, process)
    n = len(jax.devices())
    cases = [(f"{kind} {name}", lambda kind=kind, bytes=bytes: collective(kind, bytes, n), SECONDS[bytes])
             for kind in ("all_reduce", "all_gather", "permute") for name, bytes in SIZES.items()
             if not (kind == "all_gather" and n > 4 and bytes > 1 << 20)]  # fmt: skip
    cases.append(("training step", lambda: training(n), 3.0))
    found = {}
    for name, make, seconds in cases:
        if only not in name:
            continue
        run, arguments = make()
        results = jax.block_until_ready(run(*arguments))
        leaves = [np.asarray(leaf.addressable_shards[0].data).ravel() for leaf in jax.tree.leaves(results)]
        digest = [leaf[:: max(1, leaf.size // 1000)] for leaf in leaves]
        # The same number of calls in all processes.
        begin = time.perf_counter()
        jax.block_until_ready(run(*arguments))
        estimate = np.array([time.perf_counter() - begin], np.float32)
        from jax.experimental import multihost_utils

        slowest = float(multihost_utils.process_allgather(estimate).max())
        calls = int(max(5, min(400, seconds / max(slowest, 1e-4))))
        times = []
        for _ in range(calls):
            begin = time.perf_counter()
            jax.block_until_ready(run(*arguments))
            times.append(time.perf_counter() - begin)
        found[name] = (digest, statistics.median(times))
        del run, arguments, results
    with open(out, "wb") as file:
        pickle.dump(found, file)


# --- in the parent -------------------------------------------------------------------------


def environment(platform, devices):
    env = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy") and name != "XLA_FLAGS"}
    env.update(JAX_PLATFORMS="shardwright" if platform == "ours" else "cpu", JAX_NUM_CPU_DEVICES=str(devices),
               SHARDWRIGHT_NUM_DEVICES=str(devices), TF_CPP_MIN_LOG_LEVEL="3",
               PYTHONPATH=os.path.join(ROOT, "python"))  # fmt: skip
    build = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
    env.setdefault("SHARDWRIGHT_LIBRARY_DIR", os.path.join(build, "lib"))
    return env


def run_job(platform, size, devices, only):
    """Returns by process what `child` has found."""
    with socket.socket() as s:
        s.bind(("localhost", 0))
        port = s.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, f"{i}.pickle") for i in range(size)]
        processes = [
            subprocess.Popen([sys.executable, __file__, "--child", file, str(port), str(size), str(i), "--only", only],
                             env=environment(platform, devices), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for i, file in enumerate(files)
        ]  # fmt: skip
        outputs = [process.communicate(timeout=900)[0] for process in processes]
        for process, output in zip(processes, outputs):
            if process.returncode:
                sys.exit(f"{platform}: exit code {process.returncode}\n{output[-3000:]}")
        found = []
        for file in files:
            with open(file, "rb") as stream:
                found.append(pickle.load(stream))
        return found


def compare(ours, theirs):
    """Ends the benchmark if results differ by more than other orders of addition do."""
    import numpy as np

    for mine, other in zip(ours, theirs):
        for name in mine:
            for a, b in zip(mine[name][0], other[name][0]):
                if not np.allclose(a, b, rtol=1e-4, atol=1e-5):
                    sys.exit(f"{name}: other results than JAX's CPU, by {np.abs(a - b).max()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2, help="how often both run (2)")
    parser.add_argument("--devices", type=int, default=1, help="devices of each process (1)")
    parser.add_argument("--only", default="", help="only cases with this in their name")
    parser.add_argument("--child", nargs=4, metavar=("OUT", "PORT", "SIZE", "PROCESS"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        out, port, size, process = args.child
        return child(out, int(port), int(size), int(process), args.only)
    ratios = []
    print(f"{'microseconds, medians':28}{'ours':>12}{'JAX CPU':>12}{'ratio':>8}")
    for size in (2, 4):
        times = {"ours": {}, "cpu": {}}
        for turn in range(args.turns):
            found = {platform: run_job(platform, size, args.devices, args.only) for platform in times}
            if turn == 0:
                compare(found["ours"], found["cpu"])
            for platform, parts in found.items():
                for name in parts[0]:
                    slowest = max(part[name][1] for part in parts)
                    times[platform].setdefault(name, []).append(slowest)
        for name in times["ours"]:
            ours, theirs = (statistics.median(times[platform][name]) for platform in ("ours", "cpu"))
            ratios.append(ours / theirs)
            print(f"{f'{size} processes, {name}':28}{ours * 1e6:12,.0f}{theirs * 1e6:12,.0f}{ours / theirs:8.2f}", flush=True)
    mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    print(json.dumps({"geometric_mean": round(mean, 3), "cases": len(ratios)}))


if __name__ == "__main__":
    main()
