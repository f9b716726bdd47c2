//===- rearrange.cc - joining, splitting and turning arrays ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/rearrange.h"

#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/primitives/parts.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// As many errors as there should be parts.
Tensors failedParts(int64_t parts, const Error &error) {
  return Tensors(std::clamp<int64_t>(parts, 1, 1024), Tensor(error));
}

} // namespace

Tensor atleast1d(const Tensor &x) {
  return x.ok() && !x.rank() ? lax::reshape(x, {1}) : x;
}
Tensor atleast2d(const Tensor &x) {
  return x.ok() && x.rank() < 2 ? lax::reshape(x, {1, x.size()}) : x;
}
Tensor atleast3d(const Tensor &x) {
  if (!x.ok() || x.rank() > 2)
    return x;
  if (x.rank() == 2)
    return lax::reshape(x, {x.dim(0), x.dim(1), 1});
  return lax::reshape(x, {1, x.size(), 1});
}
Tensor permuteDims(const Tensor &x, const Ints &axes) {
  if (!x.ok())
    return x;
  Expected<Ints> order = distinctAxes(axes, x.rank());
  if (!order)
    return order.error();
  if (static_cast<int64_t>(order->size()) != x.rank())
    return valueError("axes don't match array");
  return lax::transpose(x, *order);
}
Tensor matrixTranspose(const Tensor &x) {
  if (x.ok() && x.rank() < 2)
    return valueError("x must be at least two-dimensional for "
                      "matrix_transpose; got ndim=",
                      x.rank());
  return swapaxes(x, -1, -2);
}
Tensor moveaxis(const Tensor &x, const Ints &from, const Ints &to) {
  if (!x.ok())
    return x;
  Expected<Ints> source = distinctAxes(from, x.rank()),
                 target = distinctAxes(to, x.rank());
  if (!source || !target)
    return source ? target.error() : source.error();
  if (source->size() != target->size())
    return valueError("Inconsistent number of elements: ", source->size(),
                      " vs ", target->size());
  Ints order = withoutInts(x.rank(), *source);
  std::vector<std::pair<int64_t, int64_t>> places;
  for (size_t i = 0; i < source->size(); ++i)
    places.push_back({(*target)[i], (*source)[i]});
  std::sort(places.begin(), places.end());
  for (auto [at, dim] : places)
    order.insert(order.begin() + at, dim);
  return lax::transpose(x, order);
}
Tensor rollaxis(const Tensor &x, int64_t axis, int64_t start) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return d.error();
  if (start < -x.rank() || start > x.rank())
    return valueError("start=", start, " must satisfy ", -x.rank(),
                      "<=start<=", x.rank());
  start += start < 0 ? x.rank() : 0;
  return moveaxis(x, *d, start > *d ? start - 1 : start);
}
Tensor expandDims(const Tensor &x, const Ints &axes) {
  if (!x.ok())
    return x;
  Expected<Ints> dims =
      distinctAxes(axes, x.rank() + static_cast<int64_t>(axes.size()));
  return dims ? lax::expand_dims(x, *dims) : Tensor(dims.error());
}

Expected<Shape> broadcastShapes(const std::vector<Shape> &shapes) {
  int64_t rank = 0;
  std::string list;
  for (const Shape &shape : shapes) {
    rank = std::max(rank, shape.rank());
    list += cat(list.empty() ? "" : ", ", tupleText(shape));
  }
  Shape out(Ints(rank, 1));
  for (const Shape &shape : shapes)
    for (int64_t d = 0, shift = rank - shape.rank(); d < shape.rank(); ++d) {
      int64_t &size = out.at(d + shift);
      if (size == 1)
        size = shape[d];
      else if (shape[d] != 1 && shape[d] != size)
        return valueError("Incompatible shapes for broadcasting: shapes=[",
                          list, "]");
    }
  return out;
}
Tensors broadcastArrays(const Tensors &xs) {
  if (const Error *error = errorIn(xs))
    return Tensors(xs.size(), Tensor(*error));
  std::vector<Shape> shapes;
  for (const Tensor &x : xs)
    shapes.push_back(x.shape());
  Expected<Shape> common = broadcastShapes(shapes);
  Tensors out;
  for (const Tensor &x : xs)
    out.push_back(common ? broadcastTo(x, *common) : Tensor(common.error()));
  return out;
}

Tensor concat(const Tensors &xs, int64_t axis) { return concatenate(xs, axis); }
Tensor append(const Tensor &x, const Tensor &values,
              std::optional<int64_t> axis) {
  if (!axis)
    return concatenate({ravel(x), ravel(values)}, 0);
  return concatenate({x, values}, *axis);
}
Tensor columnStack(const Tensors &xs) {
  Tensors columns;
  for (const Tensor &x : xs)
    columns.push_back(x.ok() && x.rank() < 2 ? lax::reshape(x, {x.size(), 1})
                                             : x);
  return concatenate(columns, 1);
}
Tensor dstack(const Tensors &xs) {
  Tensors deep;
  for (const Tensor &x : xs)
    deep.push_back(atleast3d(x));
  return concatenate(deep, 2);
}
Tensor block(const std::vector<Tensors> &rows) {
  if (rows.empty())
    return valueError("block expects at least one row");
  int64_t rank = 1;
  for (const Tensors &row : rows) {
    if (const Error *error = errorIn(row))
      return *error;
    if (row.empty())
      return valueError("block expects at least one array in each row");
    for (const Tensor &x : row)
      rank = std::max(rank, x.rank());
  }
  if (rows.size() > 1)
    rank = std::max<int64_t>(rank, 2);
  Tensors joined;
  for (const Tensors &row : rows) {
    Tensors wide;
    for (const Tensor &x : row)
      wide.push_back(
          x.rank() < rank ? lax::expand_dims(x, iotaInts(rank - x.rank())) : x);
    joined.push_back(concatenate(wide, -1));
  }
  return rows.size() > 1 ? concatenate(joined, -2) : joined[0];
}

Tensors arraySplit(const Tensor &x, int64_t parts, int64_t axis) {
  if (!x.ok())
    return failedParts(parts, x.error());
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return failedParts(parts, d.error());
  if (parts < 1 || parts > 1 << 20)
    return failedParts(1, valueError("array_split gives 1 to ", 1 << 20,
                                     " parts, but was asked for ", parts));
  int64_t n = x.dim(*d);
  Ints sizes;
  for (int64_t i = 0; i < parts; ++i)
    sizes.push_back(n / parts + (i < n % parts));
  return lax::split(x, sizes, *d);
}
Tensors hsplit(const Tensor &x, int64_t parts) {
  if (x.ok() && !x.rank())
    return failedParts(parts,
                       valueError("hsplit only works on arrays of 1 or more "
                                  "dimensions"));
  return split(x, parts, x.ok() && x.rank() > 1 ? 1 : 0);
}
Tensors vsplit(const Tensor &x, int64_t parts) {
  if (x.ok() && x.rank() < 2)
    return failedParts(parts,
                       valueError("vsplit only works on arrays of 2 or more "
                                  "dimensions"));
  return split(x, parts, 0);
}
Tensors dsplit(const Tensor &x, int64_t parts) {
  if (x.ok() && x.rank() < 3)
    return failedParts(parts,
                       valueError("dsplit only works on arrays of 3 or more "
                                  "dimensions"));
  return split(x, parts, 2);
}

Tensor fliplr(const Tensor &x) { return flip(x, Ints{1}); }
Tensor flipud(const Tensor &x) { return flip(x, Ints{0}); }
Tensor rot90(const Tensor &x, int64_t k, const Ints &axes) {
  if (!x.ok())
    return x;
  if (x.rank() < 2)
    return valueError("rot90 requires its first argument to have ndim at "
                      "least two, but got first argument of shape ",
                      tupleText(x.shape()), ", which has ndim ", x.rank());
  if (axes.size() != 2)
    return valueError("rot90 expects two axes, got ", axes.size());
  Expected<int64_t> a = normalizedAxis(axes[0], x.rank()),
                    b = normalizedAxis(axes[1], x.rank());
  if (!a || !b)
    return a ? b.error() : a.error();
  if (*a == *b)
    return valueError("Axes must be different");
  switch (((k % 4) + 4) % 4) {
  case 0:
    return x;
  case 1:
    return swapaxes(flip(x, Ints{*b}), *a, *b);
  case 2:
    return flip(flip(x, Ints{*a}), Ints{*b});
  default:
    return flip(swapaxes(x, *a, *b), Ints{*b});
  }
}
Tensor roll(const Tensor &x, const Ints &shifts, const Ints &axes) {
  if (shifts.size() != axes.size())
    return valueError("Mismatched lengths between shifts and axes: ",
                      shifts.size(), " vs ", axes.size());
  Tensor out = x;
  for (size_t i = 0; i < shifts.size(); ++i)
    out = roll(out, shifts[i], Ints{axes[i]});
  return out;
}

} // namespace shardwright::frontend
