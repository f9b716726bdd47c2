//===- npz.h - arrays in numpy's .npz files ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NPZ_H
#define SHARDWRIGHT_RUNTIME_NPZ_H

#include "shardwright/runtime/array.h"

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

/// What every member of the file is, in the order of the file; no elements are
/// read. Errors name the file and the member.
llvm::Expected<std::vector<NamedHeader>> readNpzHeaders(llvm::StringRef path);

/// Every array of the file, in the order of the file, members stored or
/// deflated. Elements have numpy's types: what numpy lacks is still in its bits
/// (see `fromNumpyBits`). Errors name the file and the member.
llvm::Expected<std::vector<NamedArray>> readNpz(llvm::StringRef path);

/// Says what is wrong with the type and shape of array number `index`.
using CheckHeader =
    llvm::function_ref<llvm::Error(int64_t index, const ArrayHeader &header)>;

/// The arrays PREFIX0, PREFIX1, ... PREFIX(count-1). A missing one is an error,
/// and so is a number from `count` up; members of other names are not read.
/// `check`, when given, judges each array before its elements are read: a
/// deflated member can be a thousand times as large as its file.
llvm::Expected<std::vector<Array>> readNumberedNpz(llvm::StringRef path,
                                                   llvm::StringRef prefix,
                                                   int64_t count,
                                                   CheckHeader check = nullptr);

/// Writes stored members (what numpy.load maps fastest), through a temporary
/// file beside `path`. The bytes depend on nothing but the arrays. Types that
/// numpy lacks are written as their bits: bf16 as uint16; f8, 4- and 2-bit
/// types as uint8, one element a byte, upper bits zero.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedArray> arrays);

/// `array`, as numpy stores it, seen as `type`: the same type, uint16 as bf16,
/// or uint8 as an f8, 4- or 2-bit type. Anything else is an error.
llvm::Expected<Array> fromNumpyBits(Array array, ElementType type);

/// The type under which numpy holds `type`.
ElementType numpyType(ElementType type);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NPZ_H
