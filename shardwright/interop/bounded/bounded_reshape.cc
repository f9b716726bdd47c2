//===- bounded_reshape.cc - reshapes of bounded tensors -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

using stablehlo::ComparisonDirection;

/// True if the used elements have the same linear positions before and after:
/// each bounded dimension corresponds to one with equal bound and stride. The
/// outermost dimension may differ, since its used part comes first.
static bool keepsPositions(const Extents &from, const Extents &to) {
  struct Layout {
    bool hasOutermost = false;
    int64_t elements = 1;
    SmallVector<std::pair<int64_t, int64_t>> inner; ///< bound, stride
  };
  auto layoutOf = [](const Extents &extents) {
    Layout layout;
    size_t outermost = 0;
    while (outermost < extents.size() && extents[outermost].bound == 1 &&
           !extents[outermost].used)
      ++outermost;
    for (size_t d = extents.size(); d-- > 0;) {
      if (extents[d].used && d == outermost)
        layout.hasOutermost = true;
      else if (extents[d].used)
        layout.inner.push_back({extents[d].bound, layout.elements});
      layout.elements *= extents[d].bound;
    }
    return layout;
  };
  Layout x = layoutOf(from), y = layoutOf(to);
  return x.elements == y.elements && x.hasOutermost == y.hasOutermost &&
         x.inner == y.inner;
}

/// result[y] = x[..] at the same position among the used elements.
static Value moved(BoundedBuilder &m, Value x, const Extents &from,
                   const Extents &to) {
  SmallVector<int64_t> shape = bounds(to);
  int64_t room = 1;
  for (const Extent &e : from)
    room *= e.bound;
  RankedTensorType type = BoundedBuilder::typeOf(x);
  auto indexType = RankedTensorType::get(shape, m.b.getI32Type());
  auto everywhere = [&](Value scalar) {
    return m.broadcast(scalar, shape, {});
  };
  Value position = m.zeros(indexType), stride = m.number(1);
  for (int64_t d = int64_t(to.size()) - 1; d >= 0; --d) {
    position =
        m.add(position, m.multiply(m.iota(indexType, d), everywhere(stride)));
    stride = m.multiply(stride, m.used(to[d]));
  }
  // Padding elements of the result may read anything in bounds.
  Value one = everywhere(m.number(1));
  Value flat = m.zeros(indexType);
  int64_t padded = 1;
  for (int64_t d = int64_t(from.size()) - 1; d >= 0; --d) {
    Value size = m.binary<stablehlo::MaxOp>(everywhere(m.used(from[d])), one);
    Value at = m.binary<stablehlo::RemOp>(position, size);
    position = m.divide(position, size);
    flat = m.add(flat, m.multiply(at, everywhere(m.number(padded))));
    padded *= from[d].bound;
  }
  auto line = RankedTensorType::get({room}, type.getElementType());
  Value elements = stablehlo::ReshapeOp::create(m.b, m.loc, line, x);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Value indices = stablehlo::ReshapeOp::create(
      m.b, m.loc, RankedTensorType::get({count}, m.b.getI32Type()), flat);
  Value taken = m.takeAlong(elements, 0, indices);
  return stablehlo::ReshapeOp::create(m.b, m.loc, type.clone(Dims(shape)),
                                      taken);
}

/// Sizes of the result of a reshape: the declared ones; the single unknown
/// dimension follows from the number of elements.
static FailureOr<Extents> resultOfReshape(BoundedBuilder &m,
                                          stablehlo::ReshapeOp op,
                                          const Extents &from) {
  auto to = declaredExtents(BoundedBuilder::typeOf(op.getResult()));
  if (failed(to))
    return failure();
  int64_t unknown = -1, others = 1;
  for (auto [d, e] : llvm::enumerate(*to)) {
    if (!op.getType().isDynamicDim(d)) {
      others *= e.bound;
      continue;
    }
    if (unknown >= 0)
      return failure();
    unknown = d;
  }
  if (unknown < 0)
    return to;
  Value used = m.number(1);
  for (const Extent &e : from)
    used = m.multiply(used, m.used(e));
  if (others > 1)
    used = m.divide(used, m.number(others));
  (*to)[unknown].used = others == 0 ? m.number(0) : used;
  return to;
}

LogicalResult padReshape(Operation *op, Values &values) {
  BoundedBuilder m(op);
  Value x = op->getOperand(0);
  Extents from = values.of(x), to;
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    auto known = resultOfReshape(m, reshape, from);
    if (failed(known))
      return op->emitError("may have one dimension of bounded size in its "
                           "result, each with a bound");
    to = std::move(*known);
  } else {
    auto known = resultFromShape(
        op, cast<stablehlo::DynamicReshapeOp>(op).getOutputShape());
    if (failed(known))
      return failure();
    to = std::move(*known);
  }
  Type type = BoundedBuilder::typeOf(x).clone(Dims(bounds(to)));
  Value result = keepsPositions(from, to)
                     ? Value(stablehlo::ReshapeOp::create(m.b, m.loc, type, x))
                     : moved(m, x, from, to);
  values.set(result, to);
  replace(op, result);
  return success();
}

} // namespace shardwright::bounded
