//===- npy_header.h - the header of a .npy array ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NPZ_NPY_HEADER_H
#define SHARDWRIGHT_RUNTIME_NPZ_NPY_HEADER_H

#include "shardwright/support/element_type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>

namespace shardwright {

/// Format: numpy's "npy" versions 1.0 to 3.0.
struct NpyHeader {
  ElementType type = ElementType::F32;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t, 4> shape;
  /// Offset of the first element.
  size_t dataOffset = 0;
};

/// Bytes at the start of a .npy file that contain the length of its header.
constexpr size_t npyPrefixBytes = 12;

/// Length of the complete header, from the first npyPrefixBytes bytes (fewer if
/// the file is shorter).
llvm::Expected<size_t> npyHeaderBytes(llvm::StringRef prefix);

/// Parses a complete header. Errors name the problem, not the file.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef bytes);

/// A header for row-major, little-endian elements: version 1.0, padded to a
/// multiple of 64 bytes. `type` must be a numpy type.
std::string npyHeader(ElementType type, llvm::ArrayRef<int64_t> shape);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NPZ_NPY_HEADER_H
