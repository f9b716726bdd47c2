//===- lower.h - jaxpr to StableHLO and sdy ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LOWER_LOWER_H
#define SHARDWRIGHT_FRONTEND_LOWER_LOWER_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// What becomes of the buffer of an input.
struct DonationUse {
  enum class Kind : uint8_t { None, Donor, Alias };
  Kind kind = Kind::None;
  /// Of an alias: the result that takes the buffer over.
  int64_t result = -1;
};

/// What the module says beside the jaxpr.
struct LoweringOptions {
  std::string name = "jit__lambda";
  /// Of each input and result; not specified: propagation decides.
  std::vector<Sharding> ins, outs;
  /// None: row-major.
  std::vector<std::optional<Layout>> inLayouts, outLayouts;
  /// Where the program's memory kinds are written: if one is not the device's.
  std::vector<std::string> inMemories, outMemories;
  /// Of each input.
  std::vector<DonationUse> donations;
  int64_t numPartitions = 1;
  /// config::useShardyPartitioner, as it was when the program was lowered.
  bool usesShardy = true;
  /// Path of each result in the result tree.
  std::vector<std::string> resultPaths;
  /// Of the function. Operations then have locations with the names around
  /// them: `jit(f)/attention/dot_general`. Empty: no locations.
  std::string locatedName;
  /// Where the function was given to jit; line 0: not known.
  std::source_location source = {};
};

struct LoweredText {
  std::string text;
  /// Functions of the host: attribute `index` of a call is a position here.
  std::vector<std::shared_ptr<const ParamObject>> callbacks;
};
/// The text of a module whose @main computes the jaxpr. Constants are embedded.
/// Tokens of ordered effects are the first arguments and results.
Expected<LoweredText> lowerToText(const Jaxpr &jaxpr,
                                  const LoweringOptions &options);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_LOWER_LOWER_H
