//===- tile_scatters.cc - reduce_scatters of full tiles -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/combine/tile_scatters.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/combine/packer.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {
namespace {

constexpr int64_t kRows = 8, kLanes = 128;
/// A ring in both directions halves each result, and each half has full tiles.
constexpr int64_t kElements = 2 * kRows * kLanes;

bool hasFullTiles(RankedTensorType type) {
  int64_t rank = type.getRank();
  return rank >= 2 && type.getDimSize(rank - 1) % kLanes == 0 &&
         type.getDimSize(rank - 2) % kRows == 0 &&
         type.getNumElements() % kElements == 0;
}

/// True for static shapes and elements of 16 or 32 bits, whose tiles are known.
bool canTile(stablehlo::ReduceScatterOp op) {
  if (op->getNumOperands() != 1)
    return false;
  auto operand = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return operand && result && operand.hasStaticShape() &&
         result.hasStaticShape() && result.getNumElements() > 0 &&
         operand.getElementType() == result.getElementType() &&
         operand.getElementType().isIntOrFloat() &&
         llvm::is_contained({16u, 32u}, operand.getElementTypeBitWidth());
}

class ScatterTiler {
public:
  ScatterTiler(stablehlo::ReduceScatterOp op, int64_t &nextChannel)
      : op(op), packer(op, /*listener=*/nullptr), nextChannel(nextChannel) {}
  void run();

private:
  /// Reduces and scatters a matrix with a row for each device. Returns the
  /// device's row.
  Value scatterRows(Value rows, ArrayRef<int64_t> resultShape);

  stablehlo::ReduceScatterOp op;
  Packer packer;
  int64_t &nextChannel;
};

Value ScatterTiler::scatterRows(Value rows, ArrayRef<int64_t> resultShape) {
  RankedTensorType type = Packer::typeOf(rows);
  SmallVector<int64_t> shape(resultShape);
  shape[0] *= type.getDimSize(0);
  Value operand = packer.reshape(rows, shape);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operand);
  state.addTypes(type.clone(resultShape));
  state.addAttributes(op->getAttrs());
  IRMapping mapping;
  op.getComputation().cloneInto(state.addRegion(), mapping);
  auto scatter = cast<stablehlo::ReduceScatterOp>(packer.b.create(state));
  scatter.setScatterDimension(0);
  return packer.reshape(scatter->getResult(0),
                        {1, type.getNumElements() / type.getDimSize(0)});
}

void ScatterTiler::run() {
  Value operand = op->getOperand(0);
  RankedTensorType result = Packer::typeOf(op->getResult(0));
  int64_t dim = op.getScatterDimension();
  int64_t devices =
      Packer::typeOf(operand).getDimSize(dim) / result.getDimSize(dim);
  int64_t own = result.getNumElements();
  int64_t rest = own % kElements, full = own - rest;
  bool pads = 2 * rest > kElements;
  if (full == 0 && !pads)
    return;
  Value rows = packer.partsAsRows(operand, dim, devices);
  SmallVector<Value> parts;
  auto tiles = [&](Value value, int64_t columns) {
    parts.push_back(scatterRows(value, {kRows, columns / kRows}));
  };
  if (rest == 0) {
    tiles(rows, own);
  } else if (pads) {
    tiles(packer.padColumns(rows, kElements - rest), full + kElements);
    parts.back() = packer.columns(parts.back(), 0, own);
  } else {
    tiles(packer.columns(rows, 0, full), full);
    if (auto channel = op.getChannelHandle(); channel && *channel)
      op.setChannelHandleAttr(stablehlo::ChannelHandleAttr::get(
          op.getContext(), nextChannel++, channel->getType()));
    parts.push_back(scatterRows(packer.columns(rows, full, rest), {1, rest}));
  }
  Value all = parts.size() == 1 ? parts.front() : packer.sideBySide(parts);
  op->getResult(0).replaceAllUsesWith(packer.reshape(all, result.getShape()));
  op->erase();
}

} // namespace

void tileScatters(func::FuncOp func, int64_t &nextChannel) {
  SmallVector<stablehlo::ReduceScatterOp> scatters;
  func.walk([&](stablehlo::ReduceScatterOp op) {
    if (canTile(op) && !hasFullTiles(Packer::typeOf(op->getResult(0))))
      scatters.push_back(op);
  });
  for (stablehlo::ReduceScatterOp op : scatters)
    ScatterTiler(op, nextChannel).run();
}

} // namespace shardwright
