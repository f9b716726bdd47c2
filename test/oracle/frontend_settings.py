#===- frontend_settings.py - settings of the front end against jax.config -===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The settings of the front end, through frontend_mesh_server (frontend_settings.cc), beside those of jax.config: first values,
the caches whose keys have them, errors, variables of the environment, and what numbers, types, warnings and errors they make."""

# Feature: config
import os
import re
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import config as jax_config

import frontend_mesh as fm
import oracle

args = oracle.arguments(__doc__, cases=40, long_cases=1000)
# Another value of each setting: of the server, of JAX.
CHANGED = {
    "enable_x64": ("true", True), "default_matmul_precision": ("highest", "highest"), "debug_nans": ("true", True),
    "debug_infs": ("true", True), "numpy_dtype_promotion": ("strict", "strict"), "numpy_rank_promotion": ("warn", "warn"),
    "use_shardy_partitioner": ("false", False), "threefry_partitionable": ("false", False), "random_seed_offset": ("7", 7), "log_compiles": ("true", True),
    "default_device": ("1", None), "compilation_cache_dir": ("", None), "enable_compilation_cache": ("false", False),
    "compilation_cache_max_size": ("100", 100), "persistent_cache_min_compile_time_secs": ("2.5", 2.5),
    "persistent_cache_min_entry_size_bytes": ("9", 9), "raise_persistent_cache_errors": ("true", True),
    "hlo_source_file_canonicalization_regex": ("/home/[a-z]*/", "/home/[a-z]*/"), "no_tracing": ("true", True),
}
# With these a function is not dispatched as otherwise, whatever the keys are.
OTHER_CALLS = {"disable_jit", "check_tracer_leaks", "no_execution", "no_tracing", "debug_nans", "debug_infs"}
# Settings that JAX does not have, which are no part of a key.
OURS = {"callback_report_secs", "callback_timeout_secs"}


class Server(fm.Server):
    def ask(self, *words):
        self.process.stdin.write("setting " + " ".join(str(w) for w in words) + "\n")
        self.process.stdin.flush()
        return self.receive()


def state(name):
    return getattr(jax_config, name)


def text_of(value):
    """A value of jax.config as the server writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return str(getattr(value, "value", value)).removesuffix(".0")


def lists(server, tally):
    """First values and keys."""
    for line in server.ask("list").splitlines():
        name, initial, keys = line.split("|")
        if name in OURS:
            tally.equal(f"{name}: keys", "0", keys)
            continue
        theirs = text_of(state(name).get_global()) if name != "default_device" else "-1"
        if name == "default_matmul_precision":
            theirs = theirs or "unset"
        tally.equal(f"{name}: first value", theirs, initial)
        if name not in CHANGED:
            tally.check(f"{name} is compared", name in OTHER_CALLS, "no other value in this test")
            continue
        ours_changed, theirs_changed = CHANGED[name]
        if name == "default_device":
            theirs_changed = jax.devices()[1]
        traces = 0

        def f(x):
            nonlocal traces
            traces += 1
            return x + 1.0
        g, x = jax.jit(f), np.ones(3, np.float32)
        g(x)
        before = traces, g._cache_size(), jax_config.trace_context()
        with state(name)(theirs_changed):
            in_trace = jax_config.trace_context() != before[2]
            if name not in OTHER_CALLS:
                g(x)
        if name in OTHER_CALLS:
            tally.equal(f"{name}: in the key of traces", in_trace, bool(int(keys) & 2))
            continue
        tally.equal(f"{name}: misses and traces of the next call", f"{g._cache_size() - before[1]} {traces - before[0]}",
                    server.ask("keys", name, ours_changed))
        tally.equal(f"{name}: in the key of traces", in_trace, bool(int(keys) & 2))


def errors(server, tally):
    for name, value in (("numpy_rank_promotion", "x"), ("numpy_dtype_promotion", ""), ("foo", "1"), ("jax_foo", "1")):
        try:
            jax.config.update(name if name == "foo" else f"jax_{name.removeprefix('jax_')}", value)
            theirs = ""
        except Exception as error:
            theirs = f"{type(error).__name__}: {error}"
        ours = server.ask("set", name if "foo" in name else f"jax_{name}", value)
        # The enumeration of types is a class in JAX, whose text differs.
        if name != "numpy_dtype_promotion":
            theirs = theirs.replace(" of type <class 'str'>.", "")
            tally.equal(f"set {name} {value}", theirs, ours.replace(f" for '{name}'", ""))
        else:
            tally.check(f"set {name} {value}", ours.startswith("ValueError: new enum value must be in ['standard', 'strict']"), ours)
    tally.equal("get of none", "AttributeError: Unrecognized config option: bar", server.ask("get", "bar"))


def environment(tally):
    for name, text, wanted in (("RANDOM_SEED_OFFSET", "42", "42"), ("NUMPY_RANK_PROMOTION", "raise", "raise"),
                               ("ENABLE_X64", "On", "true"), ("COMPILATION_CACHE_DIR", "/x y", "/x y")):
        os.environ[f"SHARDWRIGHT_{name}"] = text
        server = Server()
        tally.equal(f"environment {name}={text}", wanted, server.ask("get", name.lower()))
        server.close()
        del os.environ[f"SHARDWRIGHT_{name}"]
    for name, text in (("DEBUG_NANS", "maybe"), ("NUMPY_RANK_PROMOTION", "Raise"), ("RANDOM_SEED_OFFSET", "1x")):
        os.environ[f"SHARDWRIGHT_{name}"] = text
        server = Server()
        said = server.ask("keys", "log_compiles", "true")
        tally.check(f"environment {name}={text}", f"(environment variable SHARDWRIGHT_{name})" in said and text.lower() in said.lower(),
                    said)
        server.close()
        del os.environ[f"SHARDWRIGHT_{name}"]


def numbers(server, tally, rng):
    """Random bits and keys under the settings of random numbers."""
    server.ask("set", "enable_x64", "true")
    for case in range(args.cases):
        partitionable, offset = bool(rng.integers(2)) if case % 4 == 0 else False, int(rng.choice([0, 0, 1, -3, 1000]))
        what = str(rng.choice(["8", "16", "32", "64", "split"]))
        seed, keys = int(rng.integers(-2**31, 2**31)), int(rng.choice([0, 0, 1, 2, 3]))
        shape = tuple(int(d) for d in rng.choice([0, 1, 2, 3, 5, 8], size=rng.integers(0, 4), p=[.05, .15, .2, .2, .2, .2]))
        server.ask("set", "threefry_partitionable", text_of(partitionable))
        server.ask("set", "random_seed_offset", offset)

        def draw(key):
            if what == "split":
                return jax.random.key_data(jax.random.split(key, shape))
            return jax.random.bits(key, shape, f"uint{what}")
        with jax_config.threefry_partitionable(partitionable), jax_config.random_seed_offset(offset), jax.enable_x64(True):
            key = jax.random.key(np.int32(seed))
            theirs = jax.vmap(draw)(jax.random.split(key, keys)) if keys else draw(key)
        theirs = "".join(f"{b} " for b in np.asarray(theirs).tobytes())
        tally.equal(f"{what} of {shape}, seed {seed}, {keys} keys, partitionable {partitionable}, offset {offset}", theirs,
                    server.ask("random", what, seed, keys, *shape))
    server.ask("set", "threefry_partitionable", "true")
    server.ask("set", "random_seed_offset", "0")
    server.ask("set", "enable_x64", "false")


OPERATIONS = {
    "add": jnp.add, "subtract": jnp.subtract, "multiply": jnp.multiply, "divide": jnp.divide, "remainder": jnp.remainder,
    "less": jnp.less, "equal": jnp.equal, "bitwise_and": jnp.bitwise_and, "maximum": jnp.maximum, "power": jnp.power,
    "logical_and": jnp.logical_and, "arctan2": jnp.arctan2, "matmul": jnp.matmul, "stack": lambda a, b: jnp.stack([a, b]),
    "concatenate": lambda a, b: jnp.concatenate([a, b]), "where": lambda a, b: jnp.where(a > 0.0, a, b),
    "einsum": lambda a, b: jnp.einsum("...i,...i->...", a, b),
}


SHORT = {"float32": "f32", "bfloat16": "bf16", "int32": "i32", "uint8": "u8", "complex64": "c64", "bool": "bool"}


def promotions(server, tally, rng):
    """Types, errors and warnings of operations whose operands differ in type or rank."""
    types = ["bool", "int32", "uint8", "float32", "bfloat16", "complex64"]

    def operand(other):
        if rng.integers(4) == 0 and other:
            return (str(rng.choice(["int", "float"])),)
        return str(rng.choice(types)), str(rng.choice(["-", "3", "3", "2,3", "1,2,3"]))

    def value(word):
        if len(word) == 1:
            return 2 if word[0] == "int" else 2.5
        return jnp.ones([int(d) for d in word[1].split(",")] if word[1] != "-" else (), word[0])
    for case in range(2 * args.cases):
        name = str(rng.choice(list(OPERATIONS)))
        x = operand(False)
        y = operand(name not in ("concatenate", "stack", "matmul", "einsum"))
        by_type = case % 2 == 0
        setting, word = ("numpy_dtype_promotion", "strict") if by_type else ("numpy_rank_promotion", str(rng.choice(["warn", "raise"])))
        if by_type and "," in x[-1] + y[-1]:
            x, y = (x[0], "3"), (y if len(y) == 1 else (y[0], "3"))
        server.ask("set", setting, word)
        ours = server.ask("apply", name, *[SHORT.get(w, w) for w in (*x, *y)])
        server.ask("set", setting, "standard" if by_type else "allow")
        with state(setting)(word), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                out = OPERATIONS[name](value(x), value(y))
                theirs = out.aval.str_short()
            except Exception as error:
                theirs = f"{type(error).__name__}: {error}"
        case = f"{name} of {x} and {y}, {setting}={word}"
        if by_type:
            # Which other errors there are without the setting is the subject of other tests; JAX's order of types is that of a set.
            isnt = "TypePromotionError" in theirs
            names = lambda text: sorted(re.findall(r"'(?:[^'\"]|class ')+'", text.split("have no")[0])) if isnt else None
            tally.equal(case, (isnt, names(theirs)), ("TypePromotionError" in ours, names(ours)), theirs + "\n" + ours)
            continue
        mine = [str(w.message) for w in said if "rank promotion" in str(w.message)]
        found = re.findall(r"Following NumPy.*", ours)
        refused = "jax_numpy_rank_promotion='raise'" in theirs
        tally.equal(case, (refused, refused and theirs, mine[:1]),
                    ("jax_numpy_rank_promotion='raise'" in ours, refused and ours, found[:1]), theirs + "\n" + ours)


def leaks(server, tally):
    server.ask("set", "check_tracer_leaks", "true")
    for name, shape in (("jit", "float32[3]"), ("grad", "float32[]"), ("jvp", "float32[3]"), ("vmap", "float32[]")):
        said = server.ask("leak", name)
        tally.check(f"leak of {name}", re.match(r"Exception: Leaked trace of \S+\. Leaked tracer\(s\):", said)
                    and f"Traced<{shape}>" in said, said)  # fmt: skip
    for name in ("none jit", "none grad", "none nested", "none loop"):
        tally.equal(f"leak of {name}", "", server.ask("leak", name))
    server.ask("set", "check_tracer_leaks", "false")
    tally.equal("leaks are not looked for", "", server.ask("leak", "jit"))


def main():
    tally = oracle.Tally("frontend_settings", show=int(os.environ.get("SHOW", 3)))
    rng = np.random.default_rng(args.seed)
    server = Server()
    lists(server, tally)
    errors(server, tally)
    numbers(server, tally, rng)
    promotions(server, tally, rng)
    leaks(server, tally)
    server.close()
    environment(tally)
    tally.finish()


main()
