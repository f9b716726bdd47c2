//===- value_table.h - values and reasons of a report document --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of the document's values: one for each value of the user, and at the
// end one for each result of the program. A value in a function that is copied
// for its callers has a row for each sharding that its copies have. With them
// the tables of their reasons.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_VALUE_TABLE_H
#define SHARDWRIGHT_REPORT_DOCUMENT_VALUE_TABLE_H

#include "shardwright/report/document/string_table.h"
#include "shardwright/report/document/user_ops.h"
#include "shardwright/report/explain/explain.h"
#include "shardwright/report/explain/whole_values.h"

#include <map>

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
             mlir::TypeRange results, llvm::ArrayRef<WholeValue> whole,
             StringTable &strings);

  /// The first row of a value or result; -1 if it has none.
  int64_t rowOf(const NamedValue &value) const;
  int64_t rowOfValue(int32_t id) const {
    return id < 0 ? -1 : firstRow[size_t(id)];
  }
  /// Of the program.
  int64_t rowOfArgument(int64_t argument) const {
    return rowOfValue(argumentIds[size_t(argument)]);
  }
  /// Bytes of one device.
  int64_t localBytes(int64_t row) const { return rows[size_t(row)].localBytes; }
  int64_t rowOfResult(int64_t result) const { return firstResult + result; }

  /// Adds `values`, `arrivals`, `stops`, `notes` and `annotations`.
  /// `mostTrials`: so many of the obstacles at the largest values get an
  /// annotation that was tried.
  void write(llvm::json::Object &document, size_t mostTrials);

private:
  struct Row {
    IndexedValue indexed;
    int32_t id = -1, result = -1;
    /// Copies of its function in which its sharding is the same.
    int64_t copies = 1;
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
  mlir::TypeRange resultTypes;
  StringTable &strings;
  std::vector<Explainer::Given> given;
  std::vector<Row> rows;
  std::vector<int64_t> firstRow;
  std::vector<int32_t> argumentIds;
  int64_t firstResult = 0;
  llvm::DenseMap<PlaceId, int64_t> rowOfPlaces;
  void numberPaths();

  /// By row of ReasonPaths: its row in the document; -1 if no value needs it.
  std::vector<int64_t> arrivalNumbers;
  /// By number of Reasons::stops(), of those that rows have: the row.
  std::map<int32_t, int64_t> stopNumbers;
  std::vector<int32_t> pathOrder; ///< the reverse of `arrivalNumbers`
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_VALUE_TABLE_H
