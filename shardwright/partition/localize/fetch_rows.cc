//===- fetch_rows.cc - halo exchange --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `row_window` plans which rows each shard receives from which shard; this file
// builds the slices, permutes and concatenations.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/op_windows.h"

using namespace mlir;

namespace shardwright {
namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Moves rows of one dimension of a value between the shards along some axes.
class RowMover {
public:
  RowMover(OpBuilder &builder, Location loc, ShardIndices &indices,
           int32_t mesh, AxisRefs axes, int64_t dim)
      : builder(builder), loc(loc), indices(indices), mesh(mesh), axes(axes),
        dim(dim) {}

  Value rows(Value value, int64_t from, int64_t count);
  Value rowsAt(Value value, Value from, int64_t count);
  /// The table entry for this device's shard.
  Value lookUp(ArrayRef<int64_t> table);
  Value placed(ArrayRef<RowExchange> exchanges, ArrayRef<Value> messages,
               int64_t width, Value zero);
  /// Adds a constant to a scalar.
  Value plus(Value a, int64_t b) {
    if (b == 0)
      return a;
    return stablehlo::AddOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI64Type()), a,
        indices.constant(b));
  }

private:
  Value assembled(ArrayRef<std::pair<int64_t, Value>> tiles, int64_t width,
                  Value zero);
  Value overlaid(ArrayRef<RowExchange> exchanges, ArrayRef<Value> messages,
                 int64_t width, Value zero);
  Value filled(int64_t count, Value like, Value zero);

  OpBuilder &builder;
  Location loc;
  ShardIndices &indices;
  int32_t mesh;
  AxisRefs axes;
  int64_t dim;
};

Value RowMover::rows(Value value, int64_t from, int64_t count) {
  auto type = typeOf(value);
  if (from == 0 && count == type.getDimSize(dim))
    return value;
  SmallVector<int64_t> start(type.getRank(), 0), end(type.getShape()),
      one(type.getRank(), 1), shape(type.getShape());
  start[dim] = from;
  end[dim] = from + count;
  shape[dim] = count;
  return stablehlo::SliceOp::create(builder, loc,
                                    type.clone(ArrayRef<int64_t>(shape)), value,
                                    start, end, one);
}

Value RowMover::rowsAt(Value value, Value from, int64_t count) {
  auto type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = count;
  SmallVector<Value> starts(type.getRank(), indices.constant(0));
  starts[dim] = from;
  return stablehlo::DynamicSliceOp::create(
      builder, loc, type.clone(ArrayRef<int64_t>(shape)), value, starts, shape);
}

Value RowMover::lookUp(ArrayRef<int64_t> table) {
  if (llvm::all_equal(table))
    return indices.constant(table.front());
  auto i64 = builder.getI64Type();
  auto type = RankedTensorType::get({int64_t(table.size())}, i64);
  Value all = stablehlo::ConstantOp::create(
      builder, loc, type, DenseElementsAttr::get(type, table));
  Value one = stablehlo::DynamicSliceOp::create(
      builder, loc, RankedTensorType::get({1}, i64), all,
      ValueRange(indices.index(mesh, axes)), ArrayRef<int64_t>(1));
  return stablehlo::ReshapeOp::create(builder, loc,
                                      RankedTensorType::get({}, i64), one);
}

Value RowMover::filled(int64_t count, Value like, Value zero) {
  auto type = typeOf(like);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = count;
  return stablehlo::BroadcastInDimOp::create(
      builder, loc, type.clone(ArrayRef<int64_t>(shape)), zero,
      ArrayRef<int64_t>());
}

/// Concatenates the tiles; gaps are zero.
Value RowMover::assembled(ArrayRef<std::pair<int64_t, Value>> tiles,
                          int64_t width, Value zero) {
  SmallVector<Value> parts;
  int64_t at = 0;
  for (auto [to, tile] : tiles) {
    int64_t begin = std::max<int64_t>(to, 0);
    int64_t end = std::min(to + typeOf(tile).getDimSize(dim), width);
    if (end <= begin)
      continue;
    if (begin > at)
      parts.push_back(filled(begin - at, tile, zero));
    parts.push_back(rows(tile, begin - to, end - begin));
    at = end;
  }
  if (at < width)
    parts.push_back(filled(width - at, tiles.front().second, zero));
  if (parts.size() == 1)
    return parts.front();
  SmallVector<int64_t> shape(typeOf(parts.front()).getShape());
  shape[dim] = width;
  return stablehlo::ConcatenateOp::create(
      builder, loc, typeOf(parts.front()).clone(ArrayRef<int64_t>(shape)),
      parts, dim);
}

/// Writes the messages into one buffer with margins on both sides, at offsets
/// that differ by shard.
Value RowMover::overlaid(ArrayRef<RowExchange> exchanges,
                         ArrayRef<Value> messages, int64_t width, Value zero) {
  int64_t room = 0;
  for (const RowExchange &exchange : exchanges)
    room = std::max(room, exchange.rows);
  Value buffer = filled(width + 2 * room, messages.front(), zero);
  for (auto [exchange, message] : llvm::zip(exchanges, messages)) {
    SmallVector<int64_t> table;
    for (const RowPiece &piece : exchange.pieces)
      table.push_back(room + (piece.source < 0 ? width : piece.to));
    SmallVector<Value> starts(typeOf(message).getRank(), indices.constant(0));
    starts[dim] = lookUp(table);
    buffer = stablehlo::DynamicUpdateSliceOp::create(
        builder, loc, buffer.getType(), buffer, message, starts);
  }
  return rows(buffer, room, width);
}

Value RowMover::placed(ArrayRef<RowExchange> exchanges,
                       ArrayRef<Value> messages, int64_t width, Value zero) {
  // Use static offsets if all shards have equal offsets and no tiles overlap.
  SmallVector<std::pair<int64_t, Value>> tiles;
  bool isStatic = true;
  for (auto [exchange, message] : llvm::zip(exchanges, messages)) {
    std::optional<int64_t> to;
    for (const RowPiece &piece : exchange.pieces)
      if (piece.source >= 0) {
        isStatic &= !to || *to == piece.to;
        to = piece.to;
      }
    tiles.push_back({to.value_or(0), message});
  }
  llvm::sort(tiles, [](auto &a, auto &b) { return a.first < b.first; });
  for (size_t i = 1; i < tiles.size(); ++i)
    isStatic &=
        tiles[i - 1].first + typeOf(tiles[i - 1].second).getDimSize(dim) <=
        tiles[i].first;
  return isStatic ? assembled(tiles, width, zero)
                  : overlaid(exchanges, messages, width, zero);
}

/// Slices the window's rows, starting at `start` (without the window's offset),
/// from a replicated value.
Value sliceOfUnsharded(RowMover &mover, OpBuilder &builder, Location loc,
                       Value value, int64_t dim, const RowWindow &window,
                       Value start, Value zero) {
  auto type = typeOf(value);
  if (window.wraps) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] *= 2;
    value = stablehlo::ConcatenateOp::create(
        builder, loc, type.clone(ArrayRef<int64_t>(shape)),
        ValueRange{value, value}, dim);
    type = typeOf(value);
  }
  // Pad for windows that reach beyond the value.
  SmallVector<int64_t> room(type.getRank(), 0), none(room),
      shape(type.getShape());
  room[dim] = window.width;
  shape[dim] += 2 * window.width;
  Value padded = stablehlo::PadOp::create(builder, loc,
                                          type.clone(ArrayRef<int64_t>(shape)),
                                          value, zero, room, room, none);
  return mover.rowsAt(padded, mover.plus(start, window.offset + window.width),
                      window.width);
}

/// The rows that each shard sends in the exchange.
Value cutMessage(RowMover &mover, Value value, const RowExchange &exchange,
                 int64_t shards) {
  SmallVector<int64_t> from(shards, 0);
  std::optional<int64_t> common;
  bool isStatic = true;
  for (const RowPiece &piece : exchange.pieces)
    if (piece.source >= 0) {
      from[piece.source] = piece.from;
      isStatic &= !common || *common == piece.from;
      common = piece.from;
    }
  return isStatic ? mover.rows(value, *common, exchange.rows)
                  : mover.rowsAt(value, mover.lookUp(from), exchange.rows);
}

/// Sends the message of each shard to the shard that receives it.
Value permuteRows(OpBuilder &builder, Location loc, Value message,
                  const RowExchange &exchange, const DeviceGroups &groups,
                  int64_t shards, stablehlo::ChannelHandleAttr handle) {
  SmallVector<int64_t> pairs;
  for (int64_t g = 0; g < groups.numGroups; ++g)
    for (auto [k, piece] : llvm::enumerate(exchange.pieces))
      if (piece.source >= 0)
        pairs.append({groups.ids[g * shards + piece.source],
                      groups.ids[g * shards + int64_t(k)]});
  auto pairType = RankedTensorType::get({int64_t(pairs.size()) / 2, 2},
                                        builder.getI64Type());
  auto permute = stablehlo::CollectivePermuteOp::create(
      builder, loc, message.getType(), message,
      DenseIntElementsAttr::get(pairType, ArrayRef<int64_t>(pairs)), handle);
  // Rows that no shard sends are outside of the dimension: they are filled
  // later, or are padding rows of an uneven dimension.
  permute->setDiscardableAttr(kRestUnusedAttrName, builder.getUnitAttr());
  return permute;
}

} // namespace

Value Localizer::fetchRows(OpBuilder &builder, Location loc, Value value,
                           int64_t dim, const RowPlace &place,
                           const RowWindow &window, Value fill) {
  auto type = typeOf(value);
  Value zero = fill ? fill
                    : zeros(builder, loc,
                            RankedTensorType::get({}, type.getElementType()));
  RowMover mover(builder, loc, indices, place.mesh, place.axes, dim);
  Value start = indices.offset(place.mesh, place.axes, window.scale);
  int64_t shards = totalSize(place.axes);
  if (place.isUnsharded)
    return sliceOfUnsharded(mover, builder, loc, value, dim, window, start,
                            zero);

  ExchangePlan plan = planExchange(window, place.size, shards);
  std::vector<RowExchange> exchanges;
  SmallVector<Value> messages;
  DeviceGroups groups;
  if (!plan.exchanges.empty())
    groups = deviceGroups(meshes.mesh(place.mesh), place.axes);
  auto keep = [&](const RowExchange &exchange, Value message) {
    exchanges.push_back(exchange);
    messages.push_back(message);
  };
  if (plan.own.rows != 0)
    keep(plan.own, cutMessage(mover, value, plan.own, shards));
  for (const RowExchange &exchange : plan.exchanges)
    if (exchange.rows != 0)
      keep(exchange,
           permuteRows(builder, loc, cutMessage(mover, value, exchange, shards),
                       exchange, groups, shards, nextHandle()));
  if (messages.empty()) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = window.width;
    return stablehlo::BroadcastInDimOp::create(
        builder, loc, type.clone(ArrayRef<int64_t>(shape)), zero,
        ArrayRef<int64_t>());
  }
  Value all = mover.placed(exchanges, messages, window.width, zero);
  if (!fill || !plan.leavesRows)
    return all;

  auto counts = typeOf(all).clone(builder.getI64Type());
  Value row = stablehlo::AddOp::create(
      builder, loc, counts,
      stablehlo::IotaOp::create(builder, loc, counts, dim),
      broadcastScalar(builder, loc, mover.plus(start, window.offset), counts));
  Value after =
      buildCompare(builder, loc, row,
                   broadcastScalar(builder, loc, indices.constant(0), counts),
                   stablehlo::ComparisonDirection::GE);
  Value before = buildCompare(
      builder, loc, row,
      broadcastScalar(builder, loc, indices.constant(place.size), counts),
      stablehlo::ComparisonDirection::LT);
  Value inside =
      stablehlo::AndOp::create(builder, loc, after.getType(), after, before);
  return stablehlo::SelectOp::create(
      builder, loc, all.getType(), inside, all,
      broadcastScalar(builder, loc, fill, typeOf(all)));
}

LogicalResult Localizer::fetchWindows(
    Operation *op, llvm::function_ref<Value(int64_t operand)> fillOf,
    llvm::function_ref<void(const OpWindow &, const RowWindow &)> settle) {
  OpBuilder builder(op);
  Value result = op->getResult(0);
  // Keep the original operands: fetched values have no layout.
  SmallVector<Value> operands(op->getOperands());
  for (const OpWindow &window : getWindowsOf(op)) {
    Value mover = window.kernelDim < 0 ? result : operands[1];
    int64_t movingDim =
        window.kernelDim < 0 ? window.resultDim : window.kernelDim;
    RowPlace place{layoutOf(mover).mesh, axesOf(mover, movingDim)};
    if (place.axes.empty())
      continue;
    Value operand = operands[window.operand];
    place.size = fullSize(operand, window.operandDim);
    place.isUnsharded = axesOf(operand, window.operandDim).empty();
    std::optional<RowWindow> rows = window.map.ofShards(totalSize(place.axes));
    if (!rows)
      return op->emitOpError("has dimension ")
             << window.resultDim
             << " in shards that start between rows of the operand; run "
                "sw-insert-collectives first";
    if (!place.isUnsharded &&
        failed(form->checkRows(op, window.resultDim, *rows, place.size,
                               totalSize(place.axes))))
      return failure();
    op->setOperand(window.operand,
                   fetchRows(builder, op->getLoc(),
                             op->getOperand(window.operand), window.operandDim,
                             place, *rows, fillOf(window.operand)));
    settle(window, *rows);
  }
  return success();
}

} // namespace shardwright
