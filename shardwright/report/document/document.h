//===- document.h - all facts of a partitioned program ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report document: one JSON object with the values and ops of a module, the
// reasons for their shardings, the collectives of the program of one device,
// its memory and its schedule. docs/dev/report-format.md describes it. Reports
// show it, and `shardwright diff` compares two of them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_DOCUMENT_H
#define SHARDWRIGHT_REPORT_DOCUMENT_DOCUMENT_H

#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/report/document/user_ops.h"
#include "shardwright/report/explain/annotation_search.h"
#include "shardwright/report/explain/explain.h"
#include "shardwright/report/explain/planned_moves.h"
#include "shardwright/report/explain/whole_values.h"
#include "shardwright/report/program_report.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// What a document is made of. All references must outlive the call.
struct DocumentParts {
  std::string title;          ///< the path of the module as the user gave it
  llvm::json::Object options; ///< how the program was partitioned
  const UserValues &user;
  const UserOps &ops;
  Explainer &explainer;
  /// After stage Import, and after stage Local.
  mlir::ModuleOp imported, local;
  /// Of `local`.
  const ProgramReport &report;
  const PlannedMoves &moves;
  llvm::ArrayRef<WholeValue> whole;
  MachineModel machine;
  bool isMachineGiven = false;
  /// Annotations with which the program was partitioned again.
  llvm::ArrayRef<TriedAnnotation> whatIf;
  /// Obstacles for which an annotation that helps is searched.
  size_t mostTrials = 0;
};

/// Makes the document. The statistics are those of the report.
llvm::json::Object makeDocument(const DocumentParts &parts);

/// The version of the format.
inline constexpr int64_t kDocumentVersion = 1;
/// The value of the key `format`.
inline constexpr llvm::StringLiteral kDocumentFormat("shardwright report");

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_DOCUMENT_H
