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
             int64_t length, bool reverse, int64_t unroll) {
  return scanFlat(body, init, xs, length, reverse, unroll);
}
Tensors whileLoop(const FlatFunction &condition, const FlatFunction &body,
                  const Tensors &init) {
  return whileFlat(condition, body, init);
}
Tensors cond(const Tensor &predicate, const FlatFunction &onTrue,
             const FlatFunction &onFalse, const Tensors &operands) {
  return condFlat(predicate, onTrue, onFalse, operands);
}
Tensors switchCase(const Tensor &index,
                   const std::vector<FlatFunction> &branches,
                   const Tensors &operands) {
  return switchFlat(index, branches, operands);
}
Tensors checkpoint(const FlatFunction &body, const Tensors &args,
                   const CheckpointOptions &options) {
  return checkpointFlat(body, args, options);
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
        Tensor one = scalarOf(int64_t(1), args[0].dtype());
        Tensor number = lax::add(args[0], one);
        Tensors next = body(inner);
        if (const Error *error = errorIn(next))
          return {Tensor(*error)};
        next.insert(next.begin(), {number, args[1]});
        return next;
      },
      carry);
  if (errorIn(outs))
    return outs;
  return Tensors(outs.begin() + 2, outs.end());
}

Tensors associativeScan(const FlatFunction &combine, const Tensors &elems,
                        int64_t axis, bool reverse) {
  return associativeScanFlat(combine, elems, axis, reverse);
}

/// Applies a function to all slices along the leading axis at once.
static Tensors vectorized(const FlatFunction &function, const Tensors &xs) {
  BatchAxis axis;
  axis.size = xs[0].dim(0);
  Expected<Tensors> outs =
      vmapFlat(function, xs, Ints(xs.size(), 0), {0}, axis);
  return outs ? *outs : Tensors{Tensor(outs.error())};
}

Tensors mapBatched(const FlatFunction &function, const Tensors &xs,
                   int64_t batchSize) {
  if (const Error *error = errorIn(xs))
    return {Tensor(*error)};
  if (batchSize < 0)
    return {Tensor(
        valueError("map's batchSize must not be negative, got ", batchSize))};
  for (const Tensor &x : xs)
    if (!x.rank() || x.dim(0) != xs[0].dim(0))
      return {Tensor(valueError("map got values with different leading axis "
                                "sizes: ",
                                xs[0].aval().longStr(), ", ",
                                x.aval().longStr(), "."))};
  if (xs.empty())
    return {Tensor(valueError("map got no values to map over."))};
  int64_t length = xs[0].dim(0), rounds = length / batchSize;
  int64_t most = rounds * batchSize;
  auto range = [&](const Tensor &x, int64_t from, int64_t to) {
    Ints start(x.rank(), 0), limit(x.shape());
    start[0] = from;
    limit[0] = to;
    return lax::slice(x, start, limit);
  };
  if (!rounds)
    return vectorized(function, xs);
  Tensors batches, rest;
  for (const Tensor &x : xs) {
    Shape shape = x.shape();
    shape.at(0) = batchSize;
    shape.insert(shape.begin(), rounds);
    batches.push_back(
        lax::reshape(most < length ? range(x, 0, most) : x, shape));
    if (most < length)
      rest.push_back(range(x, most, length));
  }
  Tensors outs = scanFlat(
      [&](const Tensors &slices) { return vectorized(function, slices); }, {},
      batches, -1, false);
  if (errorIn(outs))
    return outs;
  Tensors last = rest.empty() ? Tensors() : vectorized(function, rest);
  if (errorIn(last))
    return last;
  for (size_t i = 0; i < outs.size(); ++i) {
    Shape shape = outs[i].shape();
    shape.erase(shape.begin());
    shape.at(0) = most;
    outs[i] = lax::reshape(outs[i], shape);
    if (i < last.size())
      outs[i] = lax::concatenate({outs[i], last[i]}, 0);
  }
  return outs;
}

Tensors counted(int64_t from, int64_t to, const FlatFunction &body,
                const Tensors &init, int64_t unroll) {
  for (int64_t bound : {from, to})
    if (bound > INT32_MAX || bound < INT32_MIN)
      return {Tensor(
          valueError("Python integer ", bound, " out of bounds for int32"))};
  Tensors carry{scalarOf(from, DType::I32)};
  carry.insert(carry.end(), init.begin(), init.end());
  Tensors outs = scanFlat(
      [&](const Tensors &args) -> Tensors {
        Tensor number = lax::add(args[0], scalarOf(int64_t(1), DType::I32));
        Tensors next = body(args);
        if (const Error *error = errorIn(next))
          return {Tensor(*error)};
        next.insert(next.begin(), number);
        return next;
      },
      carry, {}, std::max<int64_t>(to - from, 0), false, unroll);
  if (errorIn(outs))
    return outs;
  return Tensors(outs.begin() + 1, outs.end());
}

} // namespace shardwright::frontend::detail
