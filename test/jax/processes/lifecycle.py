#===- lifecycle.py - start, failures and end of jobs ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Jobs of 2 processes with 2 devices each, a job for each scenario: what is written to caches and checkpoints, what
processes say when another one fails, runs something else or does not come, and how they end.

A scenario is a function that all processes call with their number; it prints lines. Its check gets the exit codes and the
outputs."""

import os
import re
import shutil
import sys
import tempfile

import job

SCENARIOS = {}
LIMIT = 100


def scenario(check, env=None, processes=2, before=1):
    """`before`: how often the job runs; the check sees the last time."""

    def add(function):
        SCENARIOS[function.__name__] = (function, check, env or {}, processes, before)
        return function

    return add


# --- checks: return a text if something is wrong ------------------------------------------


def all_say(*patterns):
    def check(codes, outputs):
        for i, (code, output) in enumerate(zip(codes, outputs)):
            if code != 0:
                return f"process {i}: exit code {code}"
            for pattern in patterns:
                if not re.search(pattern, output):
                    return f"process {i} does not say `{pattern}`"

    return check


def all_say_the_same(codes, outputs):
    lines = [[line for line in output.splitlines() if line.startswith("says ")] for output in outputs]
    if any(code != 0 for code in codes):
        return f"exit codes {codes}"
    return None if lines[0] and all(found == lines[0] for found in lines) else f"the lines differ: {lines}"


def first_says(*patterns, others=(0,)):
    """Of the first process; the others end with one of these exit codes."""

    def check(codes, outputs):
        if codes[0] != 0:
            return f"process 0: exit code {codes[0]}"
        if any(code not in others for code in codes[1:]):
            return f"exit codes {codes}"
        return next((f"process 0 does not say `{p}`" for p in patterns if not re.search(p, outputs[0])), None)

    return check


# --- in each process -----------------------------------------------------------------------


def summed(x):
    import jax
    import jax.numpy as jnp

    return jax.jit(lambda x: x + jnp.sum(x))(x)


def all_rows(n=8):
    from helpers import rows

    return rows(n)


def attempt(function, *args):
    """Prints the error of a call, on one line, and the time that it took."""
    import time

    import jax

    start = time.monotonic()
    try:
        jax.block_until_ready(function(*args))
        print("no error", flush=True)
    except Exception as error:
        print(f"{type(error).__name__} after {time.monotonic() - start:.0f} s: {' '.join(str(error).split())}", flush=True)


def leave_at_once(code=0):
    """Ends without the barrier of jax.distributed, which waits for processes that have died."""
    sys.stdout.flush()
    os._exit(code)


@scenario(all_say("says done"))
def ends_in_order(process):
    import jax

    jax.block_until_ready(summed(all_rows()))
    print("says done")


@scenario(all_say("says done"))
def ends_with_runs_in_flight(process):
    x = all_rows()
    for _ in range(20):
        x = summed(x)
    print("says done")


@scenario(all_say("says done"))
def clears_backends(process):
    """The devices are opened anew, in the same job."""
    import jax
    import numpy as np
    from jax.extend.backend import clear_backends

    def total():
        return [np.asarray(s.data).tolist() for s in summed(all_rows()).addressable_shards]

    first = total()
    old = jax.devices()[0]
    for _ in range(2):
        clear_backends()
        assert total() == first
        assert jax.devices()[0] is not old
    print("says done")


@scenario(all_say(r"says 0 of 2|says 1 of 2"), env={
    "SLURM_JOB_ID": "{port}", "SLURM_STEP_NODELIST": "localhost", "SLURM_NTASKS": "2", "SLURM_STEP_NUM_TASKS": "2",
    "SLURM_PROCID": "{process}", "SLURM_LOCALID": "{process}", "JOB_CLUSTER": "slurm"})  # fmt: skip
def under_srun(process):
    """JAX finds the processes by srun's variables, as it does with any backend."""
    import jax

    jax.block_until_ready(summed(all_rows()))
    print(f"says {jax.process_index()} of {jax.process_count()}")


def loaded_engines():
    with open("/proc/self/maps") as maps:
        return sorted(set(re.findall(r"libshardwright_(mpi|gloo)", maps.read())))


@scenario(all_say(r"engines \[\]"), env={"SHARDWRIGHT_TRANSPORT": "auto"})
def needs_no_engine_without_mpirun(process):
    summed(all_rows())
    print("engines", loaded_engines())


@scenario(all_say(r"engines \['gloo'\]|was not built"), env={"SHARDWRIGHT_TRANSPORT": "gloo"})
def runs_over_gloo(process):
    if not os.path.exists(os.path.join(job.library_dir(), "libshardwright_gloo.so")):
        print("Gloo was not built")
        return
    summed(all_rows())
    print("engines", loaded_engines())


@scenario(all_say("says done"))
def ends_without_a_program(process):
    import jax

    jax.devices()
    print("says done")


@scenario(all_say_the_same)
def compiles_to_the_same_bytes(process):
    import hashlib

    import jax
    import jax.numpy as jnp
    from helpers import named

    programs = {
        "sum": lambda x: jnp.sum(x, 0), "turn": lambda x: x.T @ x, "loop": lambda x: jax.lax.fori_loop(0, 3, lambda i, x: x + jnp.sum(x), x),
        "callback": lambda x: jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct((8, 4), "float32"), x),
        "random": lambda x: x + jax.random.normal(jax.random.key(1), (8, 4)),
    }  # fmt: skip
    for name, function in programs.items():
        compiled = jax.jit(function).lower(jax.ShapeDtypeStruct((8, 4), "float32", sharding=named("x"))).compile()
        executable = compiled.runtime_executable()
        print("says", name, hashlib.sha256(executable.serialize()).hexdigest(), executable.fingerprint)
    print("says", jax.devices()[0].client.platform_version.replace("\n", " "))


def cached(process):
    """Prints how many programs came from the persistent cache, and how many were compiled."""
    import jax
    import numpy as np

    counts = {"hits": 0, "misses": 0}

    def note(event, **_):
        for name in counts:
            counts[name] += event == f"/jax/compilation_cache/cache_{name}"

    jax.monitoring.register_event_listener(note)
    f = jax.jit(lambda x: x * 2 + 1)
    for x in (all_rows(), summed(all_rows())):
        print("value", np.asarray(f(x).addressable_shards[0].data).tolist())
    print(f"hits {counts['hits']} misses {counts['misses']}")


CACHE = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1", "JAX_COMPILATION_CACHE_DIR": "{folder}"}


@scenario(all_say(r"hits [1-9]\d* misses 0"), env=CACHE, before=2)
def finds_programs_in_the_persistent_cache(process):
    cached(process)


@scenario(all_say(r"value"), env={**CACHE, "JAX_SHARE_BINARY_BETWEEN_HOSTS": "1"})
def shares_binaries(process):
    cached(process)


@scenario(all_say("says equal"))
def saves_and_restores_shards(process):
    """Each process writes its shards, and reads them in another sharding."""
    import jax
    import numpy as np
    from helpers import mesh, numbers, put, replicated
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    try:
        import orbax.checkpoint as ocp
    except ImportError:
        print("says equal (orbax is not installed)")
        return
    m = mesh()
    tree = {"a": put(numbers((8, 4)), NamedSharding(m, P("x"))), "b": put(numbers((4,)), NamedSharding(m, P()))}
    folder = os.path.join(os.environ["JOB_FOLDER"], "checkpoint")
    with ocp.StandardCheckpointer() as saver:
        saver.save(folder, tree)
        saver.wait_until_finished()
        shapes = {
            "a": jax.ShapeDtypeStruct((8, 4), "float32", sharding=NamedSharding(m, P(None, "x"))),
            "b": jax.ShapeDtypeStruct((4,), "float32", sharding=NamedSharding(m, P("x"))),
        }
        back = saver.restore(folder, shapes)
    assert back["a"].sharding.spec == P(None, "x")
    same = [np.array_equal(np.asarray(replicated(back[n])), numbers(tree[n].shape)) for n in tree]
    print("says equal" if all(same) else f"says {same}")


@scenario(all_say("jit_f.*jit_g|jit_g.*jit_f", "then no error"))
def runs_another_program(process):
    import jax
    import jax.numpy as jnp

    def f(x):
        return x + jnp.sum(x)

    def g(x):
        return x + jnp.max(x) * jnp.sum(x)

    x = all_rows()
    attempt(jax.jit(g if process else f), x)
    print("then ", end="")
    attempt(summed, x)


@scenario(all_say("same programs in the same order|deadlock|wait"))
def runs_in_another_order(process):
    import jax
    import jax.numpy as jnp

    x = all_rows()
    f, g = jax.jit(lambda x: x + jnp.sum(x)), jax.jit(lambda x: x * jnp.max(x))
    first, second = (g, f) if process else (f, g)
    attempt(lambda: (first(x), second(x)))


@scenario(first_says("UNAVAILABLE.*process 1", "local 6.0", others=(-9,)))
def another_process_is_killed(process):
    import signal
    import time

    import jax
    import jax.numpy as jnp

    x = all_rows()
    jax.block_until_ready(summed(x))
    if process == 1:
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)
    attempt(summed, x)
    print("local", jnp.sum(jnp.arange(4.0)))
    leave_at_once()


@scenario(first_says("has waited .* s for process 1", "no error"))
def another_process_is_late(process):
    import time

    x = all_rows()
    summed(x)
    if process == 1:
        time.sleep(14)
    attempt(summed, x)


@scenario(first_says("DEADLINE_EXCEEDED: process 1 of 2 has not started within 3 s", others=(0, -6)), env={"SHARDWRIGHT_START_TIMEOUT": "3"})
def another_process_does_not_start(process):
    import time

    import jax

    if process == 0:
        attempt(jax.devices)
    else:
        time.sleep(8)
    leave_at_once()


@scenario(first_says("UNAVAILABLE.*process 1", "local 6.0", others=(-9,)), env={"JAX_ENABLE_RECOVERABILITY": "1"})
def lives_on_with_recoverability(process):
    import signal

    import jax
    import jax.numpy as jnp

    x = all_rows()
    jax.block_until_ready(summed(x))
    if process == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    attempt(summed, x)
    attempt(summed, x)
    print("local", jnp.sum(jnp.arange(4.0)))
    leave_at_once()


@scenario(all_say("partitions"), env={"JAX_PARTITION_INDEX": "{process}"})
def has_slices(process):
    import jax

    found = [d.slice_index for d in jax.devices()]
    assert found == [0, 0, 1, 1], found
    print("partitions", found)


def under_mpirun(process):
    """Process numbers and addresses come from mpirun, and messages go by MPI."""
    import jax
    import numpy as np

    x = summed(all_rows())
    found = np.asarray(jax.experimental.multihost_utils.process_allgather(x, tiled=True))
    print(f"{jax.process_index()} of {jax.process_count()} by {loaded_engines()}: {found.shape}", flush=True)


# --- the parent ------------------------------------------------------------------------------


def child(name):
    job.initialize()
    if "JOB_MPI" in os.environ:
        import jax.experimental.multihost_utils  # noqa: F401

        return under_mpirun(None)
    SCENARIOS[name][0](int(os.environ["JOB_PROCESS"]))


def run_mpirun():
    """Returns (problem, output) of a job that Open MPI starts, or None if it is not there."""
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if not mpirun or not os.path.exists(os.path.join(job.library_dir(), "libshardwright_mpi.so")):
        return None
    env = job.environment("shardwright", 2)
    env.update(JOB_MPI="1", SHARDWRIGHT_TRANSPORT="auto", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    running = job.Job([[mpirun, "--oversubscribe", "-n", "2", sys.executable, os.path.abspath(__file__), "--child", "under_mpirun"]], [env])
    codes, output = running.wait(LIMIT), running.output(0)
    wanted = [f"{i} of 2 by ['mpi']: (8,)" for i in range(2)]
    return ("" if codes == [0] and all(w in output for w in wanted) else f"exit code {codes[0]}, expected {wanted}"), output


def run(name):
    """Returns the exit codes and outputs of the scenario's job."""
    _, _, more, processes, times = SCENARIOS[name]
    folder = tempfile.mkdtemp()
    try:
        for _ in range(times):
            port, environments = job.free_port(), []
            for i in range(processes):
                env = job.environment("shardwright", 2)
                env.update(JOB_PORT=str(port), JOB_SIZE=str(processes), JOB_PROCESS=str(i), JOB_FOLDER=folder)
                env.update({key: value.format(folder=folder, process=i, port=port) for key, value in more.items()})
                environments.append(env)
            running = job.Job([[sys.executable, os.path.abspath(__file__), "--child", name]] * processes, environments)
            codes = running.wait(LIMIT)
            outputs = [running.output(i) for i in range(processes)]
        return codes, outputs
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(doc):
    import both

    args = both.arguments(doc)
    if args.child:
        return child(args.child)
    import oracle

    title = "jax/processes/lifecycle"
    names = args.names or list(SCENARIOS)[:: args.every]
    tally = oracle.Tally(title, args.show)
    for name in names:
        codes, outputs = run(name)
        wrong = SCENARIOS[name][1](codes, outputs)
        tally.check(name, not wrong, "\n".join([wrong or "", *(f"--- process {i}: {c}\n{o[-3000:]}" for i, (c, o) in enumerate(zip(codes, outputs)))]))
    mpi = None if args.names else run_mpirun()
    if mpi is not None:
        tally.check("under_mpirun", not mpi[0], "\n".join(mpi))
    elif not args.names:
        print("SKIPPED under_mpirun: there is no Open MPI, or it was not there when the tree was built")
    tally.finish()


if __name__ == "__main__":
    main(__doc__)
