//===- tridiagonal.cc - perturbed tridiagonal systems ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tridiagonal_solve_perturbed_ffi`, for inverse iteration: Gaussian
// elimination with partial pivoting that replaces a pivot smaller than eps
// times the largest element of U by that bound.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/lapack_call.h"

#include <limits>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {
/// Solves one system, in row-major order; `x` has q columns and holds b on
/// entry. Element 0 of `dl` and the last element of `du` are not part of the
/// matrix.
template <typename T>
void solve(int n, int64_t q, T *dl, T *d, T *du, T *second, T *x) {
  using R = typename Lapack<T>::Real;
  // The rows of U: d, du and, if rows were swapped, `second`.
  for (int i = 0; i + 1 < n; ++i) {
    second[i] = T(0);
    T below = dl[i + 1];
    if (std::abs(below) > std::abs(d[i])) {
      T nextDiagonal = d[i + 1], nextUpper = i + 2 < n ? du[i + 1] : T(0);
      T factor = d[i] / below;
      d[i] = below;
      T upper = du[i];
      du[i] = nextDiagonal;
      second[i] = nextUpper;
      d[i + 1] = upper - factor * nextDiagonal;
      if (i + 2 < n)
        du[i + 1] = -factor * nextUpper;
      for (int64_t c = 0; c < q; ++c) {
        T top = x[i * q + c];
        x[i * q + c] = x[(i + 1) * q + c];
        x[(i + 1) * q + c] = top - factor * x[i * q + c];
      }
    } else if (d[i] != T(0)) {
      T factor = below / d[i];
      d[i + 1] -= factor * du[i];
      for (int64_t c = 0; c < q; ++c)
        x[(i + 1) * q + c] -= factor * x[i * q + c];
    }
  }
  R largest = 0;
  for (int i = 0; i < n; ++i) {
    largest = std::max<R>(largest, std::abs(d[i]));
    if (i + 1 < n)
      largest = std::max({largest, R(std::abs(du[i])), R(std::abs(second[i]))});
  }
  R least = std::max(largest * std::numeric_limits<R>::epsilon(),
                     std::numeric_limits<R>::min());
  for (int i = 0; i < n; ++i)
    if (std::abs(d[i]) < least)
      d[i] = std::real(d[i]) < 0 ? T(-least) : T(least);
  for (int i = n; i-- > 0;)
    for (int64_t c = 0; c < q; ++c) {
      T sum = x[i * q + c];
      if (i + 1 < n)
        sum -= du[i] * x[(i + 1) * q + c];
      if (i + 2 < n)
        sum -= second[i] * x[(i + 2) * q + c];
      x[i * q + c] = sum / d[i];
    }
}

template <typename T> llvm::Expected<LibraryOp> make(const LibraryCall &call) {
  LapackShapes s(call, 3);
  s.arity(4, 1);
  int n = s.size(3, 2, 0), q = s.size(3, 2, 1);
  for (size_t i = 0; i < 4; ++i)
    s.operand(i, Lapack<T>::type, i == 3 ? Shape{n, q} : Shape{n});
  s.result(0, Lapack<T>::type, {n, q});
  if (!s.ok())
    return s.takeError();
  Workspace w;
  int64_t parts[4];
  for (int64_t &part : parts)
    part = w.add<T>(n);
  return forEachItem(
      s, w, double(n) * (10 + q * 4), [=](const LibraryBuffers &b, int64_t i) {
        T *copies[4];
        for (int k = 0; k < 4; ++k) {
          copies[k] = Workspace::at<T>(b.scratch, parts[k]);
          if (k < 3)
            std::copy_n(itemOf<T>(b.inputs[k], i, n), n, copies[k]);
        }
        T *x = itemOf<T>(b.outputs[0], i, int64_t(n) * q);
        std::copy_n(itemOf<T>(b.inputs[3], i, int64_t(n) * q), int64_t(n) * q,
                    x);
        solve<T>(n, q, copies[0], copies[1], copies[2], copies[3], x);
      });
}
} // namespace

llvm::Expected<LibraryOp>
cpu::makePerturbedTridiagonal(const LibraryCall &call) {
  switch (call.inputs.empty() ? ElementType::S32 : call.inputs[0].type) {
  case ElementType::F32:
    return make<float>(call);
  case ElementType::F64:
    return make<double>(call);
  case ElementType::C64:
    return make<std::complex<float>>(call);
  case ElementType::C128:
    return make<std::complex<double>>(call);
  default:
    return llvm::createStringError(
        "requires f32, f64, complex<f32> or complex<f64>");
  }
}
