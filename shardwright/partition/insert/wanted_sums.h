//===- wanted_sums.h - values that are wanted as partial sums ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs say at some places that a value is unreduced: constraints, results
// of functions and of manual computations, ops. Propagation does not spread
// this. Here it is followed backwards through linear ops, so that a sum is not
// completed only to become partial again, and into the values that loops and
// branches carry.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_WANTED_SUMS_H
#define SHARDWRIGHT_PARTITION_INSERT_WANTED_SUMS_H

#include "shardwright/partition/layout/layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

class WantedSums {
public:
  WantedSums(mlir::func::FuncOp func, MeshTable &meshes);

  /// The layout with the unreduced axes that all users of the value want and
  /// that are free in it.
  LayoutRef withSums(mlir::Value value, LayoutRef layout);
  /// Likewise for what a loop or branch carries to this result, with the axes
  /// along which all its regions return it as a partial sum.
  LayoutRef withCarriedSums(mlir::OpResult result, LayoutRef layout);

private:
  struct Axes {
    int32_t mesh = -1;
    AxisList axes;
  };
  Axes read(sdy::TensorShardingAttr sharding);
  Axes ofUses(mlir::Value value, int depth);
  Axes ofUse(mlir::OpOperand &use, int depth);
  /// What the op's own sharding says, and its users.
  Axes ofResult(mlir::OpResult result, int depth);
  Axes ofCarried(mlir::OpResult result);
  LayoutRef add(LayoutRef layout, const Axes &axes);

  MeshTable &meshes;
  /// False for most programs: nothing is asked then.
  bool hasUnreduced = false;
  llvm::DenseMap<mlir::Value, Axes> found;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_WANTED_SUMS_H
