#===- modules.py - the modules that the parse benchmark reads --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Each module isolates one cost of parsing. `floor` has no op of our dialects: it compares the two
builds of MLIR itself, so it is the lower bound for the ratio."""

import importlib.util
import os

import common
import exporting
import jax
import numpy as np
import oracle

OPS = 20000


def training_step(layers, constrained=True):
    """Loss and all gradients of the GPT example with unrolled layers, as JAX writes them."""
    path = os.path.join(common.ROOT, "examples", "gpt", "export.py")
    spec = importlib.util.spec_from_file_location("gpt_example", path)
    gpt = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gpt)
    make, mesh, args, in_specs, out_specs = gpt.case(layers=layers, unroll=True)

    def make_step(constrain):
        constrain = constrain if constrained else exporting.constrainer(None)
        loss = lambda params, *rest: make(constrain)(params, *rest)[0]
        return jax.value_and_grad(loss)

    return exporting.lower(make_step, mesh, args, in_specs, (out_specs[0], in_specs[0]))


def elementwise(ops, element="f32"):
    """One chain, in which every op uses the two previous values."""
    kinds, kind = ("add", "multiply", "maximum", "subtract"), f"tensor<64x32x{element}>"
    lines = [f"func.func @main(%arg0: {kind}, %arg1: {kind}) -> {kind} {{"]
    before, last = "%arg0", "%arg1"
    for i in range(ops):
        if i % 5 == 4:
            lines.append(f"  %{i} = stablehlo.tanh {last} : {kind}")
        else:
            lines.append(f"  %{i} = stablehlo.{kinds[i % 4]} {before}, {last} : {kind}")
        before, last = last, f"%{i}"
    return "\n".join(lines + [f"  return {last} : {kind}", "}", ""])


def floor(ops):
    """Calls and branches of the func dialect, and unregistered attributes: MLIR only."""
    lines = ["func.func private @f(tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>",
             "func.func @main(%arg0: tensor<64x32xf32>, %arg1: tensor<64x32xf32>) -> tensor<64x32xf32> {"]
    before, last = "%arg0", "%arg1"
    for i in range(ops):
        lines.append(f"  %{i} = call @f({before}, {last}) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>")
        before, last = last, f"%{i}"
    return "\n".join(lines + [f"  return {last} : tensor<64x32xf32>", "}", ""])


def constants(count, shape, decimal):
    """Large constants, as hex strings or as lists of decimals."""
    rng = np.random.default_rng(3)
    kind = "x".join(map(str, shape)) + "xf32"
    lines = ["func.func @main() -> tensor<%s> {" % kind]
    for i in range(count):
        values = rng.standard_normal(shape).astype(np.float32)
        if decimal:
            rows = ", ".join("[" + ", ".join(f"{x:.6e}" for x in row) + "]" for row in values)
            text = f"[{rows}]"
        else:
            text = '"0x' + values.tobytes().hex().upper() + '"'
        lines.append(f"  %c{i} = stablehlo.constant dense<{text}> : tensor<{kind}>")
    return "\n".join(lines + [f"  return %c0 : tensor<{kind}>", "}", ""])


QUANTIZED = "!quant.uniform<i8:f32, 5.000000e-01:-3>"


def write_all(folder):
    """Writes the modules. Yields (name, path for ours, path for the peer). jaxlib has no quantized
    types, so the peer of that chain is the one of f32."""
    step = training_step(layers=144)
    module = step.compiler_ir()
    texts = {
        "training step, locations": step.as_text(debug_info=True),
        "training step": step.as_text(),
        "training step, generic": module.operation.get_asm(
            print_generic_op_form=True, enable_debug_info=True),
        "elementwise chain": elementwise(OPS),
        "elementwise chain, generic": None,
        "func.call chain (floor)": floor(OPS),
        "constants, hex": constants(16, (512, 512), decimal=False),
        "constants, decimal": constants(4, (128, 128), decimal=True),
    }
    texts["elementwise chain, generic"] = oracle.parse(texts["elementwise chain"]).operation.get_asm(
        print_generic_op_form=True)
    for number, (name, text) in enumerate(texts.items()):
        path = os.path.join(folder, f"module{number}.mlir")
        with open(path, "w") as out:
            out.write(text)
        yield name, path, path
        if name == "elementwise chain":
            quantized = os.path.join(folder, "quantized.mlir")
            with open(quantized, "w") as out:
                out.write(elementwise(OPS, QUANTIZED))
            yield "elementwise chain, quantized (jaxlib: f32)", quantized, path
    for name in ("training step, locations", "constants, hex"):
        path = os.path.join(folder, f"module{len(name)}.mlirbc")
        with open(path, "wb") as out:
            oracle.parse(texts[name]).operation.write_bytecode(out)
        yield name + ", bytecode", path, path
