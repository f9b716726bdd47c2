//===- check_program.cc - checks of programs read from outside ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/check_program.h"

#include "shardwright/backend/device.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace shardwright;
using namespace shardwright::cpu;

/// Maximum bytes of an array. The product with a number of devices fits into 64
/// bits.
static constexpr int64_t maxBytes = int64_t(1) << 42;

static bool isSize(int64_t bytes) { return bytes >= 0 && bytes <= maxBytes; }

static bool isArray(ElementType type, llvm::ArrayRef<int64_t> shape) {
  int64_t bytes = byteWidth(type);
  // Check the other sizes even if one is 0: strides are products of them.
  for (int64_t size : shape)
    if (size < 0 ||
        __builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes) ||
        bytes > maxBytes)
      return false;
  return true;
}

static bool isTime(double value) {
  return std::isfinite(value) && value >= 0 && value <= 1e18;
}

static llvm::Error checkSlots(const Program &program) {
  for (auto [i, slot] : llvm::enumerate(program.slots))
    if (!isArray(slot.type, slot.shape))
      return fail("slot ", i, " has a size that is not possible");
  if (!isSize(program.arenaBytes))
    return fail("an arena of ", program.arenaBytes, " bytes is not possible");
  auto known = [&](SlotId slot) {
    return slot >= 0 && size_t(slot) < program.slots.size();
  };
  for (auto [i, step] : llvm::enumerate(program.steps)) {
    if (!llvm::all_of(step.inputs, known) || !llvm::all_of(step.outputs, known))
      return fail("step ", i, " uses a slot that does not exist");
    auto isLocation = [&](int32_t location) {
      return location >= 0 && size_t(location) < program.locations.size();
    };
    if ((step.location != -1 && !isLocation(step.location)) ||
        !llvm::all_of(step.fusedLocations, isLocation))
      return fail("step ", i, " has a location that does not exist");
  }
  return llvm::Error::success();
}

static llvm::Error checkKernels(const Program &program,
                                const ProgramCode &code) {
  if (code.kernels.size() != program.kernels.size())
    return fail("it has ", program.kernels.size(), " kernels, but facts of ",
                code.kernels.size());
  for (auto [kernel, facts] : llvm::zip_equal(program.kernels, code.kernels))
    if (kernel.iterations < 0 || !isTime(kernel.costNs) ||
        !isTime(facts.flops) || !isTime(facts.transcendentals))
      return fail("kernel '", kernel.symbol,
                  "' takes a time that is not "
                  "possible");
  for (auto [i, step] : llvm::enumerate(program.steps)) {
    if (step.kind != StepKind::Kernel)
      continue;
    if (step.payload < 0 || size_t(step.payload) >= program.kernels.size())
      return fail("step ", i, " runs a kernel that does not exist");
    for (auto [output, input] : code.kernels[step.payload].mayShare)
      if (output < 0 || size_t(output) >= step.outputs.size() || input < 0 ||
          size_t(input) >= step.inputs.size())
        return fail("step ", i, " shares operands that do not exist");
  }
  return llvm::Error::success();
}

static llvm::Error checkCalls(const Program &program) {
  for (const LibraryCall &call : program.libraryCalls) {
    for (auto *types : {&call.inputs, &call.outputs})
      for (const BufferType &type : *types)
        if (!isArray(type.type, type.shape))
          return fail(call.name, ": an array of a size that is not possible");
    for (auto [output, input] : call.aliases)
      if (output < 0 || size_t(output) >= call.outputs.size() || input < 0 ||
          size_t(input) >= call.inputs.size())
        return fail(call.name, ": an alias of an operand that does not exist");
    int64_t scratch;
    if (call.scratchBytes < 0 || call.scratchCopies < 0 ||
        __builtin_mul_overflow(call.scratchBytes, call.scratchCopies,
                               &scratch) ||
        !isSize(scratch))
      return fail(call.name, ": scratch memory of a size that is not possible");
  }
  for (const CollectiveSpec &spec : program.collectives)
    if (!isArray(spec.type, spec.inputShape) ||
        !isArray(spec.type, spec.outputShape))
      return fail("a collective of a size that is not possible");
  return llvm::Error::success();
}

llvm::Error cpu::checkProgram(const Program &program, const ProgramCode &code) {
  if (program.numReplicas < 1 || program.numPartitions < 1 ||
      program.numReplicas > kMaxDevices ||
      program.numPartitions > kMaxDevices / program.numReplicas)
    return fail("a program for ", program.numReplicas, " replicas of ",
                program.numPartitions, " partitions is not possible");
  if (llvm::Error e = checkSlots(program))
    return e;
  if (llvm::Error e = checkKernels(program, code))
    return e;
  return checkCalls(program);
}
