//===- function_start.cc - scalars at the start of a function -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/support/function_start.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace mlir;

namespace shardwright {

static RankedTensorType scalarType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

Value FunctionStart::constant(int64_t value) {
  Value &slot = constants[value];
  if (!slot) {
    auto type = scalarType(func.getContext());
    slot = make<stablehlo::ConstantOp>(
        type, DenseElementsAttr::get(type, ArrayRef<int64_t>(value)));
  }
  return slot;
}

Value FunctionStart::deviceId(bool isReplica) {
  auto type = scalarType(func.getContext());
  auto idType = type.clone(
      IntegerType::get(func.getContext(), 32, IntegerType::Unsigned));
  Value id = isReplica ? make<stablehlo::ReplicaIdOp>(idType)
                       : make<stablehlo::PartitionIdOp>(idType);
  return make<stablehlo::ConvertOp>(type, id);
}

Value FunctionStart::entry(ArrayRef<int64_t> table, Value index) {
  auto type = scalarType(func.getContext());
  auto tableType = type.clone(ArrayRef<int64_t>(table.size()));
  Value all = make<stablehlo::ConstantOp>(
      tableType, DenseElementsAttr::get(tableType, table));
  Value one = make<stablehlo::DynamicSliceOp>(
      tableType.clone(ArrayRef<int64_t>{1}), all, ValueRange{index},
      ArrayRef<int64_t>{1});
  return make<stablehlo::ReshapeOp>(type, one);
}

} // namespace shardwright
