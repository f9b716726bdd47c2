//===- device_order.cc - iota and listed device orders --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/device_order.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

namespace shardwright {

std::optional<int64_t> checkedProduct(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (size <= 0 || llvm::MulOverflow(product, size, product))
      return std::nullopt;
  return product;
}

std::optional<llvm::SmallVector<CommonFactor, 8>>
commonFactors(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  llvm::SmallVector<CommonFactor, 8> factors;
  int64_t aLeft = 1, bLeft = 1;
  size_t i = 0, j = 0;
  while (true) {
    while (aLeft == 1 && i < a.size())
      aLeft = a[i++];
    while (bLeft == 1 && j < b.size())
      bLeft = b[j++];
    if (aLeft == 1 && bLeft == 1)
      return factors;
    int64_t factor = std::min(aLeft, bLeft);
    if (factor == 1 || std::max(aLeft, bLeft) % factor)
      return std::nullopt;
    factors.push_back({int32_t(i - 1), int32_t(j - 1), factor});
    aLeft /= factor;
    bLeft /= factor;
  }
}

//===----------------------------------------------------------------------===//
// IotaOrder
//===----------------------------------------------------------------------===//

IotaOrder::IotaOrder(int64_t n) : sizes{n}, order{0}, total(n) {}

IotaOrder::IotaOrder(llvm::ArrayRef<int64_t> reshape,
                     llvm::ArrayRef<int32_t> perm) {
  // Ignore dimensions of size 1, also to find adjacent dimensions.
  llvm::SmallVector<int32_t, 8> rank(reshape.size());
  int32_t kept = 0;
  for (auto [d, size] : llvm::enumerate(reshape))
    rank[d] = size == 1 ? -1 : kept++;

  struct Run {
    int32_t first, last;
    int64_t size;
  };
  llvm::SmallVector<Run, 8> runs;
  for (int32_t d : perm) {
    if (rank[d] < 0)
      continue;
    if (!runs.empty() && rank[d] == runs.back().last + 1) {
      runs.back().last = rank[d];
      runs.back().size *= reshape[d];
    } else {
      runs.push_back({rank[d], rank[d], reshape[d]});
    }
  }
  if (runs.empty()) {
    sizes = {1};
    order = {0};
    return;
  }
  llvm::SmallVector<int32_t, 8> byStart(runs.size());
  std::iota(byStart.begin(), byStart.end(), 0);
  llvm::sort(byStart, [&](int32_t a, int32_t b) {
    return runs[a].first < runs[b].first;
  });
  sizes.resize(runs.size());
  order.resize(runs.size());
  for (auto [newDim, run] : llvm::enumerate(byStart)) {
    sizes[newDim] = runs[run].size;
    order[run] = newDim;
    total *= runs[run].size;
  }
}

std::optional<IotaOrder> IotaOrder::fromList(llvm::ArrayRef<int64_t> devices) {
  const int64_t n = devices.size();
  if (n == 0 || devices[0] != 0)
    return std::nullopt;
  // From the minor end: the list starts with 0, s, 2s, ..., (k-1)s, and every
  // k-th element forms an iota again.
  struct Dim {
    int64_t size, stride;
  };
  llvm::SmallVector<Dim, 8> minorToMajor;
  int64_t step = 1;
  while (step < n) {
    int64_t length = n / step, stride = devices[step], k = 1, wanted = 0;
    if (stride <= 0)
      return std::nullopt;
    while (k < length && !llvm::MulOverflow(k, stride, wanted) &&
           devices[k * step] == wanted)
      ++k;
    if (length % k)
      return std::nullopt;
    minorToMajor.push_back({k, stride});
    step *= k;
  }
  llvm::SmallVector<int32_t, 8> byStride(minorToMajor.size());
  std::iota(byStride.begin(), byStride.end(), 0);
  llvm::sort(byStride, [&](int32_t a, int32_t b) {
    return std::pair(-minorToMajor[a].stride, a) <
           std::pair(-minorToMajor[b].stride, b);
  });
  llvm::SmallVector<int64_t, 8> reshape;
  llvm::SmallVector<int32_t, 8> perm(minorToMajor.size());
  for (auto [dim, i] : llvm::enumerate(byStride)) {
    reshape.push_back(minorToMajor[i].size);
    perm[perm.size() - 1 - i] = dim;
  }
  IotaOrder iota(reshape, perm);
  for (int64_t i = 0; i < n; ++i)
    if (iota.deviceAt(i) != devices[i])
      return std::nullopt;
  return iota;
}

int64_t IotaOrder::deviceAt(int64_t position) const {
  if (isTrivial())
    return position;
  llvm::SmallVector<int64_t, 8> strides(sizes.size());
  int64_t stride = 1;
  for (int64_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  int64_t device = 0;
  for (int32_t d : llvm::reverse(order)) {
    device += position % sizes[d] * strides[d];
    position /= sizes[d];
  }
  return device;
}

std::optional<LocalAxes>
IotaOrder::localAxes(llvm::ArrayRef<int64_t> tileDims) const {
  llvm::SmallVector<int64_t, 8> sources;
  for (int32_t d : order)
    sources.push_back(sizes[d]);
  auto factors = commonFactors(tileDims, sources);
  if (!factors)
    return std::nullopt;
  llvm::SmallVector<int32_t, 8> byDevice(factors->size());
  std::iota(byDevice.begin(), byDevice.end(), 0);
  llvm::sort(byDevice, [&](int32_t a, int32_t b) {
    return std::pair(order[(*factors)[a].b], a) <
           std::pair(order[(*factors)[b].b], b);
  });
  llvm::SmallVector<int32_t, 8> axisOf(factors->size());
  LocalAxes axes;
  for (auto [axis, factor] : llvm::enumerate(byDevice)) {
    axes.sizes.push_back((*factors)[factor].size);
    axisOf[factor] = axis;
  }
  axes.axesOfTile.resize(tileDims.size());
  for (auto [i, factor] : llvm::enumerate(*factors))
    axes.axesOfTile[factor.a].push_back(axisOf[i]);
  return axes;
}

std::optional<IotaOrder>
IotaOrder::transposed(llvm::ArrayRef<int64_t> tileDims,
                      llvm::ArrayRef<int32_t> tilePerm) const {
  int32_t last = -1;
  bool moves = false;
  for (int32_t d : tilePerm) {
    if (tileDims[d] == 1)
      continue;
    moves |= d < last;
    last = d;
  }
  if (!moves)
    return *this;
  auto axes = localAxes(tileDims);
  if (!axes)
    return std::nullopt;
  llvm::SmallVector<int32_t, 8> perm;
  for (int32_t d : tilePerm)
    llvm::append_range(perm, axes->axesOfTile[d]);
  return IotaOrder(axes->sizes, perm);
}

std::optional<IotaOrder> IotaOrder::withSortedGroups(int64_t groupSize) const {
  llvm::SmallVector<int64_t, 4> reshape = sizes;
  llvm::SmallVector<int32_t, 4> perm = order;
  int64_t left = groupSize, taken = 0;
  for (int64_t i = perm.size(); i-- > 0 && left != 1;) {
    int32_t d = perm[i];
    int64_t size = reshape[d];
    ++taken;
    if (size <= left) {
      if (left % size)
        return std::nullopt;
      left /= size;
      continue;
    }
    if (size % left)
      return std::nullopt;
    // The group takes the minor part of this dimension.
    reshape[d] = size / left;
    reshape.insert(reshape.begin() + d + 1, left);
    for (int32_t &p : perm)
      p += p > d;
    perm.insert(perm.begin() + i + 1, d + 1);
    left = 1;
  }
  llvm::sort(perm.end() - taken, perm.end());
  return IotaOrder(reshape, perm);
}

//===----------------------------------------------------------------------===//
// DeviceOrder
//===----------------------------------------------------------------------===//

std::optional<IotaOrder> DeviceOrder::asIota() const {
  if (const IotaOrder *i = iota())
    return *i;
  return IotaOrder::fromList(std::get<1>(form));
}

int64_t DeviceOrder::size() const {
  if (const IotaOrder *i = iota())
    return i->size();
  return std::get<1>(form).size();
}

int64_t DeviceOrder::deviceAt(int64_t position) const {
  if (const IotaOrder *i = iota())
    return i->deviceAt(position);
  return std::get<1>(form)[position];
}

llvm::SmallVector<int64_t, 0> DeviceOrder::list() const {
  const IotaOrder *i = iota();
  if (!i)
    return std::get<1>(form);
  llvm::SmallVector<int64_t, 0> devices(i->size());
  for (auto [position, device] : llvm::enumerate(devices))
    device = i->deviceAt(position);
  return devices;
}

DeviceOrder DeviceOrder::transposed(llvm::ArrayRef<int64_t> tileDims,
                                    llvm::ArrayRef<int32_t> tilePerm) const {
  if (const IotaOrder *i = iota())
    if (auto moved = i->transposed(tileDims, tilePerm))
      return *moved;
  llvm::SmallVector<int64_t, 8> strides(tileDims.size());
  int64_t stride = 1;
  for (int64_t d = tileDims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= tileDims[d];
  }
  llvm::SmallVector<int64_t, 0> from = list(), to(from.size());
  for (auto [position, device] : llvm::enumerate(to)) {
    int64_t rest = position, source = 0;
    for (int32_t d : llvm::reverse(tilePerm)) {
      source += rest % tileDims[d] * strides[d];
      rest /= tileDims[d];
    }
    device = from[source];
  }
  return DeviceOrder(std::move(to));
}

DeviceOrder DeviceOrder::withSortedGroups(int64_t groupSize) const {
  if (const IotaOrder *i = iota())
    if (auto sorted = i->withSortedGroups(groupSize))
      return *sorted;
  llvm::SmallVector<int64_t, 0> devices = list();
  for (auto it = devices.begin(); it != devices.end(); it += groupSize)
    llvm::sort(it, it + groupSize);
  return DeviceOrder(std::move(devices));
}

bool operator==(const DeviceOrder &a, const DeviceOrder &b) {
  if (bool(a.iota()) == bool(b.iota()))
    return a.form == b.form;
  return a.size() == b.size() && a.asIota() == b.asIota();
}

} // namespace shardwright
