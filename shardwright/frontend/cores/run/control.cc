//===- control.cc - programs of cores that contain programs ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/control/scan.h"
#include "shardwright/frontend/cores/run/kernel_run.h"

#include <algorithm>
#include <cstring>

namespace shardwright::frontend::kernels {
namespace {

/// Number `i` of the leading dimension.
Expected<Tensor> sliceOf(const Tensor &x, int64_t i) {
  Expected<std::shared_ptr<const void>> all = asArray(x)->host();
  if (!all)
    return all.error();
  Aval type = x.aval().withoutDim(0);
  const int64_t bytes = type.shape.elements() * elementBytes(type.dtype);
  std::shared_ptr<void> host = allocateHost(std::max<int64_t>(bytes, 1));
  if (!host)
    return noMemory(type);
  std::memcpy(host.get(),
              static_cast<const std::byte *>(all->get()) + i * bytes, bytes);
  return arrayOfHost(type, std::move(host));
}

Expected<Tensor> stackOf(const Tensors &slices, const Aval &slice) {
  Aval type = slice.withDim(0, static_cast<int64_t>(slices.size()));
  const int64_t bytes = slice.shape.elements() * elementBytes(slice.dtype);
  std::shared_ptr<void> host = allocateHost(
      std::max<int64_t>(bytes * static_cast<int64_t>(slices.size()), 1));
  if (!host)
    return noMemory(type);
  for (size_t i = 0; i < slices.size(); ++i) {
    Expected<std::shared_ptr<const void>> data = asArray(slices[i])->host();
    if (!data)
      return data.error();
    std::memcpy(static_cast<std::byte *>(host.get()) + i * bytes, data->get(),
                bytes);
  }
  return arrayOfHost(type, std::move(host));
}

std::vector<CoreValue> part(const std::vector<CoreValue> &values, size_t from,
                            size_t count) {
  return std::vector<CoreValue>(values.begin() + from,
                                values.begin() + from + count);
}
void append(std::vector<CoreValue> &to, const std::vector<CoreValue> &from) {
  to.insert(to.end(), from.begin(), from.end());
}

} // namespace

void KernelRun::restart(Frame &frame, const PlanPtr &plan,
                        std::vector<CoreValue> args) {
  const Jaxpr &jaxpr = *plan->jaxpr;
  frame.plan = plan;
  frame.next = 0;
  frame.env.assign(jaxpr.types.size(), {});
  for (size_t i = 0; i < jaxpr.constVars.size(); ++i)
    frame.env[jaxpr.constVars[i]] = {jaxpr.consts[i], nullptr};
  for (size_t i = 0; i < jaxpr.ins.size(); ++i)
    frame.env[jaxpr.ins[i]] = std::move(args[i]);
}

void KernelRun::push(Core &core, const Step *caller, const PlanPtr &plan,
                     std::vector<CoreValue> args) {
  Frame frame;
  frame.caller = caller;
  restart(frame, plan, std::move(args));
  core.stack.push_back(std::move(frame));
}

Status KernelRun::enter(Core &core, const Step &step) {
  std::vector<CoreValue> args;
  for (const Atom &atom : step.eqn->ins)
    args.push_back(valueOf(core, atom));
  const Params &params = step.eqn->params;
  switch (step.kind) {
  case Step::Kind::Scoped:
    return enterScope(core, step);
  case Step::Kind::Cond: {
    Expected<int64_t> which = integerOf(core, step.eqn->ins[0]);
    if (!which)
      return which.error();
    auto last = static_cast<int64_t>(step.inner.size()) - 1;
    args.erase(args.begin());
    push(core, &step, step.inner[std::clamp<int64_t>(*which, 0, last)],
         std::move(args));
    return {};
  }
  case Step::Kind::Scan:
  case Step::Kind::While: {
    size_t first = 0, count = 0;
    if (step.kind == Step::Kind::Scan) {
      Scan s(params);
      first = s.consts;
      count = s.carry;
    } else {
      first = static_cast<size_t>(params.integer("cond_nconsts") +
                                  params.integer("body_nconsts"));
      count = args.size() - first;
    }
    Frame frame;
    frame.caller = &step;
    frame.carry = part(args, first, count);
    frame.operands = std::move(args);
    core.stack.push_back(std::move(frame));
    return nextIteration(core);
  }
  default:
    push(core, &step, step.inner[0], std::move(args));
    return {};
  }
}

/// Begins an iteration of the loop of the top frame, or its condition, or
/// leaves the loop.
Status KernelRun::nextIteration(Core &core) {
  Frame &frame = core.stack.back();
  const Step &step = *frame.caller;
  const Params &params = step.eqn->params;
  if (step.kind == Step::Kind::While) {
    // In the order of their names: the body, the condition.
    auto ofCond = static_cast<size_t>(params.integer("cond_nconsts"));
    auto ofBody = static_cast<size_t>(params.integer("body_nconsts"));
    frame.isTest = !frame.isTest;
    std::vector<CoreValue> args = frame.isTest
                                      ? part(frame.operands, 0, ofCond)
                                      : part(frame.operands, ofCond, ofBody);
    append(args, frame.carry);
    restart(frame, step.inner[frame.isTest ? 1 : 0], std::move(args));
    return {};
  }
  Scan s(params);
  if (frame.iteration == s.length) {
    std::vector<CoreValue> results = frame.carry;
    for (size_t i = 0; i < s.ys; ++i) {
      const Aval slice = s.jaxpr->aval(s.jaxpr->outs[s.carry + i]);
      Expected<Tensor> all =
          stackOf(i < frame.stacked.size() ? frame.stacked[i] : Tensors(),
                  Aval{slice.dtype, slice.shape});
      if (!all)
        return all.error();
      results.push_back({*all, nullptr});
    }
    return finish(core, std::move(results));
  }
  std::vector<CoreValue> args = part(frame.operands, 0, s.consts);
  append(args, frame.carry);
  int64_t at = s.reverse ? s.length - 1 - frame.iteration : frame.iteration;
  for (size_t i = 0; i < s.xs; ++i) {
    Expected<Tensor> slice =
        sliceOf(frame.operands[s.consts + s.carry + i].value, at);
    if (!slice)
      return slice.error();
    args.push_back({*slice, nullptr});
  }
  restart(frame, step.inner[0], std::move(args));
  return {};
}

/// Pops the top frame; its results are those of the step that it carried out.
Status KernelRun::finish(Core &core, std::vector<CoreValue> results) {
  const Step *caller = core.stack.back().caller;
  core.stack.pop_back();
  if (!caller) {
    core.isDone = true;
    return {};
  }
  Frame &below = core.stack.back();
  for (size_t i = 0; i < caller->eqn->outs.size(); ++i)
    below.env[caller->eqn->outs[i]] = std::move(results[i]);
  return {};
}

/// The program of the top frame has ended.
Status KernelRun::leave(Core &core) {
  Frame &frame = core.stack.back();
  std::vector<CoreValue> outs;
  for (const Atom &atom : frame.plan->jaxpr->outs)
    outs.push_back(valueOf(core, atom));
  const Step *caller = frame.caller;
  if (!caller)
    return finish(core, {});
  if (caller->kind == Step::Kind::Scoped) {
    SW_TRY(leaveScope(core, frame));
    return finish(core, std::move(outs));
  }
  if (caller->kind == Step::Kind::While) {
    if (!frame.isTest) {
      frame.carry = std::move(outs);
      return nextIteration(core);
    }
    Expected<std::shared_ptr<const void>> data = asArray(outs[0].value)->host();
    if (!data)
      return data.error();
    if (readInt(data->get(), DType::Bool, 0))
      return nextIteration(core);
    return finish(core, std::move(frame.carry));
  }
  if (caller->kind == Step::Kind::Scan) {
    Scan s(caller->eqn->params);
    frame.carry = part(outs, 0, s.carry);
    frame.stacked.resize(s.ys);
    for (size_t i = 0; i < s.ys; ++i) {
      Tensors &list = frame.stacked[i];
      list.insert(s.reverse ? list.begin() : list.end(),
                  outs[s.carry + i].value);
    }
    ++frame.iteration;
    return nextIteration(core);
  }
  return finish(core, std::move(outs));
}

//===----------------------------------------------------------------------===//
// run_scoped
//===----------------------------------------------------------------------===//

/// The position along the other axes of those that share an allocation.
std::string KernelRun::groupOf(const Core &core, const AxisNames &axes) const {
  std::string out = cat(core.device, ":");
  const AxisNames &names = kernel->param.mesh.names();
  const size_t first = kernel->devices.names().size();
  for (size_t i = 0; i < names.size(); ++i)
    if (std::find(axes.begin(), axes.end(), names[i]) == axes.end())
      out += cat(core.coordinates[first + i], ",");
  return out;
}

Status KernelRun::enterScope(Core &core, const Step &step) {
  const Params &params = step.eqn->params;
  const Jaxpr &jaxpr = *step.inner[0]->jaxpr;
  const AxisNames &axes = params.names("collective_axes");
  const size_t captured = step.eqn->ins.size();
  std::vector<CoreValue> args;
  for (const Atom &atom : step.eqn->ins)
    args.push_back(valueOf(core, atom));
  Lock lock(mutex);
  const MemoryKey scope{step.id, core.entries[step.id]++, 0};
  Shared own;
  Shared &group = axes.empty() ? own : shared[{scope, groupOf(core, axes)}];
  if (group.scratch.empty()) {
    group.remaining = 1;
    const CoreMesh &mesh = kernel->param.mesh;
    for (size_t i = 0; i < mesh.names().size(); ++i)
      if (std::find(axes.begin(), axes.end(), mesh.names()[i]) != axes.end())
        group.remaining *= mesh.sizes()[i];
    for (size_t i = captured; i < jaxpr.ins.size(); ++i) {
      const Aval &type = jaxpr.types[jaxpr.ins[i]];
      MemoryPtr memory = allocate(type);
      if (!memory)
        return noMemory(type);
      memory->key = scope;
      memory->key.number = static_cast<int32_t>(i - captured);
      memory->name =
          cat(type.isSemaphore() ? "sem" : type.ref->space, i - captured);
      memory->core = core.index;
      group.scratch.push_back(std::move(memory));
    }
  }
  for (const MemoryPtr &memory : group.scratch) {
    args.push_back({Tensor(), memory});
    core.memories[memory->key] = memory;
  }
  push(core, &step, step.inner[0], std::move(args));
  core.stack.back().scope = scope;
  core.stack.back().scratch = group.scratch;
  return retryRemotes(core.index);
}

Status KernelRun::leaveScope(Core &core, Frame &frame) {
  const AxisNames &axes = frame.caller->eqn->params.names("collective_axes");
  Lock lock(mutex);
  bool isLast = true;
  for (const MemoryPtr &memory : frame.scratch)
    core.memories.erase(memory->key);
  if (!axes.empty()) {
    auto found = shared.find({frame.scope, groupOf(core, axes)});
    isLast = --found->second.remaining == 0;
    if (isLast)
      shared.erase(found);
  }
  return detectsRaces() && isLast ? checkScope(core, frame) : Status();
}

/// An error if a copy is in flight, or a semaphore not zero.
Status KernelRun::checkScope(const Core &core, const Frame &frame) const {
  auto failed = [&](const std::string &text) {
    return makeError(ErrorKind::Runtime, "core_map ",
                     kernel->param.options.name, ", ", nameOf(core),
                     ", at the end of run_scoped: ", text);
  };
  for (const MemoryPtr &memory : frame.scratch) {
    for (const std::shared_ptr<Copy> &copy : copies)
      for (const MemoryPtr &used :
           {copy->from, copy->to, copy->sendSem, copy->recvSem})
        if (used == memory)
          return failed(cat("`", copy->op, "` of ", nameOf(cores[copy->core]),
                            " is in flight and uses ", memory->name,
                            ", which ends here; wait for it"));
    for (const Counter &counter : memory->counters) {
      if (!counter.value)
        continue;
      const Addition &last = counter.additions.back();
      return failed(cat("the semaphore ", memory->name, " is ", counter.value,
                        ", not 0; no core waits for what ", last.what,
                        " added"));
    }
  }
  return {};
}

} // namespace shardwright::frontend::kernels
