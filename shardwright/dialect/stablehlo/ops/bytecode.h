//===- bytecode.h - stablehlo attributes and types in bytecode ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The dialect's own encoding in plain MLIR bytecode, compatible with jaxlib.
/// Portable artifacts hold VHLO instead.
///
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_OPS_BYTECODE_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_OPS_BYTECODE_H

namespace shardwright::stablehlo {

class StablehloDialect;

void registerBytecode(StablehloDialect &dialect);

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_OPS_BYTECODE_H
