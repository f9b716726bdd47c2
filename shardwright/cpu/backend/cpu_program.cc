//===- cpu_program.cc - a Program as a LoadedProgram ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_program.h"

#include "shardwright/cpu/library/run_context.h"
#include "shardwright/cpu/program/donation.h"
#include "shardwright/cpu/program/peak_use.h"
#include "shardwright/cpu/program/program_loops.h"
#include "shardwright/job/job.h"
#include "shardwright/support/thread_pool.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace shardwright;
using namespace shardwright::cpu;

/// Shorter runs execute on the caller's thread: handing a run over costs some
/// microseconds, and the caller mostly waits for it.
static constexpr double worthHandingOverSeconds = 50e-6;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

llvm::Expected<std::shared_ptr<LoadedProgram>>
cpu::makeLoadedProgram(Program program,
                       llvm::ArrayRef<ArgumentDonation> donations) {
  auto made = CpuProgram::create(std::move(program), donations);
  if (!made)
    return made.takeError();
  return std::move(*made);
}

llvm::Expected<std::shared_ptr<CpuProgram>>
CpuProgram::create(Program given, llvm::ArrayRef<ArgumentDonation> donations) {
  auto result = std::make_shared<CpuProgram>();
  result->loaded = std::make_shared<Loaded>();
  Loaded &loaded = *result->loaded;
  loaded.program = std::move(given);
  const Program &program = loaded.program;
  // Executor::create checks the slot ids.
  auto executor = Executor::create(program);
  if (!executor)
    return executor.takeError();
  loaded.executor = std::move(*executor);
  loaded.donations = donations.take_front(program.arguments.size());
  loaded.donations.resize(program.arguments.size());
  loaded.planReuse();
  for (SlotId id : program.results)
    loaded.resultBytes.push_back(program.slots[id].bytes());
  result->replicas = program.numReplicas;
  result->partitions = program.numPartitions;
  for (auto [slots, types] :
       {std::pair(&program.arguments, &result->argumentTypes),
        std::pair(&program.results, &result->resultTypes)})
    for (SlotId id : *slots)
      types->push_back({program.slots[id].type, program.slots[id].shape});
  return result;
}

/// Assigns each result the memory of at most one argument: first the pairs that
/// the program specifies, then any donated argument of the same size.
void CpuProgram::Loaded::planReuse() {
  size_t results = program.results.size();
  reusedBy.assign(program.arguments.size(), -1);
  llvm::SmallVector<bool, 8> taken(results);
  auto pair = [&](size_t argument, size_t result) {
    if (taken[result] || reusedBy[argument] >= 0 ||
        !mayReuse(program, argument, result))
      return;
    taken[result] = true;
    reusedBy[argument] = result;
  };
  for (auto [i, donation] : llvm::enumerate(donations))
    if (donation.isDonated && donation.aliasedResult >= 0 &&
        donation.aliasedResult < int32_t(results))
      pair(i, donation.aliasedResult);
  for (auto [i, donation] : llvm::enumerate(donations))
    if (donation.isDonated && donation.aliasedResult < 0)
      for (size_t r = 0; r < results && reusedBy[i] < 0; ++r)
        pair(i, r);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Tells the other processes of a run that it does not start here, and returns
/// the error.
static llvm::Error notStarted(const Executor &executor,
                              const RemoteOptions *remote, llvm::Error why) {
  if (!remote)
    return why;
  std::string text = toString(std::move(why));
  remote->transport->abortRun(executor.describe(*remote), {-1, text});
  return llvm::createStringError(text);
}

llvm::Error CpuProgram::runHere(Loaded &loaded, Executor &executor,
                                RunRequest &request, const Addresses &buffers,
                                ThreadPool &pool, const RemoteOptions *remote) {
  for (const Event &input : request.after)
    if (llvm::Error e = input.await())
      return notStarted(executor, remote, std::move(e));
  auto memory = executor.takeMemory();
  if (!memory) { // no buffer has been modified
    if (request.returnArguments)
      request.returnArguments(std::move(request.arguments));
    return notStarted(executor, remote, memory.takeError());
  }
  request.returnArguments = nullptr;
  RunContext context;
  context.devices = request.devices;
  context.data = std::move(request.callData);
  RunContext::Scope scope(context);
  auto begin = std::chrono::steady_clock::now();
  llvm::Error error = executor.run(std::move(*memory), buffers, pool, nullptr,
                                   request.trace.get(), remote);
  loaded.lastSeconds.store(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count(),
      std::memory_order_relaxed);
  return error;
}

void CpuProgram::PendingRun::run(llvm::StringRef failure) {
  if (!failure.empty() && request.returnArguments)
    request.returnArguments(std::move(request.arguments));
  const RemoteOptions *peers = remote ? &*remote : nullptr;
  llvm::Error error =
      failure.empty()
          ? runHere(*loaded, *executor, request, buffers, *pool, peers)
          : notStarted(*executor, peers, llvm::createStringError(failure));
  // Before waiters are notified: they may expect donated memory to be free.
  request.arguments.clear();
  results.clear();
  done.set(std::move(error));
}

llvm::Expected<RunResults> CpuProgram::placeResults(const CpuBackend &cpu,
                                                    RunRequest &request,
                                                    size_t numDevices) const {
  const Program &program = loaded->program;
  size_t count = program.results.size(),
         numArguments = program.arguments.size();
  RunResults storage(std::move(request.results));
  storage.resize(numDevices * count);
  for (size_t d = 0; d < numDevices; ++d)
    for (size_t i = 0; i < numArguments; ++i)
      if (int32_t result = loaded->reusedBy[i]; result >= 0) {
        // Memory with other holders (a replica on another device, a view of the
        // caller) is not reused.
        const RunArgument &argument = request.arguments[d * numArguments + i];
        std::shared_ptr<DeviceStorage> &to = storage[d * count + result];
        if (argument.mayOverwrite && !to)
          to = argument.storage;
      }
  for (size_t d = 0; d < numDevices; ++d)
    for (size_t i = 0; i < count; ++i) {
      std::shared_ptr<DeviceStorage> &to = storage[d * count + i];
      if (to)
        continue;
      int64_t bytes = loaded->resultBytes[i];
      to = HostStorage::allocate(bytes, cpu.deviceCheck);
      if (!to)
        return llvm::createStringError(
            "not enough memory for result " + llvm::Twine(i) + " of device " +
            llvm::Twine(d) + ", " + llvm::Twine(bytes) + " bytes");
    }
  return storage;
}

/// The buffer addresses for the executor.
llvm::Expected<CpuProgram::Addresses>
CpuProgram::addresses(llvm::ArrayRef<RunArgument> arguments,
                      llvm::ArrayRef<std::shared_ptr<DeviceStorage>> results,
                      size_t numLocal) const {
  size_t numArguments = argumentTypes.size(), numResults = resultTypes.size();
  Addresses buffers(numLocal);
  for (size_t d = 0; d < buffers.size(); ++d) {
    for (size_t i = 0; i < numArguments; ++i) {
      const DeviceStorage &storage = *arguments[d * numArguments + i].storage;
      if (!storage.hostView() && storage.bytes() > 0)
        return llvm::createStringError(
            "argument " + llvm::Twine(i) + " of device " + llvm::Twine(d) +
            " lies in memory that the CPU cannot address");
      buffers[d].arguments.push_back(storage.hostView());
    }
    for (size_t i = 0; i < numResults; ++i)
      buffers[d].results.push_back(results[d * numResults + i]->hostView());
  }
  return buffers;
}

llvm::Expected<CpuProgram::Placed> CpuProgram::place(const CpuBackend &cpu,
                                                     RunRequest &request,
                                                     size_t numLocal) const {
  auto results = placeResults(cpu, request, numLocal);
  if (!results)
    return results.takeError();
  auto buffers = addresses(request.arguments, *results, numLocal);
  if (!buffers)
    return buffers.takeError();
  return Placed{std::move(*results), std::move(*buffers)};
}

llvm::Error CpuProgram::runNow(Executor &executor, const RunRequest &request,
                               const Addresses &buffers, ThreadPool &pool,
                               const RemoteOptions *remote) {
  RunContext context;
  context.devices = request.devices;
  context.data = request.callData;
  RunContext::Scope scope(context);
  return executor.run(buffers, pool, request.statistics, request.trace.get(),
                      remote);
}

std::shared_ptr<CpuProgram::PendingRun>
CpuProgram::makePending(const CpuBackend &cpu, Executor &executor,
                        RunRequest &request, Placed placed) const {
  auto run = std::make_shared<PendingRun>();
  run->loaded = loaded;
  run->executor = &executor;
  run->pool = cpu.pool;
  run->job = cpu.job;
  run->request = std::move(request);
  run->buffers = std::move(placed.buffers);
  run->results = std::move(placed.results);
  return run;
}

llvm::Expected<StartedRun> CpuProgram::start(Backend &backend,
                                             RunRequest &request) {
  if (backend.name() != backendName())
    return llvm::createStringError("a program of backend " + backendName() +
                                   " cannot run on devices of backend " +
                                   backend.name());
  auto &cpu = static_cast<CpuBackend &>(backend);
  Placement placement = cpu.placementOn(request.devices);
  if (!placement.isAllLocal()) {
    auto executor = loaded->executorFor(placement);
    if (!executor)
      return executor.takeError();
    return startBetweenProcesses(cpu, **executor, placement, request);
  }
  auto placed = place(cpu, request, numDevices());
  if (!placed)
    return placed.takeError();
  if (request.mode == RunRequest::Mode::Now) {
    if (llvm::Error e = runNow(*loaded->executor, request, placed->buffers,
                               *cpu.pool, nullptr))
      return e;
    return StartedRun{std::move(placed->results), Event::ready()};
  }
  // A host function that the run calls may destroy the program.
  std::shared_ptr<Loaded> kept = loaded;
  bool here = (request.mode == RunRequest::Mode::HereIfIdle ||
               kept->lastSeconds.load(std::memory_order_relaxed) <
                   worthHandingOverSeconds) &&
              llvm::all_of(request.after,
                           [](const Event &event) { return event.isReady(); });
  StartedRun started{placed->results, Event::ready()};
  if (here && cpu.queue.runIfIdle(request.devices, [&] {
        if (llvm::Error e = runHere(*kept, *kept->executor, request,
                                    placed->buffers, *cpu.pool, nullptr)) {
          started.done = Event();
          started.done.set(std::move(e));
        }
        request.arguments.clear();
      }))
    return started;
  auto run = makePending(cpu, *kept->executor, request, std::move(*placed));
  started.done = run->done;
  // The queue would run it here after all if the devices have become idle.
  cpu.queue.run(
      run->request.devices, run->request.after,
      [run](llvm::StringRef failure) { run->run(failure); }, here);
  return started;
}

llvm::Expected<Executor *>
CpuProgram::Loaded::executorFor(const Placement &placement) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Executor> &made =
      executors[{placement.ownProcess(), placement.ownersOfPositions()}];
  if (!made) {
    auto created = Executor::create(program, placement);
    if (!created)
      return created.takeError();
    made = std::move(*created);
  }
  return made.get();
}

std::string cpu::nameDevices(llvm::ArrayRef<DeviceId> devices) {
  std::vector<int32_t> numbers;
  for (DeviceId device : devices)
    numbers.push_back(device.number());
  llvm::sort(numbers);
  return nameDevices(numbers);
}

llvm::Expected<StartedRun>
CpuProgram::startBetweenProcesses(CpuBackend &cpu, Executor &executor,
                                  const Placement &placement,
                                  RunRequest &request) {
  llvm::SmallVector<DeviceId, 8> local;
  for (auto [position, device] : llvm::enumerate(request.devices))
    if (placement.isLocal(position))
      local.push_back(device);
  if (local.empty()) // nothing to do here
    return StartedRun{{}, Event::ready()};
  RemoteOptions remote{
      &cpu.job->transport(), {}, nameDevices(request.devices), nullptr};
  auto placed = place(cpu, request, local.size());
  if (!placed) {
    // A launch that fails counts too, so that later ones keep their numbers.
    cpu.launch(request.devices, [&](const RunKey &key) { remote.key = key; });
    return notStarted(executor, &remote, placed.takeError());
  }

  bool isNow = request.mode == RunRequest::Mode::Now;
  StartedRun started{placed->results, Event::ready()};
  auto run = makePending(cpu, executor, request, std::move(*placed));
  remote.keepsAlive = run;
  run->remote = std::move(remote);
  if (!isNow)
    started.done = run->done;
  cpu.launch(run->request.devices, [&](const RunKey &key) {
    run->remote->key = key;
    if (!isNow)
      cpu.queue.run(
          local, run->request.after,
          [run](llvm::StringRef failure) {
            run->run(failure);
            run->remote.reset(); // it keeps the run alive
          },
          /*here=*/false, /*waitsForPeers=*/true);
  });
  if (!isNow)
    return started;
  llvm::Error e =
      runNow(executor, run->request, run->buffers, *cpu.pool, &*run->remote);
  run->remote.reset();
  if (e)
    return e;
  return started;
}

void CpuProgram::abandon(Backend &backend, llvm::ArrayRef<DeviceId> devices,
                         llvm::StringRef why) {
  if (backend.name() != backendName())
    return;
  auto &cpu = static_cast<CpuBackend &>(backend);
  Placement placement = cpu.placementOn(devices);
  if (placement.isAllLocal() ||
      placement.localPositions(int32_t(devices.size())).empty())
    return;
  auto executor = loaded->executorFor(placement);
  if (!executor)
    return llvm::consumeError(executor.takeError());
  RemoteOptions remote{
      &cpu.job->transport(), {}, nameDevices(devices), nullptr};
  cpu.launch(devices, [&](const RunKey &key) { remote.key = key; });
  llvm::consumeError(
      notStarted(**executor, &remote, llvm::createStringError(why)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MemoryStatistics CpuProgram::memory() const {
  const Program &program = loaded->program;
  MemoryStatistics memory;
  for (auto [i, id] : llvm::enumerate(program.arguments)) {
    memory.arguments += program.slots[id].bytes();
    if (loaded->reusedBy[i] >= 0)
      memory.reusedByResults += program.slots[id].bytes();
  }
  for (SlotId id : program.results)
    memory.results += program.slots[id].bytes();
  memory.temporaries = program.arenaBytes;
  for (const ConstantData &constant : program.constants)
    memory.constants += constant.bytes;
  return memory;
}

PeakMemory CpuProgram::peakMemory() const {
  const Program &program = loaded->program;
  PeakUse use = peakUse(program);
  PeakMemory peak;
  if (use.step >= 0)
    peak.place = stepName(use.step);
  for (const PeakUse::Holder &holder : use.holders) {
    const Slot &slot = program.slots[holder.slot];
    peak.values.push_back(
        {{slot.type, slot.shape},
         holder.writer < 0 ? std::string() : stepName(holder.writer)});
  }
  return peak;
}

std::string CpuProgram::stepName(int32_t step) const {
  const Program &program = loaded->program;
  int32_t location = program.steps[step].location;
  return location < 0 ? std::string() : program.locations[location];
}

std::vector<std::string> CpuProgram::fusedOps(int32_t step) const {
  const Program &program = loaded->program;
  std::vector<std::string> names;
  for (int32_t location : program.steps[step].fusedLocations)
    names.push_back(program.locations[location]);
  return names;
}

std::vector<ProgramLoop> CpuProgram::loops() const {
  return programLoops(loaded->program);
}
