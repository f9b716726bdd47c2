//===- region.cc - ops in regions -----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/region.h"

#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {

static bool isScalarOp(Operation &op) {
  return (op.hasTrait<OpTrait::Elementwise>() ||
          isa<SelectOp, ClampOp, ConstantOp>(op)) &&
         op.getNumRegions() == 0 && op.getNumResults() == 1 && !isFrozen(&op) &&
         isPlainOp(&op) && tensorOf(op.getResult(0)).getRank() == 0;
}

static bool isScalar(Value value) {
  return isPlain(value.getType()) && tensorOf(value).getRank() == 0;
}

bool isScalarBlock(Block &block) {
  return llvm::all_of(block.getArguments(), isScalar) &&
         llvm::all_of(block.without_terminator(), isScalarOp) &&
         llvm::all_of(block.getTerminator()->getOperands(), isScalar);
}

SmallVector<Value> applyToTensors(PatternRewriter &rewriter, Location loc,
                                  Block &block, ValueRange arguments) {
  ArrayRef<int64_t> shape = shapeOf(arguments.front());
  IRMapping map;
  map.map(block.getArguments(), arguments);
  auto lookup = [&](Value value) -> Value {
    if (Value mapped = map.lookupOrNull(value))
      return mapped;
    // A constant, or a value from outside the region.
    Value tensor = value;
    if (!shape.empty())
      tensor =
          BroadcastInDimOp::create(rewriter, loc, tensorOf(value).clone(shape),
                                   value, ArrayRef<int64_t>());
    map.map(value, tensor);
    return tensor;
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<ConstantOp>(op)) {
      Operation *scalar = rewriter.clone(op);
      Value tensor = scalar->getResult(0);
      if (!shape.empty())
        tensor = BroadcastInDimOp::create(rewriter, loc,
                                          tensorOf(tensor).clone(shape), tensor,
                                          ArrayRef<int64_t>());
      map.map(op.getResult(0), tensor);
      continue;
    }
    OperationState state(op.getLoc(), op.getName());
    for (Value operand : op.getOperands())
      state.operands.push_back(lookup(operand));
    state.addTypes(tensorOf(op.getResult(0)).clone(shape));
    state.propertiesAttr = op.getPropertiesAsAttribute();
    map.map(op.getResult(0), rewriter.create(state)->getResult(0));
  }
  SmallVector<Value> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(lookup(result));
  return results;
}

void Needed::addEffects() {
  for (Operation &op : block.without_terminator())
    if (!isMemoryEffectFree(&op))
      for (Value result : op.getResults().take_front(1))
        add(result);
  // Ops without results are live only if they have effects.
  for (Operation &op : block.without_terminator())
    if (!isMemoryEffectFree(&op) && op.getNumResults() == 0 &&
        ops.insert(&op).second)
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          add(operand);
      });
}

void Needed::add(Value value) {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == &block)
        arguments.set(argument.getArgNumber());
      continue;
    }
    Operation *op = block.findAncestorOpInBlock(*next.getDefiningOp());
    if (!op || !ops.insert(op).second)
      continue;
    op->walk([&](Operation *nested) {
      llvm::append_range(worklist, nested->getOperands());
    });
  }
}

void Needed::eraseOthers(RewriterBase &rewriter) {
  SmallVector<Operation *> others;
  for (Operation &op : block.without_terminator())
    if (!ops.contains(&op))
      others.push_back(&op);
  for (Operation *op : llvm::reverse(others))
    rewriter.eraseOp(op);
}

} // namespace shardwright::simplifier
