//===- loop_spans.cc - loops of a traced run ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/loop_spans.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright {
namespace {

/// Follows the steps of one device in the order in which they ran.
class LoopWalk {
public:
  explicit LoopWalk(const std::vector<ProgramLoop> &loops)
      : loops(loops), parents(loops.size(), -1) {
    for (int32_t i = 1; i < int32_t(loops.size()); ++i) {
      int32_t parent = i - 1;
      while (parent >= 0 && loops[parent].end <= loops[i].begin)
        parent = parents[parent];
      parents[i] = parent;
    }
  }

  void step(int32_t step, int64_t begin, int64_t end, bool isJump) {
    if (lastWasJump && step <= lastStep)
      endIteration(step);
    while (!open.empty() && !contains(spans[open.back()].loop, step))
      open.pop_back();
    enterLoops(innermost(step), begin);
    for (size_t span : open)
      spans[span].end = std::max(spans[span].end, end);
    lastStep = step;
    lastEnd = end;
    lastWasJump = isJump;
  }

  std::vector<LoopSpan> take() { return std::move(spans); }

private:
  bool contains(int32_t loop, int32_t step) const {
    return loops[loop].begin <= step && step < loops[loop].end;
  }
  /// The innermost loop with this step; -1 if there is none.
  int32_t innermost(int32_t step) const {
    auto after = llvm::upper_bound(loops, step,
                                   [](int32_t step, const ProgramLoop &loop) {
                                     return step < loop.begin;
                                   });
    int32_t loop = int32_t(after - loops.begin()) - 1;
    while (loop >= 0 && loops[loop].end <= step)
      loop = parents[loop];
    return loop;
  }
  /// A jump back to `step` ends an iteration of the innermost loop with both
  /// steps.
  void endIteration(int32_t step) {
    for (size_t span : llvm::reverse(open))
      if (contains(spans[span].loop, step)) {
        spans[span].iterationEnds.push_back(lastEnd);
        return;
      }
  }
  /// Opens the loops around the next step that are not open, the outermost
  /// first.
  void enterLoops(int32_t loop, int64_t begin) {
    llvm::SmallVector<int32_t, 4> entered;
    int32_t inside = open.empty() ? -1 : spans[open.back()].loop;
    for (; loop >= 0 && loop != inside; loop = parents[loop])
      entered.push_back(loop);
    for (int32_t number : llvm::reverse(entered)) {
      LoopSpan span;
      span.loop = number;
      span.depth = int32_t(open.size());
      span.begin = span.end = begin;
      open.push_back(spans.size());
      spans.push_back(std::move(span));
    }
  }

  const std::vector<ProgramLoop> &loops;
  std::vector<int32_t> parents; ///< by loop: the loop around it, or -1
  std::vector<LoopSpan> spans;
  llvm::SmallVector<size_t, 4> open; ///< indices in `spans`, outermost first
  int32_t lastStep = -1;
  int64_t lastEnd = 0;
  bool lastWasJump = false;
};

} // namespace

std::vector<LoopSpan> loopSpans(const std::vector<ProgramLoop> &loops,
                                const Trace &trace, int64_t device) {
  if (loops.empty())
    return {};
  LoopWalk walk(loops);
  llvm::ArrayRef<Trace::Jump> jumps = trace.jumpsOf(device);
  auto jumpsBefore = [&](int64_t spanNumber) {
    for (; !jumps.empty() && jumps.front().spanNumber <= spanNumber;
         jumps = jumps.drop_front())
      walk.step(jumps.front().step, jumps.front().time, jumps.front().time,
                true);
  };
  for (auto [number, span] : llvm::enumerate(trace.of(device))) {
    jumpsBefore(int64_t(number));
    walk.step(span.step, span.begin, span.end, false);
  }
  jumpsBefore(INT64_MAX);
  return walk.take();
}

} // namespace shardwright
