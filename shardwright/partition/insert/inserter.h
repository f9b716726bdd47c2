//===- inserter.h - inserts the collectives of one function -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order over a function. Three steps for each op:
//
//   walk   insert_walk.cc   visits blocks, loops, branches and manual
//                           computations, and replaces reshards
//   plan   plan_op.cc       finds the op's OpPlan: its entry in the LayoutPlan,
//                           or a decision, given the existing layouts of its
//                           operands and the wanted layouts of its results
//   apply  apply_plan.cc    rewrites the op by its OpPlan
//
// The propagated sharding of a result is the layout that its users are expected
// to need. A result stays in the layout in which its op computes it until a
// user needs another one. Clean-up: erase_unused.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_INSERTER_H
#define SHARDWRIGHT_PARTITION_INSERT_INSERTER_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/layout_plan.h"
#include "shardwright/partition/insert/plan_memo.h"
#include "shardwright/partition/insert/wanted_sums.h"
#include "shardwright/partition/layout/reshard_cache.h"
#include "shardwright/partition/layout/sharding_reader.h"
#include "shardwright/partition/ops/op_kernel.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/partition/support/op_name_map.h"
#include "shardwright/rules/reducer.h"

namespace shardwright {

class Inserter {
public:
  /// Follows the entries of `plan`, if not null, and adds an entry for each
  /// other op. Without a plan each op is decided and rewritten, and the
  /// decision dropped. `observer` and `costs`, which receives what the planner
  /// took the decisions to cost, may be null. All must outlive the Inserter.
  Inserter(MeshTable &meshes, PlanMemo &memo, PlanObserver *observer,
           LayoutPlan *plan = nullptr, PlannedCosts *costs = nullptr)
      : meshes(meshes), versions(meshes, observer, costs), memo(memo),
        observer(observer), plan(plan), costs(costs) {
    if (meshes.getCosts().machine)
      rates.emplace(*meshes.getCosts().machine);
  }

  /// Makes all communication explicit. Emits a diagnostic and fails if the
  /// function cannot be partitioned. `found` is the output of inlineCalls().
  mlir::LogicalResult runOnFunction(mlir::func::FuncOp func,
                                    const InlinedOps &found);
  /// Delays and fuses reductions. Call after runOnFunction.
  void improveReductions();
  /// Erases unused ops in visited blocks, last op first.
  void eraseUnused(mlir::Region &region);

private:
  // insert_walk.cc
  mlir::LogicalResult visitBlock(mlir::Block &block,
                                 llvm::ArrayRef<LayoutRef> returns);
  void note(mlir::Block::iterator begin, mlir::Block::iterator end);
  mlir::LogicalResult visit(mlir::Operation *op);
  void visitPlain(mlir::Operation *op);
  mlir::LogicalResult visitWhile(stablehlo::WhileOp op);
  mlir::LogicalResult visitBranches(mlir::Operation *op);
  mlir::LogicalResult visitManual(sdy::ManualComputationOp op);
  mlir::LogicalResult visitCollective(sdy::CollectiveOpInterface op);
  void visitReshard(mlir::Operation *op, mlir::Value input, mlir::Value result,
                    sdy::TensorShardingAttr sharding);
  void visitBarrier(stablehlo::OptimizationBarrierOp op);
  void visitSort(stablehlo::SortOp op);
  /// The layout of the first input that is not rematerializable.
  LayoutRef sortedLayout(stablehlo::SortOp sort);
  /// The sharding attribute of arguments and results for `layout`, derived from
  /// `sharding`; null for none.
  sdy::TensorShardingAttr settled(sdy::TensorShardingAttr sharding,
                                  const Layout &layout) const;

  // plan_op.cc
  /// The op's entry in the plan; decides if there is none.
  const OpPlan &planOf(mlir::Operation *op);
  const OpPlan *decideOp(mlir::Operation *op);
  /// The value's entry in the plan; calls `decide` if there is none.
  LayoutRef planOf(mlir::Value value, llvm::function_ref<LayoutRef()> decide) {
    if (!plan)
      return decide();
    LayoutRef &layout = plan->values[value];
    if (!layout)
      layout = decide();
    return layout;
  }
  /// Loops and branches: propagated layouts, with the sums that regions return.
  llvm::SmallVector<LayoutRef> planCarried(mlir::Operation *op);
  /// Adds to the memo's key all that planByRule() depends on.
  void askMemo(mlir::Operation *op, llvm::ArrayRef<LayoutRef> wanted);
  OpPlan planByRule(mlir::Operation *op, llvm::ArrayRef<LayoutRef> wanted);
  /// Fills `problem` and the entries of `plan` that move operands to its mesh.
  void placeOperands(mlir::Operation *op, OpPlan &plan, DecideProblem &problem);
  /// Sets the amortization factors of operands that move once for several runs
  /// of the op in loops.
  void amortizeMoves(mlir::Operation *op, int32_t mesh, DecideProblem &problem);
  /// The plan in which every device computes the full op.
  OpPlan planReplicated(mlir::Operation *op);
  void remarkReplicated(mlir::Operation *op);
  /// Marks the operands that the op takes as partial values because its results
  /// are wanted unreduced, and sets the axes.
  void carrySums(mlir::Operation *op, DecideProblem &problem);
  /// The wanted sharding of result `i`, as far as `mesh` can express it.
  TensorSharding wantedOn(int32_t mesh, mlir::Operation *op, Layout want,
                          const DecideProblem &problem, int64_t i);
  /// By operand: how often the op runs per move of the operand, which takes
  /// place in front of the loops that do not define it; empty if all operands
  /// move in each run.
  llvm::SmallVector<int64_t, 3> timesMoved(mlir::Operation *op);
  /// The mesh that the op computes on: that of its largest sharded tensor.
  int32_t chooseMesh(mlir::Operation *op, llvm::ArrayRef<LayoutRef> wanted);
  /// The layout that propagation gave the value.
  LayoutRef propagated(mlir::Value value);
  /// The layout that users of the value are expected to need.
  LayoutRef wanted(mlir::Value value);

  // apply_plan.cc
  void applyPlan(mlir::Operation *op, const OpPlan &plan);
  void applyReplicated(mlir::Operation *op, const OpPlan &plan);
  /// Reshards the operand to the layout. In loops, counts the bytes of hoisted
  /// gathers.
  void useIn(mlir::OpOperand &use, LayoutRef layout);
  LayoutRef beforeReduction(LayoutRef layout, int32_t mesh,
                            const SumResolution &resolution,
                            ReducerKind reducer);
  /// Reduces the partial result as planned and folds in `init`, which may be
  /// null, once.
  void complete(mlir::OpResult result, const OpPlan &plan, ReducerKind kind,
                mlir::Value init);
  void defineResults(mlir::Operation *op, llvm::ArrayRef<LayoutRef> layouts);
  /// Replicates the values of the uses in front of `user` (null: of the owners
  /// of the uses).
  void replicateOperands(llvm::MutableArrayRef<mlir::OpOperand> uses,
                         mlir::Operation *user = nullptr);
  /// Replicates the op's operands and what its regions use from outside.
  void replicateOperands(mlir::Operation *op);

  MeshTable &meshes;
  ReshardCache versions;
  PlanMemo &memo;
  PlanObserver *observer;
  LayoutPlan *plan;
  PlannedCosts *costs;
  /// Set if costs are seconds.
  std::optional<OperationRates> rates;
  ShardingReader shardings;
  /// For the current function.
  std::optional<WantedSums> wantedSums;
  /// The loops around the visited op, outermost first: their bodies, and trip
  /// counts if known.
  llvm::SmallVector<std::pair<mlir::Region *, std::optional<int64_t>>, 2> loops;
  /// Bytes gathered in front of the outermost loop.
  double held = 0;
  /// Created so far: ops that `addsUp`, those in a loop before the loop;
  /// all_reduces, and whether there are all_slices.
  llvm::SmallVector<mlir::Operation *> sums;
  llvm::SmallVector<sdy::AllReduceOp> reduces;
  bool scatters = false, slices = false;
  /// Values with unreduced axes that a reshard or the op's own sharding asks
  /// for. The value may be reduced already, if its op does not work on partial
  /// sums.
  llvm::SmallDenseSet<mlir::Value, 4> askedUnreduced;
  /// Properties of an op name.
  struct NameTraits {
    /// Ops that visitPlain() handles.
    bool isPlain = false;
    bool mayHaveEffects = false;
    bool addsUp = false;
    bool isSdy = false;
    /// Ops whose blocks are visited.
    bool isVisited = false;
  };
  NameTraits traitsOf(mlir::Operation *op);
  OpNameMap<NameTraits> traits;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_INSERTER_H
