//===- placement.cc - where new buffers go, and what they are -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/placement.h"
#include "shardwright/pjrt/element_types.h"
#include "shardwright/pjrt/host_layout.h"

using namespace shardwright;
using namespace shardwright::pjrt;

PJRT_Error *pjrt::findPlace(PJRT_Client *pointer, PJRT_Device *device,
                            PJRT_Memory *memory, Place &place) {
  SHARDWRIGHT_ALIVE(client, pointer, "client");
  if (memory) {
    SHARDWRIGHT_ALIVE(found, space(memory), "memory");
    place.memory = found.get();
  } else {
    SHARDWRIGHT_ALIVE(found, device, "device");
    place.memory = space(found->memories.front());
  }
  if (place.memory->device->client != client.get())
    return invalid("the device belongs to another client");
  place.client = std::move(client);
  return nullptr;
}

PJRT_Error *pjrt::readShape(const int64_t *dims, size_t rank,
                            PJRT_Buffer_Type type, ElementType &element,
                            llvm::ArrayRef<int64_t> &shape) {
  if (rank && !dims)
    return invalid("the dimensions are a null pointer");
  shape = {dims, rank};
  auto found = fromPjrt(type);
  if (!found)
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                     "arrays of type " + name(type) + " (" +
                         llvm::Twine(int(type)) + ") are not supported");
  element = *found;
  if (!bytesOf(element, shape))
    return invalid("an array of this shape is larger than memory can be");
  return nullptr;
}

PJRT_Error *pjrt::checkRange(const Buffer &buffer, int64_t offset,
                             int64_t size) {
  int64_t bytes = buffer.bytes();
  if (offset < 0 || size < 0 || offset > bytes || size > bytes - offset)
    return invalid("bytes " + llvm::Twine(offset) + " to " +
                   llvm::Twine(offset + size) + " of a buffer of " +
                   llvm::Twine(bytes));
  return nullptr;
}
