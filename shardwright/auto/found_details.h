//===- found_details.h - communication and memory of a plan -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reports say about the program that was found: what it sends along which
// axes and for what, where its memory has the peak, and what was assumed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_FOUND_DETAILS_H
#define SHARDWRIGHT_AUTO_FOUND_DETAILS_H

#include "shardwright/compile/compile.h"

namespace shardwright {

/// The purpose of a collective.
enum class SentFor : uint8_t {
  Activations,
  /// The operand is an argument but for its shape and type, or a gather of the
  /// new value of state.
  Parameters,
  /// The result reaches state through elementwise ops.
  Gradients,
};
llvm::StringRef str(SentFor purpose);

/// Collectives of one purpose along the same axes.
struct Communication {
  std::string axes; ///< `x, y`
  SentFor purpose = SentFor::Activations;
  int64_t count = 0; ///< ops of the program of one device
  double bytes = 0;  ///< that a device sends in a step
  double seconds = 0;
};

struct FoundDetails {
  /// The predicted step of the module as it is read back from its text; none if
  /// it was not read back.
  std::optional<double> secondsOfText;
  /// That text; empty if there is none.
  std::string text;
  /// The largest time first.
  std::vector<Communication> communication;
  std::optional<PeakReport> peak;
  /// Sentences about what the prediction and the search take for granted.
  std::vector<std::string> assumptions;
};

/// Partitions a copy of the annotated module once more. `options` are those of
/// the trials, `argumentOf` has the argument that each result replaces, or -1.
/// `readsBack`: the copy is made from the module's text. Empty if the module
/// cannot be read or partitioned.
FoundDetails describeFound(mlir::ModuleOp annotated,
                           const CompileOptions &options,
                           llvm::ArrayRef<int32_t> argumentOf, bool readsBack);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_FOUND_DETAILS_H
