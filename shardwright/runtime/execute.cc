//===- execute.cc - runs on buffers, one per device -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/buffer_state.h"
#include "shardwright/runtime/executable.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace shardwright;

static llvm::Error fail(const llvm::Twine &why) {
  return llvm::createStringError(why);
}

/// Donated buffers, with the index of their argument in the request.
using Donated = std::vector<std::pair<Buffer, size_t>>;

/// The arguments of `execute`, and its state.
struct Executable::Starting {
  Client &client;
  const ExecuteOptions &options;
  llvm::ArrayRef<Buffer> arguments = {};
  RunRequest request = {};
  /// Per local position: its position in the program, and its device.
  llvm::SmallVector<int32_t, 8> positions = {};
  llvm::SmallVector<DeviceId, 8> localDevices = {};
  Donated donated = {};
  /// The run to join, and the local position; null: the run is one of its own.
  GatheredRun *gathered = nullptr;
  size_t gatheredPosition = 0;
};

/// Assigns a device to every position, and finds the local positions.
llvm::Error Executable::assignDevices(Starting &run) const {
  size_t count = numDevices();
  llvm::SmallVector<DeviceId, 8> &devices = run.request.devices;
  devices = run.options.devices;
  if (!devices.empty() && devices.size() != count)
    return fail("the program runs on " + llvm::Twine(count) +
                " devices, but was given " + llvm::Twine(devices.size()));
  if (devices.empty()) {
    for (size_t d = 0; d < count; ++d)
      devices.push_back(d);
  } else if (count > 1) {
    llvm::SmallVector<DeviceId, 8> sorted(devices);
    llvm::sort(sorted);
    if (auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        twice != sorted.end())
      return fail("device " + llvm::Twine(twice->number()) +
                  " is given for two positions of the program; give each a "
                  "device of its own");
  }
  const Backend &backend = run.client.backend();
  for (size_t position = 0; position < count; ++position) {
    if (backend.isAddressable(devices[position])) {
      run.positions.push_back(position);
      run.localDevices.push_back(devices[position]);
    } else if (devices[position] < 0 ||
               devices[position] >= run.client.numDevices()) {
      return fail("there is no device " +
                  llvm::Twine(devices[position].number()) +
                  ", which position " + llvm::Twine(position) +
                  " of the program is to run on");
    }
  }
  return llvm::Error::success();
}

/// `argument 2 (x) of device 0`, of an index into the arguments of the request.
std::string Executable::describeArgument(const Starting &run,
                                         size_t index) const {
  size_t i = index % parts.arguments.size();
  const std::string &name = parts.arguments[i].name;
  return "argument " + std::to_string(i) +
         (name.empty() ? "" : " (" + name + ")") + " of device " +
         std::to_string(run.positions[index / parts.arguments.size()]);
}

/// Checks the arguments, and fills the request as if none were donated.
llvm::Error Executable::shareArguments(Starting &run) const {
  llvm::ArrayRef<ArrayType> types = program().arguments();
  RunRequest &request = run.request;
  request.arguments.reserve(run.arguments.size());
  for (size_t d = 0; d < run.positions.size(); ++d)
    for (const ArrayType &type : types) {
      size_t index = request.arguments.size();
      const Buffer::State &buffer = *run.arguments[index].state;
      if (buffer.type != type.type || buffer.shape != type.shape)
        return fail(describeArgument(run, index) + " is " +
                    str(type.type, type.shape) + ", but was given " +
                    str(buffer.type, buffer.shape));
      if (buffer.device != run.localDevices[d])
        return fail(describeArgument(run, index) +
                    " was given a buffer of device " +
                    llvm::Twine(buffer.device.number()));
      {
        std::lock_guard lock(buffer.mutex);
        if (buffer.life != Buffer::State::Life::Live)
          return fail(describeArgument(run, index) + ": " +
                      llvm::toString(buffer.use().takeError()));
        request.arguments.push_back({buffer.storage, false});
      }
      if (!buffer.ready.isReady() || buffer.ready.hasFailed())
        request.after.push_back(buffer.ready);
    }
  llvm::append_range(request.after, run.options.after);
  return llvm::Error::success();
}

/// After an error, `donated` holds the buffers that were already donated.
llvm::Error Executable::donateArguments(Starting &run) const {
  size_t count = parts.arguments.size();
  for (size_t d = 0; d < run.positions.size(); ++d)
    for (int32_t i : donatedArguments) {
      if (llvm::is_contained(run.options.keep, i))
        continue;
      size_t index = d * count + i;
      RunArgument &argument = run.request.arguments[index];
      // The buffer finds out whether it is the only holder.
      argument.storage = nullptr;
      Buffer buffer = run.arguments[index];
      auto memory = buffer.donate();
      if (!memory) // donated twice in one call
        return fail("argument " + llvm::Twine(i) + " of device " +
                    llvm::Twine(run.positions[d]) + ": " +
                    llvm::toString(memory.takeError()));
      argument = {std::move(memory->storage), memory->isExclusive};
      run.donated.push_back({std::move(buffer), index});
    }
  return llvm::Error::success();
}

static void giveBack(Donated &donated, RunArguments &arguments) {
  for (auto &[buffer, index] : donated)
    buffer.takeBack(std::move(arguments[index].storage));
}

/// Returns `why`, and abandons the run, unless others cancel it.
llvm::Error Executable::refuse(const Starting &run, llvm::Error why) const {
  if (run.gathered)
    return why;
  std::string text = llvm::toString(std::move(why));
  abandon(run.client, run.request.devices, text);
  return fail(text);
}

llvm::Expected<FlatExecution> Executable::start(Starting &run) const {
  RunRequest &request = run.request;
  // Check all arguments before the first one is donated.
  if (llvm::Error e = shareArguments(run))
    return refuse(run, std::move(e));
  if (!donatedArguments.empty())
    if (llvm::Error e = donateArguments(run)) {
      giveBack(run.donated, request.arguments);
      return refuse(run, std::move(e));
    }
  if (run.options.synchronous)
    request.mode = RunRequest::Mode::HereIfIdle;
  request.callData = run.options.callData;
  request.trace = run.options.trace;
  if (run.options.statistics && !run.gathered) {
    request.mode = RunRequest::Mode::Now;
    request.statistics = run.options.statistics;
    for (Event &event : request.after)
      if (llvm::Error e = event.await()) {
        giveBack(run.donated, request.arguments);
        return refuse(run, std::move(e));
      }
    request.after.clear();
  }
  // Shared with the request, which may return the donations later.
  std::shared_ptr<Donated> donated;
  if (!run.donated.empty()) {
    donated = std::make_shared<Donated>(std::move(run.donated));
    request.returnArguments = [donated](RunArguments arguments) {
      giveBack(*donated, arguments);
    };
  }
  auto started =
      run.gathered
          ? run.gathered->join(run.gatheredPosition, *parts.program, request)
          : parts.program->start(run.client.backend(), request);
  if (!started) {
    if (donated)
      giveBack(*donated, request.arguments);
    return started.takeError();
  }

  FlatExecution execution;
  size_t count = parts.results.size();
  execution.results.reserve(run.positions.size() * count);
  llvm::ArrayRef<ArrayType> types = program().results();
  for (size_t d = 0; d < run.positions.size(); ++d)
    for (size_t i = 0; i < count; ++i)
      execution.results.emplace_back(
          run.localDevices[d], parts.results[i].memory, types[i].type,
          types[i].shape, std::move(started->results[d * count + i]),
          started->done);
  execution.done = std::move(started->done);
  return execution;
}

llvm::Expected<FlatExecution>
Executable::executeFlat(llvm::ArrayRef<Buffer> arguments, Client &client,
                        const ExecuteOptions &options) const {
  Starting run{client, options};
  if (llvm::Error e = assignDevices(run))
    return e;
  if (arguments.size() != run.positions.size() * parts.arguments.size())
    return refuse(
        run, fail("the program takes " + llvm::Twine(parts.arguments.size()) +
                  " arguments on each of " + llvm::Twine(run.positions.size()) +
                  " devices, but was given " + llvm::Twine(arguments.size()) +
                  " buffers"));
  run.arguments = arguments;
  return start(run);
}

llvm::Expected<FlatExecution>
Executable::join(GatheredRun &gathered, size_t position, DeviceId device,
                 llvm::ArrayRef<Buffer> arguments, Client &client,
                 const ExecuteOptions &options) const {
  if (arguments.size() != parts.arguments.size())
    return fail("the program takes " + llvm::Twine(parts.arguments.size()) +
                " arguments, but was given " + llvm::Twine(arguments.size()));
  Starting run{client, options, arguments};
  run.positions.push_back(int32_t(position));
  run.localDevices.push_back(device);
  run.gathered = &gathered;
  run.gatheredPosition = position;
  return start(run);
}

llvm::Expected<Execution>
Executable::execute(llvm::ArrayRef<std::vector<Buffer>> arguments,
                    Client &client, const ExecuteOptions &options) const {
  Starting run{client, options};
  if (llvm::Error e = assignDevices(run))
    return e;
  if (arguments.size() != run.positions.size())
    return refuse(run, fail("the program runs on " +
                            llvm::Twine(run.positions.size()) +
                            " devices, but was given arguments of " +
                            llvm::Twine(arguments.size())));
  llvm::SmallVector<Buffer, 8> flat;
  for (auto [d, buffers] : llvm::enumerate(arguments)) {
    if (buffers.size() != parts.arguments.size())
      return refuse(
          run, fail("the program takes " + llvm::Twine(parts.arguments.size()) +
                    " arguments, but device " + llvm::Twine(run.positions[d]) +
                    " was given " + llvm::Twine(buffers.size())));
    llvm::append_range(flat, buffers);
  }
  run.arguments = flat;
  auto started = start(run);
  if (!started)
    return started.takeError();
  Execution execution;
  execution.done = std::move(started->done);
  size_t count = parts.results.size();
  for (size_t d = 0; d < run.positions.size(); ++d) {
    auto *first = started->results.begin() + d * count;
    execution.results.emplace_back(std::make_move_iterator(first),
                                   std::make_move_iterator(first + count));
  }
  return execution;
}
