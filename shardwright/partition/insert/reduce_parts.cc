//===- reduce_parts.cc - reductions over sharded dimensions ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/reduce_parts.h"

#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/layout/reshard_cache.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/ops/reducer_ops.h"
#include "shardwright/simplify/evaluate.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

SmallVector<Value> takeInits(stablehlo::ReduceOp reduce, ReducerKind kind) {
  SmallVector<Value> taken(reduce->getNumResults());
  OpBuilder builder(reduce);
  for (auto [i, init] : llvm::enumerate(reduce.getInitValues())) {
    if (TypedAttr value = scalarConstant(init); value && isNeutral(value, kind))
      continue;
    auto type = cast<RankedTensorType>(init.getType());
    TypedAttr identity = identityElement(kind, type.getElementType());
    if (!identity)
      continue;
    taken[i] = init;
    Value constant = stablehlo::ConstantOp::create(
        builder, reduce.getLoc(), type, splatOf(type, identity));
    reduce.getInitValuesMutable()[i].set(constant);
  }
  return taken;
}

Value foldInit(OpBuilder &builder, Value whole, Value init, const Layout &at,
               ReducerKind kind, const Layout &layout, MeshTable &meshes) {
  Location loc = whole.getLoc();
  Value operand = init;
  Layout own = layout;
  own.sharding.unreduced = at.sharding.unreduced;
  if (own.isReplicated())
    own.mesh = -1;
  // A reduction may accumulate in a wider type than that of its inputs.
  auto wide = cast<RankedTensorType>(init.getType())
                  .clone(getElementTypeOrSelf(whole.getType()));
  if (wide != init.getType())
    init = operand = stablehlo::ConvertOp::create(builder, loc, wide, init);
  if (whole.getType() != init.getType()) {
    auto broadcast = stablehlo::BroadcastInDimOp::create(
        builder, loc, whole.getType(), init, builder.getDenseI64ArrayAttr({}));
    setResultLayouts(broadcast, own, meshes);
    operand = broadcast->getResult(0);
  }
  // If `whole` is a partial sum, only one device adds the initial value.
  operand = buildReshard(builder, loc, operand, own, layout, meshes);
  Value combined = buildCombine(builder, loc, kind, operand, whole);
  setResultLayouts(combined.getDefiningOp(), layout, meshes);
  return combined;
}

/// The element of a constant scalar; none for other values.
static std::optional<simplifier::Element> elementOf(Value value) {
  TypedAttr constant = scalarConstant(value);
  if (!constant)
    return std::nullopt;
  std::optional<simplifier::Literal> literal = simplifier::Literal::of(
      splatOf(cast<ShapedType>(value.getType()), constant), 1);
  return literal ? std::optional(literal->elements[0]) : std::nullopt;
}

bool mayRepeatInits(stablehlo::ReduceOp reduce) {
  Block &body = reduce.getBody().front();
  size_t n = reduce->getNumResults();
  llvm::DenseMap<Value, simplifier::Element> known;
  SmallVector<simplifier::Element> inits;
  for (auto [i, init] : llvm::enumerate(reduce.getInitValues())) {
    std::optional<simplifier::Element> element = elementOf(init);
    if (!element)
      return false;
    inits.push_back(*element);
    known[body.getArgument(i)] = known[body.getArgument(n + i)] = *element;
  }
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() != 1)
      return false;
    if (auto element = elementOf(op.getResult(0))) {
      known[op.getResult(0)] = *element;
      continue;
    }
    SmallVector<simplifier::Element> operands;
    for (Value operand : op.getOperands()) {
      auto it = known.find(operand);
      if (it == known.end())
        return false;
      operands.push_back(it->second);
    }
    simplifier::Evaluator evaluate = simplifier::evaluatorOf(&op);
    std::optional<simplifier::Element> element;
    if (!evaluate || !(element = evaluate(operands)))
      return false;
    known[op.getResult(0)] = *element;
  }
  for (auto [returned, init] :
       llvm::zip_equal(body.getTerminator()->getOperands(), inits)) {
    auto it = known.find(returned);
    if (it == known.end() || it->second != init)
      return false;
  }
  return true;
}

SmallVector<Operation *> splitReduce(stablehlo::ReduceOp reduce,
                                     const Layout &layout,
                                     const MeshTable &meshes) {
  if (layout.mesh < 0 || uniformReducer(reduce.getBody()) ||
      !mayRepeatInits(reduce))
    return {reduce};
  auto inputType = dyn_cast<RankedTensorType>(reduce.getInputs()[0].getType());
  if (!inputType || !inputType.hasStaticShape())
    return {reduce};
  ArrayRef<int64_t> shape = inputType.getShape();
  // Splits a dimension of n shards into n x (size / n): the first stays
  // sharded, the second is reduced locally.
  auto isSplit = [&](int64_t d) {
    int64_t shards = layout.sharding.dims[d].shards();
    return llvm::is_contained(reduce.getDimensions(), d) && shards > 1 &&
           shards < shape[d];
  };
  auto rowsOf = [&](int64_t d) {
    return shardSize(shape[d], layout.sharding.dims[d].shards());
  };
  SmallVector<int64_t> split, firstDims, secondDims;
  Layout inLayout = Layout::replicated(0), partLayout = inLayout;
  inLayout.mesh = partLayout.mesh = layout.mesh;
  SmallVector<int64_t> partShape;
  bool any = false;
  for (int64_t d = 0; d < inputType.getRank(); ++d) {
    const DimSharding &dim = layout.sharding.dims[d];
    if (isSplit(d)) {
      any = true;
      secondDims.push_back(partShape.size());
      partShape.push_back(dim.shards());
      partLayout.sharding.dims.push_back(dim);
      split.push_back(dim.shards());
      inLayout.sharding.dims.push_back(dim);
      firstDims.push_back(split.size());
      split.push_back(rowsOf(d));
      inLayout.sharding.dims.push_back({{}, true, {}});
      continue;
    }
    if (llvm::is_contained(reduce.getDimensions(), d)) {
      firstDims.push_back(split.size());
      inLayout.sharding.dims.push_back({{}, true, {}});
    } else {
      partShape.push_back(shape[d]);
      partLayout.sharding.dims.push_back(dim);
      inLayout.sharding.dims.push_back(dim);
    }
    split.push_back(shape[d]);
  }
  if (!any)
    return {reduce};

  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  SmallVector<Operation *> ops;
  SmallVector<Value> inputs, inits(reduce.getInitValues());
  for (auto [input, init] : llvm::zip(reduce.getInputs(), inits)) {
    // Pads uneven shards with the initial value, which may be folded in
    // repeatedly.
    for (int64_t d = 0; d < inputType.getRank(); ++d)
      if (int64_t rows =
              isSplit(d) ? rowsOf(d) * layout.sharding.dims[d].shards() : 0;
          rows > shape[d])
        input = padRows(builder, input, d, rows, init, layout, meshes, ops);
    auto type = cast<RankedTensorType>(input.getType());
    auto reshape = stablehlo::ReshapeOp::create(
        builder, loc, type.clone(ArrayRef<int64_t>(split)), input);
    setResultLayouts(reshape, inLayout, meshes);
    inputs.push_back(reshape->getResult(0));
    ops.push_back(reshape);
  }
  auto emit = [&](ArrayRef<int64_t> dims, TypeRange types) {
    auto part =
        stablehlo::ReduceOp::create(builder, loc, types, inputs, inits, dims);
    IRMapping mapping;
    reduce.getBody().cloneInto(&part.getBody(), mapping);
    ops.push_back(part);
    return part;
  };
  SmallVector<Type> partTypes;
  for (Type type : reduce->getResultTypes())
    partTypes.push_back(
        cast<RankedTensorType>(type).clone(ArrayRef<int64_t>(partShape)));
  auto parts = emit(firstDims, partTypes);
  setResultLayouts(parts, Layouts(partTypes.size(), partLayout), meshes);
  inputs = parts->getResults();
  auto whole = emit(secondDims, reduce->getResultTypes());
  whole->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
  reduce->replaceAllUsesWith(whole);
  reduce->erase();
  return ops;
}

} // namespace shardwright
