//===- host_transfer.cc - transfers from and to host memory ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/placement.h"
#include "shardwright/pjrt/base/host_layout.h"
#include "shardwright/pjrt/base/slots.h"
#include "shardwright/pjrt_abi/element_types.h"
#include "shardwright/support/box_copy.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::pjrt;

PJRT_Error *
pjrt::Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    NewBuffer wanted;
    if (PJRT_Error *error = readNewBuffer(
            args->client, args->device, args->memory, args->dims,
            args->num_dims, args->type, args->device_layout, wanted))
      return error;
    auto [type, shape] = std::pair(wanted.type, wanted.shape);
    int64_t bytes = *bytesOf(type, shape);
    if (!args->data && bytes > 0)
      return invalid("the host's data is a null pointer");
    if (args->num_byte_strides && !args->byte_strides)
      return invalid("the strides are a null pointer");
    llvm::ArrayRef<int64_t> strides(args->byte_strides, args->num_byte_strides);
    if (!strides.empty() && strides.size() != shape.size())
      return invalid(llvm::Twine(strides.size()) +
                     " strides for an array of rank " +
                     llvm::Twine(shape.size()));
    bool mayView = args->host_buffer_semantics ==
                       PJRT_HostBufferSemantics_kImmutableZeroCopy &&
                   bytes > 0;
    HostArray array{args->data, type, shape, strides};
    mayView &= array.isDense();
    Event released = mayView ? Event() : Event::ready();
    Client &runtime = *wanted.client->runtime;
    MemoryKind memory = wanted.memory->kind;
    auto buffer = mayView
                      ? runtime.viewHost(
                            array, wanted.device(),
                            [released]() mutable { released.set(); }, memory)
                      : runtime.copyFromHost(array, wanted.device(), memory);
    if (!buffer)
      return toPjrt(buffer.takeError(), PJRT_Error_Code_RESOURCE_EXHAUSTED);
    args->buffer = wanted.add(std::move(*buffer));
    args->done_with_host_buffer = newEvent(std::move(released));
    return nullptr;
  });
}

/// Calls `work` once the elements are available; returns the event of its end.
static Event afterElements(const Buffer &buffer,
                           llvm::unique_function<void(const void *)> work) {
  auto done = buffer.whenOnHost(std::move(work));
  if (done)
    return *done;
  Event failed;
  failed.set(llvm::createStringError(textWithCode(
      PJRT_Error_Code_INVALID_ARGUMENT, llvm::toString(done.takeError()))));
  return failed;
}

PJRT_Error *pjrt::Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(object, args->src, "buffer");
    const Buffer &buffer = object->buffer;
    int64_t width = byteWidth(buffer.type());
    PJRT_Buffer_MemoryLayout own = {};
    if (!args->host_layout && !object->layout.empty()) {
      own.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
      own.tiled.minor_to_major = object->layout.data();
      own.tiled.minor_to_major_size = object->layout.size();
      args->host_layout = &own;
    }
    auto strides = byteStrides(args->host_layout, buffer.shape(), width);
    if (!strides)
      return toPjrt(strides.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    if (!args->dst) {
      args->dst_size = buffer.bytes();
      return nullptr;
    }
    if (auto memory = buffer.storage(); !memory)
      return toPjrt(memory.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    if (args->dst_size < size_t(buffer.bytes()))
      return invalid("the host's array has " + llvm::Twine(args->dst_size) +
                     " bytes, the buffer has " + llvm::Twine(buffer.bytes()));
    auto dense = cpu::rowMajorStrides(buffer.shape(), width);
    bool isDense =
        llvm::ArrayRef<int64_t>(*strides) == llvm::ArrayRef<int64_t>(dense);
    args->event = newEvent(afterElements(
        buffer, [dst = args->dst, strides = std::move(*strides),
                 dense = std::move(dense), isDense, width,
                 shape = llvm::SmallVector<int64_t, 6>(buffer.shape()),
                 bytes = buffer.bytes()](const void *elements) {
          if (bytes == 0)
            return;
          if (isDense)
            std::memcpy(dst, elements, bytes);
          else
            cpu::copyBox(dst, strides, elements, dense, shape, width);
        }));
    return nullptr;
  });
}

PJRT_Error *pjrt::checkRawBytes(const PJRT_Buffer &object, int64_t offset,
                                int64_t size) {
  if (!object.layout.empty())
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                     "the elements are row-major in memory, but the layout of "
                     "this buffer is another: copy it to the host instead");
  return checkRange(object.buffer, offset, size);
}

PJRT_Error *pjrt::Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(object, args->buffer, "buffer");
    const Buffer &buffer = object->buffer;
    int64_t offset = args->offset, size = args->transfer_size;
    if (PJRT_Error *error = checkRawBytes(*object, offset, size))
      return error;
    if (size && !args->dst)
      return invalid("the host's array is a null pointer");
    args->event = newEvent(afterElements(buffer, [dst = args->dst, offset,
                                                  size](const void *elements) {
      if (size)
        std::memcpy(dst, static_cast<const char *>(elements) + offset, size);
    }));
    return nullptr;
  });
}

PJRT_Error *pjrt::Client_CreateUninitializedBuffer(
    PJRT_Client_CreateUninitializedBuffer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    NewBuffer wanted;
    if (PJRT_Error *error = readNewBuffer(*args, args->device, wanted))
      return error;
    std::shared_ptr<DeviceStorage> storage;
    if (PJRT_Error *error =
            allocate(wanted, wanted.type, wanted.shape, storage))
      return error;
    args->buffer = wanted.promise(std::move(storage), Event::ready());
    return nullptr;
  });
}

PJRT_Error *
pjrt::Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    NewBuffer wanted;
    if (PJRT_Error *error = readNewBuffer(*args, nullptr, wanted))
      return error;
    if (args->error_message_size && !args->error_message)
      return invalid("the error's message is a null pointer");
    Event failed;
    failed.set(llvm::createStringError(textWithCode(
        args->error_code,
        llvm::StringRef(args->error_message, args->error_message_size))));
    args->buffer = wanted.promise(noStorage(), std::move(failed));
    return nullptr;
  });
}

PJRT_Error *pjrt::Client_CreateViewOfDeviceBuffer(
    PJRT_Client_CreateViewOfDeviceBuffer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    NewBuffer wanted;
    if (PJRT_Error *error =
            readNewBuffer(args->client, args->device, args->memory, args->dims,
                          args->num_dims, args->element_type, nullptr, wanted))
      return error;
    if (!isRowMajor(args->layout, wanted.shape.size()))
      return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                       "buffers are row-major, no other layout is supported");
    if (!args->device_buffer_ptr && *bytesOf(wanted.type, wanted.shape) > 0)
      return invalid("the device's data is a null pointer");
    auto release = [callback = args->on_delete_callback,
                    user = args->on_delete_callback_arg,
                    pointer = args->device_buffer_ptr] {
      if (callback)
        callback(pointer, user);
    };
    auto buffer = wanted.client->runtime->viewHost(
        {args->device_buffer_ptr, wanted.type, wanted.shape}, wanted.device(),
        release, wanted.memory->kind);
    if (!buffer)
      return toPjrt(buffer.takeError(), PJRT_Error_Code_RESOURCE_EXHAUSTED);
    args->buffer = wanted.add(std::move(*buffer));
    return nullptr;
  });
}
