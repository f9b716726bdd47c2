//===- strategies.h - ways to compute an op along one axis ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates, from the rule of an op and from the factors that other mesh axes
// already have, where one more axis may go: on a factor that the results keep,
// on one that is reduced (the results are partial), on none, or on none with
// partial operands in which the op is linear. Each is one that the partitioner
// accepts. And the time of one run of the op's kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_STRATEGIES_H
#define SHARDWRIGHT_AUTO_ASSIGN_STRATEGIES_H

#include "shardwright/auto/assign/assignment.h"
#include "shardwright/partition/decide/decide.h"
#include "shardwright/partition/overlap/op_cost.h"

#include "mlir/IR/Operation.h"

namespace shardwright {

/// What one run of an op takes if nothing is sharded.
struct OpTraffic {
  double operations = 0;
  double operationsPerSecond = 1;
  /// False if the op has no kernel of its own.
  bool isLaunched = false;
  bool isContraction = false;
  OutputColumns columns;
  /// Bytes that it reads of each operand, and writes of each result; 0 where
  /// they are fused away.
  llvm::SmallVector<double, 3> operandBytes;
  llvm::SmallVector<double, 1> resultBytes;
};

OpTraffic readTraffic(mlir::Operation *op, OpCosts &costs);

struct OpStrategy {
  /// -1: no factor has the axis.
  int32_t factor = -1;
  llvm::SmallVector<AxisLayout, 3> operands;
  llvm::SmallVector<AxisLayout, 1> results;
  /// The results are partial, and must be reduced at once: they are no sums, or
  /// no sums of a kind that shardings can name.
  bool mustReduce = false;
  /// Seconds of one exchange of halo rows.
  double haloSeconds = 0;
};

/// An op for which strategies are made. Value type but for `op`.
struct ShardedOp {
  mlir::Operation *op = nullptr;
  /// None: it is computed without sharding.
  std::optional<ShardingRule> rule;
  DecideProblem problem;
  OpTraffic work;

  static ShardedOp read(mlir::Operation *op, OpCosts &costs);
};

/// By axis (an index in `axes`): the factor that has it, or -1.
using AxisFactors = llvm::SmallVector<int8_t, 4>;

class StrategyMaker {
public:
  /// `axes`: the axes of `mesh` that may be used, in the order in which they
  /// shard a dimension together.
  StrategyMaker(const Mesh &mesh, llvm::ArrayRef<int32_t> axes,
                const MachineModel &machine);

  /// The strategies for `axis`, while `others` says what the other axes do; its
  /// entry for `axis` is ignored. The one without a factor is first.
  std::vector<OpStrategy> make(const ShardedOp &op, const AxisFactors &others,
                               int32_t axis) const;
  /// Seconds of one run of the op's kernel with these factors.
  double kernelSeconds(const ShardedOp &op, const AxisFactors &factors) const;
  /// Seconds of a collective along the axis, of `local` bytes on entry.
  double collectiveSeconds(CollectiveKind kind, int32_t axis,
                           double local) const;
  double memorySeconds(double bytes) const {
    return machine.memorySeconds(bytes);
  }
  int64_t size(int32_t axis) const { return mesh.axisSize(axes[axis]); }

private:
  FactorAxes factorAxes(const ShardedOp &op, const AxisFactors &factors) const;
  /// False if the op cannot be computed so.
  bool layouts(const ShardedOp &op, const AxisFactors &factors, int32_t axis,
               OpStrategy &strategy) const;
  bool addHalo(const ShardedOp &op, const FactorAxes &factors, int32_t axis,
               int32_t factor, OpStrategy &strategy) const;
  void addPartial(const ShardedOp &op, std::vector<OpStrategy> &list) const;

  const Mesh &mesh;
  llvm::ArrayRef<int32_t> axes;
  const MachineModel &machine;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_STRATEGIES_H
