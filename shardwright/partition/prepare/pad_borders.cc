//===- pad_borders.cc - padded shards of arguments and results ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/prepare/pad_borders.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/mesh/shard_size.h"
#include "shardwright/partition/ops/op_builders.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardwright {
namespace {

class BorderPadder {
public:
  explicit BorderPadder(func::FuncOp main) : main(main), border(main) {}

  LogicalResult run() {
    for (BlockArgument arg : main.getArguments())
      if (failed(padArgument(arg)))
        return failure();
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      if (failed(padResult(i)))
        return failure();
    border.write();
    Block &body = main.getBody().front();
    main.setType(FunctionType::get(main.getContext(), body.getArgumentTypes(),
                                   body.getTerminator()->getOperandTypes()));
    return success();
  }

private:
  /// The type that all shards have together; a null type if it is `type`.
  /// `what` and `i` describe the value in errors.
  FailureOr<RankedTensorType> paddedType(Type type,
                                         sdy::TensorShardingAttr sharding,
                                         StringRef what, unsigned i);
  LogicalResult padArgument(BlockArgument arg);
  LogicalResult padResult(unsigned i);
  /// The attribute for the shape of a value before it was padded.
  DenseI64ArrayAttr shapeAttr(Type type) {
    return DenseI64ArrayAttr::get(main.getContext(),
                                  cast<RankedTensorType>(type).getShape());
  }

  func::FuncOp main;
  sdy::BorderAttributes border;
};

FailureOr<RankedTensorType>
BorderPadder::paddedType(Type type, sdy::TensorShardingAttr sharding,
                         StringRef what, unsigned i) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !sharding ||
      sharding.getRank() != tensor.getRank())
    return RankedTensorType();
  sdy::MeshAttr mesh = sdy::getMeshAttr(main, sharding);
  if (!mesh || mesh.getAxes().empty())
    return RankedTensorType();
  TensorSharding axes =
      sdy::shardingFromAttr(sharding, sdy::meshFromAttr(mesh));
  SmallVector<int64_t> shape(tensor.getShape());
  bool isPadded = false;
  for (auto [d, size] : llvm::enumerate(shape)) {
    int64_t shards = axes.dims[d].shards();
    if (size % shards == 0)
      continue;
    isPadded = true;
    if (llvm::MulOverflow(shardSize(size, shards), shards, size))
      return main.emitError()
             << what << " #" << i << " has dimension " << d << " of size "
             << tensor.getDimSize(d) << " over " << shards
             << " shards, whose padded size cannot be counted";
  }
  return isPadded ? tensor.clone(shape) : RankedTensorType();
}

LogicalResult BorderPadder::padArgument(BlockArgument arg) {
  unsigned i = arg.getArgNumber();
  sdy::TensorShardingAttr sharding = sdy::getSharding(arg);
  auto padded = paddedType(arg.getType(), sharding, "argument", i);
  if (failed(padded) || !*padded)
    return padded;
  auto original = cast<RankedTensorType>(arg.getType());
  auto builder = OpBuilder::atBlockBegin(arg.getOwner());
  SmallVector<int64_t> zeros(original.getRank(), 0),
      ones(original.getRank(), 1);
  arg.setType(*padded);
  auto slice = stablehlo::SliceOp::create(builder, arg.getLoc(), original, arg,
                                          zeros, original.getShape(), ones);
  sdy::setShardings(slice, sharding);
  arg.replaceAllUsesExcept(slice, slice);
  border.setArgument(i, kUnpaddedShapeAttrName, shapeAttr(original));
  return success();
}

LogicalResult BorderPadder::padResult(unsigned i) {
  sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(main, i);
  Type type = main.getResultTypes()[i];
  auto padded = paddedType(type, sharding, "result", i);
  if (failed(padded) || !*padded)
    return padded;
  auto original = cast<RankedTensorType>(type);
  Operation *terminator = main.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  OpOperand &returned = terminator->getOpOperand(i);
  Location loc = returned.get().getLoc();
  auto scalar = RankedTensorType::get({}, original.getElementType());
  Value zero = buildZero(builder, loc, scalar);
  SmallVector<int64_t> zeros(original.getRank(), 0), high;
  for (auto [large, small] : llvm::zip(padded->getShape(), original.getShape()))
    high.push_back(large - small);
  auto pad = stablehlo::PadOp::create(builder, loc, *padded, returned.get(),
                                      zero, zeros, high, zeros);
  sdy::setShardings(pad, sharding);
  returned.set(pad);
  border.setResult(i, kUnpaddedShapeAttrName, shapeAttr(original));
  return success();
}

} // namespace

LogicalResult padBorders(func::FuncOp main) {
  if (main.isDeclaration() || !main.getBody().hasOneBlock())
    return success(); // insertCollectives reports it
  return BorderPadder(main).run();
}

} // namespace shardwright
