//===- vhlo_values.h - convert values from and to VHLO ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_PORTABLE_VHLO_VALUES_H
#define SHARDWRIGHT_INTEROP_PORTABLE_VHLO_VALUES_H

#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright {

/// Converts types and attributes of builtin, quant and StableHLO to VHLO.
/// Returns null for those that VHLO does not have.
class ToVhlo {
public:
  /// With `keepOthers`, types and attributes that VHLO does not have are kept,
  /// also inside of lists and dictionaries.
  explicit ToVhlo(bool keepOthers) : keepOthers(keepOthers) {}

  mlir::Type type(mlir::Type type);
  mlir::Attribute attribute(mlir::Attribute attr);

private:
  mlir::Type convert(mlir::Type type);
  mlir::Attribute convert(mlir::Attribute attr);
  mlir::Attribute convertStablehlo(mlir::Attribute attr);
  /// Null if an element cannot be converted.
  template <typename RangeT>
  mlir::Attribute array(mlir::MLIRContext *context, RangeT list);
  bool types(mlir::TypeRange from, llvm::SmallVectorImpl<mlir::Type> &to);

  bool keepOthers;
  llvm::DenseMap<mlir::Type, mlir::Type> typeCache;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> attrCache;
};

/// Converts types and attributes of VHLO to builtin, quant and StableHLO.
/// Returns null, after an error through `emitError`, for invalid ones. Types
/// and attributes of other dialects are unchanged.
class FromVhlo {
public:
  mlir::Type type(mlir::Type type,
                  llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
  mlir::Attribute
  attribute(mlir::Attribute attr,
            llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

private:
  using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
  mlir::Type convert(mlir::Type type, EmitError emitError);
  mlir::Attribute convert(mlir::Attribute attr, EmitError emitError);
  mlir::Attribute convertStablehlo(mlir::Attribute attr, EmitError emitError);
  /// Appends the converted elements of an array to `to`; false if one of them
  /// is not a T.
  template <typename T>
  bool list(mlir::Attribute from, llvm::SmallVectorImpl<T> &to,
            EmitError emitError);
  bool types(llvm::ArrayRef<mlir::Type> from,
             llvm::SmallVectorImpl<mlir::Type> &to, EmitError emitError);

  llvm::DenseMap<mlir::Type, mlir::Type> typeCache;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> attrCache;
};

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_PORTABLE_VHLO_VALUES_H
