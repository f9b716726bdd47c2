//===- sharding_access.h - find the sharding of a value ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value's sharding is stored in one of several places (an argument attribute,
// an op's `sdy.sharding`, a data flow edge, a region op's in and out
// shardings); these functions find it. A value without a place (such as an
// argument of a reducer's body) has no sharding, and setting one does nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_SHARDING_ACCESS_H
#define SHARDWRIGHT_DIALECT_SDY_SHARDING_ACCESS_H

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright::sdy {

/// Discardable attributes that the dialect owns.
inline constexpr llvm::StringLiteral kShardingAttr = "sdy.sharding";
inline constexpr llvm::StringLiteral kShardingRuleAttr = "sdy.sharding_rule";
inline constexpr llvm::StringLiteral kShardingOriginsAttr =
    "sdy.sharding_origins";
inline constexpr llvm::StringLiteral kShardingOriginNameAttr =
    "sdy.sharding_origin_name";
inline constexpr llvm::StringLiteral kPropagationEdgesAttr =
    "sdy.propagation_edges";
inline constexpr llvm::StringLiteral kBlockArgShardingOriginsAttr =
    "sdy.block_arg_sharding_origins";
inline constexpr llvm::StringLiteral kResultShardingOriginsAttr =
    "sdy.result_sharding_origins";
inline constexpr llvm::StringLiteral kBlockArgPropagationEdgesAttr =
    "sdy.block_arg_propagation_edges";
inline constexpr llvm::StringLiteral kResultPropagationEdgesAttr =
    "sdy.result_propagation_edges";
inline constexpr llvm::StringLiteral kOriginalFuncNameAttr =
    "sdy.original_func_name";
inline constexpr llvm::StringLiteral kFuncManualAxesAttr =
    "sdy.func_manual_axes";
inline constexpr llvm::StringLiteral kStablehloMeshAttr = "stablehlo.mesh";
/// Labels of canonicalisation patterns.
inline constexpr llvm::StringLiteral kReshardLabel = "sdy-reshard";
inline constexpr llvm::StringLiteral kCollectiveLabel = "sdy-collective";
/// Names of the entry function and of the symbol for an empty mesh.
inline constexpr llvm::StringLiteral kMainFuncName = "main";
inline constexpr llvm::StringLiteral kEmptyMeshName = "empty_mesh";

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The value's sharding, null if it has none.
TensorShardingAttr getSharding(mlir::Value value);
/// Sets it. If an op stores its shardings together, its other results become
/// fully open on the same mesh unless they have shardings.
void setSharding(mlir::Value value, TensorShardingAttr sharding);
/// One entry per value; null if it has none.
llvm::SmallVector<TensorShardingAttr> getShardings(mlir::ValueRange values);
/// The op's `sdy.sharding` entries, empty if it has none.
llvm::SmallVector<TensorShardingAttr> getShardings(mlir::Operation *op);
/// Replaces the op's `sdy.sharding`; removes it if `shardings` is empty.
void setShardings(mlir::Operation *op,
                  llvm::ArrayRef<TensorShardingAttr> shardings);

/// The sharding of a function's result, which is not a value.
TensorShardingAttr getFuncResultSharding(mlir::FunctionOpInterface func,
                                         int64_t result);
/// Sets it, or removes it if null.
void setFuncResultSharding(mlir::FunctionOpInterface func, int64_t result,
                           TensorShardingAttr sharding);

/// The rule in `sdy.sharding_rule`, null if none.
OpShardingRuleAttr getShardingRule(mlir::Operation *op);

/// The op that defines a data flow edge for `target`, an op's result or a block
/// argument; null if the op has no edges.
ShardableDataFlowOpInterface getDataFlowOp(mlir::Value target);

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// The mesh that an attribute is or refers to; null if there is none.
MeshAttr getMeshAttr(mlir::ModuleOp module, mlir::Attribute meshOrRef);
MeshAttr getMeshAttr(const mlir::SymbolTable &symbols,
                     mlir::Attribute meshOrRef);
/// Looked up in the nearest enclosing module of `op`, or in `op` itself.
MeshAttr getMeshAttr(mlir::Operation *op, mlir::Attribute meshOrRef);
MeshAttr getMeshAttr(mlir::Operation *op, TensorShardingAttr sharding);

/// Caches the lookups in a module whose meshes do not change.
class MeshLookup {
public:
  explicit MeshLookup(mlir::ModuleOp module) : module(module) {}

  MeshAttr operator()(mlir::Attribute meshOrRef) {
    auto [it, isNew] = known.try_emplace(meshOrRef);
    if (isNew)
      it->second = getMeshAttr(module, meshOrRef);
    return it->second;
  }

private:
  mlir::ModuleOp module;
  llvm::SmallDenseMap<mlir::Attribute, MeshAttr, 4> known;
};

/// The mesh that all of `shardings` (ignoring nulls) use: the first that is not
/// empty, if the others are equal to it or empty, as an attribute of the first
/// sharding that uses it; null if they differ or there are none.
mlir::Attribute getCommonMeshOrRef(llvm::ArrayRef<TensorShardingAttr> shardings,
                                   mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The entry: the only func.func of the module, otherwise `@main`; null if
/// there is neither.
mlir::func::FuncOp getMainFunc(mlir::ModuleOp module);
/// Likewise, but emits an error on the module if there is neither.
mlir::FailureOr<mlir::func::FuncOp> requireMainFunc(mlir::ModuleOp module);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_SHARDING_ACCESS_H
