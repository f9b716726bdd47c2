//===- hlo_sharding.h - GSPMD's sharding of one value -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of `mhlo.sharding`: xla::HloSharding in its three versions, V1
// (device list), V2 (iota) and V3 (named axes). Shardings are canonicalized
// when created: equal ones have equal text, except that a V1 and a V2 sharding
// may be equal.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_HLO_SHARDING_H
#define SHARDWRIGHT_MESH_HLO_HLO_SHARDING_H

#include "shardwright/mesh/hlo/device_order.h"
#include "shardwright/mesh/sharding.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace shardwright {

/// The role of the devices along a tile dimension after the data dimensions, in
/// canonical order.
enum class Subgroup : uint8_t { Maximal, Manual, Unreduced, Replicated };

/// Ties the shardings of values together before propagation.
struct ShardGroup {
  /// `shard_as`: exactly the same sharding; otherwise `shard_like`.
  bool isAs = true;
  int64_t id = 0;
  friend bool operator==(const ShardGroup &, const ShardGroup &) = default;
};

/// A `key=value` of the metadata; values keep their text, strings are
/// unescaped.
struct MetadataField {
  std::string key, value;
  bool isString = false;
};
using OpMetadata = std::vector<MetadataField>;

/// A V3 sharding: axes of a mesh by name. Along `manual` the value is already
/// per-device. Rank 0 stands for any rank: `replicated`, and with all axes in
/// one list `manual` and `unreduced`.
struct NamedHloSharding {
  Mesh mesh;
  TensorSharding sharding;
  AxisList manual;
  /// Print the device ids of the mesh as an iota, as they were written.
  bool printIdsAsIota = false;
  friend bool operator==(const NamedHloSharding &a, const NamedHloSharding &b) {
    return a.mesh == b.mesh && a.sharding == b.sharding && a.manual == b.manual;
  }
};

class HloSharding {
public:
  enum class Kind {
    Replicated,
    Maximal,   ///< the whole value on one device
    Tiled,     ///< V1 and V2
    Manual,    ///< already per-device
    Unknown,   ///< to be decided
    Unreduced, ///< every device holds a partial sum
    Tuple,
    Named, ///< V3
  };

  /// Replicated.
  HloSharding() = default;
  static HloSharding ofKind(Kind kind);
  static HloSharding maximal(int64_t device);
  /// Tile dimensions, of which the last `subgroups.size()` are subgroups; their
  /// product is the size of `devices`. Canonicalizes (joins subgroups of equal
  /// type, puts replicated ones last and sorts them), so the kind may become
  /// Replicated, Manual or Unreduced.
  static HloSharding tiled(llvm::ArrayRef<int64_t> tileDims,
                           DeviceOrder devices,
                           llvm::ArrayRef<Subgroup> subgroups = {});
  static HloSharding tuple(std::vector<HloSharding> elements);
  static HloSharding named(NamedHloSharding sharding);

  Kind kind() const { return which; }
  bool isTiled() const { return which == Kind::Tiled; }
  bool isTuple() const { return which == Kind::Tuple; }
  bool isReplicated() const { return which == Kind::Replicated; }

  /// Tiled only: data dimensions, then one per subgroup.
  llvm::ArrayRef<int64_t> tileDims() const { return dims; }
  llvm::ArrayRef<int64_t> dataDims() const {
    return llvm::ArrayRef(dims).drop_back(groups.size());
  }
  llvm::ArrayRef<Subgroup> subgroups() const { return groups; }
  const DeviceOrder &devices() const { return order; }
  /// Printed as `last_tile_dim_replicate`.
  bool replicatesOnLastTileDim() const {
    return groups.size() == 1 && groups[0] == Subgroup::Replicated;
  }
  /// Maximal only.
  int64_t device() const { return maximalDevice; }
  /// Tuple only.
  llvm::ArrayRef<HloSharding> elements() const { return leaves; }
  /// Named only.
  const NamedHloSharding &named() const { return *namedSharding; }

  /// 0 for values on all devices, 1 for maximal, else the number of tiles.
  int64_t numDevices() const;

  std::optional<ShardGroup> shardGroup;
  /// Not part of equality.
  std::vector<OpMetadata> metadata;

  /// V3 shardings are compared by axes; convert them first (`toTiled`) to
  /// compare devices.
  friend bool operator==(const HloSharding &a, const HloSharding &b);

  /// The V1 form: the devices listed.
  HloSharding withDeviceList() const;
  /// The V2 form if an iota equals the device list; otherwise unchanged.
  HloSharding withIota() const;

  /// As XLA prints it.
  std::string str(bool withMetadata = false) const;
  /// Parses what XLA prints and accepts. Rejects meaningless input that XLA
  /// accepts: lists of the wrong length, duplicate ids, products that differ,
  /// contradicting keywords. An error gives the column.
  static llvm::Expected<HloSharding> parse(llvm::StringRef text);

  /// Bytes of the message xla.OpSharding.
  std::string toProto() const;
  static llvm::Expected<HloSharding> fromProto(llvm::StringRef bytes);

  /// An error when a value of this shape cannot have the sharding on
  /// `numDevices` devices. Sizes need not divide.
  llvm::Error validate(llvm::ArrayRef<int64_t> shape, int64_t numDevices) const;

private:
  Kind which = Kind::Replicated;
  llvm::SmallVector<int64_t, 4> dims;
  llvm::SmallVector<Subgroup, 2> groups;
  DeviceOrder order;
  int64_t maximalDevice = 0;
  std::vector<HloSharding> leaves;
  std::shared_ptr<const NamedHloSharding> namedSharding;
};

/// ceil(size / tiles) in every dimension; the full shape if the sharding is not
/// tiled.
llvm::SmallVector<int64_t, 4> shardShape(llvm::ArrayRef<int64_t> shape,
                                         const HloSharding &sharding);
/// The box that the device at this position of the device list holds, clipped
/// to the shape. For tiled, replicated, maximal, manual and unreduced
/// shardings.
llvm::SmallVector<IndexRange, 4> shardBox(llvm::ArrayRef<int64_t> shape,
                                          const HloSharding &sharding,
                                          int64_t position);
/// True if every device of the program holds the full-size value.
bool isFullyReplicated(const HloSharding &sharding);
/// Dimension d of the result is dimension `perm[d]`, a permutation of the
/// dimensions of the value. Tuples have none and stay as they are.
HloSharding transposed(const HloSharding &sharding,
                       llvm::ArrayRef<int64_t> perm);
/// True if every device holds the same part of the value under both; the types
/// of subgroups are ignored.
bool holdsSameData(const HloSharding &a, const HloSharding &b);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_HLO_SHARDING_H
