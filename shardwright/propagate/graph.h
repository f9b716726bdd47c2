//===- graph.h - a module as dense arrays, for propagation ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation reads the module once into this form, works on numbers, and
// writes what changed back once.
//
//   value  an SSA value, or the result of a function
//   slot   a place that holds a sharding; the targets of a data flow edge (a
//          while's result, its block arguments) share the slot of its edge op
//   node   an op; its tensors are what its sharding rule relates. For a data
//          flow edge these are the edge's sources and the edge's result.
//
// Slots and nodes are numbered in program order (pre-order).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_H

#include "shardwright/propagate/factor_propagation.h"
#include "shardwright/propagate/sharding_table.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace shardwright {

using ValueId = int32_t;
using SlotId = int32_t;
using NodeId = int32_t;
using RuleId = int32_t;

/// When op priority lets axes through an op (sdy-op-priority-propagate).
enum class Schedule : uint8_t {
  /// Like an identity: elementwise, reshape, transpose, edges. First.
  PassThroughOp,
  /// dynamic_slice, dynamic_update_slice: forward first.
  ForwardFirst,
  /// broadcast_in_dim: forward last.
  BackwardFirst,
  /// By the kind of the factor.
  ByFactor,
  /// Always as `fixedDirection` says (barriers).
  Fixed,
};

/// How the sharding of a manual_computation's edge looks from its sources:
/// outside of it for a block argument, inside for a result.
struct ManualEdge {
  /// Axes of the mesh that are manual.
  llvm::SmallVector<int32_t, 4> manualAxes;
  /// in_shardings or out_shardings entry, with manual axes.
  ShardingId outer = kNoSharding;
  bool isBlockArgument = false;
};

struct Node {
  mlir::Operation *op = nullptr;
  /// -1: nothing propagates through the op.
  RuleId rule = -1;
  /// Into PropagationGraph::tensorValues: operands, then results of the rule.
  int32_t firstTensor = 0;
  int32_t numTensors = 0;
  /// One past the last node nested in the op.
  NodeId subtreeEnd = 0;
  /// First of the op's results, which are consecutive.
  ValueId firstResult = 0;
  /// Into PropagationGraph::manualEdges, or -1.
  int32_t manualEdge = -1;
  Schedule schedule = Schedule::ByFactor;
  Direction fixedDirection = Direction::Both;
  bool isElementwise = false;
  /// Rules of edges and barriers are no attribute of their op.
  bool ruleIsAttribute = false;
};

struct Slot {
  ShardingId initial = kNoSharding;
  ShardingId current = kNoSharding;
  /// Value to write to; null for a function's result.
  mlir::Value value;
  /// Other slots of the same op: written together (fully open where missing).
  SlotId firstSibling = -1;
  int32_t numSiblings = 0;
  int32_t rank = 0;
};

/// A result of a function: its attribute, and what the function returns there.
struct FuncResult {
  mlir::func::FuncOp func;
  int32_t index = 0;
  SlotId slot = -1;
  /// -1: the function has no return.
  ValueId returned = -1;
  RuleId rule = -1;
  bool isMain = false;
};

struct PropagationGraph {
  explicit PropagationGraph(mlir::ModuleOp module) : shardings(module) {}

  ShardingTable shardings;
  std::vector<FactorLayout> rules;
  std::vector<Node> nodes;
  std::vector<ValueId> tensorValues;
  std::vector<ManualEdge> manualEdges;

  /// By value.
  std::vector<SlotId> slotOfValue;
  /// Number of uses; goes down when dead ops go.
  std::vector<int32_t> numUses;
  /// wakes[wakesBegin[v]..wakesBegin[v + 1]]: the nodes to visit when the
  /// value's sharding changed, in the order in which they are queued.
  std::vector<int32_t> wakesBegin;
  std::vector<NodeId> wakes;
  /// The value whose `wakes` count when this one changes: for a target of an
  /// edge the edge op's result, or the owner if there is no edge op; else
  /// itself.
  std::vector<ValueId> notifies;

  std::vector<Slot> slots;
  /// Members, in program order.
  std::vector<llvm::SmallVector<ValueId, 2>> groups;
  /// Only a change of the member itself spreads to its group, not one of
  /// another value that shares its slot: Shardy's.
  llvm::DenseMap<ValueId, int32_t> groupOfValue;
  std::vector<FuncResult> funcResults;

  std::vector<mlir::Operation *> deadOps;

  ValueId idOf(mlir::Value value) const;
  llvm::DenseMap<mlir::Operation *, NodeId> nodeOf;
  llvm::DenseMap<mlir::Block *, ValueId> firstArgument;
};

struct GraphOptions {
  bool conservative = false;
};

/// Reads the module. Fails with a diagnostic where a result has no static
/// shape.
llvm::LogicalResult buildGraph(mlir::ModuleOp module,
                               const GraphOptions &options,
                               PropagationGraph &graph);

/// Writes the shardings of the slots that changed.
void writeShardings(PropagationGraph &graph);

/// How a rule looks on an op's edges, see ManualEdge.
ShardingId toSourceView(ShardingTable &table, const ManualEdge &edge,
                        ShardingId stored);
ShardingId toStoredView(ShardingTable &table, const ManualEdge &edge,
                        ShardingId atSources);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_H
