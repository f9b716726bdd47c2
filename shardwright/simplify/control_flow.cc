//===- control_flow.cc - if, case, tuples --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/region.h"

#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/elementwise.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

// Replaces the op by the ops of the branch.
LogicalResult inlineBranch(PatternRewriter &rewriter, Operation *op,
                           Region &branch) {
  Block &block = branch.front();
  Operation *terminator = block.getTerminator();
  if (terminator->getOperandTypes() != op->getResultTypes())
    return failure();
  SmallVector<Value> results(terminator->getOperands());
  rewriter.eraseOp(terminator);
  rewriter.inlineBlockBefore(&block, op);
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult constantIf(IfOp op, PatternRewriter &rewriter) {
  auto pred =
      isPlain(op.getPred().getType()) ? splatOf(op.getPred()) : std::nullopt;
  if (!pred)
    return failure();
  return inlineBranch(rewriter, op,
                      pred->re ? op.getTrueBranch() : op.getFalseBranch());
}

// An index out of range selects the last branch.
LogicalResult constantCase(CaseOp op, PatternRewriter &rewriter) {
  size_t n = op.getBranches().size();
  if (n == 1)
    return inlineBranch(rewriter, op, op.getBranches().front());
  auto index =
      isPlain(op.getIndex().getType()) ? splatOf(op.getIndex()) : std::nullopt;
  if (!index || n == 0)
    return failure();
  return inlineBranch(rewriter, op,
                      op.getBranches()[std::min<uint64_t>(index->re, n - 1)]);
}

// if(not p) swaps the branches.
LogicalResult invertedIf(IfOp op, PatternRewriter &rewriter) {
  auto inverse = definedBy<NotOp>(op.getPred());
  if (!inverse)
    return failure();
  auto swapped = IfOp::create(rewriter, op.getLoc(), op->getResultTypes(),
                              inverse.getOperand());
  swapped.getTrueBranch().takeBody(op.getFalseBranch());
  swapped.getFalseBranch().takeBody(op.getTrueBranch());
  rewriter.replaceOp(op, swapped);
  return success();
}

// Removes results that all branches take from outside, and unused results.
LogicalResult branchResults(Operation *op, PatternRewriter &rewriter) {
  SmallVector<Operation *> terminators;
  for (Region &region : op->getRegions())
    terminators.push_back(region.front().getTerminator());
  if (terminators.empty())
    return failure();
  bool changed = false;
  llvm::SmallBitVector dead(op->getNumResults());
  for (OpResult result : op->getResults()) {
    unsigned i = result.getResultNumber();
    Value first = terminators.front()->getOperand(i);
    bool same = first.getType() == result.getType() &&
                !op->isProperAncestor(first.getParentBlock()->getParentOp()) &&
                first.getParentRegion() != &op->getRegion(0);
    for (Operation *terminator : terminators)
      same &= terminator->getOperand(i) == first;
    if (same && !result.use_empty()) {
      rewriter.replaceAllUsesWith(result, first);
      changed = true;
    }
    if (result.use_empty() && isa<RankedTensorType>(result.getType()))
      dead.set(i);
  }
  if (dead.none())
    return success(changed);
  SmallVector<Type> types;
  for (OpResult result : op->getResults())
    if (!dead.test(result.getResultNumber()))
      types.push_back(result.getType());
  for (Operation *terminator : terminators) {
    SmallVector<Value> yields;
    for (auto [i, operand] : llvm::enumerate(terminator->getOperands()))
      if (!dead.test(i))
        yields.push_back(operand);
    changeOperands(rewriter, terminator,
                   [&] { terminator->setOperands(yields); });
  }
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(types);
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *smaller = rewriter.create(state);
  for (auto [to, from] :
       llvm::zip_equal(smaller->getRegions(), op->getRegions()))
    to.takeBody(from);
  unsigned next = 0;
  for (OpResult result : op->getResults())
    if (!dead.test(result.getResultNumber()))
      rewriter.replaceAllUsesWith(result, smaller->getResult(next++));
  rewriter.eraseOp(op);
  return success();
}

LogicalResult ifResults(IfOp op, PatternRewriter &rewriter) {
  return branchResults(op, rewriter);
}
LogicalResult caseResults(CaseOp op, PatternRewriter &rewriter) {
  return branchResults(op, rewriter);
}

// Branches without ops become a select.
LogicalResult ifToSelect(IfOp op, PatternRewriter &rewriter) {
  for (Region &region : op->getRegions())
    if (!llvm::hasSingleElement(region.front()))
      return failure();
  ValueRange onTrue = op.getTrueBranch().front().getTerminator()->getOperands();
  ValueRange onFalse =
      op.getFalseBranch().front().getTerminator()->getOperands();
  if (!isPlain(op.getPred().getType()) || tensorOf(op.getPred()).getRank() != 0)
    return failure();
  for (auto [a, b, result] : llvm::zip_equal(onTrue, onFalse, op.getResults()))
    if (!isPlain(result.getType()) || a.getType() != result.getType() ||
        b.getType() != result.getType())
      return failure();
  SmallVector<Value> values;
  for (auto [a, b] : llvm::zip_equal(onTrue, onFalse))
    values.push_back(
        SelectOp::create(rewriter, op.getLoc(), op.getPred(), a, b));
  rewriter.replaceOp(op, values);
  return success();
}

LogicalResult tupleElement(GetTupleElementOp op, PatternRewriter &rewriter) {
  auto tuple = definedBy<TupleOp>(op.getOperand());
  if (!tuple || op.getIndex() >= tuple.getVal().size())
    return failure();
  return replaceWith(rewriter, op, tuple.getVal()[op.getIndex()]);
}

// A tuple of all the elements of another tuple, in order.
LogicalResult tupleIdentity(TupleOp op, PatternRewriter &rewriter) {
  Value whole;
  for (auto [i, value] : llvm::enumerate(op.getVal())) {
    auto element = definedBy<GetTupleElementOp>(value);
    if (!element || element.getIndex() != i ||
        (whole && element.getOperand() != whole))
      return failure();
    whole = element.getOperand();
  }
  if (!whole)
    return failure();
  return replaceWith(rewriter, op, whole);
}

} // namespace

void addControlFlow(Patterns &patterns) {
  addRuleAny<IfOp>(patterns, constantIf);
  addRuleAny<IfOp>(patterns, invertedIf);
  addRuleAny<IfOp>(patterns, ifResults);
  addRuleAny<IfOp>(patterns, ifToSelect);
  addRuleAny<CaseOp>(patterns, constantCase);
  addRuleAny<CaseOp>(patterns, caseResults);
  addRuleAny<GetTupleElementOp>(patterns, tupleElement);
  addRuleAny<TupleOp>(patterns, tupleIdentity);
}

} // namespace shardwright::simplifier
