//===- row_window.h - the rows that a shard of a result needs ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, pads, windows, convolutions, concatenations and reversals compute a
// row of the result from rows of the operand around a place that moves evenly.
// A shard of the result then needs one run of rows (a halo exchange), which is
// the same function of the shard's index for all of these ops. Value types
// only; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_DECIDE_ROW_WINDOW_H
#define SHARDWRIGHT_PARTITION_DECIDE_ROW_WINDOW_H

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwright {

/// Shard k has the rows [scale * k + offset, ... + width) of the operand. Rows
/// outside of the operand are what the op says (padding) or anything.
struct RowWindow {
  int64_t scale = 0, offset = 0, width = 0;
  /// The rows with `dilation - 1` holes between them start and end this far
  /// from where the first window of the shard starts and the last one ends.
  int64_t lead = 0, trail = 0;
  /// After the last row of the operand comes its first one. Of the rows that
  /// the shards have, only as many as the operand has are needed.
  bool wraps = false;

  int64_t start(int64_t shard) const { return scale * shard + offset; }
};

/// How a dimension of a result arises from one of an operand.
struct WindowMap {
  /// Rows of the result, and from one window to the next.
  int64_t outSize = 0, stride = 1;
  /// Rows of a window, from its first to its last.
  int64_t extent = 1;
  /// Rows of padding before the operand (negative: rows left out).
  int64_t low = 0;
  /// Distance between rows of the operand, 1 without holes.
  int64_t dilation = 1;
  /// Row r is made of row `low - r` instead; nothing else counts then.
  bool reversed = false;
  /// Rolled: row r is row r - low, counted round (0 < -low < outSize, which is
  /// the operand's size too); nothing else counts then.
  bool wraps = false;

  /// None if the shards of that number start at other places between rows.
  std::optional<RowWindow> ofShards(int64_t shards) const;
};

/// Mean number of rows a device receives when the operand's `size` rows are in
/// that many shards.
double rowsReceived(const RowWindow &window, int64_t size, int64_t shards);

/// A run of rows on its way.
struct RowPiece {
  /// Shard of the operand, and the first row within it; -1: none.
  int64_t source = -1, from = 0;
  /// Where the first row belongs in the window.
  int64_t to = 0;
  int64_t rows = 0;
  friend bool operator==(const RowPiece &, const RowPiece &) = default;
};

/// One exchange: every shard sends at most one run of `rows` rows and receives
/// at most one. Runs that are longer than what is needed reach over the start
/// or end of the window or into rows outside of the operand, never into others.
/// (What is at hand may, where rows wrap around an uneven end: it comes first,
/// and those that are received over it.)
struct RowExchange {
  int64_t rows = 0;
  /// By receiving shard.
  std::vector<RowPiece> pieces;
};

struct ExchangePlan {
  /// What each shard has itself, by shard; like an exchange without sending.
  RowExchange own;
  std::vector<RowExchange> exchanges;
  /// Some row of some window is outside of the operand.
  bool leavesRows = false;
};

/// Which rows travel, and together with which. Grows with shards * width / size
/// of a shard.
ExchangePlan planExchange(const RowWindow &window, int64_t size,
                          int64_t shards);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_DECIDE_ROW_WINDOW_H
