#===- wrapper_profiling.py - JAX's profiles through the wrapper -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.profiler.trace through the wrapper plugin (SHARDWRIGHT_BACKEND), with our own plugin as the vendor's: the
planes of the vendor's profiler and one of ours, which shows when programs were partitioned. A vendor without a
profiler leaves ours; one whose profiler fails is reported, and leaves JAX running."""

import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle

OURS = "/device:CUSTOM:shardwright partitioner"


def record():
    """Profiles a program of eight devices and one of one device; prints plane -> line -> names of events."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import AxisType, NamedSharding
    from jax.sharding import PartitionSpec as P

    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    x = jax.device_put(np.ones((16, 16), np.float32), NamedSharding(mesh, P("x")))

    def everywhere(x):
        return jnp.tanh(x @ x.T)

    def on_one(y):
        return y + 1

    with tempfile.TemporaryDirectory() as folder:
        problem = ""
        try:
            with jax.profiler.trace(folder):
                result = np.asarray(jax.jit(everywhere)(x))
                jax.block_until_ready(jax.jit(on_one)(np.ones(8, np.float32)))
        except Exception as e:
            problem = str(e)
            result = np.asarray(jax.jit(everywhere)(x))
        np.testing.assert_allclose(result, np.ones((16, 16)), rtol=1e-5)
        found = {}
        for path in glob.glob(os.path.join(folder, "**", "*.xplane.pb"), recursive=True):
            for plane in jax.profiler.ProfileData.from_file(path).planes:
                found[plane.name] = {l.name: [(e.name, e.duration_ns) for e in l.events] for l in plane.lines}
    print(json.dumps({"planes": found, "problem": problem}))


def recorded(tally, settings):
    env = dict(
        os.environ,
        PYTHONPATH=os.path.join(ROOT, "python"),
        JAX_PLATFORMS="shardwright",
        SHARDWRIGHT_NUM_DEVICES="8",
        SHARDWRIGHT_BACKEND=os.path.join(oracle.BUILD, "lib", "liblying_plugin.so"),
        LYING_PLUGIN=f"minor=116,size=1144{settings}",
    )
    done = subprocess.run([sys.executable, __file__, "--record"], env=env, capture_output=True, text=True, timeout=300)
    if not tally.check(f"runs{settings}", done.returncode == 0, done.stderr):
        return None, ""
    made = json.loads(done.stdout)
    return made["planes"], made["problem"] + done.stderr


def main():
    oracle.arguments(__doc__, 0, 0)
    tally = oracle.Tally("jax/wrapper_profiling")
    for settings, has_vendors in (("", True), (",profiler=query", True), (",profiler=none", False)):
        planes, problem = recorded(tally, settings)
        if planes is None:
            continue
        tally.check(f"no error{settings}", "PLUGIN_Profiler" not in problem, problem)
        vendors = {p for p in planes if p.startswith("/device:CUSTOM:shardwright:")}
        tally.equal(f"planes of the vendor{settings}", 8 if has_vendors else 0, len(vendors))
        for plane in sorted(vendors):
            tally.check(f"runs in {plane}{settings}",
                        "jit_everywhere" in [name for name, _ in planes[plane]["programs"]], planes[plane])  # fmt: skip
        ours = planes.get(OURS, {}).get("partition", [])
        tally.equal(f"partitioned{settings}", ["jit_everywhere"], [name for name, _ in ours])
        tally.check(f"it took time{settings}", all(0 < time < 1e12 for _, time in ours), ours)
    for function, name in (("create", "Create"), ("start", "Start"), ("stop", "Stop"), ("collect_data", "CollectData")):
        planes, problem = recorded(tally, f",profiler={function}")
        if planes is not None:
            tally.check(f"profiler={function} is reported", f"PLUGIN_Profiler_{name}" in problem, problem)
    tally.finish()


if sys.argv[1:] == ["--record"]:
    record()
elif __name__ == "__main__":
    main()
