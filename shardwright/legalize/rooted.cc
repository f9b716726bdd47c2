//===- rooted.cc - collectives with a root --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// collective_reduce is an all_reduce whose result only the root keeps.
// collective_broadcast is a sum of the root's bits and zeros, as integers,
// which is exact for every type.
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/legalize.h"
#include "shardwright/legalize/replica_groups.h"
#include "shardwright/support/element_type.h"

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

namespace {

class Rooted {
public:
  Rooted(Operation *op, ReplicaGroups groups, int64_t devices,
         int64_t partitions)
      : op(op), at(op->getLoc()), b(op), groups(std::move(groups)),
        groupOf(devices, 0), placeOf(devices, -1), partitions(partitions) {
    for (auto [g, group] : llvm::enumerate(this->groups))
      for (auto [i, device] : llvm::enumerate(group)) {
        groupOf[device] = int32_t(g);
        placeOf[device] = int32_t(i);
      }
  }

  /// True if this device is the root of its group: the member that `roots`
  /// names for its row of replica groups, or the first member without `roots`.
  FailureOr<Value> isRoot(Value roots) {
    Value place = ofThisDevice(placeOf);
    Value root = constant(0);
    if (roots) {
      // One row may stand for several consecutive groups.
      int64_t rows = cast<RankedTensorType>(roots.getType()).getDimSize(0);
      auto count = int64_t(groups.size());
      if (rows <= 0 || count % rows != 0)
        return op->emitError() << "names " << rows
                               << " roots for its replica "
                                  "groups, expected one for each";
      for (int32_t &group : groupOf)
        group = int32_t(group / (count / rows));
      auto type = RankedTensorType::get({1}, b.getI32Type());
      root = hlo::ReshapeOp::create(
          b, at, scalar(b.getI32Type()),
          hlo::DynamicSliceOp::create(b, at, type, roots, ofThisDevice(groupOf),
                                      b.getDenseI64ArrayAttr({1})));
    }
    return Value(hlo::CompareOp::create(b, at, place, root,
                                        hlo::ComparisonDirection::EQ));
  }

  Value orZeros(Value chosen, Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    Value zeros = hlo::ConstantOp::create(b, at, zeroOf(type));
    return hlo::SelectOp::create(b, at, type, chosen, x, zeros);
  }

  /// Broadcasts the root's value to all members; other devices get zeros.
  Value fromRoot(Value root, Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    Type element = type.getElementType();
    if (auto parts = dyn_cast<ComplexType>(element)) {
      auto partType = type.clone(parts.getElementType());
      Value re = fromRoot(root, hlo::RealOp::create(b, at, partType, x));
      Value im = fromRoot(root, hlo::ImagOp::create(b, at, partType, x));
      return hlo::ComplexOp::create(b, at, type, re, im);
    }
    if (isa<IntegerType>(element))
      return sumOver(orZeros(root, x));
    // Floats of other widths have no integer type of the same width.
    unsigned width = element.getIntOrFloatBitWidth();
    if (!llvm::isPowerOf2_32(width)) {
      Value wide = hlo::ConvertOp::create(b, at, type.clone(b.getF32Type()), x);
      return hlo::ConvertOp::create(b, at, type, fromRoot(root, wide));
    }
    auto bits = type.clone(
        IntegerType::get(op->getContext(), width, IntegerType::Unsigned));
    Value sent =
        sumOver(orZeros(root, hlo::BitcastConvertOp::create(b, at, bits, x)));
    return hlo::BitcastConvertOp::create(b, at, type, sent);
  }

private:
  static RankedTensorType scalar(Type element) {
    return RankedTensorType::get({}, element);
  }
  Value constant(int32_t value) {
    return hlo::ConstantOp::create(
        b, at, DenseElementsAttr::get(scalar(b.getI32Type()), value));
  }
  ElementsAttr zeroOf(RankedTensorType type) {
    Type element = type.getElementType();
    if (auto parts = dyn_cast<ComplexType>(element)) {
      APFloat zero(cast<FloatType>(parts.getElementType()).getFloatSemantics());
      return DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero));
    }
    return DenseElementsAttr::get(type,
                                  cast<TypedAttr>(b.getZeroAttr(element)));
  }

  /// The entry of this device in a table indexed by device.
  Value ofThisDevice(ArrayRef<int32_t> table) {
    if (!device) {
      auto type = scalar(b.getIntegerType(32, /*isSigned=*/false));
      Value replica = hlo::ReplicaIdOp::create(b, at, type);
      Value count = hlo::ConstantOp::create(
          b, at, DenseElementsAttr::get(type, uint32_t(partitions)));
      device =
          hlo::AddOp::create(b, at, hlo::MulOp::create(b, at, replica, count),
                             hlo::PartitionIdOp::create(b, at, type));
    }
    auto type = RankedTensorType::get({int64_t(table.size())}, b.getI32Type());
    Value all =
        hlo::ConstantOp::create(b, at, DenseElementsAttr::get(type, table));
    return hlo::ReshapeOp::create(
        b, at, scalar(b.getI32Type()),
        hlo::DynamicSliceOp::create(b, at, type.clone({1}, b.getI32Type()), all,
                                    device, b.getDenseI64ArrayAttr({1})));
  }

  /// The sum of integers, `or` of booleans, over the groups of the operation.
  Value sumOver(Value x) {
    size_t width = 1;
    for (const auto &group : groups)
      width = std::max(width, size_t(group.size()));
    llvm::SmallVector<int64_t> ids;
    for (const auto &group : groups) {
      ids.append(group.begin(), group.end());
      ids.append(width - group.size(), -1);
    }
    auto rows = DenseIntElementsAttr::get(
        RankedTensorType::get({int64_t(groups.size()), int64_t(width)},
                              b.getI64Type()),
        ids);
    auto channel = hlo::ChannelHandleAttr::get(op->getContext(), 1, 1);
    auto reduce = hlo::AllReduceOp::create(b, at, TypeRange{x.getType()},
                                           ValueRange{x}, rows, channel,
                                           /*use_global_device_ids=*/true);
    OpBuilder::InsertionGuard guard(b);
    auto element = scalar(cast<RankedTensorType>(x.getType()).getElementType());
    Block *body = b.createBlock(&reduce.getComputation(), {},
                                {element, element}, {at, at});
    Value one = body->getArgument(0), other = body->getArgument(1);
    Value both = element.getElementType().isInteger(1)
                     ? Value(hlo::OrOp::create(b, at, one, other))
                     : Value(hlo::AddOp::create(b, at, one, other));
    hlo::ReturnOp::create(b, at, ValueRange{both});
    // Devices outside of all groups get zeros.
    return reduce.getResult(0);
  }

  Operation *op;
  Location at;
  OpBuilder b;
  ReplicaGroups groups;
  llvm::SmallVector<int32_t> groupOf, placeOf;
  int64_t partitions;
  Value device;
};

} // namespace

LogicalResult legalizeCollectiveReduce(hlo::CollectiveReduceOp op,
                                       int64_t replicas, int64_t partitions) {
  FailureOr<ReplicaGroups> groups = readReplicaGroups(op, replicas, partitions);
  if (failed(groups))
    return failure();
  Rooted rooted(op, *groups, replicas * partitions, partitions);
  ValueRange operands = op.getOperands();
  Value roots;
  if (op.getHasDynamicRoot()) {
    roots = operands.back();
    operands = operands.drop_back();
  }
  FailureOr<Value> root = rooted.isRoot(roots);
  if (failed(root))
    return failure();
  OpBuilder b(op);
  auto reduce = hlo::AllReduceOp::create(
      b, op.getLoc(), op.getResultTypes(), operands, op.getReplicaGroups(),
      op.getChannelHandleAttr(), op.getUseGlobalDeviceIds());
  reduce.getComputation().takeBody(op.getComputation());
  for (auto [from, to] : llvm::zip_equal(op.getResults(), reduce.getResults()))
    from.replaceAllUsesWith(rooted.orZeros(*root, to));
  op.erase();
  return success();
}

LogicalResult legalizeBroadcast(hlo::CollectiveBroadcastOp op, int64_t replicas,
                                int64_t partitions) {
  FailureOr<ReplicaGroups> groups = readReplicaGroups(op, replicas, partitions);
  if (failed(groups))
    return failure();
  Rooted rooted(op, *groups, replicas * partitions, partitions);
  ValueRange operands = op.getOperands();
  Value roots;
  if (op.getHasDynamicRoot()) {
    roots = operands.back();
    operands = operands.drop_back();
  }
  FailureOr<Value> root = rooted.isRoot(roots);
  if (failed(root))
    return failure();
  for (auto [from, x] : llvm::zip_equal(op.getResults(), operands))
    from.replaceAllUsesWith(rooted.fromRoot(*root, x));
  op.erase();
  return success();
}

} // namespace shardwright::legalize
