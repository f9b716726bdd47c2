//===- rewrite.h - shared by walks over VHLO modules ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_PORTABLE_REWRITE_H
#define SHARDWRIGHT_INTEROP_PORTABLE_REWRITE_H

#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace shardwright {

/// Emits the error for an op that the target version cannot express.
inline mlir::InFlightDiagnostic failToLegalize(mlir::Operation *op) {
  return op->emitError("failed to legalize operation '")
         << op->getName() << "' that was explicitly marked illegal: ";
}

/// Names of the ops and attributes of the table in one context, looked up once.
class VhloNames {
public:
  explicit VhloNames(mlir::MLIRContext *context)
      : context(context), rows(vhlo::opTable().size()) {}

  struct Row {
    std::optional<mlir::OperationName> vhlo, stablehlo;
    llvm::SmallVector<mlir::StringAttr, 4> attrs;
  };
  const Row &of(const vhlo::OpRow &op) {
    Row &row = rows[&op - vhlo::opTable().data()];
    if (!row.vhlo) {
      row.vhlo.emplace("vhlo." + op.mnemonic(), context);
      row.stablehlo.emplace(("stablehlo." + op.name).str(), context);
      for (const vhlo::AttrSpec &spec : op.attrs)
        row.attrs.push_back(mlir::StringAttr::get(context, spec.name));
    }
    return row;
  }

private:
  mlir::MLIRContext *context;
  std::vector<Row> rows;
};

/// Inserts an op `name` with the operands, regions and location of `op` before
/// it. Its inherent attributes are not set yet.
inline mlir::Operation *replaceOp(mlir::Operation *op, mlir::OperationName name,
                                  mlir::TypeRange types,
                                  mlir::DictionaryAttr discardable) {
  mlir::Operation *created =
      mlir::Operation::create(op->getLoc(), name, types, op->getOperands(),
                              discardable, mlir::OpaqueProperties(nullptr),
                              op->getSuccessors(), op->getNumRegions());
  for (auto [to, from] : llvm::zip(created->getRegions(), op->getRegions()))
    to.takeBody(from);
  op->getBlock()->getOperations().insert(op->getIterator(), created);
  for (auto [from, to] : llvm::zip(op->getResults(), created->getResults()))
    from.replaceAllUsesWith(to);
  return created;
}

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_PORTABLE_REWRITE_H
