//===- vhlo_values.h - types and attributes between StableHLO and VHLO ---===//
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

/// From builtin, quant and StableHLO to VHLO. Null: VHLO cannot say it.
class ToVhlo {
public:
  /// With `keepOthers`, types and attributes that VHLO cannot say stay as they
  /// are, also inside of lists and dictionaries.
  explicit ToVhlo(bool keepOthers) : keepOthers(keepOthers) {}

  mlir::Type type(mlir::Type type);
  mlir::Attribute attribute(mlir::Attribute attr);

private:
  mlir::Type convert(mlir::Type type);
  mlir::Attribute convert(mlir::Attribute attr);
  bool types(mlir::TypeRange from, llvm::SmallVectorImpl<mlir::Type> &to);

  bool keepOthers;
  llvm::DenseMap<mlir::Type, mlir::Type> typeCache;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> attrCache;
};

/// The other way. Null, after an error through `emitError`, for what makes no
/// sense; types and attributes of other dialects stay as they are.
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
  bool types(llvm::ArrayRef<mlir::Type> from,
             llvm::SmallVectorImpl<mlir::Type> &to, EmitError emitError);

  llvm::DenseMap<mlir::Type, mlir::Type> typeCache;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> attrCache;
};

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_PORTABLE_VHLO_VALUES_H
