//===- linalg.cc - matrices -----------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/linalg.h"

#include "shardwright/frontend/linalg/linalg.h"
#include "shardwright/frontend/linalg/matrix.h"
#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"

#include <limits>

namespace shardwright::frontend::linalg {
namespace {

/// A batch of matrices of floats, or an error.
Tensor matrixOf(const char *name, const Tensor &x, bool square = true) {
  if (!x.ok())
    return x;
  if (x.rank() < 2 || (square && x.dim(x.rank() - 1) != x.dim(x.rank() - 2)))
    return valueError("Argument to ", name, " must have shape [..., ",
                      square ? "n, n" : "m, n", "], got shape ",
                      tupleText(x.shape()), ".");
  return inexact(x);
}
Tensor transposed(const Tensor &x) {
  Tensor t = swapaxes(x, -1, -2);
  return t.ok() && isComplex(t.dtype()) ? lax::conj(t) : t;
}
Tensor identity(const Tensor &like) {
  int64_t n = like.dim(like.rank() - 1);
  return broadcastTo(eye(n, like.dtype()), like.shape());
}
double epsilonOf(DType type) {
  return realType(type) == DType::F64 ? std::numeric_limits<double>::epsilon()
                                      : std::numeric_limits<float>::epsilon();
}
/// 1 for an even permutation, -1 for an odd one.
Tensor parityOf(const Tensor &pivots, DType type) {
  Tensor own = lax::iota(DType::I32, pivots.shape(), pivots.rank() - 1);
  Tensor exchanges = sum(astype(lax::ne(pivots, own), DType::I32), Ints{-1});
  return astype(1 - 2 * lax::rem(exchanges, scalarOf(int64_t(2), DType::I32)),
                type);
}

} // namespace

Tensor solve(const Tensor &a, const Tensor &b) {
  Tensor m = matrixOf("linalg.solve", a);
  if (const Error *error = errorIn(Tensors{m, b}))
    return *error;
  auto [left, right] = promotePair(m, inexact(b), /*function=*/nullptr);
  right = lax::convert_element_type(inexact(b), left.dtype());
  bool isVector = b.rank() == 1;
  if (isVector)
    right = expandDims(right, 1);
  int64_t n = left.dim(left.rank() - 1);
  if (right.rank() < 2 || right.dim(right.rank() - 2) != n)
    return valueError("Incompatible shapes for solve: ", tupleText(a.shape()),
                      " and ", tupleText(b.shape()));
  // Batch dimensions are broadcast.
  Shape batchA(Ints(left.shape().begin(), left.shape().end() - 2)),
      batchB(Ints(right.shape().begin(), right.shape().end() - 2));
  int64_t rank = std::max(batchA.rank(), batchB.rank());
  Shape wideA(Ints(rank - batchA.rank(), 1)),
      wideB(Ints(rank - batchB.rank(), 1));
  wideA.insert(wideA.end(), batchA.begin(), batchA.end());
  wideB.insert(wideB.end(), batchB.begin(), batchB.end());
  Shape shapeA, shapeB;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = wideA[d] == 1 ? wideB[d] : wideA[d];
    shapeA.push_back(size), shapeB.push_back(size);
  }
  shapeA.insert(shapeA.end(), {n, n});
  shapeB.insert(shapeB.end(), {n, right.dim(right.rank() - 1)});
  left = broadcastTo(left, shapeA);
  right = broadcastTo(right, shapeB);
  if (const Error *error = errorIn(Tensors{left, right}))
    return *error;
  Tensors factors = lax::linalg::lu(left);
  if (const Error *error = errorIn(factors))
    return *error;
  Tensor y = lax::linalg::triangular_solve(
      factors[0], permuteRows(right, factors[2]),
      {.leftSide = true, .lower = true, .unitDiagonal = true});
  Tensor x = lax::linalg::triangular_solve(factors[0], y, {.leftSide = true});
  return isVector ? squeeze(x, -1) : x;
}

Tensor inv(const Tensor &a) {
  Tensor m = matrixOf("linalg.inv", a);
  return m.ok() ? solve(m, identity(m)) : m;
}

std::pair<Tensor, Tensor> slogdet(const Tensor &a) {
  Tensor m = matrixOf("linalg.slogdet", a);
  if (!m.ok())
    return {m, m};
  Tensors factors = lax::linalg::lu(m);
  if (const Error *error = errorIn(factors))
    return {Tensor(*error), Tensor(*error)};
  Tensor diagonals = diagonal(factors[0]);
  Tensor sign =
      parityOf(factors[1], m.dtype()) * prod(lax::sign(diagonals), Ints{-1});
  return {sign, sum(log(abs(diagonals)), Ints{-1})};
}
Tensor det(const Tensor &a) {
  Tensor m = matrixOf("linalg.det", a);
  if (!m.ok())
    return m;
  Tensors factors = lax::linalg::lu(m);
  if (const Error *error = errorIn(factors))
    return *error;
  return parityOf(factors[1], m.dtype()) * prod(diagonal(factors[0]), Ints{-1});
}

Tensor pinv(const Tensor &a, std::optional<double> rcond) {
  Tensor m = matrixOf("linalg.pinv", a, false);
  if (!m.ok())
    return m;
  int64_t rows = m.dim(m.rank() - 2), columns = m.dim(m.rank() - 1);
  double limit = rcond ? *rcond
                       : 10.0 * static_cast<double>(std::max(rows, columns)) *
                             epsilonOf(m.dtype());
  Tensors f = lax::linalg::svd(m, false);
  if (const Error *error = errorIn(f))
    return *error;
  Tensor top = max(f[1], Ints{-1}, true);
  Tensor isLarge = f[1] > limit * top;
  Tensor safe = where(isLarge, f[1], lax::full_like(f[1], 1));
  Tensor inverse = where(isLarge, 1.0 / safe, zerosLike(f[1]));
  return matmul(transposed(f[2]) * expandDims(inverse, -2), transposed(f[0]));
}
Tensor lstsq(const Tensor &a, const Tensor &b) {
  Tensor m = matrixOf("linalg.lstsq", a, false);
  if (const Error *error = errorIn(Tensors{m, b}))
    return *error;
  if (m.rank() != 2 || b.rank() < 1 || b.rank() > 2 || b.dim(0) != m.dim(0))
    return valueError("lstsq expects one matrix and right-hand sides with as "
                      "many rows, got ",
                      tupleText(a.shape()), " and ", tupleText(b.shape()));
  double limit =
      static_cast<double>(std::max(m.dim(0), m.dim(1))) * epsilonOf(m.dtype());
  return matmul(pinv(m, limit), inexact(b));
}
Tensor matrixPower(const Tensor &a, int64_t n) {
  Tensor m = matrixOf("linalg.matrix_power", a);
  if (!m.ok())
    return m;
  if (n < 0)
    m = inv(m);
  Tensor result = identity(m);
  bool first = true;
  uint64_t left = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  for (Tensor power = m; left; left >>= 1) {
    if (left & 1) {
      result = first ? power : matmul(result, power);
      first = false;
    }
    if (left > 1)
      power = matmul(power, power);
  }
  return result;
}
Tensor matrixRank(const Tensor &a) {
  Tensor m = matrixOf("linalg.matrix_rank", a, false);
  if (!m.ok())
    return m;
  Tensor s = lax::linalg::svd(m, false, false)[0];
  double limit =
      static_cast<double>(std::max(m.dim(m.rank() - 2), m.dim(m.rank() - 1))) *
      epsilonOf(m.dtype());
  return sum(astype(s > limit * max(s, Ints{-1}, true), DType::I32), Ints{-1});
}

Tensor cholesky(const Tensor &a) {
  Tensor m = matrixOf("linalg.cholesky", a);
  return m.ok() ? lax::linalg::cholesky(m) : m;
}
std::pair<Tensor, Tensor> qr(const Tensor &a) {
  Tensor m = matrixOf("linalg.qr", a, false);
  if (!m.ok())
    return {m, m};
  Tensors out = lax::linalg::qr(m, false);
  return {out[0], out[1]};
}
Tensors svd(const Tensor &a, bool fullMatrices) {
  Tensor m = matrixOf("linalg.svd", a, false);
  return m.ok() ? lax::linalg::svd(m, fullMatrices) : Tensors(3, m);
}
std::pair<Tensor, Tensor> eigh(const Tensor &a) {
  Tensor m = matrixOf("linalg.eigh", a);
  if (!m.ok())
    return {m, m};
  Tensors out = lax::linalg::eigh(m);
  return {out[1], out[0]};
}
Tensor eigvalsh(const Tensor &a) { return eigh(a).first; }
std::pair<Tensor, Tensor> eig(const Tensor &a) {
  Tensor m = matrixOf("linalg.eig", a);
  if (!m.ok())
    return {m, m};
  Tensors out = lax::linalg::eig(m, /*computeLeft=*/false);
  return {out[0], out[1]};
}
Tensor eigvals(const Tensor &a) {
  Tensor m = matrixOf("linalg.eigvals", a);
  return m.ok() ? lax::linalg::eig(m, false, false)[0] : m;
}

} // namespace shardwright::frontend::linalg
