#===- interpret.py - one program by StableHLO's interpreter ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Standard input: a pickled (text, argument types, arrays); standard output: the results' arrays."""

import os
import pickle
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import oracle

text, types, data = pickle.load(sys.stdin.buffer)
ir = oracle.ir
module = oracle.parse(text)
with module.context:
    arguments = []
    for name, array in zip(types, data):
        kind = ir.RankedTensorType(ir.Type.parse(name))
        if array.dtype == np.bool_:
            arguments.append(ir.DenseElementsAttr.get(np.packbits(array, bitorder="little"), type=kind))
        else:
            arguments.append(ir.DenseElementsAttr.get(array, type=kind.element_type, shape=array.shape))
    results = oracle.stablehlo.eval_module(module, arguments)
    pickle.dump([np.array(r) for r in results], sys.stdout.buffer)
