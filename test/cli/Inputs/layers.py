#===- layers.py - a module of many layers, with call stacks ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Prints a module as JAX lowers one of flax: LAYERS layers in a library, called from line 22 of train.py, and a function
@norm with values of the same numbers as those of @main. Each layer sums over an axis.

    layers.py LAYERS
"""

import sys

layers = int(sys.argv[1])
library = '"/venv/lib/python3.11/site-packages/nn/linear.py":287:8'
print('#linear = loc("Dense.__call__"(%s))' % library)
print('#block = loc("Block.__call__"("/home/me/train.py":22:4))')
print('#loss = loc("loss"("/home/me/train.py":55:4))')
print("#stack = loc(callsite(#linear at callsite(#block at #loss)))")
print('#norm = loc("jit(step)/norm"("/home/me/train.py":31:4))')
print('sdy.mesh @mesh = <["x"=4]>')
print("func.func private @norm(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {")
print('  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32> loc("tanh"("/home/me/train.py":7:4))')
print('  %1 = stablehlo.add %0, %0 : tensor<8x8xf32> loc("add"("/home/me/train.py":8:4))')
print("  return %1 : tensor<8x8xf32>\n}")
weight = '%%w%d: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("params[\'b%d\'][\'o\']")'
arguments = ", ".join(weight % (i, i) for i in range(layers))
print(f'func.func @main(%x: tensor<8x8xf32> loc("x"), {arguments}) -> tensor<8x8xf32> {{')
value = "%x"
for i in range(layers):
    name = f"%{i}"
    print(
        f"  {name} = stablehlo.dot_general {value}, %w{i}, contracting_dims = [1] x [0] : "
        f'(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("jit(step)/jvp(GPT)/b{i}/o/dot_general"(#stack))'
    )
    value = name
print(f"  %n = call @norm({value}) : (tensor<8x8xf32>) -> tensor<8x8xf32> loc(#norm)")
print("  return %n : tensor<8x8xf32>\n}")
