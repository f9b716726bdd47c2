//===- convolutions.cc - convolutions and shapes in other forms -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/convolutions.h"

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/primitives/window_params.h"

#include <algorithm>

namespace shardwright::frontend::lax {
namespace {

/// `NC`, `OI` and letters of spatial dimensions.
std::string letters(const char *ends, int64_t spatial, bool isLast) {
  std::string middle =
      std::string("HWDEFGJKLM")
          .substr(0, static_cast<size_t>(std::clamp<int64_t>(spatial, 0, 10)));
  return isLast ? ends[0] + middle + ends[1] : ends + middle;
}
Status checkOperands(const Tensor &lhs, const Tensor &rhs, const Ints &strides,
                     const char *name) {
  if (const Error *error = errorIn(Tensors{lhs, rhs}))
    return *error;
  int64_t spatial = lhs.rank() - 2;
  if (lhs.rank() != rhs.rank() || spatial < 0 || spatial > 10)
    return valueError(name,
                      " expects operands of equal rank, 2 to 12, got shapes ",
                      tupleText(lhs.shape()), " and ", tupleText(rhs.shape()));
  if (static_cast<int64_t>(strides.size()) != spatial ||
      std::any_of(strides.begin(), strides.end(),
                  [](int64_t s) { return s < 1; }))
    return valueError(name, " expects a positive stride for each of ", spatial,
                      " spatial dimensions, got ", tupleText(strides));
  return {};
}

/// (low, high) of the convolution that transposes one with this padding.
Expected<Ints> transposedPadding(int64_t kernel, int64_t stride,
                                 PaddingKind kind) {
  if (kernel < 1)
    return valueError("conv_transpose expects a kernel with elements");
  int64_t low = kernel - 1, length = kernel + stride - 2;
  if (kind == PaddingKind::Valid)
    length += std::max<int64_t>(kernel - stride, 0);
  else if (stride <= kernel - 1)
    low = (length + 1) / 2;
  return Ints{low, length - low};
}

} // namespace

Tensor conv_with_general_padding(const Tensor &lhs, const Tensor &rhs,
                                 const Ints &strides,
                                 const ConvPadding &padding,
                                 const Ints &lhsDilation,
                                 const Ints &rhsDilation) {
  if (Status fits = checkOperands(lhs, rhs, strides, "conv"); !fits)
    return fits.error();
  int64_t spatial = lhs.rank() - 2;
  ConvOptions options;
  options.strides = strides;
  options.lhsDilation = lhsDilation;
  options.rhsDilation = rhsDilation;
  options.layout = {letters("NC", spatial, false),
                    letters("OI", spatial, false),
                    letters("NC", spatial, false)};
  if (const auto *pairs = std::get_if<std::vector<Ints>>(&padding)) {
    options.padding = *pairs;
  } else if (std::any_of(lhsDilation.begin(), lhsDilation.end(),
                         [](int64_t d) { return d != 1; })) {
    return valueError("String padding is not implemented for transposed "
                      "convolution using this op. Please either exactly "
                      "specify the required padding or use conv_transpose.");
  } else if (std::get<PaddingKind>(padding) == PaddingKind::Same) {
    Shape image, window;
    for (int64_t d = 0; d < spatial; ++d) {
      size_t i = static_cast<size_t>(d);
      image.push_back(dilatedSize(lhs.dim(d + 2),
                                  i < lhsDilation.size() ? lhsDilation[i] : 1));
      window.push_back(dilatedSize(
          rhs.dim(d + 2), i < rhsDilation.size() ? rhsDilation[i] : 1));
    }
    options.padding = samePadding(image, window, strides);
  }
  return conv_general_dilated(lhs, rhs, options);
}
Tensor conv(const Tensor &lhs, const Tensor &rhs, const Ints &strides,
            const ConvPadding &padding) {
  return conv_with_general_padding(lhs, rhs, strides, padding, {}, {});
}

Tensor conv_transpose(const Tensor &lhs, const Tensor &in, const Ints &strides,
                      const ConvPadding &padding,
                      const ConvTransposeOptions &options) {
  if (Status fits = checkOperands(lhs, in, strides, "conv_transpose"); !fits)
    return fits.error();
  int64_t spatial = lhs.rank() - 2;
  ConvOptions conv;
  conv.layout = options.layout.value_or(ConvLayout{
      letters("NC", spatial, true), letters("", spatial, false) + "IO",
      letters("NC", spatial, true)});
  conv.lhsDilation = strides;
  conv.rhsDilation = options.rhsDilation;
  if (!conv.rhsDilation.empty() &&
      static_cast<int64_t>(conv.rhsDilation.size()) != spatial)
    return valueError("conv_transpose expects a dilation for each of ", spatial,
                      " spatial dimensions, got ", tupleText(conv.rhsDilation));
  // Dimensions of the kernel in the order of the image's letters.
  const std::string &kernel = conv.layout.rhs;
  Ints places;
  for (char letter : conv.layout.lhs)
    if (letter != 'N' && letter != 'C')
      places.push_back(static_cast<int64_t>(kernel.find(letter)));
  for (int64_t place : places)
    if (place < 0 || place >= in.rank())
      return valueError("conv_transpose expects the letters of ",
                        conv.layout.lhs, " in the kernel's layout ", kernel);
  if (static_cast<int64_t>(places.size()) != spatial)
    return valueError("conv_transpose expects layouts of ", lhs.rank(),
                      " letters, got ", conv.layout.lhs);
  if (const auto *pairs = std::get_if<std::vector<Ints>>(&padding)) {
    conv.padding = *pairs;
  } else {
    for (int64_t d = 0; d < spatial; ++d) {
      int64_t dilation = conv.rhsDilation.empty() ? 1 : conv.rhsDilation[d];
      Expected<Ints> pair =
          transposedPadding(dilatedSize(in.dim(places[d]), dilation),
                            strides[d], std::get<PaddingKind>(padding));
      if (!pair)
        return pair.error();
      conv.padding.push_back(*pair);
    }
  }
  Tensor rhs = in;
  if (options.transposeKernel) {
    auto out = kernel.find('O'), features = kernel.find('I');
    if (out == kernel.npos || features == kernel.npos)
      return valueError("conv_transpose expects O and I in the kernel's "
                        "layout ",
                        kernel);
    rhs = swapaxes(flip(rhs, places), static_cast<int64_t>(out),
                   static_cast<int64_t>(features));
  }
  return conv_general_dilated(lhs, rhs, conv);
}

Tensor broadcast(const Tensor &x, const Shape &sizes) {
  if (!x.ok())
    return x;
  Shape shape = sizes;
  shape.insert(shape.end(), x.shape().begin(), x.shape().end());
  Ints dims;
  for (int64_t d = 0; d < x.rank(); ++d)
    dims.push_back(sizes.rank() + d);
  return broadcast_in_dim(x, shape, dims);
}
Tensor broadcasted_iota(DType type, const Shape &shape, int64_t dimension) {
  return iota(type, shape, dimension);
}
Tensor broadcast_to_rank(const Tensor &x, int64_t rank) {
  // More than any array that a program handles has.
  constexpr int64_t kMostDims = 1 << 16;
  if (!x.ok())
    return x;
  if (rank > kMostDims)
    return valueError("broadcast_to_rank expects at most ", kMostDims,
                      " dimensions, got ", rank);
  return x.rank() >= rank ? x : expand_dims(x, iotaInts(rank - x.rank()));
}
Tensor collapse(const Tensor &x, int64_t start, std::optional<int64_t> stop) {
  if (!x.ok())
    return x;
  int64_t from = start < 0 ? start + x.rank() : start;
  int64_t to = stop ? (*stop < 0 ? *stop + x.rank() : *stop) : x.rank();
  if (from < 0 || to < from || to > x.rank())
    return valueError("Invalid dimensions passed through collapse: ", from,
                      " and ", to, " of shape ", tupleText(x.shape()));
  Shape shape(Ints(x.shape().begin(), x.shape().begin() + from));
  int64_t size = 1;
  for (int64_t d = from; d < to; ++d)
    size *= x.dim(d);
  shape.push_back(size);
  shape.insert(shape.end(), x.shape().begin() + to, x.shape().end());
  return lax::reshape(x, shape);
}
Tensor batch_matmul(const Tensor &x, const Tensor &y) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (x.rank() < 2 || x.rank() != y.rank())
    return valueError("Arguments to batch_matmul must be at least 2D and of "
                      "equal rank, got ",
                      x.rank(), ", ", y.rank());
  int64_t batch = x.rank() - 2;
  return dot_general(x, y,
                     {{batch + 1}, {batch}, iotaInts(batch), iotaInts(batch)});
}
std::pair<Tensor, Tensor> sort_key_val(const Tensor &keys, const Tensor &values,
                                       int64_t dimension, bool isStable) {
  if (const Error *error = errorIn(Tensors{keys, values}))
    return {*error, *error};
  Expected<int64_t> d = normalizedAxis(dimension, keys.rank());
  if (!d)
    return {d.error(), d.error()};
  Tensors out = sort({keys, values}, *d, 1, isStable);
  return {out[0], out.size() > 1 ? out[1] : out[0]};
}

} // namespace shardwright::frontend::lax
