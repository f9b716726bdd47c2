//===- convolution_tiles.h - tiles of a gathered convolution ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution as matrix products: the input elements under each position of
// the window are gathered into rows, a tile of positions at a time. Sizes of
// the memory for that.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_CONVOLUTION_TILES_H
#define SHARDWRIGHT_SUPPORT_CONVOLUTION_TILES_H

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>

namespace shardwright {

/// Scratch memory that several tasks of a library call need at the same time is
/// allocated so often at most.
constexpr int64_t kMostScratchCopies = 8;

/// With less work than this, starting a convolution of a library does not pay.
/// With little more, gathers take up to five times as long: few features do not
/// fill their vectors.
constexpr double kLeastLibraryFlops = 1e4;

struct ConvolutionTiles {
  /// Elements under the window, of one group of features.
  int64_t taps = 1;
  /// Elements between taps in the kernel.
  int64_t unit = 1;
  /// The kernel is copied, because its taps are not evenly spaced.
  bool packs = false;
  /// Positions of a tile; tiles of a group.
  int64_t rows = 1, tiles = 1;
  int64_t gatherBytes = 0, packBytes = 0, resultBytes = 0;

  /// For one task, each part aligned.
  int64_t scratchBytes() const {
    auto aligned = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
    return aligned(gatherBytes) + aligned(packBytes) + aligned(resultBytes);
  }
};

/// A dimension of the kernel that is summed over.
struct ConvolutionTap {
  int64_t size, kernelStride;
};

/// `taps` by falling stride. `positions` of the window in one group, which
/// yield `features` each; bytes of elements of the input and of the result.
inline ConvolutionTiles tileConvolution(llvm::ArrayRef<ConvolutionTap> taps,
                                        int64_t positions, int64_t features,
                                        int64_t width, int64_t outWidth) {
  constexpr int64_t tileBytes = 1 << 18;
  ConvolutionTiles t;
  int64_t next = 0;
  for (size_t i = taps.size(); i-- > 0;) {
    const ConvolutionTap &tap = taps[i];
    t.taps *= tap.size;
    if (tap.size == 1)
      continue;
    if (next == 0)
      t.unit = tap.kernelStride;
    else if (tap.kernelStride != next)
      t.packs = true;
    next = tap.kernelStride * tap.size;
  }
  int64_t rowBytes = std::max<int64_t>(1, t.taps * width);
  t.rows = std::clamp<int64_t>(tileBytes / rowBytes, 1,
                               std::max<int64_t>(positions, 1));
  t.tiles = (positions + t.rows - 1) / t.rows;
  t.gatherBytes = t.rows * t.taps * width;
  t.packBytes = t.packs ? t.taps * features * width : 0;
  t.resultBytes = t.rows * features * outWidth;
  return t;
}

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_CONVOLUTION_TILES_H
