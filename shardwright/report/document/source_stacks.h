//===- source_stacks.h - source positions of a report document --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_SOURCE_STACKS_H
#define SHARDWRIGHT_REPORT_DOCUMENT_SOURCE_STACKS_H

#include "shardwright/report/document/string_table.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <vector>

namespace shardwright {

/// Numbers the frames and the stacks of locations.
class SourceStacks {
public:
  explicit SourceStacks(StringTable &strings) : strings(strings) {}

  /// The stack of a location, innermost frame first; -1 if it has no file.
  int64_t add(mlir::Location location);

  /// [[s file, line, column, s function]]
  llvm::json::Array takeFrames() { return std::move(frameList); }
  /// [[frame]]
  llvm::json::Array takeStacks();
  /// For each stack the frame to show: the innermost one that is not of a
  /// library (dialect/source_frames.h); -1 if there is none.
  llvm::json::Array userFrames() const;

private:
  using Frame = std::array<int64_t, 4>;
  void collect(mlir::Location location, llvm::StringRef function,
               std::vector<int64_t> &stack);

  StringTable &strings;
  std::map<Frame, int64_t> frames;
  std::vector<bool> isLibrary; ///< by frame
  llvm::json::Array frameList;
  std::map<std::vector<int64_t>, int64_t> stacks;
  std::vector<std::vector<int64_t>> stackList;
  llvm::DenseMap<mlir::Attribute, int64_t> known;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_SOURCE_STACKS_H
