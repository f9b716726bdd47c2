//===- hlo_sharding.cc - canonical GSPMD shardings ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/hlo_sharding.h"

#include "shardwright/mesh/compose.h"
#include "shardwright/support/shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace shardwright {

HloSharding HloSharding::ofKind(Kind kind) {
  HloSharding s;
  s.which = kind;
  return s;
}

HloSharding HloSharding::maximal(int64_t device) {
  HloSharding s = ofKind(Kind::Maximal);
  s.maximalDevice = device;
  return s;
}

HloSharding HloSharding::tuple(std::vector<HloSharding> elements) {
  HloSharding s = ofKind(Kind::Tuple);
  s.leaves = std::move(elements);
  return s;
}

HloSharding HloSharding::named(NamedHloSharding sharding) {
  HloSharding s = ofKind(Kind::Named);
  s.namedSharding = std::make_shared<NamedHloSharding>(std::move(sharding));
  return s;
}

static std::optional<HloSharding::Kind> bareKind(Subgroup subgroup) {
  switch (subgroup) {
  case Subgroup::Manual:
    return HloSharding::Kind::Manual;
  case Subgroup::Unreduced:
    return HloSharding::Kind::Unreduced;
  case Subgroup::Replicated:
    return HloSharding::Kind::Replicated;
  case Subgroup::Maximal:
    break;
  }
  return std::nullopt;
}

HloSharding HloSharding::tiled(llvm::ArrayRef<int64_t> tileDims,
                               DeviceOrder devices,
                               llvm::ArrayRef<Subgroup> subgroups) {
  const int64_t rank = tileDims.size() - subgroups.size();
  HloSharding s = ofKind(Kind::Tiled);
  if (subgroups.empty()) {
    s.dims.assign(tileDims.begin(), tileDims.end());
    s.order = std::move(devices);
    return s;
  }
  llvm::ArrayRef<int64_t> data = tileDims.take_front(rank);
  if (llvm::all_equal(subgroups) && product(data) == 1)
    if (auto bare = bareKind(subgroups[0]))
      return ofKind(*bare);

  // One dimension per type, in the canonical order of types, without sizes of
  // 1.
  llvm::SmallVector<int32_t, 8> perm, ones;
  for (int64_t d = 0; d < rank; ++d)
    perm.push_back(d);
  s.dims.assign(data.begin(), data.end());
  for (Subgroup type : {Subgroup::Maximal, Subgroup::Manual,
                        Subgroup::Unreduced, Subgroup::Replicated}) {
    int64_t size = 1;
    for (auto [i, subgroup] : llvm::enumerate(subgroups)) {
      if (subgroup != type)
        continue;
      int64_t dim = rank + i;
      (tileDims[dim] == 1 ? ones : perm).push_back(dim);
      size *= tileDims[dim];
    }
    if (size == 1)
      continue;
    s.dims.push_back(size);
    s.groups.push_back(type);
  }
  llvm::append_range(perm, ones);
  s.order = devices.transposed(tileDims, perm);
  if (s.groups.empty())
    return s;
  if (s.groups.size() == 1 && s.dims.back() == s.order.size())
    if (auto bare = bareKind(s.groups[0]); bare && *bare != Kind::Unreduced)
      return ofKind(*bare);
  if (s.groups.back() == Subgroup::Replicated)
    s.order = s.order.withSortedGroups(s.dims.back());
  return s;
}

int64_t HloSharding::numDevices() const {
  switch (which) {
  case Kind::Maximal:
    return 1;
  case Kind::Tiled:
    return order.size();
  case Kind::Named:
    return namedSharding->mesh.numDevices();
  default:
    return 0;
  }
}

bool operator==(const HloSharding &a, const HloSharding &b) {
  if (a.which != b.which || a.shardGroup != b.shardGroup)
    return false;
  switch (a.which) {
  case HloSharding::Kind::Maximal:
    return a.maximalDevice == b.maximalDevice;
  case HloSharding::Kind::Tiled:
    return a.dims == b.dims && a.groups == b.groups && a.order == b.order;
  case HloSharding::Kind::Tuple:
    return a.leaves == b.leaves;
  case HloSharding::Kind::Named:
    return *a.namedSharding == *b.namedSharding;
  default:
    return true;
  }
}

HloSharding HloSharding::withDeviceList() const {
  HloSharding s = *this;
  if (isTiled() && order.iota())
    s.order = DeviceOrder(order.list());
  for (HloSharding &leaf : s.leaves)
    leaf = leaf.withDeviceList();
  return s;
}

HloSharding HloSharding::withIota() const {
  HloSharding s = *this;
  if (isTiled())
    if (auto iota = order.asIota())
      s.order = *iota;
  for (HloSharding &leaf : s.leaves)
    leaf = leaf.withIota();
  return s;
}

//===----------------------------------------------------------------------===//
// Shapes and data
//===----------------------------------------------------------------------===//

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  return llvm::formatv("[{0:$[,]}]",
                       llvm::make_range(shape.begin(), shape.end()))
      .str();
}

llvm::Error HloSharding::validate(llvm::ArrayRef<int64_t> shape,
                                  int64_t numDevices) const {
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::createStringError(why + ", in sharding " + str() +
                                   " of a value of shape " + shapeText(shape));
  };
  switch (which) {
  case Kind::Tuple:
    return refuse("a tuple of shardings on a value that is not a tuple");
  case Kind::Maximal:
    if (maximalDevice >= numDevices)
      return refuse("device " + llvm::Twine(maximalDevice) +
                    " is not one of the " + llvm::Twine(numDevices) +
                    " devices");
    return llvm::Error::success();
  case Kind::Named:
    if (namedSharding->sharding.rank() != 0 &&
        namedSharding->sharding.rank() != int64_t(shape.size()))
      return refuse("it has " + llvm::Twine(namedSharding->sharding.rank()) +
                    " dimensions, the value " + llvm::Twine(shape.size()));
    return llvm::Error::success();
  case Kind::Tiled:
    break;
  default:
    return llvm::Error::success();
  }
  if (dataDims().size() != shape.size())
    return refuse("it has " + llvm::Twine(dataDims().size()) +
                  " dimensions, the value " + llvm::Twine(shape.size()));
  if (order.size() != numDevices)
    return refuse("it has " + llvm::Twine(order.size()) +
                  " devices, the program " + llvm::Twine(numDevices));
  if (order.iota())
    return llvm::Error::success();
  llvm::SmallVector<bool, 0> seen(numDevices);
  for (int64_t device : order.list()) {
    if (device < 0 || device >= numDevices)
      return refuse("device " + llvm::Twine(device) + " is not one of the " +
                    llvm::Twine(numDevices) + " devices");
    if (seen[device])
      return refuse("device " + llvm::Twine(device) + " occurs twice");
    seen[device] = true;
  }
  return llvm::Error::success();
}

llvm::SmallVector<int64_t, 4> shardShape(llvm::ArrayRef<int64_t> shape,
                                         const HloSharding &sharding) {
  llvm::SmallVector<int64_t, 4> local(shape);
  if (sharding.isTiled())
    for (auto [size, tiles] : llvm::zip(local, sharding.dataDims()))
      size = (size + tiles - 1) / tiles;
  return local;
}

llvm::SmallVector<IndexRange, 4> shardBox(llvm::ArrayRef<int64_t> shape,
                                          const HloSharding &sharding,
                                          int64_t position) {
  llvm::SmallVector<IndexRange, 4> box;
  for (int64_t size : shape)
    box.push_back({0, size});
  if (!sharding.isTiled())
    return box;
  llvm::ArrayRef<int64_t> data = sharding.dataDims();
  int64_t tile =
      position / product(sharding.tileDims().drop_front(data.size()));
  for (int64_t d = data.size(); d-- > 0;) {
    int64_t step = (shape[d] + data[d] - 1) / data[d], k = tile % data[d];
    tile /= data[d];
    box[d] = {std::min(k * step, shape[d]), std::min((k + 1) * step, shape[d])};
  }
  return box;
}

bool isFullyReplicated(const HloSharding &sharding) {
  switch (sharding.kind()) {
  case HloSharding::Kind::Replicated:
    return true;
  case HloSharding::Kind::Tiled:
    return product(sharding.dataDims()) == 1 &&
           llvm::all_of(sharding.subgroups(), [](Subgroup type) {
             return type == Subgroup::Replicated;
           });
  case HloSharding::Kind::Tuple:
    return llvm::all_of(sharding.elements(), isFullyReplicated);
  case HloSharding::Kind::Named: {
    const NamedHloSharding &named = sharding.named();
    return totalSize(named.sharding.allAxes()) == 1 &&
           totalSize(named.sharding.unreduced) == 1 &&
           totalSize(named.manual) == 1;
  }
  default:
    return false;
  }
}

HloSharding transposed(const HloSharding &sharding,
                       llvm::ArrayRef<int64_t> perm) {
  HloSharding out = sharding;
  if (sharding.kind() == HloSharding::Kind::Named) {
    NamedHloSharding named = sharding.named();
    // Rank 0 stands for any rank.
    if (named.sharding.rank() != 0)
      named.sharding = transposed(named.sharding, perm);
    out = HloSharding::named(std::move(named));
  } else if (sharding.isTiled()) {
    llvm::ArrayRef<int64_t> tiles = sharding.tileDims();
    llvm::SmallVector<int32_t, 8> tilePerm(perm.begin(), perm.end());
    for (size_t d = perm.size(); d < tiles.size(); ++d)
      tilePerm.push_back(int32_t(d));
    llvm::SmallVector<int64_t, 8> dims;
    for (int32_t d : tilePerm)
      dims.push_back(tiles[d]);
    out =
        HloSharding::tiled(dims, sharding.devices().transposed(tiles, tilePerm),
                           sharding.subgroups());
  }
  out.shardGroup = sharding.shardGroup;
  out.metadata = sharding.metadata;
  return out;
}

/// Joins all subgroups into one replicated group, which keeps only the data of
/// each device.
static HloSharding dataOnly(const HloSharding &s) {
  switch (s.kind()) {
  case HloSharding::Kind::Tiled: {
    llvm::SmallVector<Subgroup, 2> replicated(s.subgroups().size(),
                                              Subgroup::Replicated);
    HloSharding data =
        HloSharding::tiled(s.tileDims(), s.devices(), replicated);
    return data.isTiled() && product(data.dataDims()) == 1 ? HloSharding()
                                                           : data;
  }
  case HloSharding::Kind::Manual:
  case HloSharding::Kind::Unreduced:
    return HloSharding();
  default:
    return s;
  }
}

bool holdsSameData(const HloSharding &a, const HloSharding &b) {
  return dataOnly(a) == dataOnly(b);
}

} // namespace shardwright
