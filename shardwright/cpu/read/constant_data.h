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

/// Returns the elements of a constant in buffer format. A large resource with
/// buffer alignment is shared and kept alive; other constants are copied once,
/// because they belong to the context. Fails for attributes whose elements
/// cannot be read, and if memory is exhausted.
mlir::FailureOr<ConstantData> readConstant(mlir::Attribute value,
                                           ElementType type, int64_t elements);

/// Turns `node`, whose type and shape are set, into a splat if the constant is
/// one. Reads only one element, whatever the size.
mlir::LogicalResult readSplat(mlir::Attribute value, Node &node);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_READ_CONSTANT_DATA_H
