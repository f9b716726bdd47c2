//===- prepared_program.cc - checks and preparation of a program ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/prepared_program.h"

#include "shardwright/backend/device.h"
#include "shardwright/cpu/execute/program_hash.h"
#include "shardwright/cpu/execute/run.h"
#include "shardwright/cpu/program/memory_plan.h"
#include "shardwright/support/error.h"
#include "shardwright/support/host_memory.h"
#include "shardwright/support/idle_memory.h"
#include "shardwright/support/shape.h"

using namespace shardwright;
using namespace shardwright::cpu;

static const char *kindName(StepKind kind) {
  switch (kind) {
  case StepKind::Kernel:
    return "kernel";
  case StepKind::Dot:
    return "dot";
  case StepKind::Library:
    return "library call";
  case StepKind::Copy:
    return "copy";
  case StepKind::DeviceId:
    return "device id";
  case StepKind::ReplicaId:
    return "replica id";
  case StepKind::Collective:
    return "collective";
  case StepKind::Jump:
    return "jump";
  case StepKind::JumpIfFalse:
    return "branch";
  case StepKind::Switch:
    return "switch";
  case StepKind::Return:
    return "return";
  }
  return "unknown";
}

std::string cpu::nameDevices(llvm::ArrayRef<int32_t> sorted) {
  std::string text = sorted.size() == 1 ? "device " : "devices ";
  for (size_t i = 0; i < sorted.size();) {
    size_t j = i;
    while (j + 1 < sorted.size() && sorted[j + 1] == sorted[j] + 1)
      ++j;
    if (i > 0)
      text += ", ";
    text += std::to_string(sorted[i]);
    if (j > i)
      text += (j == i + 1 ? ", " : "-") + std::to_string(sorted[j]);
    i = j + 1;
  }
  return text;
}

std::string Executor::Prepared::describeStep(int32_t index) const {
  const Step &step = program.steps[index];
  if (step.location >= 0 && step.location < int32_t(program.locations.size()))
    return program.locations[step.location];
  std::string text = kindName(step.kind);
  if (step.kind == StepKind::Library && step.payload >= 0 &&
      step.payload < int32_t(program.libraryCalls.size()))
    text = program.libraryCalls[step.payload].name;
  if (step.kind == StepKind::Collective && step.payload >= 0 &&
      step.payload < int32_t(program.collectives.size()))
    text = str(program.collectives[step.payload].kind).str();
  return text + " (step " + std::to_string(index) + ")";
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Returns the alignment in bytes that code assumes of an array: that of its
/// elements, or of the parts of complex elements.
static int64_t alignmentOf(ElementType type) {
  return byteWidth(isComplex(type) ? componentType(type) : type);
}

llvm::Error Executor::Prepared::checkSlots() {
  int32_t count = program.slots.size();
  if (program.arenaBytes < 0)
    return fail("the memory plan has no size");
  places.resize(count);
  for (SlotId s = 0; s < count; ++s) {
    const Slot &slot = program.slots[s];
    for (int64_t size : slot.shape)
      if (size < 0)
        return fail("slot ", s, " has a negative size");
    SlotId base = baseOf(program, s);
    if (base < 0)
      return fail("slot ", s, " is a view of nothing");
    int64_t offset = 0;
    for (SlotId v = s; v != base; v = program.slots[v].index) {
      const Slot &view = program.slots[v], &under = program.slots[view.index];
      if (view.offset < 0 || view.offset > under.bytes() ||
          view.bytes() > under.bytes() - view.offset)
        return fail("slot ", v, " reaches beyond slot ", view.index,
                    ", which it is a view of");
      offset += view.offset;
    }
    const Slot &owner = program.slots[base];
    auto indexIn = [&](size_t size) {
      return owner.index >= 0 && size_t(owner.index) < size;
    };
    places[s] = {owner.home, owner.index, offset};
    switch (owner.home) {
    case Slot::Home::Arena:
      if (owner.offset < 0 || owner.bytes() > program.arenaBytes ||
          owner.offset > program.arenaBytes - owner.bytes())
        return fail("slot ", base, " has no place in the arena");
      places[s].offset += owner.offset;
      break;
    case Slot::Home::Argument:
      if (!indexIn(program.arguments.size()))
        return fail("slot ", base, " is argument ", owner.index, " of ",
                    program.arguments.size());
      callerSlots.push_back(s);
      break;
    case Slot::Home::Result:
      if (!indexIn(program.results.size()))
        return fail("slot ", base, " is result ", owner.index, " of ",
                    program.results.size());
      callerSlots.push_back(s);
      break;
    case Slot::Home::Constant:
      if (!indexIn(program.constants.size()) ||
          program.constants[owner.index].bytes < owner.bytes())
        return fail("slot ", base, " has no constant of its size");
      break;
    case Slot::Home::View:
      return fail("slot ", base, " is a view of nothing");
    }
    if (places[s].offset % alignmentOf(program.slots[s].type) != 0)
      return fail("slot ", s, " lies at byte ", places[s].offset,
                  ", which is not aligned to its elements");
  }
  auto inRange = [&](SlotId s) { return s >= 0 && s < count; };
  // The caller's buffer is as large as the argument; no slot may exceed it.
  auto size = [&](llvm::ArrayRef<SlotId> signature, int32_t index) {
    return program.slots[signature[index]].bytes();
  };
  for (auto [signature, what] :
       {std::pair(llvm::ArrayRef<SlotId>(program.arguments), "argument"),
        std::pair(llvm::ArrayRef<SlotId>(program.results), "result")})
    for (size_t i = 0; i < signature.size(); ++i)
      if (!inRange(signature[i]))
        return fail(what, " ", i, " has no slot");
  for (SlotId s : callerSlots) {
    const Place &p = places[s];
    int64_t whole = p.home == Slot::Home::Argument
                        ? size(program.arguments, p.index)
                        : size(program.results, p.index);
    if (p.offset + program.slots[s].bytes() > whole)
      return fail("slot ", s, " is larger than the ",
                  p.home == Slot::Home::Argument ? "argument" : "result",
                  " it lies in");
  }
  for (auto [i, s] : llvm::enumerate(program.results)) {
    const Place &p = places[s];
    if (p.home != Slot::Home::Result || p.index != int32_t(i) || p.offset != 0)
      copiedResults.push_back({s, int32_t(i)});
  }
  return llvm::Error::success();
}

static bool hasArity(const Step &step, size_t inputs, size_t outputs) {
  return step.inputs.size() == inputs && step.outputs.size() == outputs;
}

/// True if the payload of the step is an index into a list of that size.
static bool hasPayload(const Step &step, size_t size) {
  return step.payload >= 0 && size_t(step.payload) < size;
}

llvm::Expected<double> Executor::Prepared::checkKernel(const Step &step) const {
  if (!hasPayload(step, program.kernels.size()))
    return fail("there is no kernel ", step.payload);
  const Kernel &kernel = program.kernels[step.payload];
  if (!kernel.function)
    return fail("kernel '", kernel.symbol, "' has no code");
  if (kernel.iterations < 0)
    return fail("kernel '", kernel.symbol, "' has ", kernel.iterations,
                " iterations");
  if (kernel.costNs > 0)
    return kernel.costNs;
  // Without an estimate, assume that the kernel only moves its operands.
  double cost = 50;
  for (SlotId s : llvm::concat<const SlotId>(step.inputs, step.outputs))
    cost += bytes(s) * 0.1;
  return cost;
}

llvm::Expected<double> Executor::Prepared::checkDot(const Step &step) const {
  if (!hasPayload(step, dots.size()) || !hasArity(step, 2, 1))
    return fail("malformed dot step");
  const DotPlan &dot = dots[step.payload];
  const DotSpec &spec = program.dots[step.payload];
  if (dot.lhsExtent() * byteWidth(spec.lhsType) > bytes(step.inputs[0]) ||
      dot.rhsExtent() * byteWidth(spec.rhsType) > bytes(step.inputs[1]) ||
      dot.outExtent() * byteWidth(spec.outType) > bytes(step.outputs[0]))
    return fail("the dot reaches beyond its operands");
  return dot.costNs();
}

llvm::Expected<double>
Executor::Prepared::checkLibraryCall(const Step &step) const {
  if (!hasPayload(step, libraryOps.size()))
    return fail("there is no library call ", step.payload);
  const LibraryCall &call = program.libraryCalls[step.payload];
  const LibraryOp &op = libraryOps[step.payload];
  size_t scratch = call.scratchBytes * call.scratchCopies > 0 ? 1 : 0;
  if (!hasArity(step, call.inputs.size(), call.outputs.size() + scratch))
    return fail("has ", step.inputs.size(), " operands and ",
                step.outputs.size(), " results");
  auto bytesOf = [](const BufferType &type) {
    return product(type.shape) * byteWidth(type.type);
  };
  for (auto [slot, type] : llvm::zip_equal(step.inputs, call.inputs))
    if (bytes(slot) != bytesOf(type))
      return fail(
          "an operand does not have the shape that the library call expects");
  for (auto [slot, type] : llvm::zip(step.outputs, call.outputs))
    if (bytes(slot) != bytesOf(type))
      return fail(
          "a result does not have the shape that the library call expects");
  if (op.scratchBytes > call.scratchBytes ||
      (scratch &&
       bytes(step.outputs.back()) < call.scratchBytes * call.scratchCopies))
    return fail("its scratch memory is too small");
  return op.costNs;
}

bool Executor::Prepared::hasSharedGroups() const {
  return llvm::any_of(collectives, [](const CollectivePlan &plan) {
    return !plan.sharedGroups().empty();
  });
}

llvm::Error Executor::Prepared::checkCollective(const Step &step) const {
  if (!hasPayload(step, collectives.size()))
    return fail("there is no collective ", step.payload);
  const CollectivePlan &plan = collectives[step.payload];
  if (step.inputs.empty() || step.inputs.size() != step.outputs.size())
    return fail("has ", step.inputs.size(), " operands and ",
                step.outputs.size(), " results");
  for (auto [in, out] : llvm::zip_equal(step.inputs, step.outputs))
    if (bytes(in) != plan.inputBytes() || bytes(out) != plan.outputBytes())
      return fail(
          "its operands do not have the shape that the collective expects");
  for (SlotId in : step.inputs)
    for (SlotId out : step.outputs) {
      const Place &a = places[in], &b = places[out];
      if (a.home == b.home &&
          (a.home == Slot::Home::Arena || a.index == b.index) &&
          a.offset < b.offset + bytes(out) && b.offset < a.offset + bytes(in))
        return fail("a result shares memory with an operand");
    }
  return llvm::Error::success();
}

/// Checks conditional and unconditional jumps.
llvm::Error Executor::Prepared::checkJump(const Step &step) const {
  llvm::ArrayRef<int32_t> targets = step.target;
  if (step.kind == StepKind::Switch) {
    if (!hasPayload(step, program.switchTargets.size()) ||
        program.switchTargets[step.payload].empty())
      return fail("has no targets");
    targets = program.switchTargets[step.payload];
  }
  for (int32_t target : targets)
    if (target < 0 || target >= int32_t(program.steps.size()))
      return fail("jumps to step ", target);
  if (step.kind == StepKind::JumpIfFalse &&
      (!hasArity(step, 1, 0) || bytes(step.inputs[0]) != 1))
    return fail("requires a predicate of one byte");
  if (step.kind == StepKind::Switch &&
      (!hasArity(step, 1, 0) || bytes(step.inputs[0]) != 4))
    return fail("requires an index of four bytes");
  return llvm::Error::success();
}

/// Checks the operands and the payload of a step. Returns its estimated time
/// for one device in ns.
llvm::Expected<double> Executor::Prepared::checkStep(const Step &step) const {
  for (SlotId s : llvm::concat<const SlotId>(step.inputs, step.outputs))
    if (s < 0 || s >= int32_t(program.slots.size()))
      return fail("there is no slot ", s);
  for (SlotId s : step.outputs)
    if (places[s].home == Slot::Home::Argument ||
        places[s].home == Slot::Home::Constant)
      return fail("writes slot ", s, ", which is read-only");
  double cost = 20;
  switch (step.kind) {
  case StepKind::Kernel:
    return checkKernel(step);
  case StepKind::Dot:
    return checkDot(step);
  case StepKind::Library:
    return checkLibraryCall(step);
  case StepKind::Copy:
    if (!hasArity(step, 1, 1) ||
        bytes(step.inputs[0]) != bytes(step.outputs[0]))
      return fail("copy between slots of different size");
    cost += bytes(step.inputs[0]) * 0.1;
    break;
  case StepKind::DeviceId:
  case StepKind::ReplicaId:
    if (!hasArity(step, 0, 1) || bytes(step.outputs[0]) != 4)
      return fail("requires one output of 4 bytes");
    break;
  case StepKind::Collective:
    if (llvm::Error e = checkCollective(step))
      return e;
    break;
  case StepKind::Jump:
  case StepKind::JumpIfFalse:
  case StepKind::Switch:
    if (llvm::Error e = checkJump(step))
      return e;
    break;
  case StepKind::Return:
    break;
  }
  return cost;
}

llvm::Error Executor::Prepared::addStep(int32_t index) {
  const Step &step = program.steps[index];
  llvm::Expected<double> cost = checkStep(step);
  if (!cost)
    return fail(describeStep(index), ": ", toString(cost.takeError()));
  steps.push_back({step.kind, step.payload, step.target,
                   int32_t(operandSlots.size()), int32_t(step.inputs.size()),
                   int32_t(step.outputs.size()), *cost});
  llvm::append_range(operandSlots, step.inputs);
  llvm::append_range(operandSlots, step.outputs);
  return llvm::Error::success();
}

llvm::Error Executor::Prepared::prepare() {
  if (program.numReplicas < 1 || program.numPartitions < 1 ||
      program.numReplicas > kMaxDevices ||
      program.numPartitions > kMaxDevices / program.numReplicas)
    return fail("a program for ", program.numReplicas, " replicas of ",
                program.numPartitions, " partitions cannot run here; at most ",
                kMaxDevices, " devices are possible");
  numDevices = program.numDevices();
  if (!placement.fits(numDevices))
    return fail("the placement is not one of the ", numDevices,
                " positions of the program");
  localPositions = placement.localPositions(numDevices);
  if (llvm::Error e = checkSlots())
    return e;
  for (const DotSpec &spec : program.dots) {
    llvm::Expected<DotPlan> plan = DotPlan::create(spec);
    if (!plan)
      return fail("dot: ", toString(plan.takeError()));
    dotTasks.push_back(plan->tasks(numDevices));
    dots.push_back(std::move(*plan));
  }
  for (const LibraryCall &call : program.libraryCalls) {
    llvm::Expected<LibraryOp> op = makeLibraryOp(call);
    if (!op)
      return fail(call.name, ": ", toString(op.takeError()));
    libraryOps.push_back(std::move(*op));
    hostCalls.push_back(!findLibraryEntry(call.name));
  }
  for (const CollectiveSpec &spec : program.collectives) {
    llvm::Expected<CollectivePlan> plan =
        CollectivePlan::create(spec, numDevices, program.kernels, placement);
    if (!plan)
      return plan.takeError();
    collectives.push_back(std::move(*plan));
  }
  for (int32_t i = 0; i < int32_t(program.steps.size()); ++i)
    if (llvm::Error e = addStep(i))
      return e;
  if (steps.empty() || (steps.back().kind != StepKind::Return &&
                        steps.back().kind != StepKind::Jump &&
                        steps.back().kind != StepKind::Switch))
    return fail("the program does not end with a return");
  if (int32_t(localPositions.size()) < numDevices) {
    programHash = hashOf(program);
    communicationHash = hashOfCommunication(program);
    collectiveSteps = orderedCollectives(program);
    collectiveNumbers.assign(steps.size(), -1);
    for (auto [number, step] : llvm::enumerate(collectiveSteps))
      collectiveNumbers[step] = number;
  }
  if (hasSharedGroups())
    findWaitPoints();
  segmentNs = std::vector<std::atomic<float>>(steps.size());
  for (int32_t i = 0; i < int32_t(steps.size()); ++i)
    if (i == 0 || steps[i - 1].kind == StepKind::Collective)
      segmentNs[i] = guessSegment(i);
  return llvm::Error::success();
}

double Executor::Prepared::guessSegment(int32_t begin) const {
  double ns = 0;
  for (int32_t i = begin; i < int32_t(steps.size()); ++i) {
    const StepInfo &s = steps[i];
    if (s.kind == StepKind::Collective || s.kind == StepKind::Return)
      break;
    if (s.kind == StepKind::Jump && s.target <= i)
      return ns * 16; // a loop of unknown length
    ns += s.costNs;
  }
  return ns;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Arenas of fewer bytes are kept with their program: they do not count beside
/// its code.
static constexpr int64_t smallArenas = 64 << 10;
/// One run per thread that runs the program at the same time, up to this limit.
static constexpr size_t mostIdleRuns = 4;

llvm::Expected<std::shared_ptr<Run>> Executor::Prepared::takeRun() {
  if (arenaBytes() <= smallArenas) {
    std::lock_guard lock(idleMutex);
    if (!idleRuns.empty())
      return idleRuns.pop_back_val();
  } else if (auto kept = takeIdle(this)) {
    return std::static_pointer_cast<Run>(std::move(kept));
  }
  auto memory = allocateMemory();
  if (!memory)
    return memory.takeError();
  return std::make_shared<Run>(*this, std::move(*memory));
}

void Executor::Prepared::giveBack(std::shared_ptr<Run> run) {
  if (arenaBytes() > smallArenas)
    return keepIdle(this, arenaBytes(), std::move(run));
  std::lock_guard lock(idleMutex);
  if (idleRuns.size() < mostIdleRuns)
    idleRuns.push_back(std::move(run));
}

llvm::Expected<std::vector<DeviceMemory>>
Executor::Prepared::allocateMemory() const {
  // Arenas at the same offset within a page would conflict in the cache when a
  // collective accesses all of them.
  constexpr int64_t page = 4096, stagger = 5 * 64;
  int64_t count = localPositions.size();
  std::vector<DeviceMemory> memory(count);
  for (int64_t d = 0; d < count; ++d) {
    int64_t bytes;
    if (__builtin_add_overflow(program.arenaBytes, page, &bytes) ||
        bytes > machineMemory() / count ||
        !(memory[d].allocation = allocateHost(bytes)))
      return fail("not enough memory for the buffers of ", count, " devices, ",
                  program.arenaBytes, " bytes each");
    char *arena =
        static_cast<char *>(memory[d].allocation.get()) + d * stagger % page;
    memory[d].table.resize(places.size());
    for (size_t s = 0; s < places.size(); ++s) {
      const Place &p = places[s];
      if (p.home == Slot::Home::Arena)
        memory[d].table[s] = arena + p.offset;
      else if (p.home == Slot::Home::Constant)
        memory[d].table[s] = const_cast<char *>(
            static_cast<const char *>(program.constants[p.index].data.get()) +
            p.offset);
    }
  }
  return memory;
}

Executor::Prepared::~Prepared() { dropIdle(this); }
