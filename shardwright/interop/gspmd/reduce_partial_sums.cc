//===- reduce_partial_sums.cc - reductions in GSPMD's form ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/reduce_partial_sums.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/interop/gspmd/gspmd_calls.h"
#include "shardwright/interop/gspmd/gspmd_shardings.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

Value PartialSumReducer::allReduce(OpBuilder &builder, Location loc,
                                   Value local, const DeviceGroups &groups,
                                   StringAttr inside) {
  auto type = cast<RankedTensorType>(local.getType());
  auto groupsType = RankedTensorType::get({groups.numGroups, groups.groupSize},
                                          builder.getI64Type());
  if (nextChannel == 0)
    nextChannel = stablehlo::UsedChannels(module).firstUnused();
  auto reduce = stablehlo::AllReduceOp::create(
      builder, loc, TypeRange(type), ValueRange(local),
      DenseIntElementsAttr::get(groupsType, ArrayRef(groups.ids)),
      stablehlo::ChannelHandleAttr::get(module.getContext(), nextChannel++, 1),
      /*use_global_device_ids=*/true);
  reduce->setDiscardableAttr(kMhloSharding, inside);
  OpBuilder::InsertionGuard guard(builder);
  auto element = RankedTensorType::get({}, type.getElementType());
  Block *body = builder.createBlock(&reduce.getComputation(), {},
                                    {element, element}, {loc, loc});
  auto add = stablehlo::AddOp::create(builder, loc, body->getArgument(0),
                                      body->getArgument(1));
  add->setDiscardableAttr(kMhloSharding, inside);
  stablehlo::ReturnOp::create(builder, loc, add->getResults());
  return reduce->getResult(0);
}

FailureOr<Value> PartialSumReducer::reduce(Operation &at, Value value,
                                           TensorShardingAttr from,
                                           ArrayRef<sdy::AxisRefAttr> axes,
                                           const ManualContext &manual) {
  const Mesh *mesh = texts.mesh(from.getMeshOrRef());
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!mesh || !type || !type.hasStaticShape())
    return at.emitError() << "cannot reduce a value of type "
                          << value.getType();
  TensorSharding before = sdy::shardingFromAttr(from, *mesh);
  if (!dividesEvenly(type.getShape(), before))
    return at.emitError() << "cannot reduce " << from << " of " << type
                          << ": the shards are not of equal size";
  TensorSharding after = before;
  AxisList reduced = sdy::axesFromAttr(axes, *mesh);
  // GSPMD expects the all-reduce in a region where every axis is manual.
  ManualContext all = manual;
  SmallVector<StringAttr> names;
  for (const MeshAxis &axis : mesh->axes())
    names.push_back(StringAttr::get(module.getContext(), axis.name));
  all.axes = sdy::ManualAxesAttr::get(module.getContext(), names);
  all.meshOrRef = from.getMeshOrRef();
  after.unreduced.clear();
  for (AxisRef axis : before.unreduced)
    if (!llvm::is_contained(reduced, axis))
      after.unreduced.push_back(axis);
  auto outSharding = sdy::shardingToAttr(module.getContext(), after, *mesh,
                                         from.getMeshOrRef());
  auto local = cast<RankedTensorType>(
      from.getLocalType(type, sdy::getMeshAttr(module, from.getMeshOrRef())));
  auto scalar = TensorShardingAttr::getFullyClosed(
      module.getContext(), type.getRank(), from.getMeshOrRef());
  FailureOr<StringAttr> in = texts.of(from, manual, at.getLoc()),
                        inside = texts.of(scalar, all, at.getLoc()),
                        out = texts.of(outSharding, manual, at.getLoc());
  if (failed(in) || failed(inside) || failed(out))
    return failure();
  Location loc = at.getLoc();
  OpBuilder builder(&at);
  value = createGspmdCall(builder, loc, "Sharding", value, type, *in);
  value = createGspmdCall(builder, loc, "SPMDFullToShardShape", value, local,
                          *inside);
  Value sum =
      allReduce(builder, loc, value, deviceGroups(*mesh, reduced), *inside);
  value = createGspmdCall(builder, loc, "Sharding", sum, local, *inside);
  return createGspmdCall(builder, loc, "SPMDShardToFullShape", value, type,
                         *out);
}

} // namespace shardwright
