//===- program_cost.cc - the work of a program and of its steps ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_program.h"
#include "shardwright/cpu/program/program_code.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright::cpu {

static double dotFlops(const DotSpec &dot) {
  double flops = 2.0 * dot.m * dot.n * dot.k;
  for (int64_t size : dot.batch)
    flops *= size;
  return flops;
}

/// Each result element is a sum over the kernel's window and input features.
static double convolutionFlops(const LibraryCall &call) {
  auto count = [](const BufferType &type) {
    double n = 1;
    for (int64_t size : type.shape)
      n *= size;
    return n;
  };
  const LibraryAttribute *dims = nullptr;
  for (const LibraryAttribute &a : call.attributes)
    if (a.name == "kernel_output_feature_dimension")
      dims = &a;
  if (call.inputs.size() != 2 || call.outputs.size() != 1 || !dims ||
      dims->integers.size() != 1)
    return 0;
  const BufferType &kernel = call.inputs[1];
  int64_t features = dims->integers[0];
  if (features < 0 || features >= int64_t(kernel.shape.size()) ||
      kernel.shape[features] == 0)
    return 0;
  return 2 * count(call.outputs[0]) * count(kernel) / kernel.shape[features];
}

/// Mean bytes that a device sends, by the cost model of the statistics
/// (report/collective_cost.h). `local`: the bytes of the step's operands.
static double meanBytesSent(const CollectiveSpec &spec, double local,
                            int64_t numDevices) {
  if (spec.kind == CollectiveKind::CollectivePermute) {
    int64_t senders = llvm::count_if(
        spec.pairs, [](const auto &pair) { return pair.first != pair.second; });
    return local * double(senders) / double(numDevices);
  }
  if (spec.groups.empty())
    return 0;
  auto members = double(spec.groups.front().size());
  switch (spec.kind) {
  case CollectiveKind::AllGather:
    return local * (members - 1);
  case CollectiveKind::AllReduce:
    return 2 * (local * (members - 1) / members);
  default:
    return local * (members - 1) / members;
  }
}

StepCost CpuProgram::stepCost(int32_t number) const {
  const Program &program = loaded->program;
  const Step &step = program.steps[number];
  StepCost cost;
  for (SlotId id : step.inputs)
    cost.bytesRead += program.slots[id].bytes();
  for (SlotId id : step.outputs)
    cost.bytesWritten += program.slots[id].bytes();
  if (!step.outputs.empty())
    cost.type = program.slots[step.outputs.front()].type;
  if (step.kind == StepKind::Collective)
    cost.bytesSent = meanBytesSent(program.collectives[step.payload],
                                   cost.bytesRead, program.numDevices());
  if (step.kind == StepKind::Kernel && program.code) {
    const KernelFacts &facts = program.code->kernels[step.payload];
    cost.flops = facts.flops - facts.transcendentals;
    cost.transcendentals = facts.transcendentals;
  } else if (step.kind == StepKind::Dot) {
    cost.flops = dotFlops(program.dots[step.payload]);
    cost.isContraction = true;
  } else if (step.kind == StepKind::Library &&
             program.libraryCalls[step.payload].name ==
                 "stablehlo.convolution") {
    cost.flops = convolutionFlops(program.libraryCalls[step.payload]);
    cost.isContraction = true;
  }
  return cost;
}

CostAnalysis CpuProgram::cost() const {
  const Program &program = loaded->program;
  CostAnalysis cost;
  for (auto [i, step] : llvm::enumerate(program.steps)) {
    if (cost.operands.size() < step.inputs.size())
      cost.operands.resize(step.inputs.size());
    for (auto [operand, id] : llvm::zip(cost.operands, step.inputs)) {
      operand.bytes += program.slots[id].bytes();
      operand.uses += 1;
    }
    StepCost one = stepCost(int32_t(i));
    cost.flops += one.flops;
    cost.transcendentals += one.transcendentals;
    cost.bytesAccessed += one.bytesRead + one.bytesWritten;
    cost.bytesWritten += one.bytesWritten;
  }
  return cost;
}

} // namespace shardwright::cpu
