//===- constant_data.h - constants of a module as buffers -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_READ_CONSTANT_DATA_H
#define SHARDWRIGHT_CPU_READ_CONSTANT_DATA_H

#include "shardwright/cpu/graph/kernel_graph.h"
#include "shardwright/cpu/program/program.h"

#include "mlir/IR/Attributes.h"
#include "mlir/Support/LogicalResult.h"

namespace shardwright::cpu {

/// The elements of a constant as buffers hold them, one after another. Those of
/// a big resource that is aligned as buffers are stay where they are, and stay
/// alive; others are copied once, since they belong to the context. Fails for
/// attributes whose elements cannot be read, and when there is no memory.
mlir::FailureOr<ConstantData> readConstant(mlir::Attribute value,
                                           ElementType type, int64_t elements);

/// Makes `node`, of known type and shape, a splat if the constant is one; of
/// any size, only one element is read.
mlir::LogicalResult readSplat(mlir::Attribute value, Node &node);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_READ_CONSTANT_DATA_H
