//===- expand_scan.cc - scan as a loop ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/interop/chlo/expand_op.h"
#include "shardwright/interop/chlo/math_builder.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

namespace {

// The type with dimension `d` of size one, or without the dimension.
RankedTensorType oneSlice(RankedTensorType type, int64_t d) {
  SmallVector<int64_t> shape(type.getShape());
  shape[d] = 1;
  return RankedTensorType::get(shape, type.getElementType());
}

Value integer(OpBuilder &b, Location loc, int64_t value) {
  return stablehlo::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()), value));
}

// Returns the number of iterations. Fails unless all other sizes are static, as
// slices and updates require.
FailureOr<std::optional<int64_t>> checkShapes(chlo::ScanOp op) {
  int64_t d = op.getDimension();
  std::optional<int64_t> count;
  if (op.getScanDimSize())
    count = *op.getScanDimSize();
  SmallVector<Value> scanned(op.getInputs());
  llvm::append_range(scanned, op.getOutputs());
  for (Value value : scanned) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || d >= type.getRank())
      return op.emitOpError("has no expansion for a scanned value of type ")
             << value.getType();
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i != d && type.isDynamicDim(i))
        return op.emitOpError("has no expansion for the dynamic slices of ")
               << type;
    if (!type.isDynamicDim(d))
      count = type.getDimSize(d);
  }
  if (!count && op.getInputs().empty())
    return op.emitOpError("has no expansion without the size of the dimension");
  for (Value output : op.getOutputs())
    if (cast<RankedTensorType>(output.getType()).isDynamicDim(d) &&
        op.getInputs().empty() && !count)
      return op.emitOpError("has no expansion for the dynamic output ")
             << output.getType();
  return count;
}

// Zeros, into which the slices of an output are written.
Value emptyOutput(OpBuilder &b, chlo::ScanOp op, RankedTensorType type) {
  MathBuilder math{b, op.getLoc(), Value()};
  if (type.hasStaticShape())
    return stablehlo::ConstantOp::create(
        b, op.getLoc(), cast<ElementsAttr>(b.getZeroAttr(type)));
  // The size of the scanned dimension is that of the inputs.
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    sizes.push_back(type.isDynamicDim(i)
                        ? sizeOf(b, op.getLoc(), op.getInputs().front(), i)
                        : integer(b, op.getLoc(), type.getDimSize(i)));
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = stablehlo::ConstantOp::create(
      b, op.getLoc(), cast<ElementsAttr>(b.getZeroAttr(scalar)));
  return stablehlo::DynamicBroadcastInDimOp::create(
      b, op.getLoc(), type, zero, joinScalars(b, op.getLoc(), sizes),
      b.getDenseI64ArrayAttr({}), DenseI64ArrayAttr(), DenseI64ArrayAttr());
}

// The loop carries (counter, outputs..., carries...); the body uses the inputs
// directly.
class ScanLoop {
public:
  ScanLoop(chlo::ScanOp op) : op(op), b(op), loc(op.getLoc()) {}

  LogicalResult expand(Results &results) {
    FailureOr<std::optional<int64_t>> known = checkShapes(op);
    if (failed(known))
      return failure();
    count = *known ? integer(b, loc, **known)
                   : sizeOf(b, loc, op.getInputs().front(), op.getDimension());
    SmallVector<Value> inits{integer(b, loc, 0)};
    for (Value output : op.getOutputs())
      inits.push_back(
          emptyOutput(b, op, cast<RankedTensorType>(output.getType())));
    // A carry may have a less static type than its init.
    for (auto [init, carry] : llvm::zip(op.getInits(), op.getCarries()))
      inits.push_back(init.getType() == carry.getType()
                          ? init
                          : Value(stablehlo::ConvertOp::create(
                                b, loc, carry.getType(), init)));
    auto loop =
        stablehlo::WhileOp::create(b, loc, TypeRange(ValueRange(inits)), inits);
    for (Region *region : {&loop.getCond(), &loop.getBody()})
      for (Value init : inits)
        (region->empty() ? region->emplaceBlock() : region->front())
            .addArgument(init.getType(), loc);
    b.setInsertionPointToStart(&loop.getCond().front());
    Value more =
        stablehlo::CompareOp::create(b, loc, loop.getCond().getArgument(0),
                                     count, stablehlo::ComparisonDirection::LT);
    stablehlo::ReturnOp::create(b, loc, more);
    fillBody(loop.getBody().front());
    keepAttributes(loop);
    llvm::append_range(results, loop.getResults().drop_front());
    return success();
  }

private:
  void fillBody(Block &body) {
    b.setInsertionPointToStart(&body);
    Value counter = body.getArgument(0);
    Value position = counter;
    if (op.getIsReverse()) {
      Value last =
          stablehlo::SubtractOp::create(b, loc, count, integer(b, loc, 1));
      position = stablehlo::SubtractOp::create(b, loc, last, counter);
    }
    Block &step = op.getBody().front();
    size_t inputCount = op.getInputs().size(),
           outputCount = op.getOutputs().size();
    SmallVector<Value> arguments;
    for (auto [index, input] : llvm::enumerate(op.getInputs()))
      arguments.push_back(
          sliceAt(input, position, step.getArgument(index).getType()));
    for (size_t i = 0; i < op.getInits().size(); ++i)
      arguments.push_back(asType(body.getArgument(1 + outputCount + i),
                                 step.getArgument(inputCount + i).getType()));
    for (auto [argument, value] : llvm::zip(step.getArguments(), arguments))
      argument.replaceAllUsesWith(value);
    Operation *end = step.getTerminator();
    SmallVector<Value> returned(end->getOperands());
    end->erase();
    body.getOperations().splice(body.end(), step.getOperations());

    b.setInsertionPointToEnd(&body);
    SmallVector<Value> next{
        stablehlo::AddOp::create(b, loc, counter, integer(b, loc, 1))};
    for (size_t i = 0; i < outputCount; ++i)
      next.push_back(update(body.getArgument(1 + i), returned[i], position));
    for (size_t i = outputCount; i < returned.size(); ++i)
      next.push_back(asType(returned[i], body.getArgument(1 + i).getType()));
    stablehlo::ReturnOp::create(b, loc, next);
  }

  Value asType(Value value, Type type) {
    if (value.getType() == type)
      return value;
    return stablehlo::ConvertOp::create(b, loc, type, value);
  }

  SmallVector<Value> startsAt(int64_t rank, Value position) {
    SmallVector<Value> starts(rank, integer(b, loc, 0));
    starts[op.getDimension()] = position;
    return starts;
  }

  Value sliceAt(Value whole, Value position, Type type) {
    auto wholeType = cast<RankedTensorType>(whole.getType());
    RankedTensorType one = oneSlice(wholeType, op.getDimension());
    Value slice = stablehlo::DynamicSliceOp::create(
        b, loc, whole, startsAt(one.getRank(), position),
        b.getDenseI64ArrayAttr(one.getShape()));
    SmallVector<int64_t> shape(one.getShape());
    shape.erase(shape.begin() + op.getDimension());
    Value flat = stablehlo::ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, one.getElementType()), slice);
    return asType(flat, type);
  }

  Value update(Value whole, Value slice, Value position) {
    RankedTensorType one =
        oneSlice(cast<RankedTensorType>(whole.getType()), op.getDimension());
    Value shaped = stablehlo::ReshapeOp::create(b, loc, one, slice);
    return stablehlo::DynamicUpdateSliceOp::create(
        b, loc, whole, shaped, startsAt(one.getRank(), position));
  }

  // Lists with one sharding per result get an entry for the counter.
  void keepAttributes(stablehlo::WhileOp loop) {
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs())) {
      Attribute value = attr.getValue();
      auto shardings = dyn_cast<sdy::TensorShardingPerValueAttr>(value);
      if (shardings && !shardings.getShardings().empty() &&
          shardings.getShardings().size() == op->getNumResults()) {
        auto counter = sdy::TensorShardingPerValueAttr::getFullyOpen(
            op.getContext(), TypeRange(loop.getResultTypes()).take_front(),
            shardings.getShardings().front().getMeshOrRef());
        SmallVector<sdy::TensorShardingAttr> all(counter.getShardings());
        llvm::append_range(all, shardings.getShardings());
        value = sdy::TensorShardingPerValueAttr::get(op.getContext(), all);
      }
      loop->setDiscardableAttr(attr.getName(), value);
      op->removeDiscardableAttr(attr.getName());
    }
  }

  chlo::ScanOp op;
  OpBuilder b;
  Location loc;
  Value count;
};

} // namespace

LogicalResult expandScan(chlo::ScanOp op, Results &results) {
  return ScanLoop(op).expand(results);
}

} // namespace shardwright::chlo_expansion
