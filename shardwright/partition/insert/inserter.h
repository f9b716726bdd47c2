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
//                           or a decision, given the layouts in which operands
//                           are at hand and results are wanted
//   apply  apply_plan.cc    rewrites the op by its OpPlan
//
// The propagated sharding of a result is what its users are expected to ask
// for. A result stays in the layout that its op makes until a user asks for
// another. clean-up: erase_unused.h.
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
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/partition/support/op_name_map.h"
#include "shardwright/rules/reducer.h"

namespace shardwright {

class Inserter {
public:
  /// `plan`, if not null, may have entries, which are followed; the Inserter
  /// adds those that it decides. Without a plan each op is decided and
  /// rewritten, and the decision forgotten. `observer` may be null. All must
  /// outlive the Inserter.
  Inserter(MeshTable &meshes, PlanMemo &memo, PlanObserver *observer,
           LayoutPlan *plan = nullptr)
      : meshes(meshes), versions(meshes, observer), memo(memo),
        observer(observer), plan(plan) {}

  /// Makes all communication explicit. Emits a diagnostic and fails on what
  /// cannot be partitioned. `found` is what inlineCalls() found.
  mlir::LogicalResult runOnFunction(mlir::func::FuncOp func,
                                    const InlinedOps &found);
  /// Delays and fuses reductions; to be called after runOnFunction.
  void improveReductions();
  /// Erases what nothing uses in blocks that were visited, last op first.
  void eraseUnused(mlir::Region &region);

private:
  // insert_walk.cc
  mlir::LogicalResult visitBlock(mlir::Block &block,
                                 llvm::ArrayRef<LayoutRef> returns);
  void note(mlir::Block::iterator begin, mlir::Block::iterator end,
            BlockOrder::Ops &ops);
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
  /// The attribute that callers and the runtime read for `layout`, which was
  /// made of `sharding`; null for none.
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
  /// Adds to the memo's question all that planByRule() depends on.
  void askMemo(mlir::Operation *op, llvm::ArrayRef<LayoutRef> wanted);
  OpPlan planByRule(mlir::Operation *op, llvm::ArrayRef<LayoutRef> wanted);
  /// Fills `problem` and the entries of `plan` that bring operands to its mesh.
  void placeOperands(mlir::Operation *op, OpPlan &plan, DecideProblem &problem);
  /// Says which operands move once for several runs of the op in loops.
  void amortizeMoves(mlir::Operation *op, int32_t mesh, DecideProblem &problem);
  /// Every device computes all of the op.
  OpPlan planReplicated(mlir::Operation *op);
  void remarkReplicated(mlir::Operation *op);
  /// Marks the operands that the op takes as partial sums because its results
  /// are wanted as such, and notes along which axes.
  void carrySums(mlir::Operation *op, DecideProblem &problem);
  /// What is wanted of result `i`, as far as this can be said on `mesh`.
  TensorSharding wantedOn(int32_t mesh, mlir::Operation *op, Layout want,
                          const DecideProblem &problem, int64_t i);
  /// How often the op runs for each time that an operand of it moves, in front
  /// of the loops that it comes from outside of; none where all move each time.
  llvm::SmallVector<int64_t, 3> timesMoved(mlir::Operation *op);
  /// The mesh that the op computes on: that of its largest sharded tensor.
  int32_t chooseMesh(mlir::Operation *op, llvm::ArrayRef<LayoutRef> wanted);
  /// The layout that propagation gave the value.
  LayoutRef propagated(mlir::Value value);
  /// The layout that users of the value are expected to ask for.
  LayoutRef wanted(mlir::Value value);

  // apply_plan.cc
  void applyPlan(mlir::Operation *op, const OpPlan &plan);
  void applyReplicated(mlir::Operation *op, const OpPlan &plan);
  /// Brings the operand into the layout. In loops, counts the bytes of what
  /// this gathers in front of them.
  void useIn(mlir::OpOperand &use, LayoutRef layout);
  LayoutRef beforeReduction(LayoutRef layout, int32_t mesh,
                            const SumResolution &resolution);
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
  ShardingReader shardings;
  /// Of the function that is visited.
  std::optional<WantedSums> wantedSums;
  /// The loops around the visited op, outermost first: their bodies, and trip
  /// counts where these are known.
  llvm::SmallVector<std::pair<mlir::Region *, std::optional<int64_t>>, 2> loops;
  /// Bytes of what was gathered in front of the outermost of them.
  double held = 0;
  /// Of what was made: ops that add up, those in a loop before the loop;
  /// collectives that reduce, and whether any other slices.
  llvm::SmallVector<mlir::Operation *> sums;
  llvm::SmallVector<sdy::AllReduceOp> reduces;
  bool scatters = false, slices = false;
  /// Values whose unreduced axes were asked for by a reshard or by the sharding
  /// of the op itself. The value may be summed already, if its op does not work
  /// on partial sums.
  llvm::SmallDenseSet<mlir::Value, 4> askedUnreduced;
  /// What a name says of its ops.
  struct NameTraits {
    /// They go to visitPlain().
    bool isPlain = false;
    bool mayHaveEffects = false;
    bool addsUp = false;
    bool isSdy = false;
    /// Their blocks are visited.
    bool isVisited = false;
  };
  NameTraits traitsOf(mlir::Operation *op);
  OpNameMap<NameTraits> traits;
  /// Where ops were before their visit, and, backwards, where they are after
  /// it.
  const BlockOrder *order = nullptr;
  BlockOrder backwards;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_INSERTER_H
