#===- frontend_mesh.py - programs on meshes as text and in JAX ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What frontend_shard_map.py, frontend_explicit.py and frontend_errors.py share: programs as text for
frontend_mesh_server and as JAX functions, and the comparison of texts and values."""

import json
import os
import re
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from frontend import jax_ops

BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")


def spec(entries):
    """A spec as text: `x|-|y+z`."""
    return "|".join("+".join(e) or "-" for e in entries) or "."


def parse_spec(text):
    """`x|-^y~z`: P('x', None, unreduced={'y'}, reduced={'z'})."""
    text, _, reduced = text.partition("~")
    text, _, unreduced = text.partition("^")
    sets = {name: set(names.split("+")) for name, names in (("unreduced", unreduced), ("reduced", reduced)) if names}
    if text == ".":
        return P(**sets)
    entries = [tuple(w.split("+")) for w in text.split("|")]
    return P(*[None if e == ("-",) else e[0] if len(e) == 1 else e for e in entries], **sets)


def axes_of(keys):
    text = keys["axes"]
    return tuple(a for a in text.split(",") if a) if "," in text else text


def pairs(keys):
    flat = keys["perm"]
    return list(zip(flat[::2], flat[1::2]))


def groups(keys):
    return {"axis_index_groups": [[int(v) for v in g.split(",")] for g in keys["groups"].split(";")]} if "groups" in keys else {}


def f32(x):
    return lax.convert_element_type(x, jnp.float32)


def ring(a, k):
    c, ys = lax.scan(lambda c, _: (lax.ppermute(lax.sin(c), axes_of(k), pairs(k)), c), a[0],
                     lax.iota(jnp.float32, 3))
    return [c, ys]


def jit_psum(a, k):
    def f(x):
        return lax.psum(lax.sin(x), axes_of(k))
    return [jax.jit(f)(a[0])]


def ragged_exchange(a, k):
    """XLA's CPU has no ragged_all_to_all: the same with a gather."""
    operand, output, table = a
    table = lax.convert_element_type(table, jnp.int32)
    row = lambda i: lax.squeeze(lax.slice(table, (i, 0), (i + 1, table.shape[1])), (0,))
    if k.get("real"):
        return [lax.ragged_all_to_all(operand, output, *map(row, range(4)), axis_name=axes_of(k), **groups(k))]
    exchanged = lambda x: lax.all_to_all(x, axes_of(k), 0, 0, tiled=True, **groups(k))
    everything = lax.all_gather(operand, axes_of(k), **groups(k))
    begin, to, sizes = exchanged(row(0)), exchanged(row(2)), row(3)
    rows = jnp.arange(output.shape[0])
    for i in range(table.shape[1]):
        sender = everything[i * everything.shape[0] // table.shape[1]]
        sent = sender[jnp.clip(begin[i] + rows - to[i], 0, operand.shape[0] - 1)]
        inside = (to[i] <= rows) & (rows < to[i] + sizes[i])
        output = jnp.where(inside[:, None], sent, output)
    return [output]


SEEN = []


def look(a, k):
    jax.debug.callback(lambda x: SEEN.append([*x.shape, *np.asarray(x).ravel()]), a[0],
                       partitioned=bool(k.get("partitioned", 0)))
    return [lax.mul(a[0], np.float32(2))]


def take_seen():
    """What the calls of `look` since the last time were given, sorted: shapes, then elements."""
    jax.effects_barrier()
    out = [np.float32(line) for line in sorted(SEEN)]
    SEEN.clear()
    return out


COLLECTIVES = {
    "ragged_exchange": ragged_exchange,
    "look": look,
    "psum": lambda a, k: [lax.psum(a[0], axes_of(k), **groups(k))],
    "pmean": lambda a, k: [lax.pmean(a[0], axes_of(k))],
    "pmax": lambda a, k: [lax.pmax(a[0], axes_of(k), **groups(k))],
    "pmin": lambda a, k: [lax.pmin(a[0], axes_of(k), **groups(k))],
    "all_gather": lambda a, k: [lax.all_gather(
        a[0], axes_of(k), axis=k["axis"], tiled=bool(k["tiled"]),
        to="invarying" if k.get("invarying") else "varying", **groups(k))],
    "psum_scatter": lambda a, k: [lax.psum_scatter(
        a[0], axes_of(k), scatter_dimension=k["axis"], tiled=bool(k["tiled"]), **groups(k))],
    "all_to_all": lambda a, k: [lax.all_to_all(
        a[0], axes_of(k), k["split"], k["concat"], tiled=bool(k["tiled"]), **groups(k))],
    "ppermute": lambda a, k: [lax.ppermute(a[0], axes_of(k), pairs(k))],
    "pshuffle": lambda a, k: [lax.pshuffle(a[0], axes_of(k), k["perm"])],
    "pswapaxes": lambda a, k: [lax.pswapaxes(a[0], axes_of(k), k["axis"])],
    "pbroadcast": lambda a, k: [lax.pbroadcast(a[0], axes_of(k), k["source"])],
    "axis_index": lambda a, k: [f32(lax.axis_index(axes_of(k)))],
    "add_index": lambda a, k: [lax.add(a[0], f32(lax.axis_index(axes_of(k))))],
    "pcast": lambda a, k: [lax.pcast(a[0], axes_of(k), to="varying")],
    "psum_one": lambda a, k: [lax.mul(a[0], np.float32(lax.psum(2.0, axes_of(k))))],
    "ring": ring,
    "jit_psum": jit_psum,
    "cond_index": lambda a, k: [lax.cond(lax.eq(lax.axis_index(axes_of(k)), np.int32(0)),
                                         lambda x: lax.mul(x, np.float32(2)), lax.sin, a[0])],
    "nested": lambda a, k: [jax.shard_map(lambda x: lax.psum(x, axes_of(k)), in_specs=parse_spec(k["spec"]),
                                          out_specs=parse_spec(k["result"]), axis_names=set(axes_of(k)))(a[0])],
}

BODIES = {
    "same": lambda x: x, "sin": lax.sin, "twice": lambda x: lax.add(x, x), "square": lambda x: lax.mul(x, x),
    "transpose": lambda x: lax.transpose(x, (1, 0)), "total": lambda x: lax.reduce_sum(x, (1,)),
    "psum": lambda x: lax.psum(x, "y"), "pmean": lambda x: lax.pmean(x, "y"), "pmax": lambda x: lax.pmax(x, "y"),
    "psum x": lambda x: lax.psum(x, "x"), "psum both": lambda x: lax.psum(x, ("x", "y")),
    "scatter": lambda x: lax.psum_scatter(x, "y", tiled=True), "permute": lambda x: lax.ppermute(x, "x", [(0, 1), (1, 0)]),
    "gather": lambda x: lax.all_gather(x, "y", to="reduced", tiled=True),
    "to varying": lambda x: lax.pcast(x, "y", to="varying"), "to unreduced": lambda x: lax.pcast(x, "y", to="unreduced"),
    "to reduced": lambda x: lax.pcast(x, "y", to="reduced"), "jit": lambda x: jax.jit(lambda v: lax.sin(v))(x),
}


def mapped(a, k):
    """A body of shard_map over Explicit axes."""
    return [jax.shard_map(BODIES[k["body"].replace("_", " ")], in_specs=parse_spec(k["spec"]),
                          out_specs=parse_spec(k["result"]))(a[0])]


def filled(x, value):
    return lax.broadcast_in_dim(np.float32(value), x.shape, ())


# Of one slice of the dimension that vmap maps.
SLICES = {
    "jit": lambda x: jax.jit(lambda v: lax.sin(v))(x),
    "map": lambda x: jax.shard_map(lambda v: lax.mul(v, np.float32(2)), in_specs=P(), out_specs=P())(x),
    "inferred": lambda x: jax.shard_map(lambda v: lax.mul(v, np.float32(2)), out_specs=P())(x),
    "constant": lambda x: filled(x, 0.5),
    "select": lambda x: lax.select_n(lax.lt(x, filled(x, 0.5)), filled(x, 0.25), filled(x, 0.75)),
    "scan": lambda x: lax.scan(lambda c, _: (lax.add(c, x), None), filled(x, 0), None, length=2)[0],
    "reshard": lambda x: jax.reshard(x, P()),
    "sum": lambda x: lax.broadcast_in_dim(lax.reduce_sum_p.bind(x, axes=tuple(range(x.ndim)), out_sharding=None), x.shape, ()),
}

LAX = {
    "jit_sin": lambda a, k: [jax.jit(lambda x: lax.sin(x))(a[0])],
    "slices": lambda a, k: [jax.vmap(SLICES[k["body"]], in_axes=k["axis"])(a[0])],
    "map_shards": mapped,
    "map_product": lambda a, k: [jax.shard_map(lambda x, y: lax.mul(x, y), in_specs=(parse_spec(k["spec"]), parse_spec(k["other"])),
                                               out_specs=parse_spec(k["result"]))(*a)],
    "reshard": lambda a, k: [jax.reshard(a[0], parse_spec(k["spec"]))],
    "auto_sin": lambda a, k: [jax.sharding.auto_axes(lambda x: lax.mul(lax.sin(x), np.float32(2)),
                                                     out_sharding=parse_spec(k["spec"]))(a[0])],
    "dot_out": lambda a, k: [lax.dot_general(
        a[0], a[1], ((k["lc"], k["rc"]), (k.get("lb", ()), k.get("rb", ()))), out_sharding=parse_spec(k["spec"]))],
    "sum_out": lambda a, k: [lax.reduce_sum(a[0], k["axes"], out_sharding=parse_spec(k["spec"]))],
    "reshape_out": lambda a, k: [lax.reshape(a[0], k["shape"], out_sharding=parse_spec(k["spec"]))],
    "broadcast_out": lambda a, k: [lax.broadcast_in_dim(a[0], k["shape"], k["dims"], out_sharding=parse_spec(k["spec"]))],
    "iota_out": lambda a, k: [lax.broadcasted_iota(jnp.float32, k["shape"], k["dim"], out_sharding=parse_spec(k["spec"]))],
    "reduce_sum": lambda a, k: [lax.reduce_sum_p.bind(a[0], axes=tuple(k["axes"]), out_sharding=None)],
    "reduce_max": lambda a, k: [lax.reduce_max_p.bind(a[0], axes=tuple(k["axes"]))],
    "argmax": lambda a, k: [lax.argmax(a[0], k["axis"], jnp.int32)],
    "cumsum": lambda a, k: [lax.cumsum(a[0], k["axis"])],
    "broadcast_in_dim": lambda a, k: [lax.broadcast_in_dim(a[0], k["shape"], k["dims"])],
    "reshape": lambda a, k: [lax.reshape(a[0], k["shape"])],
    "transpose": lambda a, k: [lax.transpose(a[0], k["permutation"])],
    "rev": lambda a, k: [lax.rev(a[0], k["dims"])],
    "expand_dims": lambda a, k: [lax.expand_dims(a[0], k["dims"])],
    "squeeze": lambda a, k: [lax.squeeze(a[0], k["dims"])],
    "concatenate": lambda a, k: [lax.concatenate(a, k["dim"])],
    "pad": lambda a, k: [lax.pad(a[0], a[1], list(zip(*[iter(k["config"])] * 3)))],
    "slice": lambda a, k: [lax.slice(a[0], k["start"], k["limit"], k["strides"])],
    "dynamic_slice": lambda a, k: [lax.dynamic_slice(a[0], a[1:], k["sizes"])],
    "dynamic_update_slice": lambda a, k: [lax.dynamic_update_slice(a[0], a[1], a[2:])],
    "dot_general": lambda a, k: [lax.dot_general(
        a[0], a[1], ((k["lc"], k["rc"]), (k.get("lb", ()), k.get("rb", ()))))],
    "select_n": lambda a, k: [lax.select_n(*a)],
    "clamp": lambda a, k: [lax.clamp(*a)],
    "iota": lambda a, k: [lax.broadcasted_iota(jnp.float32, k["shape"], k["dim"])],
    "rows": lambda a, k: [lax.gather(a[0], lax.expand_dims(a[1], (1,)), lax.GatherDimensionNumbers((1,), (0,), (0,)),
                                     (1, a[0].shape[1]), mode=lax.GatherScatterMode.CLIP)],
    "sort": lambda a, k: list(lax.sort(tuple(a), dimension=k["dim"], num_keys=1)),
}


def apply(name, a, keys):
    if name in COLLECTIVES:
        return COLLECTIVES[name](a, keys)
    if name in LAX:
        return LAX[name](a, keys)
    return jax_ops.function(name)(a, {k: tuple(v) if isinstance(v, (list, tuple)) else (v,) for k, v in keys.items()})


class Program:
    """Inputs with specs, steps, and results with specs."""

    def __init__(self, sizes, names, types):
        self.sizes, self.names, self.types = sizes, names, types
        self.ins, self.specs, self.steps, self.outs, self.options = [], [], [], [], {}
        self.context = False

    def add_input(self, x, text):
        self.ins.append(x)
        self.specs.append(text)

    def literal(self, kind, value):
        self.steps.append(("lit", kind, value))

    def op(self, name, operands, **keys):
        self.steps.append(("op", name, list(operands), keys))

    def result(self, i, text="."):
        self.outs.append((i, text))

    def text(self):
        join = lambda v: ",".join(map(str, v)) if isinstance(v, (list, tuple)) else str(v)
        lines = [f"mesh {join(self.sizes)} {join(self.names)} {join(self.types)}"]
        if self.context:
            lines.append("context")
        for x, s in zip(self.ins, self.specs):
            integer = "i32:" if x.dtype == np.int32 else ""
            lines.append(f"in {integer}{join(x.shape) or '-'} {s} " + " ".join(repr(float(v)) for v in x.ravel()))
        for step in self.steps:
            if step[0] == "lit":
                lines.append(f"lit {step[1]} {step[2]}")
            else:
                keys = "".join(f" {k}={join(v)}" for k, v in step[3].items() if join(v))
                lines.append(f"op {step[1]} {' '.join(map(str, step[2]))}{keys}")
        lines += [f"out {i} {s}" for i, s in self.outs]
        if self.options:
            lines.append("set " + " ".join(f"{k}={v}" for k, v in self.options.items()))
        return "\n".join(lines)

    def brief(self):
        """The text without elements."""
        return "\n".join(" ".join(line.split()[:3]) if line.startswith("in ") else line
                         for line in self.text().splitlines())

    def evaluate(self, ins):
        values = list(ins)
        for step in self.steps:
            if step[0] == "lit":
                values.append(np.float32(step[2]) if step[1] == "f32" else np.int32(step[2]))
            else:
                values.extend(apply(step[1], [values[i] for i in step[2]], step[3]))
        return [values[i] for i, _ in self.outs]


class Server:
    def __init__(self):
        self.process = subprocess.Popen([os.path.join(BUILD, "bin", "frontend_mesh_server")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, program, command):
        self.process.stdin.write(program.text() + f"\n{command}\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def floats(outs):
    return [np.asarray(y, np.float32) for y in outs]


def or_error(f):
    try:
        return f()
    except Exception as e:  # The text of JAX's error is what is compared.
        return f"{type(e).__name__}: {e}"


def normalized(text):
    """Without the order of sets, without the device that JAX prints with an
    abstract mesh, and without addresses."""
    text = re.sub(r"frozenset\(\{([^}]*)\}\)",
                  lambda m: "frozenset({" + ", ".join(sorted(m[1].split(", "))) + "})", text)
    text = re.sub(r"((?:un)?reduced=)\{([^}]*)\}", lambda m: m[1] + "{" + ", ".join(sorted(m[2].split(", "))) + "}", text)
    text = re.sub(r"are of type (AxisType.*)", lambda m: "are of type " + ", ".join(sorted(m[1].split(", "))), text)
    text = re.sub(r"state: \{([^}]*)\}", lambda m: "state: {" + ", ".join(sorted(m[1].split(", "))) + "}", text)
    return re.sub(r", device_kind=\w+, num_cores=\w+, platform=\w+| at 0x\w+", "", text)


def communication(text):
    """The manual computations and collectives of a module, in order, without names of values."""
    out = []
    for line in text.splitlines():
        line = re.sub(r"^ *(%\S+(, )?)* = ", "", line).strip()
        if line.startswith("sdy.manual_computation"):
            out.append(re.sub(r"\(%[^)]*\)", "()", line))
        elif re.match(r'"stablehlo.(all_|reduce_scatter|collective)', line):
            out.append(re.sub(r"\(%[^)]*\)", "()", line))
        elif "sharding" in line and line.startswith("func.func"):
            out.append(re.sub(r" *jax.result_info = \"[^\"]*\",? *", "", re.sub(r"%\w+", "", line)))
        elif line.startswith("}) : ") or line.startswith("} : "):
            out.append(line)
    # Functions that are called come in another order.
    return "\n".join(sorted(out))


def differs(name, ours, theirs):
    """What differs between two results, or None."""
    if isinstance(theirs, str) or isinstance(ours, str):
        return None if isinstance(ours, str) and ours == theirs else f"ours:\n{ours}\nJAX:\n{theirs}"
    if len(ours) != len(theirs):
        return f"{len(ours)} results, JAX has {len(theirs)}"
    for a, b in zip(ours, theirs):
        a, b = np.float32(a), b.ravel()
        if a.shape != b.shape:
            return f"{a.size} elements, JAX has {b.size}"
        finite = b[np.isfinite(b)]
        scale = max(1.0, float(np.abs(finite).max())) if finite.size else 1.0
        if not np.allclose(a, b, rtol=2e-4, atol=2e-5 * scale, equal_nan=True):
            worst = int(np.nanargmax(np.abs(a - b)))
            return f"element {worst}: {a[worst]}, JAX has {b[worst]}\n{a}\nJAX: {b}"
    return None
