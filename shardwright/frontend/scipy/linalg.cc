//===- linalg.cc - factorizations and special matrices --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/linalg.h"

#include "shardwright/frontend/linalg/linalg.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/numpy/ufuncs.h"
#include "shardwright/frontend/primitives/special.h"

namespace shardwright::frontend::scipy::linalg {
namespace {

Tensor matrixOf(const char *name, const Tensor &x, bool square = true) {
  if (!x.ok())
    return x;
  if (x.rank() < 2 || (square && x.dim(-1) != x.dim(-2)))
    return valueError("Argument to ", name, " must have shape [..., ",
                      square ? "n, n" : "m, n", "], got shape ",
                      tupleText(x.shape()), ".");
  return inexact(x);
}
Tensor adjoint(const Tensor &x) { return conjugate(swapaxes(x, -1, -2)); }

/// A matrix and right-hand sides of one type, with equal batch dimensions.
struct System {
  Tensor a, b;
  bool isVector = false;
};
Expected<System> systemOf(const char *name, const Tensor &a, const Tensor &b) {
  auto [p, q] = promotePair(a, b, /*function=*/nullptr);
  if (const Error *error = errorIn(Tensors{p, q}))
    return *error;
  DType type = inexact(p).dtype();
  Tensor left = matrixOf(name, lax::convert_element_type(a, type)),
         right = lax::convert_element_type(b, type);
  if (const Error *error = errorIn(Tensors{left, right}))
    return *error;
  bool isVector = right.rank() == 1;
  if (isVector)
    right = lax::expand_dims(right, {1});
  if (right.rank() < 2 || right.dim(-2) != left.dim(-1))
    return valueError("Incompatible shapes for ", name, ": ",
                      tupleText(a.shape()), " and ", tupleText(b.shape()));
  auto batchOf = [](const Tensor &x) {
    return Shape(Ints(x.shape().begin(), x.shape().end() - 2));
  };
  Expected<Shape> batch = broadcastShapes({batchOf(left), batchOf(right)});
  if (!batch)
    return batch.error();
  auto widened = [&](const Tensor &x) {
    Shape shape = *batch;
    shape.insert(shape.end(), {x.dim(-2), x.dim(-1)});
    return broadcastTo(x, shape);
  };
  return System{widened(left), widened(right), isVector};
}
Tensor result(const System &system, const Tensor &x) {
  return system.isVector ? squeeze(x, -1) : x;
}
/// Rows of x in these orders, one for each matrix.
Tensor permutedRows(const Tensor &x, const Tensor &order) {
  Tensor wide = broadcastTo(expandDims(order, -1), x.shape());
  return takeAlongAxis(x, wide, -2);
}

/// The Pade approximant of e^a: the odd and the even part of the numerator.
std::pair<Tensor, Tensor> pade(const Tensor &a, const std::vector<double> &b) {
  Tensor identity = eye(a.dim(0), a.dtype());
  Tensor square = matmul(a, a), power = identity;
  Tensor odd = zerosLike(a), even = zerosLike(a);
  for (size_t i = 0; i < b.size(); i += 2) {
    even = even + power * b[i];
    if (i + 1 < b.size())
      odd = odd + power * b[i + 1];
    power = i + 2 < b.size() ? matmul(power, square) : power;
  }
  return {matmul(a, odd), even};
}

Tensor expmOfOne(const Tensor &in, bool upperTriangular, int64_t maxSquarings) {
  Tensor size = max(sum(abs(in), Ints{0}));
  // The approximant is accurate up to these norms.
  bool isWide = realType(in.dtype()) == DType::F64;
  double greatest = isWide ? 5.371920351148152 : 3.925724783138660;
  DType type = size.dtype();
  Tensor squarings =
      maximum(scalarOf(0.0, type),
              floor(log2(lax::div(size, scalarOf(greatest, type)))));
  Tensor scale = lax::exp2(squarings);
  Tensor a = lax::div(in, lax::convert_element_type(scale, in.dtype()));
  auto [u, v] =
      isWide ? pade(a, {64764752532480000., 32382376266240000.,
                        7771770303897600., 1187353796428800., 129060195264000.,
                        10559470521600., 670442572800., 33522128640.,
                        1323241920., 40840800., 960960., 16380., 182., 1.})
             : pade(a, {17297280., 8648640., 1995840., 277200., 25200., 1512.,
                        56., 1.});
  Tensor top = u + v, bottom = v - u;
  Tensor out = upperTriangular ? solveTriangular(bottom, top)
                               : frontend::linalg::solve(bottom, top);
  // Squarings that are not needed keep the matrix.
  for (int64_t i = 0; i < maxSquarings; ++i)
    out = where(squarings > static_cast<double>(i), matmul(out, out), out);
  return where(squarings > static_cast<double>(maxSquarings), NAN, out);
}

} // namespace

Tensor cholesky(const Tensor &a, bool lower) {
  Tensor m = matrixOf("cholesky", a);
  if (!m.ok())
    return m;
  Tensor l = lax::linalg::cholesky(lower ? m : adjoint(m),
                                   /*symmetrize=*/false);
  return lower ? l : adjoint(l);
}
CholeskyFactor choFactor(const Tensor &a, bool lower) {
  return {cholesky(a, lower), lower};
}
Tensor choSolve(const CholeskyFactor &factor, const Tensor &b) {
  Transposed first = factor.lower ? Transposed::No : Transposed::Adjoint;
  Transposed second = factor.lower ? Transposed::Adjoint : Transposed::No;
  Tensor y = solveTriangular(factor.c, b,
                             {.transposed = first, .lower = factor.lower});
  return solveTriangular(factor.c, y,
                         {.transposed = second, .lower = factor.lower});
}

std::pair<Tensor, Tensor> luFactor(const Tensor &a) {
  Tensor m = matrixOf("lu_factor", a, false);
  if (!m.ok())
    return {m, m};
  Tensors parts = lax::linalg::lu(m);
  if (const Error *error = errorIn(parts))
    return {*error, *error};
  return {parts[0], parts[1]};
}
Tensor luSolve(const std::pair<Tensor, Tensor> &factors, const Tensor &b,
               Transposed transposed) {
  if (const Error *error = errorIn(Tensors{factors.first, factors.second}))
    return *error;
  Expected<System> s = systemOf("lu_solve", factors.first, b);
  if (!s)
    return s.error();
  Tensor order =
      lax::linalg::lu_pivots_to_permutation(factors.second, s->a.dim(-1));
  if (!order.ok())
    return order;
  Shape batch(Ints(s->b.shape().begin(), s->b.shape().end() - 1));
  order = broadcastTo(order, batch);
  bool turns = transposed != Transposed::No,
       conjugates = transposed == Transposed::Adjoint;
  lax::TriangularSolveOptions lower{.leftSide = true,
                                    .lower = true,
                                    .transposeA = turns,
                                    .conjugateA = conjugates,
                                    .unitDiagonal = true};
  lax::TriangularSolveOptions upper{
      .leftSide = true, .transposeA = turns, .conjugateA = conjugates};
  if (!turns) {
    Tensor y =
        lax::linalg::triangular_solve(s->a, permutedRows(s->b, order), lower);
    return result(*s, lax::linalg::triangular_solve(s->a, y, upper));
  }
  Tensor y = lax::linalg::triangular_solve(s->a, s->b, upper);
  y = lax::linalg::triangular_solve(s->a, y, lower);
  return result(*s, permutedRows(y, argsort(order)));
}
std::tuple<Tensor, Tensor, Tensor> lu(const Tensor &a) {
  Tensor m = matrixOf("lu", a, false);
  if (m.ok() && m.rank() != 2)
    m = Tensor(
        valueError("lu expects one matrix, got shape ", tupleText(m.shape())));
  if (!m.ok())
    return {m, m, m};
  Tensors parts = lax::linalg::lu(m);
  if (const Error *error = errorIn(parts))
    return {*error, *error, *error};
  int64_t rows = m.dim(0), columns = m.dim(1), k = std::min(rows, columns);
  DType real = realType(m.dtype());
  Tensor p = lax::convert_element_type(
      lax::eq(lax::broadcast_in_dim(parts[2], {rows, rows}, {1}),
              lax::iota(DType::I32, {rows, rows}, 0)),
      real);
  Tensor l = lax::slice_in_dim(tril(parts[0], -1), 0, k, 1, 1) +
             eye(rows, k, 0, m.dtype());
  return {p, l, lax::slice_in_dim(triu(parts[0]), 0, k)};
}

Tensor solveTriangular(const Tensor &a, const Tensor &b,
                       const SolveTriangularOptions &options) {
  Expected<System> s = systemOf("solve_triangular", a, b);
  if (!s)
    return s.error();
  return result(*s,
                lax::linalg::triangular_solve(
                    s->a, s->b,
                    {.leftSide = true,
                     .lower = options.lower,
                     .transposeA = options.transposed != Transposed::No,
                     .conjugateA = options.transposed == Transposed::Adjoint,
                     .unitDiagonal = options.unitDiagonal}));
}
Tensor solve(const Tensor &a, const Tensor &b, bool isPositive, bool lower) {
  return isPositive ? choSolve(choFactor(a, lower), b)
                    : frontend::linalg::solve(a, b);
}
Tensor inv(const Tensor &a) { return frontend::linalg::inv(a); }
Tensor det(const Tensor &a) { return frontend::linalg::det(a); }
std::pair<Tensor, Tensor> eigh(const Tensor &a) {
  return frontend::linalg::eigh(a);
}
std::pair<Tensor, Tensor> qr(const Tensor &a) {
  return frontend::linalg::qr(a);
}
Tensors svd(const Tensor &a, bool fullMatrices) {
  return frontend::linalg::svd(a, fullMatrices);
}

Tensor expm(const Tensor &a, bool upperTriangular, int64_t maxSquarings) {
  Tensor m = matrixOf("expm", a);
  if (!m.ok())
    return m;
  if (maxSquarings < 0 || maxSquarings > 1024)
    return valueError("expm expects a limit of 0 to 1024 squarings, got ",
                      maxSquarings);
  DType type = realType(m.dtype());
  if (type != DType::F32 && type != DType::F64)
    return typeError("A.dtype=", name(m.dtype()), " is not supported.");
  if (!m.dim(-1))
    return m;
  if (m.rank() == 2)
    return expmOfOne(m, upperTriangular, maxSquarings);
  // Matrix by matrix.
  Shape batch(Ints(m.shape().begin(), m.shape().end() - 2));
  Tensors outs;
  Tensor rows = lax::reshape(m, {batch.elements(), m.dim(-2), m.dim(-1)});
  if (batch.elements() > 1024)
    return valueError("expm of more than 1024 matrices: use vmap");
  for (int64_t i = 0; i < batch.elements(); ++i)
    outs.push_back(expmOfOne(rows[i], upperTriangular, maxSquarings));
  return outs.empty() ? m : lax::reshape(stack(outs), m.shape());
}

Tensor blockDiag(const Tensors &given) {
  if (const Error *error = errorIn(given))
    return *error;
  Tensors xs = given.empty() ? Tensors{zeros({1, 0})} : given;
  Aval type = xs[0].aval();
  int64_t columns = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (xs[i].rank() > 2)
      return valueError("Arguments to jax.scipy.linalg.block_diag must have at "
                        "most 2 dimensions, got shape ",
                        tupleText(xs[i].shape()), " at argument ", i, ".");
    SW_TRY(joinType(type, xs[i]));
    xs[i] = atleast2d(xs[i]);
    columns += xs[i].dim(1);
  }
  Tensors wide;
  int64_t at = 0;
  for (const Tensor &x : xs) {
    wide.push_back(lax::pad(lax::convert_element_type(x, type.dtype),
                            scalarOf(int64_t(0), type.dtype),
                            {{0, 0, 0}, {at, columns - x.dim(1) - at, 0}}));
    at += x.dim(1);
  }
  return lax::concatenate(wide, 0);
}

/// elements[offset(i, j)] for each row and column.
static Tensor byPositions(const Tensor &elements, int64_t rows, int64_t columns,
                          const std::function<Tensor(Tensor, Tensor)> &offset) {
  Tensor i = lax::iota(DType::I32, {rows, columns}, 0),
         j = lax::iota(DType::I32, {rows, columns}, 1);
  return take(elements, offset(i, j), 0);
}
static Tensor vectorOf(const Tensor &x) {
  if (x.ok() && x.rank() > 1)
    return valueError("expected a vector, got shape ", tupleText(x.shape()));
  return atleast1d(x);
}
Tensor toeplitz(const Tensor &c, const std::optional<Tensor> &r) {
  Tensor column = vectorOf(c), row = vectorOf(r ? *r : conjugate(c));
  if (const Error *error = errorIn(Tensors{column, row}))
    return *error;
  int64_t m = column.dim(0), n = row.dim(0);
  if (!m || !n)
    return zeros({m, n}, promotePair(column, row).first.dtype());
  Tensor elements =
      concatenate({flip(column), lax::slice_in_dim(row, 1, n)}, 0);
  return byPositions(elements, m, n,
                     [m](Tensor i, Tensor j) { return j - i + (m - 1); });
}
Tensor hankel(const Tensor &c, const std::optional<Tensor> &r) {
  Tensor column = vectorOf(c), row = vectorOf(r ? *r : zerosLike(c));
  if (const Error *error = errorIn(Tensors{column, row}))
    return *error;
  int64_t m = column.dim(0), n = row.dim(0);
  if (!m || !n)
    return zeros({m, n}, promotePair(column, row).first.dtype());
  Tensor elements = concatenate({column, lax::slice_in_dim(row, 1, n)}, 0);
  return byPositions(elements, m, n, [](Tensor i, Tensor j) { return i + j; });
}
Tensor circulant(const Tensor &c) {
  Tensor column = vectorOf(c);
  if (!column.ok())
    return column;
  int64_t n = column.dim(0);
  if (!n)
    return zeros({0, 0}, column.dtype());
  return byPositions(column, n, n,
                     [n](Tensor i, Tensor j) { return (i - j) % n; });
}
Tensor hilbert(int64_t n) {
  if (n < 1 || n > 1 << 20)
    return valueError("hilbert expects a size from 1 to ", 1 << 20, ", got ",
                      n);
  DType type = canonicalType(DType::F64);
  return 1.0 / (lax::iota(type, {n, n}, 0) + lax::iota(type, {n, n}, 1) + 1.0);
}
Tensor hadamard(int64_t n, DType type) {
  if (n < 1 || n > 1 << 20 || (n & (n - 1)))
    return valueError("n must be a positive power of 2, got ", n);
  // The parity of the bits that row and column share.
  Tensor shared = lax::population_count(lax::bitwise_and(
      lax::iota(DType::I32, {n, n}, 0), lax::iota(DType::I32, {n, n}, 1)));
  return astype(1 - 2 * (shared % 2), type);
}

} // namespace shardwright::frontend::scipy::linalg
