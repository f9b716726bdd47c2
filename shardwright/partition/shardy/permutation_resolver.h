//===- permutation_resolver.h - resolve permutation factors -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PERMUTATION_RESOLVER_H
#define SHARDWRIGHT_PARTITION_SHARDY_PERMUTATION_RESOLVER_H

#include "shardwright/partition/shardy/halo.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/shardy_version.h"

#include "llvm/ADT/SmallBitVector.h"

namespace shardwright {

/// Rewrites ops that need rows of other shards, so that their local form needs
/// no communication.
class Resolver {
public:
  Resolver(mlir::ModuleOp module, MeshTable &meshes, bool useHalo,
           bool keepRandomBits, bool deviceIsReplica, ShardyVersion shardy)
      : module(module), symbols(module), meshes(meshes),
        halo(module, meshes, deviceIsReplica), useHalo(useHalo),
        fetchesRows(useHalo && shardy >= ShardyVersion::Jaxlib0_12_0),
        permutesFirst(shardy < ShardyVersion::Jaxlib0_12_0),
        keepRandomBits(keepRandomBits) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult visit(mlir::Operation *op);
  void replicateFixedDims(stablehlo::ScatterOp op);
  void visitRandomBits(stablehlo::RngBitGeneratorOp op);
  mlir::LogicalResult visitReshape(stablehlo::ReshapeOp op);
  /// Rows that a reshape fetches for one group of dimensions, which make one
  /// dimension of `in` rows on each device, and `out` rows afterwards.
  struct ReshapeGroup {
    AxisList axes;
    int64_t in = 1, out = 1;
    /// By shard: the first row that it needs; empty: nothing moves.
    std::vector<int64_t> starts;
  };
  /// How a reshape moves elements between devices.
  struct ReshapeMoves {
    llvm::SmallVector<ReshapeGroup, 2> groups;
    /// True if some elements move, and if fetching rows suffices.
    bool any = false, fetches = false;
    /// Otherwise: dimensions of the operand and of the result that must be
    /// replicated.
    llvm::SmallVector<llvm::SmallBitVector> moving;
  };
  ReshapeMoves readReshape(stablehlo::ReshapeOp op);
  /// Replaces the reshape by one that fetches rows.
  void fetchForReshape(stablehlo::ReshapeOp op, const ReshapeMoves &moves);
  /// The axes of dimension `d`; none without a sharding.
  AxisList axesOf(sdy::TensorShardingAttr sharding, int64_t d);
  void makeTapsWhole(stablehlo::ConvolutionOp op);
  void dropReductions(mlir::Operation *op);
  mlir::LogicalResult fetchRows(mlir::Operation *op);
  mlir::LogicalResult reverseShards(stablehlo::ReverseOp op);
  bool mayFetch(mlir::Operation *op);
  /// True if slicing or padding dimension `d` needs no rows of other shards.
  static bool needsNoRows(mlir::Operation *op, int64_t d, int64_t shards);
  void replicate(mlir::Operation *op,
                 llvm::ArrayRef<llvm::SmallBitVector> dims);
  /// Null unless it is on a mesh with axes.
  sdy::TensorShardingAttr shardingOf(mlir::Value value);
  int64_t shards(mlir::Value value, int64_t d) {
    return shardsOf(meshes, shardingOf(value), d);
  }
  mlir::Attribute reversedMesh(mlir::Attribute meshOrRef, AxisRefs axes);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  MeshTable &meshes;
  HaloBuilder halo;
  bool useHalo;
  /// Slices, pads and reshapes fetch rows; jaxlib 0.10 does so for reversals
  /// only, and permutes the shards before it reverses them.
  bool fetchesRows, permutesFirst;
  /// Sharded results of rng_bit_generator stay sharded.
  bool keepRandomBits;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PERMUTATION_RESOLVER_H
