//===- diverged.cc - execution of diverged devices ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/run.h"

#include "shardwright/support/blocking_threads.h"
#include "shardwright/support/host_memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

void Run::runDiverged() {
  Lock lock(mutex);
  isDiverged = true;
  // A helper that starts late from the previous diverged phase may start now.
  for (Device &d : devices)
    d.state = State::Running;
  for (Device &d : devices) {
    const StepInfo &s = at(d);
    if (s.kind == StepKind::Collective || s.kind == StepKind::Return ||
        prepared.mayBlock(s))
      arrive(lock, d);
    else
      makeReady(d);
  }
  callHelpers(Caller::Leader);
  work(lock, /*isLeader=*/true);
  isDiverged = false;
  ready = {};
}

/// True if all devices are ready at the same step and no work or message is
/// pending. A pending message would otherwise be overtaken by the next step.
bool Run::mayRejoin() const {
  return inProgress == 0 && !waitsForPeers() &&
         ready.size() == devices.size() && messages.empty() && allAtOneStep();
}

/// Works until there is nothing to do. The leader works until all devices are
/// at the same step again.
void Run::work(Lock &lock, bool isLeader) {
  while (isDiverged) {
    Job *job = nullptr;
    if (!failed())
      for (auto &candidate : jobs)
        if (candidate->next < candidate->tasks) {
          job = candidate.get();
          break;
        }
    if (job) {
      workOnJob(lock, *job, isLeader);
    } else if (!failed() && !ready.empty() && !mayRejoin()) {
      Device &d = devices[ready.top().second];
      ready.pop();
      d.state = State::Running;
      ++inProgress;
      busyHelpers += !isLeader;
      lock.unlock();
      advance(d, /*stopAtHeavy=*/false);
      lock.lock();
      --inProgress;
      if (!failed())
        arrive(lock, d);
      busyHelpers -= !isLeader;
      callHelpers(isLeader ? Caller::Leader : Caller::Helper);
    } else if (!isLeader) {
      return;
    } else if (inProgress > 0) {
      leaderWaits = true;
      leaderWakes.wait(lock);
      leaderWaits = false;
    } else if (waitsForPeers() && !failed()) {
      waitForPeers(lock);
    } else {
      // No work is in progress and none can start: the run is done, has failed,
      // may rejoin, or is deadlocked.
      if (!failed() && doneDevices < int32_t(devices.size()) && ready.empty())
        reportDeadlock();
      return;
    }
  }
}

/// After a change of state, wakes or starts threads for the work that can
/// start.
void Run::callHelpers(Caller caller) {
  int64_t wanted = mayRejoin() ? 0 : int64_t(ready.size());
  for (auto &job : jobs)
    wanted += job->tasks - job->next;
  if (failed())
    wanted = 0;
  bool takesOne = caller != Caller::Other;
  bool leaderTakesOne = caller == Caller::Leader || leaderWaits;
  if (leaderWaits && (wanted > takesOne || (wanted == 0 && inProgress == 0)))
    leaderWakes.notify_one();
  // Busy helpers take no new task until they finish, which may take long.
  int64_t enough = busyHelpers + wanted - leaderTakesOne;
  while (helpers < std::min<int64_t>(enough, pool->size() - 1)) {
    ++helpers;
    pool->submit([self = shared_from_this()] {
      Lock lock(self->mutex);
      self->work(lock, /*isLeader=*/false);
      --self->helpers;
    });
  }
}

void Run::makeReady(Device &d) {
  d.state = State::Ready;
  ready.push({d.rendezvous, d.local});
}

/// Moves the device past the rendezvous that it is at.
void Run::leave(Device &d) {
  record(d, d.pc, Trace::What::Waiting, d.arrived);
  ++d.pc;
  ++d.steps;
  ++d.rendezvous;
  makeReady(d);
}

void Run::arrive(Lock &lock, Device &d) {
  d.arrived = traceNow();
  const StepInfo &s = at(d);
  if (s.kind == StepKind::Return) {
    d.state = State::Done;
    ++doneDevices;
    return;
  }
  if (s.kind != StepKind::Collective)
    return arriveAtHost(d);
  if (!collectiveMayStart(d))
    return;
  const CollectivePlan &plan = prepared.collectives[s.payload];
  if (plan.isPermute())
    return arriveAtPermute(lock, d);
  int32_t group = plan.groupOf(d.number);
  if (group < 0) { // no other members
    for (SlotId out : prepared.outputs(s))
      std::memset(d.table[out], 0, plan.outputBytes());
    return leave(d);
  }
  d.state = State::Waiting;
  llvm::ArrayRef<int32_t> members = plan.groups()[group];
  const CollectivePlan::SharedGroup *shared = plan.sharedGroup(group);
  if (shared)
    members = shared->localMembers;
  auto key = std::pair(d.pc, group);
  if (++arrivals[key] < int32_t(members.size()))
    return;
  arrivals.erase(key);
  if (shared) {
    if (auto open = openExchange(d.pc, *shared))
      addExchangeJob(open);
    return;
  }
  auto job = std::make_unique<Job>();
  job->step = d.pc;
  job->group = group;
  job->tasks = plan.tasks(group) * s.numInputs;
  for (SlotId in : prepared.inputs(s))
    for (int32_t member : members)
      job->inputs.push_back(at(member).table[in]);
  for (SlotId out : prepared.outputs(s))
    for (int32_t member : members)
      job->outputs.push_back(at(member).table[out]);
  if (job->tasks == 0)
    return finish(*job);
  jobs.push_back(std::move(job));
}

/// The device is in progress until the host has answered, on a thread that may
/// block.
void Run::arriveAtHost(Device &d) {
  d.state = State::Running;
  ++inProgress;
  bool isRunning = runBlocking([self = shared_from_this(), &d] {
    bool succeeded = self->callHost(d);
    Lock lock(self->mutex);
    --self->inProgress;
    if (succeeded && !self->failed())
      self->leave(d);
    self->callHelpers(Caller::Other);
  });
  if (!isRunning) {
    --inProgress;
    fail(d.number, d.pc,
         "the system grants no thread that waits for the host function");
  }
}

void Run::workOnJob(Lock &lock, Job &job, bool isLeader) {
  const CollectivePlan &plan =
      prepared.collectives[prepared.steps[job.step].payload];
  int64_t task = job.next++;
  ++inProgress;
  busyHelpers += !isLeader;
  lock.unlock();
  auto begin = timed ? Clock::now() : Clock::time_point();
  if (job.exchange) {
    job.exchange->exchange->run(job.exchange->stage, task);
  } else {
    int64_t perOperand = plan.tasks(job.group);
    int64_t first = task / perOperand * plan.groups()[job.group].size();
    plan.run(job.group, &job.inputs[first], &job.outputs[first],
             task % perOperand);
  }
  if (timed)
    collectiveNs += (Clock::now() - begin) / std::chrono::nanoseconds(1);
  lock.lock();
  --inProgress;
  busyHelpers -= !isLeader;
  if (++job.done == job.tasks) {
    // Finishing may add the job of a next stage.
    auto it = llvm::find_if(jobs, [&](auto &j) { return j.get() == &job; });
    std::unique_ptr<Job> done = std::move(*it);
    jobs.erase(it);
    if (!failed())
      finish(*done);
  }
  callHelpers(isLeader ? Caller::Leader : Caller::Helper);
}

/// Releases all members; until now none of them could modify its operands.
void Run::finish(Job &job) {
  if (job.exchange)
    return finishStage(job.exchange);
  const CollectivePlan &plan =
      prepared.collectives[prepared.steps[job.step].payload];
  for (int32_t member : plan.groups()[job.group])
    leave(at(member));
}

//===----------------------------------------------------------------------===//
// collective_permute
//===----------------------------------------------------------------------===//

/// Takes the oldest message to a device at a permute; null: there is none.
/// Requires the mutex.
std::shared_ptr<void> Run::takeMessage(int32_t step, const Device &target) {
  auto it = messages.find({step, target.number});
  if (it == messages.end())
    return nullptr;
  auto data = std::move(it->second.front().data);
  it->second.pop_front();
  if (it->second.empty())
    messages.erase(it);
  return data;
}

/// Copies a message's operands to the results of a device at the permute.
void Run::copyMessage(int32_t step, const Device &target, const void *data) {
  const StepInfo &s = prepared.steps[step];
  int64_t bytes = prepared.collectives[s.payload].outputBytes();
  for (auto [k, out] : llvm::enumerate(prepared.outputs(s)))
    std::memcpy(target.table[out], static_cast<const char *>(data) + k * bytes,
                bytes);
}

/// Keeps a message for a device that had not arrived. It may have arrived since
/// then, and found no message. Requires the mutex.
void Run::deliver(int32_t step, Device &target, std::shared_ptr<void> data) {
  messages[{step, target.number}].push_back({std::move(data)});
  if (!target.awaitsMessage || target.pc != step)
    return;
  target.awaitsMessage = false;
  copyMessage(step, target, takeMessage(step, target).get());
  finishPermuteWait(target);
}

/// The device sends to its targets and continues; it waits only for its own
/// source. A target that has not arrived gets a copy, because the sender may
/// overwrite its operand.
void Run::arriveAtPermute(Lock &lock, Device &d) {
  int32_t step = d.pc;
  const StepInfo &s = prepared.steps[step];
  const CollectivePlan &plan = prepared.collectives[s.payload];
  auto inputs = prepared.inputs(s), outputs = prepared.outputs(s);
  int64_t bytes = plan.outputBytes();
  int32_t source = plan.sourceOf(d.number);

  auto receive = [&](Device &target, const void *data) {
    copyMessage(step, target, data);
  };
  auto copyFrom = [&](Device &target, const Device &from) {
    for (size_t k = 0; k < outputs.size(); ++k)
      std::memcpy(target.table[outputs[k]], from.table[inputs[k]], bytes);
  };

  // During the copy, no other thread may deliver to these targets or to us.
  llvm::SmallVector<Device *, 2> direct, absent;
  llvm::SmallVector<int32_t, 2> remoteTargets;
  for (int32_t number : plan.targetsOf(d.number)) {
    if (!prepared.placement.isLocal(number)) {
      remoteTargets.push_back(number);
      continue;
    }
    Device &target = at(number);
    if (&target == &d)
      continue;
    if (target.awaitsMessage && target.pc == step) {
      target.awaitsMessage = false;
      direct.push_back(&target);
    } else {
      absent.push_back(&target);
    }
  }
  std::shared_ptr<void> own;
  bool isFromPeer = source >= 0 && !prepared.placement.isLocal(source);
  if (source >= 0 && source != d.number && !isFromPeer)
    own = takeMessage(step, d);
  d.state = State::Running;
  ++inProgress;
  lock.unlock();

  auto begin = timed ? Clock::now() : Clock::time_point();
  for (Device *target : direct)
    copyFrom(*target, d);
  llvm::SmallVector<std::shared_ptr<void>, 2> sent;
  for (size_t i = 0; i < absent.size(); ++i) {
    std::shared_ptr<void> data = allocateHost(bytes * inputs.size());
    if (!data) {
      fail(d.number, step, "not enough memory to send its operand");
      break;
    }
    for (size_t k = 0; k < inputs.size(); ++k)
      std::memcpy(static_cast<char *>(data.get()) + k * bytes,
                  d.table[inputs[k]], bytes);
    sent.push_back(std::move(data));
  }
  Operands copies; // the same for all remote targets
  if (!remoteTargets.empty())
    copies = copyOperands(step, d);
  bool received = true;
  if (source < 0)
    for (SlotId out : outputs)
      std::memset(d.table[out], 0, bytes);
  else if (source == d.number)
    copyFrom(d, d);
  else if (own)
    receive(d, own.get());
  else
    received = false;
  if (timed)
    collectiveNs += (Clock::now() - begin) / std::chrono::nanoseconds(1);

  lock.lock();
  --inProgress;
  if (failed())
    return;
  for (Device *target : direct)
    finishPermuteWait(*target);
  for (auto [target, data] : llvm::zip_equal(absent, sent))
    deliver(step, *target, std::move(data));
  for (int32_t number : remoteTargets)
    sendOperands(step, *plan.sharedGroup(number), copies);
  if (isFromPeer) {
    receiveOperands(step, *plan.sharedGroup(d.number));
  } else if (!received && (own = takeMessage(step, d))) {
    receive(d, own.get());
  } else if (!received) {
    ++d.permuteWaits;
    d.awaitsMessage = true;
  }
  if (d.permuteWaits == 0)
    leave(d);
  else
    d.state = State::Waiting;
}

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

/// One part per place where devices wait: the op, the waiting devices and the
/// missing devices. Then the finished devices.
std::string Run::describeWaits() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::map<std::pair<int32_t, int32_t>, std::vector<int32_t>> waiting;
  std::vector<int32_t> finished;
  // In lockstep devices may have gone on beside the collectives.
  if (!isDiverged && remote)
    for (const std::shared_ptr<OpenExchange> &open : remote->open) {
      if (open->isThrottle())
        continue;
      llvm::ArrayRef<int32_t> members = open->group.localMembers;
      waiting[{open->step, open->group.group}] = members.vec();
    }
  for (const Device &d : devices) {
    if (isDiverged && d.state == State::Done) {
      finished.push_back(d.number);
      continue;
    }
    if (!isDiverged || at(d).kind != StepKind::Collective)
      continue;
    const CollectivePlan &plan = prepared.collectives[at(d).payload];
    int32_t key = plan.isPermute() ? d.number : plan.groupOf(d.number);
    if (key >= 0)
      waiting[{d.pc, key}].push_back(d.number);
  }
  bool isFirst = true;
  for (auto &[key, there] : waiting) {
    const CollectivePlan &plan =
        prepared.collectives[prepared.steps[key.first].payload];
    std::vector<int32_t> missing;
    if (plan.isPermute())
      missing.push_back(plan.sourceOf(there[0]));
    else
      for (int32_t member : plan.groups()[key.second])
        if (!llvm::is_contained(there, member))
          missing.push_back(member);
    if (missing.empty())
      continue;
    llvm::sort(missing);
    if (!isFirst)
      os << "; ";
    isFirst = false;
    os << nameDevices(there) << (there.size() == 1 ? " waits at " : " wait at ")
       << prepared.describeStep(key.first) << " for " << nameDevices(missing);
  }
  if (!finished.empty())
    os << (isFirst ? "" : "; ") << nameDevices(finished)
       << (finished.size() == 1 ? " has finished" : " have finished");
  return text;
}

void Run::reportDeadlock() {
  std::string text = "deadlock: " + describeWaits() +
                     "; all devices of a group must reach its collectives in "
                     "the same order";
  std::lock_guard lock(errorMutex);
  poisoned = true;
  error = text;
}
