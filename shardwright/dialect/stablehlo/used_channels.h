//===- used_channels.h - handles for new channels ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_USED_CHANNELS_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_USED_CHANNELS_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <vector>

namespace shardwright::stablehlo {

/// The name of the attribute with an op's channel.
inline constexpr llvm::StringLiteral kChannelHandleName("channel_handle");

/// Channel handles of a program. New collectives get handles that no op has.
class UsedChannels {
public:
  UsedChannels() = default;
  /// The handles of the ops in `root`, at any depth.
  explicit UsedChannels(mlir::Operation *root);

  /// Adds the handle of an op, if it has one.
  void add(mlir::Operation *op);

  /// The first of 2^32 consecutive positive handles that no op has: the
  /// largest one plus 1, unless fewer handles follow.
  int64_t firstUnused() const;

private:
  std::vector<int64_t> handles; ///< the positive ones, in program order
};

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_USED_CHANNELS_H
