//===- program_parts_for_tests.h - hand-built executables -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_PROGRAM_PARTS_FOR_TESTS_H
#define SHARDWRIGHT_RUNTIME_PROGRAM_PARTS_FOR_TESTS_H

#include "shardwright/cpu/backend/cpu_backend.h"
#include "shardwright/cpu/program/memory_plan.h"
#include "shardwright/runtime/executable.h"

namespace shardwright {

/// A CPU executable with a hand-built program.
struct ProgramParts {
  cpu::Program program;
  std::vector<Mesh> meshes;
  std::vector<ValueSpec> arguments, results;
};

inline llvm::Expected<std::unique_ptr<Executable>>
makeExecutable(ProgramParts parts) {
  auto program = cpu::makeLoadedProgram(std::move(parts.program),
                                        donationsOf(parts.arguments));
  if (!program)
    return program.takeError();
  return Executable::create({std::move(*program), std::move(parts.meshes),
                             std::move(parts.arguments),
                             std::move(parts.results), ""});
}

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_PROGRAM_PARTS_FOR_TESTS_H
