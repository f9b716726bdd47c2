#===- doctor.py - what works on this machine ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`python -m shardwright.doctor` checks the plugin for JAX on this machine, and prints a line for each
check. Exit code 1 if a check fails."""

import os
import platform
import sys


class Report:
    def __init__(self):
        self.failed = 0

    def line(self, mark, what, detail=""):
        print(f"{mark:5} {what}" + (f": {detail}" if detail else ""), flush=True)

    def fine(self, what, detail=""):
        self.line("ok", what, detail)

    def fail(self, what, detail):
        self.failed += 1
        self.line("FAIL", what, detail)

    def check(self, what, function):
        try:
            self.fine(what, function())
        except Exception as error:
            self.fail(what, f"{type(error).__name__}: {error}".splitlines()[0])


def _program(jax, np, devices):
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    mesh = jax.make_mesh((len(devices),), ("x",), devices=devices, axis_types=(AxisType.Auto,))
    n = 2 * len(devices)
    a = np.arange(n * 4, dtype=np.float32).reshape(n, 4)
    x = jax.device_put(a, NamedSharding(mesh, PartitionSpec("x")))
    y = jax.jit(lambda x: (x @ x.T).sum(0))(x)
    if not np.allclose(y, (a @ a.T).sum(0), rtol=1e-4):
        raise ValueError("the result is wrong")
    return f"{len(devices)} devices, {y.sharding}"


def _callback(jax, np):
    out = jax.ShapeDtypeStruct((), np.float32)
    if float(jax.jit(lambda x: jax.pure_callback(lambda a: np.float32(a) + 1, out, x))(1.0)) != 2:
        raise ValueError("the result is wrong")
    return ""


def _linalg(jax, np):
    w = np.asarray(jax.numpy.linalg.eigh(jax.numpy.eye(3) * 2)[0])
    if not np.allclose(w, 2):
        raise ValueError("the result is wrong")
    return ""


def main():
    report = Report()
    report.fine("python", f"{platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    from shardwright.jax import PLATFORM, library, measures

    path = library.find()
    if path is None:
        report.fail("library", f"{library.NAME} is not in {library.places()}")
        return 1
    report.fine("library", path)
    os.environ["JAX_PLATFORMS"] = PLATFORM
    try:
        import jax
        import numpy as np
    except ImportError as error:
        report.fail("jax", str(error))
        return 1
    report.fine("jax", jax.__version__)
    try:
        devices = jax.devices()
    except RuntimeError as error:
        report.fail("devices", str(error))
        return 1
    report.fine("devices", f"{len(devices)} ({devices[0].client.platform_version.splitlines()[-1]})")
    for name, problem in measures.outcome.items():
        if problem is None:
            report.fine(name)
        else:
            report.line("left", name, problem)
    report.check("a sharded program", lambda: _program(jax, np, devices))
    report.check("LAPACK", lambda: _linalg(jax, np))
    report.check("a callback", lambda: _callback(jax, np))
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
