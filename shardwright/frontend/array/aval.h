//===- aval.h - types of values ---------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_ARRAY_AVAL_H
#define SHARDWRIGHT_FRONTEND_ARRAY_AVAL_H

#include "shardwright/frontend/base/dtype.h"
#include "shardwright/frontend/mesh/sharding.h"

namespace shardwright::frontend {

/// The sharding in the type of a value: Explicit axes of each dimension.
struct TypeSharding {
  AbstractMesh mesh;
  PartitionSpec spec; ///< one entry per dimension
  friend bool operator==(const TypeSharding &, const TypeSharding &) = default;
};

/// What is particular to the type of a reference. JAX: AbstractRef.
struct RefType {
  /// The memory, as types print it: `vmem`. Empty: not said.
  std::string space;
  /// The kind of the counters in semaphore memory: `semaphore`, `dma_sem` or
  /// `barrier_semaphore`. Empty: the memory holds elements.
  std::string counter;
  friend bool operator==(const RefType &, const RefType &) = default;
};

/// The type of a value, JAX's ShapedArray, or of a reference to memory that
/// holds one.
struct Aval {
  DType dtype = DType::F32;
  Shape shape;
  /// The type of a C++ scalar, which gives way to the other operand's.
  bool weak = false;
  /// In the memory of the host (memory kind pinned_host).
  bool onHost = false;
  /// Manual axes along which the value differs, in mesh order.
  AxisNames varying = {};
  /// Manual axes along which devices hold parts of a sum, and those along which
  /// the value is the same and its cotangents are parts of a sum; as `varying`.
  AxisNames unreduced = {}, reduced = {};
  /// Null if the value's mesh has no Explicit axes.
  std::shared_ptr<const TypeSharding> sharding = nullptr;
  /// Null: a value. Else a reference to a value of this type.
  std::shared_ptr<const RefType> ref = nullptr;

  bool isRef() const { return ref != nullptr; }
  bool isSemaphore() const { return ref && !ref->counter.empty(); }
  int64_t rank() const { return shape.rank(); }
  /// The spec of the type, one entry per dimension.
  PartitionSpec spec() const;
  /// `f32[8@x,4]{V:x}`, as a jaxpr prints it; of a reference
  /// `Ref<vmem>{f32[8,4]}`.
  std::string str() const;
  /// `float32[8,4]`, as messages print it.
  std::string longStr() const;
  /// The same type with other dimensions, without a sharding.
  Aval withShape(Shape newShape) const;
  Aval withType(DType type) const;
  /// With another dimension, which is not sharded.
  Aval withDim(int64_t at, int64_t size) const;
  Aval withoutDim(int64_t at) const;
  /// Equal apart from weakness.
  bool sameType(const Aval &other) const;
  friend bool operator==(const Aval &a, const Aval &b) {
    return a.weak == b.weak && a.sameType(b);
  }
};

/// An error if a size is negative.
Status checkShape(const Shape &shape);
/// An error if the axes of a dimension do not divide its size.
Status checkSizes(const Aval &aval, const TypeSharding &sharding);

/// The type of the tangents of values of this type: float0 for integers.
Aval tangentAval(const Aval &aval);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_ARRAY_AVAL_H
