//===- reduce_parts.cc - reductions over sharded dimensions ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reduce_parts.h"

#include "shardwright/partition/combine.h"
#include "shardwright/partition/value_versions.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardwright {

SmallVector<Value> takeInits(stablehlo::ReduceOp reduce, ReducerKind kind) {
  SmallVector<Value> taken(reduce->getNumResults());
  OpBuilder builder(reduce);
  for (auto [i, init] : llvm::enumerate(reduce.getInitValues())) {
    auto type = cast<RankedTensorType>(init.getType());
    TypedAttr identity = identityElement(kind, type.getElementType());
    if (!identity)
      continue;
    auto splat = splatOf(type, identity);
    DenseElementsAttr value;
    if (matchPattern(init, m_Constant(&value)) && value == splat)
      continue;
    // -0 is as good as +0.
    if (value && value.isSplat() && kind == ReducerKind::Add)
      if (auto number = dyn_cast<FloatType>(type.getElementType()))
        if (value.getSplatValue<APFloat>().isZero())
          continue;
    taken[i] = init;
    Value constant =
        stablehlo::ConstantOp::create(builder, reduce.getLoc(), type, splat);
    reduce.getInitValuesMutable()[i].set(constant);
  }
  return taken;
}

Value foldInit(OpBuilder &builder, Value whole, Value init, ReducerKind kind,
               const Layout &layout, const MeshTable &meshes) {
  Location loc = whole.getLoc();
  Value operand = init;
  if (whole.getType() != init.getType()) {
    auto broadcast = stablehlo::BroadcastInDimOp::create(
        builder, loc, whole.getType(), init, builder.getDenseI64ArrayAttr({}));
    setResultLayouts(broadcast, layout, meshes);
    operand = broadcast->getResult(0);
  }
  Value combined = buildCombine(builder, loc, kind, operand, whole);
  setResultLayouts(combined.getDefiningOp(), layout, meshes);
  return combined;
}

SmallVector<Operation *> splitReduce(stablehlo::ReduceOp reduce,
                                     const Layout &layout,
                                     const MeshTable &meshes) {
  if (layout.mesh < 0 || uniformReducer(reduce.getBody()))
    return {reduce};
  auto inputType = dyn_cast<RankedTensorType>(reduce.getInputs()[0].getType());
  if (!inputType || !inputType.hasStaticShape())
    return {reduce};
  ArrayRef<int64_t> shape = inputType.getShape();
  // A dimension of n shards becomes n x (size / n): the first stays, the second
  // is reduced where it is.
  auto isSplit = [&](int64_t d) {
    int64_t shards = layout.sharding.dims[d].shards();
    return llvm::is_contained(reduce.getDimensions(), d) && shards > 1 &&
           shards < shape[d] && shape[d] % shards == 0;
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
      split.push_back(shape[d] / dim.shards());
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
  for (Value input : reduce.getInputs()) {
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
