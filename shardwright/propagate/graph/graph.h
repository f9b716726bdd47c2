//===- graph.h - a module as dense arrays, for propagation ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation reads the module once into this graph, works on numbers, and
// writes the changed shardings back once.
//
//   value  an SSA value, or the result of a function
//   slot   a place that holds a sharding; the targets of a data flow edge (a
//          while's result, its block arguments) share the slot of its edge op
//   node   an op; its tensors are those that its sharding rule relates. For a
//          data flow edge they are the edge's sources and the edge's result.
//
// Slots and nodes are numbered in program order (pre-order).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_GRAPH_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_GRAPH_H

#include "shardwright/propagate/graph/sharding_table.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/index/op_map.h"
#include "shardwright/propagate/step/factor_propagation.h"
#include "shardwright/rules/propagation_traits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/Allocator.h"

#include <functional>
#include <vector>

namespace shardwright {

/// An array that grows with realloc, which moves the pages of a large array
/// instead of copying them.
template <typename T> using Array = llvm::SmallVector<T, 0>;

using ValueId = int32_t;
using SlotId = int32_t;
using NodeId = int32_t;
using RuleId = int32_t;

/// The sharding of a manual_computation's edge as its sources see it: from
/// outside for a block argument, from inside for a result.
struct ManualEdge {
  /// Axes of the mesh that are manual.
  llvm::SmallVector<int32_t, 4> manualAxes;
  /// in_shardings or out_shardings entry, with manual axes.
  ShardingId outer = kNoSharding;
  bool isBlockArgument = false;
};

/// How the graph treats an op.
enum class OpKind : uint8_t {
  /// Stores its shardings in an attribute; its rule comes from the interface.
  Plain,
  /// An op of our dialect; its sharding may be a property.
  Sdy,
  Func,
  Call,
  Terminator,
  GroupMember,
  Barrier,
  DataFlowEdge,
  FuncDataFlowEdge,
  /// Its values have data flow edges.
  DataFlow,
};

struct Node {
  mlir::Operation *op = nullptr;
  /// The op's own operands, in GraphPart::tensorValues.
  int32_t firstOperand = 0;
  int32_t numOperands = 0;
  /// One past the last node nested in the op.
  NodeId subtreeEnd = 0;
  /// First of the op's results, which are consecutive.
  ValueId firstResult = 0;
  int32_t numResults = 0;
  /// Index in GraphPart::manualEdges, or -1.
  int32_t manualEdge = -1;
};

/// The data of a node that a visit reads, stored separately so that more nodes
/// fit into the caches.
struct NodeRule {
  /// The rule; -1 if the op has none.
  RuleId rule = -1;
  /// Index in GraphPart::tensorValues: operands, then results of the rule.
  int32_t firstTensor = 0;
  int32_t numTensors = 0;
  Schedule schedule = Schedule::ByFactor;
  Direction fixedDirection = Direction::Both;
  OpKind kind = OpKind::Plain;
  bool isElementwise : 1 = false;
  /// Edges and barriers do not store their rule in an attribute.
  bool isAttribute : 1 = false;
  /// Node::manualEdge is set.
  bool isManualEdge : 1 = false;
};
static_assert(sizeof(Node) == 32 && sizeof(NodeRule) == 16);

struct Slot {
  ShardingId initial = kNoSharding;
  /// Other slots of the same op, written together (fully open if missing).
  SlotId firstSibling = -1;
  int32_t numSiblings = 0;
  int32_t rank : 31 = 0;
  /// The edge of a shared function's argument or of its call's result.
  bool isCallEdge : 1 = false;
  /// The value to write to; null for a function's result.
  mlir::Value value;
};

/// A range of GraphPart::wakes.
struct Wakes {
  int32_t begin = 0, end = 0;
};

struct GraphValue {
  SlotId slot = -1;
  /// The value whose `wakes` apply when this one changes: for a target of an
  /// edge the edge op's result, or the owner if there is no edge op; otherwise
  /// itself.
  ValueId notifies = -1;
  /// The nodes to visit when the value's sharding changes, in queue order.
  Wakes wakes;
  /// Decreases as dead ops are removed.
  int32_t numUses : 31 = 0;
  bool isScalar : 1 = false;
};

/// A call whose callee's body is spliced into the graph: the body's nodes
/// follow the call's node; its values (arguments first) and slots are
/// consecutive.
struct CallSite {
  mlir::func::CallOp call;
  /// Index in PropagationGraph::bodies.
  int32_t body = -1;
  /// The site whose body contains this call, or -1.
  int32_t parent = -1;
  NodeId node = 0;
  ValueId firstValue = 0;
  SlotId firstSlot = 0;
  /// The call's `execution_thread`, or null.
  mlir::Attribute executionThread;
};

/// The graph of a function body, or of the rest of the module. Ids are relative
/// to its first.
template <template <typename> typename List> struct GraphLists {
  List<Node> nodes;
  /// By node.
  List<NodeRule> nodeRules;
  List<ValueId> tensorValues;

  List<GraphValue> values;
  List<NodeId> wakes;

  List<Slot> slots;
  /// In program order.
  List<CallSite> sites;
  /// Slots below this one belong to the bodies of callees.
  SlotId firstOwnSlot = 0;

  ValueId numValues() const { return values.size(); }
};

struct GraphPart : GraphLists<Array> {
  std::vector<ManualEdge> manualEdges;

  void clear();
};

/// A view of a finished part, whose arrays no longer move.
using GraphView = GraphLists<llvm::MutableArrayRef>;
GraphView viewOf(GraphPart &part);

/// A function that is read once for all of its calls. Its lists are stored
/// close together in PropagationGraph::storage, since there may be many
/// functions.
struct FunctionBody : GraphView {
  std::vector<ManualEdge> manualEdges;
  mlir::func::FuncOp func;
  /// By argument: its edge op's result and where its source, the call's
  /// operand, goes in tensorValues; -1 if there is no edge.
  llvm::SmallVector<ValueId, 4> argumentEdge;
  llvm::SmallVector<int32_t, 4> argumentSource;
  /// By result: the value returned.
  llvm::SmallVector<ValueId, 2> returned;
  /// By result: the owner of the edge that returns it: an argument, or a result
  /// of the call with this index in `sites`; -1: neither.
  struct EdgeOwner {
    int32_t argument = -1, site = -1;
    int32_t result = -1;
  };
  llvm::SmallVector<EdgeOwner, 2> returnedEdge;
  /// The attributes of the function before propagation:
  /// `sdy.original_func_name` or its name, `execution_thread`, the shardings of
  /// its arguments (all or none).
  mlir::StringAttr originalName;
  mlir::Attribute executionThread;
  llvm::SmallVector<ShardingId, 4> argumentShardings;
  /// Indices in `wakes` reserved for the edge op of a call's result.
  llvm::SmallVector<std::pair<int32_t, int32_t>, 2> resultWakes;
};

/// A result of a function: its attribute, and the returned value.
struct FuncResult {
  mlir::func::FuncOp func;
  int32_t index = 0;
  SlotId slot = -1;
  /// -1: the function has no return.
  ValueId returned = -1;
  RuleId rule = -1;
  bool isMain = false;
};

class RuleTable;
class StepCache;
/// engine/propagation_tables.h.
struct PropagationTables;

struct PropagationGraph : GraphPart {
  /// The tables must outlive the graph.
  explicit PropagationGraph(PropagationTables &tables);

  ShardingTable &shardings;
  std::vector<FactorLayout> &rules;
  RuleTable &ruleTable;
  StepCache &steps;
  /// In the order of SharedCalls::functions.
  std::vector<FunctionBody> bodies;
  llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, 1 << 18, 1 << 18> storage;

  /// By slot: the sharding during propagation.
  Array<ShardingId> current;
  /// By index in tensorValues; -1: the value has no slot.
  Array<SlotId> tensorSlots;

  /// Members, in program order.
  std::vector<llvm::SmallVector<ValueId, 2>> groups;
  /// As in Shardy, only a change of the member itself spreads to its group, not
  /// a change of another value that shares its slot.
  llvm::DenseMap<ValueId, int32_t> groupOfValue;
  std::vector<FuncResult> funcResults;
  /// The ops of the module that are not functions with a shared body.
  std::vector<mlir::Operation *> rootOps;

  std::vector<NodeId> deadNodes;
  /// Ops that had a rule attribute.
  std::vector<mlir::Operation *> opsWithRule;

  /// Numbers of ops outside of bodies, or relative to the first op of their
  /// body.
  struct OpNumber {
    NodeId node = 0;
    ValueId firstResult = 0;
  };
  OpMap<OpNumber> numberOf;
  NodeId nodeOf(mlir::Operation *op) const { return numberOf.lookup(op).node; }
  llvm::DenseMap<mlir::Block *, ValueId> firstArgument;

  /// Innermost site whose body holds the node, or -1.
  int32_t siteOf(NodeId node) const;
};

/// A call whose callee's body is spliced into the graph.
struct SharedCall {
  mlir::func::CallOp op;
  /// Index in SharedCalls::functions. (The op may name another function.)
  int32_t body;
};

struct SharedFunction {
  mlir::func::FuncOp op;
  /// In program order.
  llvm::ArrayRef<SharedCall> calls;
};

/// The functions whose bodies are spliced into the graph at their calls
/// (share_call_bodies.h).
struct SharedCalls {
  /// Callees first.
  llvm::ArrayRef<SharedFunction> functions;
  /// All other ops of the module, in order, and the calls in them.
  llvm::ArrayRef<mlir::Operation *> roots;
  llvm::ArrayRef<SharedCall> rootCalls;
  /// Called with the index of each function before it is read.
  std::function<void(int32_t)> prepare;
};

/// Reads the module; `shared` null: no bodies are shared. `index` may be null,
/// and may omit ops that no step looks up. Fails with a diagnostic if a result
/// has no static shape.
llvm::LogicalResult buildGraph(mlir::ModuleOp module, const OpIndex *index,
                               const SharedCalls *shared,
                               PropagationGraph &graph);

struct EngineOptions;
/// Propagates until nothing changes. Leaves dead ops in the module and sorts
/// `deadNodes` in descending order. Observers see no bodies.
void propagateInGraph(PropagationGraph &graph, const EngineOptions &options);

/// Writes the shardings of the changed slots, except those of bodies.
void writeShardings(PropagationGraph &graph);

/// The view of a stored sharding from the edge's sources, see ManualEdge.
ShardingId toSourceView(ShardingTable &table, const ManualEdge &edge,
                        ShardingId stored);
ShardingId toStoredView(ShardingTable &table, const ManualEdge &edge,
                        ShardingId atSources);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_GRAPH_H
