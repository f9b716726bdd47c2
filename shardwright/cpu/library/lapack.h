//===- lapack.h - LAPACK's routines by element type -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fortran's own symbols, which every LAPACK exports (Debian: OpenBLAS), with
// the hidden lengths of character arguments at the end. Lapack<T>::NAME is the
// routine of element type T.
//
// OpenBLAS 0.3.21 without threads sometimes gives two concurrent callers the
// same buffer (one of 50,000 small trsm was wrong), so its calls are
// serialized.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_LAPACK_H
#define SHARDWRIGHT_CPU_LIBRARY_LAPACK_H

#include "shardwright/support/element_type.h"

#include <complex>
#include <cstddef>
#include <mutex>

namespace shardwright::cpu {
template <typename T> struct Lapack;

inline std::mutex lapackMutex;

/// True if several threads may call LAPACK at the same time, because the loaded
/// OpenBLAS locks its buffers. The first call makes OpenBLAS single-threaded,
/// for the whole process.
bool lapackTakesManyCallers();

/// A routine that is called under a lock if LAPACK does not allow concurrent
/// callers.
template <auto *routine> struct LapackRoutine {
  template <typename... Args> auto operator()(Args... args) const {
    std::unique_lock alone(lapackMutex, std::defer_lock);
    if (!lapackTakesManyCallers())
      alone.lock();
    return routine(args...);
  }
};
} // namespace shardwright::cpu

// Routines with one signature for all types.
#define SW_LAPACK_COMMON(p, T)                                                 \
  void p##potrf_(const char *uplo, const int *n, T *a, const int *lda,         \
                 int *info, size_t);                                           \
  void p##trsm_(const char *side, const char *uplo, const char *trans,         \
                const char *diag, const int *m, const int *n, const T *alpha,  \
                const T *a, const int *lda, T *b, const int *ldb, size_t,      \
                size_t, size_t, size_t);                                       \
  void p##getrf_(const int *m, const int *n, T *a, const int *lda, int *ipiv,  \
                 int *info);                                                   \
  void p##geqrf_(const int *m, const int *n, T *a, const int *lda, T *tau,     \
                 T *work, const int *lwork, int *info);                        \
  void p##gehrd_(const int *n, const int *low, const int *high, T *a,          \
                 const int *lda, T *tau, T *work, const int *lwork,            \
                 int *info);                                                   \
  void p##gtsv_(const int *n, const int *nrhs, T *dl, T *d, T *du, T *b,       \
                const int *ldb, int *info);
// Routines that are named after the kind of matrix.
#define SW_LAPACK_NAMED(p, T, R, orgqr, ormqr, sytrd)                          \
  void p##orgqr##_(const int *m, const int *n, const int *k, T *a,             \
                   const int *lda, const T *tau, T *work, const int *lwork,    \
                   int *info);                                                 \
  void p##ormqr##_(const char *side, const char *trans, const int *m,          \
                   const int *n, const int *k, const T *a, const int *lda,     \
                   const T *tau, T *c, const int *ldc, T *work,                \
                   const int *lwork, int *info, size_t, size_t);               \
  void p##sytrd##_(const char *uplo, const int *n, T *a, const int *lda, R *d, \
                   R *e, T *tau, T *work, const int *lwork, int *info,         \
                   size_t);
#define SW_LAPACK_REAL(p, T)                                                   \
  SW_LAPACK_COMMON(p, T)                                                       \
  SW_LAPACK_NAMED(p, T, T, orgqr, ormqr, sytrd)                                \
  void p##geqp3_(const int *m, const int *n, T *a, const int *lda, int *jpvt,  \
                 T *tau, T *work, const int *lwork, int *info);                \
  void p##syevd_(const char *jobz, const char *uplo, const int *n, T *a,       \
                 const int *lda, T *w, T *work, const int *lwork, int *iwork,  \
                 const int *liwork, int *info, size_t, size_t);                \
  void p##geev_(const char *jobvl, const char *jobvr, const int *n, T *a,      \
                const int *lda, T *wr, T *wi, T *vl, const int *ldvl, T *vr,   \
                const int *ldvr, T *work, const int *lwork, int *info, size_t, \
                size_t);                                                       \
  void p##gesdd_(const char *jobz, const int *m, const int *n, T *a,           \
                 const int *lda, T *s, T *u, const int *ldu, T *vt,            \
                 const int *ldvt, T *work, const int *lwork, int *iwork,       \
                 int *info, size_t);                                           \
  void p##gesvd_(const char *jobu, const char *jobvt, const int *m,            \
                 const int *n, T *a, const int *lda, T *s, T *u,               \
                 const int *ldu, T *vt, const int *ldvt, T *work,              \
                 const int *lwork, int *info, size_t, size_t);                 \
  void p##gees_(const char *jobvs, const char *sort, void *select,             \
                const int *n, T *a, const int *lda, int *sdim, T *wr, T *wi,   \
                T *vs, const int *ldvs, T *work, const int *lwork, int *bwork, \
                int *info, size_t, size_t);
#define SW_LAPACK_COMPLEX(p, T, R)                                             \
  SW_LAPACK_COMMON(p, T)                                                       \
  SW_LAPACK_NAMED(p, T, R, ungqr, unmqr, hetrd)                                \
  void p##geqp3_(const int *m, const int *n, T *a, const int *lda, int *jpvt,  \
                 T *tau, T *work, const int *lwork, R *rwork, int *info);      \
  void p##heevd_(const char *jobz, const char *uplo, const int *n, T *a,       \
                 const int *lda, R *w, T *work, const int *lwork, R *rwork,    \
                 const int *lrwork, int *iwork, const int *liwork, int *info,  \
                 size_t, size_t);                                              \
  void p##geev_(const char *jobvl, const char *jobvr, const int *n, T *a,      \
                const int *lda, T *w, T *vl, const int *ldvl, T *vr,           \
                const int *ldvr, T *work, const int *lwork, R *rwork,          \
                int *info, size_t, size_t);                                    \
  void p##gesdd_(const char *jobz, const int *m, const int *n, T *a,           \
                 const int *lda, R *s, T *u, const int *ldu, T *vt,            \
                 const int *ldvt, T *work, const int *lwork, R *rwork,         \
                 int *iwork, int *info, size_t);                               \
  void p##gesvd_(const char *jobu, const char *jobvt, const int *m,            \
                 const int *n, T *a, const int *lda, R *s, T *u,               \
                 const int *ldu, T *vt, const int *ldvt, T *work,              \
                 const int *lwork, R *rwork, int *info, size_t, size_t);       \
  void p##gees_(const char *jobvs, const char *sort, void *select,             \
                const int *n, T *a, const int *lda, int *sdim, T *w, T *vs,    \
                const int *ldvs, T *work, const int *lwork, R *rwork,          \
                int *bwork, int *info, size_t, size_t);

extern "C" {
SW_LAPACK_REAL(s, float)
SW_LAPACK_REAL(d, double)
SW_LAPACK_COMPLEX(c, std::complex<float>, float)
SW_LAPACK_COMPLEX(z, std::complex<double>, double)
}

#define SW_LAPACK_STRUCT(p, T, R, kind, isComplex_, orgqr_, ormqr_, sytrd_,    \
                         syevd_)                                               \
  template <> struct Lapack<T> {                                               \
    using Real = R;                                                            \
    static constexpr ElementType type = ElementType::kind;                     \
    static constexpr bool isComplex = isComplex_;                              \
    static constexpr LapackRoutine<p##potrf_> potrf{};                         \
    static constexpr LapackRoutine<p##trsm_> trsm{};                           \
    static constexpr LapackRoutine<p##getrf_> getrf{};                         \
    static constexpr LapackRoutine<p##geqrf_> geqrf{};                         \
    static constexpr LapackRoutine<p##geqp3_> geqp3{};                         \
    static constexpr LapackRoutine<p##gehrd_> gehrd{};                         \
    static constexpr LapackRoutine<p##gtsv_> gtsv{};                           \
    static constexpr LapackRoutine<p##orgqr_> orgqr{};                         \
    static constexpr LapackRoutine<p##ormqr_> ormqr{};                         \
    static constexpr LapackRoutine<p##sytrd_> sytrd{};                         \
    static constexpr LapackRoutine<p##syevd_> syevd{};                         \
    static constexpr LapackRoutine<p##geev_> geev{};                           \
    static constexpr LapackRoutine<p##gesdd_> gesdd{};                         \
    static constexpr LapackRoutine<p##gesvd_> gesvd{};                         \
    static constexpr LapackRoutine<p##gees_> gees{};                           \
  };

namespace shardwright::cpu {
SW_LAPACK_STRUCT(s, float, float, F32, false, orgqr_, ormqr_, sytrd_, syevd_)
SW_LAPACK_STRUCT(d, double, double, F64, false, orgqr_, ormqr_, sytrd_, syevd_)
SW_LAPACK_STRUCT(c, std::complex<float>, float, C64, true, ungqr_, unmqr_,
                 hetrd_, heevd_)
SW_LAPACK_STRUCT(z, std::complex<double>, double, C128, true, ungqr_, unmqr_,
                 hetrd_, heevd_)
} // namespace shardwright::cpu

#undef SW_LAPACK_STRUCT
#undef SW_LAPACK_COMPLEX
#undef SW_LAPACK_REAL
#undef SW_LAPACK_NAMED
#undef SW_LAPACK_COMMON

#endif // SHARDWRIGHT_CPU_LIBRARY_LAPACK_H
