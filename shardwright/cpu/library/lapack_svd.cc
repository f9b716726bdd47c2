//===- lapack_svd.cc - singular values ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/lapack_call.h"

using namespace shardwright;
using namespace shardwright::cpu;

/// Both drivers: divide and conquer (`divide`), or QR iteration.
template <typename T>
static llvm::Expected<LibraryOp> makeSvd(const LibraryCall &call, bool divide) {
  using L = Lapack<T>;
  using R = typename L::Real;
  LapackShapes s(call);
  s.arity(1, 5);
  int m = s.size(0, 2, 0), n = s.size(0, 2, 1), k = std::min(m, n);
  char mode = s.letter("mode", "SAN");
  if (!s.ok())
    return s.takeError();
  // Without vectors, the results still have either the full or the reduced
  // size.
  const Shape &us = call.outputs[2].shape, &vs = call.outputs[3].shape;
  bool whole =
      mode == 'A' || (mode == 'N' && us.size() >= 2 && us.back() == m &&
                      vs.size() >= 2 && vs[vs.size() - 2] == n);
  int uColumns = whole ? m : k, vRows = whole ? n : k;
  s.operand(0, L::type, {m, n});
  s.result(0, L::type, {m, n});
  s.result(1, Lapack<R>::type, {k});
  s.result(2, L::type, {m, uColumns});
  s.result(3, L::type, {vRows, n});
  s.result(4, ElementType::S32, {});
  if (!s.ok())
    return s.takeError();
  int lda = leading(m), ldu = leading(m), ldvt = leading(vRows);
  auto decompose = [=](T *a, R *values, T *u, T *vt, T *work, int lwork,
                       [[maybe_unused]] R *rwork, int *iwork, int *info) {
    if constexpr (L::isComplex) {
      if (divide)
        L::gesdd(&mode, &m, &n, a, &lda, values, u, &ldu, vt, &ldvt, work,
                 &lwork, rwork, iwork, info, 1);
      else
        L::gesvd(&mode, &mode, &m, &n, a, &lda, values, u, &ldu, vt, &ldvt,
                 work, &lwork, rwork, info, 1, 1);
    } else {
      if (divide)
        L::gesdd(&mode, &m, &n, a, &lda, values, u, &ldu, vt, &ldvt, work,
                 &lwork, iwork, info, 1);
      else
        L::gesvd(&mode, &mode, &m, &n, a, &lda, values, u, &ldu, vt, &ldvt,
                 work, &lwork, info, 1, 1);
    }
  };
  T answer(1);
  int info = 0;
  decompose(nullptr, nullptr, nullptr, nullptr, &answer, -1, nullptr, nullptr,
            &info);
  int lwork = workSize(answer);
  int64_t small = k, large = std::max(m, n), realWork = 0;
  if (L::isComplex) // sizes from LAPACK's documentation
    realWork = !divide ? 5 * small
               : mode == 'N'
                   ? 7 * small
                   : std::max(5 * small * small + 5 * small,
                              2 * large * small + 2 * small * small + small);
  Workspace w;
  int64_t work = w.add<T>(lwork), rwork = w.add<R>(realWork),
          iwork = w.add<int>(divide ? 8 * small : 0);
  return forEachItem(
      s, w, double(m) * n * k * 2, [=](const LibraryBuffers &b, int64_t i) {
        int64_t aSize = int64_t(m) * n, uSize = int64_t(m) * uColumns,
                vSize = int64_t(vRows) * n;
        T *a = itemOf<T>(b.outputs[0], i, aSize);
        R *values = itemOf<R>(b.outputs[1], i, k);
        T *u = itemOf<T>(b.outputs[2], i, uSize);
        T *vt = itemOf<T>(b.outputs[3], i, vSize);
        int *info = itemOf<int>(b.outputs[4], i, 1);
        bool finite = allFinite(a, aSize);
        if (!finite || mode == 'N') {
          clear(u, uSize);
          clear(vt, vSize);
        }
        if (!finite) {
          *info = notFinite;
          clear(values, k);
          return;
        }
        decompose(a, values, u, vt, Workspace::at<T>(b.scratch, work), lwork,
                  Workspace::at<R>(b.scratch, rwork),
                  Workspace::at<int>(b.scratch, iwork), info);
      });
}

template <typename T>
llvm::Expected<LibraryOp> cpu::makeGesdd(const LibraryCall &call) {
  return makeSvd<T>(call, true);
}
SW_LAPACK_INSTANTIATE(makeGesdd)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeGesvd(const LibraryCall &call) {
  return makeSvd<T>(call, false);
}
SW_LAPACK_INSTANTIATE(makeGesvd)
