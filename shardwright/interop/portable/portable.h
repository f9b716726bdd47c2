//===- portable.h - StableHLO portable artifacts ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact is MLIR bytecode of a VHLO module whose producer string names the
// version of StableHLO that it was written for. A mixed artifact keeps ops,
// types and attributes of other dialects (sdy above all), with
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

/// The version in the producer string of an artifact; nothing when `content` is
/// none. Only the first bytes are looked at.
std::optional<vhlo::Version> artifactVersion(llvm::StringRef content);

/// Reads the artifact in the main buffer of `sources`, of any version that has
/// no op unknown to us, and upgrades it to verified StableHLO; what other
/// dialects say stays. Null after one or more errors. MLIR's reader can crash
/// on bytes that it did not write: see load_module.h.
mlir::OwningOpRef<mlir::ModuleOp>
readPortableArtifact(const std::shared_ptr<llvm::SourceMgr> &sources,
                     mlir::MLIRContext *context);

/// Writes `module` (func and StableHLO; with `allowOtherDialects` others too)
/// for readers of `version` ("1.17.0"), and leaves it as it is. Fails, with a
/// diagnostic, for a version that we cannot write or that cannot say what the
/// module says.
llvm::LogicalResult writePortableArtifact(mlir::ModuleOp module,
                                          llvm::StringRef version,
                                          llvm::raw_ostream &os,
                                          bool allowOtherDialects = true);

//===----------------------------------------------------------------------===//
// The steps; each walks the module once and replaces its ops. A failure leaves
// the module half converted.
//===----------------------------------------------------------------------===//

/// To the newest form of every op, all defaults explicit.
llvm::LogicalResult legalizeStablehloToVhlo(mlir::ModuleOp module,
                                            bool allowOtherDialects);
/// From any version of every op.
llvm::LogicalResult legalizeVhloToStablehlo(mlir::ModuleOp module,
                                            bool allowOtherDialects);
/// Up or down, to what `target` has.
llvm::LogicalResult convertVhloToVersion(mlir::ModuleOp module,
                                         vhlo::Version target);
/// Before the first: says with older ops what versions before `target` did not
/// have, where that can be done.
void expandForVersion(mlir::ModuleOp module, vhlo::Version target);

/// stablehlo-legalize-to-vhlo, vhlo-legalize-to-stablehlo, vhlo-to-version.
void registerPortablePasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_PORTABLE_PORTABLE_H
