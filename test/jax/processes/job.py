#===- job.py - runs JAX programs in several processes ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs the cases of a script as jobs of several processes, and compares what each process returns:

- with JAX's own CPU backend in as many processes
- with one process of our own that has all the devices, bit for bit

    from job import case, main

    @case
    def sum_of_all():
        return jax.jit(jnp.sum)(rows(8))

    main(__doc__)

A case is called in every process. It returns a tree of arrays, numbers and texts; what it prints belongs to its
result. Arrays must be fully addressable or fully replicated. Options:

  @case(local=True)         results differ between processes: they are not compared with one process
  @case(cpu=False)          JAX's CPU cannot run it, or differs; the docstring says why
  @case(errors="same")      raises the same error on both platforms (`"type"`: errors of the same type)
  @case(rtol=.., atol=..)   tolerances of the comparison with JAX's CPU
  @case(layouts=[..])       as the script's

A script's layouts are lists [(processes, devices of each)]; the devices of each may be a tuple, by process.
SHARDWRIGHT_TRANSPORT=gloo runs the cases over Gloo instead of TCP.
"""

import contextlib
import io
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import both  # noqa: E402

ROOT = both.ROOT
# Seconds for a process to start, and for one case.
START, LIMIT = 120, 100

_cases = {}


def case(function=None, **options):
    if function is None:
        return lambda f: case(f, **options)
    _cases[function.__name__] = (function, options)
    return function


# --- jobs ----------------------------------------------------------------------------------


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


def library_dir():
    return os.environ.get("SHARDWRIGHT_LIBRARY_DIR") or os.path.join(os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build")), "lib")


def environment(platform, devices):
    """Returns the environment of a process that has this number of devices."""
    env = both.environment("cpu" if platform == "cpu" else "shardwright")
    env = {name: value for name, value in env.items() if not name.lower().endswith("_proxy")}
    flags = [f for f in env.get("XLA_FLAGS", "").split() if "device_count" not in f]
    env.update(JAX_NUM_CPU_DEVICES=str(devices), XLA_FLAGS=" ".join(flags))
    env.setdefault("SHARDWRIGHT_TRANSPORT", "tcp")
    if platform != "cpu":
        env["SHARDWRIGHT_NUM_DEVICES"] = str(devices)
        env.setdefault("SHARDWRIGHT_LIBRARY_DIR", library_dir())
    return env


class Job:
    """Processes that run `python SCRIPT ARGUMENTS...`, each with its own environment. Their output is collected."""

    def __init__(self, commands, environments):
        self.outputs = [tempfile.TemporaryFile() for _ in commands]
        self.processes = [
            subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
            for command, env, out in zip(commands, environments, self.outputs)
        ]

    def wait(self, limit):
        """Waits for all processes; ends those that take longer. Returns their exit codes (None: ended here)."""
        end = time.monotonic() + limit
        codes = []
        for process in self.processes:
            try:
                codes.append(process.wait(max(0.0, end - time.monotonic())))
            except subprocess.TimeoutExpired:
                codes.append(None)
        self.stop()
        return codes

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def output(self, i):
        self.outputs[i].seek(0)
        return self.outputs[i].read().decode(errors="replace")


def counts(processes, devices):
    """Returns the number of devices of each process."""
    return list(devices) if isinstance(devices, tuple) else [devices] * processes


# --- in each process -----------------------------------------------------------------------


def initialize():
    """Joins the job that the environment describes."""
    import jax

    if "JOB_MPI" in os.environ or "JOB_CLUSTER" in os.environ:
        jax.distributed.initialize(initialization_timeout=START)
    elif "JOB_PORT" in os.environ:
        jax.distributed.initialize(
            f"localhost:{os.environ['JOB_PORT']}", int(os.environ["JOB_SIZE"]), int(os.environ["JOB_PROCESS"]), initialization_timeout=START
        )


def _run_case(function):
    import jax

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        kind, value = both.result(function)
        with contextlib.suppress(Exception):
            jax.effects_barrier()
    if kind == "value":
        value = [*value, ("printed", "\n".join(sorted(printed.getvalue().splitlines())))]
    return kind, value


def child(out, names):
    initialize()
    with open(out, "wb") as file:
        for name in names:
            pickle.dump((name, None), file)
            file.flush()
            pickle.dump((name, _run_case(_cases[name][0])), file)
            file.flush()


# --- in the parent -------------------------------------------------------------------------


def _results(path, names):
    found = {}
    with open(path, "rb") as file:
        while True:
            try:
                name, result = pickle.load(file)
            except EOFError:
                return found
            found[name] = result


def run(platform, devices, names):
    """Runs cases as a job. Returns, by process, {name: result}. If a case ends a process or takes too long, the
    following cases run in another job."""
    total, left = [{} for _ in devices], list(names)
    while left:
        with tempfile.TemporaryDirectory() as folder:
            port, script = free_port(), os.path.abspath(sys.argv[0])
            files = [os.path.join(folder, f"{i}.pickle") for i in range(len(devices))]
            environments = []
            for i, count in enumerate(devices):
                env = environment(platform, count)
                if len(devices) > 1:
                    env.update(JOB_PORT=str(port), JOB_SIZE=str(len(devices)), JOB_PROCESS=str(i))
                environments.append(env)
            job = Job([[sys.executable, script, "--child", file, *left] for file in files], environments)
            codes = _watch(job, files)
            results = [_results(file, left) if os.path.exists(file) else {} for file in files]
            # The last case that all processes have done, and the first that some have not.
            done = [name for name in left if all(r.get(name) for r in results)]
            for found, all_found in zip(results, total):
                all_found.update({name: found[name] for name in done})
            left = left[len(done) :]
            if left:
                for i, all_found in enumerate(total):
                    end = "took too long" if codes[i] is None else f"exit code {codes[i]}"
                    all_found[left[0]] = results[i].get(left[0]) or ("crash", f"process {i}: {end}\n{job.output(i)[-3000:]}")
                left = left[1:]
    return total


def _watch(job, files):
    """Waits for a job, as long as it gets on with its cases. A process that has failed gives the others a few seconds."""
    written, last, failed = 0, time.monotonic(), None
    while any(p.poll() is None for p in job.processes):
        time.sleep(0.05)
        now = time.monotonic()
        size = sum(os.path.getsize(f) for f in files if os.path.exists(f))
        if size != written:
            written, last = size, now
        if failed is None and any(p.poll() not in (None, 0) for p in job.processes):
            failed = now
        if now > last + (LIMIT if written else START) or (failed and now > failed + 15):
            break
    codes = [p.poll() for p in job.processes]
    job.stop()
    return codes


def _same_bits(a, b):
    """Returns how two results of ours differ, or an empty text."""
    import numpy as np

    if a[0] != b[0]:
        return f"one process gives {b[:2]}\nseveral give {a[:2]}"
    if a[0] != "value":
        return ""
    if [n for n, _ in a[1]] != [n for n, _ in b[1]]:
        return f"the trees differ: {[n for n, _ in a[1]]}, one process {[n for n, _ in b[1]]}"
    for (name, x), (_, y) in zip(a[1], b[1]):
        if name == "printed":
            continue
        same = x == y if isinstance(x, str) else x.dtype == y.dtype and np.shape(x) == np.shape(y) and x.tobytes() == y.tobytes()
        if not same:
            return f"{name}: not the bits of one process:\n{x}\none process:\n{y}"
    return ""


def _check(tally, where, name, ours, theirs, alone):
    options = _cases[name][1]
    for i, result in enumerate(ours):
        text = ""
        if theirs is not None:
            if theirs[i][0] == "error" and not options.get("errors"):
                text = f"the case itself fails: {theirs[i][1][2]}"
            else:
                text = both.difference(result, theirs[i], {"rtol": 1e-5, "atol": 1e-6, **options})
        elif result[0] in ("error", "crash") and not options.get("errors"):
            text = "\n".join(map(str, result[1:]))
        if not text and alone is not None:
            text = _same_bits(result, alone)
        tally.check(f"{where} {name}, process {i}", not text, text)


def main(doc, layouts=((2, 2),)):
    args = both.arguments(doc)
    if args.child:
        return child(args.child, args.names)
    import oracle

    title = "jax/processes/" + os.path.splitext(os.path.basename(sys.argv[0]))[0]
    tally = oracle.Tally(title, args.show)
    chosen = args.names or list(_cases)[:: args.every]
    for layout in dict.fromkeys(l for name in chosen for l in _cases[name][1].get("layouts", layouts)):
        names = [name for name in chosen if layout in _cases[name][1].get("layouts", layouts)]
        devices, where = counts(*layout), f"{layout[0]}x{layout[1]}"
        ours = run("shardwright", devices, names)
        theirs = run("cpu", devices, [n for n in names if _cases[n][1].get("cpu", True)])
        alone = run("shardwright", [sum(devices)], [n for n in names if not _cases[n][1].get("local")])[0]
        for name in names:
            _check(
                tally, where, name, [found[name] for found in ours],
                [found[name] for found in theirs] if name in theirs[0] else None, alone.get(name),
            )  # fmt: skip
    tally.finish()
