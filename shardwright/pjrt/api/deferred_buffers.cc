//===- deferred_buffers.cc - buffers that the client completes ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/placement.h"
#include "shardwright/pjrt/base/slots.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::pjrt;

/// The error that a client passes to a callback; success for code OK.
template <typename Args> static llvm::Error errorOf(const Args &args) {
  if (args.error_code == PJRT_Error_Code_OK)
    return llvm::Error::success();
  llvm::StringRef message(args.error_message ? args.error_message : "",
                          args.error_message ? args.error_message_size : 0);
  return llvm::createStringError(textWithCode(args.error_code, message));
}

namespace {
/// A copy to the host whose destination is not known yet.
struct PendingCopy {
  Buffer buffer;
  std::shared_ptr<DeviceStorage> storage;
  int64_t offset, size;
  Event done;
};
} // namespace

static void copyNow(PJRT_Buffer_CopyRawToHostFuture_Callback_Args *args) {
  if (!args || !args->callback_data)
    return;
  std::unique_ptr<PendingCopy> copy(
      static_cast<PendingCopy *>(args->callback_data));
  if (llvm::Error e = errorOf(*args))
    return copy->done.set(std::move(e));
  if (!args->dst && copy->size)
    return copy->done.set(llvm::createStringError(
        "INVALID_ARGUMENT: the host's array is a null pointer"));
  Event copied = copy->storage->copyToHost(args->dst, copy->offset, copy->size,
                                           copy->buffer.ready());
  copied.onReady([copy = std::move(copy)](llvm::StringRef failure) mutable {
    copy->done.set(failure.empty() ? llvm::Error::success()
                                   : llvm::createStringError(failure));
  });
}

PJRT_Error *
pjrt::Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(object, args->buffer, "buffer");
    const Buffer &buffer = object->buffer;
    if (PJRT_Error *error =
            checkRawBytes(*object, args->offset, args->transfer_size))
      return error;
    auto storage = buffer.storage();
    if (!storage)
      return toPjrt(storage.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    Event done;
    args->event = newEvent(done);
    args->callback_data = new PendingCopy{
        buffer, std::move(*storage), args->offset, args->transfer_size, done};
    args->future_ready_callback = copyNow;
    return nullptr;
  });
}

static void
donateNow(PJRT_Buffer_DonateWithControlDependency_Callback_Args *args) {
  if (!args || !args->callback_data)
    return;
  std::unique_ptr<Event> dependency(static_cast<Event *>(args->callback_data));
  dependency->set(errorOf(*args));
}

PJRT_Error *pjrt::Buffer_DonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(object, args->buffer, "buffer");
    Buffer &buffer = object->buffer;
    auto donation = buffer.donate();
    if (!donation)
      return toPjrt(donation.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    // Ready when the elements are available and the client has signaled.
    Event ready, dependency;
    dependency.onReady(
        [ready, elements = buffer.ready()](llvm::StringRef failure) mutable {
          if (!failure.empty())
            return ready.set(llvm::createStringError(failure));
          elements.onReady([ready](llvm::StringRef failure) mutable {
            ready.set(failure.empty() ? llvm::Error::success()
                                      : llvm::createStringError(failure));
          });
        });
    args->out_buffer = newBuffer(
        object->client, object->memory,
        Buffer(buffer.device(), buffer.memory(), buffer.type(), buffer.shape(),
               std::move(donation->storage), std::move(ready)),
        object->layout);
    args->callback_data = new Event(dependency);
    args->dependency_ready_callback = donateNow;
    return nullptr;
  });
}

/// The client fulfills an alias buffer once through this object.
struct PJRT_FulfillAliasBufferCallback {
  Buffer alias;
  std::shared_ptr<DeviceStorage> elements;
  Event ready;
};

PJRT_Error *
pjrt::Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    NewBuffer wanted;
    if (PJRT_Error *error = readNewBuffer(*args, nullptr, wanted))
      return error;
    std::shared_ptr<DeviceStorage> elements;
    if (PJRT_Error *error =
            allocate(wanted, wanted.type, wanted.shape, elements))
      return error;
    Event ready;
    Buffer alias(wanted.device(), wanted.memory->kind, wanted.type,
                 wanted.shape, elements, ready);
    args->fulfill_alias_buffer_cb =
        handles<PJRT_FulfillAliasBufferCallback>().add(
            std::make_shared<PJRT_FulfillAliasBufferCallback>(
                PJRT_FulfillAliasBufferCallback{alias, std::move(elements),
                                                ready}));
    args->alias_buffer = wanted.add(std::move(alias));
    return nullptr;
  });
}

PJRT_Error *
pjrt::Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    SHARDWRIGHT_ALIVE(promise, args->fulfill_alias_buffer_cb,
                      "callback of an alias buffer");
    auto take = [&] {
      return handles<PJRT_FulfillAliasBufferCallback>().remove(
          args->fulfill_alias_buffer_cb);
    };
    if (args->status_code != PJRT_Error_Code_OK) {
      if (!args->error_message && args->error_message_size)
        return invalid("the error's message is a null pointer");
      if (auto mine = take())
        mine->ready.set(llvm::createStringError(textWithCode(
            args->status_code,
            llvm::StringRef(args->error_message, args->error_message_size))));
      return nullptr;
    }
    SHARDWRIGHT_ALIVE(object, args->buffer, "buffer");
    const Buffer &buffer = object->buffer, &alias = promise->alias;
    if (buffer.type() != alias.type() || buffer.shape() != alias.shape() ||
        object->client != client)
      return invalid("the buffer is of another type, shape or client than its "
                     "alias");
    auto storage = buffer.storage();
    if (!storage)
      return toPjrt(storage.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    auto mine = take();
    if (!mine)
      return invalid("the alias buffer has been fulfilled already");
    // Runs may already use the memory of the alias, so copy into it.
    Event copied = (*storage)->copyToHost(mine->elements->hostView(), 0,
                                          buffer.bytes(), buffer.ready());
    copied.onReady([mine, from = std::move(*storage)](llvm::StringRef failure) {
      mine->ready.set(failure.empty() ? llvm::Error::success()
                                      : llvm::createStringError(failure));
    });
    return nullptr;
  });
}
