//===- attributes_and_signatures.cc - drop attributes and arguments -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/reduce/candidates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Where a function stores an attribute.
enum class Place { Op, Argument, Result };

struct AttributeAt {
  Place place;
  unsigned index;
  StringAttr name;
};

SmallVector<AttributeAt> attributesOf(Operation *op) {
  SmallVector<AttributeAt> all;
  for (NamedAttribute attr : op->getDiscardableAttrs())
    all.push_back({Place::Op, 0, attr.getName()});
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (NamedAttribute attr : function.getArgAttrs(i))
        all.push_back({Place::Argument, i, attr.getName()});
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      for (NamedAttribute attr : function.getResultAttrs(i))
        all.push_back({Place::Result, i, attr.getName()});
  }
  return all;
}

void drop(RewriterBase &rewriter, Operation *op, ArrayRef<AttributeAt> which) {
  rewriter.modifyOpInPlace(op, [&] {
    for (const AttributeAt &at : which) {
      if (at.place == Place::Op)
        op->removeDiscardableAttr(at.name);
      else if (at.place == Place::Argument)
        cast<FunctionOpInterface>(op).removeArgAttr(at.index, at.name);
      else
        cast<FunctionOpInterface>(op).removeResultAttr(at.index, at.name);
    }
  });
}

/// True if the function is referenced, so that its signature must stay.
bool isCalled(func::FuncOp function) {
  Operation *table = function->getParentOp();
  return !table || !SymbolTable::symbolKnownUseEmpty(function, table);
}

void eraseUnusedArguments(Operation *op) {
  auto function = cast<func::FuncOp>(op);
  BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    unused[argument.getArgNumber()] = argument.use_empty();
  (void)function.eraseArguments(unused);
}

void eraseResult(Operation *op, unsigned index) {
  auto function = cast<func::FuncOp>(op);
  BitVector erased(function.getNumResults());
  erased.set(index);
  function.front().getTerminator()->eraseOperand(index);
  (void)function.eraseResults(erased);
}

/// Returns an operand of a result's producer instead of the result.
void returnOperand(Operation *op, unsigned index, unsigned operand) {
  auto function = cast<func::FuncOp>(op);
  Operation *end = function.front().getTerminator();
  Value value = end->getOperand(index).getDefiningOp()->getOperand(operand);
  end->setOperand(index, value);
  SmallVector<Type> results(function.getResultTypes());
  results[index] = value.getType();
  function.setFunctionType(FunctionType::get(
      op->getContext(), function.getArgumentTypes(), results));
}

} // namespace

void addDroppedAttributes(Operation *op, Changes &changes) {
  SmallVector<AttributeAt> all = attributesOf(op);
  if (all.size() > 1)
    changes.push_back([all](RewriterBase &rewriter, Operation *op) {
      drop(rewriter, op, all);
    });
  for (const AttributeAt &one : all)
    changes.push_back([one](RewriterBase &rewriter, Operation *op) {
      drop(rewriter, op, one);
    });
}

void addShorterSignatures(Operation *op, Changes &changes) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || function.isExternal() || isCalled(function) ||
      !function.getBody().hasOneBlock() || function.front().empty() ||
      !isa<func::ReturnOp>(function.front().back()))
    return;
  if (llvm::any_of(function.getArguments(),
                   [](BlockArgument argument) { return argument.use_empty(); }))
    changes.push_back([](RewriterBase &rewriter, Operation *op) {
      rewriter.modifyOpInPlace(op, [&] { eraseUnusedArguments(op); });
    });
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    changes.push_back([i](RewriterBase &rewriter, Operation *op) {
      rewriter.modifyOpInPlace(op, [&] { eraseResult(op, i); });
    });
  for (auto [i, value] :
       llvm::enumerate(function.front().getTerminator()->getOperands()))
    if (Operation *producer = value.getDefiningOp())
      for (unsigned o = 0; o < producer->getNumOperands(); ++o)
        changes.push_back([i, o](RewriterBase &rewriter, Operation *op) {
          rewriter.modifyOpInPlace(op, [&] { returnOperand(op, i, o); });
        });
}

} // namespace shardwright
