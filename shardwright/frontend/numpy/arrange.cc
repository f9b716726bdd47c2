//===- arrange.cc - padding, rolling, tiling, joining ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/arrange.h"

#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/primitives/parts.h"

#include <numeric>

namespace shardwright::frontend {
namespace {

/// Applies a function to a dimension, counted from the front.
Tensor along(const Tensor &x, int64_t axis,
             const std::function<Tensor(int64_t)> &op) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  return d ? op(*d) : Tensor(d.error());
}
Tensor part(const Tensor &x, int64_t from, int64_t to, int64_t axis) {
  return lax::slice_in_dim(x, from, to, 1, axis);
}

/// Elements of mode Reflect, Symmetric or Wrap around one dimension, as many
/// periods as are needed.
Tensor padPeriodic(Tensor x, int64_t d, int64_t before, int64_t after,
                   PadMode mode) {
  int64_t n = x.dim(d);
  if (std::max({n, before, after}) >= int64_t(1) << 28)
    return valueError("pad of dimension ", d, " of size ", n, " by ", before,
                      " and ", after,
                      " elements: all must be below 2^28 in modes other than "
                      "'constant' and 'edge'");
  int64_t skip = mode == PadMode::Reflect ? 1 : 0;
  if (n == 1 && skip)
    skip = 0;
  // Of each element of the result: the position that it comes from.
  int64_t period =
      mode == PadMode::Wrap ? n : std::max<int64_t>(2 * (n - skip), 1);
  std::vector<int32_t> positions;
  for (int64_t i = -before; i < n + after; ++i) {
    int64_t at = ((i % period) + period) % period;
    if (mode != PadMode::Wrap && at >= n)
      at = 2 * n - 1 - skip - at;
    positions.push_back(static_cast<int32_t>(at));
  }
  return take(x, arrayOf(positions), d);
}

Tensor padOne(const Tensor &x, int64_t d, int64_t before, int64_t after,
              PadMode mode, double value) {
  if (!before && !after)
    return x;
  if (mode == PadMode::Constant) {
    std::vector<Ints> config(x.rank(), Ints{0, 0, 0});
    config[d] = {before, after, 0};
    return lax::pad(x, scalarOf(value, x.dtype()), config);
  }
  if (!x.dim(d))
    return valueError("can't extend empty axis ", d,
                      " using modes other than 'constant' or 'empty'");
  if (mode != PadMode::Edge)
    return padPeriodic(x, d, before, after, mode);
  Tensors parts;
  auto edge = [&](int64_t at, int64_t count) {
    Shape shape = x.shape();
    shape.at(d) = count;
    if (count)
      parts.push_back(lax::broadcast_in_dim(part(x, at, at + 1, d), shape,
                                            iotaInts(x.rank())));
  };
  edge(0, before);
  parts.push_back(x);
  edge(x.dim(d) - 1, after);
  return lax::concatenate(parts, d);
}

} // namespace

Tensor pad(const Tensor &x, const std::vector<Ints> &widths, PadMode mode,
           double value) {
  if (!x.ok())
    return x;
  if (widths.size() != 1 && static_cast<int64_t>(widths.size()) != x.rank())
    return valueError("pad expects a (before, after) pair for each of ",
                      x.rank(), " dimensions or one for all, got ",
                      widths.size());
  Tensor out = x;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const Ints &w = widths.size() == 1 ? widths[0] : widths[d];
    if (w.size() != 2 || w[0] < 0 || w[1] < 0)
      return valueError("index can't contain negative values: pad widths of "
                        "dimension ",
                        d, " are ", tupleText(w));
    out = padOne(out, d, w[0], w[1], mode, value);
    if (!out.ok())
      return out;
  }
  return out;
}

Tensor roll(const Tensor &x, int64_t shift, const Axes &axes) {
  if (!x.ok())
    return x;
  if (!axes)
    return reshape(roll(ravel(x), shift, Ints{0}), x.shape());
  Tensor out = x;
  for (int64_t axis : *axes)
    out = along(out, axis, [&](int64_t d) {
      int64_t n = out.dim(d);
      int64_t by = n ? ((shift % n) + n) % n : 0;
      if (!by)
        return out;
      return lax::concatenate(
          {part(out, n - by, n, d), part(out, 0, n - by, d)}, d);
    });
  return out;
}

Tensor tile(const Tensor &x, const Ints &reps) {
  if (!x.ok())
    return x;
  auto count = static_cast<int64_t>(reps.size());
  Tensor in = x;
  if (x.rank() < count) {
    Shape wide(Ints(count - x.rank(), 1));
    wide.insert(wide.end(), x.shape().begin(), x.shape().end());
    in = lax::reshape(x, wide);
  }
  Ints all(std::max<int64_t>(in.rank() - count, 0), 1);
  all.insert(all.end(), reps.begin(), reps.end());
  return lax::tile(in, all);
}

Tensor repeat(const Tensor &x, int64_t repeats, std::optional<int64_t> axis) {
  if (!axis)
    return repeat(ravel(x), repeats, 0);
  if (repeats < 0)
    return valueError("repeats must not be negative, got ", repeats);
  return along(x, *axis, [&](int64_t d) {
    Shape wide = x.shape(), flat = x.shape();
    wide.insert(wide.begin() + d + 1, repeats);
    if (__builtin_mul_overflow(flat[d], repeats, &flat.at(d)))
      return Tensor(valueError("repeat of shape ", tupleText(x.shape()), " by ",
                               repeats, " is too large"));
    Ints dims = iotaInts(x.rank());
    for (int64_t &v : dims)
      v += v > d;
    return lax::reshape(lax::broadcast_in_dim(x, wide, dims), flat);
  });
}

Tensor flip(const Tensor &x, const Axes &axes) {
  if (!x.ok())
    return x;
  Ints dims;
  for (int64_t axis : axes ? *axes : iotaInts(x.rank())) {
    Expected<int64_t> d = normalizedAxis(axis, x.rank());
    if (!d)
      return d.error();
    dims.push_back(*d);
  }
  return lax::rev(x, dims);
}

Tensor moveaxis(const Tensor &x, int64_t from, int64_t to) {
  return along(x, from, [&](int64_t f) {
    return along(x, to, [&](int64_t t) { return moveBatch(x, f, t); });
  });
}
Tensor ravel(const Tensor &x) {
  return x.ok() ? lax::reshape(x, {x.size()}) : x;
}
Tensor hstack(const Tensors &xs) {
  if (xs.empty() || errorIn(xs))
    return concatenate(xs);
  return concatenate(xs, xs[0].rank() > 1 ? 1 : 0);
}
Tensor vstack(const Tensors &xs) {
  Tensors rows;
  for (const Tensor &x : xs)
    rows.push_back(x.ok() && x.rank() < 2 ? lax::reshape(x, {1, x.size()}) : x);
  return concatenate(rows, 0);
}

Tensors splitAt(const Tensor &x, const Ints &positions, int64_t axis) {
  size_t count = positions.size() + 1;
  if (!x.ok())
    return Tensors(count, x);
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return Tensors(count, Tensor(d.error()));
  int64_t n = x.dim(*d), at = 0;
  Ints sizes;
  for (int64_t p : positions) {
    int64_t next = std::clamp<int64_t>(p < 0 ? p + n : p, at, n);
    sizes.push_back(next - at);
    at = next;
  }
  sizes.push_back(n - at);
  return lax::split(x, sizes, *d);
}
Tensors unstack(const Tensor &x, int64_t axis) {
  if (!x.ok())
    return {x};
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  return d ? lax::unstack(x, *d) : Tensors{Tensor(d.error())};
}

Tensors meshgrid(const Tensors &xs, bool xy) {
  if (const Error *error = errorIn(xs))
    return Tensors(xs.size(), Tensor(*error));
  Shape shape;
  for (const Tensor &x : xs) {
    if (x.rank() > 1)
      return Tensors(xs.size(),
                     Tensor(valueError("Arguments to jax.numpy.meshgrid must "
                                       "be at most 1D")));
    shape.push_back(x.size());
  }
  auto position = [&](size_t i) -> int64_t {
    return static_cast<int64_t>(xy && xs.size() > 1 && i < 2 ? 1 - i : i);
  };
  Shape grid = shape;
  for (size_t i = 0; i < xs.size(); ++i)
    grid.at(position(i)) = shape[static_cast<int64_t>(i)];
  Tensors out;
  for (size_t i = 0; i < xs.size(); ++i)
    out.push_back(lax::broadcast_in_dim(ravel(xs[i]), grid, {position(i)}));
  return out;
}

Tensor diagonal(const Tensor &x, int64_t offset) {
  if (!x.ok())
    return x;
  if (x.rank() < 2)
    return valueError("diagonal requires an array of at least two dimensions.");
  int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  // Beyond the edges there is nothing.
  offset = std::clamp(offset, -rows, columns);
  int64_t top = std::max<int64_t>(-offset, 0),
          left = std::max<int64_t>(offset, 0);
  int64_t n = std::max<int64_t>(std::min(rows - top, columns - left), 0);
  Shape flat(Ints(x.shape().begin(), x.shape().end() - 2));
  flat.push_back(rows * columns);
  std::vector<int32_t> positions;
  for (int64_t i = 0; i < n; ++i)
    positions.push_back(static_cast<int32_t>((top + i) * columns + left + i));
  return take(lax::reshape(x, flat), arrayOf(positions), flat.rank() - 1);
}
Tensor diag(const Tensor &x, int64_t k) {
  if (!x.ok())
    return x;
  if (x.rank() == 2)
    return diagonal(x, k);
  if (x.rank() != 1)
    return valueError("diag input must be 1d or 2d");
  if (k > INT32_MAX || k < -INT32_MAX)
    return valueError("diag of diagonal ", k, " is too large");
  int64_t n = x.dim(0) + std::abs(k);
  Tensor wide = pad(x, {{std::max<int64_t>(k, 0), std::max<int64_t>(-k, 0)}});
  Tensor rows = lax::iota(DType::I32, {n, n}, 0),
         columns = lax::iota(DType::I32, {n, n}, 1);
  Tensor isOn = lax::eq(lax::add(rows, scalarOf(k, DType::I32)), columns);
  // Element i of x is in column i + max(k, 0).
  Tensor values = lax::broadcast_in_dim(wide, {n, n}, {1});
  return lax::select(isOn, values, zerosLike(values));
}
Tensor trace(const Tensor &x) { return sum(diagonal(x), Ints{-1}); }

Tensor linspace(double start, double stop, int64_t count) {
  if (count < 0)
    return valueError("Number of samples, ", count, ", must be non-negative.");
  Tensor from = scalarOf(start, DType::F32), to = scalarOf(stop, DType::F32);
  if (count < 2)
    return lax::broadcast_in_dim(from, {count}, {});
  Tensor step = lax::div(lax::iota(DType::F32, {count - 1}, 0),
                         scalarOf(double(count - 1), DType::F32));
  Tensor out =
      lax::add(lax::mul(from, lax::sub(scalarOf(1.0, DType::F32), step)),
               lax::mul(to, step));
  return lax::concatenate({out, lax::expand_dims(to, {0})}, 0);
}

} // namespace shardwright::frontend
