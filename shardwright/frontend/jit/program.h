//===- program.h - compiled programs and their caches -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_PROGRAM_H
#define SHARDWRIGHT_FRONTEND_JIT_PROGRAM_H

#include "shardwright/frontend/lower/lower.h"
#include "shardwright/frontend/trace/sharding_param.h"

namespace shardwright::frontend {

/// Counts of the steps of jit in this process, for tests of its caches.
struct JitCounters {
  int64_t traces = 0, lowerings = 0, compiles = 0, dispatchMisses = 0;
};
JitCounters jitCounters();
/// Number of programs of single primitives that are kept: traced and compiled.
size_t eagerCacheSize();
namespace detail {
void countTrace();
void countDispatchMiss();
/// Forgets lowered and compiled programs; those of single primitives.
void clearPrograms();
void clearEagerPrograms();
} // namespace detail

/// What is lowered: a jaxpr and where its inputs and results are.
struct ProgramRequest {
  JaxprPtr jaxpr;
  std::string name = "<lambda>";
  std::vector<Sharding> ins, outs; ///< per input and result
  /// Per input and result, or empty; none: row-major.
  std::vector<std::optional<Layout>> inLayouts, outLayouts;
  std::vector<bool> donated;
  std::vector<std::string> resultPaths;
  bool keepUnused = false;
  /// By name, with values as text.
  std::map<std::string, std::string> compilerOptions;
  /// Where the function was given to jit.
  std::source_location source = {};
  /// The device list; empty if only abstract meshes occur.
  std::vector<Device> devices;
  int64_t numDevices = 1;
};

/// A module, before compilation.
struct LoweredProgram {
  std::string text;
  /// Functions of the host that it calls, by number.
  std::vector<std::shared_ptr<const ParamObject>> callbacks;
  JaxprPtr jaxpr;         ///< without unused inputs
  std::vector<bool> kept; ///< of the inputs of the request
  /// Of kept inputs: whether a run consumes them.
  std::vector<bool> consumed;
  ProgramRequest request;
  /// With which the text was made.
  std::shared_ptr<const LoweringOptions> options;
};
using LoweredPtr = std::shared_ptr<const LoweredProgram>;

/// An executable on a device list.
class CompiledProgram;
using CompiledPtr = std::shared_ptr<const CompiledProgram>;

/// Writes the module; cached by jaxpr and semantic shardings.
Expected<LoweredPtr> lowerProgram(const ProgramRequest &request);
/// The text as MLIR prints it.
Expected<std::string> prettyText(const std::string &text,
                                 bool withLocations = false);
/// The text with the names and source positions of its operations.
Expected<std::string> locatedText(const LoweredProgram &lowered);
/// Cached by module and devices. A program that only forwards is not compiled
/// (forward_program.h).
Expected<CompiledPtr> compileProgram(const LoweredPtr &lowered,
                                     const std::vector<Device> &devices);
/// Runs on arrays (those of all inputs, also unused ones). Errors: a buffer
/// that is donated twice, or donated and used; config::noExecution.
Tensors runProgram(const CompiledProgram &program, const Tensors &args);

/// The device list of a call: that of the first voter, which all others must
/// equal. Errors name the voters.
Expected<std::vector<Device>>
assignDevices(const Jaxpr &jaxpr, const std::vector<Sharding> &ins,
              const std::vector<std::string> &inPhrases,
              const std::vector<Sharding> &outs, const std::vector<bool> &kept);

/// Of kept inputs.
const std::vector<Sharding> &inputShardings(const CompiledProgram &program);
const std::vector<Sharding> &outputShardings(const CompiledProgram &program);
/// With their layouts.
std::vector<Format> inputFormats(const CompiledProgram &program);
std::vector<Format> outputFormats(const CompiledProgram &program);
/// Costs per device, those that are not zero, by the names of XLA: `flops`,
/// `bytes accessed`; for each position of operands of steps
/// `bytes accessed0{}` and `utilization0{}`, the number of such steps.
std::map<std::string, double> costAnalysis(const CompiledProgram &program);
std::map<std::string, int64_t> memoryAnalysis(const CompiledProgram &program);
std::vector<Aval> outputTypes(const CompiledProgram &program);
/// Of all inputs, those that the executable takes.
const std::vector<bool> &keptInputs(const CompiledProgram &program);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_PROGRAM_H
