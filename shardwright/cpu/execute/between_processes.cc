//===- between_processes.cc - a run's messages to other processes ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/run.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::cpu;

/// How long a process waits before it says that it only waits.
static constexpr std::chrono::milliseconds quietAfter{50};

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

RunDescription Executor::describe(const RemoteOptions &options) const {
  RunDescription description;
  description.key = options.key;
  description.name = prepared->program.name;
  description.devices = options.devices;
  description.programHash =
      options.mayDiffer ? prepared->communicationHash : prepared->programHash;
  for (int32_t process : prepared->placement.processes())
    description.participants.push_back(process);
  description.describeWait = [&p = *prepared](int32_t peer,
                                              const MessageKey &key) {
    int32_t step = p.collectiveSteps[key.step];
    const CollectivePlan &plan = p.collectives[p.steps[step].payload];
    std::vector<int32_t> members;
    for (const CollectivePlan::SharedGroup &group : plan.sharedGroups())
      for (const CollectivePlan::Peer &other : group.peers)
        if (group.group == key.group && other.process == peer)
          members.insert(members.end(), other.members.begin(),
                         other.members.end());
    llvm::sort(members);
    members.erase(llvm::unique(members), members.end());
    return p.describeStep(step) + " waits for its " + nameDevices(members);
  };
  return description;
}

void Run::beginRemote(const RemoteOptions &options, RunDescription given) {
  // The description is in the RemoteRun: no cycle.
  auto self = std::make_shared<std::weak_ptr<RemoteRun>>();
  given.sendBeyondLimit = [self] {
    if (auto remote = self->lock())
      remote->withRun([](Run &run) { run.sendBeyondLimit(); });
  };
  remote = std::make_shared<RemoteRun>(*this, options, std::move(given));
  *self = remote;
  // Equal in all processes, and positive.
  const RunKey &key = options.key;
  context.id = int64_t((key.deviceSet ^ key.launch * 0x9e3779b97f4a7c15) >> 1);
  options.transport->openRun(
      remote->description, [remote = remote](RunFailure failure) {
        remote->withRun([&](Run &run) { run.failFromPeer(failure); });
      });
}

/// Closes the run at the transport, which afterwards uses none of its memory.
void Run::endRemote() {
  remote->detach();
  Transport &transport = *remote->options.transport;
  if (!failed()) {
    transport.closeRun(remote->description.key);
  } else {
    transport.abortRun(remote->description, {errorDevice, error});
  }
  remote = nullptr;
}

/// Called by the transport: the run cannot succeed.
void Run::failFromPeer(const RunFailure &failure) {
  {
    std::lock_guard lock(errorMutex);
    if (error.empty() || failure.position < errorDevice) {
      error = failure.text;
      errorDevice = failure.position;
    }
    poisoned = true;
  }
  Lock lock(mutex);
  leaderWakes.notify_one();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::shared_ptr<OpenExchange>
Run::openExchange(int32_t step, const CollectivePlan::SharedGroup &group) {
  const StepInfo &s = prepared.steps[step];
  const CollectivePlan &plan = prepared.collectives[s.payload];
  auto open = std::make_shared<OpenExchange>(step, group);
  open->occurrence = remote->sentOccurrences[{step, group.group}]++;
  llvm::SmallVector<const void *, 8> inputs;
  llvm::SmallVector<void *, 8> outputs;
  for (SlotId in : prepared.inputs(s))
    for (int32_t member : group.localMembers)
      inputs.push_back(at(member).table[in]);
  for (SlotId out : prepared.outputs(s))
    for (int32_t member : group.localMembers)
      outputs.push_back(at(member).table[out]);
  auto exchange = Exchange::create({plan, group, s.numInputs, inputs, outputs});
  if (!exchange) {
    fail(group.localMembers.front(), step, toString(exchange.takeError()));
    return nullptr;
  }
  open->exchange = std::move(*exchange);
  return open;
}

/// Keeps alive what the transport may write to: the arenas of this run, what
/// its caller keeps (RemoteOptions), and the memory of the exchange.
std::shared_ptr<void> Run::ownerOf(const std::shared_ptr<OpenExchange> &open) {
  return std::make_shared<
      std::tuple<std::shared_ptr<Run>, std::shared_ptr<RemoteRun>,
                 std::shared_ptr<OpenExchange>>>(shared_from_this(), remote,
                                                 open);
}

Transport::Done Run::whenDone(const std::shared_ptr<OpenExchange> &open) {
  return [remote = remote, open](llvm::Error e) {
    std::string why = e ? toString(std::move(e)) : std::string();
    remote->withRun([&](Run &run) { run.transferDone(open, why); });
  };
}

/// Sends and receives the messages of the current stage. Requires the mutex.
void Run::postMessages(const std::shared_ptr<OpenExchange> &open) {
  const Exchange::Stage &stage = open->exchange->stage(open->stage);
  MessageKey key{prepared.collectiveNumbers[open->step], open->group.group,
                 open->occurrence, 0};
  Transport &transport = *remote->options.transport;
  const RunKey &run = remote->description.key;
  open->transfers = stage.sends.size() + stage.receives.size();
  remote->open.push_back(open);
  std::shared_ptr<void> owner;
  for (const Exchange::Receive &receive : stage.receives) {
    key.part = receive.part;
    if (!owner)
      owner = ownerOf(open);
    transport.receive(receive.peer, run, key, receive.bytes, owner,
                      whenDone(open));
  }
  for (const Exchange::Send &send : stage.sends) {
    key.part = send.part;
    remote->sentBytes += send.bytes.size();
    transport.send(send.peer, run, key, send.bytes, whenDone(open));
  }
  if (open->transfers == 0)
    stageDone(open);
}

/// Called by the transport for each transfer of an exchange.
void Run::transferDone(const std::shared_ptr<OpenExchange> &open,
                       const std::string &why) {
  Lock lock(mutex);
  if (!why.empty()) {
    std::lock_guard errorLock(errorMutex);
    if (error.empty()) {
      error = prepared.describeStep(open->step) + ": " + why;
      errorDevice = std::numeric_limits<int32_t>::max();
    }
    poisoned = true;
  }
  remote->isReportedQuiet = false;
  ++remote->numDone;
  if (--open->transfers == 0 || failed())
    stageDone(open);
  callHelpers(Caller::Other);
  if (!isDiverged)
    leaderWakes.notify_one();
}

/// The messages of a stage are done. Requires the mutex.
void Run::stageDone(const std::shared_ptr<OpenExchange> &open) {
  llvm::erase(remote->open, open);
  if (failed())
    return;
  if (!isDiverged) {
    remote->advanced.push_back(open);
    return;
  }
  if (!open->exchange) // a permute
    return finishPermuteWait(at(open->waiter));
  ++open->stage;
  addExchangeJob(open);
}

//===----------------------------------------------------------------------===//
// Lockstep
//===----------------------------------------------------------------------===//

void Run::runExchangeTasks(
    llvm::ArrayRef<std::shared_ptr<OpenExchange>> exchanges) {
  llvm::SmallVector<int64_t, 8> firstTask;
  int64_t tasks = 0;
  for (const auto &open : exchanges) {
    firstTask.push_back(tasks);
    tasks += open->exchange->stage(open->stage).tasks;
  }
  pool->parallelFor(tasks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      size_t which = llvm::upper_bound(firstTask, i) - firstTask.begin() - 1;
      const auto &open = exchanges[which];
      open->exchange->run(open->stage, i - firstTask[which]);
    }
  });
}

/// Starts the collective's exchanges: their first tasks and messages.
Run::Exchanges Run::startExchanges(int32_t step) {
  const CollectivePlan &plan =
      prepared.collectives[prepared.steps[step].payload];
  Exchanges exchanges;
  if (plan.isPermute())
    return startPermutes(step);
  for (const CollectivePlan::SharedGroup &group : plan.sharedGroups()) {
    auto open = openExchange(step, group);
    if (!open)
      return {};
    exchanges.push_back(std::move(open));
  }
  runExchangeTasks(exchanges);
  Lock lock(mutex);
  for (const auto &open : exchanges)
    postMessages(open);
  return exchanges;
}

/// Runs the next stages of exchanges whose messages have come.
void Run::advanceExchanges() {
  std::vector<std::shared_ptr<OpenExchange>> advanced;
  {
    Lock lock(mutex);
    advanced.swap(remote->advanced);
  }
  Exchanges next;
  for (auto &open : advanced) {
    if (!open->exchange || open->stage + 1 == open->exchange->numStages()) {
      open->isFinished = true; // a permute
      continue;
    }
    ++open->stage;
    next.push_back(std::move(open));
  }
  if (next.empty())
    return;
  runExchangeTasks(next);
  Lock lock(mutex);
  for (const auto &open : next)
    if (open->stage + 1 < open->exchange->numStages())
      postMessages(open);
    else
      open->isFinished = true;
}

void Run::finishExchanges(
    llvm::ArrayRef<std::shared_ptr<OpenExchange>> wanted) {
  auto isFinished = [](const auto &open) { return open->isFinished; };
  while (!failed() && !llvm::all_of(wanted, isFinished)) {
    {
      Lock lock(mutex);
      while (remote->advanced.empty() && !failed())
        waitForPeers(lock);
    }
    if (!failed())
      advanceExchanges();
  }
}

/// Finishes the collectives that must be finished before a step (-1: all).
void Run::finishDeferred(int32_t step) {
  auto isDue = [&](const auto &entry) {
    return step < 0 || entry.first <= step;
  };
  Exchanges due;
  for (auto &entry : remote->deferred)
    if (isDue(entry))
      due.push_back(entry.second);
  llvm::erase_if(remote->deferred, isDue);
  auto begin = traceNow();
  finishExchanges(due);
  if (!due.empty())
    for (Device &d : devices)
      record(d, d.pc, Trace::What::Waiting, begin);
}

bool Run::mustFinishBefore(int32_t step) const {
  return llvm::any_of(remote->deferred,
                      [&](const auto &entry) { return entry.first <= step; });
}

/// Waits for a change; tells the transport if this process does nothing else.
void Run::waitForPeers(Lock &lock) {
  leaderWaits = true;
  bool isQuiet =
      leaderWakes.wait_for(lock, quietAfter) == std::cv_status::timeout &&
      inProgress == 0 && jobs.empty() && ready.empty() &&
      !remote->open.empty() && !remote->isReportedQuiet && !failed();
  leaderWaits = false;
  if (!isQuiet)
    return;
  remote->isReportedQuiet = true;
  remote->options.transport->reportQuiet(remote->description.key,
                                         remote->numDone, describeWaits(),
                                         !remote->throttled.empty());
}

//===----------------------------------------------------------------------===//
// Diverged
//===----------------------------------------------------------------------===//

/// Adds a job for the current stage, or posts its messages if it has no tasks.
/// Requires the mutex.
void Run::addExchangeJob(const std::shared_ptr<OpenExchange> &open) {
  auto job = std::make_unique<Job>();
  job->step = open->step;
  job->exchange = open;
  job->tasks = open->exchange->stage(open->stage).tasks;
  if (job->tasks == 0)
    return finish(*job);
  jobs.push_back(std::move(job));
}

/// The tasks of a stage are done. Requires the mutex.
void Run::finishStage(const std::shared_ptr<OpenExchange> &open) {
  if (open->stage + 1 < open->exchange->numStages())
    return postMessages(open);
  for (int32_t member : open->group.localMembers)
    leave(at(member));
}
