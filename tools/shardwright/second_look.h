//===- second_look.h - costs of a program, with the user's names ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_SECOND_LOOK_H
#define SHARDWRIGHT_TOOLS_SECOND_LOOK_H

#include "shardwright/compile/compile.h"
#include "shardwright/report/explain/annotation_search.h"

#include "mlir/IR/OwningOpRef.h"

namespace mlir {
class AsmParserState;
}

namespace shardwright {

/// Partitions a module again with its values numbered, so that messages can
/// name values and annotations can be tried.
class SecondLook {
public:
  /// `asRead`: the module as it was read; `positions` has the names of its
  /// values.
  SecondLook(mlir::OwningOpRef<mlir::ModuleOp> asRead,
             const mlir::AsmParserState *positions,
             const llvm::SourceMgr *sources, CompileOptions options);

  /// Partitions the module. False if that fails.
  bool look();

  const UserValues &values() const { return user; }
  const PlannedMoves &moves() const { return planned; }
  /// The collectives of the program of one device.
  const CollectiveCost &collectives() const { return cost; }
  /// Replicated values of more than `bytes`.
  std::vector<WholeValue> wholeAbove(double bytes) const;
  /// Null if annotations cannot be searched.
  AnnotationSearch *search();

  /// Texts about a replicated value: the value (`%3 = dot_general (f.py:12),
  /// ...`), why it is replicated, and a remedy.
  struct Told {
    std::string what, why, remedy;
  };
  Told tell(const WholeValue &whole, bool triesAnnotations);
  /// The op that needs a move: `dot_general %3 (f.py:12)`.
  std::string userText(const RecordedReason &reason) const;

private:
  mlir::OwningOpRef<mlir::ModuleOp> imported;
  UserValues user;
  PlannedMoves planned;
  CompileOptions options;
  /// Owns the ops to which `cost` refers.
  mlir::OwningOpRef<mlir::ModuleOp> local;
  CollectiveCost cost;
  std::vector<WholeValue> whole;
  std::unique_ptr<AnnotationSearch> annotations;
  bool searchFailed = false;
};

/// The text of an advice: `annotate ...: tried, REASON and each device sends 4
/// B a run instead of 8 B`, or that no trial helped.
std::string adviceText(const AnnotationAdvice &advice, llvm::StringRef effect,
                       double bytesNow);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_SECOND_LOOK_H
