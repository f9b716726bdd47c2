//===- progress.h - says what takes so long ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_PROGRESS_H
#define SHARDWRIGHT_TOOLS_PROGRESS_H

#include "llvm/ADT/Twine.h"

#include <memory>
#include <optional>

namespace shardwright {

/// One line on standard error, `propagating, 3 s`, while work lasts longer than
/// a second. On a terminal it is written over and gone at the end; elsewhere,
/// when asked for, each is a line of its own.
class Progress {
public:
  /// `seconds`: how often, on a terminal or not; none: every second, on a
  /// terminal only.
  explicit Progress(std::optional<double> seconds = std::nullopt);
  ~Progress();

  /// What is being done from now on.
  void at(const llvm::Twine &what);
  /// Until `at`, nothing is said: somebody else writes.
  void pause();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_PROGRESS_H
