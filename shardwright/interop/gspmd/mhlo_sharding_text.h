//===- mhlo_sharding_text.h - print shardings as mhlo.sharding --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_MHLO_SHARDING_TEXT_H
#define SHARDWRIGHT_INTEROP_GSPMD_MHLO_SHARDING_TEXT_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/hlo/hlo_sharding.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// The axes that are manual at an op; none at top level.
struct ManualContext {
  sdy::ManualAxesAttr axes;
  /// The mesh of `axes`, as shardings refer to it.
  mlir::Attribute meshOrRef;

  explicit operator bool() const { return axes && !axes.empty(); }
  friend bool operator==(const ManualContext &,
                         const ManualContext &) = default;
};

/// Prints sdy shardings as the text of `mhlo.sharding`, each distinct one once.
class MhloShardingText {
public:
  /// `deviceLists`: V1; otherwise V2 if a mesh has no device ids.
  /// `isBesideSdy`: the sdy sharding is also written, so that the text may omit
  /// the kind of unreduced axes.
  MhloShardingText(mlir::ModuleOp module, bool deviceLists,
                   bool isBesideSdy = false)
      : module(module), deviceLists(deviceLists), isBesideSdy(isBesideSdy) {}

  /// The text for one value; emits an error at `where` if the mesh does not
  /// exist, or if the value is a partial maximum or minimum, for which there is
  /// no text.
  mlir::FailureOr<mlir::StringAttr> of(sdy::TensorShardingAttr sharding,
                                       const ManualContext &manual,
                                       mlir::Location where);
  /// The text for an op: its only sharding, or a tuple.
  mlir::FailureOr<mlir::StringAttr>
  of(llvm::ArrayRef<sdy::TensorShardingAttr> shardings,
     const ManualContext &manual, mlir::Location where);
  /// The mesh of a sharding, cached; null if it does not exist.
  const Mesh *mesh(mlir::Attribute meshOrRef);
  /// True if every axis of the mesh is manual.
  bool isFull(const ManualContext &manual);

private:
  mlir::FailureOr<HloSharding> value(sdy::TensorShardingAttr sharding,
                                     const ManualContext &manual,
                                     mlir::Location where);

  mlir::ModuleOp module;
  bool deviceLists, isBesideSdy;
  llvm::DenseMap<mlir::Attribute, Mesh> meshes;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, mlir::StringAttr>
      texts;
};

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_MHLO_SHARDING_TEXT_H
