//===- compiled_program.h - an executable of the front end ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_COMPILED_PROGRAM_H
#define SHARDWRIGHT_FRONTEND_JIT_COMPILED_PROGRAM_H

#include "shardwright/compile/compile.h"
#include "shardwright/frontend/jit/program.h"

namespace shardwright::frontend {

/// A result of a program that only forwards: an input or a constant.
struct ForwardedResult {
  /// Of the kept inputs; -1: the constant.
  int64_t input = -1;
  Tensor constant = {};
};

/// What takes the place of an executable in a program that only forwards.
struct Forwarding {
  std::vector<ForwardedResult> results;
  LoweredPtr lowered;
};

/// An executable with what the front end knows of its inputs and results.
class CompiledProgram {
public:
  /// Null if `forwarding` is there.
  std::shared_ptr<Executable> executable;
  std::shared_ptr<const Forwarding> forwarding;
  std::vector<Sharding> ins, outs; ///< of kept inputs, of results
  /// As them; null: row-major.
  std::vector<std::shared_ptr<const Layout>> inLayouts, outLayouts;
  std::vector<Aval> inAvals, outAvals; ///< as `ins` and `outs`
  /// Of all inputs; of kept ones: whether a run consumes them.
  std::vector<bool> kept, donated;
  /// Of the function, in messages: `jit(f)`.
  std::string name;
  std::vector<Device> devices;
  ProgramReport report;
  /// The report of the search for shardings, if there was one.
  std::string search;
  /// Its results are on the devices that the user chose.
  bool committed = false;

  /// Sets what follows from the members above and is the same in every call.
  void prepareCalls();
  ExecuteOptions options;
  bool donatesAny = false;
  /// Runs with effects wait for each other (pending_runs.h).
  EffectSet effects;
  /// Names of the host functions that it calls.
  std::vector<std::string> callbacks;
  /// It may call functions of the user, by callbacks or by name.
  bool callsUser = false;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_COMPILED_PROGRAM_H
