//===- deferred_buffers.cc - what waits for the client's word -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/objects.h"
#include "shardwright/pjrt/slots.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::pjrt;

/// The error that a client calls back with; success for code OK.
template <typename Args> static llvm::Error errorOf(const Args &args) {
  if (args.error_code == PJRT_Error_Code_OK)
    return llvm::Error::success();
  llvm::StringRef message(args.error_message ? args.error_message : "",
                          args.error_message ? args.error_message_size : 0);
  return llvm::createStringError(textWithCode(args.error_code, message));
}

namespace {
/// A copy to the host whose destination is still to be told.
struct PendingCopy {
  Buffer buffer;
  std::shared_ptr<void> memory;
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
  Event ready = copy->buffer.ready();
  ready.onReady([copy = std::move(copy),
                 dst = args->dst](llvm::StringRef failure) mutable {
    if (!failure.empty())
      return copy->done.set(llvm::createStringError(failure));
    if (copy->size)
      std::memcpy(dst, static_cast<char *>(copy->memory.get()) + copy->offset,
                  copy->size);
    copy->done.set();
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
    auto memory = buffer.storage();
    if (!memory)
      return toPjrt(memory.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    Event done;
    args->event = newEvent(done);
    args->callback_data = new PendingCopy{
        buffer, std::move(*memory), args->offset, args->transfer_size, done};
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
    // There once the elements are and the client has said so.
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
               std::move(donation->memory), std::move(ready)),
        object->layout);
    args->callback_data = new Event(dependency);
    args->dependency_ready_callback = donateNow;
    return nullptr;
  });
}
