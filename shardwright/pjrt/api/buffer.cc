//===- buffer.cc - arrays on devices --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/base/host_layout.h"
#include "shardwright/pjrt/base/slots.h"
#include "shardwright/pjrt_abi/element_types.h"

#include "llvm/Support/MathExtras.h"

using namespace shardwright;
using namespace shardwright::pjrt;

PJRT_Buffer *pjrt::newBuffer(std::shared_ptr<PJRT_Client> client,
                             PJRT_Memory *memory, Buffer buffer,
                             MinorToMajor layout) {
  auto object = std::make_shared<PJRT_Buffer>(std::move(client), memory,
                                              std::move(buffer));
  object->layout = std::move(layout);
  return handles<PJRT_Buffer>().add(std::move(object));
}

/// Returns the size that the client is to see. It differs from the size in
/// memory, where each element of less than a byte has a byte of its own.
static size_t reportedBytes(const PJRT_Buffer &buffer) {
  int bits = bitWidth(buffer.buffer.type());
  if (!buffer.client->packedSizes || (bits != 2 && bits != 4))
    return buffer.buffer.bytes();
  return llvm::divideCeil(buffer.buffer.bytes() * bits, 8);
}

#define BUFFER(slot, ...)                                                      \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *args) {                           \
    return guarded(__func__, args, [&]() -> PJRT_Error * {                     \
      SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");                       \
      __VA_ARGS__;                                                             \
      return nullptr;                                                          \
    });                                                                        \
  }

BUFFER(Buffer_ElementType, args->type = buffer->isToken
                                            ? PJRT_Buffer_Type_TOKEN
                                            : toPjrt(buffer->buffer.type()))
BUFFER(Buffer_Dimensions, args->dims = buffer->buffer.shape().data();
       args->num_dims = buffer->buffer.shape().size())
BUFFER(Buffer_UnpaddedDimensions,
       args->unpadded_dims = buffer->buffer.shape().data();
       args->num_dims = buffer->buffer.shape().size())
BUFFER(Buffer_DynamicDimensionIndices, args->dynamic_dim_indices = nullptr;
       args->num_dynamic_dims = 0)
BUFFER(Buffer_OnDeviceSizeInBytes,
       args->on_device_size_in_bytes = reportedBytes(*buffer))
BUFFER(Buffer_Device, args->device = space(buffer->memory)->device)
BUFFER(Buffer_Memory, args->memory = buffer->memory)
// If this is true, clients read the memory directly, in its layout.
BUFFER(Buffer_IsOnCpu, args->is_on_cpu = buffer->layout.empty())
BUFFER(Buffer_ReadyEvent, args->event = newEvent(buffer->buffer.ready()))
BUFFER(Buffer_Delete, buffer->buffer.remove())
BUFFER(Buffer_IsDeleted, args->is_deleted = !buffer->buffer.isLive())
BUFFER(Buffer_GetMemoryLayout,
       llvm::ArrayRef<int64_t> order =
           buffer->layout.empty() ? rowMajorOrder(buffer->buffer.shape().size())
                                  : llvm::ArrayRef(buffer->layout);
       args->layout = {}; args->layout.struct_size = sizeof(args->layout) - 4;
       args->layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
       args->layout.tiled.struct_size = sizeof(args->layout.tiled);
       args->layout.tiled.minor_to_major = order.data();
       args->layout.tiled.minor_to_major_size = order.size())

PJRT_Error *pjrt::Buffer_Destroy(PJRT_Buffer_Destroy_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    if (args->buffer && !handles<PJRT_Buffer>().remove(args->buffer))
      return invalid("the buffer has been destroyed already");
    return nullptr;
  });
}

static PJRT_Error *copyTo(const std::shared_ptr<PJRT_Buffer> &buffer,
                          MemorySpace &memory, PJRT_Buffer *&copy) {
  auto client = handles<PJRT_Client>().find(memory.device->client);
  if (!client)
    return invalid("the client of the memory has been destroyed");
  DeviceId device = memory.device->id();
  // A copy to the same place must have its own memory.
  bool isThere = device == buffer->buffer.device() &&
                 memory.kind == buffer->buffer.memory();
  auto other =
      isThere ? buffer->buffer.copy() : buffer->buffer.on(device, memory.kind);
  if (!other)
    return toPjrt(other.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
  copy =
      newBuffer(std::move(client), &memory, std::move(*other), buffer->layout);
  handles<PJRT_Buffer>().find(copy)->isToken = buffer->isToken;
  return nullptr;
}

PJRT_Error *pjrt::Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");
    SHARDWRIGHT_ALIVE(device, args->dst_device, "device");
    if (PJRT_Error *error = checkAddressable(*device))
      return error;
    return copyTo(buffer, *space(device->memories.front()), args->dst_buffer);
  });
}

PJRT_Error *pjrt::Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");
    SHARDWRIGHT_ALIVE(memory, space(args->dst_memory), "memory");
    return copyTo(buffer, *memory, args->dst_buffer);
  });
}

/// The elements in the buffer's memory, once they are available.
static PJRT_Error *awaitElements(PJRT_Buffer &buffer, const void *&elements) {
  if (PJRT_Error *error = checkRawBytes(buffer, 0, 0))
    return error;
  if (auto storage = buffer.buffer.storage();
      storage && !(*storage)->hostView() && (*storage)->bytes() > 0)
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                     "the host cannot address the memory of the buffer");
  else if (!storage)
    return toPjrt(storage.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
  auto data = buffer.buffer.await();
  if (!data)
    return toPjrt(data.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
  elements = data->get();
  return nullptr;
}

PJRT_Error *pjrt::Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");
    const void *elements = nullptr;
    if (PJRT_Error *error = awaitElements(*buffer, elements))
      return error;
    args->buffer_pointer = reinterpret_cast<uintptr_t>(elements);
    return nullptr;
  });
}

PJRT_Error *pjrt::Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");
    const void *elements = nullptr;
    if (PJRT_Error *error = awaitElements(*buffer, elements))
      return error;
    args->device_memory_ptr = const_cast<void *>(elements);
    return nullptr;
  });
}

PJRT_Error *pjrt::Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");
    auto storage = buffer->buffer.storage();
    if (!storage)
      return toPjrt(storage.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    std::lock_guard lock(buffer->mutex);
    ++buffer->externalReferences;
    buffer->heldStorage = std::move(*storage);
    return nullptr;
  });
}

PJRT_Error *pjrt::Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");
    std::shared_ptr<DeviceStorage> last;
    std::lock_guard lock(buffer->mutex);
    if (buffer->externalReferences == 0)
      return makeError(PJRT_Error_Code_FAILED_PRECONDITION,
                       "the buffer has no external reference");
    if (--buffer->externalReferences == 0)
      last.swap(buffer->heldStorage);
    return nullptr;
  });
}

PJRT_Error *pjrt::Buffer_Bitcast(PJRT_Buffer_Bitcast_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");
    auto type = fromPjrt(args->element_type);
    if (!type)
      return invalid("there are no elements of type " +
                     name(args->element_type));
    if (args->num_dims && !args->dims)
      return invalid("the dimensions are a null pointer");
    llvm::ArrayRef<int64_t> shape(args->dims, args->num_dims);
    if (!isRowMajor(args->device_layout, shape.size()))
      return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                       "buffers are row-major, no other layout is supported");
    std::optional<int64_t> bytes = bytesOf(*type, shape);
    if (!bytes || *bytes != buffer->buffer.bytes())
      return invalid("the new type and shape do not take the " +
                     llvm::Twine(buffer->buffer.bytes()) +
                     " bytes that the buffer has");
    auto storage = buffer->buffer.storage();
    if (!storage)
      return toPjrt(storage.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    args->out_buffer = newBuffer(
        buffer->client, buffer->memory,
        Buffer(buffer->buffer.device(), buffer->buffer.memory(), *type, shape,
               std::move(*storage), buffer->buffer.ready()));
    return nullptr;
  });
}
