//===- halo.h - halo exchange for passes ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes on global shapes that run before one which rejects ops without a
// local form: an op that reads halo rows becomes an `sdy.manual_computation` in
// which each device fetches only the rows that it needs (written by
// localizer.h) and computes on them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_HALO_H
#define SHARDWRIGHT_PARTITION_SHARDY_HALO_H

#include "shardwright/partition/layout/layout.h"

#include "mlir/IR/Builders.h"

namespace shardwright {

class Localizer;

class HaloBuilder {
public:
  /// `deviceIsReplica`: the devices of meshes are replicas, not partitions.
  /// Channels are numbered from the next free one in `root`.
  HaloBuilder(mlir::Operation *root, MeshTable &meshes, bool deviceIsReplica);

  struct Input {
    /// Evenly sharded.
    mlir::Value value;
    /// Null: replicated.
    sdy::TensorShardingAttr sharding;
    /// The size before padding; padding rows are never read.
    llvm::SmallVector<int64_t> shape;
  };
  using MakeOp = llvm::function_ref<mlir::Value(mlir::OpBuilder &,
                                                llvm::ArrayRef<mlir::Value>)>;

  /// Computes `makeOp` of the inputs, evenly sharded by `sharding`: padded to
  /// full shards with unspecified rows. Fails with a diagnostic if the op has
  /// no local form.
  mlir::FailureOr<mlir::Value> build(mlir::OpBuilder &builder,
                                     mlir::Location loc,
                                     llvm::ArrayRef<Input> inputs,
                                     sdy::TensorShardingAttr sharding,
                                     MakeOp makeOp);

  using MakeLocal = llvm::function_ref<mlir::Value(
      Localizer &, mlir::OpBuilder &, mlir::Value)>;
  /// Computes `makeLocal` of the device's shard of an evenly sharded value. The
  /// shards that it returns are those of a value of `type`, sharded by `out`.
  mlir::Value buildLocal(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, sdy::TensorShardingAttr in,
                         mlir::RankedTensorType type,
                         sdy::TensorShardingAttr out, MakeLocal makeLocal);

  /// Resizes an evenly sharded value to another number of rows, by padding or
  /// slicing at the end.
  mlir::FailureOr<mlir::Value> resize(mlir::OpBuilder &builder,
                                      mlir::Location loc, mlir::Value value,
                                      sdy::TensorShardingAttr sharding,
                                      llvm::ArrayRef<int64_t> shape);

private:
  /// A manual computation with the function's body, which returns one value.
  mlir::Value buildManual(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::func::FuncOp func, mlir::Type type,
                          mlir::ValueRange operands,
                          llvm::ArrayRef<sdy::TensorShardingAttr> inShardings,
                          sdy::TensorShardingAttr out);

  MeshTable &meshes;
  bool deviceIsReplica;
  int64_t nextChannel;
};

/// Number of shards of dimension `d`; 1 without a sharding.
int64_t shardsOf(MeshTable &meshes, sdy::TensorShardingAttr sharding,
                 int64_t d);
/// The shape padded to full shards.
llvm::SmallVector<int64_t> paddedShape(MeshTable &meshes,
                                       sdy::TensorShardingAttr sharding,
                                       llvm::ArrayRef<int64_t> shape);
/// Pads with zeros, or slices, at the end of every dimension to `shape`. The
/// ops get the given sharding (null: none).
mlir::Value resizeAtEnd(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, sdy::TensorShardingAttr sharding,
                        llvm::ArrayRef<int64_t> shape);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_HALO_H
