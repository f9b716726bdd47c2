//===- lapack_factor.cc - Cholesky, LU, and solving -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/lapack_call.h"

using namespace shardwright;
using namespace shardwright::cpu;

template <typename T>
llvm::Expected<LibraryOp> cpu::makePotrf(const LibraryCall &call) {
  using L = Lapack<T>;
  LapackShapes s(call);
  s.arity(1, 2);
  int n = s.size(0, 2, 0);
  s.operand(0, L::type, {n, n});
  s.result(0, L::type, {n, n});
  s.result(1, ElementType::S32, {});
  char uplo = s.letter("uplo", "LU");
  if (!s.ok())
    return s.takeError();
  return forEachItem(s, Workspace(), double(n) * n * n / 10,
                     [=](const LibraryBuffers &b, int64_t i) {
                       int lda = leading(n);
                       T *a = itemOf<T>(b.outputs[0], i, int64_t(n) * n);
                       L::potrf(&uplo, &n, a, &lda,
                                itemOf<int>(b.outputs[1], i, 1), 1);
                       spreadNan(uplo, n, a);
                     });
}
SW_LAPACK_INSTANTIATE(makePotrf)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeGetrf(const LibraryCall &call) {
  using L = Lapack<T>;
  LapackShapes s(call);
  s.arity(1, 3);
  int m = s.size(0, 2, 0), n = s.size(0, 2, 1), k = std::min(m, n);
  s.operand(0, L::type, {m, n});
  s.result(0, L::type, {m, n});
  s.result(1, ElementType::S32, {k});
  s.result(2, ElementType::S32, {});
  if (!s.ok())
    return s.takeError();
  return forEachItem(s, Workspace(), double(m) * n * k / 10,
                     [=](const LibraryBuffers &b, int64_t i) {
                       int lda = leading(m);
                       L::getrf(&m, &n,
                                itemOf<T>(b.outputs[0], i, int64_t(m) * n),
                                &lda, itemOf<int>(b.outputs[1], i, k),
                                itemOf<int>(b.outputs[2], i, 1));
                     });
}
SW_LAPACK_INSTANTIATE(makeGetrf)

template <typename T>
llvm::Expected<LibraryOp> cpu::makeTrsm(const LibraryCall &call) {
  using L = Lapack<T>;
  LapackShapes s(call);
  s.arity(2, 1);
  int n = s.size(0, 2, 0), p = s.size(1, 2, 0), q = s.size(1, 2, 1);
  char side = s.letter("side", "LR"), uplo = s.letter("uplo", "LU");
  char trans = s.letter("trans_x", "NTC"), diag = s.letter("diag", "NU");
  s.operand(0, L::type, {n, n});
  Shape rhs = side == 'L' ? Shape{n, q} : Shape{p, n};
  s.operand(1, L::type, rhs);
  s.result(0, L::type, rhs);
  if (!s.ok())
    return s.takeError();
  return forEachItem(s, Workspace(), double(n) * p * q / 10,
                     [=](const LibraryBuffers &b, int64_t i) {
                       int lda = leading(n), ldb = leading(p);
                       const T one(1);
                       L::trsm(&side, &uplo, &trans, &diag, &p, &q, &one,
                               itemOf<T>(b.inputs[0], i, int64_t(n) * n), &lda,
                               itemOf<T>(b.outputs[0], i, int64_t(p) * q), &ldb,
                               1, 1, 1, 1);
                     });
}
SW_LAPACK_INSTANTIATE(makeTrsm)

/// Element 0 of `dl` and the last of `du` are not part of the matrix.
template <typename T>
llvm::Expected<LibraryOp> cpu::makeGtsv(const LibraryCall &call) {
  using L = Lapack<T>;
  LapackShapes s(call, 3);
  s.arity(4, 5);
  int n = s.size(3, 2, 0), q = s.size(3, 2, 1);
  for (size_t i = 0; i < 4; ++i) {
    Shape item = i == 3 ? Shape{n, q} : Shape{n};
    s.operand(i, L::type, item);
    s.result(i, L::type, item);
  }
  s.result(4, ElementType::S32, {});
  if (!s.ok())
    return s.takeError();
  return forEachItem(s, Workspace(), double(n) * (q + 4),
                     [=](const LibraryBuffers &b, int64_t i) {
                       int ldb = leading(n);
                       T *dl = itemOf<T>(b.outputs[0], i, n);
                       // LAPACK's lower diagonal begins at the second row, ours
                       // at the first.
                       L::gtsv(&n, &q, n > 0 ? dl + 1 : dl,
                               itemOf<T>(b.outputs[1], i, n),
                               itemOf<T>(b.outputs[2], i, n),
                               itemOf<T>(b.outputs[3], i, int64_t(n) * q), &ldb,
                               itemOf<int>(b.outputs[4], i, 1));
                     });
}
SW_LAPACK_INSTANTIATE(makeGtsv)
