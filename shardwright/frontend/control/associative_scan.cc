//===- associative_scan.cc - prefix results of associative functions ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"

namespace shardwright::frontend {

/// Elements [start, limit) of each tensor in steps along an axis.
static Tensors sliced(const Tensors &xs, int64_t start, int64_t limit,
                      int64_t stride, int64_t axis) {
  Tensors out;
  for (const Tensor &x : xs)
    out.push_back(lax::slice_in_dim(x, start, limit, stride, axis));
  return out;
}

/// a[0], b[0], a[1], b[1], ..; a has as many elements as b or one more.
static Tensor interleaved(const Tensor &a, const Tensor &b, int64_t axis) {
  Tensor zero = scalarOf(int64_t(0), a.dtype());
  std::vector<Ints> even(a.rank(), Ints{0, 0, 0}), odd = even;
  bool equal = a.dim(axis) == b.dim(axis);
  even[axis] = {0, equal ? 1 : 0, 1};
  odd[axis] = {1, equal ? 0 : 1, 1};
  Tensor x = lax::pad(a, zero, even), y = lax::pad(b, zero, odd);
  return a.dtype() == DType::Bool ? lax::bitwise_or(x, y) : lax::add(x, y);
}

/// combine(a, b), which has the shapes of a: others would not get smaller from
/// step to step.
static Tensors combined(const TensorsFunction &combine, const Tensors &a,
                        const Tensors &b) {
  Tensors args = a;
  args.insert(args.end(), b.begin(), b.end());
  Tensors outs = combine(args);
  if (errorIn(outs))
    return outs;
  if (outs.size() != a.size())
    return {
        Tensor(typeError("associative_scan's function returned ", outs.size(),
                         " values, its arguments have ", a.size()))};
  for (size_t i = 0; i < outs.size(); ++i)
    if (outs[i].shape() != a[i].shape())
      return {Tensor(typeError("associative_scan's function must return values "
                               "of the shapes of its arguments, but got ",
                               outs[i].aval().longStr(), " for ",
                               a[i].aval().longStr()))};
  return outs;
}

static Tensors prefixes(const TensorsFunction &combine, const Tensors &elems,
                        int64_t axis) {
  int64_t n = elems[0].dim(axis);
  if (n < 2)
    return elems;
  // Neighbours combined, scanned: the prefixes of odd positions.
  Tensors pairs = combined(combine, sliced(elems, 0, n - 1, 2, axis),
                           sliced(elems, 1, n, 2, axis));
  if (errorIn(pairs))
    return pairs;
  Tensors odd = prefixes(combine, pairs, axis);
  if (errorIn(odd))
    return odd;
  // As JAX's, with arrays without elements for n = 2.
  int64_t m = (n - 1) / 2;
  Tensors rest = combined(combine, n % 2 ? odd : sliced(odd, 0, m, 1, axis),
                          sliced(elems, 2, n, 2, axis));
  if (errorIn(rest))
    return rest;
  Tensors even;
  for (size_t i = 0; i < elems.size(); ++i)
    even.push_back(lax::concatenate(
        {lax::slice_in_dim(elems[i], 0, 1, 1, axis), rest[i]}, axis));
  for (size_t i = 0; i < even.size(); ++i)
    even[i] = interleaved(even[i], odd[i], axis);
  return even;
}

Tensors associativeScanFlat(const TensorsFunction &combine,
                            const Tensors &elems, int64_t axis, bool reverse) {
  if (const Error *error = errorIn(elems))
    return {Tensor(*error)};
  if (elems.empty())
    return {};
  Tensors xs;
  for (const Tensor &x : elems) {
    int64_t own = axis < 0 ? axis + x.rank() : axis;
    int64_t first = axis < 0 ? axis + elems[0].rank() : axis;
    if (own != first || own < 0 || own >= x.rank() ||
        x.dim(own) != elems[0].dim(own))
      return {Tensor(valueError(
          "Array inputs to associative_scan must have the same first "
          "dimension. (saw: ",
          tupleText(elems[0].shape()), ", ", tupleText(x.shape()), ")"))};
    xs.push_back(reverse ? lax::rev(x, {own}) : x);
  }
  axis = axis < 0 ? axis + elems[0].rank() : axis;
  Tensors out = prefixes(combine, xs, axis);
  if (errorIn(out))
    return out;
  if (reverse)
    for (Tensor &x : out)
      x = lax::rev(x, {axis});
  return out;
}

} // namespace shardwright::frontend
