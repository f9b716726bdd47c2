//===- kernel_run.cc - one run of a kernel --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/run/kernel_run.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/mesh/device.h"
#include "shardwright/support/thread_pool.h"

#include <cstring>

namespace shardwright::frontend::kernels {

/// The threads that help those of the devices. Never destroyed: runs may be in
/// flight when the process ends.
static cpu::ThreadPool &pool() {
  static auto *threads = new cpu::ThreadPool();
  return *threads;
}

KernelRun::KernelRun(KernelPtr k, std::vector<DeviceCall> c,
                     const cpu::RunContext &runContext)
    : kernel(std::move(k)), calls(std::move(c)), context(runContext),
      random(kernel->param.options.seed) {}

Expected<std::shared_ptr<KernelRun>>
KernelRun::create(KernelPtr kernel, std::vector<DeviceCall> calls,
                  const cpu::RunContext &context) {
  auto run =
      std::make_shared<KernelRun>(std::move(kernel), std::move(calls), context);
  SW_TRY(run->setUp());
  return run;
}

//===----------------------------------------------------------------------===//
// State at the beginning
//===----------------------------------------------------------------------===//

/// The operands of one device: references to its results, which begin as
/// copies of the operands, or to operands that are only read.
Status KernelRun::setUpOperands(const DeviceCall &call) {
  const Jaxpr &jaxpr = *kernel->plan->jaxpr;
  std::vector<MemoryPtr> memories;
  std::vector<Tensor> values;
  size_t nextResult = 0;
  int32_t refs = 0;
  for (size_t i = 0; i < jaxpr.ins.size(); ++i) {
    const Aval &type = jaxpr.types[jaxpr.ins[i]];
    const void *data = call.operands[i].data;
    memories.emplace_back();
    values.emplace_back();
    if (!type.isRef()) {
      std::shared_ptr<void> copy = allocateHost(elementBytes(type.dtype));
      if (!copy)
        return noMemory(type);
      std::memcpy(copy.get(), data, elementBytes(type.dtype));
      values.back() = arrayOfHost(type, std::move(copy));
      continue;
    }
    auto memory = std::make_shared<Memory>();
    memory->type = type;
    memory->key.number = static_cast<int32_t>(i);
    memory->name = cat("ref", refs++);
    void *place = call.operands[i].data;
    if (kernel->written[i]) {
      place = call.results[nextResult++].data;
      if (place != data)
        std::memcpy(place, data,
                    type.shape.elements() * elementBytes(type.dtype));
    }
    memory->data = static_cast<std::byte *>(place);
    memories.back() = std::move(memory);
  }
  operands.push_back(std::move(memories));
  scalars.push_back(std::move(values));
  return {};
}

Status KernelRun::setUp() {
  const CoreMesh &mesh = kernel->param.mesh;
  const int64_t perDevice = mesh.numCores();
  const Ints &sizes = kernel->devices.sizes();
  cores.resize(calls.size() * perDevice);
  numTasks = static_cast<int32_t>(cores.size());
  taskTimes.assign(cores.size(), 1);
  for (size_t d = 0; d < calls.size(); ++d) {
    SW_TRY(setUpOperands(calls[d]));
    Ints ofDevice(sizes.size());
    int64_t rest = calls[d].position;
    for (size_t a = sizes.size(); a-- > 0;) {
      ofDevice[a] = rest % sizes[a];
      rest /= sizes[a];
    }
    for (int64_t c = 0; c < perDevice; ++c) {
      Core &core = cores[d * perDevice + c];
      core.index = static_cast<int32_t>(d * perDevice + c);
      core.device = static_cast<int64_t>(d);
      core.coordinates = ofDevice;
      for (int64_t position : mesh.coordinates(c))
        core.coordinates.push_back(position);
      if (detectsRaces()) {
        core.clock.resize(cores.size());
        core.clock[core.index] = 1;
      }
      std::vector<CoreValue> args;
      for (size_t i = 0; i < operands[d].size(); ++i)
        args.push_back({scalars[d][i], operands[d][i]});
      push(core, nullptr, kernel->plan, std::move(args));
      readyCores.push_back(core.index);
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

namespace {
/// A helper's thread as one that a program calls, with devices of its own.
struct HelperScope {
  explicit HelperScope(const cpu::RunContext &context) : run(context) {}
  cpu::RunContext::Scope run;
  ScopedCallbackClient ownDevices;
};
/// A thread on which nothing is traced.
struct WorkScope {
  explicit WorkScope(bool x64) : wide(config::enableX64, x64) {}
  ScopedTopLevel topLevel;
  ScopedConfig<bool> wide;
};
} // namespace

Status KernelRun::work() {
  WorkScope scope(kernel->x64);
  Lock lock(mutex);
  workOn(lock, /*isHelper=*/false);
  if (failed)
    return failure;
  return {};
}

void KernelRun::workOn(Lock &lock, bool isHelper) {
  while (true) {
    // Where races are detected, one task follows another, also if the threads
    // of several devices work.
    bool isBusy = detectsRaces() && inProgress;
    if (hasTasks() && !failed && !isBusy) {
      doTask(lock);
    } else if (isHelper) {
      return;
    } else if (inProgress) {
      changed.wait(lock);
    } else if (failed || (numDone == cores.size() && remotes.empty())) {
      changed.notify_all();
      return;
    } else {
      fail(deadlock());
    }
  }
}

void KernelRun::doTask(Lock &lock) {
  size_t which = 0;
  bool isCopy = !copies.empty();
  if (detectsRaces()) {
    // A uniform choice by the bits of the generator, the same everywhere.
    which = random() % (copies.size() + readyCores.size());
    isCopy = which < copies.size();
    which -= isCopy ? 0 : copies.size();
  }
  ++inProgress;
  if (isCopy) {
    std::shared_ptr<Copy> copy = copies[which];
    copies.erase(copies.begin() + which);
    callHelpers();
    lock.unlock();
    Status done = carryOut(*copy);
    lock.lock();
    if (!done)
      fail(done.error());
    else if (Status finished = finishCopy(*copy); !finished)
      fail(finished.error());
  } else {
    Core &core = cores[readyCores[which]];
    readyCores.erase(readyCores.begin() + which);
    callHelpers();
    lock.unlock();
    runCore(core);
    lock.lock();
  }
  --inProgress;
  callHelpers();
  changed.notify_all();
}

/// Asks the pool to help with tasks that no thread has taken. Requires the
/// mutex.
void KernelRun::callHelpers() {
  if (failed || detectsRaces())
    return;
  auto wanted = static_cast<int32_t>(readyCores.size() + copies.size());
  while (helpers < std::min<int32_t>(wanted, pool().size() - 1)) {
    ++helpers;
    pool().submit([self = shared_from_this()] {
      HelperScope ownDevices(self->context);
      WorkScope scope(self->kernel->x64);
      Lock lock(self->mutex);
      self->workOn(lock, /*isHelper=*/true);
      --self->helpers;
    });
  }
}

void KernelRun::makeReady(int32_t core) { readyCores.push_back(core); }

void KernelRun::fail(const Error &error) {
  if (!failed)
    failure = error;
  failed = true;
  changed.notify_all();
}

void KernelRun::runCore(Core &core) {
  while (!failed) {
    Expected<Progress> progress = advance(core);
    if (!progress) {
      Lock lock(mutex);
      return fail(progress.error());
    }
    if (*progress == Progress::Parked)
      return;
    if (core.isDone || *progress == Progress::Yields) {
      Lock lock(mutex);
      if (core.isDone)
        ++numDone;
      else
        makeReady(core.index);
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string KernelRun::nameOf(const Core &core) const {
  std::string out;
  const AxisNames &ofDevices = kernel->devices.names(),
                  &ofCores = kernel->param.mesh.names();
  for (size_t i = 0; i < core.coordinates.size(); ++i)
    out +=
        cat(out.empty() ? "" : ", ",
            i < ofDevices.size() ? ofDevices[i] : ofCores[i - ofDevices.size()],
            "=", core.coordinates[i]);
  return cat("core (", out, ")");
}

std::string KernelRun::opText(const Core &core, const Step &step) const {
  if (!step.eqn)
    return "a computation";
  const Eqn &eqn = *step.eqn;
  std::vector<std::string> ins, outs;
  for (const Atom &atom : eqn.ins) {
    CoreValue value = valueOf(core, atom);
    Expected<int64_t> number =
        value.memory || value.value.rank() || !isInteger(value.value.dtype())
            ? Expected<int64_t>(Error())
            : integerOf(core, atom);
    ins.push_back(value.memory ? value.memory->name
                  : number     ? cat(*number)
                               : value.value.aval().str());
  }
  for (size_t i = 0; i < eqn.outs.size(); ++i)
    outs.push_back(step.kind == Step::Kind::Swap ? "_:" : "value");
  if (eqn.primitive->print)
    return eqn.primitive->print({eqn, outs, ins});
  return eqn.primitive->name;
}

Error KernelRun::errorIn(const Core &core, const Step &step,
                         const Error &error) const {
  std::string place;
  if (step.eqn) {
    if (std::string names = detail::nameText(step.eqn->names); !names.empty())
      place += cat(" of ", names);
    std::source_location where = detail::placeOf(step.eqn->names);
    if (where.line())
      place += cat(" at ", where.file_name(), ":", where.line());
  }
  return makeError(error.kind, "core_map ", kernel->param.options.name, ", ",
                   nameOf(core), ", in `", opText(core, step), "`", place, ": ",
                   error.text);
}

Error KernelRun::deadlock() const {
  std::string out;
  for (const Core &core : cores) {
    if (core.isDone || !core.waitsIn)
      continue;
    const Counter &counter = core.waitsFor->counters[core.waitsForElement];
    out += cat("\n  ", nameOf(core), " waits in `", opText(core, *core.waitsIn),
               "` for ", core.waitsForAmount, " of semaphore ",
               core.waitsFor->name, ", which is ", counter.value);
  }
  for (const Remote &remote : remotes)
    out += cat("\n  `", remote.op, "` of ", nameOf(cores[remote.core]),
               " needs memory of ", nameOf(cores[remote.target]),
               ", which does not allocate it");
  return makeError(ErrorKind::Runtime, "core_map ", kernel->param.options.name,
                   " is deadlocked: no core can go on and no copy is in "
                   "flight; signal as often as cores wait",
                   out);
}

} // namespace shardwright::frontend::kernels
