#===- regions.py - regions that are not scalar functions ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Reductions, sorts, scatters, windows and maps whose regions use values from outside, branch, loop or
contain tensors (XLA refuses these) give numpy's results."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

tally = oracle.Tally("regions")


def check(case, text, arguments, expected):
    done = oracle.run_and_compare(text, arguments, expected, "--rtol=1e-5")
    tally.check(case, done.returncode == 0, f"{done.stderr}{done.stdout}\n{text}")


data = np.random.default_rng(0)

CAPTURES = """func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
 %z = stablehlo.constant dense<0.0> : tensor<f32>
 %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %m = stablehlo.multiply %b, %y : tensor<f32>
  %s = stablehlo.add %a, %m : tensor<f32>
  stablehlo.return %s : tensor<f32> }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
 %q = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %c = stablehlo.subtract %a, %y : tensor<f32>
  %d = stablehlo.subtract %b, %y : tensor<f32>
  %ca = stablehlo.abs %c : tensor<f32>
  %da = stablehlo.abs %d : tensor<f32>
  %s = stablehlo.compare LT, %ca, %da : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %s : tensor<i1> }) : (tensor<4xf32>) -> tensor<4xf32>
 return %r, %q : tensor<f32>, tensor<4xf32> }"""
x, y = data.standard_normal(4).astype(np.float32), np.float32(0.7)
check("captures", CAPTURES, [x, y], [(x * y).sum(), x[np.argsort(abs(x - y), kind="stable")]])

LOOP = """func.func @main(%x: tensor<4x3xi32>) -> tensor<3xi32> {
 %z = stablehlo.constant dense<1> : tensor<i32>
 %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %k = stablehlo.constant dense<3> : tensor<i32>
  %o:2 = stablehlo.while(%i = %z, %v = %a) : tensor<i32>, tensor<i32>
   cond { %p = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
   stablehlo.return %p : tensor<i1> } do { %j = stablehlo.add %i, %z : tensor<i32>
   %w = stablehlo.add %v, %b : tensor<i32>
   stablehlo.return %j, %w : tensor<i32>, tensor<i32> }
  stablehlo.return %o#1 : tensor<i32> }) : (tensor<4x3xi32>, tensor<i32>) -> tensor<3xi32>
 return %r : tensor<3xi32> }"""
x = data.integers(-5, 5, (4, 3)).astype(np.int32)
check("loop", LOOP, [x], [(1 + 2 * x.sum(axis=0)).astype(np.int32)])
check("loop without turns", LOOP.replace("4x3", "0x3"), [x[:0]], [np.ones(3, np.int32)])

TENSORS = """func.func @main(%x: tensor<4x3xf32>) -> tensor<3xf32> {
 %z = stablehlo.constant dense<0.0> : tensor<f32>
 %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %u = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %v = stablehlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
  %w = stablehlo.concatenate %u, %v, dim = 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
  %s = stablehlo.slice %w [1:3] : (tensor<3xf32>) -> tensor<2xf32>
  %t = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  stablehlo.return %t : tensor<f32> }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
 return %r : tensor<3xf32> }"""
x = data.standard_normal((4, 3)).astype(np.float32)
check("tensors", TENSORS, [x], [x.sum(axis=0)])

BRANCHES = """func.func @main(%x: tensor<3x5xi32>, %y: tensor<i32>, %u: tensor<2xi32>) -> (tensor<3xi32>, tensor<5xi32>, tensor<3x5xi32>, tensor<2x5xi32>, tensor<3x5xi32>, tensor<i32>) {
 %z = stablehlo.constant dense<0> : tensor<i32>
 %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %p = stablehlo.compare GT, %b, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %s = "stablehlo.if"(%p) ({ %t = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %t : tensor<i32> }, { %t = stablehlo.subtract %a, %y : tensor<i32>
    stablehlo.return %t : tensor<i32> }) : (tensor<i1>) -> tensor<i32>
  stablehlo.return %s : tensor<i32> }) : (tensor<3x5xi32>, tensor<i32>) -> tensor<3xi32>
 %col = stablehlo.slice %x [0:1, 0:5] : (tensor<3x5xi32>) -> tensor<1x5xi32>
 %line = stablehlo.reshape %col : (tensor<1x5xi32>) -> tensor<5xi32>
 %q = "stablehlo.sort"(%line) <{dimension = 0 : i64, is_stable = true}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %one = stablehlo.constant dense<1> : tensor<i32>
  %m = stablehlo.and %a, %one : tensor<i32>
  %s = "stablehlo.case"(%m) ({ %t = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %t : tensor<i1> }, { %v = stablehlo.add %b, %y : tensor<i32>
     %t = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %t : tensor<i1> }) : (tensor<i32>) -> tensor<i1>
  stablehlo.return %s : tensor<i1> }) : (tensor<5xi32>) -> tensor<5xi32>
 %ind = stablehlo.constant dense<[[1],[1]]> : tensor<2x1xi32>
 %up = stablehlo.slice %x [0:2, 0:5] : (tensor<3x5xi32>) -> tensor<2x5xi32>
 %sc = "stablehlo.scatter"(%x, %ind, %up) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
 ^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %m = stablehlo.multiply %b, %y : tensor<i32>
  %s = stablehlo.add %a, %m : tensor<i32>
  stablehlo.return %s : tensor<i32> }) : (tensor<3x5xi32>, tensor<2x1xi32>, tensor<2x5xi32>) -> tensor<3x5xi32>
 %w = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 1>}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %m = stablehlo.multiply %b, %y : tensor<i32>
  %s = stablehlo.add %a, %m : tensor<i32>
  stablehlo.return %s : tensor<i32> }) : (tensor<3x5xi32>, tensor<i32>) -> tensor<2x5xi32>
 %mp = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({ ^bb0(%a: tensor<i32>):
  %p = stablehlo.compare GT, %a, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %s = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<i32> }, { stablehlo.return %y : tensor<i32> }) : (tensor<i1>) -> tensor<i32>
  stablehlo.return %s : tensor<i32> }) : (tensor<3x5xi32>) -> tensor<3x5xi32>
 %tab = "stablehlo.reduce"(%u, %z) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %v = stablehlo.dynamic_slice %line, %b, sizes = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
  %k = stablehlo.reshape %v : (tensor<1xi32>) -> tensor<i32>
  %s = stablehlo.add %a, %k : tensor<i32>
  stablehlo.return %s : tensor<i32> }) : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
 return %r, %q, %sc, %w, %mp, %tab : tensor<3xi32>, tensor<5xi32>, tensor<3x5xi32>, tensor<2x5xi32>, tensor<3x5xi32>, tensor<i32> }"""
x, y, u = data.integers(-9, 9, (3, 5)).astype(np.int32), np.int32(2), np.array([1, 4], np.int32)
sums = np.zeros(3, np.int32)
for column in x.T:
    sums = np.where(column > y, sums + column, sums - y).astype(np.int32)
scattered = x.copy()
scattered[1] += (x[0] + x[1]) * y
check("branches", BRANCHES, [x, y, u], [sums, np.sort(x[0]), scattered, (x[:-1] + x[1:]) * y, np.maximum(x, y), x[0][u].sum(dtype=np.int32)])
tally.finish()
