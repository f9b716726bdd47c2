#===- explicit_worker.py - runs programs given as text --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A process that runs the programs of explicit_programs.py on one platform, and the interface to it in
the parent. A request returns ("value", (axes of the mesh, leaves)), ("error", text) or ("crash",
text). A leaf has the type of a result and the part of every device."""

import os
import pickle
import select
import subprocess
import sys
import tempfile
import time

import numpy as np
from both import environment

# Requests per process (a process keeps compiled programs), and seconds per request.
LIVES, LIMIT = 150, 120


def _spec(array):
    """Returns the sharding of an array on a mesh, in a canonical order."""
    spec = getattr(array.sharding, "spec", None)
    if spec is None:
        return type(array.sharding).__name__, (), ()
    parts = [None if p is None or p == () else p if isinstance(p, tuple) else (p,) for p in spec.partitions]
    while parts and parts[-1] is None:
        parts.pop()
    return str(tuple(parts)), tuple(sorted(spec.unreduced)), tuple(sorted(spec.reduced))


def _leaf(array):
    import jax

    dims, unreduced, reduced = _spec(array)
    leaf = {
        "dtype": str(array.dtype), "shape": array.shape, "dims": dims, "unreduced": unreduced, "reduced": reduced,
        "weak": array.weak_type, "parts": [np.asarray(part) for part in array._arrays], "text": repr(array) if unreduced else "",
    }  # fmt: skip
    if unreduced:
        spec = jax.sharding.PartitionSpec(*array.sharding.spec.partitions)
        whole = jax.jit(lambda a: jax.sharding.reshard(a, spec))(array)
        leaf["whole"] = [np.asarray(part) for part in whole._arrays]
        array = whole
    leaf["global"] = np.asarray(array)
    return leaf


def execute(text):
    import jax

    env = {}
    try:
        exec(compile(text, "<program>", "exec"), env)
        with jax.set_mesh(env["mesh"]):
            leaves = [(jax.tree_util.keystr(p), _leaf(a)) for p, a in jax.tree_util.tree_leaves_with_path(env["results"])]
        return "value", (dict(env["mesh"].shape), leaves)
    except Exception as error:
        return "error", f"{type(error).__name__}: {error}"


def serve():
    """The child process: reads a pickled text, writes a pickled answer."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            kind, request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        if kind == "generate":
            import explicit_generator

            answer = explicit_generator.generate(*request)
        else:
            answer = execute(request)
        pickle.dump(answer, out)
        out.flush()


class Worker:
    """The interface in the parent. The answer is received separately from the request, so that two
    platforms work in parallel."""

    def __init__(self, platform):
        self.platform, self.child, self.served = platform, None, 0

    def _start(self):
        self.stop()
        self.errors, self.served = tempfile.TemporaryFile(), 0
        command = [sys.executable, os.path.abspath(__file__)]
        env = environment(self.platform)
        self.child = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)

    def stop(self):
        if self.child:
            self.child.kill()
            self.child.wait()
            self.child.stdin.close()
            self.child.stdout.close()
        self.child = None

    def send(self, kind, request):
        if self.child is None or self.served >= LIVES:
            self._start()
        self.served, self.sent = self.served + 1, time.monotonic()
        try:
            pickle.dump((kind, request), self.child.stdin)
            self.child.stdin.flush()
        except BrokenPipeError:
            pass  # receive() reports the error

    def receive(self):
        left = LIMIT - (time.monotonic() - self.sent)
        if not select.select([self.child.stdout], [], [], max(0, left))[0]:
            self.stop()
            return "crash", f"stopped after {LIMIT} s"
        try:
            return pickle.load(self.child.stdout)
        except (EOFError, pickle.UnpicklingError):
            code = self.child.wait()
            self.errors.seek(0)
            output = self.errors.read()[-3000:].decode(errors="replace")
            self.stop()
            return "crash", f"exit code {code}\n{output}"


if __name__ == "__main__":
    serve()
