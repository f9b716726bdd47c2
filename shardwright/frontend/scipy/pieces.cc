//===- pieces.cc - functions of slices, insertions, bits ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/pieces.h"

#include "shardwright/frontend/numpy/linalg.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/numpy/spread.h"
#include "shardwright/frontend/scipy/sets.h"
#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {
namespace {

/// A function of a row (or scalar), of all rows along the first dimension.
Tensor ofRows(const std::function<Tensor(const Tensor &)> &function,
              const Tensor &rows) {
  if (!rows.ok())
    return rows;
  Expected<Tensors> out =
      vmapFlat([&](const Tensors &in) { return Tensors{function(in[0])}; },
               {rows}, {0}, {0}, BatchAxis{rows.dim(0), "", {}});
  return out ? (*out)[0] : Tensor(out.error());
}

/// The array with an axis last; without one, the flattened array.
Expected<Tensor> withAxisLast(const Tensor &x, std::optional<int64_t> axis) {
  if (!x.ok())
    return x.error();
  if (!axis)
    return ravel(x);
  Expected<int64_t> d = normalizedAxis(*axis, x.rank());
  if (!d)
    return d.error();
  return swapaxes(x, *d, -1);
}
/// 0 .. 7 in the order of bits along the last dimension of a shape.
Tensor bitNumbers(BitOrder order, const Shape &shape) {
  Tensor numbers = lax::iota(DType::U8, {8}, 0);
  if (order == BitOrder::Big)
    numbers = flip(numbers);
  return broadcastTo(toRank(numbers, shape.rank()), shape);
}
/// More bits, which are 0, at the end of the last dimension, or fewer.
Tensor resizedLast(const Tensor &bits, int64_t more) {
  if (!more)
    return bits;
  std::vector<Ints> widths(bits.rank(), Ints{0, 0, 0});
  widths.back()[1] = more;
  return lax::pad(bits, scalarOf(int64_t(0), DType::U8), widths);
}

} // namespace

Tensor
piecewise(const Tensor &x, const Tensors &conditions,
          const std::vector<std::function<Tensor(const Tensor &)>> &functions) {
  if (!x.ok())
    return x;
  size_t count = conditions.size();
  bool hasDefault = functions.size() == count + 1;
  if (!hasDefault && functions.size() != count)
    return valueError("with ", count, " condition(s), either ", count, " or ",
                      count + 1, " functions are expected; got ",
                      functions.size());
  auto valueOf = [&](const std::function<Tensor(const Tensor &)> &function) {
    Tensor out = ofRows(
        [&](const Tensor &element) {
          Tensor value = function(element);
          if (value.ok() && value.rank())
            return Tensor(valueError("functions of piecewise must return "
                                     "scalars, got shape ",
                                     tupleText(value.shape())));
          return lax::convert_element_type(value, x.dtype());
        },
        ravel(x));
    return out.ok() ? lax::reshape(out, x.shape()) : out;
  };
  Tensor out = hasDefault ? valueOf(functions.back()) : zerosLike(x);
  for (size_t i = 0; i < count; ++i)
    out = where(boolean(conditions[i]), valueOf(functions[i]), out);
  return out;
}

Tensor applyAlongAxis(const std::function<Tensor(const Tensor &)> &function,
                      int64_t axis, const Tensor &x) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return d.error();
  Tensor rows = moveaxis(x, *d, -1);
  Shape batch(Ints(rows.shape().begin(), rows.shape().end() - 1));
  Tensor out =
      ofRows(function, lax::reshape(rows, {batch.elements(), x.dim(*d)}));
  if (!out.ok())
    return out;
  // The dimensions of a result are where the slice's was.
  Shape shape = batch;
  shape.insert(shape.end(), out.shape().begin() + 1, out.shape().end());
  out = lax::reshape(out, shape);
  Ints from, to;
  for (int64_t i = 0; i < out.rank() - batch.rank(); ++i)
    from.push_back(batch.rank() + i), to.push_back(*d + i);
  return moveaxis(out, from, to);
}

Tensor
applyOverAxes(const std::function<Tensor(const Tensor &, int64_t)> &function,
              const Tensor &x, const Ints &axes) {
  Tensor out = x;
  for (int64_t axis : axes) {
    if (!out.ok())
      return out;
    Tensor next = function(out, axis);
    if (!next.ok())
      return next;
    if (next.rank() == out.rank() - 1)
      next = expandDims(next, axis);
    else if (next.rank() != out.rank())
      return valueError("function is not returning an array of the correct "
                        "shape");
    out = next;
  }
  return out;
}

Tensor insert(const Tensor &in, const Tensor &positions, const Tensor &given,
              std::optional<int64_t> axis) {
  if (const Error *error = errorIn(Tensors{in, positions, given}))
    return *error;
  if (positions.rank() > 1)
    return valueError("jnp.insert(): obj must be a slice, a one-dimensional "
                      "array, or a scalar; got shape ",
                      tupleText(positions.shape()));
  if (!isInteger(positions.dtype()))
    return valueError("jnp.insert(): index array must be integer typed; got ",
                      name(positions.dtype()));
  Tensor x = axis ? in : ravel(in);
  Expected<int64_t> d = normalizedAxis(axis.value_or(0), x.rank());
  if (!d)
    return d.error();
  Tensor values = toRank(lax::convert_element_type(given, x.dtype()), x.rank());
  if (!given.rank())
    values = lax::reshape(values, Shape(Ints(x.rank(), 1)));
  if (const Error *error = errorIn(values))
    return *error;
  if (values.rank() != x.rank())
    return valueError("insert expects values of at most ", x.rank(),
                      " dimensions, got ", values.rank());
  Tensor at = lax::convert_element_type(positions, DType::I32);
  if (positions.size() == 1) {
    if (!positions.rank())
      values = moveaxis(values, 0, *d);
    at = broadcastTo(lax::reshape(at, {1}), {values.dim(*d)});
  }
  int64_t old = x.dim(*d);
  Expected<Shape> count = broadcastShapes({at.shape(), {values.dim(*d)}});
  if (!count)
    return count.error();
  int64_t added = (*count)[0];
  at = broadcastTo(at, {added});
  at = clip(fromBegin(at, old), 0, static_cast<int64_t>(old));
  // Each value moves behind those that are inserted in front of it.
  Tensor numbers = lax::iota(DType::I32, {added}, 0);
  at = at.at(argsort(at)).add(numbers);
  Tensor isOld = lax::full({old + added}, 1, DType::Bool).at(at).set(false);
  // Where each element of the result comes from: x, then the values.
  Tensor fromOld = lax::cumsum(lax::convert_element_type(isOld, DType::I32), 0);
  Tensor source = lax::sub(fromOld, scalarOf(int64_t(1), DType::I32));
  source = source.at(at).set(numbers + old);
  Shape valueShape = x.shape();
  valueShape.at(*d) = added;
  Tensor all = lax::concatenate({x, broadcastTo(values, valueShape)}, *d);
  return take(all, source, *d, {TakeMode::Clip});
}

Tensor packbits(const Tensor &x, std::optional<int64_t> axis, BitOrder order) {
  Expected<Tensor> moved = withAxisLast(x, axis);
  if (!moved)
    return moved.error();
  if (!isInteger(x.dtype()) && x.dtype() != DType::Bool)
    return typeError("Expected an input array of integer or boolean data type");
  Tensor bits = lax::convert_element_type(boolean(*moved), DType::U8);
  if (const Error *error = errorIn(bits))
    return *error;
  int64_t last = bits.rank() - 1, missing = (8 - bits.dim(last) % 8) % 8;
  bits = resizedLast(bits, missing);
  Shape shape = bits.shape();
  shape.at(last) = bits.dim(last) / 8;
  shape.push_back(8);
  bits = lax::reshape(bits, shape);
  Tensor shifted = lax::shift_left(bits, bitNumbers(order, bits.shape()));
  Tensor packed = lax::convert_element_type(sum(shifted, Ints{-1}), DType::U8);
  return axis ? swapaxes(packed, *axis, -1) : packed;
}
Tensor unpackbits(const Tensor &x, std::optional<int64_t> axis,
                  std::optional<int64_t> count, BitOrder order) {
  Expected<Tensor> moved = withAxisLast(x, axis);
  if (!moved)
    return moved.error();
  if (x.dtype() != DType::U8)
    return typeError("Expected an input array of unsigned byte data type");
  if (count && *count < 0)
    return valueError("unpackbits expects a count of at least 0, got ", *count);
  Tensor bytes = expandDims(*moved, int64_t(-1));
  if (!bytes.ok())
    return bytes;
  Shape shape = bytes.shape();
  int64_t last = shape.rank() - 1;
  shape.at(last) = 8;
  Tensor bits =
      lax::bitwise_and(lax::shift_right_logical(broadcastTo(bytes, shape),
                                                bitNumbers(order, shape)),
                       scalarOf(int64_t(1), DType::U8));
  int64_t total = 8 * shape[last - 1];
  shape.pop_back();
  shape.at(last - 1) = total;
  bits = lax::reshape(bits, shape);
  if (count)
    bits = resizedLast(bits, *count - total);
  return axis ? swapaxes(bits, *axis, -1) : bits;
}

Tensor poly(const Tensor &given) {
  Tensor zeros = atleast1d(inexact(given));
  if (!zeros.ok())
    return zeros;
  if (zeros.rank() == 2 && zeros.dim(0) && zeros.dim(0) == zeros.dim(1))
    zeros = linalg::eigvals(zeros);
  if (!zeros.ok() || zeros.rank() != 1)
    return zeros.ok() ? Tensor(valueError("input must be 1d or non-empty "
                                          "square 2d array."))
                      : zeros;
  if (!zeros.dim(0))
    return ones({}, zeros.dtype());
  Tensor out = ones({1}, zeros.dtype());
  for (int64_t k = 0; k < zeros.dim(0); ++k) {
    Tensor zero = lax::slice_in_dim(zeros, k, k + 1, 1, 0);
    out = convolve(out, lax::concatenate({onesLike(zero), lax::neg(zero)}, 0));
  }
  return out;
}
std::pair<Tensor, Tensor> polydiv(const Tensor &u, const Tensor &v) {
  auto [p, q] = inexactPair(u, v);
  if (const Error *error = errorIn(Tensors{p, q}))
    return {*error, *error};
  if (p.rank() != 1 || q.rank() != 1 || !q.dim(0)) {
    Error wrong =
        valueError("polydiv expects coefficients of one dimension, "
                   "got shapes ",
                   tupleText(u.shape()), " and ", tupleText(v.shape()));
    return {wrong, wrong};
  }
  int64_t m = p.dim(0) - 1, n = q.dim(0) - 1;
  Tensor scale = 1.0 / q[0];
  Tensors quotient;
  Tensor rest = p;
  for (int64_t k = 0; k <= m - n; ++k) {
    Tensor d = scale * rest[k];
    quotient.push_back(expandDims(d, int64_t(0)));
    Tensor part = lax::slice_in_dim(rest, k, k + n + 1, 1, 0) - d * q;
    rest = lax::dynamic_update_slice(rest, part, {scalarOf(k, DType::I32)});
  }
  if (quotient.empty())
    quotient.push_back(zeros({1}, p.dtype()));
  return {lax::concatenate(quotient, 0), rest};
}

} // namespace shardwright::frontend
