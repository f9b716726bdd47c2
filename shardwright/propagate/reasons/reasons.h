//===- reasons.h - record the reasons for shardings -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Observes the engine and records why values have their shardings: for each
// axis on each dimension of each value the step that added it, and for each
// axis that an op offered to a value and that was not added, the obstacle.
// `explain`, remarks and warnings read these records.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_REASONS_REASONS_H
#define SHARDWRIGHT_PROPAGATE_REASONS_REASONS_H

#include "shardwright/propagate/engine/engine.h"

#include "llvm/ADT/MapVector.h"

namespace shardwright {

/// A place that holds a sharding: a value (for the owner of a data flow edge:
/// the result of the edge op), or a result of a function (`value` is null).
struct ShardedPlace {
  mlir::Value value;
  mlir::Operation *func = nullptr;
  int32_t funcResult = -1;
  friend bool operator==(const ShardedPlace &, const ShardedPlace &) = default;
};
using PlaceId = int32_t;
inline constexpr PlaceId kNoPlace = -1;

/// One axis reached one dimension of a place.
struct AxisArrival {
  PlaceId target = kNoPlace;
  int32_t dim = 0;
  AxisRef axis;
  /// The place it came from; kNoPlace if several tensors together caused it.
  PlaceId source = kNoPlace;
  int32_t sourceDim = 0;
  /// The op whose rule carried it; null for a sharding group.
  mlir::Operation *op = nullptr;
  int32_t factor = -1;
  FactorKind kind = FactorKind::PassThrough;
  int32_t opPriority = 0;
  int64_t userPriority = 0;
};

/// Why an axis that an op offers to a tensor is not added to it.
enum class Obstacle : uint8_t {
  /// The dimension is closed.
  Closed,
  /// The sharding names the axis as replicated (or unreduced).
  Replicated,
  /// Another dimension of the tensor has the axis.
  Taken,
  /// The tensor, or another one of the op, has other axes on the factor.
  Conflict,
  /// The factor never carries axes: its dimension must not be sharded.
  NeedReplication,
  /// A barrier lets nothing through in this direction.
  Barrier,
  /// The axis does not divide its part of the dimension.
  Indivisible,
  /// No result of the elementwise op could take the axis.
  ResultCannot,
};
llvm::StringRef str(Obstacle obstacle);

/// One axis that did not reach one dimension of a place.
struct AxisStop {
  PlaceId target = kNoPlace;
  int32_t dim = 0;
  AxisRef axis;
  PlaceId source = kNoPlace;
  int32_t sourceDim = 0;
  mlir::Operation *op = nullptr;
  int32_t factor = -1;
  Obstacle obstacle = Obstacle::Closed;
  /// Taken: the dimension that has the axis. Conflict: the place whose axes
  /// disagree.
  int32_t otherDim = -1;
  PlaceId other = kNoPlace;
};

/// Bytes of a full-size tensor of static shape; 0 for any other type.
int64_t tensorBytes(mlir::Type type);

class Reasons : public PropagationObserver {
public:
  void onChange(const PropagationEvent &event) override;
  void onFinalOp(const PropagationOpView &view) override;

  llvm::ArrayRef<ShardedPlace> places() const { return allPlaces; }
  /// kNoPlace if propagation never visited the place.
  PlaceId find(const ShardedPlace &place) const;
  /// In the order of events.
  llvm::ArrayRef<AxisArrival> arrivals() const { return allArrivals; }
  /// In program order of the ops.
  llvm::ArrayRef<AxisStop> stops() const { return allStops; }
  /// Final sharding, in the view of its op's rules; null if there is none.
  const TensorSharding *sharding(PlaceId place) const;
  /// The mesh of shardings; null if nothing is sharded.
  const Mesh *mesh() const {
    return meshes.empty() ? nullptr : &meshes.front();
  }

  /// The arrival that added (part of) `axis` to the dimension, the last one
  /// before arrival number `before`; -1 if the axis was there from the start.
  int64_t arrivalOf(PlaceId place, int32_t dim, AxisRef axis,
                    int64_t before) const;

private:
  PlaceId placeOf(mlir::Value value, mlir::Operation *op, int32_t funcResult);

  std::vector<ShardedPlace> allPlaces;
  llvm::DenseMap<std::pair<void *, int32_t>, PlaceId> placeIds;
  std::vector<AxisArrival> allArrivals;
  std::vector<AxisStop> allStops;
  /// By place: indices of its arrivals, ascending.
  std::vector<llvm::SmallVector<int32_t, 2>> arrivalsOf;
  std::vector<std::optional<TensorSharding>> finals;
  /// For a module with several meshes, only the first mesh with axes is
  /// recorded, because axes are indices in a mesh.
  bool isOnMesh(const Mesh *mesh);
  std::vector<Mesh> meshes;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_REASONS_REASONS_H
