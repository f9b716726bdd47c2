//===- ref.h - references to memory -----------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_REF_H
#define SHARDWRIGHT_FRONTEND_CORES_REF_H

#include "shardwright/frontend/numpy/index.h"

namespace shardwright::frontend {

/// `size` positions start, start + stride, ...; the start may be computed. JAX:
/// pl.ds.
struct DimSlice {
  Tensor start;
  int64_t size = 0, stride = 1;
};
inline DimSlice ds(const Tensor &start, int64_t size, int64_t stride = 1) {
  return {start, size, stride};
}

/// One part of a subscript of a reference: a position, a slice, or `ellipsis`.
struct RefIndex {
  template <std::integral I> RefIndex(I i) : index(static_cast<int64_t>(i)) {}
  RefIndex(const Index &i) : index(i) {}
  RefIndex(const Tensor &position) : index(position) {}
  RefIndex(const DimSlice &s) : index(ellipsis), part(s) {}
  Index index;
  std::optional<DimSlice> part;
};

struct View;

/// A reference to memory that a program reads and writes, or a view of a part
/// of it. It exists while a function of runState, coreMap or runScoped is
/// traced. JAX: jax.ref.Ref.
class Ref {
public:
  /// A null reference: using it is an error.
  Ref() = default;
  explicit Ref(Tensor reference);
  Ref(Tensor reference, std::shared_ptr<const View> view, Tensors positions);

  /// The memory: a traced value of a reference type, or an error.
  const Tensor &reference() const { return whole; }
  DType dtype() const { return whole.dtype(); }
  /// Of the part.
  Shape shape() const;
  int64_t rank() const { return shape().rank(); }
  int64_t dim(int64_t i) const { return shape()[i]; }

  /// A part. JAX: ref.at[...].
  template <typename... Indices> Ref at(Indices... indices) const {
    return part({RefIndex(indices)...});
  }
  Ref part(const std::vector<RefIndex> &indices) const;
  /// The elements. JAX: ref[...].
  Tensor get() const;
  Tensor operator[](const RefIndex &index) const { return part({index}).get(); }
  template <typename... Indices>
  Tensor get(const RefIndex &first, const Indices &...more) const {
    return part({first, RefIndex(more)...}).get();
  }
  /// Writes all elements. An error becomes that of the traced function. JAX:
  /// ref[...] = value.
  void set(const Tensor &value) const;
  /// Writes all elements; returns those before. JAX: jax.ref.swap.
  Tensor swap(const Tensor &value) const;
  /// Adds to all elements. JAX: jax.ref.addupdate.
  void addUpdate(const Tensor &value) const;

  const std::shared_ptr<const View> &view() const { return selected; }
  const Tensors &positions() const { return dynamic; }

private:
  Tensor whole;
  std::shared_ptr<const View> selected;
  Tensors dynamic;
};
using Refs = std::vector<Ref>;

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CORES_REF_H
