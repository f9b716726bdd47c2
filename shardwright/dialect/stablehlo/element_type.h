//===- element_type.h - element types of tensors ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_ELEMENT_TYPE_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_ELEMENT_TYPE_H

#include "shardwright/support/element_type.h"

#include <optional>

namespace mlir {
class Type;
}

namespace shardwright {

/// The element type of buffers for tensors of `type`; none for types that
/// StableHLO buffers cannot hold, such as quantized types.
std::optional<ElementType> elementTypeFromMLIR(mlir::Type type);

} // namespace shardwright

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_ELEMENT_TYPE_H
