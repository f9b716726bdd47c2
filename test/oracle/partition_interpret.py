#===- partition_interpret.py - a program of several devices, interpreted ---===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Standard input: a pickled (text of the program of one device, arrays [device][argument]). Standard
output: the results [device][result]. Runs in a process of its own, because the interpreter aborts."""

import os
import pickle
import re
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import oracle

ir, stablehlo = oracle.ir, oracle.stablehlo
TYPES = ("i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64")

text, shards = pickle.load(sys.stdin.buffer)
module = oracle.parse(text)
context = module.context
stablehlo.register_interpreter_dialect(context)
context.allow_unregistered_dialects = True
with context, ir.Location.unknown():
    main = next(f for f in module.body.operations if f.operation.name == "func.func" and f.name.value == "main")
    inputs, results = [str(t) for t in main.type.inputs], [str(t) for t in main.type.results]
    for kind in inputs + results:
        if kind.split("x")[-1].removeprefix("tensor<").rstrip(">") not in TYPES:
            sys.exit("unsupported: the interpreter's bindings cannot pass " + kind)
    n = len(shards)
    body = text[text.index("{\n") + 1 : text.rindex("}")] if re.match(r"\s*module", text) else text
    body = re.sub(r"func.func (public )?@main\(", "func.func private @device(", body)
    names = [f"%a{d}_{i}" for d in range(n) for i in range(len(inputs))]
    args = ", ".join(f"{name}: {kind}" for name, kind in zip(names, inputs * n))
    outs, kinds = ", ".join(f"%r#{i}" for i in range(n * len(results))), ", ".join(results * n)
    source = f"""{body}
func.func @main({args}) -> ({kinds}) {{
  %r:{n * len(results)} = "interpreter.run_parallel"({", ".join(names)}) {{programs = [[{", ".join(["@device"] * n)}]]}} : ({", ".join(inputs * n)}) -> ({kinds})
  return {outs} : {kinds}
}}"""
    if n * len(results) == 1:
        source = source.replace("%r:1 =", "%r =").replace("return %r#0", "return %r")
    whole = ir.Module.parse(source)
    arguments = []
    for kind, array in zip(inputs * n, [a for row in shards for a in row]):
        kind = ir.RankedTensorType(ir.Type.parse(kind))
        if array.dtype == np.bool_:
            arguments.append(ir.DenseElementsAttr.get(np.packbits(array, bitorder="little"), type=kind))
        else:
            arguments.append(ir.DenseElementsAttr.get(np.ascontiguousarray(array), type=kind.element_type, shape=array.shape))
    found = [np.array(r) for r in stablehlo.eval_module(whole, arguments)]
    k = len(results)
    shapes = [ir.RankedTensorType(ir.Type.parse(kind)).shape for kind in results]
    pickle.dump([[f.reshape(s) for f, s in zip(found[d * k : d * k + k], shapes)] for d in range(n)], sys.stdout.buffer)
