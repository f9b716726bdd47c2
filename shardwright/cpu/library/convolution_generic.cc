//===- convolution_generic.cc - any convolution as matrix products --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The *positions* of a group are its output batch and spatial indices,
// row-major. For a tile of positions, the input elements under the window (the
// *taps*: kernel positions and input features) are gathered and multiplied with
// the kernel. Padding and the holes of a dilated input are gathered as zeros.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot.h"
#include "shardwright/cpu/library/convolution.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/convolution_tiles.h"
#include "shardwright/support/shape.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

/// One dimension of the taps.
struct Tap {
  int64_t size;
  int64_t inStride; ///< features: between adjacent features
  int64_t kernelStride;
  int spatial = -1; ///< spatial dimension; -1: features
};

class Gathered {
public:
  static llvm::Expected<Gathered> create(const Convolution &c);

  int64_t tasks() const { return c.groups() * tiles; }
  int64_t scratchBytes() const { return scratch; }
  llvm::Error run(const LibraryBuffers &b, int64_t begin, int64_t end) const;

private:
  static int64_t taken(int64_t bytes) { return (bytes + 63) / 64 * 64; }
  void pack(const char *kernel, char *to) const;
  template <int width>
  void gatherTile(const char *in, char *to, int64_t first, int64_t count) const;
  template <int width>
  char *gather(const char *in, char *to, size_t tap,
               const int64_t *const *offsets, bool inside) const;
  void store(const char *from, char *out, int64_t first, int64_t count) const;

  Convolution c;
  int64_t width, outWidth;
  std::vector<Tap> taps;
  int64_t numTaps = 1, positions, tileRows, tiles;
  bool packs;
  int64_t gatherBytes, packBytes, scratch;
  /// Per spatial dimension: the input offset in elements for each output index
  /// and tap, or -1 if there is no input element.
  std::vector<std::vector<int64_t>> offsets;
  std::shared_ptr<const DotPlan> dot;
};

llvm::Expected<Gathered> Gathered::create(const Convolution &given) {
  Gathered g;
  g.c = given;
  const Convolution &c = g.c;
  g.width = byteWidth(c.type);
  g.outWidth = byteWidth(c.outType);
  g.positions = c.outBatch() * product(c.out);
  g.taps.push_back({c.groupIn(), c.inFeatureStride, c.kernelInStride});
  for (size_t d = 0; d < c.spatial(); ++d)
    g.taps.push_back({c.kernel[d], 0, c.kernelStride[d], int(d)});
  // Follow the memory order of the kernel, so that it need not be packed.
  llvm::sort(g.taps, [](const Tap &a, const Tap &b) {
    return std::pair(-a.kernelStride, a.spatial) <
           std::pair(-b.kernelStride, b.spatial);
  });
  llvm::SmallVector<ConvolutionTap> summed;
  for (const Tap &tap : g.taps)
    summed.push_back({tap.size, tap.kernelStride});
  int64_t n = c.groupOut();
  ConvolutionTiles sizes =
      tileConvolution(summed, g.positions, n, g.width, g.outWidth);
  g.numTaps = sizes.taps;
  g.packs = sizes.packs;
  g.tileRows = sizes.rows;
  g.tiles = sizes.tiles;
  g.gatherBytes = sizes.gatherBytes;
  g.packBytes = sizes.packBytes;
  g.scratch = sizes.scratchBytes();

  DotSpec spec;
  spec.lhsType = spec.rhsType = c.type;
  spec.outType = c.outType;
  spec.m = g.tileRows;
  spec.n = n;
  spec.k = g.numTaps;
  spec.lhsStrideM = g.numTaps;
  spec.lhsStrideK = 1;
  spec.rhsStrideK = g.packs ? n : sizes.unit;
  spec.rhsStrideN = g.packs ? 1 : c.kernelOutStride;
  spec.outStrideM = n;
  spec.outStrideN = 1;
  llvm::Expected<DotPlan> dot = DotPlan::create(spec);
  if (!dot)
    return dot.takeError();
  g.dot = std::make_shared<const DotPlan>(std::move(*dot));

  for (size_t d = 0; d < c.spatial(); ++d) {
    std::vector<int64_t> &table = g.offsets.emplace_back();
    table.reserve(c.out[d] * c.kernel[d]);
    for (int64_t o = 0; o < c.out[d]; ++o)
      for (int64_t k = 0; k < c.kernel[d]; ++k) {
        int64_t tap = c.reversed[d] ? c.kernel[d] - 1 - k : k;
        int64_t at = o * c.stride[d] + tap * c.kernelDilation[d] - c.low[d];
        bool isHole = at < 0 || at % c.inDilation[d] != 0 ||
                      at / c.inDilation[d] >= c.in[d];
        table.push_back(isHole ? -1 : at / c.inDilation[d] * c.inStride[d]);
      }
  }
  return g;
}

/// Packs the kernel of a group as [taps][output features].
void Gathered::pack(const char *kernel, char *to) const {
  Shape extent, from, into;
  int64_t step = c.groupOut() * width;
  extent.push_back(c.groupOut());
  from.push_back(c.kernelOutStride * width);
  into.push_back(width);
  for (const Tap &tap : llvm::reverse(taps)) {
    extent.insert(extent.begin(), tap.size);
    from.insert(from.begin(), tap.kernelStride * width);
    into.insert(into.begin(), step);
    step *= tap.size;
  }
  copyBox(to, into, kernel, from, extent, width);
}

/// Writes the taps of one position, from dimension `tap` on; returns the end of
/// the written taps.
template <int width>
char *Gathered::gather(const char *in, char *to, size_t tap,
                       const int64_t *const *at, bool inside) const {
  const Tap &t = taps[tap];
  bool isLast = tap + 1 == taps.size();
  if (t.spatial >= 0) {
    const int64_t *offset = at[t.spatial];
    for (int64_t k = 0; k < t.size; ++k) {
      bool here = inside && offset[k] >= 0;
      const char *from = here ? in + offset[k] * width : in;
      if (!isLast) {
        to = gather<width>(from, to, tap + 1, at, here);
        continue;
      }
      if (here)
        std::memcpy(to, from, width);
      else
        std::memset(to, 0, width);
      to += width;
    }
    return to;
  }
  if (!isLast) {
    for (int64_t f = 0; f < t.size; ++f)
      to = gather<width>(in + f * t.inStride * width, to, tap + 1, at, inside);
    return to;
  }
  if (!inside)
    std::memset(to, 0, t.size * width);
  else if (t.inStride == 1)
    std::memcpy(to, in, t.size * width);
  else
    for (int64_t f = 0; f < t.size; ++f)
      std::memcpy(to + f * width, in + f * t.inStride * width, width);
  return to + t.size * width;
}

template <int width>
void Gathered::gatherTile(const char *in, char *to, int64_t first,
                          int64_t count) const {
  size_t n = c.spatial();
  llvm::SmallVector<const int64_t *, 4> at(n);
  for (int64_t i = first; i < first + count; ++i) {
    int64_t rest = i;
    for (size_t d = n; d-- > 0;) {
      at[d] = offsets[d].data() + rest % c.out[d] * c.kernel[d];
      rest /= c.out[d];
    }
    to = gather<width>(in + rest * c.inBatchStride * width, to, 0, at.data(),
                       true);
  }
}

/// Stores a tile of [positions][output features] to the output.
void Gathered::store(const char *from, char *out, int64_t first,
                     int64_t count) const {
  size_t n = c.spatial();
  int64_t features = c.groupOut();
  int64_t line = n == 0 ? c.outBatch() : c.out[n - 1];
  int64_t lineStride = n == 0 ? c.outBatchStride : c.outStride[n - 1];
  // Copies along the innermost output dimension.
  for (int64_t i = first; i < first + count;) {
    int64_t along = i % line, rest = i / line, offset = along * lineStride;
    int64_t length = std::min(line - along, first + count - i);
    for (size_t d = n; d-- > 1;) {
      offset += rest % c.out[d - 1] * c.outStride[d - 1];
      rest /= c.out[d - 1];
    }
    if (n > 0)
      offset += rest * c.outBatchStride;
    copyBox(out + offset * outWidth,
            {lineStride * outWidth, c.outFeatureStride * outWidth}, from,
            {features * outWidth, outWidth}, {length, features}, outWidth);
    from += length * features * outWidth;
    i += length;
  }
}

llvm::Error Gathered::run(const LibraryBuffers &b, int64_t begin,
                          int64_t end) const {
  auto *in = static_cast<const char *>(b.inputs[0]);
  auto *kernel = static_cast<const char *>(b.inputs[1]);
  auto *out = static_cast<char *>(b.outputs[0]);
  char *patches = static_cast<char *>(b.scratch);
  char *packed = patches + taken(gatherBytes);
  char *result = packed + taken(packBytes);
  int64_t lastPacked = -1;
  for (int64_t task = begin; task < end; ++task) {
    int64_t group = task / tiles, first = task % tiles * tileRows;
    int64_t count = std::min(tileRows, positions - first);
    int64_t features = group * c.groupOut();
    const char *groupKernel = kernel + features * c.kernelOutStride * width;
    if (packs && lastPacked != group) {
      pack(groupKernel, packed);
      lastPacked = group;
    }
    int64_t inOffset = c.featureGroups > 1
                           ? group * c.groupIn() * c.inFeatureStride
                           : group * c.outBatch() * c.inBatchStride;
    const char *from = in + inOffset * width;
    switch (width) {
    case 1:
      gatherTile<1>(from, patches, first, count);
      break;
    case 2:
      gatherTile<2>(from, patches, first, count);
      break;
    case 4:
      gatherTile<4>(from, patches, first, count);
      break;
    case 8:
      gatherTile<8>(from, patches, first, count);
      break;
    default:
      gatherTile<16>(from, patches, first, count);
    }
    // The last tile may have fewer positions; zero its other rows, whose
    // results are dropped, because arbitrary values can be slow (subnormals).
    std::memset(patches + count * numTaps * width, 0,
                (tileRows - count) * numTaps * width);
    if (llvm::Error e = dot->run(patches, packs ? packed : groupKernel, result))
      return e;
    store(result, out + features * c.outFeatureStride * outWidth, first, count);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<LibraryOp> cpu::makeGenericConvolution(const Convolution &c) {
  llvm::Expected<Gathered> gathered = Gathered::create(c);
  if (!gathered)
    return gathered.takeError();
  auto shared = std::make_shared<const Gathered>(std::move(*gathered));
  LibraryOp op;
  op.tasks = shared->tasks();
  op.scratchBytes = shared->scratchBytes();
  op.costNs = 200 + c.flops() / 10;
  op.run = [shared](const LibraryBuffers &b, int64_t begin, int64_t end) {
    return shared->run(b, begin, end);
  };
  return op;
}
