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
mlir::LogicalResult verifyQuantization(mlir::Operation *op);
mlir::LogicalResult verifyPairwiseSameType(mlir::Operation *op);
mlir::LogicalResult verifyPairwiseSameElementType(mlir::Operation *op);
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

// Quantized element types are consistent with their tensors, and with the roles
// of dimensions in the op (verify_quantized.cc).
template <typename ConcreteOp>
struct ConsistentQuantization
    : mlir::OpTrait::TraitBase<ConcreteOp, ConsistentQuantization> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyQuantization(op);
  }
};

// Result i has the type of operand i.
template <typename ConcreteOp>
struct PairwiseSameType
    : mlir::OpTrait::TraitBase<ConcreteOp, PairwiseSameType> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyPairwiseSameType(op);
  }
};

// Result i has the element type of operand i.
template <typename ConcreteOp>
struct PairwiseSameElementType
    : mlir::OpTrait::TraitBase<ConcreteOp, PairwiseSameElementType> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyPairwiseSameElementType(op);
  }
};

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_TRAITS_H
