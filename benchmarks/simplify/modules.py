#===- modules.py - programs of any length to simplify ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`clean` has nothing to simplify. In `busy` half of the ops are removed: transposes that cancel out,
broadcast constants, equal ops. In `nested` the same ops are in a loop."""


def clean(n):
    square = "tensor<8x8xf32>"
    yield f"func.func @main(%x: {square}, %y: {square}) -> {square} {{"
    last = "%x"
    for i in range(n // 4):
        yield f"%a{i} = stablehlo.dot_general {last}, %y, contracting_dims = [1] x [0] : ({square}, {square}) -> {square}"
        yield f"%b{i} = stablehlo.tanh %a{i} : {square}"
        yield f"%c{i} = stablehlo.add %b{i}, {last} : {square}"
        yield f"%d{i} = stablehlo.multiply %c{i}, %x : {square}"
        last = f"%d{i}"
    yield f"return {last} : {square}\n}}"


def busy_ops(n, last):
    wide, tall = "tensor<8x4xi32>", "tensor<4x8xi32>"
    for i in range(n // 8):
        yield f"%c{i} = stablehlo.constant dense<{i % 7 + 1}> : tensor<i32>"
        yield f"%b{i} = stablehlo.broadcast_in_dim %c{i}, dims = [] : (tensor<i32>) -> {wide}"
        yield f"%t{i} = stablehlo.transpose {last}, dims = [1, 0] : ({wide}) -> {tall}"
        yield f"%u{i} = stablehlo.transpose %t{i}, dims = [1, 0] : ({tall}) -> {wide}"
        yield f"%p{i} = stablehlo.popcnt %u{i} : {wide}"
        yield f"%q{i} = stablehlo.popcnt {last} : {wide}"
        yield f"%a{i} = stablehlo.add %p{i}, %b{i} : {wide}"
        yield f"%m{i} = stablehlo.xor %a{i}, %q{i} : {wide}"
        last = f"%m{i}"


def busy(n):
    yield "func.func @main(%x: tensor<8x4xi32>) -> tensor<8x4xi32> {"
    yield from busy_ops(n, "%x")
    yield f"return %m{n // 8 - 1} : tensor<8x4xi32>\n}}"


def nested(n):
    wide = "tensor<8x4xi32>"
    yield f"func.func @main(%x: {wide}, %n: tensor<i32>) -> {wide} {{"
    yield f"%r:2 = stablehlo.while(%i = %n, %k = %x) : tensor<i32>, {wide}"
    yield "cond {\n%zero = stablehlo.constant dense<0> : tensor<i32>"
    yield "%go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>"
    yield "stablehlo.return %go : tensor<i1>\n} do {"
    yield "%one = stablehlo.constant dense<1> : tensor<i32>"
    yield "%next = stablehlo.subtract %i, %one : tensor<i32>"
    yield from busy_ops(n, "%k")
    yield f"stablehlo.return %next, %m{n // 8 - 1} : tensor<i32>, {wide}\n}}"
    yield f"return %r#1 : {wide}\n}}"


KINDS = {"clean": clean, "busy": busy, "nested": nested}


def module(kind, n):
    return "\n".join(KINDS[kind](n)) + "\n"
