//===- async_transfer.cc - transfers in several parts ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transferred bytes are copied before the call returns. A buffer is ready
// when every byte has arrived and the client has marked its last transfer.
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

struct PJRT_AsyncHostToDeviceTransferManager {
  struct Arriving {
    std::shared_ptr<DeviceStorage> storage;
    Buffer buffer;
    Event ready;
    bool isRetrieved = false, isOver = false;
  };
  Place place;
  std::mutex mutex;
  std::vector<Arriving> arriving;

  /// A destroyed manager fails the buffers that are incomplete.
  ~PJRT_AsyncHostToDeviceTransferManager() {
    for (Arriving &one : arriving)
      if (!one.isOver)
        one.ready.set(
            llvm::createStringError("CANCELLED: the transfer was cancelled "
                                    "before all data had arrived"));
  }
};

using Manager = PJRT_AsyncHostToDeviceTransferManager;

PJRT_Error *pjrt::Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    auto manager = std::make_shared<Manager>();
    if (PJRT_Error *error =
            findPlace(args->client, nullptr, args->memory, manager->place))
      return error;
    if (args->num_shape_specs && !args->shape_specs)
      return invalid("the shapes are a null pointer");
    const Place &place = manager->place;
    for (size_t i = 0; i < args->num_shape_specs; ++i) {
      const PJRT_ShapeSpec &spec = args->shape_specs[i];
      ElementType type;
      llvm::ArrayRef<int64_t> shape;
      if (PJRT_Error *error = readShape(spec.dims, spec.num_dims,
                                        spec.element_type, type, shape))
        return error;
      if (args->device_layouts && i < args->num_device_layouts &&
          !isRowMajor(args->device_layouts[i], shape.size()))
        return makeError(
            PJRT_Error_Code_UNIMPLEMENTED,
            "only row-major arrays can arrive in several transfers");
      std::shared_ptr<DeviceStorage> storage;
      if (PJRT_Error *error = allocate(place, type, shape, storage))
        return error;
      Event ready;
      Buffer buffer(place.device(), place.memory->kind, type, shape, storage,
                    ready);
      manager->arriving.push_back(
          {std::move(storage), std::move(buffer), std::move(ready)});
    }
    args->transfer_manager = handles<Manager>().add(std::move(manager));
    return nullptr;
  });
}

PJRT_Error *pjrt::AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    if (args->transfer_manager &&
        !handles<Manager>().remove(args->transfer_manager))
      return invalid("the transfer manager has been destroyed already");
    return nullptr;
  });
}

/// Defines a function on a live manager; its variables are in scope.
#define MANAGER(slot, ...)                                                     \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *args) {                           \
    return guarded(__func__, args, [&]() -> PJRT_Error * {                     \
      SHARDWRIGHT_ALIVE(manager, args->transfer_manager, "transfer manager");  \
      std::unique_lock lock(manager->mutex);                                   \
      __VA_ARGS__                                                              \
    });                                                                        \
  }

static PJRT_Error *find(Manager &manager, int index, bool isOpen,
                        Manager::Arriving *&found) {
  if (index < 0 || size_t(index) >= manager.arriving.size())
    return invalid("there is no buffer " + llvm::Twine(index) + " among the " +
                   llvm::Twine(manager.arriving.size()) + " of this transfer");
  found = &manager.arriving[index];
  if (isOpen && found->isOver)
    return makeError(PJRT_Error_Code_FAILED_PRECONDITION,
                     "buffer " + llvm::Twine(index) +
                         " has had its last transfer already");
  return nullptr;
}

MANAGER(AsyncHostToDeviceTransferManager_BufferCount,
        args->buffer_count = manager->arriving.size();
        return nullptr;)
MANAGER(AsyncHostToDeviceTransferManager_Device,
        args->device_out = manager->place.memory->device;
        return nullptr;)
// The metadata is not used.
MANAGER(AsyncHostToDeviceTransferManager_AddMetadata, return nullptr;)

MANAGER(AsyncHostToDeviceTransferManager_BufferSize, Manager::Arriving *one;
        if (PJRT_Error *error = find(*manager, args->buffer_index, false,
                                     one)) return error;
        args->buffer_size = one->buffer.bytes(); return nullptr;)

MANAGER(AsyncHostToDeviceTransferManager_RetrieveBuffer, Manager::Arriving *one;
        if (PJRT_Error *error = find(*manager, args->buffer_index, false,
                                     one)) return error;
        if (std::exchange(one->isRetrieved, true)) return makeError(
            PJRT_Error_Code_FAILED_PRECONDITION,
            "buffer " + llvm::Twine(args->buffer_index) +
                " has been retrieved already");
        args->buffer_out = manager->place.add(one->buffer); return nullptr;)

/// Calls `change` on a buffer that has not had its last transfer. On success,
/// calls `tell` on its event without the manager's lock, because waiters may
/// call back.
template <typename Args>
static PJRT_Error *
withOpenBuffer(const char *function, Args *args,
               llvm::function_ref<PJRT_Error *(Manager::Arriving &)> change,
               llvm::function_ref<void(Event &)> tell) {
  return guarded(function, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(manager, args->transfer_manager, "transfer manager");
    std::unique_lock lock(manager->mutex);
    Manager::Arriving *one;
    if (PJRT_Error *error = find(*manager, args->buffer_index, true, one))
      return error;
    if (PJRT_Error *error = change(*one))
      return error;
    Event ready = one->ready;
    lock.unlock();
    tell(ready);
    return nullptr;
  });
}

PJRT_Error *pjrt::AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args *args) {
  return withOpenBuffer(
      __func__, args,
      [&](Manager::Arriving &one) -> PJRT_Error * {
        int64_t offset = args->offset, size = args->transfer_size;
        if (PJRT_Error *error = checkRange(one.buffer, offset, size))
          return error;
        if (size && !args->data)
          return invalid("the data is a null pointer");
        if (size)
          std::memcpy(static_cast<char *>(one.storage->hostView()) + offset,
                      args->data, size);
        one.isOver = args->is_last_transfer;
        return nullptr;
      },
      [&](Event &ready) {
        if (args->is_last_transfer)
          ready.set();
        args->done_with_h2d_transfer = newEvent(Event::ready());
      });
}

PJRT_Error *pjrt::AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args *args) {
  return withOpenBuffer(
      __func__, args,
      [&](Manager::Arriving &one) -> PJRT_Error * {
        ElementType type;
        llvm::ArrayRef<int64_t> shape;
        if (PJRT_Error *error =
                readShape(args->shape_dims, args->shape_num_dims,
                          args->shape_element_type, type, shape))
          return error;
        if (type != one.buffer.type() || shape != one.buffer.shape())
          return invalid("a literal " + str(type, shape) + " for a buffer " +
                         str(one.buffer.type(), one.buffer.shape()));
        int64_t width = byteWidth(type);
        auto strides = byteStrides(args->shape_layout, shape, width);
        if (!strides)
          return toPjrt(strides.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
        if (one.buffer.bytes() && !args->data)
          return invalid("the data is a null pointer");
        if (one.buffer.bytes())
          cpu::copyBox(one.storage->hostView(),
                       cpu::rowMajorStrides(shape, width), args->data, *strides,
                       shape, width);
        one.isOver = true;
        return nullptr;
      },
      [&](Event &ready) {
        ready.set();
        args->done_with_h2d_transfer = newEvent(Event::ready());
      });
}

PJRT_Error *pjrt::AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args *args) {
  return withOpenBuffer(
      __func__, args,
      [&](Manager::Arriving &one) -> PJRT_Error * {
        if (args->error_message_size && !args->error_message)
          return invalid("the error's message is a null pointer");
        one.isOver = true;
        return nullptr;
      },
      [&](Event &ready) {
        ready.set(llvm::createStringError(textWithCode(
            args->error_code,
            llvm::StringRef(args->error_message, args->error_message_size))));
      });
}
