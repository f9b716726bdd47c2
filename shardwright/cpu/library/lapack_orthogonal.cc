//===- lapack_orthogonal.cc - factors with reflectors ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/lapack_call.h"

using namespace shardwright;
using namespace shardwright::cpu;

template <typename T>
llvm::Expected<LibraryOp> cpu::makeGeqrf(const LibraryCall &call) {
  using L = Lapack<T>;
  LapackShapes s(call);
  s.arity(1, 2);
  int m = s.size(0, 2, 0), n = s.size(0, 2, 1), k = std::min(m, n);
  s.operand(0, L::type, {m, n});
  s.result(0, L::type, {m, n});
  s.result(1, L::type, {k});
  if (!s.ok())
    return s.takeError();
  int lda = leading(m), query = -1, info = 0;
  T answer(1);
  L::geqrf(&m, &n, nullptr, &lda, nullptr, &answer, &query, &info);
  int lwork = std::max(workSize(answer), leading(n));
  Workspace w;
  w.add<T>(lwork);
  return forEachItem(
      s, w, double(m) * n * k / 5, [=](const LibraryBuffers &b, int64_t i) {
        int info = 0;
        L::geqrf(&m, &n, itemOf<T>(b.outputs[0], i, int64_t(m) * n), &lda,
                 itemOf<T>(b.outputs[1], i, k), Workspace::at<T>(b.scratch, 0),
                 &lwork, &info);
      });
}
SW_LAPACK_INSTANTIATE(makeGeqrf)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeGeqp3(const LibraryCall &call) {
  using L = Lapack<T>;
  using R = typename L::Real;
  LapackShapes s(call);
  s.arity(2, 3);
  int m = s.size(0, 2, 0), n = s.size(0, 2, 1), k = std::min(m, n);
  s.operand(0, L::type, {m, n});
  s.operand(1, ElementType::S32, {n});
  s.result(0, L::type, {m, n});
  s.result(1, ElementType::S32, {n});
  s.result(2, L::type, {k});
  if (!s.ok())
    return s.takeError();
  int lda = leading(m);
  auto factor = [=](T *a, int *pivots, T *tau, T *work, int lwork,
                    [[maybe_unused]] R *rwork) {
    int info = 0;
    if constexpr (L::isComplex)
      L::geqp3(&m, &n, a, &lda, pivots, tau, work, &lwork, rwork, &info);
    else
      L::geqp3(&m, &n, a, &lda, pivots, tau, work, &lwork, &info);
  };
  T answer(1);
  factor(nullptr, nullptr, nullptr, &answer, -1, nullptr);
  int lwork = std::max(workSize(answer), 3 * n + 1);
  Workspace w;
  int64_t work = w.add<T>(lwork);
  int64_t rwork = w.add<R>(L::isComplex ? 2 * n : 0);
  return forEachItem(
      s, w, double(m) * n * k / 4, [=](const LibraryBuffers &b, int64_t i) {
        factor(itemOf<T>(b.outputs[0], i, int64_t(m) * n),
               itemOf<int>(b.outputs[1], i, n), itemOf<T>(b.outputs[2], i, k),
               Workspace::at<T>(b.scratch, work), lwork,
               Workspace::at<R>(b.scratch, rwork));
      });
}
SW_LAPACK_INSTANTIATE(makeGeqp3)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeOrgqr(const LibraryCall &call) {
  using L = Lapack<T>;
  LapackShapes s(call);
  s.arity(2, 1);
  int m = s.size(0, 2, 0), n = s.size(0, 2, 1), k = s.size(1, 1, 0);
  s.operand(0, L::type, {m, n});
  s.operand(1, L::type, {k});
  s.result(0, L::type, {m, n});
  if (!s.ok())
    return s.takeError();
  if (m < n || n < k)
    return llvm::createStringError(
        "requires at least as many rows as columns, and as many columns as "
        "reflectors, got " +
        llvm::Twine(m) + ", " + llvm::Twine(n) + " and " + llvm::Twine(k));
  int lda = leading(m), query = -1, info = 0;
  T answer(1);
  L::orgqr(&m, &n, &k, nullptr, &lda, nullptr, &answer, &query, &info);
  int lwork = std::max(workSize(answer), leading(n));
  Workspace w;
  w.add<T>(lwork);
  return forEachItem(
      s, w, double(m) * n * k / 5, [=](const LibraryBuffers &b, int64_t i) {
        int info = 0;
        L::orgqr(&m, &n, &k, itemOf<T>(b.outputs[0], i, int64_t(m) * n), &lda,
                 itemOf<T>(b.inputs[1], i, k), Workspace::at<T>(b.scratch, 0),
                 &lwork, &info);
      });
}
SW_LAPACK_INSTANTIATE(makeOrgqr)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeOrmqr(const LibraryCall &call) {
  using L = Lapack<T>;
  LapackShapes s(call);
  s.arity(3, 1);
  int m = s.size(0, 2, 0), k = s.size(0, 2, 1);
  int p = s.size(2, 2, 0), q = s.size(2, 2, 1);
  llvm::Expected<int64_t> left = getInteger(call, "left");
  if (!left)
    return left.takeError();
  llvm::Expected<int64_t> transpose = getInteger(call, "transpose");
  if (!transpose)
    return transpose.takeError();
  char side = *left ? 'L' : 'R';
  char trans = !*transpose ? 'N' : L::isComplex ? 'C' : 'T';
  s.operand(0, L::type, {m, k});
  s.operand(1, L::type, {k});
  s.operand(2, L::type, *left ? Shape{m, q} : Shape{p, m});
  s.result(0, L::type, {p, q});
  if (!s.ok())
    return s.takeError();
  if (k > m)
    return llvm::createStringError("there are more reflectors than rows");
  int lda = leading(m), ldc = leading(p), query = -1, info = 0;
  T answer(1);
  L::ormqr(&side, &trans, &p, &q, &k, nullptr, &lda, nullptr, nullptr, &ldc,
           &answer, &query, &info, 1, 1);
  int lwork = std::max(workSize(answer), leading(*left ? q : p));
  Workspace w;
  w.add<T>(lwork);
  return forEachItem(
      s, w, double(p) * q * k / 5, [=](const LibraryBuffers &b, int64_t i) {
        int info = 0;
        L::ormqr(&side, &trans, &p, &q, &k,
                 itemOf<T>(b.inputs[0], i, int64_t(m) * k), &lda,
                 itemOf<T>(b.inputs[1], i, k),
                 itemOf<T>(b.outputs[0], i, int64_t(p) * q), &ldc,
                 Workspace::at<T>(b.scratch, 0), &lwork, &info, 1, 1);
      });
}
SW_LAPACK_INSTANTIATE(makeOrmqr)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeGehrd(const LibraryCall &call) {
  using L = Lapack<T>;
  LapackShapes s(call);
  s.arity(1, 3);
  int n = s.size(0, 2, 0);
  s.operand(0, L::type, {n, n});
  s.result(0, L::type, {n, n});
  s.result(1, L::type, {std::max(n - 1, 0)});
  s.result(2, ElementType::S32, {});
  llvm::Expected<int64_t> low = getInteger(call, "low");
  if (!low)
    return low.takeError();
  llvm::Expected<int64_t> high = getInteger(call, "high");
  if (!high)
    return high.takeError();
  if (!s.ok())
    return s.takeError();
  int from = static_cast<int>(*low), to = static_cast<int>(*high);
  int lda = leading(n), query = -1, info = 0;
  T answer(1);
  L::gehrd(&n, &from, &to, nullptr, &lda, nullptr, &answer, &query, &info);
  int lwork = std::max(workSize(answer), leading(n));
  Workspace w;
  w.add<T>(lwork);
  return forEachItem(
      s, w, double(n) * n * n / 3, [=](const LibraryBuffers &b, int64_t i) {
        L::gehrd(&n, &from, &to, itemOf<T>(b.outputs[0], i, int64_t(n) * n),
                 &lda, itemOf<T>(b.outputs[1], i, std::max(n - 1, 0)),
                 Workspace::at<T>(b.scratch, 0), &lwork,
                 itemOf<int>(b.outputs[2], i, 1));
      });
}
SW_LAPACK_INSTANTIATE(makeGehrd)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeSytrd(const LibraryCall &call) {
  using L = Lapack<T>;
  using R = typename L::Real;
  LapackShapes s(call);
  s.arity(1, 5);
  int n = s.size(0, 2, 0), k = std::max(n - 1, 0);
  s.operand(0, L::type, {n, n});
  s.result(0, L::type, {n, n});
  s.result(1, Lapack<R>::type, {n});
  s.result(2, Lapack<R>::type, {k});
  s.result(3, L::type, {k});
  s.result(4, ElementType::S32, {});
  char uplo = s.letter("uplo", "LU");
  if (!s.ok())
    return s.takeError();
  int lda = leading(n), query = -1, info = 0;
  T answer(1);
  L::sytrd(&uplo, &n, nullptr, &lda, nullptr, nullptr, nullptr, &answer, &query,
           &info, 1);
  int lwork = workSize(answer);
  Workspace w;
  w.add<T>(lwork);
  return forEachItem(
      s, w, double(n) * n * n / 5, [=](const LibraryBuffers &b, int64_t i) {
        L::sytrd(&uplo, &n, itemOf<T>(b.outputs[0], i, int64_t(n) * n), &lda,
                 itemOf<R>(b.outputs[1], i, n), itemOf<R>(b.outputs[2], i, k),
                 itemOf<T>(b.outputs[3], i, k), Workspace::at<T>(b.scratch, 0),
                 &lwork, itemOf<int>(b.outputs[4], i, 1), 1);
      });
}
SW_LAPACK_INSTANTIATE(makeSytrd)
