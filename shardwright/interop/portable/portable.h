//===- portable.h - StableHLO portable artifacts ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact is MLIR bytecode of a VHLO module whose producer string contains
// the StableHLO version for which it was written. A mixed artifact keeps ops,
// types and attributes of other dialects (mainly sdy), with
// unrealized_conversion_cast between the two kinds of values.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_PORTABLE_PORTABLE_H
#define SHARDWRIGHT_INTEROP_PORTABLE_PORTABLE_H

#include "shardwright/dialect/vhlo/version.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace llvm {
class SourceMgr;
}

namespace shardwright {

/// Returns the version in the producer string of an artifact, or nothing if
/// `content` is not an artifact. Reads only the first bytes.
std::optional<vhlo::Version> artifactVersion(llvm::StringRef content);

/// Reads the artifact in the main buffer of `sources`, of any version whose ops
/// we know, and upgrades it to verified StableHLO; other dialects are kept.
/// Returns null after one or more errors. MLIR's reader can crash on malformed
/// bytes: see load_module.h.
mlir::OwningOpRef<mlir::ModuleOp>
readPortableArtifact(const std::shared_ptr<llvm::SourceMgr> &sources,
                     mlir::MLIRContext *context);

/// Writes `module` (func and StableHLO; with `allowOtherDialects` others too)
/// for readers of `version` ("1.17.0"); `module` is not changed. Fails with a
/// diagnostic for a version that we cannot write or that does not have a
/// feature of the module.
llvm::LogicalResult writePortableArtifact(mlir::ModuleOp module,
                                          llvm::StringRef version,
                                          llvm::raw_ostream &os,
                                          bool allowOtherDialects = true);

//===----------------------------------------------------------------------===//
// The steps; each walks the module once and replaces its ops. A failure leaves
// the module half converted.
//===----------------------------------------------------------------------===//

/// Converts to the newest version of every op, with all defaults explicit.
llvm::LogicalResult legalizeStablehloToVhlo(mlir::ModuleOp module,
                                            bool allowOtherDialects);
/// Converts from any version of every op.
llvm::LogicalResult legalizeVhloToStablehlo(mlir::ModuleOp module,
                                            bool allowOtherDialects);
/// Upgrades or downgrades ops to the versions that `target` has.
llvm::LogicalResult convertVhloToVersion(mlir::ModuleOp module,
                                         vhlo::Version target);
/// Runs before the first step. Expresses ops that are newer than `target` by
/// older ones, where possible.
void expandForVersion(mlir::ModuleOp module, vhlo::Version target);

/// stablehlo-legalize-to-vhlo, vhlo-legalize-to-stablehlo, vhlo-to-version.
void registerPortablePasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_PORTABLE_PORTABLE_H
