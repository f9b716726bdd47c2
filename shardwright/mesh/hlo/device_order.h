//===- device_order.h - which device holds which tile -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device list of an HLO sharding: position (row-major over the tiles) ->
// logical device id. GSPMD writes it as an iota (`<=[2,4]T(1,0)`, V2) or as a
// list (`0,4,1,5,2,6,3,7`, V1). An iota costs the same for 8 and for 1,000,000
// devices.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_DEVICE_ORDER_H
#define SHARDWRIGHT_MESH_HLO_DEVICE_ORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <variant>

namespace shardwright {

/// Product of sizes that are all positive; none when one is not or when the
/// product does not fit.
std::optional<int64_t> checkedProduct(llvm::ArrayRef<int64_t> sizes);

/// Splits two factorizations of one number, major to minor, at the cuts of
/// either. None if the smaller of two parts does not divide the larger, or if
/// the products differ. Skips sizes of 1.
struct CommonFactor {
  /// Positions in the two lists that the factor is part of.
  int32_t a, b;
  int64_t size;
};
std::optional<llvm::SmallVector<CommonFactor, 8>>
commonFactors(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// Maps tile dimensions to axes of the device order. `sizes` is the coarsest
/// mesh, major to minor in device ids, on which each tile dimension is a list
/// of full axes.
struct LocalAxes {
  llvm::SmallVector<int64_t, 4> sizes;
  /// Per tile dimension, positions in `sizes`, major to minor.
  llvm::SmallVector<llvm::SmallVector<int32_t, 2>, 4> axesOfTile;
};

/// arange(n).reshape(reshape).transpose(perm), flattened. Always in canonical
/// form: no dimensions of size 1, none that stay adjacent; so two iotas are
/// equal when their device lists are.
class IotaOrder {
public:
  /// 0, 1, ..., n-1.
  explicit IotaOrder(int64_t n = 1);
  /// `perm` is a permutation of the positions of `reshape`; sizes are positive
  /// and their product fits (`checkedProduct`).
  IotaOrder(llvm::ArrayRef<int64_t> reshape, llvm::ArrayRef<int32_t> perm);
  /// The iota with this device list, if there is one. Linear in the list.
  static std::optional<IotaOrder> fromList(llvm::ArrayRef<int64_t> devices);

  llvm::ArrayRef<int64_t> reshape() const { return sizes; }
  llvm::ArrayRef<int32_t> perm() const { return order; }
  int64_t size() const { return total; }
  /// 0, 1, ..., n-1.
  bool isTrivial() const { return sizes.size() == 1; }
  int64_t deviceAt(int64_t position) const;

  /// None if a tile dimension has no common factors with the axes of the iota
  /// (`[2,3]<=[2,3]T(1,0)`).
  std::optional<LocalAxes> localAxes(llvm::ArrayRef<int64_t> tileDims) const;
  /// The order after the tile dimensions are transposed by `tilePerm`.
  std::optional<IotaOrder> transposed(llvm::ArrayRef<int64_t> tileDims,
                                      llvm::ArrayRef<int32_t> tilePerm) const;
  /// Sorts each run of `groupSize` consecutive devices.
  std::optional<IotaOrder> withSortedGroups(int64_t groupSize) const;

  friend bool operator==(const IotaOrder &, const IotaOrder &) = default;

private:
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int32_t, 4> order;
  int64_t total = 1;
};

/// A device list in either form. Two orders are equal if their lists are.
class DeviceOrder {
public:
  DeviceOrder() : form(IotaOrder()) {}
  DeviceOrder(IotaOrder iota) : form(std::move(iota)) {}
  explicit DeviceOrder(llvm::SmallVector<int64_t, 0> list)
      : form(std::move(list)) {}

  /// Null for an explicit list.
  const IotaOrder *iota() const { return std::get_if<IotaOrder>(&form); }
  /// The equal iota, if there is one.
  std::optional<IotaOrder> asIota() const;
  int64_t size() const;
  int64_t deviceAt(int64_t position) const;
  /// Linear in the number of devices.
  llvm::SmallVector<int64_t, 0> list() const;

  /// Transposes the tile dimensions; returns a list if no iota is equal.
  DeviceOrder transposed(llvm::ArrayRef<int64_t> tileDims,
                         llvm::ArrayRef<int32_t> tilePerm) const;
  DeviceOrder withSortedGroups(int64_t groupSize) const;

  friend bool operator==(const DeviceOrder &a, const DeviceOrder &b);

private:
  std::variant<IotaOrder, llvm::SmallVector<int64_t, 0>> form;
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_DEVICE_ORDER_H
