//===- semaphores.cc - copies and semaphores of cores ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/run/kernel_run.h"

#include <algorithm>

namespace shardwright::frontend::kernels {

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

/// Takes from a semaphore what a core has waited for; the core knows then what
/// those knew that added it.
void KernelRun::subtract(Counter &counter, Core &core, int64_t amount) {
  counter.value -= amount;
  while (amount && !counter.additions.empty()) {
    Addition &oldest = counter.additions.front();
    join(core.clock, oldest.clock);
    const int64_t taken = std::min(amount, oldest.amount);
    amount -= taken;
    oldest.amount -= taken;
    if (!oldest.amount)
      counter.additions.pop_front();
  }
}

/// Adds to a semaphore, and makes the cores ready that have waited for that.
/// Requires the mutex.
Status KernelRun::addTo(const MemoryPtr &sem, int64_t element, int64_t amount,
                        const Clock &clock, const std::string &what) {
  Counter &counter = sem->counters[element];
  if (__builtin_add_overflow(counter.value, amount, &counter.value))
    return makeError(ErrorKind::Runtime, "the semaphore ", sem->name,
                     " is larger than 2^63");
  if (detectsRaces() && amount)
    counter.additions.push_back({amount, clock, what});
  while (!counter.waiters.empty() &&
         counter.waiters.front().amount <= counter.value) {
    Waiter first = counter.waiters.front();
    counter.waiters.pop_front();
    Core &core = cores[first.core];
    core.waitsIn = nullptr;
    core.waitsFor = nullptr;
    subtract(counter, core, first.amount);
    makeReady(first.core);
  }
  return {};
}

Status KernelRun::signal(Core &core, const Step &step) {
  SyncOperands o = syncOperands(step.eqn->params);
  Expected<Part> sem = partOf(core, step, o.views[0].ref,
                              o.views[0].firstPosition, *o.views[0].view);
  if (!sem)
    return sem.error();
  Expected<int64_t> amount = integerOf(core, step.eqn->ins[o.firstScalar]);
  if (!amount)
    return amount.error();
  if (*amount < 0)
    return valueError("a semaphore is signalled with ", *amount,
                      "; it must be at least 0");
  Expected<int32_t> target = targetOf(core, step, o.firstScalar + 1);
  if (!target)
    return target.error();
  Clock clock = core.clock;
  std::string op;
  if (detectsRaces()) {
    op = cat("`", opText(core, step), "` of ", nameOf(core));
    ++core.clock[core.index];
  }
  const int64_t element = sem->box.offset;
  if (*target == core.index) {
    Lock lock(mutex);
    return addTo(sem->memory, element, *amount, clock, op);
  }
  Remote remote;
  remote.target = *target;
  remote.core = core.index;
  remote.needs = {sem->memory->key};
  remote.op = opText(core, step);
  remote.act = [this, key = sem->memory->key, target = *target, element,
                amount = *amount, clock = std::move(clock),
                op = std::move(op)]() -> Status {
    Expected<MemoryPtr> own = memoryOf(target, key);
    return own ? addTo(*own, element, amount, clock, op) : Status(own.error());
  };
  Lock lock(mutex);
  return actRemotely(std::move(remote));
}

/// semaphore_wait and dma_wait.
Expected<KernelRun::Progress> KernelRun::wait(Core &core, const Step &step) {
  SyncOperands o = syncOperands(step.eqn->params);
  const ViewOperand &view = o.views.back();
  Expected<Part> sem =
      partOf(core, step, view.ref, view.firstPosition, *view.view);
  if (!sem)
    return sem.error();
  int64_t amount = 0;
  if (step.kind == Step::Kind::DmaWait) {
    Expected<Part> copied = partOf(core, step, o.views[0].ref,
                                   o.views[0].firstPosition, *o.views[0].view);
    if (!copied)
      return copied.error();
    amount = copied->box.elements() * elementBytes(copied->memory->type.dtype);
  } else {
    Expected<int64_t> given = integerOf(core, step.eqn->ins[o.firstScalar]);
    if (!given)
      return given.error();
    if (*given < 0)
      return valueError("a core waits for ", *given,
                        " of a semaphore; it must be at least 0");
    amount = *given;
  }
  Lock lock(mutex);
  Counter &counter = sem->memory->counters[sem->box.offset];
  if (counter.waiters.empty() && counter.value >= amount) {
    subtract(counter, core, amount);
    return detectsRaces() ? Progress::Yields : Progress::Continues;
  }
  core.waitsIn = &step;
  core.waitsFor = sem->memory;
  core.waitsForElement = sem->box.offset;
  core.waitsForAmount = amount;
  counter.waiters.push_back({core.index, amount});
  // From here on another thread may run the core.
  return Progress::Parked;
}

Status KernelRun::readSemaphore(Core &core, const Step &step) {
  SyncOperands o = syncOperands(step.eqn->params);
  Expected<Part> sem = partOf(core, step, o.views[0].ref,
                              o.views[0].firstPosition, *o.views[0].view);
  if (!sem)
    return sem.error();
  int64_t value = 0;
  {
    Lock lock(mutex);
    value = sem->memory->counters[sem->box.offset].value;
  }
  setResult(core, step, scalarOf(value, DType::I32));
  return {};
}

//===----------------------------------------------------------------------===//
// Other cores
//===----------------------------------------------------------------------===//

/// The core that the operands from `first` on name.
Expected<int32_t> KernelRun::targetOf(const Core &core, const Step &step,
                                      size_t first) {
  const AxisNames &axes = step.eqn->params.names("target_axes");
  AxisNames names = kernel->devices.names();
  Ints sizes = kernel->devices.sizes();
  const size_t numDeviceAxes = names.size();
  const CoreMesh &mesh = kernel->param.mesh;
  names.insert(names.end(), mesh.names().begin(), mesh.names().end());
  sizes.insert(sizes.end(), mesh.sizes().begin(), mesh.sizes().end());
  Ints position = core.coordinates;
  for (size_t i = 0; i < axes.size(); ++i) {
    // Axes of cores hide those of devices.
    size_t at = names.size();
    while (at-- > 0 && names[at] != axes[i])
      ;
    if (at == SIZE_MAX)
      return notImplemented("the axis ", axes[i],
                            " is neither one of the cores nor one of the "
                            "devices");
    Expected<int64_t> given = integerOf(core, step.eqn->ins[first + i]);
    if (!given)
      return given.error();
    if (*given < 0 || *given >= sizes[at])
      return makeError(ErrorKind::Index, "the target ", axes[i], "=", *given,
                       " is outside of the ", sizes[at], " along that axis");
    position[at] = *given;
  }
  int64_t device = 0, number = 0;
  for (size_t i = 0; i < position.size(); ++i) {
    int64_t &sum = i < numDeviceAxes ? device : number;
    sum = sum * sizes[i] + position[i];
  }
  // A kernel of one device knows no others.
  if (!kernel->isJoint)
    device = core.device;
  return static_cast<int32_t>(device * mesh.numCores() + number);
}

Expected<MemoryPtr> KernelRun::memoryOf(int32_t target,
                                        const MemoryKey &key) const {
  const Core &core = cores[target];
  if (key.step < 0)
    return operands[core.device][key.number];
  auto found = core.memories.find(key);
  if (found != core.memories.end())
    return found->second;
  auto entered = core.entries.find(key.step);
  if (entered != core.entries.end() && entered->second > key.occurrence)
    return makeError(ErrorKind::Runtime, nameOf(core),
                     " has left the run_scoped that allocated the memory; let "
                     "it wait until nothing more arrives");
  return MemoryPtr();
}

Status KernelRun::actRemotely(Remote remote) {
  for (const MemoryKey &key : remote.needs) {
    Expected<MemoryPtr> found = memoryOf(remote.target, key);
    if (!found)
      return found.error();
    if (!*found) {
      remotes.push_back(std::move(remote));
      return {};
    }
  }
  return remote.act();
}

/// Does what has waited for memory that a core has allocated now.
Status KernelRun::retryRemotes(int32_t target) {
  std::vector<Remote> now;
  for (size_t i = 0; i < remotes.size();)
    if (remotes[i].target == target) {
      now.push_back(std::move(remotes[i]));
      remotes.erase(remotes.begin() + i);
    } else {
      ++i;
    }
  for (Remote &remote : now)
    SW_TRY(actRemotely(std::move(remote)));
  return {};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Status KernelRun::startCopy(Core &core, const Step &step) {
  SyncOperands o = syncOperands(step.eqn->params);
  std::vector<Part> parts;
  for (const ViewOperand &v : o.views) {
    Expected<Part> part = partOf(core, step, v.ref, v.firstPosition, *v.view);
    if (!part)
      return part.error();
    parts.push_back(std::move(*part));
  }
  Expected<int32_t> target = targetOf(core, step, o.firstScalar);
  if (!target)
    return target.error();
  auto copy = std::make_shared<Copy>();
  copy->core = core.index;
  copy->from = parts[0].memory;
  copy->fromBox = parts[0].box;
  copy->toBox = parts[1].box;
  copy->recvElement = parts[2].box.offset;
  copy->bytes =
      parts[0].box.elements() * elementBytes(parts[0].memory->type.dtype);
  if (parts.size() > 3) {
    copy->sendSem = parts[3].memory;
    copy->sendElement = parts[3].box.offset;
  }
  // A copy of nothing touches no memory, and no core can wait for its bytes.
  if (!copy->bytes)
    return {};
  Lock lock(mutex);
  if (detectsRaces()) {
    copy->op = opText(core, step);
    copy->actor.isCopy = true;
    copy->actor.what = cat("the copy of ", nameOf(core));
    copy->actor.task = taskOfCopy(core);
    copy->clock = core.clock;
    copy->clock.resize(taskTimes.size());
    copy->clock[copy->actor.task] = ++taskTimes[copy->actor.task];
    ++core.clock[core.index];
  }
  if (*target == core.index) {
    copy->to = parts[1].memory;
    copy->recvSem = parts[2].memory;
    launch(copy);
    return {};
  }
  Remote remote;
  remote.target = *target;
  remote.core = core.index;
  remote.needs = {parts[1].memory->key, parts[2].memory->key};
  remote.op = opText(core, step);
  remote.act = [this, copy, keys = remote.needs, target = *target]() -> Status {
    Expected<MemoryPtr> to = memoryOf(target, keys[0]),
                        sem = memoryOf(target, keys[1]);
    if (!to || !sem)
      return to ? sem.error() : to.error();
    copy->to = *to;
    copy->recvSem = *sem;
    launch(copy);
    return {};
  };
  return actRemotely(std::move(remote));
}

/// A task for a copy: that of an earlier copy whose end the core knows of, or a
/// new one.
int32_t KernelRun::taskOfCopy(const Core &core) {
  for (size_t i = 0; i < freeTasks.size(); ++i) {
    const int32_t task = freeTasks[i];
    if (static_cast<size_t>(task) < core.clock.size() &&
        core.clock[task] >= taskTimes[task]) {
      freeTasks.erase(freeTasks.begin() + i);
      return task;
    }
  }
  taskTimes.push_back(0);
  return numTasks++;
}

void KernelRun::launch(const std::shared_ptr<Copy> &copy) {
  copies.push_back(copy);
  callHelpers();
}

Status KernelRun::carryOut(Copy &copy) {
  if (detectsRaces()) {
    Status valid = races.access(copy.from, copy.fromBox, false, copy.actor,
                                copy.clock, copy.op);
    if (valid)
      valid = races.access(copy.to, copy.toBox, true, copy.actor, copy.clock,
                           copy.op);
    if (!valid)
      return makeError(ErrorKind::Runtime, "core_map ",
                       kernel->param.options.name, ": ", valid.error().text);
  }
  copyElements(*copy.to, copy.toBox, *copy.from, copy.fromBox);
  return {};
}

/// Counts the bytes of a copy that is done. Requires the mutex.
Status KernelRun::finishCopy(Copy &copy) {
  std::string what;
  if (detectsRaces()) {
    freeTasks.push_back(copy.actor.task);
    what = cat("`", copy.op, "` of ", nameOf(cores[copy.core]));
  }
  SW_TRY(addTo(copy.recvSem, copy.recvElement, copy.bytes, copy.clock, what));
  if (copy.sendSem)
    SW_TRY(addTo(copy.sendSem, copy.sendElement, copy.bytes, copy.clock, what));
  return {};
}

} // namespace shardwright::frontend::kernels
