//===- tensor_bytecode.h - tensors of elements in bytecode ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_VHLO_TENSOR_BYTECODE_H
#define SHARDWRIGHT_DIALECT_VHLO_TENSOR_BYTECODE_H

#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace shardwright::vhlo {

/// Returns the bits of an element type, or 0 if it has no known width.
unsigned elementBits(mlir::Type element);

/// Reads the fields of a tensor_v1 attribute: its type and its bytes. Emits an
/// error and returns null if the bytes do not fit the type.
mlir::Attribute readTensor(mlir::DialectBytecodeReader &r,
                           mlir::MLIRContext *context);

/// Writes the fields of a tensor_v1 attribute after `code`. Fails, without
/// writing anything, for element types that VHLO does not have and for
/// resources with an incompatible encoding.
llvm::LogicalResult writeTensor(uint64_t code, TensorV1Attr attr,
                                mlir::DialectBytecodeWriter &w);

} // namespace shardwright::vhlo

#endif // SHARDWRIGHT_DIALECT_VHLO_TENSOR_BYTECODE_H
