//===- value_table.h - values and reasons of a report document --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of the document's values: one for each copy of a value of the user
// in the program, one for a value that was removed, and at the end one for each
// result of the program. With them the tables of their reasons.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_VALUE_TABLE_H
#define SHARDWRIGHT_REPORT_DOCUMENT_VALUE_TABLE_H

#include "shardwright/report/document/string_table.h"
#include "shardwright/report/document/user_ops.h"
#include "shardwright/report/explain/explain.h"
#include "shardwright/report/explain/whole_values.h"

namespace shardwright {

class ValueTable {
public:
  /// Bits of the column `flags`.
  enum Flag : int64_t {
    FullSize = 1,   ///< every device holds it in full size
    Conflicted = 2, ///< another axis or dimension kept an axis away
    Removed = 4,    ///< not in the final program
    Annotated = 8,  ///< by the user
    Gathered = 16,  ///< made full-size where it is used
    IsResult = 32,  ///< a result of the program
  };

  ValueTable(const UserValues &user, const UserOps &ops, Explainer &explainer,
             const Mesh &mesh, mlir::TypeRange results,
             llvm::ArrayRef<WholeValue> whole, StringTable &strings);

  /// The first row of a value or result; -1 if it has none.
  int64_t rowOf(const NamedValue &value) const;
  int64_t rowOfValue(int32_t id) const {
    return id < 0 ? -1 : firstRow[size_t(id)];
  }
  int64_t rowOfResult(int64_t result) const { return firstResult + result; }

  /// Adds `values`, `arrivals`, `stops`, `notes` and `annotations`.
  /// `mostTrials`: so many of the obstacles at the largest values get an
  /// annotation that was tried.
  void write(llvm::json::Object &document, size_t mostTrials);

private:
  struct Row {
    IndexedValue indexed;
    int32_t id = -1, result = -1;
    int64_t bytes = 0, localBytes = 0, flags = 0;
    std::string local;
  };
  void addRows();
  void setFlags(llvm::ArrayRef<WholeValue> whole);
  void addShapes(Row &row, mlir::Type type) const;
  int64_t rowOfPlace(PlaceId place) const;
  llvm::json::Object values();
  llvm::json::Object arrivals();
  llvm::json::Array stops(size_t mostTrials);
  llvm::json::Array notes() const;
  llvm::json::Object annotations();

  const UserValues &user;
  const UserOps &ops;
  Explainer &explainer;
  const Mesh &mesh;
  mlir::TypeRange resultTypes;
  StringTable &strings;
  std::vector<Explainer::Given> given;
  std::vector<Row> rows;
  std::vector<int64_t> firstRow;
  int64_t firstResult = 0;
  llvm::DenseMap<PlaceId, int64_t> rowOfPlaces;
  /// By row of ReasonPaths: its row in the document.
  std::vector<int64_t> arrivalNumbers;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_VALUE_TABLE_H
