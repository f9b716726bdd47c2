//===- apply_sharding_constraints.cc - apply constraints to inputs --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/sdy/unreduced_transition.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/propagate/reasons/debug_info.h"
#include "shardwright/rules/rule_attr.h"
#include "shardwright/rules/sharding_rule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright {

using sdy::ManualComputationOp;
using sdy::ShardingConstraintOp;
using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_APPLYSHARDINGCONSTRAINTS
#include "shardwright/propagate/passes.h.inc"

namespace {

/// The sharding that a use requires: of a constraint, or the in_sharding of a
/// manual computation; null for other uses.
TensorShardingAttr askedBy(OpOperand &use) {
  if (auto constraint = dyn_cast<ShardingConstraintOp>(use.getOwner()))
    return constraint.getShardingAttr();
  if (auto manual = dyn_cast<ManualComputationOp>(use.getOwner()))
    return manual.getInSharding(use.getOperandNumber());
  return nullptr;
}

bool isAsked(Value value, Operation *except = nullptr) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    return use.getOwner() != except &&
           isa<ShardingConstraintOp, ManualComputationOp>(use.getOwner());
  });
}

bool isFullyClosed(TensorShardingAttr sharding) {
  return llvm::all_of(
      sharding.getDimShardings(),
      [](sdy::DimensionShardingAttr d) { return d.getIsClosed(); });
}

bool canHoldSharding(Value value) {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  if (!shaped || !shaped.hasStaticShape())
    return false;
  auto arg = dyn_cast<BlockArgument>(value);
  return !arg || isa<FunctionOpInterface>(arg.getOwner()->getParentOp()) ||
         isa<sdy::ShardableDataFlowOpInterface>(arg.getOwner()->getParentOp());
}

/// True for a result or block argument of an op with data flow edges, or an
/// edge's result: its sources contribute to its sharding, so it must not simply
/// be set. Shardy of 0.10.2 sets the sharding of edges between functions.
bool isTargetOfEdge(Value value, ShardyVersion shardy) {
  if (value.getDefiningOp<sdy::DataFlowEdgeOp>())
    return true;
  if (value.getDefiningOp<sdy::FuncDataFlowEdgeOp>())
    return shardy >= ShardyVersion::Jaxlib0_12_0;
  sdy::ShardableDataFlowOpInterface op = sdy::getDataFlowOp(value);
  Value owner = op ? op.getEdgeOwnerFromTarget(value) : Value();
  return owner && sdy::DataFlowEdgeOp::lookup(owner);
}

/// True for null, and since 0.12 for a sharding that says nothing. Shardy takes
/// shardings of scalars as they are.
bool isOpenToAny(TensorShardingAttr sharding, ShardyVersion shardy) {
  if (!sharding)
    return true;
  return shardy >= ShardyVersion::Jaxlib0_12_0 && sharding.getRank() > 0 &&
         sharding.getReplicatedAxes().empty() &&
         sharding.getUnreducedAxes().empty() &&
         llvm::all_of(sharding.getDimShardings(),
                      [](sdy::DimensionShardingAttr d) {
                        return d.getAxes().empty() && !d.getIsClosed() &&
                               !d.getPriority();
                      });
}

/// True if `value` may take the sharding `asked`. Not if a reshard of the value
/// would then change the kind of unreduced axes (Shardy's verifier fails).
bool mayApply(Value value, TensorShardingAttr asked, ShardyVersion shardy) {
  return canHoldSharding(value) &&
         isOpenToAny(sdy::getSharding(value), shardy) && isFullyClosed(asked) &&
         llvm::all_of(value.getUses(), [&](OpOperand &use) {
           if (auto reshard = dyn_cast<sdy::ReshardOp>(use.getOwner()))
             return !sdy::changesKind(reshard, asked, reshard.getSharding());
           TensorShardingAttr other = askedBy(use);
           return !other || other == asked;
         });
}

class Applier {
public:
  /// `info` may be null.
  Applier(const llvm::DenseSet<Operation *> &bodies, ShardyVersion shardy,
          DebugInfo *info)
      : bodies(bodies), shardy(shardy), info(info) {}

  void run(ModuleOp module) {
    if (shardy < ShardyVersion::Jaxlib0_12_0) {
      module.walk([&](Operation *op) { visit(op); });
      return;
    }
    // The order is visible in recorded steps only.
    SymbolTable symbols(module);
    llvm::DenseSet<Operation *> visited;
    for (auto func : module.getOps<func::FuncOp>())
      visitCalleesFirst(func, symbols, visited);
  }

  void visit(Operation *op) {
    if (auto constraint = dyn_cast<ShardingConstraintOp>(op))
      visit(constraint);
    else if (auto manual = dyn_cast<ManualComputationOp>(op))
      for (OpOperand &operand : manual->getOpOperands())
        visit(manual, operand);
  }

private:
  void visitCalleesFirst(func::FuncOp func, SymbolTable &symbols,
                         llvm::DenseSet<Operation *> &visited) {
    if (!visited.insert(func).second)
      return;
    func.walk([&](func::CallOp call) {
      if (auto callee =
              symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr()))
        visitCalleesFirst(callee, symbols, visited);
    });
    func.walk([&](Operation *op) { visit(op); });
  }

  bool leavesFunction(Operation *user) const {
    return isa<func::ReturnOp>(user) && !bodies.contains(user->getParentOp());
  }

  /// For a chain of constraints x -> c -> ... -> t, of which each after c is
  /// the only user of the one before: later uses of x take t.
  void followChain(ShardingConstraintOp first) {
    Value x = first.getInput();
    if (x.getDefiningOp<ShardingConstraintOp>() || sdy::getSharding(x) ||
        isAsked(x, /*except=*/first))
      return;
    ShardingConstraintOp last = first;
    while (last->hasOneUse()) {
      auto next = dyn_cast<ShardingConstraintOp>(*last->user_begin());
      if (!next)
        break;
      last = next;
    }
    if (last == first || isAsked(last.getResult()))
      return;
    x.replaceUsesWithIf(last.getResult(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return user != first && !leavesFunction(user) &&
             user->getBlock() == last->getBlock() &&
             last->isBeforeInBlock(user);
    });
  }

  void visit(ShardingConstraintOp constraint) {
    followChain(constraint);
    Value x = constraint.getInput();
    TensorShardingAttr asked = constraint.getShardingAttr();
    if (!mayApply(x, asked, shardy))
      return;
    if (isTargetOfEdge(x, shardy)) {
      if (Operation *definer = x.getDefiningOp())
        constraint->moveAfter(definer);
      else
        constraint->moveBefore(x.getParentBlock(), x.getParentBlock()->begin());
      x.replaceAllUsesExcept(constraint.getResult(), constraint);
      shareUnreducedAxes(x, asked);
      return;
    }
    sdy::setSharding(x, asked);
    if (info)
      info->onApplied(constraint);
    attachRule(constraint);
  }

  void visit(ManualComputationOp manual, OpOperand &operand) {
    Value x = operand.get();
    TensorShardingAttr asked = manual.getInSharding(operand.getOperandNumber());
    if (!mayApply(x, asked, shardy))
      return;
    if (!isTargetOfEdge(x, shardy)) {
      sdy::setSharding(x, asked);
      return;
    }
    OpBuilder builder(manual);
    builder.setInsertionPointAfterValue(x);
    auto constraint = ShardingConstraintOp::create(builder, x.getLoc(),
                                                   x.getType(), x, asked);
    x.replaceAllUsesExcept(constraint.getResult(), constraint);
    shareUnreducedAxes(x, asked);
  }

  /// Unreduced axes do not propagate, so give them to the target directly.
  void shareUnreducedAxes(Value x, TensorShardingAttr asked) {
    if (asked.getUnreducedAxes().empty())
      return;
    sdy::setSharding(x, TensorShardingAttr::getFullyOpen(asked.getContext(),
                                                         asked.getRank(),
                                                         asked.getMeshOrRef())
                            .withUnreducedAxes(asked.getUnreducedAxes(),
                                               asked.getReductionOp()));
  }

  void attachRule(ShardingConstraintOp op) {
    if (op->hasAttr(sdy::kShardingRuleAttr))
      return;
    ShardingRule rule = identityRule(cast<ShapedType>(op.getType()).getShape());
    if (isStorable(rule, op))
      op->setDiscardableAttr(sdy::kShardingRuleAttr,
                             toAttr(rule, op->getContext()));
  }

  const llvm::DenseSet<Operation *> &bodies;
  ShardyVersion shardy;
  DebugInfo *info;
};

struct ApplyShardingConstraintsPass
    : impl::ApplyShardingConstraintsBase<ApplyShardingConstraintsPass> {
  using ApplyShardingConstraintsBase::ApplyShardingConstraintsBase;

  void runOnOperation() override {
    llvm::DenseSet<Operation *> none;
    if (!debugShardingOrigins && !debugPropagationEdgeSharding)
      return Applier(none, shardy, nullptr).run(getOperation());
    DebugInfo info(getOperation(),
                   {debugShardingOrigins, debugPropagationEdgeSharding});
    Applier(none, shardy, &info).run(getOperation());
    info.save();
  }
};

} // namespace

void applyShardingConstraints(ArrayRef<Operation *> ops,
                              const llvm::DenseSet<Operation *> &bodies,
                              ShardyVersion shardy) {
  Applier applier(bodies, shardy, nullptr);
  for (Operation *op : ops)
    applier.visit(op);
}

} // namespace shardwright
