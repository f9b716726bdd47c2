#===- programs.py - the modules that the propagation benchmark reads -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Families of modules of any size: training steps as JAX writes them, and a family made of calls,
loops, branches and manual computations. `FAMILIES[name](ops)` is the text of about `ops` ops."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "parse"))
import common
import exporting
import jax
import jax.numpy as jnp
import modules
from jax.sharding import PartitionSpec as P


def gpt(ops):
    """The GPT example with a given number of layers. JAX keeps two functions that are called once per
    layer."""
    return modules.training_step(max(1, ops // 136)).as_text(debug_info=True)


def gpt_unconstrained(ops):
    """The same without sdy.sharding_constraint."""
    return modules.training_step(max(1, ops // 136), constrained=False).as_text(debug_info=True)


def conv_net(ops, mesh_sizes=None):
    """Loss and gradients of residual blocks of convolutions. Every block has its own parameters; there
    are no calls."""
    blocks = max(1, ops // 83)
    mesh = exporting.make_mesh(**(mesh_sizes or dict(data=2, model=4)))

    def make(constrain):
        def loss(params, x):
            x = constrain(x, "data", None, None, None)
            for p in params:
                y = jax.lax.conv_general_dilated(
                    x, p["k1"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
                y = jnp.maximum(y * p["scale"] + p["bias"], 0.0)
                y = jax.lax.conv_general_dilated(
                    y, p["k2"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
                x = x + jnp.tanh(y)
            return (x * x).mean()

        return jax.value_and_grad(loss)

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    params, specs = [], []
    for _ in range(blocks):
        params.append(dict(k1=array(3, 3, 8, 16), k2=array(3, 3, 16, 8), scale=array(16), bias=array(16)))
        specs.append(dict(k1=P(None, None, None, "model"), k2=P(None, None, "model", None), scale=P("model"), bias=P(None)))
    args, in_specs = (params, array(16, 16, 16, 8)), (specs, P("data"))
    return exporting.lower(make, mesh, args, in_specs, (P(), specs)).as_text(debug_info=True)


def control_flow(ops, mesh=(("x", 2), ("y", 4))):
    """Functions that call functions, each from several places, with loops, branches and manual
    computations; generated as text here."""
    x, y = mesh[0][1], mesh[1][1]
    n, m = 8 * x, 8 * y
    T = f"tensor<{n}x{m}xf32>"
    local = f"tensor<{n // x}x{m}xf32>"
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh)
    leaf = f"""func.func private @leaf{{i}}(%a: {T}, %b: {T}) -> {T} {{{{
  %0 = stablehlo.add %a, %b : {T}
  %1 = stablehlo.tanh %0 : {T}
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [1] : ({T}, {T}) -> tensor<{n}x{n}xf32>
  %3 = stablehlo.dot_general %2, %a, contracting_dims = [1] x [0] : (tensor<{n}x{n}xf32>, {T}) -> {T}
  %4 = stablehlo.multiply %3, %1 : {T}
  return %4 : {T}
}}}}
"""
    mid = f"""func.func private @mid{{i}}(%a: {T}, %b: {T}, %p: tensor<i32>) -> {T} {{{{
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %u = %a, %v = %b) : tensor<i32>, {T}, {T}
  cond {{{{
    %r = stablehlo.compare LT, %i, %c9 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }}}} do {{{{
    %r = stablehlo.add %i, %c1 : tensor<i32>
    %s = func.call @leaf{{j}}(%u, %v) : ({T}, {T}) -> {T}
    %t = stablehlo.subtract %s, %v : {T}
    stablehlo.return %r, %s, %t : tensor<i32>, {T}, {T}
  }}}}
  %1 = "stablehlo.case"(%p) ({{{{
    %r = stablehlo.negate %0#1 : {T}
    stablehlo.return %r : {T}
  }}}}, {{{{
    %r = func.call @leaf{{k}}(%0#1, %0#2) : ({T}, {T}) -> {T}
    stablehlo.return %r : {T}
  }}}}) : (tensor<i32>) -> {T}
  %2 = stablehlo.maximum %1, %a : {T}
  return %2 : {T}
}}}}
"""
    step = f"""  %m{{i}} = func.call @mid{{j}}(%x{{i}}, %w, %p) : ({T}, {T}, tensor<i32>) -> {T}
  %s{{i}} = sdy.sharding_constraint %m{{i}} <@mesh, [{{{{?}}}}, {{{{?}}}}]> : {T}
  %n{{i}} = sdy.manual_computation(%s{{i}}, %w) in_shardings=[<@mesh, [{{{{"x"}}}}, {{{{?}}}}]>, <@mesh, [{{{{"x"}}}}, {{{{?}}}}]>] out_shardings=[<@mesh, [{{{{"x"}}}}, {{{{?}}}}]>] manual_axes={{{{"x"}}}} (%u: {local}, %v: {local}) {{{{
    %r = stablehlo.multiply %u, %v : {local}
    %t = stablehlo.abs %r : {local}
    sdy.return %t : {local}
  }}}} : ({T}, {T}) -> {T}
  %q{{i}} = func.call @leaf{{k}}(%n{{i}}, %m{{i}}) : ({T}, {T}) -> {T}
  %x{{next}} = stablehlo.add %q{{i}}, %x{{i}} : {T}
"""
    count = max(1, ops // 39)
    text = [f"sdy.mesh @mesh = <[{axes}]>\n",
            f'func.func public @main(%x0: {T} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{?}}]>}}, '
            f'%w: {T} {{sdy.sharding = #sdy.sharding<@mesh, [{{?}}, {{"y"}}]>}}, %p: tensor<i32>) -> {T} {{\n']
    text += [step.format(i=i, next=i + 1, j=i * 7 // 2 % count, k=i * 5 % count) for i in range(count)]
    text += [f"  return %x{count} : {T}\n}}\n"]
    text += [mid.format(i=i, j=i, k=i * 3 % count) for i in range(count)]
    text += [leaf.format(i=i) for i in range(count)]
    return "".join(text)


FAMILIES = {
    "GPT": gpt,
    "GPT, no constraints": gpt_unconstrained,
    "conv net": conv_net,
    "calls and loops": control_flow,
}
