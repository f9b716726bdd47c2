//===- lapack_eigen.cc - eigenvalues --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/lapack_call.h"

using namespace shardwright;
using namespace shardwright::cpu;

template <typename T>
llvm::Expected<LibraryOp> cpu::makeSyevd(const LibraryCall &call) {
  using L = Lapack<T>;
  using R = typename L::Real;
  LapackShapes s(call);
  s.arity(1, 3);
  int n = s.size(0, 2, 0);
  s.operand(0, L::type, {n, n});
  s.result(0, L::type, {n, n});
  s.result(1, Lapack<R>::type, {n});
  s.result(2, ElementType::S32, {});
  char mode = s.letter("mode", "VN"), uplo = s.letter("uplo", "LU");
  if (!s.ok())
    return s.takeError();
  int lda = leading(n);
  auto decompose = [=](T *a, R *values, T *work, int lwork,
                       [[maybe_unused]] R *rwork, [[maybe_unused]] int lrwork,
                       int *iwork, int liwork, int *info) {
    if constexpr (L::isComplex)
      L::syevd(&mode, &uplo, &n, a, &lda, values, work, &lwork, rwork, &lrwork,
               iwork, &liwork, info, 1, 1);
    else
      L::syevd(&mode, &uplo, &n, a, &lda, values, work, &lwork, iwork, &liwork,
               info, 1, 1);
  };
  T answer(1);
  R realAnswer(1);
  int intAnswer = 1, info = 0;
  decompose(nullptr, nullptr, &answer, -1, &realAnswer, -1, &intAnswer, -1,
            &info);
  int lwork = workSize(answer), lrwork = workSize(realAnswer),
      liwork = std::max(intAnswer, 1);
  Workspace w;
  int64_t work = w.add<T>(lwork), rwork = w.add<R>(lrwork),
          iwork = w.add<int>(liwork);
  return forEachItem(
      s, w, double(n) * n * n, [=](const LibraryBuffers &b, int64_t i) {
        int64_t elements = int64_t(n) * n;
        T *a = itemOf<T>(b.outputs[0], i, elements);
        R *values = itemOf<R>(b.outputs[1], i, n);
        int *info = itemOf<int>(b.outputs[2], i, 1);
        if (!allFinite(a, elements)) {
          *info = notFinite;
          clear(values, n);
          return;
        }
        decompose(a, values, Workspace::at<T>(b.scratch, work), lwork,
                  Workspace::at<R>(b.scratch, rwork), lrwork,
                  Workspace::at<int>(b.scratch, iwork), liwork, info);
      });
}
SW_LAPACK_INSTANTIATE(makeSyevd)

/// LAPACK stores conjugate eigenvectors as a real and an imaginary part.
template <typename R>
static void unpackVectors(int n, const R *imaginary, const R *packed,
                          std::complex<R> *to) {
  for (int j = 0; j < n; ++j) {
    const R *re = packed + int64_t(j) * n;
    std::complex<R> *v = to + int64_t(j) * n;
    if (imaginary[j] == R(0) || j + 1 == n) {
      for (int i = 0; i < n; ++i)
        v[i] = re[i];
      continue;
    }
    const R *im = re + n;
    for (int i = 0; i < n; ++i) {
      v[i] = {re[i], im[i]};
      v[n + i] = {re[i], -im[i]};
    }
    ++j;
  }
}

template <typename T>
llvm::Expected<LibraryOp> cpu::makeGeev(const LibraryCall &call) {
  using L = Lapack<T>;
  using R = typename L::Real;
  using C = std::complex<R>;
  constexpr int values = L::isComplex ? 1 : 2; // results that hold eigenvalues
  LapackShapes s(call);
  s.arity(1, values + 3);
  int n = s.size(0, 2, 0);
  s.operand(0, L::type, {n, n});
  for (int i = 0; i < values; ++i)
    s.result(i, L::type, {n});
  s.result(values, Lapack<C>::type, {n, n});
  s.result(values + 1, Lapack<C>::type, {n, n});
  s.result(values + 2, ElementType::S32, {});
  char left = s.letter("compute_left", "VN");
  char right = s.letter("compute_right", "VN");
  if (!s.ok())
    return s.takeError();
  int ld = leading(n);
  auto decompose = [=](T *a, T *w, [[maybe_unused]] T *wi, T *vl, T *vr,
                       T *work, int lwork, [[maybe_unused]] R *rwork,
                       int *info) {
    if constexpr (L::isComplex)
      L::geev(&left, &right, &n, a, &ld, w, vl, &ld, vr, &ld, work, &lwork,
              rwork, info, 1, 1);
    else
      L::geev(&left, &right, &n, a, &ld, w, wi, vl, &ld, vr, &ld, work, &lwork,
              info, 1, 1);
  };
  T answer(1);
  R realAnswer(1); // the query of cgeev and zgeev answers there too
  int info = 0;
  decompose(nullptr, nullptr, nullptr, nullptr, nullptr, &answer, -1,
            &realAnswer, &info);
  int lwork = workSize(answer);
  int64_t elements = int64_t(n) * n;
  Workspace w;
  int64_t work = w.add<T>(lwork), rwork = w.add<R>(2 * int64_t(n)),
          copy = w.add<T>(elements), vl = w.add<T>(elements),
          vr = w.add<T>(elements);
  return forEachItem(
      s, w, double(n) * n * n * 5, [=](const LibraryBuffers &b, int64_t i) {
        const T *given = itemOf<T>(b.inputs[0], i, elements);
        T *w = itemOf<T>(b.outputs[0], i, n);
        T *wi = values == 2 ? itemOf<T>(b.outputs[1], i, n) : nullptr;
        C *outs[2] = {itemOf<C>(b.outputs[values], i, elements),
                      itemOf<C>(b.outputs[values + 1], i, elements)};
        int *info = itemOf<int>(b.outputs[values + 2], i, 1);
        const bool wanted[2] = {left == 'V', right == 'V'};
        bool finite = allFinite(given, elements);
        for (int k = 0; k < 2; ++k)
          if (!wanted[k] || !finite)
            clear(outs[k], elements);
        if (!finite) {
          *info = notFinite;
          clear(w, n);
          if (wi)
            clear(wi, n);
          return;
        }
        T *a = Workspace::at<T>(b.scratch, copy);
        std::copy_n(given, elements, a);
        T *vectors[2] = {Workspace::at<T>(b.scratch, vl),
                         Workspace::at<T>(b.scratch, vr)};
        decompose(a, w, wi, vectors[0], vectors[1],
                  Workspace::at<T>(b.scratch, work), lwork,
                  Workspace::at<R>(b.scratch, rwork), info);
        for (int k = 0; k < 2; ++k) {
          if (!wanted[k])
            continue;
          if constexpr (L::isComplex)
            std::copy_n(vectors[k], elements, outs[k]);
          else
            unpackVectors(n, wi, vectors[k], outs[k]);
        }
      });
}
SW_LAPACK_INSTANTIATE(makeGeev)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeGees(const LibraryCall &call) {
  using L = Lapack<T>;
  using R = typename L::Real;
  constexpr int values = L::isComplex ? 1 : 2;
  LapackShapes s(call);
  s.arity(1, values + 4);
  int n = s.size(0, 2, 0);
  s.operand(0, L::type, {n, n});
  s.result(0, L::type, {n, n});
  s.result(1, L::type, {n, n});
  for (int i = 0; i < values; ++i)
    s.result(2 + i, L::type, {n});
  s.result(values + 2, ElementType::S32, {});
  s.result(values + 3, ElementType::S32, {});
  char mode = s.letter("mode", "VN");
  // Sorting would need a predicate, which the call cannot specify.
  char sort = s.letter("sort", "N");
  if (!s.ok())
    return s.takeError();
  int ld = leading(n);
  auto decompose = [=](T *a, int *sdim, T *w, [[maybe_unused]] T *wi, T *vs,
                       T *work, int lwork, [[maybe_unused]] R *rwork,
                       int *info) {
    if constexpr (L::isComplex)
      L::gees(&mode, &sort, nullptr, &n, a, &ld, sdim, w, vs, &ld, work, &lwork,
              rwork, nullptr, info, 1, 1);
    else
      L::gees(&mode, &sort, nullptr, &n, a, &ld, sdim, w, wi, vs, &ld, work,
              &lwork, nullptr, info, 1, 1);
  };
  T answer(1);
  int info = 0, sdim = 0;
  decompose(nullptr, &sdim, nullptr, nullptr, nullptr, &answer, -1, nullptr,
            &info);
  int lwork = workSize(answer);
  Workspace w;
  int64_t work = w.add<T>(lwork), rwork = w.add<R>(n);
  int64_t elements = int64_t(n) * n;
  return forEachItem(
      s, w, double(n) * n * n * 5, [=](const LibraryBuffers &b, int64_t i) {
        T *a = itemOf<T>(b.outputs[0], i, elements);
        T *vs = itemOf<T>(b.outputs[1], i, elements);
        T *w = itemOf<T>(b.outputs[2], i, n);
        T *wi = values == 2 ? itemOf<T>(b.outputs[3], i, n) : nullptr;
        int *sdim = itemOf<int>(b.outputs[values + 2], i, 1);
        int *info = itemOf<int>(b.outputs[values + 3], i, 1);
        bool finite = allFinite(a, elements);
        if (!finite || mode != 'V')
          clear(vs, elements);
        if (!finite) {
          *info = notFinite;
          *sdim = 0;
          clear(w, n);
          if (wi)
            clear(wi, n);
          return;
        }
        decompose(a, sdim, w, wi, vs, Workspace::at<T>(b.scratch, work), lwork,
                  Workspace::at<R>(b.scratch, rwork), info);
      });
}
SW_LAPACK_INSTANTIATE(makeGees)
