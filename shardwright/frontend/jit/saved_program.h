//===- saved_program.h - compiled programs as bytes -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_SAVED_PROGRAM_H
#define SHARDWRIGHT_FRONTEND_JIT_SAVED_PROGRAM_H

#include "shardwright/frontend/jit/program.h"

namespace shardwright::frontend {

/// A compiled program with the types and names of all its inputs.
struct SavedProgram {
  CompiledPtr program;
  std::vector<Aval> types;
  std::vector<std::string> argNames;
  std::vector<bool> donated;
  /// Structures of the arguments and the result, as TreeDef says them.
  std::string inTree, outTree;
};

/// The program with its machine code and a checksum.
Expected<std::string> serializeProgram(const SavedProgram &saved);
/// Reads such bytes. Position k of the program runs on `devices[k]`; empty: on
/// the device that it was compiled for.
Expected<SavedProgram> loadSavedProgram(std::string_view bytes,
                                        const std::vector<Device> &devices);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_SAVED_PROGRAM_H
