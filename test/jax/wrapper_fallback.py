#===- wrapper_fallback.py - programs that the wrapper cannot partition ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The wrapper plugin (SHARDWRIGHT_BACKEND) with programs that we cannot partition, and with a vendor that refuses
our partition: an error that names the remedy, or, with SHARDWRIGHT_BACKEND_FALLBACK=vendor, a warning and the
right result. Our own plugin plays the vendor's."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle


def run_programs():
    """Runs a usual program, and one whose arguments are on meshes without a common refinement; prints the errors."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding
    from jax.sharding import PartitionSpec as P

    devices = np.array(jax.devices()[:6])
    a = np.arange(36, dtype=np.float32).reshape(6, 6)
    two, three = Mesh(devices.reshape(2, 3), ("x", "y")), Mesh(devices.reshape(3, 2), ("x", "y"))
    errors = {}
    for name, meshes in (("usual", (two, two)), ("meshes", (two, three))):
        x, y = (jax.device_put(a, NamedSharding(mesh, P("x", "y"))) for mesh in meshes)
        try:
            np.testing.assert_allclose(np.asarray(jax.jit(lambda x, y: x @ y + 1)(x, y)), a @ a + 1)
            errors[name] = ""
        except jax.errors.JaxRuntimeError as e:
            errors[name] = str(e)
    print(json.dumps(errors))


def outcome(tally, case, settings="", fallback=None):
    env = dict(
        os.environ,
        PYTHONPATH=os.path.join(ROOT, "python"),
        JAX_PLATFORMS="shardwright",
        SHARDWRIGHT_NUM_DEVICES="8",
        SHARDWRIGHT_BACKEND=os.path.join(oracle.BUILD, "lib", "liblying_plugin.so"),
        LYING_PLUGIN=f"minor=116,size=1144{settings}",
    )
    env.pop("SHARDWRIGHT_BACKEND_FALLBACK", None)
    if fallback is not None:
        env["SHARDWRIGHT_BACKEND_FALLBACK"] = fallback
    done = subprocess.run([sys.executable, __file__, "--run"], env=env, capture_output=True, text=True, timeout=300)
    if not tally.check(f"{case}: runs", done.returncode == 0, done.stderr):
        return {"usual": "", "meshes": ""}, ""
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def main():
    oracle.arguments(__doc__, 0, 0)
    tally = oracle.Tally("jax/wrapper_fallback")
    remedy, warning = "SHARDWRIGHT_BACKEND_FALLBACK=vendor lets the plugin", "It is partitioned by the plugin instead"
    for fallback in (None, "error"):
        errors, text = outcome(tally, f"fallback {fallback}", fallback=fallback)
        tally.check(f"{fallback}: usual", errors["usual"] == "" and warning not in text, errors)
        tally.check(f"{fallback}: meshes", "mesh" in errors["meshes"] and remedy in errors["meshes"], errors)
    errors, text = outcome(tally, "vendor", fallback="vendor")
    tally.check("vendor: right results", errors == {"usual": "", "meshes": ""}, errors)
    tally.check("vendor: one warning", text.count(warning) == 1 and "shardwright cannot partition" in text, text)
    refusing = ",refuse=regions"
    errors, text = outcome(tally, "refusing", refusing)
    for part in ("INVALID_ARGUMENT", "refuses Shardwright's partition of jit", remedy):
        tally.check(f"refusing: {part}", part in errors["usual"], errors)
    errors, text = outcome(tally, "refusing, vendor", refusing, "vendor")
    tally.check("refusing, vendor: right results", errors == {"usual": "", "meshes": ""}, errors)
    tally.check("refusing, vendor: warnings", text.count(warning) == 2 and "refuses Shardwright's partition of jit" in text, text)
    errors, text = outcome(tally, "bogus", fallback="bogus")
    tally.check("bogus", "'bogus', expected error or vendor" in errors["usual"], errors)
    tally.finish()


if sys.argv[1:] == ["--run"]:
    run_programs()
elif __name__ == "__main__":
    main()
