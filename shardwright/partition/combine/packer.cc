//===- packer.cc - operands of packed collectives -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/combine/packer.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_builders.h"

using namespace mlir;

namespace shardwright {

Value Packer::reshape(Value value, ArrayRef<int64_t> shape) {
  return buildReshape(b, loc, value, shape);
}

Value Packer::transpose(Value value, ArrayRef<int64_t> permutation) {
  return buildTranspose(b, loc, value, permutation);
}

Value Packer::partsAsRows(Value value, int64_t dim, int64_t n) {
  SmallVector<int64_t> shape(typeOf(value).getShape()), permutation{dim};
  if (shape.size() == 2 && dim == 0 && shape[0] == n)
    return value;
  shape[dim] /= n;
  shape.insert(shape.begin() + dim, n);
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (d != dim)
      permutation.push_back(d);
  value = transpose(reshape(value, shape), permutation);
  return reshape(value, {n, typeOf(value).getNumElements() / n});
}

Value Packer::rowsAlong(Value value, int64_t dim, ArrayRef<int64_t> shape) {
  int64_t n = typeOf(value).getDimSize(0);
  SmallVector<int64_t> open(shape), joined(shape), permutation;
  open.insert(open.begin(), n);
  for (int64_t d = 1; d < int64_t(open.size()); ++d) {
    if (d - 1 == dim)
      permutation.push_back(0);
    permutation.push_back(d);
  }
  joined[dim] *= n;
  return reshape(transpose(reshape(value, open), permutation), joined);
}

Value Packer::sideBySide(ArrayRef<Value> values) {
  int64_t width = 0;
  for (Value value : values)
    width += typeOf(value).getDimSize(1);
  auto type = typeOf(values.front());
  return stablehlo::ConcatenateOp::create(
      b, loc, type.clone(ArrayRef<int64_t>{type.getDimSize(0), width}), values,
      1);
}

Value Packer::columns(Value value, int64_t from, int64_t count) {
  int64_t rows = typeOf(value).getDimSize(0);
  return stablehlo::SliceOp::create(
      b, loc, typeOf(value).clone(ArrayRef<int64_t>{rows, count}), value,
      ArrayRef<int64_t>{0, from}, ArrayRef<int64_t>{rows, from + count},
      ArrayRef<int64_t>{1, 1});
}

Value Packer::padColumns(Value value, int64_t count) {
  RankedTensorType type = typeOf(value);
  RankedTensorType zeros = type.clone({type.getDimSize(0), count});
  return sideBySide({value, buildZero(b, loc, zeros)});
}

} // namespace shardwright
