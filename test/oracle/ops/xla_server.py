#===- xla_server.py - programs by XLA's CPU client ---------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Until standard input ends: reads a pickled (text, arrays), writes a pickled list of arrays or an
exception."""

import os
import pickle
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import jax

import oracle
from jax._src.interpreters import mlir
from jaxlib import xla_client

jax.config.update("jax_enable_x64", True)
device = jax.devices()[0]


def execute(text, arguments):
    with mlir.make_ir_context(), oracle.ir.Location.unknown():
        code = mlir.module_to_bytecode(oracle.ir.Module.parse(text))
    options = xla_client.CompileOptions()
    debug = options.executable_build_options.debug_options
    debug.xla_backend_optimization_level = 0  # compilation dominates the time
    debug.xla_llvm_disable_expensive_passes = True
    program = device.client.compile_and_load(code, xla_client.DeviceList((device,)), options)
    arrays = [jax.device_put(a, device) for a in arguments]
    return [np.asarray(o) for o in program.execute(arrays)]


output = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # XLA's own output must not appear among the answers
while True:
    try:
        text, arguments = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    try:
        answer = execute(text, arguments)
    except Exception as error:
        answer = RuntimeError(str(error))
    pickle.dump(answer, output)
    output.flush()
