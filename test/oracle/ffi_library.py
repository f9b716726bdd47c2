#===- ffi_library.py - libraries of foreign functions ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compiles libraries of foreign functions against the headers of jax.ffi.include_dir(), loads them into JAX and into a
frontend_ffi_server, and makes the same call in both."""

import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")
STAGES = ("instantiate", "prepare", "initialize", "execute")


def compiled(source):
    """Returns the path of the library of a source, which is compiled once."""
    with open(source, "rb") as file:
        key = hashlib.sha256(file.read() + jax.__version__.encode()).hexdigest()[:16]
    library = os.path.join(tempfile.gettempdir(), f"shardwright-{os.path.basename(source)}-{key}.so")
    if not os.path.exists(library):
        compiler = os.environ.get("CXX") or shutil.which("clang++-22") or "c++"
        partial = f"{library}.{os.getpid()}"
        command = [compiler, "-std=c++17", "-shared", "-fPIC", "-w", "-O1", "-pthread", "-I" + jax.ffi.include_dir()]
        subprocess.run(command + [source, "-o", partial], check=True)
        os.replace(partial, library)
    return library


class Server:
    """A frontend_ffi_server."""

    def __init__(self):
        self.process = subprocess.Popen([os.path.join(BUILD, "bin", "frontend_ffi_server")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"frontend_ffi_server ended at {request}")
        return json.loads(line)


class Library:
    """A library whose functions JAX and the server call by the same names."""

    def __init__(self, server, source):
        self.path, self.server = compiled(source), server
        self.functions = ctypes.CDLL(self.path)

    def target(self, name, untyped=False, **symbols):
        """Registers a handler; without `symbols` the one whose execute stage has its name."""
        symbols = symbols or {"execute": name}
        capsules = {stage: jax.ffi.pycapsule(getattr(self.functions, symbol)) for stage, symbol in symbols.items()}
        jax.ffi.register_ffi_target(name, capsules["execute"] if untyped else capsules, api_version=0 if untyped else 1)
        answer = self.server.ask(do="register", library=self.path, name=name, untyped=untyped, **symbols)
        assert answer == {"done": True}, answer

    def type(self, name, id, info=None):
        capsules = {}
        for key, symbol in (("type_id", id), ("type_info", info)):
            if symbol:
                getattr(self.functions, symbol).restype = ctypes.c_void_p
                capsules[key] = jax.ffi.pycapsule(getattr(self.functions, symbol)())
        jax.ffi.register_ffi_type(name, capsules)
        more = {"info": info} if info else {}
        answer = self.server.ask(do="type", library=self.path, name=name, id=id, **more)
        assert answer == {"done": True}, answer

    def integers(self, symbol):
        """What the function returns in JAX's process and in the server's."""
        getattr(self.functions, symbol).restype = ctypes.c_int64
        return getattr(self.functions, symbol)(), self.server.ask(do="integer", library=self.path, symbol=symbol)["value"]


def array_request(x):
    x = np.asarray(x)
    return {"dtype": x.dtype.name, "shape": list(x.shape), "hex": x.tobytes().hex()}


def attribute_request(value):
    if isinstance(value, dict):
        return {"kind": "dictionary", "fields": {k: attribute_request(v) for k, v in value.items()}}
    if isinstance(value, (str, bytes)):
        return {"kind": "text", "hex": (value.encode() if isinstance(value, str) else value).hex()}
    if isinstance(value, np.ndarray):
        return {"kind": "array", **array_request(value)}
    if isinstance(value, bool):
        return {"kind": "number", "dtype": "bool", "value": int(value)}
    if isinstance(value, (int, float)):
        return {"kind": "number", "dtype": "int64" if isinstance(value, int) else "float64", "value": value}
    return {"kind": "number", "dtype": value.dtype.name, "value": value.item()}


class Call:
    """A call of a target in both front ends. `how`: eager, jit, vmap, scan, shard_map, sharded; `options`: those of
    jax.ffi.ffi_call; further fields as frontend_ffi_server.cc reads them."""

    def __init__(self, target, results, *args, attributes=None, how="jit", x64=False, **fields):
        self.target, self.results, self.how, self.x64 = target, results, how, x64
        self.args, self.attributes, self.fields = args, attributes or {}, fields

    def request(self, **more):
        f = dict(self.fields)
        names = {"vmap_method": "method", "has_side_effect": "effect", "input_output_aliases": "aliases",
                 "custom_call_api_version": "version", "legacy_backend_config": "config"}
        request = {names.get(k, k): v for k, v in f.items() if v is not None}
        if "aliases" in request:
            request["aliases"] = {str(k): v for k, v in request["aliases"].items()}
        shapes = [{"dtype": np.dtype(t).name, "shape": list(s)} for s, t in self.results]
        return {"do": "call", "target": self.target, "how": self.how, "x64": self.x64, "results": shapes,
                "args": [array_request(x) for x in self.args],
                "attributes": {k: attribute_request(v) for k, v in self.attributes.items()}, **request, **more}

    def function(self):
        """The function of a list of arguments, in JAX."""
        options = {k: self.fields[k] for k in ("vmap_method", "has_side_effect", "input_layouts", "output_layouts",
                                               "input_output_aliases", "custom_call_api_version",
                                               "legacy_backend_config") if k in self.fields}
        results = [jax.ShapeDtypeStruct(s, t) for s, t in self.results]
        plus = self.fields.get("plus", 0)

        def f(args):
            if plus:
                args = [x + plus for x in args]
            return jax.ffi.ffi_call(self.target, results, **options)(*args, **self.attributes)

        if self.how == "vmap":
            axes = [None if a < 0 else a for a in self.fields["axes"]]
            return lambda args: jax.vmap(lambda *a: f(list(a)), in_axes=axes)(*args)
        if self.how == "scan":
            return lambda args: jax.lax.scan(lambda c, _: (c, f(c)), args, jnp.arange(self.fields.get("steps", 2), dtype=jnp.int32))[1]
        if self.how == "shard_map":
            mesh, spec = self.mesh(), self.specs()[0]
            return jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
        return f

    def mesh(self):
        sizes = self.fields["mesh"]
        devices = jax.devices()[::-1] if self.fields.get("reversed") else jax.devices()
        return Mesh(np.array(devices[: int(np.prod(sizes))]).reshape(sizes), ("x", "y")[: len(sizes)])

    def specs(self):
        entry = lambda dim: None if dim == "-" else tuple(dim.split(","))
        return [P(*map(entry, s.split("|"))) for s in self.fields["specs"]]

    def placed(self):
        if self.how != "sharded":
            return [jnp.asarray(x) for x in self.args]
        return [jax.device_put(x, NamedSharding(self.mesh(), s)) for x, s in zip(self.args, self.specs())]

    def run(self):
        """What JAX computes, as the server answers."""
        with jax.enable_x64(self.x64):
            try:
                args, f = self.placed(), self.function()
                is_jitted = self.how != "eager" and self.fields.get("jit", True)
                if is_jitted:
                    f = jax.jit(f, donate_argnums=0 if self.fields.get("donate") else ())
                outs = []
                for _ in range(self.fields.get("repeat", 1)):
                    outs += jax.block_until_ready(f(args))
                return {"results": [array_request(x) for x in outs]}
            except Exception as error:  # of any class: its text is compared
                return {"error": f"{type(error).__name__}: {error}"}

    def texts(self):
        """JAX's jaxpr and module."""
        with jax.enable_x64(self.x64):
            f = self.function()
            traced = jax.jit(f).trace(list(map(jnp.asarray, self.args)))
            return str(traced.jaxpr), traced.lower().as_text()
