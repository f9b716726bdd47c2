//===- gathered_run.cc - runs that devices start one by one ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_program.h"

#include "shardwright/cpu/execute/program_hash.h"
#include "shardwright/job/job.h"

#include <iterator>
#include <numeric>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {
/// What one device has joined with.
template <typename Loaded> struct Part {
  std::shared_ptr<Loaded> loaded; ///< null: has not joined
  RunArguments arguments;
  RunResults results;
  DeviceBuffers buffers;
  llvm::unique_function<void(RunArguments)> giveBack;
};

/// Where arguments and results of other programs are, which are not accessed.
alignas(64) char nowhere[64];
} // namespace

/// A job of the queue that devices join, and the run that it starts.
class CpuProgram::GatheredRun final : public shardwright::GatheredRun {
public:
  GatheredRun(CpuBackend &cpu, Placement placement,
              llvm::SmallVector<DeviceId, 8> local,
              std::shared_ptr<PendingRun> run)
      : cpu(cpu), local(std::move(local)),
        state(std::make_shared<State>(cpu, std::move(placement), std::move(run),
                                      this->local.size())) {}
  ~GatheredRun() override { cancel("the run was given up"); }

  /// Opens the job. A run with devices of other processes gets its number.
  void open(bool hasPeers);
  llvm::Expected<StartedRun> join(size_t position, LoadedProgram &program,
                                  RunRequest &part) override;
  void cancel(llvm::StringRef why) override;

private:
  using Part = ::Part<Loaded>;
  /// Shared with the job, which may outlive this object.
  struct State {
    State(CpuBackend &cpu, Placement placement,
          std::shared_ptr<PendingRun> theRun, size_t numLocal)
        : cpu(cpu), placement(std::move(placement)), run(std::move(theRun)),
          parts(numLocal) {}
    void start(llvm::StringRef failure);
    void takeParts();
    llvm::Error chooseExecutor();

    CpuBackend &cpu; ///< waits for the job
    const Placement placement;
    std::shared_ptr<PendingRun> run;
    std::mutex mutex;
    std::vector<Part> parts; ///< by local position
    bool isCancelled = false;
    std::string why;
  };

  CpuBackend &cpu;
  const llvm::SmallVector<DeviceId, 8> local;
  std::shared_ptr<State> state;
  std::shared_ptr<DeviceQueue::Job> job;
};

const CpuProgram::Loaded::Hashes &CpuProgram::Loaded::hashes() {
  std::call_once(areHashed, [&] {
    hashed = {hashOf(program), hashOfCommunication(program)};
  });
  return hashed;
}

bool CpuProgram::runsWith(const LoadedProgram &other) const {
  if (other.backendName() != backendName())
    return false;
  Loaded &its = *static_cast<const CpuProgram &>(other).loaded;
  if (loaded.get() == &its || loaded->hashes().program == its.hashes().program)
    return true;
  return loaded->program.numPartitions == 1 && its.program.numPartitions == 1 &&
         loaded->hashes().communication == its.hashes().communication;
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

void CpuProgram::GatheredRun::open(bool hasPeers) {
  auto submit = [&] {
    job = cpu.queue.gather(
        local.size(),
        [state = state](llvm::StringRef failure) { state->start(failure); },
        /*waitsForPeers=*/hasPeers);
  };
  if (!hasPeers)
    return submit();
  PendingRun &run = *state->run;
  run.remote = RemoteOptions{&cpu.job->transport(),
                             {},
                             nameDevices(run.request.devices),
                             state->run,
                             /*mayDiffer=*/true};
  cpu.launch(run.request.devices, [&](const RunKey &key) {
    run.remote->key = key;
    submit();
  });
}

llvm::Expected<StartedRun> CpuProgram::GatheredRun::join(size_t position,
                                                         LoadedProgram &given,
                                                         RunRequest &request) {
  auto &program = static_cast<CpuProgram &>(given);
  auto placed = program.place(cpu, request, 1);
  if (!placed)
    return placed.takeError();
  StartedRun started{placed->results, state->run->done};
  llvm::SmallVector<Event, 2> inputs;
  {
    std::lock_guard lock(state->mutex);
    if (state->isCancelled)
      return llvm::createStringError(state->why);
    RunRequest &whole = state->run->request;
    llvm::append_range(whole.after, request.after);
    if (!whole.callData)
      whole.callData = std::move(request.callData);
    if (!whole.trace)
      whole.trace = std::move(request.trace);
    inputs = std::move(request.after);
    state->parts[position] = {program.loaded, std::move(request.arguments),
                              std::move(placed->results),
                              std::move(placed->buffers.front()),
                              std::move(request.returnArguments)};
  }
  // If it was cancelled meanwhile, the job fails or has failed.
  (void)cpu.queue.join(job, local[position], inputs);
  return started;
}

void CpuProgram::GatheredRun::cancel(llvm::StringRef why) {
  {
    std::lock_guard lock(state->mutex);
    if (state->isCancelled)
      return;
    state->isCancelled = true;
    state->why = why;
  }
  cpu.queue.cancel(job, why);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Runs the job, on a thread of the queue.
void CpuProgram::GatheredRun::State::start(llvm::StringRef failure) {
  std::string why = failure.str();
  {
    std::lock_guard lock(mutex);
    if (why.empty())
      if (llvm::Error e = chooseExecutor())
        why = llvm::toString(std::move(e));
    takeParts();
  }
  run->run(why);
  run->remote.reset(); // it keeps the run alive
}

/// Moves arguments and results to the run. Requires the mutex.
void CpuProgram::GatheredRun::State::takeParts() {
  using GiveBack = llvm::unique_function<void(RunArguments)>;
  std::vector<std::pair<size_t, GiveBack>> owners;
  for (Part &part : parts) {
    owners.emplace_back(part.arguments.size(), std::move(part.giveBack));
    llvm::move(part.arguments, std::back_inserter(run->request.arguments));
    llvm::move(part.results, std::back_inserter(run->results));
    part.arguments.clear();
    part.results.clear();
  }
  run->request.returnArguments =
      [owners = std::move(owners)](RunArguments arguments) mutable {
        auto *from = arguments.begin();
        for (auto &[count, giveBack] : owners) {
          RunArguments own(std::make_move_iterator(from),
                           std::make_move_iterator(from + count));
          from += count;
          if (giveBack)
            giveBack(std::move(own));
        }
      };
}

/// All devices have joined: finds the executor of their programs, and fills the
/// addresses of arguments and results. Requires the mutex.
llvm::Error CpuProgram::GatheredRun::State::chooseExecutor() {
  std::shared_ptr<Loaded> &first = parts.front().loaded;
  run->loaded = first;
  bool areEqual = llvm::all_of(parts, [&](const Part &part) {
    return part.loaded == first ||
           part.loaded->hashes().program == first->hashes().program;
  });
  if (areEqual) {
    run->executor = first->executor.get();
    if (!placement.isAllLocal()) {
      auto made = first->executorFor(placement);
      if (!made)
        return made.takeError();
      run->executor = *made;
    }
    for (Part &part : parts)
      run->buffers.push_back(std::move(part.buffers));
    return llvm::Error::success();
  }
  std::vector<DeviceProgram> programs;
  size_t next = 0;
  for (size_t p = 0; p < run->request.devices.size(); ++p) {
    DeviceProgram &one = programs.emplace_back();
    if (!placement.isLocal(p))
      continue;
    const std::shared_ptr<Loaded> &loaded = parts[next++].loaded;
    one = {&loaded->program, loaded->hashes().program, loaded};
  }
  auto merged = cpu.mergedExecutors.get(programs, placement);
  if (!merged)
    return merged.takeError();
  const MergedExecutor &executor = **merged;
  run->executor = executor.executor.get();
  run->keepsAlive = *merged;
  run->request.trace = nullptr; // its steps are none of the program's
  const Program &all = executor.merged.program;
  next = 0;
  for (size_t p = 0; p < programs.size(); ++p) {
    if (!programs[p].program)
      continue;
    const DeviceBuffers &own = parts[next++].buffers;
    int32_t which = executor.programOf[p];
    DeviceBuffers &buffers = run->buffers.emplace_back();
    buffers.arguments.assign(all.arguments.size(), nowhere);
    buffers.results.assign(all.results.size(), nowhere);
    llvm::copy(own.arguments, buffers.arguments.begin() +
                                  executor.merged.firstArgument[which]);
    llvm::copy(own.results,
               buffers.results.begin() + executor.merged.firstResult[which]);
  }
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<shardwright::GatheredRun>>
CpuProgram::gather(Backend &backend, llvm::ArrayRef<DeviceId> devices,
                   std::optional<int32_t> only) {
  if (backend.name() != backendName())
    return llvm::createStringError("a program of backend " + backendName() +
                                   " cannot run on devices of backend " +
                                   backend.name());
  auto &cpu = static_cast<CpuBackend &>(backend);
  Placement placement = cpu.placementOn(devices);
  bool hasPeers = !only && !placement.isAllLocal();
  if (only && devices.size() > 1) {
    // As if each position were that of another process.
    std::vector<int32_t> owners(devices.size());
    std::iota(owners.begin(), owners.end(), 0);
    placement = Placement(*only, owners);
  }
  llvm::SmallVector<DeviceId, 8> local;
  for (auto [position, device] : llvm::enumerate(devices))
    if (placement.isLocal(position))
      local.push_back(device);
  if (local.empty())
    return llvm::createStringError("no device of the run belongs to this "
                                   "process");
  RunRequest request;
  request.devices.append(devices.begin(), devices.end());
  std::shared_ptr<PendingRun> run =
      makePending(cpu, *loaded->executor, request, {});
  if (!placement.isAllLocal()) {
    auto executor = loaded->executorFor(placement);
    if (!executor)
      return executor.takeError();
    run->executor = *executor;
  }
  auto gathered = std::make_shared<GatheredRun>(
      cpu, std::move(placement), std::move(local), std::move(run));
  gathered->open(hasPeers);
  return gathered;
}
