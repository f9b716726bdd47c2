//===- wanted_sums.h - values wanted as partial values ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints, results of functions and of manual computations, and other ops
// can state that a value is unreduced. Propagation does not spread unreduced
// axes. This analysis follows them backwards through ops that commute with the
// reduction, so that a value is not reduced only to become partial again, and
// into the values that loops and branches carry. "Sum" in names stands for all
// kinds of reduction.
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
  /// that it does not use otherwise.
  LayoutRef withSums(mlir::Value value, LayoutRef layout);
  /// Likewise for the value that a loop or branch carries to this result, with
  /// the axes along which all its regions return it unreduced.
  LayoutRef withCarriedSums(mlir::OpResult result, LayoutRef layout);

private:
  struct Axes {
    int32_t mesh = -1;
    UnreducedAxes axes;
  };
  Axes read(sdy::TensorShardingAttr sharding);
  Axes ofUses(mlir::Value value, int depth);
  Axes ofUse(mlir::OpOperand &use, int depth);
  /// Axes from the op's own sharding and its users.
  Axes ofResult(mlir::OpResult result, int depth);
  Axes ofCarried(mlir::OpResult result);
  LayoutRef add(LayoutRef layout, const Axes &axes);

  MeshTable &meshes;
  /// False for most programs, which need no analysis.
  bool hasUnreduced = false;
  llvm::DenseMap<mlir::Value, Axes> found;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_WANTED_SUMS_H
