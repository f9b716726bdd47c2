//===- merge_programs.cc - one program of several -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/merge_programs.h"

#include "shardwright/cpu/execute/program_hash.h"
#include "shardwright/cpu/program/memory_plan.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

class Merger {
public:
  Merger(llvm::ArrayRef<const Program *> programs,
         llvm::ArrayRef<int32_t> programOf)
      : programs(programs), programOf(programOf) {}

  MergedProgram merge();

private:
  /// Of one program: where its parts are in the merged one.
  struct Offsets {
    int32_t slots, kernels, dots, calls, switches, constants, locations;
    llvm::SmallVector<SlotId, 8> resultCopies; ///< by result; -1: none
    std::vector<int32_t> steps;                ///< by step
    /// By step of a collective: its number, and the step after it.
    std::vector<int32_t> number, resume;
  };

  /// Operands of a collective: slots that all programs copy from and to.
  struct Shared {
    llvm::SmallVector<SlotId, 4> inputs, outputs;
    int32_t step; ///< of the collective
  };

  SlotId addSlot(Slot slot) {
    merged.slots.push_back(std::move(slot));
    return merged.slots.size() - 1;
  }
  Step &addStep(StepKind kind, llvm::ArrayRef<SlotId> in = {},
                llvm::ArrayRef<SlotId> out = {}) {
    Step &step = merged.steps.emplace_back();
    step.kind = kind;
    step.inputs.assign(in.begin(), in.end());
    step.outputs.assign(out.begin(), out.end());
    return step;
  }
  /// A step that branches to a target for each position.
  void addBranch(llvm::function_ref<int32_t(int32_t program)> target);
  void addParts(const Program &p);
  void addResults(const Program &p, Offsets &at);
  void addShared();
  void numberSteps(const Program &p, Offsets &at);
  void addSteps(const Program &p, const Offsets &at);

  llvm::ArrayRef<const Program *> programs;
  llvm::ArrayRef<int32_t> programOf;
  MergedProgram result;
  Program &merged = result.program;
  std::vector<Offsets> offsets; ///< by program
  std::vector<Shared> shared;   ///< by number of the collective
  SlotId replica = -1;
  int32_t next = 0; ///< the number of steps that have been numbered
};

} // namespace

static constexpr int64_t alignment = 64;

/// Appends the slots and tables of a program. Slots in the arena keep their
/// offset: a device runs one of the programs.
void Merger::addParts(const Program &p) {
  Offsets &at = offsets.emplace_back();
  at.slots = merged.slots.size();
  at.kernels = merged.kernels.size();
  at.dots = merged.dots.size();
  at.calls = merged.libraryCalls.size();
  at.switches = merged.switchTargets.size();
  at.constants = merged.constants.size();
  at.locations = merged.locations.size();
  int32_t arguments = merged.arguments.size(), results = merged.results.size();
  result.firstArgument.push_back(arguments);
  result.firstResult.push_back(results);
  for (Slot slot : p.slots) {
    switch (slot.home) {
    case Slot::Home::Argument:
      slot.index += arguments;
      break;
    case Slot::Home::Result:
      slot.index += results;
      break;
    case Slot::Home::Constant:
      slot.index += at.constants;
      break;
    case Slot::Home::View:
      slot.index += at.slots;
      break;
    case Slot::Home::Arena:
      break;
    }
    addSlot(std::move(slot));
  }
  llvm::append_range(merged.kernels, p.kernels);
  llvm::append_range(merged.dots, p.dots);
  llvm::append_range(merged.libraryCalls, p.libraryCalls);
  llvm::append_range(merged.switchTargets, p.switchTargets); // see addSteps
  llvm::append_range(merged.constants, p.constants);
  llvm::append_range(merged.locations, p.locations);
  for (SlotId argument : p.arguments)
    merged.arguments.push_back(argument + at.slots);
  merged.arenaBytes = std::max(merged.arenaBytes, p.arenaBytes);
  addResults(p, at);
}

/// Results that lie in other memory than that of the caller are copied by the
/// program itself: the executor would do so on every device.
void Merger::addResults(const Program &p, Offsets &at) {
  int32_t first = result.firstResult.back();
  for (auto [i, slot] : llvm::enumerate(p.results)) {
    SlotId base = slot;
    int64_t offset = 0;
    for (; p.slots[base].home == Slot::Home::View; base = p.slots[base].index)
      offset += p.slots[base].offset;
    const Slot &owner = p.slots[base];
    SlotId copy = -1;
    if (owner.home != Slot::Home::Result || owner.index != int32_t(i) ||
        offset != 0) {
      Slot to = p.slots[slot];
      to.home = Slot::Home::Result;
      to.index = first + int32_t(i);
      to.offset = -1;
      copy = addSlot(std::move(to));
    }
    at.resultCopies.push_back(copy);
    merged.results.push_back(copy >= 0 ? copy : slot + at.slots);
  }
}

/// Adds the slots of the collectives' operands, behind the arenas of the
/// programs and in the same place for all collectives.
void Merger::addShared() {
  int64_t begin = llvm::alignTo(merged.arenaBytes, alignment), end = begin;
  const Program &p = *programs.front();
  for (int32_t index : orderedCollectives(p)) {
    const Step &step = p.steps[index];
    Shared &operands = shared.emplace_back();
    int64_t offset = begin;
    auto add = [&](SlotId like) {
      Slot slot = p.slots[like];
      slot.home = Slot::Home::Arena;
      slot.index = -1;
      slot.offset = offset;
      offset += llvm::alignTo(slot.bytes(), alignment);
      return addSlot(std::move(slot));
    };
    for (SlotId in : step.inputs)
      operands.inputs.push_back(add(in));
    for (SlotId out : step.outputs)
      operands.outputs.push_back(add(out));
    end = std::max(end, offset);
  }
  Slot number;
  number.type = ElementType::U32;
  number.offset = end;
  replica = addSlot(std::move(number));
  merged.arenaBytes = end + alignment;
}

void Merger::addBranch(llvm::function_ref<int32_t(int32_t program)> target) {
  std::vector<int32_t> targets;
  for (int32_t program : programOf)
    targets.push_back(target(program));
  addStep(StepKind::Switch, replica).payload = merged.switchTargets.size();
  merged.switchTargets.push_back(std::move(targets));
}

/// Finds the step at which each step of the program begins in the merged one.
void Merger::numberSteps(const Program &p, Offsets &at) {
  at.number.assign(p.steps.size(), -1);
  at.resume.assign(p.steps.size(), -1);
  for (auto [number, step] : llvm::enumerate(orderedCollectives(p)))
    at.number[step] = number;
  int32_t copies =
      llvm::count_if(at.resultCopies, [](SlotId s) { return s >= 0; });
  for (auto [index, step] : llvm::enumerate(p.steps)) {
    at.steps.push_back(next);
    if (step.kind == StepKind::Collective) {
      at.resume[index] = next + int32_t(step.inputs.size()) + 1;
      next = at.resume[index] + int32_t(step.outputs.size());
    } else {
      next += step.kind == StepKind::Return ? copies + 1 : 1;
    }
  }
}

void Merger::addSteps(const Program &p, const Offsets &at) {
  for (auto [index, given] : llvm::enumerate(p.steps)) {
    Step step = given;
    for (auto *slots : {&step.inputs, &step.outputs})
      for (SlotId &slot : *slots)
        slot += at.slots;
    if (step.location >= 0)
      step.location += at.locations;
    switch (step.kind) {
    case StepKind::Kernel:
      step.payload += at.kernels;
      break;
    case StepKind::Dot:
      step.payload += at.dots;
      break;
    case StepKind::Library:
      step.payload += at.calls;
      break;
    case StepKind::Jump:
    case StepKind::JumpIfFalse:
      step.target = at.steps[step.target];
      break;
    case StepKind::Switch:
      step.payload += at.switches;
      break;
    case StepKind::Collective: {
      const Shared &operands = shared[at.number[index]];
      for (auto [from, to] : llvm::zip_equal(step.inputs, operands.inputs))
        addStep(StepKind::Copy, from, to);
      addStep(StepKind::Jump).target = operands.step;
      for (auto [from, to] : llvm::zip_equal(operands.outputs, step.outputs))
        addStep(StepKind::Copy, from, to);
      continue;
    }
    case StepKind::Return:
      for (auto [slot, copy] : llvm::zip_equal(p.results, at.resultCopies))
        if (copy >= 0)
          addStep(StepKind::Copy, slot + at.slots, copy);
      break;
    case StepKind::Copy:
    case StepKind::DeviceId:
    case StepKind::ReplicaId:
      break;
    }
    merged.steps.push_back(std::move(step));
  }
  for (int32_t i = 0; i < int32_t(p.switchTargets.size()); ++i)
    for (int32_t &target : merged.switchTargets[at.switches + i])
      target = at.steps[target];
}

MergedProgram Merger::merge() {
  const Program &first = *programs.front();
  merged.name = first.name;
  merged.numReplicas = first.numReplicas;
  merged.code = first.code;
  for (const Program *p : programs)
    addParts(*p);
  addShared();
  next = 2; // the replica's number, and the branch to its program
  for (auto [p, at] : llvm::zip_equal(programs, offsets))
    numberSteps(*p, at);
  for (Shared &operands : shared) {
    operands.step = next;
    next += 2; // the collective, and the branch back
  }
  addStep(StepKind::ReplicaId, {}, replica);
  addBranch([&](int32_t program) { return offsets[program].steps.front(); });
  for (auto [p, at] : llvm::zip_equal(programs, offsets))
    addSteps(*p, at);
  std::vector<int32_t> steps = orderedCollectives(first);
  std::vector<std::vector<int32_t>> all;
  for (const Program *p : programs)
    all.push_back(orderedCollectives(*p));
  for (auto [number, operands] : llvm::enumerate(shared)) {
    const Step &given = first.steps[steps[number]];
    Step &step =
        addStep(StepKind::Collective, operands.inputs, operands.outputs);
    step.payload = merged.collectives.size();
    step.location = given.location; // those of the first program come first
    merged.collectives.push_back(first.collectives[given.payload]);
    addBranch([&, number = number](int32_t program) {
      return offsets[program].resume[all[program][number]];
    });
  }
  return std::move(result);
}

llvm::Expected<MergedProgram>
cpu::mergePrograms(llvm::ArrayRef<const Program *> programs,
                   llvm::ArrayRef<int32_t> programOf) {
  const Program &first = *programs.front();
  for (const Program *p : programs) {
    if (p->numPartitions != 1)
      return fail("different programs of ", p->numPartitions,
                  " partitions cannot run together: each replica must have one "
                  "partition");
    if (hashOfCommunication(*p) != hashOfCommunication(first))
      return fail("programs that run together must have the same collectives");
  }
  if (int64_t(programOf.size()) != first.numReplicas)
    return fail("programs for ", first.numReplicas, " replicas cannot run on ",
                programOf.size(), " devices");
  return Merger(programs, programOf).merge();
}
