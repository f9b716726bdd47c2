//===- uneven_dims.cc - dimensions that reshards gather whole -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/uneven_dims.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace shardwright;

/// True if the dimension is split on both sides, and padded to different sizes.
static bool changesPadding(AxisRefs in, AxisRefs out, int64_t size) {
  int64_t p = totalSize(in), q = totalSize(out);
  return p > 1 && q > 1 && llvm::alignTo(size, p) != llvm::alignTo(size, q);
}

WholeDims
shardwright::findWholeDims(llvm::ArrayRef<llvm::SmallVector<AxisRef, 4>> in,
                           llvm::ArrayRef<llvm::SmallVector<AxisRef, 4>> out,
                           llvm::ArrayRef<int64_t> shape) {
  size_t rank = shape.size();
  WholeDims dims{llvm::SmallBitVector(rank), llvm::SmallBitVector(rank)};
  for (size_t d = 0; d < rank; ++d)
    dims.gathered[d] = changesPadding(in[d], out[d], shape[d]);
  // All axes of s go to the front of t, which has none.
  auto moves = [&](size_t s, size_t t) {
    return s != t && !dims.gathered[t] && in[t].empty() &&
           out[t].size() >= in[s].size() &&
           AxisRefs(out[t]).take_front(in[s].size()) == AxisRefs(in[s]);
  };
  auto takesFrom = [&](size_t d, size_t s) {
    return llvm::any_of(
        out[d], [&](AxisRef a) { return llvm::is_contained(in[s], a); });
  };
  for (bool any = true; any;) {
    any = false;
    for (size_t d = 0; d < rank; ++d)
      for (size_t s = 0; s < rank && !dims.gathered[d]; ++s)
        if (dims.gathered[s] && takesFrom(d, s) && !moves(s, d)) {
          dims.gathered.set(d);
          any = true;
        }
  }
  for (size_t s = 0; s < rank; ++s)
    for (size_t t = 0; t < rank && dims.gathered[s]; ++t)
      if (moves(s, t))
        dims.mayLeave.set(s);
  return dims;
}

bool shardwright::cutAxes(
    llvm::SmallVector<AxisRef, 4> &axes,
    llvm::ArrayRef<llvm::SmallVector<AxisRef, 4>> others) {
  llvm::SmallVector<AxisRef, 4> out;
  bool any = false;
  for (AxisRef ref : axes) {
    llvm::SmallVector<int64_t, 8> cuts;
    for (const llvm::SmallVector<AxisRef, 4> &list : others)
      for (AxisRef other : list)
        if (other.axis == ref.axis)
          cuts.append({other.preSize, other.nextPreSize()});
    llvm::sort(cuts);
    int64_t end = ref.nextPreSize();
    for (int64_t at : cuts)
      if (at > ref.preSize && at < end && at % ref.preSize == 0 &&
          end % at == 0) {
        out.push_back({ref.axis, ref.preSize, at / ref.preSize});
        ref = {ref.axis, at, end / at};
        any = true;
      }
    out.push_back(ref);
  }
  axes = std::move(out);
  return any;
}
