//===- shape_proto.h - array shapes as protos -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_FFI_SHAPE_PROTO_H
#define SHARDWRIGHT_PJRT_FFI_SHAPE_PROTO_H

#include "shardwright/support/element_type.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace shardwright::pjrt {

/// Serialises the xla.ShapeProto of an array. An empty layout is row-major.
std::string shapeProto(ElementType type, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> minorToMajor = {});

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_FFI_SHAPE_PROTO_H
