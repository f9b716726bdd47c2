//===- control.cc - scan, while, cond, checkpoint on trees ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"

#include "shardwright/frontend/api/control.h"
#include "shardwright/frontend/primitives/lax.h"

namespace shardwright::frontend::detail {

Tensors scan(const FlatFunction &body, const Tensors &init, const Tensors &xs,
             int64_t length, bool reverse) {
  return scanFlat(body, init, xs, length, reverse);
}
Tensors whileLoop(const FlatFunction &condition, const FlatFunction &body,
                  const Tensors &init) {
  return whileFlat(condition, body, init);
}
Tensors switchCase(const Tensor &index,
                   const std::vector<FlatFunction> &branches,
                   const Tensors &operands) {
  return switchFlat(index, branches, operands);
}
Tensors checkpoint(const FlatFunction &body, const Tensors &args) {
  return checkpointFlat(body, args);
}

Tensors whileCounted(const Tensor &from, const Tensor &to,
                     const FlatFunction &body, const Tensors &init) {
  for (const Tensor &bound : {from, to})
    if (!bound.ok())
      return {bound};
  // Bounds with values are as good as numbers of C++.
  if (!from.isTraced() && !to.isTraced() && from.dtype() == DType::I32 &&
      to.dtype() == DType::I32 && !from.rank() && !to.rank()) {
    auto first = from.toVector<int32_t>(), last = to.toVector<int32_t>();
    if (!first)
      return {Tensor(first.error())};
    if (!last)
      return {Tensor(last.error())};
    return counted((*first)[0], (*last)[0], body, init);
  }
  Tensors carry{from, to};
  carry.insert(carry.end(), init.begin(), init.end());
  Tensors outs = whileFlat(
      [](const Tensors &args) { return Tensors{lax::lt(args[0], args[1])}; },
      [&](const Tensors &args) -> Tensors {
        Tensors inner{args[0]};
        inner.insert(inner.end(), args.begin() + 2, args.end());
        Tensors next = body(inner);
        if (const Error *error = errorIn(next))
          return {Tensor(*error)};
        Tensor one = scalarOf(int64_t(1), args[0].dtype());
        next.insert(next.begin(), {lax::add(args[0], one), args[1]});
        return next;
      },
      carry);
  if (errorIn(outs))
    return outs;
  return Tensors(outs.begin() + 2, outs.end());
}

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

static Tensors prefixes(const FlatFunction &combine, const Tensors &elems,
                        int64_t axis) {
  int64_t n = elems[0].dim(axis);
  if (n < 2)
    return elems;
  auto both = [&](const Tensors &a, const Tensors &b) {
    Tensors args = a;
    args.insert(args.end(), b.begin(), b.end());
    return combine(args);
  };
  // Neighbours combined, scanned: the prefixes of odd positions.
  Tensors pairs =
      both(sliced(elems, 0, n - 1, 2, axis), sliced(elems, 1, n, 2, axis));
  if (errorIn(pairs))
    return pairs;
  Tensors odd = prefixes(combine, pairs, axis);
  if (errorIn(odd))
    return odd;
  Tensors even = sliced(elems, 0, 1, 1, axis);
  if (n > 2) {
    int64_t m = (n - 1) / 2;
    Tensors rest =
        both(sliced(odd, 0, m, 1, axis), sliced(elems, 2, n, 2, axis));
    if (errorIn(rest))
      return rest;
    for (size_t i = 0; i < even.size(); ++i)
      even[i] = lax::concatenate({even[i], rest[i]}, axis);
  }
  for (size_t i = 0; i < even.size(); ++i)
    even[i] = interleaved(even[i], odd[i], axis);
  return even;
}

Tensors associativeScan(const FlatFunction &combine, const Tensors &elems,
                        int64_t axis, bool reverse) {
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
  if (out.size() != elems.size())
    return {
        Tensor(typeError("associative_scan's function returned ", out.size(),
                         " values, its arguments have ", elems.size()))};
  if (reverse)
    for (Tensor &x : out)
      x = lax::rev(x, {axis});
  return out;
}

Tensors counted(int64_t from, int64_t to, const FlatFunction &body,
                const Tensors &init) {
  Tensors carry{scalarOf(from, DType::I32)};
  carry.insert(carry.end(), init.begin(), init.end());
  Tensors outs = scanFlat(
      [&](const Tensors &args) -> Tensors {
        Tensors next = body(args);
        if (const Error *error = errorIn(next))
          return {Tensor(*error)};
        next.insert(next.begin(),
                    lax::add(args[0], scalarOf(int64_t(1), DType::I32)));
        return next;
      },
      carry, {}, std::max<int64_t>(to - from, 0), false);
  if (errorIn(outs))
    return outs;
  return Tensors(outs.begin() + 1, outs.end());
}

} // namespace shardwright::frontend::detail
