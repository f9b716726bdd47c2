//===- plugin_execute.cc - runs of programs on a plugin's devices ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_backend.h"
#include "shardwright/pjrt_client/plugin_event.h"
#include "shardwright/pjrt_client/plugin_program.h"
#include "shardwright/pjrt_client/plugin_storage.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace shardwright;
using namespace shardwright::pjrt_client;

/// The arguments of one run as the plugin takes them: [local position]
/// [argument].
struct PluginProgram::ArgumentLists {
  std::vector<std::vector<PJRT_Buffer *>> buffers;
  /// Donated by the program, but not in this run.
  std::vector<int64_t> kept;
  /// Copies in the memory and layout of the program.
  std::vector<std::shared_ptr<DeviceStorage>> copies;
};

/// Returns `storage`, or a copy of it in this memory and layout.
static llvm::Expected<const PluginStorage *>
inPlacement(const PluginStorage *storage, MemoryKind memory,
            const std::string &layout,
            std::vector<std::shared_ptr<DeviceStorage>> &copies) {
  auto keep = [&](llvm::Expected<StorageTransfer> made) -> llvm::Error {
    if (!made)
      return made.takeError();
    copies.push_back(std::move(made->storage));
    storage = static_cast<const PluginStorage *>(copies.back().get());
    return llvm::Error::success();
  };
  if (storage->memory() != memory)
    if (llvm::Error e =
            keep(storage->copyTo({storage->device(), memory}, Event::ready())))
      return e;
  if (storage->layout() != layout)
    if (llvm::Error e = keep(storage->copyTo(layout)))
      return e;
  return storage;
}

llvm::Error PluginProgram::collect(const LoadedExecutable &loaded,
                                   const RunRequest &request, size_t numLocal,
                                   ArgumentLists &lists) const {
  const PluginClient &client = *loaded.client;
  const std::string standard;
  size_t count = argumentTypes.size();
  if (request.arguments.size() != numLocal * count)
    return fail("the program takes ", count, " arguments on each of ", numLocal,
                " devices, but was given ", request.arguments.size());
  lists.buffers.resize(numLocal);
  for (size_t i = 0; i < count; ++i) {
    bool isDonated = true;
    for (size_t d = 0; d < numLocal; ++d) {
      const RunArgument &argument = request.arguments[d * count + i];
      auto *storage =
          dynamic_cast<const PluginStorage *>(argument.storage.get());
      if (!storage || &storage->client() != &client)
        return fail("argument ", i, " of device ", d,
                    " does not lie in the memory of ", client.plugin().name(),
                    "; copy it to a device of that client first");
      if (!storage->buffer())
        return storage->ready().await();
      auto placed = inPlacement(
          storage, argumentPlacements[i].memory,
          loaded.argumentLayouts.empty() ? standard : loaded.argumentLayouts[i],
          lists.copies);
      if (!placed)
        return placed.takeError();
      lists.buffers[d].push_back((*placed)->buffer());
      isDonated &= argument.mayOverwrite;
    }
    if (!isDonated)
      lists.kept.push_back(i);
  }
  return llvm::Error::success();
}

/// True if the plugin itself orders the run behind `event`: it sets the event
/// when the elements of an argument are available.
static bool isOrderedByPlugin(const Event &event, const RunRequest &request,
                              const PluginClient &client) {
  return llvm::any_of(request.arguments, [&](const RunArgument &argument) {
    auto *storage = dynamic_cast<const PluginStorage *>(argument.storage.get());
    return storage && &storage->client() == &client &&
           storage->ready() == event;
  });
}

StartedRun PluginProgram::failedRun(const std::shared_ptr<PluginClient> &client,
                                    RunRequest &request,
                                    llvm::ArrayRef<DeviceId> localDevices,
                                    llvm::Error error) const {
  StartedRun started;
  if (request.returnArguments)
    request.returnArguments(std::move(request.arguments));
  started.done.set(std::move(error));
  for (DeviceId device : localDevices)
    for (auto [type, placement] :
         llvm::zip_equal(resultTypes, resultPlacements))
      started.results.push_back(std::make_shared<PluginStorage>(
          client, type, MemoryPlace{device, placement.memory}, started.done));
  return started;
}

/// An event that is set when all are, and fails with the first error in their
/// order.
static Event all(std::vector<Event> events) {
  if (events.size() == 1)
    return events.front();
  struct Waiting {
    std::vector<std::string> failures;
    std::atomic<size_t> left;
    Event done;
  };
  auto waiting = std::make_shared<Waiting>();
  waiting->failures.resize(events.size());
  waiting->left = events.size();
  if (events.empty())
    return Event::ready();
  for (auto [i, event] : llvm::enumerate(events))
    event.onReady([waiting, i = i](llvm::StringRef failure) {
      waiting->failures[i] = failure.str();
      if (--waiting->left)
        return;
      for (const std::string &text : waiting->failures)
        if (!text.empty())
          return waiting->done.set(fail(text));
      waiting->done.set();
    });
  return waiting->done;
}

namespace {
/// The results of an execution by the plugin's order of devices. Destroys what
/// is not taken.
struct Outputs {
  Outputs(const std::shared_ptr<PluginClient> &client, size_t devices,
          size_t count)
      : client(client), buffers(devices, std::vector<PJRT_Buffer *>(count)),
        events(devices) {
    for (auto &list : buffers)
      lists.push_back(list.data());
  }
  ~Outputs() {
    for (auto &list : buffers)
      for (PJRT_Buffer *buffer : list)
        if (buffer)
          BufferHandle(client, buffer);
    for (PJRT_Event *event : events)
      if (event)
        watchEvent({client->sharedPlugin(), "PJRT_LoadedExecutable_Execute"},
                   event);
  }
  const std::shared_ptr<PluginClient> &client;
  std::vector<std::vector<PJRT_Buffer *>> buffers;
  std::vector<PJRT_Event *> events;
  std::vector<PJRT_Buffer **> lists;
};
} // namespace

llvm::Expected<StartedRun>
PluginProgram::execute(const LoadedExecutable &loaded,
                       const RunRequest &request,
                       llvm::ArrayRef<DeviceId> localDevices) {
  const std::shared_ptr<PluginClient> &client = loaded.client;
  const Plugin &plugin = client->plugin();
  size_t numLocal = localDevices.size(), numResults = resultTypes.size();
  ArgumentLists arguments;
  if (llvm::Error e = collect(loaded, request, numLocal, arguments))
    return e;
  // The plugin's order of devices.
  std::vector<size_t> positions;
  std::vector<PJRT_Buffer *const *> argumentLists;
  for (DeviceId device : loaded.devices) {
    positions.push_back(llvm::find(localDevices, device) -
                        localDevices.begin());
    argumentLists.push_back(arguments.buffers[positions.back()].data());
  }
  Outputs outputs(client, numLocal, numResults);
  auto options = makeStruct<PJRT_ExecuteOptions>();
  options.non_donatable_input_indices = arguments.kept.data();
  options.num_non_donatable_input_indices = arguments.kept.size();
  options.call_location = "";
  auto args = makeStruct<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = loaded.handle;
  args.options = &options;
  args.argument_lists = argumentLists.data();
  args.num_devices = numLocal;
  args.num_args = argumentTypes.size();
  args.output_lists = outputs.lists.data();
  args.device_complete_events = outputs.events.data();
  constexpr const char *function = "PJRT_LoadedExecutable_Execute";
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, LoadedExecutable_Execute, args)) {
    // After an error neither outputs nor events exist, whatever is there.
    for (auto &list : outputs.buffers)
      list.assign(list.size(), nullptr);
    outputs.events.assign(numLocal, nullptr);
    return e;
  }
  std::vector<Event> events;
  for (auto [device, event] : llvm::zip_equal(loaded.devices, outputs.events))
    events.push_back(watchEvent({client->sharedPlugin(), function,
                                 "device " + std::to_string(device.number())},
                                std::exchange(event, nullptr)));
  StartedRun started;
  started.done = all(std::move(events));
  client->addRun(started.done);
  started.results.resize(numLocal * numResults);
  for (auto [d, position] : llvm::enumerate(positions))
    for (size_t i = 0; i < numResults; ++i) {
      PJRT_Buffer *&buffer = outputs.buffers[d][i];
      if (!buffer)
        return plugin.wrong(function, "no buffer for result " + llvm::Twine(i) +
                                          " of device " + llvm::Twine(d));
      auto storage = std::make_shared<PluginStorage>(
          client, std::exchange(buffer, nullptr), resultTypes[i],
          MemoryPlace{localDevices[position], resultPlacements[i].memory},
          started.done,
          loaded.resultLayouts.empty() ? "" : loaded.resultLayouts[i]);
      if (llvm::Error e = storage->check())
        return e;
      started.results[position * numResults + i] = std::move(storage);
    }
  return started;
}

llvm::Expected<StartedRun> PluginProgram::start(Backend &backend,
                                                RunRequest &request) {
  if (backend.name() != backendName())
    return fail("a program of backend ", backendName(),
                " cannot run on devices of backend ", backend.name());
  std::shared_ptr<PluginClient> client =
      static_cast<PluginBackend &>(backend).client();
  llvm::SmallVector<DeviceId, 8> localDevices;
  for (DeviceId device : request.devices)
    if (client->deviceInfos()[device.number()].localId)
      localDevices.push_back(device);
  bool isNow = request.mode == RunRequest::Mode::Now;
  for (const Event &event : request.after) {
    bool waits = !event.isReady();
    if (waits && isOrderedByPlugin(event, request, *client))
      continue;
    // The plugin knows nothing of events of others, so they are awaited here.
    if (llvm::Error e = event.await()) {
      if (isNow)
        return e;
      return failedRun(client, request, localDevices, std::move(e));
    }
  }
  auto loaded = loadedFor(client, request.devices);
  if (!loaded)
    return loaded.takeError();
  auto begin = std::chrono::steady_clock::now();
  auto started = execute(**loaded, request, localDevices);
  if (!started || !isNow)
    return started;
  if (llvm::Error e = started->done.await())
    return e;
  if (request.statistics)
    request.statistics->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
  return started;
}
