//===- view.h - parts of references -----------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_VIEW_H
#define SHARDWRIGHT_FRONTEND_CORES_VIEW_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// How one dimension is subscripted: by a position, or by `size` positions
/// start, start + stride, ...
struct DimIndex {
  bool isSlice = true;
  /// The position, or the start of the slice, is an operand. True for all
  /// positions.
  bool isDynamic = false;
  int64_t start = 0, size = 0, stride = 1;
};

/// Subscripts of all dimensions of an array of this shape. JAX: NDIndexer.
struct Indexer {
  std::vector<DimIndex> dims;
  Shape shape;

  Shape resultShape() const;
  /// Selects everything.
  bool isTrivial() const;
  size_t numOperands() const;
  /// The dimensions without slices.
  Ints positionDims() const;
};

/// Indexers that are applied one after another, as a parameter. The operands
/// of all of them follow each other.
struct View final : ParamObject {
  std::vector<Indexer> indexers;

  size_t numOperands() const;
  Shape resultShape(const Shape &shape) const;
  /// As JAX prints it in messages.
  std::string str() const override;
  /// `[a:a+4,:]`, with the texts of the operands in a jaxpr; `[...]` if there
  /// are no indexers.
  std::string subscripts(const Eqn &eqn, const std::vector<std::string> &texts,
                         size_t firstOperand) const;
};
using ViewPtr = std::shared_ptr<const View>;

/// The view in the parameter of this name.
const View &viewOf(const Params &params, std::string_view name = "transforms");
/// The type of what a view of a reference holds: a value.
Expected<Aval> viewType(const Aval &reference, const View &view);

/// The part of an array that a view selects. `positions`: its operands.
Tensor readView(const Tensor &x, const View &view, const Tensors &positions);
/// The array with another such part.
Tensor writeView(const Tensor &x, const View &view, const Tensors &positions,
                 const Tensor &value);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CORES_VIEW_H
