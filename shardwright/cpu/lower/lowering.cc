//===- lowering.cc - lowering of local StableHLO to a Program -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/lower/lower_block.h"

#include "shardwright/backend/device.h"
#include "shardwright/cpu/jit/jit.h"
#include "shardwright/cpu/plan/kernel_plan.h"
#include "shardwright/legalize/entry_function.h"
#include "shardwright/legalize/legalize.h"
#include "shardwright/partition/prepare/inline_calls.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::cpu {

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

SlotId Lowering::makeSlot(ElementType type, llvm::ArrayRef<int64_t> shape,
                          Slot::Home home, int32_t index) {
  Slot slot;
  slot.home = home;
  slot.index = index;
  slot.type = type;
  slot.shape = Shape(shape);
  program.slots.push_back(std::move(slot));
  return static_cast<SlotId>(program.slots.size()) - 1;
}

SlotId Lowering::makeView(SlotId of, ElementType type,
                          llvm::ArrayRef<int64_t> shape, int64_t offset) {
  if (program.slots[of].home == Slot::Home::View) {
    offset += program.slots[of].offset;
    of = program.slots[of].index;
  }
  const Slot &target = program.slots[of];
  if (offset == 0 && target.type == type && target.shape == Shape(shape))
    return of;
  SlotId view = makeSlot(type, shape, Slot::Home::View, of);
  program.slots[view].offset = offset;
  return view;
}

SlotId Lowering::makeConstant(ElementType type, llvm::ArrayRef<int64_t> shape,
                              ConstantData data) {
  StringRef bytes(static_cast<const char *>(data.data.get()), data.bytes);
  auto [it, inserted] = constantIds.try_emplace(
      bytes, static_cast<int32_t>(program.constants.size()));
  if (inserted)
    program.constants.push_back(std::move(data));
  return makeSlot(type, shape, Slot::Home::Constant, it->second);
}

Step &Lowering::addStep(StepKind kind, llvm::ArrayRef<SlotId> inputs,
                        llvm::ArrayRef<SlotId> outputs, int32_t location) {
  Step step;
  step.kind = kind;
  step.inputs.assign(inputs.begin(), inputs.end());
  step.outputs.assign(outputs.begin(), outputs.end());
  step.location = location;
  program.steps.push_back(std::move(step));
  return program.steps.back();
}

SlotId Lowering::base(SlotId slot) const {
  while (program.slots[slot].home == Slot::Home::View)
    slot = program.slots[slot].index;
  return slot;
}

bool Lowering::sameBytes(SlotId a, SlotId b) const {
  auto offset = [&](SlotId s) {
    return program.slots[s].home == Slot::Home::View ? program.slots[s].offset
                                                     : 0;
  };
  return a == b || (base(a) == base(b) && offset(a) == offset(b) &&
                    program.slots[a].bytes() == program.slots[b].bytes());
}

void Lowering::copy(SlotId from, SlotId to, int32_t location) {
  if (!sameBytes(from, to) && program.slots[to].elements() != 0)
    addStep(StepKind::Copy, {from}, {to}, location);
}

int32_t Lowering::kernel(const Cluster &cluster) {
  std::string symbol = kernelSymbol(cluster);
  auto [it, inserted] =
      kernelIds.try_emplace(symbol, static_cast<int32_t>(clusters.size()));
  if (inserted) {
    clusters.push_back(std::make_unique<Cluster>(cluster));
    runs.push_back(0);
  }
  runs[it->second] += repeats;
  return it->second;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Records, per kernel, the pairs of result and argument that may share a
/// buffer if the argument is donated.
static void noteSharing(const Program &program,
                        ArrayRef<std::unique_ptr<Cluster>> clusters,
                        ProgramCode &code) {
  auto isHome = [&](SlotId slot, Slot::Home home) {
    return program.slots[slot].home == home;
  };
  for (const Step &step : program.steps) {
    if (step.kind != StepKind::Kernel)
      continue;
    for (auto [o, output] : llvm::enumerate(step.outputs)) {
      if (!isHome(output, Slot::Home::Result))
        continue;
      for (auto [i, input] : llvm::enumerate(step.inputs)) {
        std::pair<int32_t, int32_t> pair{int32_t(o), int32_t(i)};
        auto &known = code.kernels[step.payload].mayShare;
        if (isHome(input, Slot::Home::Argument) &&
            program.slots[input].bytes() == program.slots[output].bytes() &&
            !llvm::is_contained(known, pair) &&
            mayShareBuffer(*clusters[step.payload], o, i))
          known.push_back(pair);
      }
    }
  }
}

static int64_t moduleCount(ModuleOp module, StringRef name) {
  auto attr = module->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 1;
}

FailureOr<Program> Lowering::run() {
  if (failed(inlineCalls(module)))
    return failure();
  FailureOr<func::FuncOp> entry = legalize::entryFunction(module);
  if (failed(entry))
    return failure();
  program.name = module.getName().value_or("").str();
  program.numReplicas = moduleCount(module, "mhlo.num_replicas");
  program.numPartitions = moduleCount(module, "mhlo.num_partitions");
  if (program.numReplicas < 1 || program.numPartitions < 1 ||
      program.numReplicas > kMaxDevices ||
      program.numPartitions > kMaxDevices / program.numReplicas)
    return module.emitError()
           << "mhlo.num_replicas and mhlo.num_partitions ask for "
           << program.numReplicas << " times " << program.numPartitions
           << " devices, expected positive numbers whose product is at most "
           << kMaxDevices;
  if (failed(legalize::legalizeOps(*entry, program.numReplicas,
                                   program.numPartitions)))
    return failure();
  Block &block = entry->getBody().front();
  for (auto [i, arg] : llvm::enumerate(block.getArguments())) {
    ElementType type;
    Shape shape;
    if (failed(readType(*entry, arg.getType(), type, shape)))
      return failure();
    SlotId slot = makeSlot(type, shape, Slot::Home::Argument, i);
    program.arguments.push_back(slot);
    slotOfValue[arg] = slot;
  }
  llvm::SmallVector<DestinationHint, 4> hints;
  for (auto [i, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    ElementType type;
    Shape shape;
    if (failed(readType(block.getTerminator(), value.getType(), type, shape)))
      return failure();
    program.results.push_back(makeSlot(type, shape, Slot::Home::Result, i));
    hints.push_back({program.results.back(), nullptr});
  }
  auto results = BlockLowering(*this, block, false).run(hints);
  if (failed(results))
    return failure();
  int32_t location = locations.add(block.getTerminator());
  for (auto [from, to] : llvm::zip_equal(*results, program.results))
    copy(from, to, location);
  addStep(StepKind::Return, {}, {}, location);

  llvm::SmallVector<const Cluster *> list;
  for (auto &cluster : clusters)
    list.push_back(cluster.get());
  llvm::Expected<CompiledKernels> compiled = compileKernels(
      list, {options.cacheDir, options.compileThreads, std::nullopt}, runs);
  if (!compiled)
    return module.emitError() << "kernels could not be compiled: "
                              << llvm::toString(compiled.takeError());
  for (const std::string &warning : compiled->warnings)
    module.emitWarning() << warning;
  program.kernels = std::move(compiled->kernels);
  noteSharing(program, clusters, *compiled->code);
  program.code = std::move(compiled->code);
  return std::move(program);
}

FailureOr<Program> lowerToProgram(ModuleOp module,
                                  const LoweringOptions &options) {
  return Lowering(module, options).run();
}

} // namespace shardwright::cpu
