//===- execute.cc - execution ---------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/run_data.h"
#include "shardwright/pjrt/api/placement.h"
#include "shardwright/pjrt/api/program.h"
#include "shardwright/pjrt/api/replica_calls.h"
#include "shardwright/pjrt/api/run_recorder.h"
#include "shardwright/pjrt/base/slots.h"
#include "shardwright/pjrt/request/custom_options.h"

#include "llvm/ADT/DenseMap.h"

using namespace shardwright;
using namespace shardwright::pjrt;

namespace {
/// The arguments of one run, as Executable takes them.
struct Arguments {
  /// [local position * number of arguments + argument]
  llvm::SmallVector<Buffer, 8> buffers;
  ExecuteOptions options;
};
} // namespace

/// A buffer may be passed twice, but then neither argument may be donated.
/// JAX's tests expect these error texts.
static PJRT_Error *checkDonations(const PJRT_LoadedExecutable &loaded,
                                  const PJRT_LoadedExecutable_Execute_Args &a,
                                  size_t device,
                                  const ExecuteOptions &options) {
  const ClientProgram &program = *loaded.program;
  // A program that runs on a device of the caller's choice has one position.
  PJRT_LogicalDeviceIds at = a.execute_device ? PJRT_LogicalDeviceIds{0, 0}
                                              : loaded.logicalIds[device];
  /// The first use of each buffer, and whether it is donated there.
  llvm::SmallDenseMap<const PJRT_Buffer *, std::pair<size_t, bool>, 16> uses;
  for (size_t i = 0; i < a.num_args; ++i) {
    int32_t argument = program.argumentOf[i];
    if (argument < 0)
      continue;
    bool donates = program.executable->arguments()[argument].donated &&
                   !llvm::is_contained(options.keep, argument);
    auto [it, isNew] =
        uses.try_emplace(a.argument_lists[device][i], i, donates);
    if (isNew || !(it->second.second || donates))
      continue;
    std::string where = std::to_string(i) + ", replica " +
                        std::to_string(at.replica) + ", partition " +
                        std::to_string(at.partition) + ", ";
    if (it->second.second && donates)
      return invalid(
          "Attempt to donate the same buffer twice in Execute() (flattened "
          "argument " +
          where + "first use: " + llvm::Twine(it->second.first) +
          "). Toy example for this bug: `f(donate(a), donate(a))`.");
    if (donates)
      return invalid(
          "Attempt to donate a buffer which is also used by the same call to "
          "Execute() (second use: flattened argument " +
          where + "first use: " + llvm::Twine(it->second.first) +
          "). Toy example for this bug: `f(a, donate(a))`.");
    return invalid(
        "Attempt to use a buffer that was previously donated in the same call "
        "to Execute() (flattened argument " +
        where + "first use: " + llvm::Twine(it->second.first) +
        "). Toy example for this bug: `f(donate(a), a)`.");
  }
  return nullptr;
}

static PJRT_Error *collect(const PJRT_LoadedExecutable &loaded,
                           const PJRT_LoadedExecutable_Execute_Args &a,
                           Arguments &arguments) {
  const ClientProgram &program = *loaded.program;
  if (a.num_args != program.argumentOf.size())
    return invalid("the program takes " +
                   llvm::Twine(program.argumentOf.size()) +
                   " arguments, but was given " + llvm::Twine(a.num_args));
  if (!a.output_lists || (a.num_args && !a.argument_lists))
    return invalid("the lists of arguments or outputs are a null pointer");
  if (a.options &&
      SHARDWRIGHT_HAS_FIELD(PJRT_ExecuteOptions, a.options,
                            num_non_donatable_input_indices) &&
      a.options->num_non_donatable_input_indices) {
    if (!a.options->non_donatable_input_indices)
      return invalid("the list of arguments to keep is a null pointer");
    for (int64_t i : llvm::ArrayRef(a.options->non_donatable_input_indices,
                                    a.options->num_non_donatable_input_indices))
      if (i >= 0 && i < int64_t(a.num_args) && program.argumentOf[i] >= 0)
        arguments.options.keep.push_back(program.argumentOf[i]);
  }
  arguments.buffers.reserve(a.num_devices * a.num_args);
  for (size_t d = 0; d < a.num_devices; ++d) {
    if ((a.num_args && !a.argument_lists[d]) ||
        (!program.resultOf.empty() && !a.output_lists[d]))
      return invalid("the list of arguments or outputs of device " +
                     llvm::Twine(d) + " is a null pointer");
    for (size_t i = 0; i < a.num_args; ++i) {
      SHARDWRIGHT_ALIVE(buffer, a.argument_lists[d][i], "argument");
      if (program.argumentOf[i] < 0) { // wait for the token's producer
        arguments.options.after.push_back(buffer->buffer.ready());
        continue;
      }
      if (!buffer->buffer.isLive())
        return invalid("Invalid buffer passed to Execute() as argument " +
                       llvm::Twine(i) + " to replica " + llvm::Twine(d) +
                       ": INVALID_ARGUMENT: Buffer has been deleted or "
                       "donated.");
      arguments.buffers.push_back(buffer->buffer);
    }
    if (program.executable->donates())
      if (PJRT_Error *error = checkDonations(loaded, a, d, arguments.options))
        return error;
  }
  return nullptr;
}

/// Reads the user data and custom options for the handlers that the run calls.
static PJRT_Error *readRunData(const PJRT_ExecuteOptions &options,
                               std::shared_ptr<const void> &data) {
  ffi::FfiRunData read;
  if (SHARDWRIGHT_HAS_FIELD(PJRT_ExecuteOptions, &options, context) &&
      options.context) {
    SHARDWRIGHT_ALIVE(context, options.context, "context");
    std::lock_guard lock(context->mutex);
    read.userData = context->userData;
  }
  if (SHARDWRIGHT_HAS_FIELD(PJRT_ExecuteOptions, &options,
                            num_custom_options) &&
      options.num_custom_options) {
    auto custom =
        makeCustomOptions({options.custom_options, options.num_custom_options});
    if (!custom)
      return toPjrt(custom.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    read.options = std::move(*custom);
  }
  if (read.userData || read.options)
    data = std::make_shared<ffi::FfiRunData>(std::move(read));
  return nullptr;
}

/// Reads everything that the run needs. `numDevices`: the devices of this
/// process on which it runs.
static PJRT_Error *prepare(const PJRT_LoadedExecutable &loaded,
                           size_t numDevices,
                           const PJRT_LoadedExecutable_Execute_Args &args,
                           Arguments &arguments) {
  if (loaded.isDeleted)
    return invalid("the executable has been deleted");
  if (args.num_devices != numDevices)
    return invalid("the program runs on " + llvm::Twine(numDevices) +
                   " devices, but was given arguments of " +
                   llvm::Twine(args.num_devices));
  if (numDevices == 0)
    return nullptr;
  if (args.options &&
      SHARDWRIGHT_HAS_FIELD(PJRT_ExecuteOptions, args.options, num_recv_ops) &&
      (args.options->num_send_ops || args.options->num_recv_ops))
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                     "callbacks for send and recv are not supported");
  if (PJRT_Error *error = collect(loaded, args, arguments))
    return error;
  return args.options ? readRunData(*args.options, arguments.options.callData)
                      : nullptr;
}

/// Hands out the results and events of devices on which a run was started.
static void handOut(const PJRT_LoadedExecutable &loaded,
                    llvm::ArrayRef<PJRT_Device *> devices,
                    FlatExecution &execution,
                    const PJRT_LoadedExecutable_Execute_Args &args) {
  const std::shared_ptr<ClientProgram> &program = loaded.program;
  // The client may destroy the program as soon as Execute returns.
  if (!execution.done.isReady())
    execution.done.onReady([program](llvm::StringRef) {});
  size_t numResults = program->executable->results().size();
  for (size_t d = 0; d < devices.size(); ++d) {
    for (size_t i = 0; i < program->resultOf.size(); ++i) {
      int32_t result = program->resultOf[i];
      Buffer buffer = result >= 0 ? execution.results[d * numResults + result]
                                  : Buffer(devices[d]->id(), MemoryKind::Device,
                                           ElementType::Pred, {0}, noStorage(),
                                           execution.done);
      args.output_lists[d][i] =
          newBuffer(loaded.client, devices[d]->memories[int(buffer.memory())],
                    std::move(buffer), program->layouts.results[i]);
    }
    if (args.device_complete_events)
      args.device_complete_events[d] = newEvent(execution.done);
  }
}

/// Calls a program of several devices on one of them.
static PJRT_Error *
executeReplica(const PJRT_LoadedExecutable &loaded, PJRT_Device *device,
               const PJRT_LoadedExecutable_Execute_Args &args) {
  if (!llvm::is_contained(loaded.devices, device))
    return invalid("device " + llvm::Twine(device->id().number()) +
                   " is none of the " + llvm::Twine(loaded.devices.size()) +
                   " devices that the program was compiled for");
  if (PJRT_Error *error = checkAddressable(*device))
    return error;
  ReplicaCalls &calls = *loaded.client->replicaCalls;
  Arguments arguments;
  if (PJRT_Error *error = prepare(loaded, 1, args, arguments)) {
    calls.refuse(loaded, *device, static_cast<Failure *>(error)->message);
    return error;
  }
  auto execution = calls.call(loaded, *device, arguments.buffers,
                              std::move(arguments.options));
  if (!execution)
    return toPjrt(execution.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
  handOut(loaded, device, *execution, args);
  return nullptr;
}

PJRT_Error *
pjrt::LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(loaded, args->executable, "executable");
    llvm::ArrayRef<PJRT_Device *> assigned = loaded->devices,
                                  devices = loaded->addressableDevices;
    PJRT_Device *chosen = nullptr;
    if (args->execute_device) {
      SHARDWRIGHT_ALIVE(device, args->execute_device, "device");
      chosen = device.get();
      if (assigned.size() != 1)
        return executeReplica(*loaded, chosen, *args);
      if (PJRT_Error *error = checkAddressable(*device))
        return error;
      assigned = devices = chosen;
    }
    Arguments arguments;
    arguments.options.devices = idsOf(assigned);
    if (PJRT_Error *error =
            prepare(*loaded, devices.size(), *args, arguments)) {
      // Other processes start this run.
      loaded->program->executable->abandon(
          *loaded->client->runtime, arguments.options.devices,
          static_cast<Failure *>(error)->message);
      return error;
    }
    if (devices.empty()) // the run is that of other processes
      return nullptr;

    std::shared_ptr<ClientProgram> program = loaded->program;
    int64_t submitted = RunRecorder::isAny() ? nowInNanoseconds() : 0;
    if (submitted)
      arguments.options.trace = std::make_shared<Trace>();
    ReplicaCalls::Exclusion exclusion;
    if (devices.size() > 1)
      exclusion =
          loaded->client->replicaCalls->excludeCalls(devices, program->name);
    auto execution = program->executable->executeFlat(
        arguments.buffers, *loaded->client->runtime, arguments.options);
    if (!execution)
      return toPjrt(execution.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    if (submitted)
      RunRecorder::note(program, idsOf(devices), arguments.options.trace,
                        submitted, execution->done);
    handOut(*loaded, devices, *execution, *args);
    return nullptr;
  });
}
