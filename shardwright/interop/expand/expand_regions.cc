//===- expand_regions.cc - expand bodies with control flow ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels take the region of a reduction, a sort or a scatter as a function of
// its scalar arguments, without control flow. Branches in it become selects,
// and scalars from outside become broadcast operands. A reduction whose region
// contains anything else (loops, tensors) becomes a loop over its elements.
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/op_builder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::op_expansion {

static bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

static bool isScalarOp(Operation &op) {
  return (isa<stablehlo::ConstantOp, stablehlo::ReshapeOp,
              stablehlo::BroadcastInDimOp, stablehlo::SelectOp,
              stablehlo::ClampOp>(op) ||
          op.hasTrait<OpTrait::Elementwise>()) &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

static bool isScalarBlock(Block &block) {
  return llvm::all_of(block.without_terminator(), isScalarOp) &&
         llvm::all_of(block.getTerminator()->getOperandTypes(), isScalar);
}

/// Branches of scalar functions: computes all of them, and selects one.
static void flattenBranches(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (!isa<stablehlo::IfOp, stablehlo::CaseOp>(op))
      continue;
    for (Region &region : op.getRegions())
      flattenBranches(region.front());
    if (op.getNumRegions() == 0 || !isScalar(op.getOperand(0).getType()) ||
        !llvm::all_of(op.getRegions(), [](Region &region) {
          return isScalarBlock(region.front());
        }))
      continue;
    StaticBuilder m(&op);
    SmallVector<SmallVector<Value>> results;
    for (Region &region : op.getRegions()) {
      Block &branch = region.front();
      results.emplace_back(branch.getTerminator()->getOperands());
      for (Operation &inner :
           llvm::make_early_inc_range(branch.without_terminator()))
        inner.moveBefore(&op);
    }
    // An index out of range selects the last branch; the first region of `if`
    // is for true.
    for (auto [r, result] : llvm::enumerate(op.getResults())) {
      Value chosen = results.back()[r];
      for (int64_t i = int64_t(results.size()) - 2; i >= 0; --i) {
        Value here = op.getOperand(0);
        if (isa<stablehlo::CaseOp>(op))
          here = stablehlo::CompareOp::create(
              m.b, m.loc, here,
              m.splat(static_cast<double>(i), StaticBuilder::typeOf(here)),
              stablehlo::ComparisonDirection::EQ);
        chosen = stablehlo::SelectOp::create(m.b, m.loc, result.getType(), here,
                                             results[i][r], chosen);
      }
      result.replaceAllUsesWith(chosen);
    }
    op.erase();
  }
}

/// The outer values that the region uses, except those that kernels can access.
static llvm::SetVector<Value> capturesOf(Region &region) {
  llvm::SetVector<Value> captures;
  getUsedValuesDefinedAbove(region, captures);
  captures.remove_if([](Value v) {
    return isScalar(v.getType()) && v.getDefiningOp<stablehlo::ConstantOp>();
  });
  return captures;
}

/// Adds an argument to both halves of a body's arguments (accumulators and
/// elements); the body returns the accumulator unchanged. Returns the element.
static Value addPair(Block &body, Value captured) {
  unsigned n = body.getNumArguments() / 2;
  Value kept = body.insertArgument(n, captured.getType(), captured.getLoc());
  Value element = body.addArgument(captured.getType(), captured.getLoc());
  Operation *end = body.getTerminator();
  SmallVector<Value> returned(end->getOperands());
  returned.push_back(kept);
  end->setOperands(returned);
  return element;
}

/// Rebuilds the op with the captured scalars as operands.
static FailureOr<Values> withOperands(Operation *op, ArrayRef<Value> captures) {
  StaticBuilder m(op);
  Region &region = op->getRegion(0);
  Block &body = region.front();
  auto like = [&](Value scalar, Value shaped) {
    return m.broadcast(scalar, StaticBuilder::typeOf(shaped).getShape(), {});
  };
  SmallVector<Value> operands;
  SmallVector<Type> types(op->getResultTypes());
  // Each list of operands gets one more operand per capture.
  auto extend = [&](ValueRange list, ArrayRef<Value> more) {
    llvm::append_range(operands, list);
    llvm::append_range(operands, more);
  };
  SmallVector<Value> wide, updates;
  bool known =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>([&](auto o) {
            for (Value c : captures)
              wide.push_back(like(c, o.getInputs()[0]));
            extend(o.getInputs(), wide);
            extend(o.getInitValues(), captures);
            return true;
          })
          .Case<stablehlo::SortOp>([&](auto o) {
            for (Value c : captures)
              wide.push_back(like(c, o.getInputs()[0]));
            extend(o.getInputs(), wide);
            return true;
          })
          .Case<stablehlo::ScatterOp>([&](auto o) {
            for (Value c : captures) {
              wide.push_back(like(c, o.getInputs()[0]));
              updates.push_back(like(c, o.getUpdates()[0]));
            }
            extend(o.getInputs(), wide);
            extend(o.getScatterIndices(), {});
            extend(o.getUpdates(), updates);
            return true;
          })
          .Default(false);
  if (!known)
    return failure();
  for (Value c : captures) {
    types.push_back(StaticBuilder::typeOf(op->getResult(0))
                        .clone(StaticBuilder::typeOf(c).getElementType()));
    Value inner;
    if (isa<stablehlo::SortOp>(op)) {
      inner = body.addArgument(c.getType(), c.getLoc());
      body.addArgument(c.getType(), c.getLoc());
    } else {
      inner = addPair(body, c);
    }
    Value captured = c;
    captured.replaceUsesWithIf(inner, [&](OpOperand &use) {
      return region.isAncestor(use.getOwner()->getParentRegion());
    });
  }
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  // Discardable attributes have entries for the original results only.
  for (NamedAttribute attr : op->getAttrs())
    if (!op->getDiscardableAttr(attr.getName()))
      state.addAttribute(attr.getName(), attr.getValue());
  state.addRegion()->takeBody(region);
  Operation *wider = m.b.create(state);
  return Values(wider->getResults().take_front(op->getNumResults()));
}

/// The element at indices `at`, as a scalar.
static Value elementAt(StaticBuilder &m, Value x, ArrayRef<Value> at) {
  RankedTensorType type = StaticBuilder::typeOf(x);
  SmallVector<int64_t> ones(type.getRank(), 1);
  Value one = stablehlo::DynamicSliceOp::create(
      m.b, m.loc, type.clone(ArrayRef<int64_t>(ones)), x, at, ones);
  return stablehlo::ReshapeOp::create(m.b, m.loc,
                                      type.clone(ArrayRef<int64_t>()), one);
}

/// Loops over the elements in row-major order.
static FailureOr<Values> expandToLoop(stablehlo::ReduceOp op) {
  StaticBuilder m(op);
  size_t n = op.getInputs().size();
  RankedTensorType type = StaticBuilder::typeOf(op.getInputs()[0]);
  if (n == 0 || !llvm::all_of(op->getOperandTypes(), [](Type t) {
        auto tensor = dyn_cast<RankedTensorType>(t);
        return tensor && tensor.hasStaticShape();
      }))
    return failure();
  SmallVector<int64_t> order;
  int64_t rows = 1, columns = 1;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!llvm::is_contained(op.getDimensions(), d)) {
      order.push_back(d);
      rows *= type.getDimSize(d);
    }
  for (int64_t d : op.getDimensions()) {
    order.push_back(d);
    columns *= type.getDimSize(d);
  }
  Values results;
  if (rows * columns == 0) {
    for (auto [init, result] :
         llvm::zip_equal(op.getInitValues(), op.getResults()))
      results.push_back(
          m.broadcast(init, StaticBuilder::typeOf(result).getShape(), {}));
    return results;
  }
  auto index = RankedTensorType::get({}, m.b.getI64Type());
  auto number = [&](int64_t value) -> Value {
    return stablehlo::ConstantOp::create(m.b, m.loc,
                                         DenseElementsAttr::get(index, value));
  };
  SmallVector<Value> carried = {number(0)}, inputs;
  for (auto [input, init] :
       llvm::zip_equal(op.getInputs(), op.getInitValues())) {
    carried.push_back(m.broadcast(init, {rows}, {}));
    Value x = m.transpose(input, order);
    inputs.push_back(stablehlo::ReshapeOp::create(
        m.b, m.loc, StaticBuilder::typeOf(x).clone({rows, columns}), x));
  }
  auto loop = stablehlo::WhileOp::create(
      m.b, m.loc, ValueRange(carried).getTypes(), carried);
  OpBuilder::InsertionGuard guard(m.b);
  for (Region *region : {&loop.getCond(), &loop.getBody()}) {
    Block &block = region->emplaceBlock();
    for (Value v : carried)
      block.addArgument(v.getType(), m.loc);
  }
  m.b.setInsertionPointToEnd(&loop.getCond().front());
  Value more = stablehlo::CompareOp::create(
      m.b, m.loc, loop.getCond().getArgument(0), number(rows * columns),
      stablehlo::ComparisonDirection::LT);
  stablehlo::ReturnOp::create(m.b, m.loc, more);

  Block &turn = loop.getBody().front();
  m.b.setInsertionPointToEnd(&turn);
  Value i = turn.getArgument(0), width = number(columns),
        row = m.divide(i, width), column = m.binary<stablehlo::RemOp>(i, width);
  Block &body = op.getBody().front();
  IRMapping map;
  for (size_t k = 0; k < n; ++k) {
    map.map(body.getArgument(k), elementAt(m, turn.getArgument(k + 1), {row}));
    map.map(body.getArgument(n + k), elementAt(m, inputs[k], {row, column}));
  }
  for (Operation &inner : body.without_terminator())
    m.b.clone(inner, map);
  SmallVector<Value> next = {m.add(i, number(1))};
  for (auto [k, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Value scalar = map.lookupOrDefault(value);
    Value one = stablehlo::ReshapeOp::create(
        m.b, m.loc, StaticBuilder::typeOf(scalar).clone(ArrayRef<int64_t>{1}),
        scalar);
    Value all = turn.getArgument(k + 1);
    next.push_back(stablehlo::DynamicUpdateSliceOp::create(
        m.b, m.loc, all.getType(), all, one, ValueRange(row)));
  }
  stablehlo::ReturnOp::create(m.b, m.loc, next);
  m.b.setInsertionPoint(op);
  for (auto [k, result] : llvm::enumerate(op.getResults()))
    results.push_back(stablehlo::ReshapeOp::create(m.b, m.loc, result.getType(),
                                                   loop->getResult(k + 1)));
  return results;
}

bool hasOtherRegion(Operation *op) {
  if (!isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::SortOp,
           stablehlo::ScatterOp, stablehlo::SelectAndScatterOp,
           stablehlo::AllReduceOp, stablehlo::ReduceScatterOp,
           stablehlo::MapOp>(op))
    return false;
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return region.hasOneBlock() &&
           (!isScalarBlock(region.front()) || !capturesOf(region).empty());
  });
}

FailureOr<Values> expandRegion(Operation *op) {
  for (Region &region : op->getRegions())
    flattenBranches(region.front());
  if (isa<stablehlo::MapOp>(op))
    return expandMap(op);
  Region &region = op->getRegion(0);
  llvm::SetVector<Value> captures = capturesOf(region);
  if (isScalarBlock(region.front()) &&
      llvm::all_of(captures, [](Value v) { return isScalar(v.getType()); })) {
    if (captures.empty())
      return failure();
    return withOperands(op, captures.getArrayRef());
  }
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return expandToLoop(reduce);
  return failure();
}

} // namespace shardwright::op_expansion
