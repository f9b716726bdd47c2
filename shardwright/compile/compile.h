//===- compile.h - compiles a module to an executable ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_COMPILE_H
#define SHARDWRIGHT_COMPILE_COMPILE_H

#include "shardwright/interop/import_module.h"
#include "shardwright/partition/overlap/overlap.h"
#include "shardwright/partition/partition.h"
#include "shardwright/propagate/engine/engine.h"
#include "shardwright/report/program_report.h"
#include "shardwright/runtime/executable.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <memory>
#include <optional>

namespace shardwright {

/// The stages in order. After each stage, the module is valid IR that can be
/// printed, parsed and verified.
enum class Stage {
  Import,    ///< StableHLO + sdy, CHLO expanded; simplified for several devices
  Propagate, ///< every value has a sharding
  Reshard, ///< all conflicts resolved, all collectives explicit; global shapes
  Local,   ///< the per-device program, simplified
  Executable, ///< machine code
};
llvm::StringRef str(Stage stage);
std::optional<Stage> stageFromName(llvm::StringRef name);
/// Names of the stages whose IR can be printed, in order.
llvm::ArrayRef<llvm::StringRef> stageNames();

/// The form of the program after stage Local.
enum class ProgramForm {
  Device, ///< the program of one device
  /// That program in one manual computation of global signature, for other
  /// compilers (interop/region/region_passes.h). No executable can be made.
  Region,
};

struct CompileOptions {
  ImportOptions import;
  /// Arguments and results whose dimensions the axes of their shardings do not
  /// divide have padded shards (pad_borders.h). Otherwise such axes are dropped
  /// at the interface.
  bool padsShards = false;
  /// The module has passed stage Import, which is not run again.
  bool isImported = false;
  /// Verify the module after propagation. False: for copies that are measured
  /// and dropped, whose program is compiled once more with the verifier.
  bool verifies = true;
  /// Propagate as this version of Shardy does.
  ShardyVersion shardy = kNewestShardy;
  /// Includes the machine for which the program's time is predicted.
  PartitionOptions partition;
  /// How to hide communication, at the end of stage Local. Except for Rings,
  /// the IR then contains ops that XLA does not support.
  Overlap overlap = Overlap::Off;
  ProgramForm form = ProgramForm::Device;
  /// Processes that will run the program together, with equal shares of the
  /// devices. The report predicts what they send to each other; the program
  /// does not depend on it.
  int64_t processes = 1;
  /// The last stage to run.
  Stage stopAfter = Stage::Executable;
  /// Called with the module after each stage except the last.
  std::function<void(Stage, mlir::ModuleOp)> afterStage;
  /// Called with the module after import, and between propagation and
  /// partitioning. May change the module; must emit a diagnostic on failure.
  /// May be null.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> beforePropagate,
      beforePartition;
  /// Returns the user's name of a value of the program of one device, for the
  /// report; may be null, or return an empty string.
  std::function<std::string(mlir::Value)> nameOfValue;
  /// Observes every change that propagation makes; may be null.
  PropagationObserver *observer = nullptr;
  /// Rules and steps of earlier propagations; may be null.
  KeptSteps *keptSteps = nullptr;
  /// Compiles and runs the per-device program; null: the CPU backend of
  /// Client::shared().
  Backend *backend = nullptr;
  /// Directory of the kernel cache (cpu/jit/kernel_cache.h). Empty: the value
  /// of the environment variable SHARDWRIGHT_KERNEL_CACHE, or no cache.
  std::string kernelCacheDir;
  /// Threads that compile kernels; 0: one per core.
  int compileThreads = 0;
};

/// The results of compilation. `executable` is null if `stopAfter` is not the
/// last stage.
struct Compiled {
  std::shared_ptr<Executable> executable;
  /// Global types and shardings of @main, from stage Reshard on.
  std::vector<ValueSpec> arguments, results;
  /// The meshes of the values' shardings; the first is the report's mesh.
  std::vector<Mesh> meshes;
  /// Collectives and local shapes from stage Local on, memory from the last
  /// stage on.
  ProgramReport report;
};

/// Fails with a diagnostic if the module has no entry function with a body.
mlir::LogicalResult requireEntry(mlir::ModuleOp module);

/// Simplifies an imported module before propagation if it runs on several
/// devices, because dead and duplicate ops would influence the shardings.
/// Returns the number of devices; `devices` is the number that the user
/// specified (countDevices).
mlir::FailureOr<int64_t> simplifyForDevices(mlir::ModuleOp imported,
                                            int64_t devices);

/// Runs the stages on `module` in place. Emits at least one diagnostic on
/// failure. Thread-safe for different modules and contexts.
mlir::FailureOr<Compiled> compile(mlir::ModuleOp module,
                                  const CompileOptions &options = {});

/// Runs only the last stage: generates machine code for a module that has
/// passed stage Local.
mlir::LogicalResult generateCode(mlir::ModuleOp local, Compiled &compiled,
                                 const CompileOptions &options = {});

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_COMPILE_H
