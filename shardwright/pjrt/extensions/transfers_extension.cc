//===- transfers_extension.cc - arrays sent to other processes ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transfer is a run of its own between two processes, with one message. Its
// key is that of the client, which counts alike in all processes, with the two
// devices.
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/transport.h"
#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/api/placement.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt_abi/extensions.h"

#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <thread>

using namespace shardwright;
using namespace shardwright::pjrt;

namespace {
/// A transfer, as both of its processes see it.
struct Transfer {
  std::shared_ptr<Job> job;
  int32_t peer = 0;
  RunDescription run;
};
} // namespace

static Transfer describe(const PJRT_Client &client, int64_t key, int32_t from,
                         int32_t to) {
  auto processOf = [&](int32_t device) {
    return client.devicePointers[device]->description->process;
  };
  Transfer transfer;
  transfer.job = client.job;
  int32_t sender = processOf(from), receiver = processOf(to);
  transfer.peer = sender == client.process ? receiver : sender;
  std::string text = "transfer from device " + std::to_string(from) +
                     " to device " + std::to_string(to);
  transfer.run.key = {llvm::xxh3_64bits(text), uint64_t(key)};
  transfer.run.programHash = 1;
  transfer.run.name = text;
  transfer.run.devices =
      "devices " + std::to_string(from) + ", " + std::to_string(to);
  transfer.run.participants = {std::min(sender, receiver),
                               std::max(sender, receiver)};
  transfer.run.describeWait = [text](int32_t, const MessageKey &) {
    return text;
  };
  return transfer;
}

/// Tells the peer that a transfer has failed here. Waits for sends under way,
/// which callbacks of a transport must not do.
static void abort(const Transfer &transfer, std::string why) {
  std::thread([transfer, why = std::move(why)] {
    transfer.job->transport().abortRun(transfer.run, {-1, why});
  }).detach();
}

/// Returns an error unless `remote` is a device of another process.
static PJRT_Error *checkRemote(const PJRT_Client &client, int32_t remote) {
  if (!client.job)
    return invalid("the client belongs to a job of one process: there is no "
                   "other process to transfer arrays to");
  if (remote < 0 || size_t(remote) >= client.devicePointers.size())
    return invalid("there is no device " + llvm::Twine(remote));
  if (client.devicePointers[remote]->localId)
    return invalid("device " + llvm::Twine(remote) +
                   " belongs to this process: copy the array to it");
  return nullptr;
}

/// Sends the elements of a buffer, which are available.
static void send(const Transfer &transfer,
                 std::shared_ptr<DeviceStorage> storage, Event sent) {
  Transport &transport = transfer.job->transport();
  transport.openRun(transfer.run, [](RunFailure) {});
  std::shared_ptr<const char> bytes(
      storage, static_cast<const char *>(storage->hostView()));
  transport.sendOwned(
      transfer.peer, transfer.run.key, {}, std::move(bytes), storage->bytes(),
      [sent](llvm::Error error) mutable { sent.set(std::move(error)); });
  transport.closeRun(transfer.run.key); // owned bytes are sent on
}

static PJRT_Error *sendBuffers(PJRT_Transfers_CrossHostSendBuffers_Args *args) {
  return guarded("Transfers_CrossHostSendBuffers", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    if (args->num_buffers && (!args->buffers || !args->dst_global_device_ids ||
                              !args->transfer_keys || !args->send_events))
      return invalid("a list of the transfers is a null pointer");
    // Check all before the first is sent.
    std::vector<std::pair<Buffer, std::shared_ptr<DeviceStorage>>> sources;
    for (size_t i = 0; i < args->num_buffers; ++i) {
      SHARDWRIGHT_ALIVE(buffer, args->buffers[i], "buffer");
      if (PJRT_Error *error =
              checkRemote(*client, args->dst_global_device_ids[i]))
        return error;
      auto storage = buffer->buffer.storage();
      if (!storage)
        return toPjrt(storage.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
      sources.emplace_back(buffer->buffer, std::move(*storage));
    }
    for (auto [i, source] : llvm::enumerate(sources)) {
      auto &[buffer, storage] = source;
      Transfer transfer =
          describe(*client, args->transfer_keys[i], buffer.device().number(),
                   args->dst_global_device_ids[i]);
      Event sent;
      args->send_events[i] = newEvent(sent);
      buffer.ready().onReady(
          [transfer, storage, sent](llvm::StringRef failure) mutable {
            if (failure.empty())
              return send(transfer, std::move(storage), sent);
            abort(transfer, failure.str());
            sent.set(llvm::createStringError(failure));
          });
    }
    return nullptr;
  });
}

/// Starts to receive; the event is set when the elements are there.
static void receive(Transfer transfer, std::shared_ptr<DeviceStorage> storage,
                    Event ready) {
  Transport &transport = transfer.job->transport();
  transport.openRun(transfer.run, [](RunFailure) {});
  llvm::MutableArrayRef<char> to(static_cast<char *>(storage->hostView()),
                                 storage->bytes());
  transport.receive(transfer.peer, transfer.run.key, {}, to, storage,
                    [transfer, ready](llvm::Error error) mutable {
                      if (!error) {
                        transfer.job->transport().closeRun(transfer.run.key);
                        return ready.set();
                      }
                      std::string why = llvm::toString(std::move(error));
                      abort(transfer, why);
                      ready.set(llvm::createStringError(why));
                    });
}

static PJRT_Error *
receiveBuffers(PJRT_Transfers_CrossHostReceiveBuffers_Args *args) {
  const char *name = "Transfers_CrossHostReceiveBuffers";
  return guarded(name, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    SHARDWRIGHT_ALIVE(device, args->device, "device");
    if (PJRT_Error *error = checkAddressable(*device))
      return error;
    if (args->num_shapes &&
        (!args->shape_num_dims || !args->dims || !args->element_types ||
         !args->src_global_device_ids || !args->transfer_keys ||
         !args->buffers))
      return invalid("a list of the transfers is a null pointer");
    struct Target {
      Buffer buffer;
      std::shared_ptr<DeviceStorage> storage;
      Event ready;
      MinorToMajor layout;
    };
    std::vector<Target> targets;
    for (size_t i = 0; i < args->num_shapes; ++i) {
      if (PJRT_Error *error =
              checkRemote(*client, args->src_global_device_ids[i]))
        return error;
      ElementType type;
      llvm::ArrayRef<int64_t> shape;
      MinorToMajor layout;
      if (PJRT_Error *error = readShape(args->dims[i], args->shape_num_dims[i],
                                        args->element_types[i], type, shape))
        return error;
      if (PJRT_Error *error = readLayout(
              args->layouts ? args->layouts[i] : nullptr, shape, type, layout))
        return error;
      auto storage =
          client->runtime->backend().allocate(type, shape, {device->id()});
      if (!storage)
        return toPjrt(storage.takeError());
      Event ready;
      Buffer buffer(device->id(), MemoryKind::Device, type, shape, *storage,
                    ready);
      targets.push_back({std::move(buffer), *storage, ready, layout});
    }
    for (auto [i, target] : llvm::enumerate(targets)) {
      args->buffers[i] = newBuffer(client, device->memories.front(),
                                   target.buffer, target.layout);
      receive(describe(*client, args->transfer_keys[i],
                       args->src_global_device_ids[i], device->id().number()),
              target.storage, target.ready);
    }
    return nullptr;
  });
}

static constexpr const char *olderWay =
    "transfers between processes by descriptors are not supported; "
    "CrossHostSendBuffers and CrossHostReceiveBuffers are";

static PJRT_Error *makeReceiveBuffers(
    PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args *) {
  return makeError(PJRT_Error_Code_UNIMPLEMENTED, olderWay);
}

static void
copyToRemote(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args *args) {
  if (args && args->on_done)
    args->on_done(makeError(PJRT_Error_Code_UNIMPLEMENTED, olderWay), false,
                  args->user_arg);
}

PJRT_Extension_Base *pjrt::transfersExtension() {
  static PJRT_CrossHostTransfers_Extension extension = {
      {sizeof(PJRT_CrossHostTransfers_Extension),
       PJRT_Extension_Type_CrossHostTransfers, nullptr},
      makeReceiveBuffers,
      copyToRemote,
      receiveBuffers,
      sendBuffers};
  return &extension.base;
}
