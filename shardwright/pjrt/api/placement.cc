//===- placement.cc - placement of new buffers ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/placement.h"
#include "shardwright/backend/host_storage.h"
#include "shardwright/pjrt/base/host_layout.h"
#include "shardwright/pjrt_abi/element_types.h"
#include "shardwright/support/box_copy.h"

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
    if (PJRT_Error *error = checkAddressable(*found))
      return error;
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
    return invalid("the array of this shape is too large: its size overflows");
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

PJRT_Error *pjrt::readLayout(const PJRT_Buffer_MemoryLayout *given,
                             llvm::ArrayRef<int64_t> shape, ElementType type,
                             MinorToMajor &layout) {
  if (!given)
    return nullptr;
  // Also checks the layout.
  auto strides = byteStrides(given, shape, byteWidth(type));
  if (!strides)
    return toPjrt(strides.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
  if (given->type == PJRT_Buffer_MemoryLayout_Type_Tiled)
    layout = canonicalLayout({given->tiled.minor_to_major, shape.size()});
  else if (!isRowMajor(given, shape.size()))
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                     "layouts of buffers are orders of dimensions, strides "
                     "are not supported");
  return nullptr;
}

PJRT_Error *pjrt::readNewBuffer(PJRT_Client *client, PJRT_Device *device,
                                PJRT_Memory *memory, const int64_t *dims,
                                size_t rank, PJRT_Buffer_Type type,
                                const PJRT_Buffer_MemoryLayout *layout,
                                NewBuffer &buffer) {
  if (PJRT_Error *error = findPlace(client, device, memory, buffer))
    return error;
  if (PJRT_Error *error =
          readShape(dims, rank, type, buffer.type, buffer.shape))
    return error;
  return readLayout(layout, buffer.shape, buffer.type, buffer.layout);
}

PJRT_Error *pjrt::allocate(const Place &place, ElementType type,
                           llvm::ArrayRef<int64_t> shape,
                           std::shared_ptr<DeviceStorage> &storage) {
  Backend &backend = place.client->runtime->backend();
  auto made =
      backend.allocate(type, shape, {place.device(), place.memory->kind});
  if (!made) {
    llvm::consumeError(made.takeError());
    return makeError(PJRT_Error_Code_RESOURCE_EXHAUSTED,
                     "Out of memory allocating " +
                         llvm::Twine(*bytesOf(type, shape)) + " bytes.");
  }
  storage = std::move(*made);
  if (!storage->hostView() && storage->bytes() > 0)
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                     "the host cannot write memory of devices of backend " +
                         backend.name());
  return nullptr;
}

std::shared_ptr<DeviceStorage> pjrt::noStorage() {
  return HostStorage::adopt(std::make_shared<char>(), 0);
}
