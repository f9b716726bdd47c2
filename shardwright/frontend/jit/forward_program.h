//===- forward_program.h - programs that only forward -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_FORWARD_PROGRAM_H
#define SHARDWRIGHT_FRONTEND_JIT_FORWARD_PROGRAM_H

#include "shardwright/frontend/jit/compiled_program.h"

namespace shardwright::frontend {

/// Where the results of a program come from that computes nothing: it has no
/// effects, no equations but nested calls of such programs, asks for no
/// sharding or layout of a result, and leaves no sharding of an input to the
/// compiler. None: the program has to be compiled.
std::optional<std::vector<ForwardedResult>>
forwardedResults(const LoweredProgram &lowered);

/// The program without an executable. Its results are arrays of their own that
/// share the memory of inputs and constants: deleting or donating one leaves
/// the others as they are. An input keeps its sharding, and is replicated over
/// the devices if it has none, as numbers are; a constant stays where it is.
Expected<CompiledPtr> forwardProgram(const LoweredPtr &lowered,
                                     std::vector<ForwardedResult> results,
                                     const std::vector<Device> &devices);
Tensors runForwarding(const CompiledProgram &program, const Tensors &args);
/// Per device, by the names of `memoryAnalysis`.
std::map<std::string, int64_t> forwardingMemory(const CompiledProgram &program);

/// The error if an array is donated and passed once more. Numbers are those of
/// kept arguments.
Status checkDonated(const CompiledProgram &program, const Tensors &args);
/// Deletes the arguments that a run has consumed.
void removeDonated(const CompiledProgram &program, const Tensors &args);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_FORWARD_PROGRAM_H
