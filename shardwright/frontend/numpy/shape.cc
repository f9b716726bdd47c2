//===- shape.cc - shapes, products and making arrays ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/promote.h"

namespace shardwright::frontend {

Tensor reshape(const Tensor &x, Shape shape) {
  if (!x.ok())
    return x;
  int64_t known = 1, open = -1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape[d] == -1)
      open = d;
    else if (__builtin_mul_overflow(known, shape[d], &known))
      return typeError("cannot reshape array of shape ", tupleText(x.shape()),
                       " (size ", x.size(), ") into shape ", tupleText(shape),
                       ", which is too large");
  }
  if (open >= 0) {
    if (known == 0 || x.size() % known)
      return typeError("cannot reshape array of shape ", tupleText(x.shape()),
                       " (size ", x.size(), ") into shape ", tupleText(shape),
                       " because the product of specified axis sizes (", known,
                       ") does not evenly divide ", x.size());
    shape.at(open) = x.size() / known;
  }
  return lax::reshape(x, shape);
}

Tensor transpose(const Tensor &x, const Ints &permutation) {
  if (!x.ok())
    return x;
  Ints order = permutation;
  if (order.empty()) {
    order = iotaInts(x.rank());
    std::reverse(order.begin(), order.end());
  }
  for (int64_t &d : order)
    d += d < 0 ? x.rank() : 0;
  return lax::transpose(x, order);
}
Tensor swapaxes(const Tensor &x, int64_t a, int64_t b) {
  if (!x.ok())
    return x;
  Expected<int64_t> i = normalizedAxis(a, x.rank()),
                    j = normalizedAxis(b, x.rank());
  if (!i || !j)
    return i ? j.error() : i.error();
  Ints order = iotaInts(x.rank());
  std::swap(order[*i], order[*j]);
  return lax::transpose(x, order);
}
Tensor expandDims(const Tensor &x, int64_t axis) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank() + 1);
  return d ? lax::expand_dims(x, {*d}) : Tensor(d.error());
}
Tensor squeeze(const Tensor &x, int64_t axis) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  return d ? lax::squeeze(x, {*d}) : Tensor(d.error());
}
Tensor squeeze(const Tensor &x, const Axes &axes) {
  if (!x.ok())
    return x;
  Ints dims;
  for (int64_t axis : axes ? *axes : iotaInts(x.rank())) {
    Expected<int64_t> d = normalizedAxis(axis, x.rank());
    if (!d)
      return d.error();
    if (axes || x.dim(*d) == 1)
      dims.push_back(*d);
  }
  return dims.empty() ? x : lax::squeeze(x, dims);
}
Tensor broadcastTo(const Tensor &x, const Shape &shape) {
  if (!x.ok() || x.shape() == shape)
    return x;
  int64_t extra = shape.rank() - x.rank();
  bool fits = extra >= 0;
  Ints dims;
  for (int64_t d = 0; fits && d < x.rank(); ++d) {
    fits = x.dim(d) == 1 || x.dim(d) == shape[d + extra];
    dims.push_back(d + extra);
  }
  if (!fits)
    return valueError(
        "Incompatible shapes for broadcasting: ", tupleText(x.shape()),
        " and requested shape ", tupleText(shape));
  return lax::broadcast_in_dim(x, shape, dims);
}
Tensor concatenate(const Tensors &xs, int64_t axis) {
  if (xs.empty())
    return valueError("Need at least one array to concatenate.");
  if (const Error *error = errorIn(xs))
    return *error;
  Expected<int64_t> d = normalizedAxis(axis, xs[0].rank());
  if (!d)
    return d.error();
  Aval type = xs[0].aval();
  for (const Tensor &x : xs) {
    SW_TRY(checkPromotion(type.dtype, type.weak, x.dtype(), x.aval().weak));
    PromotedType t =
        promoteTypes(type.dtype, type.weak, x.dtype(), x.aval().weak);
    type.dtype = t.type;
    type.weak = t.weak;
  }
  Tensors same;
  for (const Tensor &x : xs)
    same.push_back(lax::convert_element_type(x, type.dtype));
  return lax::concatenate(same, *d);
}
Tensor stack(const Tensors &xs, int64_t axis) {
  Tensors wide;
  for (const Tensor &x : xs)
    wide.push_back(expandDims(x, axis));
  return concatenate(wide, axis);
}
Tensors split(const Tensor &x, int64_t parts, int64_t axis) {
  // As many errors as there should be parts, unless nobody looks at all.
  int64_t errors = std::clamp<int64_t>(parts, 1, 1024);
  if (!x.ok())
    return Tensors(errors, x);
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d || parts < 1 || x.dim(*d) % parts)
    return Tensors(errors,
                   Tensor(d ? valueError("array split does not result in an "
                                         "equal division: ",
                                         parts, " parts of ", x.dim(axis))
                            : d.error()));
  if (parts > 1 << 20)
    return Tensors(errors,
                   Tensor(valueError("split gives at most ", 1 << 20,
                                     " parts, but was asked for ", parts)));
  int64_t n = x.dim(*d) / parts;
  Tensors out;
  for (int64_t i = 0; i < parts; ++i)
    out.push_back(lax::slice_in_dim(x, i * n, (i + 1) * n, 1, *d));
  return out;
}
Tensor full(const Shape &shape, double value, DType type) {
  return lax::full(shape, value, type);
}
Tensor zeros(const Shape &shape, DType type) { return full(shape, 0, type); }
Tensor ones(const Shape &shape, DType type) { return full(shape, 1, type); }
Tensor zerosLike(const Tensor &x) { return lax::full_like(x, 0); }
Tensor onesLike(const Tensor &x) { return lax::full_like(x, 1); }
Tensor arange(int64_t n, DType type) { return lax::iota(type, {n}, 0); }

Tensor arange(int64_t start, int64_t stop, int64_t step, DType type) {
  if (!step)
    return valueError("arange: step must not be zero");
  // Of unsigned type, in which no difference overflows.
  uint64_t distance = step > 0 ? uint64_t(stop) - uint64_t(start)
                               : uint64_t(start) - uint64_t(stop);
  uint64_t stride = step > 0 ? uint64_t(step) : -uint64_t(step);
  bool isEmpty = step > 0 ? stop <= start : stop >= start;
  uint64_t count = isEmpty ? 0 : (distance - 1) / stride + 1;
  if (count > uint64_t(1) << 48)
    return valueError("arange from ", start, " to ", stop, " by ", step,
                      " is too large");
  Tensor steps = lax::iota(type, {static_cast<int64_t>(count)}, 0);
  return lax::add(lax::mul(steps, scalarOf(step, type)), scalarOf(start, type));
}

static Tensor triangle(const Tensor &x, int64_t k, bool lower) {
  if (!x.ok())
    return x;
  if (x.rank() < 2)
    return valueError("Argument to jax.numpy.tril must be at least 2D");
  Shape square{x.dim(-2), x.dim(-1)};
  k = nearestDiagonal(k, square[0], square[1]);
  Tensor rows = lax::iota(DType::I32, square, 0);
  Tensor columns = lax::iota(DType::I32, square, 1);
  Tensor shifted = lax::add(rows, scalarOf(lower ? k : k - 1, DType::I32));
  Tensor mask = broadcastTo(lax::ge(shifted, columns), x.shape());
  Tensor zero = zerosLike(x);
  return lower ? lax::select(mask, x, zero) : lax::select(mask, zero, x);
}
Tensor tril(const Tensor &x, int64_t k) { return triangle(x, k, true); }
Tensor triu(const Tensor &x, int64_t k) { return triangle(x, k, false); }

Tensor matmul(const Tensor &x, const Tensor &y) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (!x.rank() || !y.rank())
    return valueError("matmul input operand ", x.rank() ? 1 : 0,
                      " must have ndim at least 1, but it has ndim 0");
  SW_TRY(checkPromotion(x.dtype(), x.aval().weak, y.dtype(), y.aval().weak));
  PromotedType t =
      promoteTypes(x.dtype(), x.aval().weak, y.dtype(), y.aval().weak);
  Tensor a = lax::convert_element_type(x, t.type),
         b = lax::convert_element_type(y, t.type);
  int64_t contractX = a.rank() - 1, contractY = b.rank() > 1 ? b.rank() - 2 : 0;
  if (a.dim(contractX) != b.dim(contractY))
    return typeError("dot_general requires contracting dimensions to have the "
                     "same shape, got (",
                     a.dim(contractX), ",) and (", b.dim(contractY), ",).");
  int64_t batchX = std::max<int64_t>(a.rank() - 2, 0),
          batchY = std::max<int64_t>(b.rank() - 2, 0);
  if (batchX == 0 || batchY == 0) {
    Tensor out =
        lax::dot_general(a, b, {{contractX}, {contractY}, {}, {}}, t.type);
    if (batchY == 0 || !out.ok())
      return out;
    // x's row dimension goes behind y's batch dimensions.
    int64_t rows = a.rank() - 1;
    Ints order;
    for (int64_t d = rows; d < rows + batchY; ++d)
      order.push_back(d);
    for (int64_t d = 0; d < rows; ++d)
      order.push_back(d);
    for (int64_t d = rows + batchY; d < out.rank(); ++d)
      order.push_back(d);
    return lax::transpose(out, order);
  }
  int64_t batch = std::max(batchX, batchY);
  Shape common;
  for (int64_t d = 0; d < batch; ++d) {
    int64_t i = d - (batch - batchX), j = d - (batch - batchY);
    int64_t m = i < 0 ? 1 : a.dim(i), n = j < 0 ? 1 : b.dim(j);
    if (m != n && m != 1 && n != 1)
      return valueError("Incompatible shapes for broadcasting: shapes=[",
                        tupleText(a.shape()), ", ", tupleText(b.shape()), "]");
    common.push_back(std::max(m, n));
  }
  auto widened = [&](const Tensor &v) {
    Shape shape = common;
    shape.push_back(v.dim(-2));
    shape.push_back(v.dim(-1));
    return broadcastTo(v, shape);
  };
  return lax::dot_general(
      widened(a), widened(b),
      {{batch + 1}, {batch}, iotaInts(batch), iotaInts(batch)}, t.type);
}

} // namespace shardwright::frontend
