//===- npz.h - arrays in numpy's .npz files ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NPZ_NPZ_H
#define SHARDWRIGHT_RUNTIME_NPZ_NPZ_H

#include "shardwright/runtime/readers/array_reader.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace shardwright {

struct NamedArray {
  std::string name;
  Array array;
};

/// The type and shape of an array, with numpy's type.
struct ArrayHeader {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape;
};
struct NamedHeader {
  std::string name;
  ArrayHeader header;
};

/// The headers of all members, in file order, without reading elements. Errors
/// name the file and the member.
llvm::Expected<std::vector<NamedHeader>> readNpzHeaders(llvm::StringRef path);

/// All arrays of the file, in file order, from stored or deflated members.
/// Elements have numpy's types: types that numpy lacks remain raw bits (see
/// `fromNumpyBits`). Errors name the file and the member.
llvm::Expected<std::vector<NamedArray>> readNpz(llvm::StringRef path);

/// Returns an error if array number `index` must not have this type and shape.
using CheckHeader =
    llvm::function_ref<llvm::Error(int64_t index, const ArrayHeader &header)>;

/// Reads the arrays PREFIX0, PREFIX1, ... PREFIX(count-1). Fails if one is
/// missing or a number is `count` or more; does not read members of other
/// names. Calls `check`, if given, before reading the elements of each array: a
/// deflated member can be a thousand times as large as its file.
llvm::Expected<std::vector<Array>> readNumberedNpz(llvm::StringRef path,
                                                   llvm::StringRef prefix,
                                                   int64_t count,
                                                   CheckHeader check = nullptr);

/// In which order the boxes of arrays in a file are read.
enum class NpzAccess {
  /// As Windows go. Reading the last element checks the checksum.
  Sequential,
  /// Any. Members that are not compressed are mapped, so that only the boxes
  /// that are wanted are read, without a check; others are sequential. The file
  /// must not change meanwhile.
  Random,
};

/// Readers of the arrays PREFIX0, PREFIX1, ..., one for each of `types`, to
/// which numpy's types are converted as by `fromNumpyBits`. Fails as
/// readNumberedNpz does. Compressed arrays in Fortran order are read as a whole
/// when they are first used.
llvm::Expected<std::vector<std::unique_ptr<ArrayReader>>>
openNumberedNpz(llvm::StringRef path, llvm::StringRef prefix,
                llvm::ArrayRef<ElementType> types, NpzAccess access,
                CheckHeader check = nullptr);

/// Writes uncompressed members (fastest for numpy.load) to a temporary file
/// next to `path`, then renames it. The bytes depend only on the arrays. Types
/// that numpy lacks are written as raw bits: bf16 as uint16; f8, 4- and 2-bit
/// types as uint8, one element per byte with zero upper bits.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedArray> arrays);

struct NamedReader {
  std::string name;
  ArrayReader *array;
};
/// The same file, with memory for a window of an array only (array_reader.h).
/// Errors of reading do not name the file.
llvm::Error writeNpzInWindows(llvm::StringRef path,
                              llvm::ArrayRef<NamedReader> arrays);

/// Reinterprets `array`, as numpy stores it, as `type`: the same type, uint16
/// as bf16, or uint8 as an f8, 4- or 2-bit type. Fails for anything else.
llvm::Expected<Array> fromNumpyBits(Array array, ElementType type);

/// The numpy type that stores `type`.
ElementType numpyType(ElementType type);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NPZ_NPZ_H
