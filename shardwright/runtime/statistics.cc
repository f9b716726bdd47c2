//===- statistics.cc - what an executable costs ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/program_code.h"
#include "shardwright/runtime/executable.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

static double dotFlops(const cpu::DotSpec &dot) {
  double flops = 2.0 * dot.m * dot.n * dot.k;
  for (int64_t size : dot.batch)
    flops *= size;
  return flops;
}

/// Each result element is a sum over the kernel's window and input features.
static double convolutionFlops(const cpu::LibraryCall &call) {
  auto count = [](const cpu::BufferType &type) {
    double n = 1;
    for (int64_t size : type.shape)
      n *= size;
    return n;
  };
  const cpu::LibraryAttribute *dims = nullptr;
  for (const cpu::LibraryAttribute &a : call.attributes)
    if (a.name == "kernel_output_feature_dimension")
      dims = &a;
  if (call.inputs.size() != 2 || call.outputs.size() != 1 || !dims ||
      dims->integers.size() != 1)
    return 0;
  const cpu::BufferType &kernel = call.inputs[1];
  int64_t features = dims->integers[0];
  if (features < 0 || features >= int64_t(kernel.shape.size()) ||
      kernel.shape[features] == 0)
    return 0;
  return 2 * count(call.outputs[0]) * count(kernel) / kernel.shape[features];
}

CostAnalysis Executable::cost() const {
  const cpu::Program &program = parts().program;
  const cpu::ProgramCode *code = program.code.get();
  CostAnalysis cost;
  for (const cpu::Step &step : program.steps) {
    for (auto slots :
         {llvm::ArrayRef(step.inputs), llvm::ArrayRef(step.outputs)})
      for (cpu::SlotId id : slots)
        cost.bytesAccessed += program.slots[id].bytes();
    switch (step.kind) {
    case cpu::StepKind::Kernel:
      if (code) {
        cost.flops += code->kernels[step.payload].flops;
        cost.transcendentals += code->kernels[step.payload].transcendentals;
      }
      break;
    case cpu::StepKind::Dot:
      cost.flops += dotFlops(program.dots[step.payload]);
      break;
    case cpu::StepKind::Library:
      if (program.libraryCalls[step.payload].name == "stablehlo.convolution")
        cost.flops += convolutionFlops(program.libraryCalls[step.payload]);
      break;
    default:
      break;
    }
  }
  return cost;
}

MemoryStatistics Executable::memory() const {
  const cpu::Program &program = parts().program;
  MemoryStatistics memory;
  for (auto [i, id] : llvm::enumerate(program.arguments)) {
    memory.arguments += program.slots[id].bytes();
    if (loaded->reusedBy[i] >= 0)
      memory.reusedByResults += program.slots[id].bytes();
  }
  for (cpu::SlotId id : program.results)
    memory.results += program.slots[id].bytes();
  memory.temporaries = program.arenaBytes;
  for (const cpu::ConstantData &constant : program.constants)
    memory.constants += constant.bytes;
  return memory;
}
