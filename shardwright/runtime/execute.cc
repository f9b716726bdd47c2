//===- execute.cc - runs on buffers, one a device -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/run_context.h"
#include "shardwright/cpu/program/donation.h"
#include "shardwright/runtime/array.h"
#include "shardwright/runtime/executable.h"
#include "shardwright/support/host_memory.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <chrono>

using namespace shardwright;

/// Runs shorter than this go on the caller's thread: handing one over costs
/// some microseconds, and its caller mostly waits for it.
static constexpr double worthHandingOverSeconds = 50e-6;

/// Each result takes the memory of one argument at most: first the pairs that
/// the program names, then any donated argument of the same size.
void Executable::Loaded::planReuse() {
  reusedBy.assign(parts.arguments.size(), -1);
  llvm::SmallVector<bool, 8> taken(parts.results.size());
  auto pair = [&](size_t argument, size_t result) {
    if (taken[result] || reusedBy[argument] >= 0 ||
        !cpu::mayReuse(parts.program, argument, result))
      return;
    taken[result] = true;
    reusedBy[argument] = result;
  };
  for (auto [i, spec] : llvm::enumerate(parts.arguments))
    if (spec.donated && spec.aliasedResult >= 0 &&
        spec.aliasedResult < int32_t(parts.results.size()))
      pair(i, spec.aliasedResult);
  for (auto [i, spec] : llvm::enumerate(parts.arguments))
    if (spec.donated && spec.aliasedResult < 0)
      for (size_t r = 0; r < parts.results.size() && reusedBy[i] < 0; ++r)
        pair(i, r);
}

namespace {

/// Everything that a run keeps alive.
struct Started {
  std::vector<cpu::DeviceBuffers> buffers;
  std::vector<std::shared_ptr<void>> memory;
  /// Donated arguments with their memory, in case that nothing comes of it.
  std::vector<std::pair<Buffer, std::shared_ptr<void>>> donated;
  std::vector<Event> inputs;
  Event done;

  void giveBack() {
    for (auto &[buffer, memory] : donated)
      buffer.takeBack(std::move(memory));
    donated.clear();
  }
};

} // namespace

static llvm::Expected<Buffer::Donation> takeOrShare(Buffer &buffer,
                                                    bool takes) {
  if (takes)
    return buffer.donate();
  auto memory = buffer.storage();
  if (!memory)
    return memory.takeError();
  return Buffer::Donation{std::move(*memory), false};
}

llvm::Expected<Execution>
Executable::execute(llvm::ArrayRef<std::vector<Buffer>> arguments,
                    Client &client, const ExecuteOptions &options) const {
  const cpu::Program &program = parts().program;
  int64_t devices = numDevices();
  auto fail = [](const llvm::Twine &why) {
    return llvm::createStringError(why);
  };
  if (int64_t(arguments.size()) != devices)
    return fail("the program runs on " + llvm::Twine(devices) +
                " devices, but was given arguments of " +
                llvm::Twine(arguments.size()));
  if (!options.devices.empty() && int64_t(options.devices.size()) != devices)
    return fail("the program runs on " + llvm::Twine(devices) +
                " devices, but was given " +
                llvm::Twine(options.devices.size()));
  auto deviceAt = [&](int64_t position) {
    return options.devices.empty() ? int32_t(position)
                                   : options.devices[position];
  };
  llvm::SmallVector<int32_t, 8> sorted(options.devices);
  llvm::sort(sorted);
  if (auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      twice != sorted.end())
    return fail("device " + llvm::Twine(*twice) +
                " is given for two positions of the program; give each a "
                "device of its own");
  // All are checked before the first is taken.
  for (int64_t d = 0; d < devices; ++d) {
    if (arguments[d].size() != program.arguments.size())
      return fail("the program takes " + llvm::Twine(program.arguments.size()) +
                  " arguments, but device " + llvm::Twine(d) + " was given " +
                  llvm::Twine(arguments[d].size()));
    for (auto [i, buffer] : llvm::enumerate(arguments[d])) {
      const cpu::Slot &slot = program.slots[program.arguments[i]];
      auto where = [&, i = i] {
        const std::string &name = parts().arguments[i].name;
        return "argument " + std::to_string(i) +
               (name.empty() ? "" : " (" + name + ")") + " of device " +
               std::to_string(d);
      };
      if (buffer.type() != slot.type ||
          buffer.shape() != llvm::ArrayRef<int64_t>(slot.shape))
        return fail(where() + " is " + str(slot.type, slot.shape) +
                    ", but was given " + str(buffer.type(), buffer.shape()));
      if (buffer.device() != deviceAt(d))
        return fail(where() + " was given a buffer of device " +
                    llvm::Twine(buffer.device()));
      if (auto there = buffer.storage(); !there)
        return fail(where() + ": " + llvm::toString(there.takeError()));
    }
  }

  auto run = std::make_shared<Started>();
  auto failAndGiveBack = [&](llvm::Error e) {
    run->giveBack();
    return e;
  };
  run->buffers.resize(devices);
  run->memory.reserve(devices *
                      (program.arguments.size() + program.results.size()));
  Execution execution;
  execution.done = run->done;
  execution.results.resize(devices);
  bool isReady = true;
  auto takes = [&](size_t i) {
    return parts().arguments[i].donated && !llvm::is_contained(options.keep, i);
  };
  // What no argument may give is allocated before any is taken: a call that
  // fails here leaves its arguments as they were.
  size_t count = program.results.size();
  llvm::SmallVector<bool, 8> mayReuse(count, false);
  for (size_t i = 0; i < loaded->reusedBy.size(); ++i)
    if (loaded->reusedBy[i] >= 0 && takes(i))
      mayReuse[loaded->reusedBy[i]] = true;
  std::vector<std::shared_ptr<void>> memoryOfResult(devices * count);
  auto allocate = [&](int64_t d, size_t i) -> llvm::Error {
    std::shared_ptr<void> &memory = memoryOfResult[d * count + i];
    memory = cpu::allocateHost(program.slots[program.results[i]].bytes());
    if (!memory)
      return fail("not enough memory for result " + llvm::Twine(i) +
                  " of device " + llvm::Twine(d) + ", " +
                  llvm::Twine(program.slots[program.results[i]].bytes()) +
                  " bytes");
    return llvm::Error::success();
  };
  for (int64_t d = 0; d < devices; ++d)
    for (size_t i = 0; i < count; ++i)
      if (!mayReuse[i])
        if (llvm::Error e = allocate(d, i))
          return e;
  for (int64_t d = 0; d < devices; ++d) {
    cpu::DeviceBuffers &buffers = run->buffers[d];
    execution.results[d].reserve(count);
    for (auto [i, given] : llvm::enumerate(arguments[d])) {
      Buffer buffer = given;
      auto memory = takeOrShare(buffer, takes(i));
      if (!memory) // donated twice in one call
        return failAndGiveBack(fail("argument " + llvm::Twine(i) +
                                    " of device " + llvm::Twine(d) + ": " +
                                    llvm::toString(memory.takeError())));
      if (takes(i))
        run->donated.push_back({buffer, memory->memory});
      buffers.arguments.push_back(memory->memory.get());
      // Memory with another holder (a replica on another device, a view of the
      // caller's) is read like any other.
      if (memory->isExclusive && loaded->reusedBy[i] >= 0)
        memoryOfResult[d * count + loaded->reusedBy[i]] = memory->memory;
      run->memory.push_back(std::move(memory->memory));
      if (!buffer.ready().isReady()) {
        isReady = false;
        run->inputs.push_back(buffer.ready());
      } else if (llvm::Error e = buffer.ready().await()) {
        run->inputs.push_back(buffer.ready());
        llvm::consumeError(std::move(e));
      }
    }
    for (auto [i, id] : llvm::enumerate(program.results)) {
      const cpu::Slot &slot = program.slots[id];
      std::shared_ptr<void> &memory = memoryOfResult[d * count + i];
      if (!memory)
        if (llvm::Error e = allocate(d, i))
          return failAndGiveBack(std::move(e));
      buffers.results.push_back(memory.get());
      // Its holder may drop the result before it is there.
      run->memory.push_back(memory);
      execution.results[d].push_back(
          Buffer(deviceAt(d), parts().results[i].memory, slot.type, slot.shape,
                 std::move(memory), run->done));
    }
  }

  for (const Event &event : options.after) {
    isReady &= event.isReady();
    run->inputs.push_back(event);
  }
  llvm::SmallVector<int32_t, 8> inOrder(devices);
  for (int64_t d = 0; d < devices; ++d)
    inOrder[d] = deviceAt(d);
  bool here = options.synchronous ||
              (isReady && loaded->lastSeconds.load() < worthHandingOverSeconds);
  cpu::RunContext context = cpu::RunContext::current();
  context.devices = inOrder;
  client.run(
      inOrder, run->inputs,
      [loaded = loaded, run, context = std::move(context),
       pool = client.sharedPool(), trace = options.trace] {
        for (const Event &input : run->inputs)
          if (llvm::Error e = input.await()) {
            run->done.set(std::move(e));
            return;
          }
        auto memory = loaded->executor->takeMemory();
        if (!memory) { // nothing has been touched
          run->giveBack();
          run->memory.clear();
          run->done.set(memory.takeError());
          return;
        }
        run->donated.clear();
        auto begin = std::chrono::steady_clock::now();
        cpu::RunContext::Scope scope(context);
        llvm::Error error = loaded->executor->run(
            std::move(*memory), run->buffers, *pool, nullptr, trace.get());
        loaded->lastSeconds = std::chrono::duration<double>(
                                  std::chrono::steady_clock::now() - begin)
                                  .count();
        // Whoever waits may find the memory of donated arguments free.
        run->memory.clear();
        run->done.set(std::move(error));
      },
      here);
  return execution;
}
