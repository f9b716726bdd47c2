//===- sdy.h - the sdy dialect: attributes, ops, interfaces -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meshes with named axes, shardings of tensors over them, and the ops that
// carry or change shardings. Text, verification and bytecode are those of
// Shardy in jaxlib 0.10.2. sharding_access.h reads and writes the sharding of a
// *value*, independent of where it is stored; conversion.h converts to the mesh
// layer's value types.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_SDY_H
#define SHARDWRIGHT_DIALECT_SDY_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <string>

#include "shardwright/dialect/sdy/sdy_dialect.h.inc"
#include "shardwright/dialect/sdy/sdy_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwright/dialect/sdy/sdy_attrs.h.inc"

namespace shardwright::sdy {

/// When ShardableDataFlowOpInterface::transformTargetSharding is called.
enum class DataFlowShardingTransformType {
  kBeforeEdgePropagation,
  kAfterEdgePropagation
};

/// Helpers for the generated code of interfaces and types.
namespace detail {
/// Entries of the op's `sdy.sharding`, empty if it has none.
llvm::SmallVector<TensorShardingAttr>
getDiscardableShardings(mlir::Operation *op);
/// Sets `sdy.sharding`; removes it if `shardings` is empty.
void setDiscardableShardings(mlir::Operation *op,
                             llvm::ArrayRef<TensorShardingAttr> shardings);
TensorShardingAttr getEdgeOwnerSharding(mlir::Operation *op, mlir::Value owner);
void setEdgeOwnerSharding(mlir::Operation *op, mlir::Value owner,
                          TensorShardingAttr sharding);
mlir::LogicalResult verifyCollectiveOp(mlir::Operation *op);
/// A shaped type whose element is a StableHLO token.
bool hasTokenElement(mlir::Type type);
} // namespace detail

} // namespace shardwright::sdy

#include "shardwright/dialect/sdy/sdy_interfaces.h.inc"

#define GET_OP_CLASSES
#include "shardwright/dialect/sdy/sdy_ops.h.inc"

namespace shardwright::sdy {

/// Adds the dialect to a registry.
void registerSdyDialect(mlir::DialectRegistry &registry);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_SDY_H
