#===- wheel.py - one wheel for every Python --------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Builds the wheel from the plugin of the build folder. Its libraries use nothing of Python, its tag
names no version of Python, and pip installs it beside the JAX of .venv, .venv-newest and the interpreters
of SHARDWRIGHT_WHEEL_PYTHONS (separated by colons), where the doctor finds every feature and a sharded
training step runs. An environment that does not exist is skipped by name."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle

PYTHONS = {name: os.path.join(ROOT, name, "bin", "python") for name in (".venv", ".venv-newest")}
PYTHONS.update((path, path) for path in os.environ.get("SHARDWRIGHT_WHEEL_PYTHONS", "").split(":") if path)

STEP = """
import jax, jax.numpy as jnp, numpy as np, shardwright
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
w = np.arange(64, dtype=np.float32).reshape(8, 8) / 64
x = np.ones((16, 8), np.float32)
step = jax.jit(lambda w, x: w - 0.1 * jax.grad(lambda v: ((x @ v) ** 2).mean())(w))
put = lambda a, *spec: jax.device_put(a, NamedSharding(mesh, P(*spec)))
got = step(put(w, None, "model"), put(x, "data"))
np.testing.assert_allclose(got, w - 0.1 * 2 / (16 * 8) * x.T @ (x @ w), rtol=1e-5)
assert "/site-packages-of-the-wheel/" in shardwright.__file__, shardwright.__file__
print(jax.default_backend(), len(got.sharding.device_set))
"""

PYTORCH = """
import importlib.metadata, sys
import shardwright, shardwright.torch
assert shardwright.torch.client_options()["torch_xla"] is True
assert not {"torch", "torch_xla", "jax"} & set(sys.modules), sys.modules
(entry,) = importlib.metadata.entry_points(group="torch_xla.plugins", name="SHARDWRIGHT")
assert entry.value == "shardwright.torch:Plugin", entry
"""


def build(folder):
    """Returns the path of the wheel."""
    code = "import sys, os; sys.path.insert(0, 'python'); import build_backend; build_backend.build_wheel(sys.argv[1])"
    env = dict(os.environ, SHARDWRIGHT_BUILD=oracle.BUILD)
    done = subprocess.run([sys.executable, "-c", code, folder], cwd=ROOT, env=env, capture_output=True, text=True)
    found = glob.glob(os.path.join(folder, "*.whl"))
    if done.returncode or len(found) != 1:
        sys.exit(f"the wheel is not built:\n{(done.stdout + done.stderr)[-3000:]}")
    return found[0]


def check_contents(tally, wheel):
    name = os.path.basename(wheel)
    tally.check("the tag", re.fullmatch(r"shardwright-[\d.]+-py3-none-linux_\w+\.whl", name), name)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        tags = [line for n in archive.namelist() if n.endswith("/WHEEL") for line in archive.read(n).decode().splitlines() if "Tag" in line]
        tally.equal("the tag inside", str([f"Tag: {name.removesuffix('.whl').split('-', 2)[2]}"]), str(tags))
        for library in (n for n in archive.namelist() if n.endswith(".so")):
            path = archive.extract(library, folder)
            listed = subprocess.run(["readelf", "--wide", "--dynamic", "--dyn-syms", path], capture_output=True, text=True, check=True).stdout
            wrong = re.findall(r"NEEDED.*python.*|UND _?Py\w+", listed)
            tally.equal(f"{os.path.basename(library)} uses nothing of Python", "[]", str(wrong))


def check_python(tally, name, python, wheel, folder):
    target = os.path.join(folder, "site-packages-of-the-wheel")
    env = {k: v for k, v in os.environ.items() if not k.startswith("SHARDWRIGHT_")}
    env.update(PYTHONPATH=target, PYTHONDONTWRITEBYTECODE="1", JAX_PLATFORMS="shardwright", TF_CPP_MIN_LOG_LEVEL="3")

    def run(*arguments):
        done = subprocess.run([python, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=600)
        return done.returncode, done.stdout, done.stdout + done.stderr

    version = run("-c", "import sys, jax; print(sys.version_info[:2], jax.__version__)")[1].strip()
    label = f"{name} {version}"
    code, _, said = run("-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", target, wheel)
    if not tally.check(f"{label}: pip installs it", code == 0, said[-2000:]):
        return
    code, _, said = run("-m", "shardwright.doctor")
    tally.check(f"{label}: the doctor", code == 0, said[-4000:])
    code, out, said = run("-c", PYTORCH)
    tally.check(f"{label}: finds the plugin for PyTorch/XLA, and loads no torch", code == 0, said[-3000:])
    code, out, said = run("-c", STEP)
    tally.check(f"{label}: a sharded step", code == 0 and out.split() == ["shardwright", "8"], said[-3000:])


def main():
    oracle.require()
    tally = oracle.Tally("jax/wheel")
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(folder)
        check_contents(tally, wheel)
        for name, python in PYTHONS.items():
            if not os.path.exists(python):
                tally.skip(name, "there is no such Python (scripts/bootstrap.sh makes the environments)")
                continue
            with tempfile.TemporaryDirectory() as place:
                check_python(tally, name, python, wheel, place)
    tally.finish()


if __name__ == "__main__":
    main()
