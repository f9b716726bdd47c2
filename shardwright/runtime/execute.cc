//===- execute.cc - runs on buffers, one per device -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/executable.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace shardwright;

static llvm::Error fail(const llvm::Twine &why) {
  return llvm::createStringError(why);
}

/// The arguments of `execute`, and its state.
struct Executable::Starting {
  llvm::ArrayRef<std::vector<Buffer>> arguments;
  Client &client;
  const ExecuteOptions &options;
  RunRequest request;
  /// Per local position: its position in the program, and its device.
  llvm::SmallVector<int32_t, 8> positions;
  llvm::SmallVector<DeviceId, 8> localDevices;
  /// Donated buffers, with the index of their argument in the request.
  std::vector<std::pair<Buffer, size_t>> donated;
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
  } else {
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
  if (run.arguments.size() != run.positions.size())
    return fail("the program runs on " + llvm::Twine(run.positions.size()) +
                " devices, but was given arguments of " +
                llvm::Twine(run.arguments.size()));
  return llvm::Error::success();
}

llvm::Error Executable::checkArguments(const Starting &run) const {
  llvm::ArrayRef<ArrayType> types = program().arguments();
  for (auto [d, buffers] : llvm::enumerate(run.arguments)) {
    int32_t position = run.positions[d];
    if (buffers.size() != types.size())
      return fail("the program takes " + llvm::Twine(types.size()) +
                  " arguments, but device " + llvm::Twine(position) +
                  " was given " + llvm::Twine(buffers.size()));
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      const auto &[type, shape] = types[i];
      auto where = [&, i = i] {
        const std::string &name = parts.arguments[i].name;
        return "argument " + std::to_string(i) +
               (name.empty() ? "" : " (" + name + ")") + " of device " +
               std::to_string(position);
      };
      if (buffer.type() != type ||
          buffer.shape() != llvm::ArrayRef<int64_t>(shape))
        return fail(where() + " is " + str(type, shape) + ", but was given " +
                    str(buffer.type(), buffer.shape()));
      if (buffer.device() != run.localDevices[d])
        return fail(where() + " was given a buffer of device " +
                    llvm::Twine(buffer.device().number()));
      if (auto there = buffer.storage(); !there)
        return fail(where() + ": " + llvm::toString(there.takeError()));
    }
  }
  return llvm::Error::success();
}

static llvm::Expected<Buffer::Donation> takeOrShare(Buffer &buffer,
                                                    bool takes) {
  if (takes)
    return buffer.donate();
  auto storage = buffer.storage();
  if (!storage)
    return storage.takeError();
  return Buffer::Donation{std::move(*storage), false};
}

/// Fills the request. After an error, `donated` holds the buffers that were
/// already donated.
llvm::Error Executable::takeArguments(Starting &run) const {
  RunRequest &request = run.request;
  request.arguments.reserve(run.arguments.size() * parts.arguments.size());
  llvm::SmallVector<bool, 8> takes;
  for (auto [i, spec] : llvm::enumerate(parts.arguments))
    takes.push_back(spec.donated && !llvm::is_contained(run.options.keep, i));
  for (auto [d, buffers] : llvm::enumerate(run.arguments))
    for (auto [i, given] : llvm::enumerate(buffers)) {
      Buffer buffer = given;
      auto memory = takeOrShare(buffer, takes[i]);
      if (!memory) // donated twice in one call
        return fail("argument " + llvm::Twine(i) + " of device " +
                    llvm::Twine(run.positions[d]) + ": " +
                    llvm::toString(memory.takeError()));
      if (takes[i])
        run.donated.push_back({buffer, request.arguments.size()});
      request.arguments.push_back(
          {std::move(memory->storage), memory->isExclusive});
      const Event &ready = buffer.ready();
      if (!ready.isReady() || ready.hasFailed())
        request.after.push_back(ready);
    }
  llvm::append_range(request.after, run.options.after);
  return llvm::Error::success();
}

static void giveBack(std::vector<std::pair<Buffer, size_t>> &donated,
                     std::vector<RunArgument> &arguments) {
  for (auto &[buffer, index] : donated)
    buffer.takeBack(std::move(arguments[index].storage));
}

llvm::Expected<Execution>
Executable::execute(llvm::ArrayRef<std::vector<Buffer>> arguments,
                    Client &client, const ExecuteOptions &options) const {
  Starting run{arguments, client, options, {}, {}, {}, {}};
  RunRequest &request = run.request;
  if (llvm::Error e = assignDevices(run))
    return e;
  // Check all arguments before the first one is donated.
  if (llvm::Error e = checkArguments(run))
    return e;
  if (llvm::Error e = takeArguments(run)) {
    giveBack(run.donated, request.arguments);
    return e;
  }
  if (options.synchronous)
    request.mode = RunRequest::Mode::HereIfIdle;
  request.callData = options.callData;
  request.trace = options.trace;
  // Shared with the request, which may return the donations later.
  std::shared_ptr<std::vector<std::pair<Buffer, size_t>>> donated;
  if (!run.donated.empty()) {
    donated = std::make_shared<std::vector<std::pair<Buffer, size_t>>>(
        std::move(run.donated));
    request.returnArguments = [donated](std::vector<RunArgument> arguments) {
      giveBack(*donated, arguments);
    };
  }
  auto started = parts.program->start(client.backend(), request);
  if (!started) {
    if (donated)
      giveBack(*donated, request.arguments);
    return started.takeError();
  }

  Execution execution;
  execution.done = started->done;
  execution.results.resize(run.positions.size());
  size_t count = parts.results.size();
  for (size_t d = 0; d < run.positions.size(); ++d) {
    execution.results[d].reserve(count);
    for (size_t i = 0; i < count; ++i) {
      const auto &[type, shape] = program().results()[i];
      execution.results[d].push_back(
          Buffer(run.localDevices[d], parts.results[i].memory, type, shape,
                 std::move(started->results[d * count + i]), started->done));
    }
  }
  return execution;
}
