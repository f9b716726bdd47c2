#===- engines.py - runs cases with ours, XLA and the interpreter ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Ours runs many programs in one process (run_server.cc); XLA runs many cases as one program."""

import os
import pickle
import select
import struct
import subprocess
import sys

import numpy as np

import oracle
from ops.case import dtype


def to_bytes(data, element):
    """Converts to our representation, in which narrow integers are extended to a byte."""
    if element in ("i2", "i4"):
        data = data.astype(np.int8)
    return data.tobytes()


def from_bytes(data, value):
    if value.element in ("i2", "i4"):
        return np.frombuffer(data, np.int8).astype(dtype(value.element)).reshape(value.shape)
    return np.frombuffer(data, dtype(value.element)).reshape(value.shape)


class Failed(Exception):
    """kind: compile (a diagnostic), run (an error at run time) or crash."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind, self.message = kind, message.strip()


class Ours:
    TIMEOUT = 120

    def __init__(self, code=None):
        """code: the value of SHARDWRIGHT_CODE, unless the environment sets it."""
        self.process = None
        self.env = {"SHARDWRIGHT_CODE": code, **os.environ} if code else None

    def start(self):
        self.process = subprocess.Popen(
            [os.path.join(oracle.BUILD, "bin", "run_server")], env=self.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def read(self, count):
        data = b""
        while len(data) < count:
            ready, _, _ = select.select([self.process.stdout], [], [], self.TIMEOUT)
            more = os.read(self.process.stdout.fileno(), count - len(data)) if ready else None
            if not more:
                timed_out = more is None
                self.stop() if timed_out else self.process.wait()
                code, self.process = self.process and self.process.returncode, None
                raise Failed("crash", f"no answer in {self.TIMEOUT} s" if timed_out else f"died with {code}")
            data += more
        return data

    def exchange(self, program, data, devices=0):
        """Sends a program (text, or bytes in another format) and arguments, and returns the bytes of the
        results: of `devices` devices, or (0) of global arrays."""
        if self.process is None:
            self.start()
        text = program.encode() if isinstance(program, str) else program
        try:
            self.process.stdin.write(struct.pack("=QQ", devices, len(text)) + text + struct.pack("=Q", len(data)) + data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        status, length = struct.unpack("=QQ", self.read(16))
        payload = self.read(length)
        if status:
            raise Failed("compile" if status == 1 else "run", payload.decode(errors="replace"))
        return payload

    def run(self, case, program=None):
        """The results as arrays, of the case's program or of another form of it."""
        devices = case.replicas * case.partitions
        if case.on_grid:  # arguments and results have one row per device
            data = b"".join(to_bytes(a[d], v.element) for d in range(devices) for a, v in zip(case.data, case.args))
        else:
            data = b"".join(to_bytes(a, v.element) for a, v in zip(case.data, case.args))
        payload = self.exchange(program or case.text(), data, devices if case.on_grid else 0)
        results, at = [[] for _ in case.results], 0
        for _ in range(devices if case.on_grid else 1):
            for own, (value, *_) in zip(results, case.results):
                count = int(np.prod(value.shape)) * dtype(value.element).itemsize
                own.append(from_bytes(payload[at : at + count], value))
                at += count
        if at != len(payload):
            raise Failed("run", f"{len(payload)} bytes of results, expected {at}")
        return [np.stack(r) for r in results] if case.on_grid else [r[0] for r in results]


class Xla:
    """Runs many cases as functions of one program; if that fails, each alone. XLA runs in a process of
    its own (xla_server.py), because some programs crash it."""

    def __init__(self):
        self.process, self.cases = None, None

    def start(self, cases):
        """Starts a batch. `finish` returns for each case its results, or the exception."""
        self.cases = cases
        if cases:
            self.send(*merged(cases))

    def finish(self):
        cases, self.cases = self.cases, None
        if not cases:
            return []
        answer = self.receive()
        if not isinstance(answer, Exception):
            return split(answer, cases)
        return [answer] if len(cases) == 1 else self.halves(cases)

    def halves(self, cases):
        results = []
        for part in (cases[: len(cases) // 2], cases[len(cases) // 2 :]):
            self.start(part)
            results += self.finish()
        return results

    def send(self, text, arguments):
        if self.process is None:
            here = os.path.dirname(os.path.abspath(__file__))
            self.process = subprocess.Popen(
                [sys.executable, os.path.join(here, "xla_server.py")],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        try:
            pickle.dump((text, arguments), self.process.stdin)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def receive(self):
        try:
            return pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            code = self.process.wait()
            self.process = None
            return Failed("crash", f"XLA died with {code}")

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def merged(cases):
    """One program and its arguments."""
    if len(cases) == 1:
        return cases[0].text(), cases[0].data
    parameters, calls, types, names, functions = [], [], [], [], []
    for k, case in enumerate(cases):
        functions.append(case.text(f"case{k}", public=False))
        own = [f"%a{k}_{i}" for i in range(len(case.args))]
        parameters += [f"{n}: {a.type}" for n, a in zip(own, case.args)]
        results = [r[0].type for r in case.results]
        operands = ", ".join(a.type for a in case.args)
        calls.append(f"%r{k}:{len(results)} = func.call @case{k}({', '.join(own)}) : ({operands}) -> ({', '.join(results)})")
        types += results
        names += [f"%r{k}#{i}" for i in range(len(results))]
    newline = "\n  "
    text = "".join(functions) + (
        f"func.func @main({', '.join(parameters)}) -> ({', '.join(types)}) {{\n  {newline.join(calls)}\n"
        f"  return {', '.join(names)} : {', '.join(types)}\n}}\n"
    )
    return text, [a for case in cases for a in case.data]


def split(found, cases):
    results = []
    for case in cases:
        results.append(found[: len(case.results)])
        found = found[len(case.results) :]
    return results


class Interpreter:
    """StableHLO's reference interpreter, for programs that XLA on CPU does not run. It runs in a
    process of its own, because it aborts on unsupported ops."""

    TYPES = ("i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64")

    def run(self, case):
        if any(v.element not in self.TYPES for v in [*case.args, *(r[0] for r in case.results)]):
            raise Failed("run", "the interpreter's bindings cannot pass these types")
        request = pickle.dumps((case.text(), [a.type for a in case.args], case.data))
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run([sys.executable, os.path.join(here, "interpret.py")], input=request,
                              capture_output=True, timeout=60)  # fmt: skip
        if done.returncode:
            raise Failed("run", done.stderr.decode(errors="replace").strip()[-300:])
        found = pickle.loads(done.stdout)
        return [a.reshape(v.shape).astype(dtype(v.element)) for a, (v, *_) in zip(found, case.results)]
