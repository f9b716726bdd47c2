//===- sharding.cc - the layout of a tensor over a mesh -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/sharding.h"

#include "shardwright/mesh/shard_size.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace shardwright;

llvm::StringRef shardwright::stringify(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return "sum";
  case ReductionKind::Max:
    return "max";
  case ReductionKind::Min:
    return "min";
  }
  return "";
}

UnreducedAxes shardwright::commonUnreduced(const UnreducedAxes &a,
                                           const UnreducedAxes &b) {
  if (a.kind != b.kind)
    return {};
  return UnreducedAxes::of(commonAxes(a, b), a.kind);
}

TensorSharding TensorSharding::open(int64_t rank) {
  TensorSharding sharding;
  sharding.dims.resize(rank);
  return sharding;
}

TensorSharding TensorSharding::closed(int64_t rank) {
  TensorSharding sharding = open(rank);
  for (DimSharding &dim : sharding.dims)
    dim.isClosed = true;
  return sharding;
}

bool TensorSharding::isReplicated() const {
  return unreduced.empty() &&
         llvm::all_of(dims, [](auto &dim) { return dim.axes.empty(); });
}

bool TensorSharding::isFullyClosed() const {
  return llvm::all_of(dims, [](auto &dim) { return dim.isClosed; });
}

TensorSharding TensorSharding::closedLike() const {
  TensorSharding copy = *this;
  copy.replicated.clear();
  for (DimSharding &dim : copy.dims)
    dim.isClosed = true;
  return copy;
}

bool TensorSharding::isEquivalent(const TensorSharding &other) const {
  if (dims.size() != other.dims.size() || !(unreduced == other.unreduced))
    return false;
  return llvm::all_of(llvm::zip(dims, other.dims), [](auto pair) {
    auto &[a, b] = pair;
    return a.axes == b.axes;
  });
}

AxisList TensorSharding::allAxes() const {
  AxisList axes;
  for (const DimSharding &dim : dims)
    axes.append(dim.axes.begin(), dim.axes.end());
  return axes;
}

llvm::SmallVector<int64_t, 4>
shardwright::localShape(llvm::ArrayRef<int64_t> shape,
                        const TensorSharding &sharding) {
  llvm::SmallVector<int64_t, 4> local(shape);
  for (auto [size, dim] : llvm::zip(local, sharding.dims))
    size = shardSize(size, dim.shards());
  return local;
}

bool shardwright::dividesEvenly(llvm::ArrayRef<int64_t> shape,
                                const TensorSharding &sharding) {
  return llvm::all_of(llvm::zip(shape, sharding.dims), [](auto pair) {
    auto [size, dim] = pair;
    return size % dim.shards() == 0;
  });
}

AxisList shardwright::divisiblePrefix(int64_t dim, AxisRefs axes) {
  if (dim % totalSize(axes) == 0)
    return AxisList(axes);
  AxisList prefix;
  for (AxisRef a : axes) {
    int64_t common = std::gcd(dim, a.size);
    // As in Shardy, stop even at an axis of size 1.
    if (common == 1)
      break;
    prefix.push_back({a.axis, a.preSize, common});
    if (common != a.size)
      break;
    dim /= common;
  }
  return prefix;
}

llvm::SmallVector<IndexRange, 4>
shardwright::shardBox(llvm::ArrayRef<int64_t> shape,
                      const TensorSharding &sharding, const Mesh &mesh,
                      int64_t linear) {
  llvm::SmallVector<IndexRange, 4> box;
  for (auto [size, dim] : llvm::zip(shape, sharding.dims)) {
    int64_t local = shardSize(size, dim.shards());
    int64_t index = mesh.shardIndex(linear, dim.axes);
    // Compare before multiplying: trailing shards may start beyond the end.
    int64_t begin = local == 0 || index > size / local ? size : index * local;
    box.push_back({begin, begin + std::min(local, size - begin)});
  }
  return box;
}

int64_t shardwright::summandOf(const TensorSharding &sharding, const Mesh &mesh,
                               int64_t linear) {
  return mesh.shardIndex(linear, sharding.unreduced);
}

static void appendAxes(std::string &text, AxisRefs axes, const Mesh &mesh) {
  llvm::ListSeparator comma(", ");
  for (AxisRef a : axes) {
    text += llvm::StringRef(comma);
    text += mesh.str(a);
  }
}

std::string shardwright::str(const TensorSharding &sharding, const Mesh &mesh) {
  std::string text = "[";
  llvm::ListSeparator comma(", ");
  for (const DimSharding &dim : sharding.dims) {
    text += llvm::StringRef(comma);
    text += "{";
    appendAxes(text, dim.axes, mesh);
    if (!dim.isClosed)
      text += dim.axes.empty() ? "?" : ", ?";
    text += "}";
    if (dim.priority)
      text += "p" + std::to_string(*dim.priority);
  }
  text += "]";
  auto appendTail = [&](llvm::StringRef name, AxisRefs axes) {
    if (axes.empty())
      return;
    text += (", " + name + "{").str();
    appendAxes(text, axes, mesh);
    text += "}";
  };
  appendTail("replicated=", sharding.replicated);
  ReductionKind kind = sharding.unreduced.kind;
  appendTail(kind == ReductionKind::Sum
                 ? "unreduced="
                 : ("unreduced=" + stringify(kind)).str(),
             sharding.unreduced);
  return text;
}
