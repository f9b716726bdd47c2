//===- dialect.h - the stablehlo dialect, its attributes and types ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The StableHLO dialect: its attributes and types, and small predicates that
// all families of ops share. Ops are declared by family (elementwise.h,
// shape.h, ...); stablehlo.h includes all of them.
//
// Text and meaning follow StableHLO 1.17. Dimensions are counted from 0, sizes
// are in elements, a dimension whose size is only known at run time is
// ShapedType::kDynamic.

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_DIALECT_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "shardwright/dialect/stablehlo/traits.h"

#include "shardwright/dialect/stablehlo/dialect.h.inc"
#include "shardwright/dialect/stablehlo/enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "shardwright/dialect/stablehlo/types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "shardwright/dialect/stablehlo/attrs.h.inc"

namespace shardwright::stablehlo {

bool isComplexOfF32OrF64(mlir::Type type);

// `dense<..> : tensor<NxMxi64>` or a #stablehlo.replica_group_mesh_axes.
bool isReplicaGroups(mlir::Attribute attr);

// A layout of a custom call: `dense<[1, 0]> : tensor<2xindex>`.
bool isLayout(mlir::Attribute attr);

ResultAccuracyAttr defaultResultAccuracy(mlir::MLIRContext *context,
                                         ResultAccuracyMode mode);

// True if there is no dynamic dimension, or a single one that is bounded.
bool isStaticOrHasOneBoundedDim(mlir::Type type);

// The bounds of a tensor's dynamic dimensions: empty if it has none, otherwise
// one entry per dimension (ShapedType::kDynamic = unbounded).
llvm::ArrayRef<int64_t> boundsOf(mlir::Type type);

// True if a value of one type may be used where the other is inferred: the
// types are equal, except that dynamic dimensions match every size within their
// bound and quantized element types may differ in scale and zero point.
bool areCompatible(mlir::Type a, mlir::Type b);
bool areCompatible(mlir::TypeRange a, mlir::TypeRange b);
bool areElementTypesCompatible(mlir::Type a, mlir::Type b);

mlir::Speculation::Speculatability speculatableIfStatic(mlir::Operation *op);
mlir::Speculation::Speculatability
speculatableIfResultDimsStatic(mlir::Operation *op);
mlir::Speculation::Speculatability
recursivelySpeculatableIfStatic(mlir::Operation *op);

struct InfeedResource : mlir::SideEffects::Resource::Base<InfeedResource> {
  llvm::StringRef getName() final { return "stablehlo.infeed"; }
};
struct OutfeedResource : mlir::SideEffects::Resource::Base<OutfeedResource> {
  llvm::StringRef getName() final { return "stablehlo.outfeed"; }
};
struct SendResource : mlir::SideEffects::Resource::Base<SendResource> {
  llvm::StringRef getName() final { return "stablehlo.send"; }
};
struct RecvResource : mlir::SideEffects::Resource::Base<RecvResource> {
  llvm::StringRef getName() final { return "stablehlo.recv"; }
};

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_DIALECT_H
