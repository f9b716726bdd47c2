//===- progress.h - a line that shows the current work ----------*- C++ -*-===//
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
/// a second. On a terminal the line is overwritten and erased at the end;
/// elsewhere each update is a new line, if progress is enabled.
class Progress {
public:
  /// `seconds`: the interval, on a terminal or not. None: every second, on a
  /// terminal only.
  explicit Progress(std::optional<double> seconds = std::nullopt);
  ~Progress();

  /// Sets the text of the current work.
  void at(const llvm::Twine &what);
  /// Prints nothing until the next `at`, so that others can write.
  void pause();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_PROGRESS_H
