//===- families.h - factories and readers of library ops --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factories and readers that table.cc registers. Each family is one file:
// NAME.cc defines the functions under its name.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_FAMILIES_H
#define SHARDWRIGHT_CPU_LIBRARY_FAMILIES_H

#include "shardwright/cpu/library/library_op.h"

namespace shardwright::cpu {

// convolution.cc
void readConvolution(mlir::Operation *op, LibraryCall &call);
llvm::Expected<LibraryOp> makeConvolution(const LibraryCall &call);

// fft.cc
void readFft(mlir::Operation *op, LibraryCall &call);
llvm::Expected<LibraryOp> makeFft(const LibraryCall &call);

// random_bits.cc: THREE_FRY and PHILOX, bit-exact with XLA
void readRandomBits(mlir::Operation *op, LibraryCall &call);
llvm::Expected<LibraryOp> makeRandomBits(const LibraryCall &call);

// random_numbers.cc: stablehlo.rng
void readRandomNumbers(mlir::Operation *op, LibraryCall &call);
llvm::Expected<LibraryOp> makeRandomNumbers(const LibraryCall &call);

// triangular.cc
void readCholesky(mlir::Operation *op, LibraryCall &call);
llvm::Expected<LibraryOp> makeCholesky(const LibraryCall &call);
void readTriangularSolve(mlir::Operation *op, LibraryCall &call);
llvm::Expected<LibraryOp> makeTriangularSolve(const LibraryCall &call);

// lapack_table.cc: targets like `lapack_sgetrf_ffi`, and `Qr`
std::optional<LibraryEntry> findLapackEntry(llvm::StringRef target);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LIBRARY_FAMILIES_H
