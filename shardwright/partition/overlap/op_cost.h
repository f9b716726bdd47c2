//===- op_cost.h - how long an op takes by the machine model ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A roofline: the larger of computing and of reading and writing memory. What
// loops over elements reads its producers of that kind without going through
// memory, as every backend fuses them. Collectives: the rounds of their best
// known algorithm, and the bytes that a device sends.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_OP_COST_H
#define SHARDWRIGHT_PARTITION_OVERLAP_OP_COST_H

#include "shardwright/mesh/mesh.h"
#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/partition/overlap/timeline.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace shardwright {

/// Bytes of a tensor of static shape; 0 of anything else.
double bytesOf(mlir::Type type);

class OpCosts {
public:
  /// `mesh` tells along which axes the devices of a group lie; an empty one:
  /// the machine's default link is everywhere.
  OpCosts(const MachineModel &machine, const Mesh &mesh);

  /// Of an op that computes, without its regions of control flow.
  double seconds(mlir::Operation *op);
  /// Of a collective; none for other ops. Of several operands, of all of them
  /// or of operand `index` alone.
  std::optional<Transfer> transfer(mlir::Operation *op, int64_t index = -1);
  /// What a result takes in memory; nothing where it is fused into its users.
  double heldBytes(mlir::Value result);
  /// One kernel of so many operations and bytes.
  double kernelSeconds(mlir::Type element, double flops, double bytes);
  double flopsPerSecond(mlir::Type element);
  /// Operations on elements.
  double flops(mlir::Operation *op);
  /// Of so many bytes that each member of such groups sends to the next.
  double passSeconds(mlir::Attribute groups, int64_t groupSize, double bytes);

  const MachineModel &getMachine() const { return machine; }

private:
  struct Lanes {
    uint32_t lanes = 0;
    LinkModel link;
  };
  Lanes lanesOf(llvm::ArrayRef<bool> axes) const;
  Lanes lanesOfGroups(mlir::Attribute groups, int64_t groupSize);
  Lanes lanesOfPairs(mlir::Attribute pairs);
  /// The result is never in memory.
  bool isFused(mlir::Operation *op);
  double bytesTouched(mlir::Operation *op);

  const MachineModel &machine;
  const Mesh &mesh;
  llvm::DenseMap<mlir::Type, double> speeds;
  llvm::DenseMap<mlir::Attribute, Lanes> groupLanes, pairLanes;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_OP_COST_H
