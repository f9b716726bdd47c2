//===- constant_or_scalar_splitter.cc - copy constants for each use -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/index/op_map.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_CONSTANTORSCALARSPLITTER
#include "shardwright/propagate/passes.h.inc"

namespace {

bool isRankZero(Type type) {
  // Nearly all types; the search for the interface is slow.
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getRank() == 0;
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (shaped.hasRank() && shaped.getRank() == 0);
}

/// The value of a constant that sdy.constant may replace; null for other ops.
ElementsAttr replaceableConstant(Operation *op) {
  ElementsAttr value;
  if (op->getNumOperands() == 0 && op->hasTrait<OpTrait::ConstantLike>() &&
      getPropagationTraits(op).becomesSdyConstant)
    matchPattern(op, m_Constant(&value));
  return value;
}

class Splitter {
public:
  Splitter(ModuleOp module, const CallsByFunction &calls)
      : module(module), calls(calls) {}

  /// Set if calls, named computations or constraints were copied or erased.
  bool callsChanged = false, constraintsChanged = false;

  void run(func::FuncOp func, bool hasNamedComputations) {
    // Bodies of named computations stand for calls, so they come first.
    if (hasNamedComputations)
      func.walk([&](sdy::NamedComputationOp op) {
        preservingBodies[op] = splitRegion(op.getBody());
      });
    preservingBodies[func] = splitRegion(func.getBody());
  }

private:
  /// True if the op maps constants to a constant that is worth copying.
  bool isPreserving(Operation *op) const {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      func::FuncOp callee = calls.calleeOf(call);
      return callee && preservingBodies.lookup(callee);
    }
    if (isa<sdy::NamedComputationOp>(op))
      return preservingBodies.lookup(op);
    return getPropagationTraits(op).preservesConstants && isPure(op);
  }

  static bool isCall(Operation *op) {
    return isa<func::CallOp, sdy::NamedComputationOp>(op);
  }

  bool isConstant(Operation *op) const {
    if (!llvm::all_of(op->getOperands(), [&](Value operand) {
          Operation *definer = operand.getDefiningOp();
          return definer && kinds.lookup(definer) == Kind::Constant;
        }))
      return false;
    if (op->getNumOperands() == 0 && getPropagationTraits(op).makesConstant)
      return true;
    return isPreserving(op);
  }

  static bool isScalarExpansion(Operation *op) {
    return op->getNumOperands() > 0 &&
           isRankZero(op->getOperand(0).getType()) &&
           getPropagationTraits(op).expandsScalar;
  }

  /// Splits constants in the region, except in named computations. Returns true
  /// if all ops in it preserve constants.
  bool splitRegion(Region &region) {
    bool preserving = true;
    SmallVector<Operation *> candidates;
    // Copies are inserted before their originals, so the walk does not visit
    // them.
    auto visit = [&](Operation *op) {
      if (isConstant(op)) {
        kinds[op] = Kind::Constant;
        candidates.push_back(op);
        // Or a constraint in a named computation, which is copied with it.
        constraintsChanged |=
            isa<sdy::ShardingConstraintOp, sdy::NamedComputationOp>(op);
        return;
      }
      // Groups follow the values that they name.
      if (isa<sdy::ShardingGroupOp>(op))
        return;
      if (preserving && !op->hasTrait<OpTrait::IsTerminator>() &&
          !isPreserving(op))
        preserving = false;
      if (isScalarExpansion(op)) {
        kinds[op] = Kind::Expansion;
        candidates.push_back(op);
        return;
      }
      for (OpOperand &operand : op->getOpOperands())
        if (Operation *definer = operand.get().getDefiningOp())
          if (kinds.lookup(definer) != Kind::Other) {
            IRMapping mapping;
            operand.set(cloneFor(operand.get(), mapping));
          }
    };
    region.walk<WalkOrder::PreOrder>([&](Operation *op) {
      visit(op);
      return isa<sdy::NamedComputationOp>(op) ? WalkResult::skip()
                                              : WalkResult::advance();
    });
    for (Operation *op : llvm::reverse(candidates)) {
      if (!llvm::all_of(op->getUsers(), llvm::IsaPred<sdy::ShardingGroupOp>))
        continue;
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        user->erase();
      kinds[op] = Kind::Other;
      callsChanged |= isCall(op);
      op->erase();
    }
    return preserving;
  }

  /// Clones the computation of `value`; values shared within one computation
  /// stay shared in the clone.
  Value cloneFor(Value value, IRMapping &mapping) {
    Operation *op = value.getDefiningOp();
    if (!op || isRankZero(value.getType()) || kinds.lookup(op) == Kind::Other)
      return value;
    if (Value copy = mapping.lookupOrNull(value))
      return copy;
    for (Value operand : op->getOperands())
      mapping.map(operand, cloneFor(operand, mapping));
    OpBuilder builder(op);
    Operation *clone = builder.clone(*op, mapping);
    callsChanged |= isCall(op);
    if (auto call = dyn_cast<func::CallOp>(clone))
      if (func::FuncOp callee = calls.calleeOf(call)) {
        if (!symbols)
          symbols.emplace(module);
        call.setCalleeAttr(FlatSymbolRefAttr::get(
            cloneFuncRecursively(callee, *symbols).getSymNameAttr()));
      }
    SmallVector<Operation *> groups;
    for (Operation *user : value.getUsers())
      if (isa<sdy::ShardingGroupOp>(user))
        groups.push_back(user);
    for (Operation *group : groups)
      builder.clone(*group, mapping);
    return mapping.lookup(value);
  }

  ModuleOp module;
  const CallsByFunction &calls;
  /// Created when the first function is copied.
  std::optional<SymbolTable> symbols;
  enum class Kind : uint8_t { Other, Constant, Expansion };
  OpMap<Kind> kinds;
  llvm::DenseMap<Operation *, bool> preservingBodies;
};

struct ConstantOrScalarSplitterPass
    : impl::ConstantOrScalarSplitterBase<ConstantOrScalarSplitterPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const auto &contents = getAnalysis<ModuleContents>();
    auto &index = getAnalysis<OpIndex>();
    auto isConstantLike = [](OperationName name) {
      return name.hasTrait<OpTrait::ConstantLike>();
    };
    for (Operation *op : index.inOrder(isConstantLike)) {
      ElementsAttr value = replaceableConstant(op);
      if (!value)
        continue;
      OpBuilder builder(op);
      auto constant = sdy::ConstantOp::create(
          builder, op->getLoc(), op->getResult(0).getType(), value);
      constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op->replaceAllUsesWith(constant.getOperation());
      op->erase();
    }
    const auto &calls = getAnalysis<CallsByFunction>();
    FailureOr<SmallVector<int32_t>> order = calls.callersFirst();
    if (failed(order))
      return signalPassFailure();
    Splitter splitter(module, calls);
    for (int32_t i : llvm::reverse(*order))
      if (const auto &func = calls.functions()[i]; !func.isExternal)
        splitter.run(func.op, contents.namedComputations);
    markAnalysesPreserved<ModuleContents>();
    if (splitter.callsChanged || splitter.constraintsChanged)
      return;
    // Ops of other names may have been copied or erased.
    index.forget([](OperationName name) {
      return !hasDataFlow(name) &&
             !isNamed<func::FuncOp, func::CallOp, sdy::ShardingConstraintOp>(
                 name);
    });
    index.forgetUnary();
    markAnalysesPreserved<OpIndex>();
  }
};

} // namespace
} // namespace shardwright
