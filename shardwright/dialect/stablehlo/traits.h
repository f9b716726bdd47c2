//===- traits.h - op traits of StableHLO and CHLO -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_TRAITS_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace shardwright::stablehlo {

namespace detail {
mlir::LogicalResult verifyCompatibleElementTypes(mlir::Operation *op);
mlir::LogicalResult verifyCompatibleTypes(mlir::Operation *op);
} // namespace detail

// Element types of all operands and results are compatible with each other.
template <typename ConcreteOp>
struct CompatibleElementTypes
    : mlir::OpTrait::TraitBase<ConcreteOp, CompatibleElementTypes> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyCompatibleElementTypes(op);
  }
};

// Types of all operands and results are compatible with each other.
template <typename ConcreteOp>
struct CompatibleTypes : mlir::OpTrait::TraitBase<ConcreteOp, CompatibleTypes> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyCompatibleTypes(op);
  }
};

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_TRAITS_H
