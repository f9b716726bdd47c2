//===- steps.cc - the steps of a core -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/cores/run/kernel_run.h"
#include "shardwright/frontend/primitives/lax.h"
#include "shardwright/frontend/transform/jit_primitive.h"

#include <algorithm>

namespace shardwright::frontend::kernels {

CoreValue KernelRun::valueOf(const Core &core, const Atom &atom) const {
  if (!atom.isVar())
    return {atom.literal, nullptr};
  return core.stack.back().env[atom.var];
}

Expected<int64_t> KernelRun::integerOf(const Core &core,
                                       const Atom &atom) const {
  const Tensor value = valueOf(core, atom).value;
  const ArrayValue *array = asArray(value);
  if (!array)
    return makeError(ErrorKind::Runtime,
                     "an index has no value while the kernel runs");
  Expected<std::shared_ptr<const void>> data = array->host();
  if (!data)
    return data.error();
  return readInt(data->get(), value.dtype(), 0);
}

void KernelRun::setResult(Core &core, const Step &step, Tensor value) {
  core.stack.back().env[step.eqn->outs[0]] = {std::move(value), nullptr};
}

Expected<KernelRun::Part> KernelRun::partOf(const Core &core, const Step &step,
                                            size_t refAt, size_t firstPosition,
                                            const View &view) const {
  const Eqn &eqn = *step.eqn;
  MemoryPtr memory = valueOf(core, eqn.ins[refAt]).memory;
  if (!memory)
    return makeError(ErrorKind::Runtime, "the operand is not a reference");
  Ints positions;
  for (size_t i = 0; i < view.numOperands(); ++i) {
    Expected<int64_t> position = integerOf(core, eqn.ins[firstPosition + i]);
    if (!position)
      return position.error();
    positions.push_back(*position);
  }
  Expected<Box> box = resolve(memory->type, view, positions);
  if (!box)
    return box.error();
  return Part{std::move(memory), std::move(*box)};
}

Expected<KernelRun::Progress> KernelRun::advance(Core &core) {
  Frame &frame = core.stack.back();
  if (frame.next == frame.plan->steps.size()) {
    if (Status left = leave(core); !left)
      return left.error();
    return Progress::Continues;
  }
  const Step &step = frame.plan->steps[frame.next++];
  return carryOut(core, step);
}

Expected<KernelRun::Progress> KernelRun::carryOut(Core &core,
                                                  const Step &step) {
  Status done;
  bool isSynchronization = false;
  switch (step.kind) {
  case Step::Kind::Compute:
    done = compute(core, step);
    break;
  case Step::Kind::Forward:
    core.stack.back().env[step.eqn->outs[0]] = valueOf(core, step.eqn->ins[0]);
    break;
  case Step::Kind::AxisIndex:
    axisIndex(core, step);
    break;
  case Step::Kind::Get:
  case Step::Kind::Swap:
  case Step::Kind::AddUpdate:
    done = access(core, step);
    break;
  case Step::Kind::DmaStart:
    isSynchronization = true;
    done = startCopy(core, step);
    break;
  case Step::Kind::Signal:
    isSynchronization = true;
    done = signal(core, step);
    break;
  case Step::Kind::DmaWait:
  case Step::Kind::SemaphoreWait: {
    Expected<Progress> progress = wait(core, step);
    if (!progress)
      return errorIn(core, step, progress.error());
    return progress;
  }
  case Step::Kind::SemaphoreRead:
    isSynchronization = true;
    done = readSemaphore(core, step);
    break;
  case Step::Kind::Call:
  case Step::Kind::Scoped:
  case Step::Kind::Scan:
  case Step::Kind::While:
  case Step::Kind::Cond:
    done = enter(core, step);
    break;
  }
  if (!done)
    return errorIn(core, step, done.error());
  return detectsRaces() && isSynchronization ? Progress::Yields
                                             : Progress::Continues;
}

Status KernelRun::compute(Core &core, const Step &step) {
  Frame &frame = core.stack.back();
  Tensors args;
  for (int32_t var : step.ins)
    args.push_back(frame.env[var].value);
  auto apply = [&] { return bindJit(step.program, step.program->name, args); };
  // The first core to get here compiles the program.
  Tensors outs = kernel->firstUse(step.id)
                     ? kernel->compileFirst(step.id, apply)
                     : apply();
  if (const Error *error = frontend::errorIn(outs))
    return *error;
  for (size_t i = 0; i < step.outs.size(); ++i)
    frame.env[step.outs[i]] = {outs[i], nullptr};
  return {};
}

void KernelRun::axisIndex(Core &core, const Step &step) {
  const std::string &axis = step.eqn->params.text("axis_name");
  const AxisNames &ofDevices = kernel->devices.names(),
                  &ofCores = kernel->param.mesh.names();
  auto at = std::find(ofCores.begin(), ofCores.end(), axis);
  size_t number = at != ofCores.end()
                      ? ofDevices.size() + (at - ofCores.begin())
                      : std::find(ofDevices.begin(), ofDevices.end(), axis) -
                            ofDevices.begin();
  setResult(core, step, scalarOf(core.coordinates[number], DType::I32));
}

/// get, swap, addupdate.
Status KernelRun::access(Core &core, const Step &step) {
  const bool isGet = step.kind == Step::Kind::Get;
  Expected<Part> part =
      partOf(core, step, 0, isGet ? 1 : 2, viewOf(step.eqn->params));
  if (!part)
    return part.error();
  if (detectsRaces())
    SW_TRY(races.access(part->memory, part->box, !isGet,
                        {core.index, false, nameOf(core)}, core.clock,
                        opText(core, step)));
  Expected<Tensor> before = read(*part->memory, part->box);
  if (!before)
    return before.error();
  if (!isGet) {
    Tensor value = valueOf(core, step.eqn->ins[1]).value;
    if (step.kind == Step::Kind::AddUpdate)
      value = lax::add(*before, value);
    if (const Error *error = frontend::errorIn(value))
      return *error;
    Expected<std::shared_ptr<const void>> data = asArray(value)->host();
    if (!data)
      return data.error();
    write(*part->memory, part->box, data->get());
  }
  if (step.kind != Step::Kind::AddUpdate)
    setResult(core, step, *before);
  return {};
}

} // namespace shardwright::frontend::kernels
