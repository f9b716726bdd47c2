//===- rearrange.h - joining, splitting and making arrays ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_REARRANGE_H
#define SHARDWRIGHT_FRONTEND_NUMPY_REARRANGE_H

#include "shardwright/frontend/numpy/arrange.h"

// Negative axes count from the end. JAX: jax.numpy.
namespace shardwright::frontend {

// Dimensions.
Tensor atleast1d(const Tensor &x);
Tensor atleast2d(const Tensor &x);
Tensor atleast3d(const Tensor &x);
Tensor permuteDims(const Tensor &x, const Ints &axes);
/// Exchanges the last two dimensions.
Tensor matrixTranspose(const Tensor &x);
/// Moves several dimensions.
Tensor moveaxis(const Tensor &x, const Ints &from, const Ints &to);
/// Moves a dimension to the place in front of another.
Tensor rollaxis(const Tensor &x, int64_t axis, int64_t start = 0);
Tensor expandDims(const Tensor &x, const Ints &axes);
/// The shape to which these are broadcast.
Expected<Shape> broadcastShapes(const std::vector<Shape> &shapes);
Tensors broadcastArrays(const Tensors &xs);

// Joining and splitting.
Tensor concat(const Tensors &xs, int64_t axis = 0);
/// Of the flattened arrays without an axis.
Tensor append(const Tensor &x, const Tensor &values,
              std::optional<int64_t> axis = {});
Tensor columnStack(const Tensors &xs);
Tensor dstack(const Tensors &xs);
/// Joins a matrix of arrays: each row along the last axis, then the rows along
/// the one before it.
Tensor block(const std::vector<Tensors> &rows);
/// Parts that differ in size by at most 1.
Tensors arraySplit(const Tensor &x, int64_t parts, int64_t axis = 0);
Tensors hsplit(const Tensor &x, int64_t parts);
Tensors vsplit(const Tensor &x, int64_t parts);
Tensors dsplit(const Tensor &x, int64_t parts);

// Order.
Tensor fliplr(const Tensor &x);
Tensor flipud(const Tensor &x);
/// Turns the plane of two axes by `k` quarters.
Tensor rot90(const Tensor &x, int64_t k = 1, const Ints &axes = {0, 1});
Tensor roll(const Tensor &x, const Ints &shifts, const Ints &axes);

// Making arrays.
Tensor empty(const Shape &shape, DType type = DType::F32);
Tensor emptyLike(const Tensor &x);
Tensor fullLike(const Tensor &x, const Tensor &value,
                std::optional<DType> type = {});
Tensor copy(const Tensor &x);
Tensor identity(int64_t n, DType type = DType::F32);
Tensor eye(int64_t rows, int64_t columns, int64_t k = 0,
           DType type = DType::F32);
/// Ones at and below a diagonal.
Tensor tri(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DType type = DType::F32);
/// A matrix whose diagonal is the flattened array.
Tensor diagflat(const Tensor &x, int64_t k = 0);
/// Powers of x as columns, falling unless `increasing`.
Tensor vander(const Tensor &x, std::optional<int64_t> columns = {},
              bool increasing = false);
/// Powers of a base with exponents at equal distances.
Tensor logspace(double start, double stop, int64_t count = 50,
                bool endpoint = true, double base = 10);
/// Numbers of equal ratios.
Tensor geomspace(double start, double stop, int64_t count = 50,
                 bool endpoint = true);
/// The coordinates of each element of an array of this shape.
Tensor indices(const Shape &shape, DType type = DType::I32);
/// f(coordinates), which get arrays of this shape.
Tensor fromfunction(const std::function<Tensor(const Tensors &)> &function,
                    const Shape &shape, DType type = DType::F32);

// Positions, as arrays for subscripts.
Tensors diagIndices(int64_t n, int64_t rank = 2);
Tensors trilIndices(int64_t rows, int64_t k = 0,
                    std::optional<int64_t> columns = {});
Tensors triuIndices(int64_t rows, int64_t k = 0,
                    std::optional<int64_t> columns = {});
/// Arrays that select the product of several lists of positions.
Tensors ix(const Tensors &xs);
/// Positions in the flattened array from those in each dimension, and back.
/// Raveling clips or wraps positions out of bounds.
Tensor ravelMultiIndex(const Tensors &positions, const Shape &shape,
                       TakeMode mode = TakeMode::Clip);
Tensors unravelIndex(const Tensor &positions, const Shape &shape);

// Changed copies.
Tensor fillDiagonal(const Tensor &x, const Tensor &value);
/// Replaces elements of the flattened array.
Tensor put(const Tensor &x, const Tensor &positions, const Tensor &values,
           TakeMode mode = TakeMode::Fill);
/// Replaces one element of each row along an axis.
Tensor putAlongAxis(const Tensor &x, const Tensor &indices,
                    const Tensor &values, std::optional<int64_t> axis);
/// Repeats the elements, or drops some, to fill this shape.
Tensor resize(const Tensor &x, const Shape &shape);

// Choices.
/// Of each place, the value of the first condition that holds there.
Tensor select(const Tensors &conditions, const Tensors &values,
              const Tensor &otherwise = 0);
/// choices[which], element by element. `mode`: Clip or Wrap.
Tensor choose(const Tensor &which, const Tensors &choices,
              TakeMode mode = TakeMode::Clip);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_REARRANGE_H
