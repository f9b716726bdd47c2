//===- shape_proto.cc - array shapes as protos ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/base/shape_proto.h"

#include "shardwright/ffi/types.h"
#include "shardwright/mesh/hlo/proto_wire.h"

using namespace shardwright;

std::string pjrt::shapeProto(ElementType type, llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<int64_t> minorToMajor) {
  size_t rank = shape.size();
  llvm::SmallVector<int64_t> order(minorToMajor), isDynamic(rank, 0);
  if (order.empty())
    for (size_t d = rank; d-- > 0;)
      order.push_back(d);
  ProtoWriter layout;
  layout.packed(1, order);
  layout.varint(16, 1); // tail_padding_alignment_in_elements
  ProtoWriter proto;
  proto.varint(2, ffi::ffiType(type).value_or(0));
  proto.packed(3, shape);
  proto.message(5, layout.take());
  proto.packed(6, isDynamic);
  return proto.take();
}
