//===- lapack_call.h - shared code of LAPACK's custom calls -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call works on a batch of matrices, each in column-major order, and of
// vectors; one matrix is one task. Operands that a routine overwrites share
// their buffer with the result. `info` is a result, not an error: JAX writes
// NaN if it is not 0.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_LAPACK_CALL_H
#define SHARDWRIGHT_CPU_LIBRARY_LAPACK_CALL_H

#include "shardwright/cpu/library/lapack.h"
#include "shardwright/cpu/library/library_op.h"

namespace shardwright::cpu {

/// OpenBLAS may lose a NaN in later factors. From the first NaN on the diagonal
/// of a Cholesky factor (column-major), this sets all dependent elements to
/// NaN.
template <typename T> void spreadNan(char uplo, int64_t n, T *a) {
  int64_t first = 0;
  while (first < n && a[first * n + first] == a[first * n + first])
    ++first;
  for (int64_t column = first; column < n; ++column)
    for (int64_t row = first; row < n; ++row)
      if (uplo == 'L' ? row >= column : row <= column)
        a[column * n + row] = a[first * n + first];
}

/// Checks the operands and results of one call against each other.
class LapackShapes {
public:
  /// The batch dimensions are those of operand `leader`, a matrix.
  explicit LapackShapes(const LibraryCall &call, size_t leader = 0);

  int64_t batch() const { return count; }
  /// Dimension `d` of an item of operand `i`, whose rank is `rank`.
  int size(size_t i, size_t rank, size_t d);
  /// Checks that operand or result `i` is a batch of items of this type and
  /// shape.
  void operand(size_t i, ElementType type, llvm::ArrayRef<int64_t> item);
  void result(size_t i, ElementType type, llvm::ArrayRef<int64_t> item);
  /// The letter in a character code attribute; it must be one of `allowed`.
  char letter(llvm::StringRef attribute, llvm::StringRef allowed);
  void arity(size_t operands, size_t results);
  /// Returns the first error.
  llvm::Error takeError();
  bool ok() const { return problem.empty(); }

private:
  void note(llvm::Error error);
  void check(const BufferType &got, ElementType type,
             llvm::ArrayRef<int64_t> item, const llvm::Twine &what);

  const LibraryCall &call;
  Shape batchShape;
  int64_t count = 0;
  std::string problem;
};

/// Layout of the scratch memory; every part is aligned.
class Workspace {
public:
  /// Reserves `count` elements of T and returns their offset.
  template <typename T> int64_t add(int64_t count) {
    int64_t at = bytes;
    bytes += (std::max<int64_t>(count, 1) * int64_t(sizeof(T)) + 63) / 64 * 64;
    return at;
  }
  template <typename T> static T *at(void *scratch, int64_t offset) {
    return reinterpret_cast<T *>(static_cast<char *>(scratch) + offset);
  }
  int64_t bytes = 0;
};

/// The size that a workspace query wrote to its first element.
template <typename T> int workSize(const T &answer) {
  return std::max(1, static_cast<int>(std::real(answer)));
}

/// Item `i` of a buffer whose items have `elements` elements.
template <typename T> T *itemOf(void *buffer, int64_t i, int64_t elements) {
  return static_cast<T *>(buffer) + i * elements;
}

/// LAPACK requires leading dimensions of at least 1.
inline int leading(int rows) { return std::max(rows, 1); }

/// The `info` of a matrix that is not finite: an illegal argument.
inline constexpr int notFinite = -4;

/// False for values on which iterative routines may not terminate.
template <typename T> bool allFinite(const T *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(std::real(values[i])) ||
        !std::isfinite(std::imag(values[i])))
      return false;
  return true;
}

/// Zeroes `count` elements.
template <typename T> void clear(T *to, int64_t count) {
  std::fill_n(to, count, T(0));
}

/// Creates a call that runs `item(buffers, i)` for each matrix i of the batch,
/// each in about `itemNs` on one thread, with exclusive use of the workspace.
template <typename Item>
LibraryOp forEachItem(const LapackShapes &shapes, const Workspace &workspace,
                      double itemNs, Item item) {
  LibraryOp op;
  op.tasks = shapes.batch();
  op.scratchBytes = workspace.bytes;
  op.costNs = 100 + double(shapes.batch()) * itemNs;
  op.run = [item](const LibraryBuffers &b, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      item(b, i);
    return llvm::Error::success();
  };
  return op;
}

// lapack_factor.cc
template <typename T> llvm::Expected<LibraryOp> makePotrf(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeGetrf(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeTrsm(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeGtsv(const LibraryCall &);
// lapack_orthogonal.cc
template <typename T> llvm::Expected<LibraryOp> makeGeqrf(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeGeqp3(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeOrgqr(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeOrmqr(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeGehrd(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeSytrd(const LibraryCall &);
// lapack_eigen.cc
template <typename T> llvm::Expected<LibraryOp> makeSyevd(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeGeev(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeGees(const LibraryCall &);
// lapack_svd.cc
template <typename T> llvm::Expected<LibraryOp> makeGesdd(const LibraryCall &);
template <typename T> llvm::Expected<LibraryOp> makeGesvd(const LibraryCall &);
// tridiagonal.cc
llvm::Expected<LibraryOp> makePerturbedTridiagonal(const LibraryCall &);

} // namespace shardwright::cpu

/// Instantiates a factory for the four types.
#define SW_LAPACK_INSTANTIATE(make)                                            \
  template llvm::Expected<shardwright::cpu::LibraryOp>                         \
  shardwright::cpu::make<float>(const LibraryCall &);                          \
  template llvm::Expected<shardwright::cpu::LibraryOp>                         \
  shardwright::cpu::make<double>(const LibraryCall &);                         \
  template llvm::Expected<shardwright::cpu::LibraryOp>                         \
  shardwright::cpu::make<std::complex<float>>(const LibraryCall &);            \
  template llvm::Expected<shardwright::cpu::LibraryOp>                         \
  shardwright::cpu::make<std::complex<double>>(const LibraryCall &);

#endif // SHARDWRIGHT_CPU_LIBRARY_LAPACK_CALL_H
