//===- user_ops.cc - the ops of a module as it was read -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/user_ops.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/trip_count.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace shardwright {
namespace {

using Times = std::optional<int64_t>;

Times product(Times a, Times b) {
  int64_t result;
  if (!a || !b || llvm::MulOverflow(*a, *b, result))
    return std::nullopt;
  return result;
}

Times sum(Times a, Times b) {
  int64_t result;
  if (!a || !b || llvm::AddOverflow(*a, *b, result))
    return std::nullopt;
  return result;
}

/// How often functions run in one step.
class CallCounts {
public:
  explicit CallCounts(ModuleOp module) {
    module.walk([&](func::CallOp call) {
      if (auto caller = call->getParentOfType<func::FuncOp>())
        calls[call.getCallee()].push_back(call);
    });
    main = sdy::getMainFunc(module);
  }

  Times ofFunction(func::FuncOp func) {
    if (func == main)
      return 1;
    auto [it, isNew] = known.try_emplace(func, std::nullopt);
    if (!isNew)
      return it->second; // unknown while it is computed: a recursive call
    Times total = 0;
    for (Operation *call : calls.lookup(func.getSymName()))
      total = sum(total, ofOp(call));
    return known[func] = total;
  }

  /// Branches of conditionals count as if all of them ran.
  Times ofOp(Operation *op) {
    Times times = 1;
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp()) {
      if (auto func = dyn_cast<func::FuncOp>(parent))
        return product(times, ofFunction(func));
      if (isa<stablehlo::WhileOp>(parent))
        times = product(times, knownTripCount(parent));
    }
    return times;
  }

private:
  func::FuncOp main;
  llvm::StringMap<SmallVector<Operation *, 2>> calls;
  llvm::DenseMap<Operation *, Times> known;
};

bool isListed(Operation *op) {
  return !isa<ModuleOp, func::FuncOp, sdy::MeshOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

} // namespace

UserOps::UserOps(ModuleOp asRead, const UserValues &user)
    : definingOp(user.all().size(), -1) {
  CallCounts counts(asRead);
  llvm::DenseMap<Operation *, int32_t> numbers;
  // The times of all ops of a block are equal.
  llvm::DenseMap<Block *, Times> timesOf;
  asRead.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isListed(op))
      return;
    auto number = int32_t(ops.size());
    numbers[op] = number;
    auto [times, isNew] = timesOf.try_emplace(op->getBlock());
    if (isNew)
      times->second = counts.ofOp(op);
    UserOp &row =
        ops.emplace_back(UserOp{.op = op->getName().getStringRef().str(),
                                .location = op->getLoc(),
                                .times = times->second});
    if (auto func = op->getParentOfType<func::FuncOp>())
      row.function = func.getSymName();
    if (auto parent = numbers.find(op->getParentOp()); parent != numbers.end())
      row.parent = parent->second;
    for (Value operand : op->getOperands())
      if (int32_t id = user.idOf(operand); id >= 0)
        row.operands.push_back(id);
    for (Value result : op->getResults())
      if (int32_t id = user.idOf(result); id >= 0) {
        row.results.push_back(id);
        row.location = user.all()[id].location;
        definingOp[id] = number;
      }
  });
  func::FuncOp main = sdy::getMainFunc(asRead);
  if (main && !main.isDeclaration())
    for (Value value : main.getBody().back().getTerminator()->getOperands())
      returnedValues.push_back(user.idOf(value));
}

} // namespace shardwright
