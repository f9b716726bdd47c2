//===- plugin_storage.cc - arrays in a plugin's memory --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_storage.h"

#include "shardwright/pjrt_abi/element_types.h"
#include "shardwright/pjrt_client/plugin_event.h"
#include "shardwright/pjrt_client/plugin_layouts.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <new>

using namespace shardwright;
using namespace shardwright::pjrt_client;

BufferHandle::~BufferHandle() {
  if (hasGivenUp(client->plugin()))
    return;
  auto args = makeStruct<PJRT_Buffer_Destroy_Args>();
  args.buffer = buffer;
  llvm::consumeError(
      SHARDWRIGHT_PJRT_CALL(client->plugin(), Buffer_Destroy, args));
}

PluginStorage::PluginStorage(std::shared_ptr<PluginClient> client,
                             PJRT_Buffer *buffer, ArrayType type,
                             MemoryPlace place, Event ready, std::string layout)
    : DeviceStorage(nullptr, type.bytes()), owner(client),
      handle(std::make_shared<BufferHandle>(std::move(client), buffer)),
      type(std::move(type)), place(place), ownReady(std::move(ready)),
      ownLayout(std::move(layout)) {}

PluginStorage::PluginStorage(std::shared_ptr<PluginClient> client,
                             ArrayType type, MemoryPlace place, Event failed)
    : DeviceStorage(nullptr, type.bytes()), owner(std::move(client)),
      type(std::move(type)), place(place), ownReady(std::move(failed)) {}

llvm::Error PluginStorage::noBuffer() const {
  if (llvm::Error e = ownReady.await())
    return e;
  return fail("the array has no memory: the run that computes it failed");
}

bool PluginStorage::isReadableAt(MemoryPlace other) const {
  return other.device == place.device && other.memory == place.memory;
}

llvm::Error PluginStorage::check() const {
  const Plugin &plugin = owner->plugin();
  auto typeArgs = makeStruct<PJRT_Buffer_ElementType_Args>();
  typeArgs.buffer = buffer();
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, Buffer_ElementType, typeArgs))
    return e;
  if (typeArgs.type != pjrt::toPjrt(type.type))
    return plugin.wrong("PJRT_Buffer_ElementType", pjrt::name(typeArgs.type) +
                                                       " for an array of " +
                                                       str(type.type));
  auto dims = makeStruct<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = buffer();
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin, Buffer_Dimensions, dims))
    return e;
  // Do not read a list of another length: it may be shorter than it says.
  if (dims.num_dims != type.shape.size())
    return plugin.wrong("PJRT_Buffer_Dimensions",
                        llvm::Twine(dims.num_dims) +
                            " dimensions for an array " +
                            str(type.type, type.shape));
  if (!dims.num_dims)
    return llvm::Error::success();
  if (!dims.dims)
    return plugin.wrong("PJRT_Buffer_Dimensions", "a null list");
  llvm::ArrayRef found(dims.dims, dims.num_dims);
  if (found != llvm::ArrayRef<int64_t>(type.shape))
    return plugin.wrong("PJRT_Buffer_Dimensions",
                        str(type.type, found) + " for an array " +
                            str(type.type, type.shape));
  return llvm::Error::success();
}

/// What an event of a transfer waits for.
static WaitedFor transfer(const PluginClient &client, const char *function,
                          MemoryPlace place) {
  return {client.sharedPlugin(), function,
          "device " + std::to_string(place.device.number())};
}

/// Starts the transfer of a whole buffer. The event keeps the buffer alive, and
/// is not given up without `memory`, which holds `to`.
static Event startCopyToHost(const std::shared_ptr<BufferHandle> &handle,
                             const ArrayType &type, MemoryPlace place, void *to,
                             std::shared_ptr<const void> memory = nullptr) {
  const PluginClient &client = *handle->client;
  const Plugin &plugin = client.plugin();
  auto rowMajor = MemoryLayout::rowMajor(type.shape.size());
  auto args = makeStruct<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = handle->buffer;
  // Null would be the layout of the plugin's memory, perhaps with tiles.
  args.host_layout = rowMajor->get();
  // Its size first: the plugin may think that the array is larger.
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin, Buffer_ToHostBuffer, args))
    return failedEvent(std::move(e));
  if (args.event) {
    llvm::consumeError(awaitEvent(
        transfer(client, "PJRT_Buffer_ToHostBuffer", place), args.event));
    args.event = nullptr;
  }
  if (args.dst_size != size_t(type.bytes()))
    return failedEvent(plugin.wrong(
        "PJRT_Buffer_ToHostBuffer",
        llvm::Twine(args.dst_size) + " bytes for an array " +
            str(type.type, type.shape) + " of " + llvm::Twine(type.bytes())));
  args.dst = to;
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin, Buffer_ToHostBuffer, args))
    return failedEvent(std::move(e));
  WaitedFor what = transfer(client, "PJRT_Buffer_ToHostBuffer", place);
  what.mayGiveUp = memory != nullptr;
  what.memory = std::move(memory);
  Event copied = watchEvent(std::move(what), args.event);
  copied.onReady([handle](llvm::StringRef) {});
  return copied;
}

/// An event that is set when both are, and fails with `first`'s error, or else
/// with that of `second`.
static Event both(const Event &first, const Event &second) {
  if (first.isReady() && !first.hasFailed())
    return second;
  Event all;
  second.onReady([first, all](llvm::StringRef secondFailure) mutable {
    std::string kept = secondFailure.str();
    first.onReady([all, kept](llvm::StringRef firstFailure) mutable {
      llvm::StringRef failure = firstFailure.empty() ? kept : firstFailure;
      all.set(failure.empty() ? llvm::Error::success() : fail(failure));
    });
  });
  return all;
}

Event PluginStorage::copyToHost(void *to, int64_t offset, int64_t size,
                                const Event &after) const {
  if (!handle)
    return failedEvent(noBuffer());
  if (bytes() == 0 || size == 0)
    return after;
  // A transfer that is given up may still write later: not to the caller.
  if (offset == 0 && size == bytes() && !hasWaitTimeout())
    return both(after, startCopyToHost(handle, type, place, to));
  auto whole = std::make_shared<std::vector<char>>(bytes());
  Event copied =
      both(after, startCopyToHost(handle, type, place, whole->data(), whole));
  Event done;
  copied.onReady([=](llvm::StringRef failure) mutable {
    if (failure.empty())
      std::memcpy(to, whole->data() + offset, size);
    done.set(failure.empty() ? llvm::Error::success() : fail(failure));
  });
  return done;
}

/// The event of a new buffer's elements.
static Event readyEvent(const PluginClient &client, PJRT_Buffer *buffer,
                        MemoryPlace place) {
  auto args = makeStruct<PJRT_Buffer_ReadyEvent_Args>();
  args.buffer = buffer;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(client.plugin(), Buffer_ReadyEvent, args))
    return failedEvent(std::move(e));
  return watchEvent(transfer(client, "PJRT_Buffer_ReadyEvent", place),
                    args.event);
}

static llvm::Expected<StorageTransfer>
newStorage(std::shared_ptr<PluginClient> client, const char *function,
           PJRT_Buffer *buffer, ArrayType type, MemoryPlace place,
           const std::string &layout) {
  if (!buffer)
    return client->plugin().wrong(function, "no buffer");
  Event ready = readyEvent(*client, buffer, place);
  auto storage = std::make_shared<PluginStorage>(
      std::move(client), buffer, std::move(type), place, ready, layout);
  if (llvm::Error e = storage->check())
    return e;
  return StorageTransfer{std::move(storage), std::move(ready)};
}

llvm::Expected<StorageTransfer>
PluginStorage::copyTo(MemoryPlace to, const Event &after) const {
  if (!handle)
    return noBuffer();
  if (after.hasFailed())
    return after.await();
  const PluginDevice &device = owner->devices()[to.device.number()];
  PJRT_Buffer *copy = nullptr;
  const char *function = nullptr;
  if (PJRT_Memory *memory = device.memories[int(to.memory)]) {
    function = "PJRT_Buffer_CopyToMemory";
    auto args = makeStruct<PJRT_Buffer_CopyToMemory_Args>();
    args.buffer = buffer();
    args.dst_memory = memory;
    if (llvm::Error e =
            SHARDWRIGHT_PJRT_CALL(owner->plugin(), Buffer_CopyToMemory, args))
      return e;
    copy = args.dst_buffer;
  } else {
    function = "PJRT_Buffer_CopyToDevice";
    auto args = makeStruct<PJRT_Buffer_CopyToDevice_Args>();
    args.buffer = buffer();
    args.dst_device = device.handle;
    if (llvm::Error e =
            SHARDWRIGHT_PJRT_CALL(owner->plugin(), Buffer_CopyToDevice, args))
      return e;
    copy = args.dst_buffer;
  }
  // Copies of other layouts may be in any.
  std::string layout;
  if (copy && !ownLayout.empty()) {
    auto found = layoutOf(*owner, copy, type);
    if (!found) {
      BufferHandle(owner, copy);
      return found.takeError();
    }
    layout = std::move(*found);
  }
  auto made = newStorage(owner, function, copy, type, to, layout);
  if (made)
    made->ready = both(after, made->ready);
  return made;
}

llvm::Expected<StorageTransfer>
PluginStorage::copyTo(const std::string &layout) const {
  std::unique_ptr<char[]> elements(
      new (std::nothrow) char[std::max<int64_t>(bytes(), 1)]);
  if (!elements)
    return noMemoryFor(type.type, type.shape);
  if (llvm::Error e = copyToHost(elements.get(), 0, bytes(), ownReady).await())
    return e;
  return copyToPlugin(owner, {elements.get(), type.type, type.shape, {}}, place,
                      nullptr, layout);
}

llvm::Expected<StorageTransfer>
pjrt_client::copyToPlugin(std::shared_ptr<PluginClient> client,
                          const HostArray &array, MemoryPlace place,
                          llvm::unique_function<void()> keep,
                          const std::string &layout) {
  llvm::Expected<int64_t> bytes = checkedBytes(array.type, array.shape);
  if (!bytes)
    return bytes.takeError();
  if (!array.byteStrides.empty() &&
      array.byteStrides.size() != array.shape.size())
    return fail(array.byteStrides.size(), " strides for an array of rank ",
                array.shape.size());
  const PluginDevice &device = client->devices()[place.device.number()];
  auto args = makeStruct<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client->handle();
  args.data = array.data;
  args.type = pjrt::toPjrt(array.type);
  args.dims = array.shape.data();
  args.num_dims = array.shape.size();
  args.byte_strides = array.byteStrides.data();
  args.num_byte_strides = array.byteStrides.size();
  std::unique_ptr<MemoryLayout> deviceLayout;
  if (!layout.empty()) {
    auto parsed = MemoryLayout::parse(layout, array.shape.size());
    if (!parsed)
      return parsed.takeError();
    deviceLayout = std::move(*parsed);
    args.device_layout = deviceLayout->get();
  }
  args.host_buffer_semantics =
      keep ? PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes
           : PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  if (PJRT_Memory *memory = place.memory == MemoryKind::Device
                                ? nullptr
                                : device.memories[int(place.memory)])
    args.memory = memory;
  else if (place.memory == MemoryKind::Device ||
           llvm::is_contained(device.kinds, place.memory))
    args.device = device.handle;
  else
    return fail("device ", place.device.number(), " of ",
                client->plugin().name(), " has no memory of kind ",
                str(place.memory));
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(client->plugin(),
                                            Client_BufferFromHostBuffer, args))
    return e;
  constexpr const char *function = "PJRT_Client_BufferFromHostBuffer";
  auto made = newStorage(
      client, function, args.buffer,
      {array.type, llvm::SmallVector<int64_t, 4>(array.shape)}, place, layout);
  if (!made || !keep) {
    // The elements must have been read before this returns.
    llvm::Error read = awaitEvent(transfer(*client, function, place),
                                  args.done_with_host_buffer);
    if (!made) {
      llvm::consumeError(std::move(read));
      return made.takeError();
    }
    if (read)
      return read;
    return made;
  }
  WaitedFor what = transfer(*client, function, place);
  what.mayGiveUp = false; // the plugin reads memory of the caller
  watchEvent(std::move(what), args.done_with_host_buffer)
      .onReady([keep = std::move(keep)](llvm::StringRef) mutable { keep(); });
  return made;
}
