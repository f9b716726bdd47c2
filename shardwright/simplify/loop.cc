//===- loop.cc - while ---------------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/evaluate.h"
#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/region.h"

#include "shardwright/dialect/stablehlo/control_flow.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

// True if a carried value has the same tensor type everywhere.
bool isCarried(WhileOp op, unsigned i) {
  Type type = op.getOperand()[i].getType();
  return isa<RankedTensorType>(type) && op.getResult(i).getType() == type &&
         op.getCond().getArgument(i).getType() == type &&
         op.getBody().getArgument(i).getType() == type &&
         op.getBody().front().getTerminator()->getOperand(i).getType() == type;
}

// Drops the carried values in `dead`. Their results, arguments and next values
// must be unused, except that the terminator may use the next values.
void dropCarried(WhileOp op, const llvm::SmallBitVector &dead,
                 RewriterBase &rewriter) {
  llvm::BitVector arguments(dead.size());
  SmallVector<Value> operands, yields;
  SmallVector<Type> types;
  Operation *terminator = op.getBody().front().getTerminator();
  for (unsigned i = 0; i < dead.size(); ++i) {
    if (dead.test(i)) {
      arguments.set(i);
      continue;
    }
    operands.push_back(op.getOperand()[i]);
    types.push_back(op.getResult(i).getType());
    yields.push_back(terminator->getOperand(i));
  }
  changeOperands(rewriter, terminator,
                 [&] { terminator->setOperands(yields); });
  rewriter.modifyOpInPlace(op, [&] {
    op.getCond().front().eraseArguments(arguments);
    op.getBody().front().eraseArguments(arguments);
  });
  auto smaller = WhileOp::create(rewriter, op.getLoc(), types, operands);
  smaller.getCond().takeBody(op.getCond());
  smaller.getBody().takeBody(op.getBody());
  unsigned next = 0;
  for (unsigned i = 0; i < dead.size(); ++i)
    if (!dead.test(i))
      rewriter.replaceAllUsesWith(op.getResult(i), smaller.getResult(next++));
  rewriter.eraseOp(op);
}

// The condition for the initial values, if these are constants.
std::optional<uint64_t> firstCondition(WhileOp op) {
  Block &cond = op.getCond().front();
  Value again = cond.getTerminator()->getOperand(0);
  DenseMap<Value, Element> known;
  auto lookup = [&](Value value) -> std::optional<Element> {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &cond)
      value = op.getOperand()[argument.getArgNumber()];
    if (!isPlain(value.getType()) || tensorOf(value).getRank() != 0)
      return std::nullopt;
    return splatOf(value);
  };
  // Only look at short conditions, since this is repeated often.
  constexpr unsigned kShort = 32;
  unsigned looked = 0;
  for (Operation &scalar : cond.without_terminator()) {
    if (++looked > kShort)
      return std::nullopt;
    if (scalar.getNumOperands() == 0)
      continue;
    SmallVector<Element> elements;
    for (Value operand : scalar.getOperands()) {
      std::optional<Element> element = lookup(operand);
      if (!element)
        break;
      elements.push_back(*element);
    }
    if (elements.size() != scalar.getNumOperands() ||
        scalar.getNumRegions() != 0)
      continue;
    Evaluator evaluate = evaluatorOf(&scalar);
    if (!evaluate || !scalar.hasTrait<OpTrait::Elementwise>())
      continue;
    if (std::optional<Element> element = evaluate(elements))
      known[scalar.getResult(0)] = *element;
  }
  std::optional<Element> result = lookup(again);
  return result ? std::optional(result->re) : std::nullopt;
}

LogicalResult neverRuns(WhileOp op, PatternRewriter &rewriter) {
  std::optional<uint64_t> again = firstCondition(op);
  if (!again || *again || op.getOperandTypes() != op.getResultTypes())
    return failure();
  for (Operation &scalar : op.getCond().front())
    if (!isMemoryEffectFree(&scalar))
      return failure();
  rewriter.replaceOp(op, op.getOperand());
  return success();
}

// Removes values that the body returns unchanged, and values that always equal
// an earlier one.
LogicalResult invariantValues(WhileOp op, PatternRewriter &rewriter) {
  unsigned n = op.getNumResults();
  Operation *terminator = op.getBody().front().getTerminator();
  llvm::SmallBitVector dead(n);
  auto substitute = [&](unsigned i, Value cond, Value body, Value result) {
    rewriter.replaceAllUsesWith(op.getCond().getArgument(i), cond);
    rewriter.replaceAllUsesWith(op.getBody().getArgument(i), body);
    rewriter.replaceAllUsesWith(op.getResult(i), result);
    dead.set(i);
  };
  DenseMap<std::pair<Value, Value>, unsigned> known;
  for (unsigned i = 0; i < n; ++i) {
    if (!isCarried(op, i))
      continue;
    Value init = op.getOperand()[i], next = terminator->getOperand(i);
    if (next == op.getBody().getArgument(i) || next == init) {
      substitute(i, init, init, init);
      continue;
    }
    auto [it, isNew] = known.try_emplace({init, next}, i);
    if (!isNew &&
        op.getResult(i).getType() == op.getResult(it->second).getType())
      substitute(i, op.getCond().getArgument(it->second),
                 op.getBody().getArgument(it->second),
                 op.getResult(it->second));
  }
  if (dead.none())
    return failure();
  dropCarried(op, dead, rewriter);
  return success();
}

// Removes values on which no result, condition, effect or live value depends.
LogicalResult deadValues(WhileOp op, RewriterBase &rewriter) {
  unsigned n = op.getNumResults();
  if (llvm::none_of(op.getResults(),
                    [](Value result) { return result.use_empty(); }))
    return failure();
  Block &cond = op.getCond().front(), &body = op.getBody().front();
  Operation *terminator = body.getTerminator();
  Needed inCond(cond), inBody(body);
  inCond.addEffects();
  inCond.add(cond.getTerminator()->getOperand(0));
  inBody.addEffects();
  llvm::SmallBitVector live(n), done(n);
  for (unsigned i = 0; i < n; ++i)
    if (!op.getResult(i).use_empty() || !isCarried(op, i))
      live.set(i);
  live |= inCond.neededArguments();
  live |= inBody.neededArguments();
  while (live != done) {
    for (unsigned i = 0; i < n; ++i)
      if (live.test(i) && !done.test(i)) {
        done.set(i);
        inBody.add(terminator->getOperand(i));
      }
    live |= inBody.neededArguments();
  }
  if (live.all())
    return failure();
  llvm::SmallBitVector dead = live;
  dead.flip();
  // Uses by dead ops are removed with them.
  SmallVector<Value> yields;
  for (unsigned i = 0; i < n; ++i)
    yields.push_back(live.test(i) ? terminator->getOperand(i)
                                  : op.getOperand()[i]);
  changeOperands(rewriter, terminator,
                 [&] { terminator->setOperands(yields); });
  inCond.eraseOthers(rewriter);
  inBody.eraseOthers(rewriter);
  dropCarried(op, dead, rewriter);
  return success();
}

} // namespace

bool dropDeadLoopValues(RewriterBase &rewriter, Operation *root) {
  SmallVector<WhileOp> loops;
  root->walk([&](WhileOp loop) { loops.push_back(loop); });
  bool changed = false;
  for (WhileOp loop : loops) {
    rewriter.setInsertionPoint(loop);
    changed |= !isFrozen(loop) && succeeded(deadValues(loop, rewriter));
  }
  return changed;
}

void addLoop(Patterns &patterns) {
  addRuleAny<WhileOp>(patterns, neverRuns);
  addRuleAny<WhileOp>(patterns, invariantValues);
}

} // namespace shardwright::simplifier
