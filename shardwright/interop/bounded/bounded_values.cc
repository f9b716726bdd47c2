//===- bounded_values.cc - padded tensors and their sizes -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_values.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

using stablehlo::ComparisonDirection;

Value BoundedBuilder::compare(Value x, Value y, ComparisonDirection direction) {
  return stablehlo::CompareOp::create(b, loc, x, y, direction);
}

Value BoundedBuilder::select(Value predicate, Value x, Value y) {
  return stablehlo::SelectOp::create(b, loc, x.getType(), predicate, x, y);
}

Value BoundedBuilder::atLeastZero(Value x) {
  return binary<stablehlo::MaxOp>(x, number(0));
}

Value BoundedBuilder::ceilDivide(Value x, int64_t y) {
  if (y == 1)
    return x;
  return divide(add(x, number(y - 1)), number(y));
}

Value BoundedBuilder::counting(int64_t n) {
  return iota(RankedTensorType::get({n}, b.getI32Type()), 0);
}

Value BoundedBuilder::spread(Value scalar, int64_t n) {
  return broadcast(scalar, {n}, {});
}

Value BoundedBuilder::inside(Dims shape, const Extents &extents, Dims dims) {
  Value all;
  auto type = RankedTensorType::get(shape, b.getI32Type());
  for (int64_t d : dims) {
    if (!extents[d].used)
      continue;
    Value here = compare(iota(type, d), broadcast(extents[d].used, shape, {}),
                         ComparisonDirection::LT);
    all = all ? binary<stablehlo::AndOp>(all, here) : here;
  }
  return all;
}

Value BoundedBuilder::masked(Value x, const Extents &extents, Dims dims,
                             Value fill) {
  Dims shape = typeOf(x).getShape();
  Value within = inside(shape, extents, dims);
  return within ? select(within, x, broadcast(fill, shape, {})) : x;
}

Value BoundedBuilder::maskedByZero(Value x, const Extents &extents, Dims dims) {
  if (llvm::none_of(dims, [&](int64_t d) { return bool(extents[d].used); }))
    return x;
  return masked(x, extents, dims,
                zeros(RankedTensorType::get({}, typeOf(x).getElementType())));
}

Value BoundedBuilder::resized(Value x, Dims shape) {
  RankedTensorType type = typeOf(x);
  if (type.getShape() == shape)
    return x;
  // Negative padding shrinks.
  SmallVector<int64_t> none(shape.size(), 0), high;
  for (auto [from, to] : llvm::zip_equal(type.getShape(), shape))
    high.push_back(to - from);
  Value zero = zeros(RankedTensorType::get({}, type.getElementType()));
  return stablehlo::PadOp::create(b, loc, type.clone(shape), x, zero, none,
                                  high, none);
}

Value BoundedBuilder::takeAlong(Value x, int64_t dim, Value indices) {
  RankedTensorType type = typeOf(x);
  int64_t n = typeOf(indices).getDimSize(0);
  SmallVector<int64_t> offset, sizes(type.getShape()), shape(type.getShape());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dim)
      offset.push_back(d);
  sizes[dim] = 1;
  shape[dim] = n;
  // An empty dimension has no elements to take.
  if (type.getDimSize(dim) == 0)
    return resized(x, shape);
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      b.getContext(), offset, {dim}, {}, {}, {dim}, 1);
  return stablehlo::GatherOp::create(b, loc, type.clone(Dims(shape)), x,
                                     indices, numbers, sizes, false);
}

Value BoundedBuilder::element(Value list, int64_t i) {
  RankedTensorType type = typeOf(list);
  Value one = stablehlo::SliceOp::create(b, loc, type.clone(Dims{1}), list,
                                         Dims{i}, Dims{i + 1}, Dims{1});
  Value scalar = stablehlo::ReshapeOp::create(b, loc, type.clone(Dims{}), one);
  return convert(scalar, b.getI32Type());
}

Extents Values::of(Value value) const {
  auto it = extents.find(value);
  if (it != extents.end())
    return it->second;
  Extents all;
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (int64_t size : type.getShape())
      all.push_back({size, nullptr});
  return all;
}

void Values::set(Value value, const Extents &of) {
  SmallVector<int64_t> shape;
  bool isBounded = false;
  for (const Extent &extent : of) {
    shape.push_back(extent.bound);
    isBounded |= bool(extent.used);
  }
  auto type = cast<RankedTensorType>(value.getType());
  value.setType(RankedTensorType::get(shape, type.getElementType()));
  if (isBounded)
    extents[value] = of;
  else
    extents.erase(value);
}

void replace(Operation *op, Value value) {
  Operation *maker = value.getDefiningOp();
  if (maker && maker->getBlock() == op->getBlock() &&
      maker->getNumResults() == 1)
    for (NamedAttribute attr : op->getDiscardableAttrs())
      maker->setDiscardableAttr(attr.getName(), attr.getValue());
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

bool isDynamic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

FailureOr<Extents> declaredExtents(RankedTensorType type) {
  auto extensions =
      dyn_cast_or_null<stablehlo::TypeExtensionsAttr>(type.getEncoding());
  Extents extents;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t size = type.getDimSize(d);
    if (ShapedType::isDynamic(size)) {
      if (!extensions || size_t(d) >= extensions.getBounds().size() ||
          ShapedType::isDynamic(extensions.getBounds()[d]))
        return failure();
      size = extensions.getBounds()[d];
    }
    extents.push_back({size, nullptr});
  }
  return extents;
}

} // namespace shardwright::bounded
