//===- loop_spans.h - loops of a traced run ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_LOOP_SPANS_H
#define SHARDWRIGHT_BACKEND_LOOP_SPANS_H

#include "shardwright/backend/trace.h"

#include <string>
#include <vector>

namespace shardwright {

/// A loop of a program: the steps [begin, end), of which the first begins the
/// condition.
struct ProgramLoop {
  int32_t begin = 0, end = 0;
  /// Like LoadedProgram::stepName, for example `stablehlo.while at
  /// file.py:12:3`; may be empty.
  std::string name;
};

/// One execution of a loop on one device, from its first to its last step. The
/// last evaluation of the condition is part of it, and of no iteration.
struct LoopSpan {
  int32_t loop = 0;  ///< index in the list of loops
  int32_t depth = 0; ///< number of loops of the list that enclose it
  /// Nanoseconds since the run began.
  int64_t begin = 0, end = 0;
  /// When each iteration ended, in order. The first one begins with the loop,
  /// each other one where the one before it ends.
  std::vector<int64_t> iterationEnds;

  int64_t iterationBegin(size_t number) const {
    return number == 0 ? begin : iterationEnds[number - 1];
  }
};

/// Returns the executions of loops that a device's trace shows, in order of
/// begin, an enclosing loop before those inside. `loops` are in order of begin,
/// an enclosing loop first, and nest or are disjoint, as LoadedProgram::loops
/// returns them.
std::vector<LoopSpan> loopSpans(const std::vector<ProgramLoop> &loops,
                                const Trace &trace, int64_t device);

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_LOOP_SPANS_H
