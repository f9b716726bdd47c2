//===- compile.h - the one library entry: module in, executable out -*- C++
//-*-===//
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

/// The stages in order; after each, the module is valid IR that can be printed,
/// read back and verified.
enum class Stage {
  Import,    ///< StableHLO + sdy, CHLO expanded; simplified for several devices
  Propagate, ///< every value has its sharding
  Reshard,   ///< every conflict and collective explicit, still global shapes
  Local,     ///< the per-device program, simplified
  Executable, ///< machine code
};
llvm::StringRef str(Stage stage);
std::optional<Stage> stageFromName(llvm::StringRef name);
/// Names of the stages whose IR can be printed, in order.
llvm::ArrayRef<llvm::StringRef> stageNames();

struct CompileOptions {
  ImportOptions import;
  /// With the machine for which the program's time is predicted.
  PartitionOptions partition;
  /// What is done after stage Local's other work to hide communication. The
  /// IR then holds ops that XLA does not take, unless it is Rings.
  Overlap overlap = Overlap::Off;
  /// The last stage to run.
  Stage stopAfter = Stage::Executable;
  /// Called with the module after each stage but the last.
  std::function<void(Stage, mlir::ModuleOp)> afterStage;
  /// Called with the module after import, and between propagation and
  /// partitioning; may change it, and has emitted a diagnostic when it fails.
  /// May be null.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> beforePropagate,
      beforePartition;
  /// Told of every change that propagation makes; may be null.
  PropagationObserver *observer = nullptr;
  /// What compiles the per-device program and runs it; null: the CPU, as
  /// Client::shared() has it.
  Backend *backend = nullptr;
  /// Directory of the cache of compiled kernels (cpu/kernel_cache.h). Empty:
  /// what the environment variable SHARDWRIGHT_KERNEL_CACHE says, else none.
  std::string kernelCacheDir;
  /// Threads that compile kernels; 0: one a core.
  int compileThreads = 0;
};

/// What compiling yields. `executable` is null when a stage before the last was
/// asked for.
struct Compiled {
  std::shared_ptr<Executable> executable;
  /// Global types and shardings of @main, from stage Reshard on.
  std::vector<ValueSpec> arguments, results;
  /// Those that the values' shardings are on; the first is the report's.
  std::vector<Mesh> meshes;
  /// Collectives and local shapes from stage Local on, memory from the last.
  ProgramReport report;
};

/// What comes between import and propagation: a module that several devices run
/// is simplified, since what nothing needs, and what is there twice, would pull
/// shardings in one direction or another. Returns how many devices they are, of
/// which `devices` is what the user said (countDevices).
mlir::FailureOr<int64_t> simplifyForDevices(mlir::ModuleOp imported,
                                            int64_t devices);

/// Takes `module` through the stages in place. Every failure has emitted one
/// diagnostic at least. Thread-safe for different modules and contexts.
mlir::FailureOr<Compiled> compile(mlir::ModuleOp module,
                                  const CompileOptions &options = {});

/// The last stage alone: machine code for a module that went through stage
/// Local.
mlir::LogicalResult generateCode(mlir::ModuleOp local, Compiled &compiled,
                                 const CompileOptions &options = {});

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_COMPILE_H
