//===- localize_exchange.cc - direct exchanges as permutes of boxes -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device looks up the offsets of the boxes that it sends and receives in
// tables by device id, one table per round and dimension.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/layout/manual_axes.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/reshard/direct_exchange.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Builds the rounds of one exchange.
class ExchangeBuilder {
public:
  ExchangeBuilder(OpBuilder &builder, Location loc, Value device)
      : b(builder), loc(loc), device(device) {}

  /// The table entry of this device, a 0-d i64 or i1.
  Value lookUp(ArrayRef<int64_t> table, Type element) {
    auto all = RankedTensorType::get({int64_t(table.size())}, element);
    auto scalar = RankedTensorType::get({}, element);
    auto attr = [&](RankedTensorType type, ArrayRef<int64_t> values) {
      SmallVector<APInt> ints;
      for (int64_t value : values)
        ints.push_back(APInt(element.getIntOrFloatBitWidth(), value));
      return DenseElementsAttr::get(type, ints);
    };
    if (llvm::all_equal(table))
      return stablehlo::ConstantOp::create(b, loc, scalar,
                                           attr(scalar, table.take_front()));
    Value constant =
        stablehlo::ConstantOp::create(b, loc, all, attr(all, table));
    Value one = stablehlo::DynamicSliceOp::create(
        b, loc, all.clone(ArrayRef<int64_t>{1}), constant, ValueRange{device},
        ArrayRef<int64_t>{1});
    return stablehlo::ReshapeOp::create(b, loc, scalar, one);
  }

  SmallVector<Value> offsets(ArrayRef<SmallVector<int64_t, 0>> tables) {
    SmallVector<Value> values;
    for (const auto &table : tables)
      values.push_back(lookUp(table, b.getI64Type()));
    return values;
  }

  Value take(Value value, ArrayRef<Value> at, ArrayRef<int64_t> sizes) {
    auto type = cast<RankedTensorType>(value.getType());
    return stablehlo::DynamicSliceOp::create(b, loc, type.clone(sizes), value,
                                             at, sizes);
  }

  /// Writes the box into `into` on devices that receive one.
  Value put(Value into, Value box, const ExchangeRound &round) {
    SmallVector<Value> at = offsets(round.puts);
    if (!llvm::all_of(round.receives, [](bool r) { return r; })) {
      SmallVector<int64_t> mask(round.receives.begin(), round.receives.end());
      Value receives = lookUp(mask, b.getI1Type());
      Value before = take(into, at, round.sizes);
      box = stablehlo::SelectOp::create(b, loc, box.getType(), receives, box,
                                        before);
    }
    return stablehlo::DynamicUpdateSliceOp::create(b, loc, into.getType(), into,
                                                   box, at);
  }

private:
  OpBuilder &b;
  Location loc;
  Value device;
};

} // namespace

LogicalResult Localizer::localizeExchange(sdy::ReshardOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value = op.getInput();
  Layout from = layoutOf(value), to = layoutOf(op.getResult());
  // Replicated layouts have no mesh.
  if (from.mesh < 0)
    from.mesh = to.mesh;
  if (to.mesh < 0)
    to.mesh = from.mesh;
  // Both sides are partial sums along the same axes, if any.
  if (to.mesh >= 0)
    from.sharding.unreduced = to.sharding.unreduced =
        meshes.toAxes(to.mesh, op.getSharding().getUnreducedAxes());
  auto type = cast<RankedTensorType>(op.getType());
  auto localResult =
      cast<RankedTensorType>(localType(type, layoutOf(op.getResult())));
  auto local = localResult;
  SmallVector<int64_t> shape(type.getShape());
  AxisList manual;
  if (from.mesh >= 0)
    manual = manualAxesAround(op, meshes.mesh(from.mesh));
  if (!manual.empty()) {
    // The type of this device's slice of a larger value.
    auto inFront = [](RankedTensorType type) {
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin(), 1);
      return type.clone(ArrayRef<int64_t>(shape));
    };
    shape.insert(shape.begin(), totalSize(manual));
    from.sharding = withManualAxes(from.sharding, manual);
    to.sharding =
        withManualAxes(to.sharding, manualAxesAround(op, meshes.mesh(to.mesh)));
    local = inFront(local);
    value = stablehlo::ReshapeOp::create(
        builder, loc, inFront(cast<RankedTensorType>(value.getType())), value);
  }
  std::vector<ExchangeRound> rounds;
  if (from.mesh >= 0)
    rounds = planExchange(meshes.mesh(from.mesh), from.sharding,
                          meshes.mesh(to.mesh), to.sharding, shape);
  auto isWhole = [&](const ExchangeRound &round) {
    return round.pairs.empty() &&
           ArrayRef<int64_t>(round.sizes) == local.getShape() &&
           local == value.getType() &&
           llvm::all_of(round.receives, [](bool r) { return r; });
  };
  // Every device already holds its shard, and only the layout changes. The
  // reshape preserves the layout of the operand for its other users.
  if (rounds.empty() || (rounds.size() == 1 && isWhole(rounds.front())))
    return replace(
        op, stablehlo::ReshapeOp::create(builder, loc, localResult, value));
  ExchangeBuilder exchange(builder, loc, indices.device());
  Value result = zeros(builder, loc, local);
  for (const ExchangeRound &round : rounds) {
    Value box =
        exchange.take(value, exchange.offsets(round.takes), round.sizes);
    if (!round.pairs.empty()) {
      auto pairs = RankedTensorType::get({int64_t(round.pairs.size()) / 2, 2},
                                         builder.getI64Type());
      auto permute = stablehlo::CollectivePermuteOp::create(
          builder, loc, box.getType(), box,
          DenseIntElementsAttr::get(pairs, ArrayRef<int64_t>(round.pairs)),
          nextHandle());
      permute->setDiscardableAttr(kRestUnusedAttrName, builder.getUnitAttr());
      box = permute;
    }
    result = exchange.put(result, box, round);
  }
  if (local != localResult)
    result = stablehlo::ReshapeOp::create(builder, loc, localResult, result);
  return replace(op, result);
}

} // namespace shardwright
