//===- op_cost.h - time of ops by the machine model -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A roofline model: an op takes the larger of its compute time and its memory
// time. Elementwise ops do not read operands from memory that are themselves
// elementwise, because every backend fuses them. Collectives take the rounds
// and bytes per device of their best known algorithm.
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

/// Bytes of a tensor of static shape; 0 for other types.
double bytesOf(mlir::Type type);

class OpCosts {
public:
  /// `mesh` gives the axes along which the devices of a group are; if it is
  /// empty, all links are the machine's default link.
  OpCosts(const MachineModel &machine, const Mesh &mesh);

  /// Time of an op that computes; excludes the regions of control flow.
  double seconds(mlir::Operation *op);
  /// The transfer of a collective, for all operands or only for operand
  /// `index`; none for other ops.
  std::optional<Transfer> transfer(mlir::Operation *op, int64_t index = -1);
  /// Bytes that a result takes in memory; 0 if it is fused into its users.
  double heldBytes(mlir::Value result);
  /// Time of one kernel with these operations and bytes.
  double kernelSeconds(mlir::Type element, double flops, double bytes);
  double flopsPerSecond(mlir::Type element);
  /// Number of operations on elements.
  double flops(mlir::Operation *op);
  /// Time in which each member of such groups sends this many bytes to the
  /// next.
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
  /// True if the result is fused into its users, so never in memory.
  bool isFused(mlir::Operation *op);
  double bytesTouched(mlir::Operation *op);

  const MachineModel &machine;
  const Mesh &mesh;
  llvm::DenseMap<mlir::Type, double> speeds;
  llvm::DenseMap<mlir::Attribute, Lanes> groupLanes, pairLanes;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_OP_COST_H
