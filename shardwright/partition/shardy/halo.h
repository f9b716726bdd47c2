//===- halo.h - rows of other devices, in a manual computation --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes that work on global shapes, in front of one that refuses what is
// not local: an op that reads rows of neighbours becomes an
// `sdy.manual_computation` in which each device fetches the rows that it needs
// and no others (localizer.h writes that program), then works on them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_HALO_H
#define SHARDWRIGHT_PARTITION_SHARDY_HALO_H

#include "shardwright/partition/layout/layout.h"

#include "mlir/IR/Builders.h"

namespace shardwright {

class HaloBuilder {
public:
  /// `deviceIsReplica`: the devices of meshes are replicas, not partitions.
  /// Channels are numbered from the next that is free in `root`.
  HaloBuilder(mlir::Operation *root, MeshTable &meshes, bool deviceIsReplica);

  struct Input {
    /// Of even shards.
    mlir::Value value;
    /// Null: whole on every device.
    sdy::TensorShardingAttr sharding;
    /// The value's size in the program; what is beyond it is never read.
    llvm::SmallVector<int64_t> shape;
  };
  using MakeOp = llvm::function_ref<mlir::Value(mlir::OpBuilder &,
                                                llvm::ArrayRef<mlir::Value>)>;

  /// What `makeOp` computes of the inputs, in even shards of `sharding`: as
  /// large as its shards together, with anything beyond its own end. Fails
  /// with a diagnostic if the op has no local form.
  mlir::FailureOr<mlir::Value> build(mlir::OpBuilder &builder,
                                     mlir::Location loc,
                                     llvm::ArrayRef<Input> inputs,
                                     sdy::TensorShardingAttr sharding,
                                     MakeOp makeOp);

  /// A value of even shards with other even shards: padded or cut at its end.
  mlir::FailureOr<mlir::Value> resize(mlir::OpBuilder &builder,
                                      mlir::Location loc, mlir::Value value,
                                      sdy::TensorShardingAttr sharding,
                                      llvm::ArrayRef<int64_t> shape);

private:
  MeshTable &meshes;
  bool deviceIsReplica;
  int64_t nextChannel = 1;
};

/// Shards of dimension `d`; 1 without a sharding.
int64_t shardsOf(MeshTable &meshes, sdy::TensorShardingAttr sharding,
                 int64_t d);
/// The sizes that full shards have together.
llvm::SmallVector<int64_t> paddedShape(MeshTable &meshes,
                                       sdy::TensorShardingAttr sharding,
                                       llvm::ArrayRef<int64_t> shape);
/// High padding with zeros, or cutting, of every dimension to `shape`. The ops
/// get the given sharding (null: none).
mlir::Value resizeAtEnd(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, sdy::TensorShardingAttr sharding,
                        llvm::ArrayRef<int64_t> shape);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_HALO_H
