//===- take.cc - elements by positions along an axis ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/primitives/gather_params.h"

namespace shardwright::frontend {
namespace {

Tensor gatherAs(const Tensor &x, const Tensor &indices, const GatherDims &dims,
                const Ints &sizes, const TakeOptions &options) {
  if (const Error *error = errorIn(Tensors{x, indices}))
    return *error;
  GatherMode mode = options.mode == TakeMode::Fill ? GatherMode::FillOrDrop
                    : options.mode == TakeMode::Clip
                        ? GatherMode::ClipIndices
                        : GatherMode::PromiseInBounds;
  std::optional<Param> fill;
  if (options.fillValue && options.mode == TakeMode::Fill) {
    Expected<double> number = options.fillValue->item();
    if (!number)
      return number.error();
    fill = isInteger(options.fillValue->dtype())
               ? Param(static_cast<int64_t>(*number))
               : Param(*number);
  }
  return bind1(*findPrimitive("gather"), {x, indices},
               gatherParams(dims, sizes, mode, x.dtype(),
                            options.indicesAreSorted, options.uniqueIndices,
                            fill));
}

Tensor inMode(const Tensor &indices, int64_t n, const TakeOptions &options) {
  switch (options.mode) {
  case TakeMode::Fill:
    return fromBegin(indices, n);
  case TakeMode::Wrap:
    return indices % scalarOf(std::max<int64_t>(n, 1), indices.dtype());
  case TakeMode::Clip:
    break;
  }
  return indices;
}

} // namespace

Tensor take(const Tensor &in, const Tensor &indices,
            std::optional<int64_t> axis, const TakeOptions &options) {
  if (const Error *error = errorIn(Tensors{in, indices}))
    return *error;
  Tensor x = axis ? in : ravel(in);
  Expected<int64_t> d = normalizedAxis(axis.value_or(0), x.rank());
  if (!d)
    return d.error();
  if (!isInteger(indices.dtype()))
    return typeError("take requires array or scalar indices of integer type, "
                     "got ",
                     indices.aval().longStr());
  if (!x.dim(*d)) {
    if (indices.size())
      return makeError(ErrorKind::Index, "Cannot do a non-empty jnp.take() "
                                         "from an empty axis.");
    return x;
  }
  Tensor positions = inMode(indices, x.dim(*d), options);
  if (!indices.size()) {
    Shape shape = x.shape();
    shape.erase(shape.begin() + *d);
    shape.insert(shape.begin() + *d, indices.shape().begin(),
                 indices.shape().end());
    return lax::broadcast_in_dim(scalarOf(int64_t(0), x.dtype()), shape, {});
  }
  GatherDims dims;
  dims.collapsedSliceDims = dims.startIndexMap = {*d};
  int64_t next = 0;
  Ints sizes = x.shape();
  sizes[*d] = 1;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i == *d)
      next += indices.rank();
    else
      dims.offsetDims.push_back(next++);
  }
  return gatherAs(x, lax::expand_dims(positions, {indices.rank()}), dims, sizes,
                  options);
}

Tensor takeAlongAxis(const Tensor &in, const Tensor &given,
                     std::optional<int64_t> axis, const TakeOptions &options) {
  if (const Error *error = errorIn(Tensors{in, given}))
    return *error;
  if (!isInteger(given.dtype()))
    return typeError("take_along_axis indices must be of integer type, got ",
                     name(given.dtype()));
  if (!axis && given.rank() != 1)
    return valueError("take_along_axis indices must be 1D if axis=None, got "
                      "shape ",
                      tupleText(given.shape()));
  Tensor x = axis ? in : ravel(in);
  if (given.rank() != x.rank())
    return valueError("indices and arr must have the same number of "
                      "dimensions; ",
                      given.rank(), " vs. ", x.rank());
  Expected<int64_t> d = normalizedAxis(axis.value_or(0), x.rank());
  if (!d)
    return d.error();
  Shape out = given.shape();
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i == *d || x.dim(i) == given.dim(i) || x.dim(i) == 1)
      continue;
    if (given.dim(i) != 1)
      return valueError("Incompatible shapes for broadcasting: shapes=[",
                        tupleText(given.shape()), ", ", tupleText(x.shape()),
                        "]");
    out.at(i) = x.dim(i);
  }
  if (!x.dim(*d))
    return lax::broadcast_in_dim(scalarOf(int64_t(0), x.dtype()), out, {});
  // Narrow types may not hold the size of the dimension.
  Tensor indices = bitWidth(given.dtype()) < 32
                       ? lax::convert_element_type(given, DType::I32)
                       : given;
  // Here negative positions count from the end in mode Clip, too.
  indices = options.mode == TakeMode::Clip
                ? fromBegin(indices, x.dim(*d))
                : inMode(indices, x.dim(*d), options);
  GatherDims dims;
  Ints sizes, squeezed;
  Shape indexShape;
  int64_t inDim = 0, indexDim = 0;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i == *d || given.dim(i) != 1)
      indexShape.push_back(out[i]);
    if (i == *d) {
      sizes.push_back(1);
      dims.startIndexMap = dims.collapsedSliceDims = {inDim++};
      ++indexDim;
    } else if (given.dim(i) == 1) {
      dims.offsetDims.push_back(i);
      sizes.push_back(x.dim(i));
      ++inDim;
    } else if (x.dim(i) == 1) {
      squeezed.push_back(i);
      ++indexDim;
    } else {
      sizes.push_back(x.dim(i) ? 1 : 0);
      dims.operandBatchingDims.push_back(inDim++);
      dims.startIndicesBatchingDims.push_back(indexDim++);
    }
  }
  indexShape.push_back(1);
  if (!squeezed.empty())
    x = lax::squeeze(x, squeezed);
  return gatherAs(x, lax::reshape(indices, indexShape), dims, sizes, options);
}

} // namespace shardwright::frontend
