//===- part_builder.h - reads ops into dense arrays -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the GraphPart of a function body that its calls share, or of the rest
// of the module. Each step has a file:
//
//   number_ops   numbers nodes and values
//   read_slots   finds the places that hold shardings, and reads them
//   read_rules   reads or builds the sharding rule of each op
//   read_wakes   lists the nodes to visit when a value changes
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_PART_BUILDER_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_PART_BUILDER_H

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/graph/graph.h"
#include "shardwright/propagate/graph/rule_table.h"

#include <optional>

namespace shardwright {

/// State that the builders of all parts share.
struct BuilderState {
  BuilderState(mlir::ModuleOp module, const OpIndex *index,
               PropagationGraph &graph);

  OpKind kindOf(mlir::Operation *op);
  /// The shardings of an op that stores them in its attribute `sdy.sharding`,
  /// as many as the attribute has.
  llvm::ArrayRef<ShardingId> shardingsOf(mlir::Operation *op);
  /// True if the op has its rule as an attribute.
  bool hasRuleAttr(mlir::Operation *op);

  mlir::ModuleOp module;
  PropagationGraph &graph;
  RuleTable &rules;
  /// Arrays of the current function, reused because they stay in the caches.
  GraphPart scratch;
  /// By callee symbol: calls in program order, except calls with spliced
  /// bodies.
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::func::CallOp, 2>>
      callsOf;
  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> funcOf;
  /// May be null.
  const OpIndex *index;
  bool ok = true;

private:
  /// The attributes of an op that the builders read; many ops share them.
  struct OpAttrs {
    llvm::SmallVector<ShardingId, 1> shardings;
    bool hasRule = false;
  };
  const OpAttrs &attrsOf(mlir::Operation *op);

  mlir::StringAttr shardingName, ruleName;
  llvm::DenseMap<mlir::OperationName, OpKind> kinds;
  llvm::DenseMap<mlir::DictionaryAttr, OpAttrs> attrs;
};

/// The op whose data flow the edge represents; null if the edge is not on the
/// owner: a program may contain such an edge, which relates nothing.
inline sdy::ShardableDataFlowOpInterface edgeOwner(sdy::DataFlowEdgeOp edge) {
  sdy::ShardableDataFlowOpInterface op = sdy::getDataFlowOp(edge.getInput());
  return op && op.getEdgeOwnerFromTarget(edge.getInput()) == edge.getInput()
             ? op
             : sdy::ShardableDataFlowOpInterface();
}

class PartBuilder {
public:
  /// `calls`: the calls of the part with spliced bodies.
  PartBuilder(BuilderState &state, GraphPart &part, FunctionBody *body,
              llvm::ArrayRef<SharedCall> calls)
      : state(state), graph(state.graph), part(part), body(body), calls(calls) {
  }

  /// Reserves memory for functions and their spliced bodies, as far as the
  /// index knows them, to avoid copies when arrays grow.
  void reserve(llvm::ArrayRef<mlir::func::FuncOp> funcs);
  /// Numbers an op and the ops nested in it, and checks the types.
  void number(mlir::Operation *op);
  void numberArguments(mlir::Block &block);
  /// All other steps; requires that all ops have numbers.
  void finish();
  ValueId idOf(mlir::Value value) const;

  /// Members of sharding groups.
  llvm::SmallVector<sdy::ShardingGroupOp> members;

private:
  /// A call of this part, and the start of the callee's arrays in ours.
  struct OwnSite {
    int32_t site, firstTensor, firstWake;
  };

  /// Null if no callee's body is spliced in at this op.
  const OwnSite *siteOf(mlir::Operation *op) const;
  void addValue(mlir::Type type);
  void splice(mlir::func::CallOp call, NodeId node, int32_t index);
  /// Calls fn(node, site or null) for the nodes outside of spliced bodies.
  template <typename Fn> void forOwnNodes(Fn fn);

  SlotId addSlot(mlir::Value value, ShardingId sharding,
                 llvm::ArrayRef<int64_t> shape);
  void addEdgeSlot(sdy::DataFlowEdgeOp edge, ValueId owner);
  void addSlots(NodeId n);
  void addSlotsOfDataFlowOp(sdy::ShardableDataFlowOpInterface op);
  void addSlotsOfResults(NodeId n);
  void addSlotsOfBody();

  void addRule(NodeId n);
  void addOperands(NodeId n);
  void addEdgeRule(NodeId n, llvm::ArrayRef<ValueId> sources);
  bool addCallEdge(NodeId n, sdy::DataFlowEdgeOp edge);
  void addDataFlowEdge(NodeId n, sdy::DataFlowEdgeOp edge);
  llvm::SmallVector<ValueId> sourcesOf(sdy::FuncDataFlowEdgeOp edge);
  void connect(const OwnSite &own);

  void addWakes(mlir::Value value, ValueId id, NodeId definer);
  void addWakes();
  void wake(NodeId node);
  void wakeUse(mlir::OpOperand &use);
  void wakeUsers(mlir::Value value);

  BuilderState &state;
  PropagationGraph &graph;
  GraphPart &part;
  FunctionBody *body;
  /// The first calls have their index in `ownSites`.
  llvm::ArrayRef<SharedCall> calls;
  llvm::SmallVector<OwnSite> ownSites;
  /// The last user of the value; stored here until the value gets its wakes.
  static NodeId &lastUser(GraphValue &value) { return value.wakes.begin; }
};

constexpr llvm::StringLiteral kExecutionThread = "execution_thread";

template <typename Fn> void PartBuilder::forOwnNodes(Fn fn) {
  const OwnSite *next = ownSites.begin();
  for (NodeId n = 0, e = part.nodes.size(); n < e;) {
    if (next != ownSites.end() && part.sites[next->site].node == n) {
      fn(n, next++);
      n = part.nodes[n].subtreeEnd;
    } else {
      fn(n, static_cast<const OwnSite *>(nullptr));
      ++n;
    }
  }
}

/// Copies the lists of a part to one block of memory.
void store(GraphPart &part, FunctionBody &body, PropagationGraph &graph);

/// A value's shape if propagation can shard it.
std::optional<llvm::ArrayRef<int64_t>> staticShape(mlir::Type type);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_PART_BUILDER_H
