#===- neighbours.py - other users of LLVM in the same process ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Our programs and those of numba, or of torch, are compiled in one process, in both orders; each
library has its own LLVM. Arrays are passed to torch and back without a copy. Skipped if the
libraries are not installed."""

import importlib.util
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))

import oracle

PROGRAM = """
import sys
import numpy as np

def ours():
    import jax, jax.numpy as jnp
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    x = jax.device_put(np.linspace(-1, 1, 64, dtype=np.float32), NamedSharding(mesh, P("x")))
    assert jax.default_backend() == "shardwright"
    return float(jax.jit(lambda x: jnp.tanh(x).sum() + (x * x).sum())(x))

def numba():
    import numba
    @numba.njit
    def total(a):
        s = 0.0
        for v in a:
            s += np.tanh(v) + v * v
        return s
    return total(np.linspace(-1, 1, 64))

def torch():
    import torch
    @torch.jit.script
    def total(a):
        return (torch.tanh(a) + a * a).sum()
    for _ in range(3):  # the third run is compiled
        result = total(torch.linspace(-1, 1, 64))
    return float(result)

def exchange():
    import jax, jax.numpy as jnp, torch
    x = jax.jit(lambda: jnp.linspace(-1, 1, 64))()
    view = torch.from_dlpack(x)  # the same memory, also on the way back
    back = jnp.from_dlpack(torch.tanh(view) + view * view)
    assert view.data_ptr() == x.unsafe_buffer_pointer() and back.devices() == {jax.devices()[0]}
    return float(back.sum())

values = [globals()[name]() for name in sys.argv[1:]]
print(np.allclose(values, values[0], 1e-4, 1e-4), values)
"""


def main():
    oracle.arguments(__doc__, 0, 0)
    tally = oracle.Tally("jax/neighbours")
    env = dict(os.environ, JAX_PLATFORMS="shardwright", SHARDWRIGHT_NUM_DEVICES="8", TF_CPP_MIN_LOG_LEVEL="3")
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [os.path.join(ROOT, "python"), os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as folder:
        # In a file, because TorchScript reads the source of the functions that it compiles.
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(PROGRAM)
        run(program, env, tally)
    tally.finish()


def run(program, env, tally):
    for other in ("numba", "torch"):
        if importlib.util.find_spec(other) is None:
            tally.skip(other, "not installed")
            continue
        orders = [["ours", other, "ours"], [other, "ours", other]]
        orders += [["torch", "exchange", "ours"]] if other == "torch" else []
        for order in orders:
            done = subprocess.run([sys.executable, program, *order], env=env, capture_output=True, text=True, timeout=300)
            tally.check(" ".join(order), done.returncode == 0 and done.stdout.startswith("True"), f"exit code {done.returncode}\n{done.stdout}{done.stderr[-2000:]}")


if __name__ == "__main__":
    main()
