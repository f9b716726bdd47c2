//===- create.cc - making arrays, positions and choices -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/numpy/ufuncs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardwright::frontend {
namespace {

/// The flattened array, repeated or cut to n elements.
Tensor toSize(const Tensor &x, int64_t n) {
  if (!x.ok() || x.size() == n)
    return ravel(x);
  int64_t times = (n - 1) / std::max<int64_t>(x.size(), 1) + 1;
  return lax::slice_in_dim(tile(ravel(x), {times}), 0, n);
}
/// Positions where a condition on rows and columns holds.
Tensors positionsOf(int64_t rows, int64_t columns,
                    const std::function<bool(int64_t, int64_t)> &holds) {
  if (rows < 0 || columns < 0 || rows > 1 << 20 || columns > 1 << 20 ||
      rows * columns > int64_t(1) << 28)
    return Tensors(
        2, Tensor(valueError("positions of a matrix of shape (", rows, ", ",
                             columns, "): at most 2^28 elements")));
  std::vector<int32_t> i, j;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      if (holds(r, c)) {
        i.push_back(static_cast<int32_t>(r));
        j.push_back(static_cast<int32_t>(c));
      }
  return {arrayOf(i), arrayOf(j)};
}
/// Equal distances from `start`; the last is `stop` if that is an endpoint.
std::vector<double> distances(double start, double stop, int64_t count,
                              bool endpoint) {
  std::vector<double> out;
  double parts = static_cast<double>(endpoint ? count - 1 : count);
  for (int64_t i = 0; i < count; ++i)
    out.push_back(parts > 0 ? start + (stop - start) * double(i) / parts
                            : start);
  return out;
}
Tensor floatsOf(const std::vector<double> &values) {
  if (x64Enabled())
    return arrayOf(values);
  return arrayOf(std::vector<float>(values.begin(), values.end()));
}
Status checkCount(int64_t count) {
  if (count < 0 || count > int64_t(1) << 28)
    return valueError("Number of samples, ", count,
                      ", must be non-negative and at most 2^28.");
  return {};
}

} // namespace

Tensor empty(const Shape &shape, DType type) { return zeros(shape, type); }
Tensor emptyLike(const Tensor &x) { return zerosLike(x); }
Tensor fullLike(const Tensor &x, const Tensor &value,
                std::optional<DType> type) {
  if (!x.ok())
    return x;
  return broadcastTo(lax::convert_element_type(value, type.value_or(x.dtype())),
                     x.shape());
}
Tensor copy(const Tensor &x) { return lax::copy(x); }
Tensor identity(int64_t n, DType type) { return eye(n, type); }
Tensor eye(int64_t n, DType type) { return eye(n, n, 0, type); }
Tensor eye(int64_t rows, int64_t columns, int64_t k, DType type) {
  k = nearestDiagonal(k, rows, columns);
  Tensor i = lax::iota(DType::I32, {rows, columns}, 0);
  Tensor j = lax::iota(DType::I32, {rows, columns}, 1);
  // JAX adds the number of the diagonal, also if it is 0.
  i = lax::add(i, scalarOf(k, DType::I32));
  return lax::convert_element_type(lax::eq(i, j), type);
}
Tensor tri(int64_t rows, std::optional<int64_t> columns, int64_t k,
           DType type) {
  int64_t width = columns.value_or(rows);
  k = nearestDiagonal(k, rows, width);
  Tensor isOn = lax::ge(lax::add(lax::iota(DType::I32, {rows, width}, 0),
                                 scalarOf(k, DType::I32)),
                        lax::iota(DType::I32, {rows, width}, 1));
  return lax::convert_element_type(isOn, type);
}
Tensor diagflat(const Tensor &x, int64_t k) { return diag(ravel(x), k); }
Tensor vander(const Tensor &x, std::optional<int64_t> columns,
              bool increasing) {
  if (!x.ok())
    return x;
  if (x.rank() != 1)
    return valueError("x must be a one-dimensional array");
  int64_t n = columns.value_or(x.dim(0));
  if (n < 0)
    return valueError("N must be nonnegative");
  if (x.dtype() == DType::Bool)
    return vander(astype(x, DType::I32), n, increasing);
  DType type = realType(x.dtype());
  Tensor exponents = lax::iota(type, {n}, 0);
  if (!increasing)
    exponents = lax::sub(scalarOf(n - 1, type), exponents);
  return power(expandDims(x, 1),
               expandDims(lax::convert_element_type(exponents, x.dtype()), 0));
}
Tensor logspace(double start, double stop, int64_t count, bool endpoint,
                double base) {
  if (Status fits = checkCount(count); !fits)
    return fits.error();
  std::vector<double> values = distances(start, stop, count, endpoint);
  for (double &v : values)
    v = std::pow(base, v);
  return floatsOf(values);
}
Tensor geomspace(double start, double stop, int64_t count, bool endpoint) {
  if (Status fits = checkCount(count); !fits)
    return fits.error();
  double sign = start < 0 && stop < 0 ? -1 : 1;
  std::vector<double> values = distances(
      std::log10(sign * start), std::log10(sign * stop), count, endpoint);
  for (double &v : values)
    v = sign * std::pow(10, v);
  if (count)
    values[0] = start;
  if (endpoint && count > 1)
    values.back() = stop;
  return floatsOf(values);
}
Tensor indices(const Shape &shape, DType type) {
  if (!shape.rank())
    return zeros({0}, type);
  Tensors out;
  for (int64_t d = 0; d < shape.rank(); ++d)
    out.push_back(lax::iota(type, shape, d));
  return stack(out);
}
Tensor fromfunction(const std::function<Tensor(const Tensors &)> &function,
                    const Shape &shape, DType type) {
  Tensors coordinates;
  for (int64_t d = 0; d < shape.rank(); ++d)
    coordinates.push_back(lax::iota(type, shape, d));
  return function(coordinates);
}

Tensors diagIndices(int64_t n, int64_t rank) {
  if (n < 0 || rank < 0 || rank > 64)
    return {
        Tensor(valueError("n must be nonnegative and ndim from 0 to 64, got ",
                          n, " and ", rank))};
  return Tensors(rank, lax::iota(DType::I32, {n}, 0));
}
Tensors trilIndices(int64_t rows, int64_t k, std::optional<int64_t> columns) {
  return positionsOf(rows, columns.value_or(rows),
                     [&](int64_t i, int64_t j) { return j - i <= k; });
}
Tensors triuIndices(int64_t rows, int64_t k, std::optional<int64_t> columns) {
  return positionsOf(rows, columns.value_or(rows),
                     [&](int64_t i, int64_t j) { return j - i >= k; });
}
Tensors ix(const Tensors &xs) {
  auto rank = static_cast<int64_t>(xs.size());
  Tensors out;
  for (int64_t d = 0; d < rank; ++d) {
    const Tensor &x = xs[d];
    if (x.ok() && x.rank() != 1)
      return Tensors(
          rank,
          Tensor(valueError("Arguments to jax.numpy.ix_ must be 1-dimensional, "
                            "got shape ",
                            tupleText(x.shape()))));
    Shape shape(Ints(rank, 1));
    if (x.ok())
      shape.at(d) = x.dim(0);
    out.push_back(x.ok() ? lax::reshape(x, shape) : x);
  }
  return out;
}
Tensor ravelMultiIndex(const Tensors &positions, const Shape &shape,
                       TakeMode mode) {
  if (const Error *error = errorIn(positions))
    return *error;
  SW_TRY(checkShape(shape));
  if (static_cast<int64_t>(positions.size()) != shape.rank())
    return valueError("len(multi_index)=", positions.size(),
                      " != len(dims)=", shape.rank());
  Aval common{DType::I32, {}, /*weak=*/true};
  for (const Tensor &x : positions) {
    if (!isInteger(x.dtype()))
      return typeError("only int indices permitted");
    SW_TRY(joinType(common, x));
  }
  int bits = bitWidth(common.dtype) - isSigned(common.dtype);
  if (bits < 63 && shape.elements() > int64_t(1) << bits)
    return valueError("jnp.ravel_multi_index: dtype=", name(common.dtype),
                      " not large enough to hold flattened index for dims=",
                      tupleText(shape));
  Tensor out = scalarOf(int64_t(0), common.dtype);
  int64_t stride = shape.elements();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const Tensor &x = positions[d];
    int64_t n = std::max<int64_t>(shape[d], 1);
    stride /= n;
    Tensor inside = mode == TakeMode::Wrap ? x % n : clip(x, 0, n - 1);
    out = out + astype(inside, common.dtype) * stride;
  }
  return out;
}
Tensors unravelIndex(const Tensor &positions, const Shape &shape) {
  Tensors out(shape.rank());
  if (!positions.ok())
    return Tensors(out.size(), positions);
  if (Status sizes = checkShape(shape); !sizes)
    return Tensors(out.size(), sizes.error());
  Tensor rest = positions;
  for (int64_t d = shape.rank(); d-- > 0;) {
    auto [quotient, at] = divmod(rest, shape[d]);
    rest = quotient;
    out[d] = at;
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    Tensor low =
        isUnsigned(positions.dtype()) ? out[d] : where(rest < -1, 0, out[d]);
    out[d] = where(rest > 0, shape[d] - 1, low);
  }
  return out;
}

Tensor fillDiagonal(const Tensor &x, const Tensor &value) {
  if (const Error *error = errorIn(Tensors{x, value}))
    return *error;
  if (x.rank() < 2)
    return valueError("array must be at least 2-d");
  int64_t n = *std::min_element(x.shape().begin(), x.shape().end());
  for (int64_t size : x.shape())
    if (x.rank() > 2 && size != x.dim(0))
      return valueError("All dimensions of input must be of equal length");
  std::vector<Index> at;
  for (const Tensor &d : diagIndices(n, x.rank()))
    at.push_back(d);
  return IndexUpdate(x, at).set(value.rank() ? toSize(value, n) : value);
}
Tensor put(const Tensor &x, const Tensor &positions, const Tensor &values,
           TakeMode mode) {
  if (const Error *error = errorIn(Tensors{x, positions, values}))
    return *error;
  if (!x.size() || !positions.size() || !values.size())
    return x;
  Tensor at = ravel(positions);
  if (mode == TakeMode::Clip)
    at = clip(at, 0, x.size() - 1);
  if (mode == TakeMode::Wrap)
    at = at % x.size();
  std::vector<Index> places;
  for (const Tensor &p : unravelIndex(at, x.shape()))
    places.push_back(p);
  return IndexUpdate(x, places).set(
      toSize(values, at.size()),
      {.mode = mode == TakeMode::Fill ? GatherMode::FillOrDrop
                                      : GatherMode::PromiseInBounds});
}
Tensor putAlongAxis(const Tensor &in, const Tensor &indices,
                    const Tensor &values, std::optional<int64_t> axis) {
  if (const Error *error = errorIn(Tensors{in, indices, values}))
    return *error;
  Tensor x = axis ? in : ravel(in);
  if (x.rank() != indices.rank())
    return valueError("put_along_axis arguments 'arr' and 'indices' must have "
                      "same ndim. Got arr.ndim=",
                      x.rank(), " and indices.ndim=", indices.rank(), ".");
  Expected<int64_t> d = normalizedAxis(axis.value_or(0), x.rank());
  if (!d)
    return d.error();
  std::vector<Index> at;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i == *d) {
      at.push_back(indices);
      continue;
    }
    Shape shape(Ints(x.rank(), 1));
    shape.at(i) = x.dim(i);
    at.push_back(lax::reshape(lax::iota(DType::I32, {x.dim(i)}, 0), shape));
  }
  Tensor spread = broadcastTo(values, indices.shape());
  return lax::reshape(IndexUpdate(x, at).set(spread), in.shape());
}
Tensor resize(const Tensor &x, const Shape &shape) {
  if (!x.ok())
    return x;
  for (int64_t n : shape)
    if (n < 0)
      return valueError("all elements of `new_shape` must be non-negative");
  if (!x.size() || !shape.elements())
    return zeros(shape, x.dtype());
  return lax::reshape(toSize(x, shape.elements()), shape);
}

Tensor select(const Tensors &conditions, const Tensors &values,
              const Tensor &otherwise) {
  if (conditions.size() != values.size())
    return valueError("condlist must have length equal to choicelist (",
                      conditions.size(), " vs ", values.size(), ")");
  if (conditions.empty())
    return valueError("condlist must be non-empty");
  // All operands have the type of all of them.
  Aval type = otherwise.ok() ? otherwise.aval() : Aval{};
  for (const Tensor &v : values)
    if (v.ok())
      SW_TRY(joinType(type, v));
  auto typed = [&](const Tensor &v) {
    return lax::convert_element_type(v, type.dtype, type.weak);
  };
  Tensor out = typed(otherwise);
  for (size_t i = values.size(); i-- > 0;)
    out = where(conditions[i], typed(values[i]), out);
  return out;
}
Tensor choose(const Tensor &which, const Tensors &choices, TakeMode mode) {
  if (!which.ok())
    return which;
  if (!isInteger(which.dtype()))
    return valueError("`a` array must be integer typed");
  if (choices.empty())
    return valueError("choose expects at least one choice");
  auto n = static_cast<int64_t>(choices.size());
  Tensor at = mode == TakeMode::Wrap ? which % n : clip(which, 0, n - 1);
  Tensors all{at};
  all.insert(all.end(), choices.begin(), choices.end());
  all = broadcastArrays(all);
  Tensors same(all.begin() + 1, all.end());
  return squeeze(takeAlongAxis(stack(same), expandDims(all[0], 0), 0), 0);
}

} // namespace shardwright::frontend
