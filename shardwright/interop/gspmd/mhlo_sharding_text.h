//===- mhlo_sharding_text.h - sdy shardings as mhlo.sharding ----*- C++ -*-===//
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

/// The axes that are manual where an op stands; none at the top.
struct ManualContext {
  sdy::ManualAxesAttr axes;
  /// The mesh of `axes`, as shardings name it.
  mlir::Attribute meshOrRef;

  explicit operator bool() const { return axes && !axes.empty(); }
  friend bool operator==(const ManualContext &,
                         const ManualContext &) = default;
};

/// Writes sdy shardings as the text of `mhlo.sharding`, each distinct one once.
class MhloShardingText {
public:
  /// `deviceLists`: V1, else V2 where a mesh has no device ids.
  MhloShardingText(mlir::ModuleOp module, bool deviceLists)
      : module(module), deviceLists(deviceLists) {}

  /// Of one value; reports a mesh that is not there at `where`.
  mlir::FailureOr<mlir::StringAttr> of(sdy::TensorShardingAttr sharding,
                                       const ManualContext &manual,
                                       mlir::Location where);
  /// Of an op: the one sharding, or a tuple.
  mlir::FailureOr<mlir::StringAttr>
  of(llvm::ArrayRef<sdy::TensorShardingAttr> shardings,
     const ManualContext &manual, mlir::Location where);
  /// The mesh of a sharding, read once; null when there is none.
  const Mesh *mesh(mlir::Attribute meshOrRef);
  /// True if every axis of the mesh is manual.
  bool isFull(const ManualContext &manual);

private:
  mlir::FailureOr<HloSharding> value(sdy::TensorShardingAttr sharding,
                                     const ManualContext &manual,
                                     mlir::Location where);

  mlir::ModuleOp module;
  bool deviceLists;
  llvm::DenseMap<mlir::Attribute, Mesh> meshes;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, mlir::StringAttr>
      texts;
};

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_MHLO_SHARDING_TEXT_H
