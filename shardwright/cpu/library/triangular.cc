//===- triangular.cc - stablehlo.cholesky and triangular_solve ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LAPACK reads our row-major matrices as their transposes, so lower and upper
// are swapped, and so are the two sides. f16, bf16 and f8 are computed in f32.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/families.h"
#include "shardwright/cpu/library/lapack_call.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/support/narrow_float.h"
#include "shardwright/support/shape.h"

#include <limits>

using namespace shardwright;
using namespace shardwright::cpu;
namespace hlo = shardwright::stablehlo;

void cpu::readCholesky(mlir::Operation *op, LibraryCall &call) {
  put(call, "lower", mlir::cast<hlo::CholeskyOp>(op).getLower());
}

void cpu::readTriangularSolve(mlir::Operation *op, LibraryCall &call) {
  auto solve = mlir::cast<hlo::TriangularSolveOp>(op);
  put(call, "left_side", solve.getLeftSide());
  put(call, "lower", solve.getLower());
  put(call, "unit_diagonal", solve.getUnitDiagonal());
  put(call, "transpose_a", hlo::stringifyTranspose(solve.getTransposeA()));
}

namespace {
/// The type in which LAPACK computes on elements of `type`, if any.
std::optional<ElementType> workType(ElementType type) {
  if (type == ElementType::F64 || isComplex(type))
    return type;
  if (isFloat(type))
    return ElementType::F32;
  return std::nullopt;
}

/// Converts `count` elements of any real type to T; elements of type T are
/// copied.
template <typename T>
void widen(ElementType type, const void *from, int64_t count, T *to) {
  if (type == Lapack<T>::type) {
    std::copy_n(static_cast<const T *>(from), count, to);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    to[i] = T(elementAsDouble(type, from, i));
}

template <typename T>
void narrow(ElementType type, const T *from, int64_t count, void *to) {
  if (type == Lapack<T>::type) {
    std::copy_n(from, count, static_cast<T *>(to));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    auto value = static_cast<float>(std::real(from[i]));
    if (type == ElementType::F16)
      static_cast<uint16_t *>(to)[i] = floatToF16(value);
    else if (type == ElementType::BF16)
      static_cast<uint16_t *>(to)[i] = floatToBf16(value);
    else
      static_cast<uint8_t *>(to)[i] = floatToF8(type, value);
  }
}

char *itemAt(void *buffer, int64_t i, int64_t elements, ElementType type) {
  return static_cast<char *>(buffer) + i * elements * byteWidth(type);
}

template <typename T>
LibraryOp choleskyOf(ElementType type, int64_t batch, int n, bool lower) {
  using R = typename Lapack<T>::Real;
  LibraryOp op;
  op.tasks = batch;
  op.scratchBytes = int64_t(n) * n * sizeof(T);
  op.costNs = 100 + double(batch) * n * n * n / 10;
  op.run = [=](const LibraryBuffers &b, int64_t begin, int64_t end) {
    auto *a = static_cast<T *>(b.scratch);
    int64_t elements = int64_t(n) * n;
    for (int64_t i = begin; i < end; ++i) {
      widen(type, itemAt(b.inputs[0], i, elements, type), elements, a);
      char uplo = lower ? 'U' : 'L';
      int lda = leading(n), info = 0;
      Lapack<T>::potrf(&uplo, &n, a, &lda, &info, 1);
      spreadNan(uplo, n, a);
      const T nan(std::numeric_limits<R>::quiet_NaN());
      for (int64_t row = 0; row < n; ++row)
        for (int64_t column = 0; column < n; ++column) {
          bool kept = lower ? column <= row : column >= row;
          if (info != 0)
            a[row * n + column] = nan;
          else if (!kept)
            a[row * n + column] = T(0);
        }
      narrow(type, a, elements, itemAt(b.outputs[0], i, elements, type));
    }
    return llvm::Error::success();
  };
  return op;
}

struct Solve {
  ElementType type;
  int64_t batch;
  int n, rows, columns; ///< of a (n), of b (rows, columns)
  bool left, lower, unit;
  char trans;
};

template <typename T> LibraryOp solverOf(const Solve &s) {
  int64_t aSize = int64_t(s.n) * s.n, bSize = int64_t(s.rows) * s.columns;
  Workspace w;
  int64_t aAt = w.add<T>(aSize), bAt = w.add<T>(bSize);
  LibraryOp op;
  op.tasks = s.batch;
  op.scratchBytes = w.bytes;
  op.costNs = 100 + double(s.batch) * s.n * bSize / 10;
  op.run = [=](const LibraryBuffers &b, int64_t begin, int64_t end) {
    T *a = Workspace::at<T>(b.scratch, aAt),
      *x = Workspace::at<T>(b.scratch, bAt);
    char side = s.left ? 'R' : 'L', uplo = s.lower ? 'U' : 'L';
    char diag = s.unit ? 'U' : 'N';
    int lda = leading(s.n), ldb = leading(s.columns);
    const T one(1);
    for (int64_t i = begin; i < end; ++i) {
      widen(s.type, itemAt(b.inputs[0], i, aSize, s.type), aSize, a);
      widen(s.type, itemAt(b.inputs[1], i, bSize, s.type), bSize, x);
      Lapack<T>::trsm(&side, &uplo, &s.trans, &diag, &s.columns, &s.rows, &one,
                      a, &lda, x, &ldb, 1, 1, 1, 1);
      narrow(s.type, x, bSize, itemAt(b.outputs[0], i, bSize, s.type));
    }
    return llvm::Error::success();
  };
  return op;
}

llvm::Error unsupported(ElementType type) {
  return llvm::createStringError(
      "requires matrices of f32, f64, complex<f32> or complex<f64>, got " +
      shardwright::str(type));
}
} // namespace

llvm::Expected<LibraryOp> cpu::makeCholesky(const LibraryCall &call) {
  LapackShapes s(call);
  s.arity(1, 1);
  int n = s.size(0, 2, 0);
  ElementType type =
      call.inputs.empty() ? ElementType::S32 : call.inputs[0].type;
  s.operand(0, type, {n, n});
  s.result(0, type, {n, n});
  if (!s.ok())
    return s.takeError();
  llvm::Expected<int64_t> lower = getInteger(call, "lower");
  if (!lower)
    return lower.takeError();
  std::optional<ElementType> in = workType(type);
  if (!in)
    return unsupported(type);
  switch (*in) {
  case ElementType::F64:
    return choleskyOf<double>(type, s.batch(), n, *lower);
  case ElementType::C64:
    return choleskyOf<std::complex<float>>(type, s.batch(), n, *lower);
  case ElementType::C128:
    return choleskyOf<std::complex<double>>(type, s.batch(), n, *lower);
  default:
    return choleskyOf<float>(type, s.batch(), n, *lower);
  }
}

llvm::Expected<LibraryOp> cpu::makeTriangularSolve(const LibraryCall &call) {
  LapackShapes shapes(call);
  shapes.arity(2, 1);
  Solve s;
  s.type = call.inputs.empty() ? ElementType::S32 : call.inputs[0].type;
  s.batch = shapes.batch();
  s.n = shapes.size(0, 2, 0);
  s.rows = shapes.size(1, 2, 0);
  s.columns = shapes.size(1, 2, 1);
  for (auto [name, field] :
       {std::pair("left_side", &s.left), std::pair("lower", &s.lower),
        std::pair("unit_diagonal", &s.unit)}) {
    llvm::Expected<int64_t> value = getInteger(call, name);
    if (!value)
      return value.takeError();
    *field = *value != 0;
  }
  Shape rhs = s.left ? Shape{s.n, s.columns} : Shape{s.rows, s.n};
  shapes.operand(0, s.type, {s.n, s.n});
  shapes.operand(1, s.type, rhs);
  shapes.result(0, s.type, rhs);
  if (!shapes.ok())
    return shapes.takeError();
  const LibraryAttribute *transpose = find(call, "transpose_a");
  if (!transpose || transpose->text == "TRANSPOSE_INVALID")
    return llvm::createStringError("transpose_a should be NO_TRANSPOSE, "
                                   "TRANSPOSE or ADJOINT");
  s.trans = transpose->text == "ADJOINT"     ? 'C'
            : transpose->text == "TRANSPOSE" ? 'T'
                                             : 'N';
  std::optional<ElementType> in = workType(s.type);
  if (!in)
    return unsupported(s.type);
  switch (*in) {
  case ElementType::F64:
    return solverOf<double>(s);
  case ElementType::C64:
    return solverOf<std::complex<float>>(s);
  case ElementType::C128:
    return solverOf<std::complex<double>>(s);
  default:
    return solverOf<float>(s);
  }
}
