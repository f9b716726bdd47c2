//===- table.cc - registry of library ops ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/families.h"

using namespace shardwright::cpu;

namespace {
struct NamedEntry {
  llvm::StringLiteral name;
  LibraryEntry value;
};

constexpr NamedEntry entries[] = {
    {"stablehlo.cholesky", {makeCholesky, readCholesky}},
    {"stablehlo.convolution", {makeConvolution, readConvolution}},
    {"stablehlo.fft", {makeFft, readFft}},
    {"stablehlo.rng", {makeRandomNumbers, readRandomNumbers}},
    {"stablehlo.rng_bit_generator", {makeRandomBits, readRandomBits}},
    {"stablehlo.triangular_solve", {makeTriangularSolve, readTriangularSolve}},
};
} // namespace

std::optional<LibraryEntry>
shardwright::cpu::findLibraryEntry(llvm::StringRef name) {
  for (const NamedEntry &entry : entries)
    if (entry.name == name)
      return entry.value;
  return findLapackEntry(name);
}
