//===- live_ranges.h - which values are alive together ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lifetimes of the values of @main before it is partitioned, in the way in
// which predictPeak (partition/overlap/peak_memory.h) has them afterwards:
// arguments and results are alive during the whole run, donated ones once;
// others from their op to the last user, what a loop carries during the loop.
// A copy of a value in another layout is alive between its users.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_LIVE_RANGES_H
#define SHARDWRIGHT_AUTO_ASSIGN_LIVE_RANGES_H

#include "shardwright/auto/assign/program_model.h"

namespace shardwright {

class LiveRanges {
public:
  /// Linear.
  LiveRanges(const PlannerInput &input, const ProgramModel &model,
             OpCosts &costs);

  /// The values that are alive where the most bytes are, if each member of
  /// class v takes held(v) bytes and its copies copied(v). The bytes in the set
  /// are whole(v) for each. `peak` receives the bytes.
  LiveSet peakSet(llvm::function_ref<double(int32_t)> held,
                  llvm::function_ref<double(int32_t)> copied,
                  llvm::function_ref<double(int32_t)> whole,
                  double &peak) const;

private:
  struct Range {
    int32_t value = 0;
    /// Numbers of ops in the order in which they end; both are included.
    int32_t begin = 0, end = 0, firstUse = 0, lastUse = -1;
  };
  void number(mlir::Block &block);
  void addValue(mlir::Value value, const ProgramModel &model, OpCosts &costs);
  void addBlock(mlir::Block &block, const ProgramModel &model, OpCosts &costs);
  void addBorder(mlir::Operation *main, const PlannerInput &input,
                 const ProgramModel &model);

  std::vector<Range> ranges;
  llvm::DenseMap<mlir::Operation *, int32_t> beginOf, endOf;
  int32_t size = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_LIVE_RANGES_H
