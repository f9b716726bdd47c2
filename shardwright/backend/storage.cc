//===- storage.cc - the memory of one array on one device -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/storage.h"

#include "shardwright/support/box_copy.h"

using namespace shardwright;

DeviceStorage::~DeviceStorage() = default;

bool HostArray::isDense() const {
  if (byteStrides.empty())
    return true;
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (elements <= 1)
    return true;
  auto dense = cpu::rowMajorStrides(shape, byteWidth(type));
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1 && byteStrides[d] != dense[d])
      return false;
  return true;
}
