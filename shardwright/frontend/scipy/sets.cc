//===- sets.cc - positions, sets and orders of elements -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/sets.h"

#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/numpy/ufuncs.h"

namespace shardwright::frontend {
namespace {

/// How many elements of a mask are true.
Expected<int64_t> countOf(const Tensor &mask, const char *name) {
  if (mask.isTraced())
    return makeError(
        ErrorKind::Concretization,
        "Abstract tracer value encountered where concrete value is expected: "
        "traced array with shape ",
        mask.aval().str(), "\nThe size argument of jnp.", name,
        " must be statically specified to use jnp.", name,
        " within JAX transformations.");
  Expected<double> count = sum(mask).item();
  if (!count)
    return count.error();
  return static_cast<int64_t>(*count);
}
Expected<int64_t> sizeOf(const Tensor &mask, std::optional<int64_t> size,
                         const char *name) {
  if (!size)
    return countOf(mask, name);
  if (*size < 0)
    return valueError("jnp.", name, " expects a size of at least 0, got ",
                      *size);
  return *size;
}

/// Sorted elements, where each comes from, and whether it is new.
struct Sorted {
  Tensor values, order, isNew;
};
Sorted sortedOf(const Tensor &flat) {
  int64_t n = flat.dim(0);
  Tensor order = argsort(flat);
  Tensor values = take(flat, order, 0);
  Tensor before = lax::slice_in_dim(values, 0, n - 1),
         after = lax::slice_in_dim(values, 1, n);
  Tensor differs = before != after;
  // All NaN are one.
  if (isInexact(flat.dtype()))
    differs = differs & ~(isnan(before) & isnan(after));
  return {values, order,
          lax::concatenate({ones({1}, DType::Bool), differs}, 0)};
}

} // namespace

Tensors nonzero(const Tensor &in, std::optional<int64_t> size, int64_t fill) {
  const Tensor &x = in;
  if (!x.ok())
    return {x};
  if (!x.rank())
    return {
        Tensor(valueError("Calling nonzero on 0d arrays is not allowed. Use "
                          "jnp.atleast_1d(scalar).nonzero() instead."))};
  Tensor mask = ravel(boolean(x));
  Expected<int64_t> count = sizeOf(mask, size, "nonzero");
  if (!count)
    return Tensors(x.rank(), Tensor(count.error()));
  // JAX fills nothing where there are no elements.
  if (!x.size() || !*count)
    return Tensors(x.rank(), zeros({*count}, DType::I32));
  // The k-th true element is where the running count exceeds k.
  Tensor counts = cumsum(astype(mask, DType::I32), 0);
  Tensor places = cumsum(bincount(counts, *count), 0);
  Tensor isThere = lax::iota(DType::I32, {*count}, 0) < counts[-1];
  Tensors out;
  int64_t stride = x.size();
  for (int64_t d = 0; d < x.rank(); ++d) {
    stride /= x.dim(d);
    Tensor at = (floorDivide(places, stride)) % x.dim(d);
    out.push_back(where(isThere, at, fill));
  }
  return out;
}
Tensors where(const Tensor &condition) { return nonzero(condition); }
Tensor flatnonzero(const Tensor &x, std::optional<int64_t> size, int64_t fill) {
  return nonzero(ravel(x), size, fill)[0];
}
Tensor argwhere(const Tensor &x, std::optional<int64_t> size, int64_t fill) {
  if (x.ok() && !x.rank()) {
    Tensors found = nonzero(atleast1d(x), size, fill);
    return found[0].ok() ? zeros({found[0].dim(0), 0}, DType::I32) : found[0];
  }
  return stack(nonzero(x, size, fill), 1);
}
Tensor extract(const Tensor &condition, const Tensor &x,
               std::optional<int64_t> size) {
  if (const Error *error = errorIn(Tensors{condition, x}))
    return *error;
  if (size) {
    if (*size < 1 || *size > x.size())
      return valueError("size must be positive and not greater than the size "
                        "of the array axis; got size=",
                        *size, " for a.shape[axis]=", x.size());
    Tensor places = flatnonzero(condition, size, x.size());
    return ravel(x).at(places).get(
        {.mode = GatherMode::FillOrDrop, .fillValue = Tensor(0)});
  }
  Tensor places = flatnonzero(condition);
  return places.ok() ? take(ravel(x), places, 0) : places;
}
Tensor compress(const Tensor &condition, const Tensor &in,
                std::optional<int64_t> axis) {
  if (const Error *error = errorIn(Tensors{condition, in}))
    return *error;
  if (condition.rank() != 1)
    return valueError("condition must be a 1D array");
  Tensor x = axis ? in : ravel(in);
  Expected<int64_t> d = normalizedAxis(axis.value_or(0), x.rank());
  if (!d)
    return d.error();
  Tensor places = flatnonzero(condition);
  return places.ok() ? take(x, places, *d) : places;
}

UniqueResult uniqueAll(const Tensor &x, std::optional<int64_t> size) {
  auto failed = [](const Error &error) {
    return UniqueResult{error, error, error, error};
  };
  if (!x.ok())
    return failed(x.error());
  Tensor flat = ravel(x);
  if (!x.size()) {
    Tensor none = zeros({size.value_or(0)}, DType::I32);
    return {zeros({size.value_or(0)}, x.dtype()), none,
            zeros(x.shape(), DType::I32), none};
  }
  Sorted s = sortedOf(flat);
  Expected<int64_t> count = sizeOf(s.isNew, size, "unique");
  if (!count)
    return failed(count.error());
  Tensor number = cumsum(astype(s.isNew, DType::I32), 0) - 1;
  Tensor places = flatnonzero(s.isNew, *count, flat.dim(0));
  auto first = [&](const Tensor &from) {
    Tensor least = from[0];
    Tensor values = from.at(places).get({.mode = GatherMode::ClipIndices});
    return where(places < flat.dim(0), values, least);
  };
  UniqueResult out;
  out.values = first(s.values);
  out.index = first(s.order);
  out.inverse = reshape(
      zeros({flat.dim(0)}, DType::I32).at(s.order).set(number), x.shape());
  out.counts = zeros({*count}, DType::I32).at(number).add(1);
  return out;
}
Tensor unique(const Tensor &x, std::optional<int64_t> size) {
  return uniqueAll(x, size).values;
}
Tensor uniqueValues(const Tensor &x, std::optional<int64_t> size) {
  return unique(x, size);
}
std::pair<Tensor, Tensor> uniqueCounts(const Tensor &x,
                                       std::optional<int64_t> size) {
  UniqueResult out = uniqueAll(x, size);
  return {out.values, out.counts};
}
std::pair<Tensor, Tensor> uniqueInverse(const Tensor &x,
                                        std::optional<int64_t> size) {
  UniqueResult out = uniqueAll(x, size);
  return {out.values, out.inverse};
}

Tensor union1d(const Tensor &x, const Tensor &y) {
  return unique(concatenate({ravel(x), ravel(y)}, 0));
}
/// Distinct elements of x that are, or are not, in y.
static Tensor chosenOf(const Tensor &x, const Tensor &y, bool isIn) {
  auto [a, b] = promotePair(ravel(x), ravel(y));
  Tensor values = unique(a);
  return extract(isin(values, b, !isIn), values);
}
Tensor intersect1d(const Tensor &x, const Tensor &y) {
  return chosenOf(x, y, true);
}
Tensor setdiff1d(const Tensor &x, const Tensor &y) {
  Tensor values = unique(x);
  return extract(isin(values, y, true), values);
}
Tensor setxor1d(const Tensor &x, const Tensor &y) {
  return sort(concatenate({chosenOf(x, y, false), chosenOf(y, x, false)}, 0));
}
Tensor isin(const Tensor &x, const Tensor &y, bool isInverted) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  auto [a, b] = promotePair(expandDims(x, -1), toRank(ravel(y), x.rank() + 1));
  Tensor found = any(a == b, Ints{-1});
  return isInverted ? ~found : found;
}

Tensor lexsort(const Tensors &keys, int64_t axis) {
  if (keys.empty())
    return typeError("need sequence of keys with len > 0 in lexsort");
  if (const Error *error = errorIn(keys))
    return *error;
  for (const Tensor &key : keys)
    if (key.shape() != keys[0].shape())
      return valueError("all keys need to be the same shape");
  if (!keys[0].rank())
    return scalarOf(int64_t(0), DType::I32);
  Expected<int64_t> d = normalizedAxis(axis, keys[0].rank());
  if (!d)
    return d.error();
  Tensors operands(keys.rbegin(), keys.rend());
  operands.push_back(lax::iota(DType::I32, keys[0].shape(), *d));
  return lax::sort(operands, *d, static_cast<int64_t>(keys.size())).back();
}
Tensor partition(const Tensor &x, int64_t k, int64_t axis) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return d.error();
  if (k < -x.dim(*d) || k >= x.dim(*d))
    return valueError("kth ", k, " is out of bounds for axis ", axis,
                      " with size ", x.dim(*d));
  return sort(x, *d);
}
Tensor argpartition(const Tensor &x, int64_t k, int64_t axis) {
  Tensor ordered = partition(x, k, axis);
  return ordered.ok() ? argsort(x, axis) : ordered;
}

} // namespace shardwright::frontend
