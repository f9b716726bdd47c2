//===- matrices.cc - more products and matrices, polynomials --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/matrices.h"

#include "shardwright/frontend/linalg/linalg.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/numpy/spread.h"
#include "shardwright/frontend/numpy/ufuncs.h"
#include "shardwright/frontend/scipy/special.h"

#include <cmath>
#include <numbers>

namespace shardwright::frontend {

Tensor cross(const Tensor &x, const Tensor &y, int64_t axis) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  Tensor a = moveaxis(x, axis, -1), b = moveaxis(y, axis, -1);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  int64_t m = a.dim(-1), n = b.dim(-1);
  if ((m != 2 && m != 3) || (n != 2 && n != 3))
    return valueError("Dimension must be either 2 or 3 for cross product");
  auto part = [](const Tensor &v, int64_t i) {
    Tensor first = v.index({ellipsis, 0});
    return i < v.dim(-1) ? v.index({ellipsis, i}) : zerosLike(first);
  };
  auto minor = [&](int64_t i, int64_t j) {
    return part(a, i) * part(b, j) - part(a, j) * part(b, i);
  };
  if (m == 2 && n == 2)
    return minor(0, 1);
  return moveaxis(stack({minor(1, 2), minor(2, 0), minor(0, 1)}), 0, axis);
}
Tensor vecdot(const Tensor &x, const Tensor &y, int64_t axis) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (!x.rank() || !y.rank())
    return valueError("vecdot expects arrays of rank 1 or more");
  Tensor a = moveaxis(x, axis, -1), b = moveaxis(y, axis, -1);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  if (a.dim(-1) != b.dim(-1))
    return valueError("vecdot expects vectors of equal length, got shapes ",
                      tupleText(x.shape()), " and ", tupleText(y.shape()));
  SW_TRY(checkBatchRanks({a.shape(), b.shape()}, {1, 1}, "(n),(n)->()"));
  Tensor rows = expandDims(conjugate(a), -2), columns = expandDims(b, -1);
  return squeeze(matmul(rows, columns), Axes(Ints{-2, -1}));
}
Tensor matvec(const Tensor &x, const Tensor &v) {
  if (const Error *error = errorIn(Tensors{x, v}))
    return *error;
  if (x.rank() < 2 || v.rank() < 1)
    return valueError("matvec expects matrices and vectors, got shapes ",
                      tupleText(x.shape()), " and ", tupleText(v.shape()));
  SW_TRY(checkBatchRanks({x.shape(), v.shape()}, {2, 1}, "(n,m),(m)->(n)"));
  return squeeze(matmul(x, expandDims(v, -1)), -1);
}
Tensor vecmat(const Tensor &v, const Tensor &x) {
  if (const Error *error = errorIn(Tensors{x, v}))
    return *error;
  if (x.rank() < 2 || v.rank() < 1)
    return valueError("vecmat expects vectors and matrices, got shapes ",
                      tupleText(v.shape()), " and ", tupleText(x.shape()));
  SW_TRY(checkBatchRanks({v.shape(), x.shape()}, {1, 2}, "(n),(n,m)->(m)"));
  return squeeze(matmul(expandDims(conjugate(v), -2), x), -2);
}

Tensor polyval(const Tensor &p, const Tensor &x) {
  // The coefficients of one power meet the values, not all of them.
  auto [c, at] = promotePair(p, x, /*function=*/nullptr);
  if (const Error *error = errorIn(Tensors{p, c, at}))
    return *error;
  if (p.rank() < 1)
    return valueError("polyval expects coefficients of rank 1, got rank 0");
  Tensor coefficients = lax::convert_element_type(p, c.dtype());
  Tensor values = lax::convert_element_type(x, c.dtype());
  Shape own = p.shape();
  own.erase(own.begin());
  Expected<Shape> shape = broadcastShapes({own, values.shape()});
  if (!shape)
    return shape.error();
  Tensor out = zeros(*shape, values.dtype());
  for (int64_t i = 0; i < p.dim(0); ++i)
    out = out * values + coefficients[i];
  return out;
}
/// Two lists of coefficients of one length.
static std::pair<Tensor, Tensor> aligned(const Tensor &p, const Tensor &q) {
  if (const Error *error = errorIn(Tensors{p, q}))
    return {*error, *error};
  Tensor a = atleast1d(p), b = atleast1d(q);
  if (a.rank() != 1 || b.rank() != 1) {
    Error wrong =
        valueError("polynomials must be vectors of coefficients, got shapes ",
                   tupleText(p.shape()), " and ", tupleText(q.shape()));
    return {wrong, wrong};
  }
  int64_t n = std::max(a.dim(0), b.dim(0));
  return {pad(a, {{n - a.dim(0), 0}}), pad(b, {{n - b.dim(0), 0}})};
}
Tensor polyadd(const Tensor &p, const Tensor &q) {
  auto [a, b] = aligned(p, q);
  return a + b;
}
Tensor polysub(const Tensor &p, const Tensor &q) {
  auto [a, b] = aligned(p, q);
  return a - b;
}
Tensor polymul(const Tensor &p, const Tensor &q) {
  return convolve(atleast1d(p), atleast1d(q));
}
static Tensor exponents(int64_t count, DType type) {
  return lax::sub(scalarOf(count, type), lax::iota(type, {count}, 0));
}
Tensor polyder(const Tensor &in, int64_t m) {
  Tensor p = inexact(in);
  if (!p.ok())
    return p;
  if (m < 0 || p.rank() != 1)
    return valueError("Order of derivative must be positive, and coefficients "
                      "a vector");
  for (int64_t i = 0; i < m && p.dim(0); ++i) {
    int64_t n = p.dim(0) - 1;
    p = lax::mul(lax::slice_in_dim(p, 0, n), exponents(n, p.dtype()));
  }
  return p;
}
Tensor polyint(const Tensor &in, int64_t m) {
  Tensor p = inexact(in);
  if (!p.ok())
    return p;
  if (m < 0 || m > 1024 || p.rank() != 1)
    return valueError("Order of integral must be positive, and coefficients a "
                      "vector");
  for (int64_t i = 0; i < m; ++i)
    p = pad(lax::div(p, exponents(p.dim(0), p.dtype())), {{0, 1}});
  return p;
}

namespace linalg {
Tensor svdvals(const Tensor &a) {
  Tensor m = inexact(a);
  if (!m.ok())
    return m;
  if (m.rank() < 2)
    return valueError("Argument to linalg.svdvals must have shape [..., m, n], "
                      "got shape ",
                      tupleText(a.shape()), ".");
  return lax::linalg::svd(m, false, false)[0];
}
Tensor cond(const Tensor &a) {
  Tensor s = svdvals(a);
  if (!s.ok())
    return s;
  if (!s.dim(-1))
    return valueError("cond is not defined on empty arrays");
  Tensor ratio = s.index({ellipsis, 0}) / s.index({ellipsis, -1});
  // A matrix of NaN alone gives NaN.
  Tensor hasNan = any(isnan(inexact(a)), Ints{-2, -1});
  return where(isnan(ratio) & ~hasNan, INFINITY, ratio);
}
Tensor multiDot(const Tensors &xs) {
  if (xs.size() < 2)
    return valueError("multi_dot requires at least two arrays; got ",
                      xs.size());
  Tensor out = xs[0];
  for (size_t i = 1; i < xs.size(); ++i)
    out = matmul(out, xs[i]);
  return out;
}
Tensor cross(const Tensor &x, const Tensor &y, int64_t axis) {
  return frontend::cross(x, y, axis);
}
Tensor vecdot(const Tensor &x, const Tensor &y, int64_t axis) {
  return frontend::vecdot(x, y, axis);
}
Tensor tensorinv(const Tensor &a, int64_t n) {
  if (!a.ok())
    return a;
  if (n < 1 || n >= a.rank())
    return valueError("ind must be a positive integer below the rank; got ind=",
                      n);
  Shape rows(Ints(a.shape().begin(), a.shape().begin() + n)),
      columns(Ints(a.shape().begin() + n, a.shape().end()));
  if (rows.elements() != columns.elements())
    return valueError("The products of the first and of the last dimensions "
                      "must be equal, got shape ",
                      tupleText(a.shape()));
  Shape out = columns;
  out.insert(out.end(), rows.begin(), rows.end());
  return reshape(inv(lax::reshape(a, {rows.elements(), columns.elements()})),
                 out);
}
Tensor tensorsolve(const Tensor &a, const Tensor &b) {
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  if (a.rank() < b.rank())
    return valueError("tensorsolve expects a of no lower rank than b");
  Shape out(Ints(a.shape().begin() + b.rank(), a.shape().end()));
  if (out.elements() != b.size() || a.size() != b.size() * b.size())
    return valueError("Input arrays must have prod(a.shape[:b.ndim]) == "
                      "prod(a.shape[b.ndim:]); got shapes ",
                      tupleText(a.shape()), " and ", tupleText(b.shape()));
  return reshape(solve(lax::reshape(a, {b.size(), b.size()}), ravel(b)), out);
}
} // namespace linalg

namespace nn {
Tensor identity(const Tensor &x) { return x; }
Tensor log1mexp(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  // Each branch gets numbers at which it is accurate and finite.
  Tensor isSmall = x < std::numbers::ln2;
  Tensor small = where(isSmall, x, std::numbers::ln2),
         large = where(isSmall, std::numbers::ln2, x);
  return where(isSmall, log(-expm1(-small)), log1p(-exp(-large)));
}
Tensor logmeanexp(const Tensor &x, const Axes &axes, bool keepDims) {
  Tensor out = scipy::special::logsumexp(x, axes, keepDims);
  if (!out.ok())
    return out;
  double count = static_cast<double>(x.size()) /
                 static_cast<double>(std::max<int64_t>(out.size(), 1));
  return out - std::log(count);
}
Tensor sparsePlus(const Tensor &x) {
  return where(x <= -1.0, 0.0, where(x >= 1.0, x, square(x + 1.0) / 4.0));
}
Tensor sparseSigmoid(const Tensor &x) { return 0.5 * clip(x + 1.0, 0.0, 2.0); }
} // namespace nn

} // namespace shardwright::frontend
