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
// and bytes per device of their best known algorithm, and write their results.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_OP_COST_H
#define SHARDWRIGHT_PARTITION_OVERLAP_OP_COST_H

#include "shardwright/mesh/mesh.h"
#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/partition/cost/process_traffic.h"
#include "shardwright/partition/ops/op_kernel.h"
#include "shardwright/partition/overlap/timeline.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace shardwright {

class OpCosts {
public:
  /// `mesh` gives the axes along which the devices of a group are; if it is
  /// empty, all links are the machine's default link. `places` may be given
  /// where no users of ops change until the last question.
  OpCosts(const MachineModel &machine, const Mesh &mesh,
          KernelPlaces *places = nullptr);

  /// Time of an op that computes; excludes the regions of control flow.
  double seconds(mlir::Operation *op) {
    return secondsOfKernel(op, rates, places);
  }
  /// The transfer of a collective, for all operands or only for operand
  /// `index`; none for other ops.
  std::optional<Transfer> transfer(mlir::Operation *op, int64_t index = -1);
  /// What the processes of the machine send to each other in a collective, for
  /// all operands or only for operand `index`. Nothing for other ops, and on a
  /// machine without processes.
  ProcessTraffic traffic(mlir::Operation *op, int64_t index = -1);
  /// Bytes that a result takes in memory; 0 if it is fused into its users.
  double heldBytes(mlir::Value result);
  /// Time of one of `parts` equal parts of a contraction, which reads and
  /// writes this many bytes.
  double contractionSeconds(mlir::Operation *op, double parts, double bytes);
  /// The rate of an op that has operands or results.
  double operationsPerSecond(mlir::Operation *op) { return rates.of(op); }
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
  /// The axes of the groups; none if no axes have them.
  std::optional<AxisList> axesOf(mlir::Attribute groups, int64_t groupSize);
  const GroupPlacement &placementOf(mlir::Attribute groups, int64_t groupSize);
  Lanes lanesOfPairs(mlir::Attribute pairs);
  /// Adds the messages between processes of a collective.
  void addProcesses(mlir::Operation *op, int64_t index, Transfer &transfer);

  const MachineModel &machine;
  const Mesh &mesh;
  KernelPlaces *places;
  OperationRates rates;
  llvm::DenseMap<mlir::Attribute, Lanes> groupLanes, pairLanes;
  llvm::DenseMap<mlir::Attribute, std::optional<AxisList>> groupAxes;
  std::map<std::pair<const void *, int64_t>, GroupPlacement> placements;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_OP_COST_H
