//===- row_window.h - rows that a result shard reads ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, pads, windows, convolutions, concatenations and reversals compute row
// r of the result from operand rows around an affine function of r. So each
// shard of the result reads one run of rows (halo exchange), whose start is an
// affine function of the shard index. Value types only; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_DECIDE_ROW_WINDOW_H
#define SHARDWRIGHT_PARTITION_DECIDE_ROW_WINDOW_H

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwright {

/// Shard k reads the rows [scale * k + offset, ... + width) of the operand, or
/// those that `starts` says. Rows outside of the operand are padding or
/// unspecified.
struct RowWindow {
  int64_t scale = 0, offset = 0, width = 0;
  /// Distance from the start of the shard's first window to its first row, and
  /// from its last row to the end of its last window, on rows spread with
  /// `dilation - 1` holes between them.
  int64_t lead = 0, trail = 0;
  /// The first row follows the last row of the operand. Of the padded rows of
  /// all shards, only as many as the operand has are needed.
  bool wraps = false;
  /// The first row of each shard, if not empty, instead of `scale` and
  /// `offset`.
  std::vector<int64_t> starts;

  int64_t start(int64_t shard) const {
    return starts.empty() ? scale * shard + offset : starts[shard];
  }
};

/// Maps rows of a result dimension to windows of an operand dimension.
struct WindowMap {
  /// Rows of the result, and distance between the starts of windows.
  int64_t outSize = 0, stride = 1;
  /// Distance from the first to the last row of a window, plus one.
  int64_t extent = 1;
  /// Rows of padding before the operand (negative: rows cut off).
  int64_t low = 0;
  /// Distance between rows of the operand; 1: no holes.
  int64_t dilation = 1;
  /// Row r reads row `low - r`; the other fields are ignored.
  bool reversed = false;
  /// A roll: row r reads row r - low modulo the size (0 < -low < outSize, which
  /// is also the operand's size); the other fields are ignored.
  bool wraps = false;

  /// None if the shards' windows start at different offsets between dilated
  /// rows.
  std::optional<RowWindow> ofShards(int64_t shards) const;
};

/// Mean number of rows that a device receives if the operand's `size` rows are
/// split into `shards` shards.
double rowsReceived(const RowWindow &window, int64_t size, int64_t shards);

/// A run of rows that one shard sends to another.
struct RowPiece {
  /// Shard of the operand, and the first row within it; source -1: none.
  int64_t source = -1, from = 0;
  /// Offset of the first row in the window.
  int64_t to = 0;
  int64_t rows = 0;
  friend bool operator==(const RowPiece &, const RowPiece &) = default;
};

/// One exchange: every shard sends at most one run of `rows` rows and receives
/// at most one. A run longer than needed extends beyond the start or end of the
/// window or into rows outside of the operand, never over other rows.
/// (Exception: with wrap-around at an uneven end, a shard's own rows may; they
/// are written first and received rows overwrite them.)
struct RowExchange {
  int64_t rows = 0;
  /// By receiving shard.
  std::vector<RowPiece> pieces;
};

struct ExchangePlan {
  /// The rows that each shard holds itself, as an exchange that sends nothing.
  RowExchange own;
  std::vector<RowExchange> exchanges;
  /// True if a row of some window is outside of the operand.
  bool leavesRows = false;
};

/// Plans which rows travel, and which of them in one exchange. Time grows with
/// shards * width / shard size.
ExchangePlan planExchange(const RowWindow &window, int64_t size,
                          int64_t shards);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_DECIDE_ROW_WINDOW_H
