//===- reshard_atoms.cc - axis atoms of two shardings ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/reshard_atoms.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::reshard;

DimAxes reshard::axesOf(const TensorSharding &sharding) {
  DimAxes dims;
  for (const DimSharding &dim : sharding.dims) {
    AxisList axes;
    for (AxisRef a : dim.axes)
      if (a.size > 1)
        axes.push_back(a);
    dims.push_back(std::move(axes));
  }
  return dims;
}

TensorSharding reshard::closedOf(const DimAxes &dims) {
  TensorSharding sharding = TensorSharding::closed(dims.size());
  for (auto [dim, axes] : llvm::zip(sharding.dims, dims))
    appendMerged(dim.axes, axes);
  return sharding;
}

/// Positions at which refs of either side cut the axis, ascending.
static llvm::SmallVector<int64_t, 8> boundaries(int32_t axis, const DimAxes &a,
                                                const DimAxes &b) {
  llvm::SmallVector<int64_t, 8> cuts;
  for (const DimAxes *side : {&a, &b})
    for (const AxisList &list : *side)
      for (AxisRef ref : list)
        if (ref.axis == axis)
          cuts.append({ref.preSize, ref.nextPreSize()});
  llvm::sort(cuts);
  cuts.erase(llvm::unique(cuts), cuts.end());
  return cuts;
}

static bool isChain(llvm::ArrayRef<int64_t> cuts) {
  for (size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i] % cuts[i - 1] != 0)
      return false;
  return true;
}

/// Cuts every ref at the given boundaries of its axis.
static void cutAt(DimAxes &dims, int32_t axis, llvm::ArrayRef<int64_t> cuts) {
  for (AxisList &list : dims) {
    AxisList out;
    for (AxisRef ref : list) {
      if (ref.axis == axis) {
        int64_t end = ref.nextPreSize();
        for (int64_t cut : cuts)
          if (cut > ref.preSize && cut < end) {
            out.push_back({axis, ref.preSize, cut / ref.preSize});
            ref = {axis, cut, end / cut};
          }
      }
      out.push_back(ref);
    }
    list = std::move(out);
  }
}

bool reshard::dropIncompatible(const Mesh &mesh, DimAxes &from,
                               const DimAxes &to) {
  bool dropped = false;
  auto dropFrom = [&](auto isBad) {
    for (AxisList &list : from) {
      auto *bad = llvm::find_if(list, isBad);
      dropped |= bad != list.end();
      list.erase(bad, list.end());
    }
  };
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    if (isChain(boundaries(axis, from, to)))
      continue;
    dropFrom([&](AxisRef ref) {
      return ref.axis == axis && llvm::any_of(to, [&](const AxisList &list) {
               return llvm::any_of(
                   list, [&](AxisRef t) { return !canCoexist(ref, t); });
             });
    });
    if (!isChain(boundaries(axis, from, to)))
      dropFrom([&](AxisRef ref) { return ref.axis == axis; });
  }
  return dropped;
}

Atoms reshard::makeAtoms(const Mesh &mesh, DimAxes from, DimAxes to,
                         llvm::ArrayRef<int64_t> shape) {
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    auto cuts = boundaries(axis, from, to);
    cutAt(from, axis, cuts);
    cutAt(to, axis, cuts);
  }
  Atoms atoms;
  auto idOf = [&](AxisRef ref) -> uint8_t {
    auto *it = llvm::find(atoms.refs, ref);
    if (it == atoms.refs.end()) {
      atoms.refs.push_back(ref);
      atoms.sizes.push_back(ref.size);
      return atoms.refs.size() - 1;
    }
    return it - atoms.refs.begin();
  };
  for (auto [f, t, n] : llvm::zip(from, to, shape)) {
    size_t common = 0;
    // Between uneven shards, the path may have to gather the whole dimension.
    bool even = n % totalSize(f) == 0 && n % totalSize(t) == 0;
    while ((even || f == t) && common < f.size() && common < t.size() &&
           f[common] == t[common])
      ++common;
    atoms.base.push_back(AxisList(f.begin(), f.begin() + common));
    auto &fromDim = atoms.from.dims.emplace_back();
    for (AxisRef ref : llvm::drop_begin(f, common))
      fromDim.push_back(idOf(ref));
    auto &toDim = atoms.to.dims.emplace_back();
    for (AxisRef ref : llvm::drop_begin(t, common))
      toDim.push_back(idOf(ref));
  }
  return atoms;
}

void reshard::cutToPrimes(const Atoms &atoms, DimAxes &from, DimAxes &to) {
  for (AxisRef ref : atoms.refs) {
    llvm::SmallVector<int64_t, 8> cuts;
    int64_t pre = ref.preSize, rest = ref.size;
    for (int64_t p = 2; p * p <= rest; ++p)
      while (rest % p == 0 && rest != p) {
        pre *= p, rest /= p;
        cuts.push_back(pre);
      }
    cutAt(from, ref.axis, cuts);
    cutAt(to, ref.axis, cuts);
  }
}

/// Number of shards after each ref.
static llvm::SmallVector<int64_t, 8> ends(AxisRefs axes) {
  llvm::SmallVector<int64_t, 8> out;
  int64_t n = 1;
  for (AxisRef ref : axes)
    out.push_back(n *= ref.size);
  return out;
}

void reshard::cutToEachOther(const Mesh &mesh, DimAxes &from, DimAxes &to) {
  auto cutOne = [&](const DimAxes &a, const DimAxes &b) {
    for (auto [left, right] : llvm::zip(a, b)) {
      int64_t begin = 1;
      for (AxisRef ref : left) {
        int64_t end = begin * ref.size;
        for (int64_t at : ends(right)) {
          if (at <= begin || at >= end || at % begin != 0 || end % at != 0)
            continue;
          auto cuts = boundaries(ref.axis, from, to);
          cuts.push_back(ref.preSize * (at / begin));
          llvm::sort(cuts);
          if (!isChain(cuts))
            continue;
          cutAt(from, ref.axis, cuts);
          cutAt(to, ref.axis, cuts);
          return true;
        }
        begin = end;
      }
    }
    return false;
  };
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    auto cuts = boundaries(axis, from, to);
    cutAt(from, axis, cuts);
    cutAt(to, axis, cuts);
  }
  while (cutOne(from, to) || cutOne(to, from)) {
  }
}

Segments reshard::makeSegments(const DimAxes &from, const DimAxes &to,
                               llvm::ArrayRef<int64_t> shape) {
  Segments segments;
  auto add = [&](int64_t size, AxisRefs f, AxisRefs t) {
    segments.sizes.push_back(size);
    segments.from.push_back(AxisList(f));
    segments.to.push_back(AxisList(t));
  };
  for (auto [f, t, n] : llvm::zip(from, to, shape)) {
    int64_t fromShards = totalSize(f), toShards = totalSize(t);
    if (n == 0 || n % fromShards != 0 || n % toShards != 0) {
      add(n, f, t);
      continue;
    }
    auto fromEnds = ends(f), toEnds = ends(t);
    llvm::SmallVector<int64_t, 8> all(fromEnds);
    all.append(toEnds);
    llvm::sort(all);
    int64_t begin = 1;
    AxisRefs fromRest = f, toRest = t;
    // Splits off the front of `rest` the refs up to `count` shards.
    auto take = [](AxisRefs &rest, int64_t count) {
      AxisRefs taken = rest;
      int64_t n = 1;
      while (!rest.empty() && n < count) {
        n *= rest.front().size;
        rest = rest.drop_front();
      }
      return taken.drop_back(rest.size());
    };
    for (int64_t at : all) {
      bool fits = (llvm::is_contained(fromEnds, at) || at % fromShards == 0) &&
                  (llvm::is_contained(toEnds, at) || at % toShards == 0);
      if (!fits || at == begin || at % begin != 0)
        continue;
      AxisRefs a = take(fromRest, at / begin), b = take(toRest, at / begin);
      add(at / begin, a, b);
      begin = at;
    }
    if (begin != n || n == 1)
      add(n / begin, fromRest, toRest);
  }
  return segments;
}

DimAxes reshard::toAxes(const Atoms &atoms, const Placement &place) {
  DimAxes dims = atoms.base;
  for (auto [axes, ids] : llvm::zip(dims, place.dims))
    for (uint8_t id : ids)
      appendMerged(axes, atoms.refs[id]);
  return dims;
}

AxisList reshard::refsOf(const Atoms &atoms, llvm::ArrayRef<uint8_t> ids) {
  AxisList axes;
  for (uint8_t id : ids)
    appendMerged(axes, atoms.refs[id]);
  return axes;
}
