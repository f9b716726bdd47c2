//===- conversion.h - sdy attributes and mesh values ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between sdy attributes and the mesh layer's value types, which
// algorithms use: attributes are read once at the start and written once at the
// end. Attributes must have been verified against the mesh; axes that the mesh
// does not have are dropped.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_CONVERSION_H
#define SHARDWRIGHT_DIALECT_SDY_CONVERSION_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/mesh.h"
#include "shardwright/mesh/sharding.h"

namespace shardwright::sdy {

Mesh meshFromAttr(MeshAttr attr);
MeshAttr meshToAttr(mlir::MLIRContext *context, const Mesh &mesh);

/// None if the mesh does not have the axis.
std::optional<AxisRef> axisFromAttr(AxisRefAttr attr, const Mesh &mesh);
AxisRefAttr axisToAttr(mlir::MLIRContext *context, AxisRef axis,
                       const Mesh &mesh);

AxisList axesFromAttr(llvm::ArrayRef<AxisRefAttr> attrs, const Mesh &mesh);
llvm::SmallVector<AxisRefAttr> axesToAttr(mlir::MLIRContext *context,
                                          AxisRefs axes, const Mesh &mesh);

DimSharding dimFromAttr(DimensionShardingAttr attr, const Mesh &mesh);
DimensionShardingAttr dimToAttr(mlir::MLIRContext *context,
                                const DimSharding &dim, const Mesh &mesh);

ReductionKind kindFromAttr(ReductionOp kind);
ReductionOp kindToAttr(ReductionKind kind);

TensorSharding shardingFromAttr(TensorShardingAttr attr, const Mesh &mesh);
/// `meshOrRef` becomes the attribute's mesh, which must denote `mesh`.
TensorShardingAttr shardingToAttr(mlir::MLIRContext *context,
                                  const TensorSharding &sharding,
                                  const Mesh &mesh, mlir::Attribute meshOrRef);

/// Parameters of collectives.
AxisRefListAttr axisListToAttr(mlir::MLIRContext *context, AxisRefs axes,
                               const Mesh &mesh);
ListOfAxisRefListsAttr axisListsToAttr(mlir::MLIRContext *context,
                                       llvm::ArrayRef<AxisList> lists,
                                       const Mesh &mesh);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_CONVERSION_H
