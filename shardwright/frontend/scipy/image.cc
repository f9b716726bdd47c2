//===- image.cc - resampling of images ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/image.h"

#include "shardwright/frontend/numpy/promote.h"

#include <limits>
#include <numbers>

namespace shardwright::frontend::image {
namespace {

Tensor lanczosKernel(double radius, const Tensor &x) {
  constexpr double pi = std::numbers::pi;
  Tensor y = radius * sin(pi * x) * sin(pi * x / radius);
  Tensor safe = where(x != 0.0, pi * pi * square(x), 1.0);
  Tensor out = where(x > 1e-3, y / safe, 1.0);
  return where(x > radius, 0.0, out);
}
Tensor keysKernel(const Tensor &x) {
  Tensor out = ((1.5 * x - 2.5) * x) * x + 1.0;
  out = where(x >= 1.0, ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0, out);
  return where(x >= 2.0, 0.0, out);
}
/// The cubic kernel of OpenCV and PyTorch.
Tensor openCvKernel(const Tensor &x) {
  constexpr double a = -0.75;
  Tensor out = ((a + 2) * x - (a + 3)) * x * x + 1.0;
  out = where(x >= 1.0, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a, out);
  return where(x >= 2.0, 0.0, out);
}
Tensor kernelOf(ResizeMethod method, const Tensor &x) {
  switch (method) {
  case ResizeMethod::Lanczos3:
    return lanczosKernel(3, x);
  case ResizeMethod::Lanczos5:
    return lanczosKernel(5, x);
  case ResizeMethod::Cubic:
    return keysKernel(x);
  case ResizeMethod::CubicPytorch:
    return openCvKernel(x);
  default:
    return maximum(0.0, 1.0 - abs(x));
  }
}

/// Each column sums up to 1, except where the weights nearly vanish.
Tensor normalized(const Tensor &weights) {
  Tensor total = sum(weights, Ints{0}, /*keepDims=*/true);
  Tensor safe = where(total != 0.0, total, 1.0);
  double least = 1000.0 * std::numeric_limits<float>::epsilon();
  return where(abs(total) > least, weights / safe, 0.0);
}

/// [in, out]: how much each sample of the result takes of each pixel.
Tensor weightsOf(int64_t in, int64_t out, const Tensor &scale,
                 const Tensor &translation, ResizeMethod method,
                 bool antialias) {
  DType type = scale.dtype();
  Tensor inverse = 1.0 / scale;
  Tensor each = lax::iota(type, {out}, 0), pixels = lax::iota(type, {in}, 0);
  Tensor sample = (each + 0.5) * inverse - translation * inverse - 0.5;
  auto row = [](const Tensor &x) { return expandDims(x, 0); };
  auto column = [](const Tensor &x) { return expandDims(x, 1); };
  Tensor weights;
  // PyTorch's kernel repeats the pixels at the edges, two of them.
  bool repeatsEdges = method == ResizeMethod::CubicPytorch;
  if (repeatsEdges) {
    Tensor wide = lax::iota(type, {in + 4}, 0) - 2.0;
    weights = kernelOf(method, abs(row(sample) - column(wide)));
    Tensor at = clip(astype(wide, DType::I32), 0, in - 1);
    Tensor none = lax::broadcast_in_dim(scalarOf(0.0, type), {in, out}, {});
    return normalized(none.at(at).add(weights));
  }
  if (method == ResizeMethod::Area) {
    Tensor left = each * inverse - translation * inverse;
    Tensor right = left + inverse;
    weights = maximum(0.0, minimum(row(right), column(pixels + 1.0)) -
                               maximum(row(left), column(pixels)));
  } else {
    Tensor distance = abs(row(sample) - column(pixels));
    if (antialias)
      distance = distance / maximum(inverse, 1.0);
    weights = kernelOf(method, distance);
  }
  weights = normalized(weights);
  // Samples outside of the image are zero.
  Tensor isInside =
      (sample >= -0.5) & (sample <= static_cast<double>(in) - 0.5);
  return where(row(isInside), weights, 0.0);
}

Tensor nearest(Tensor x, const Shape &shape) {
  for (int64_t d = 0; d < x.rank(); ++d) {
    int64_t m = x.dim(d), n = shape[d];
    if (m == n)
      continue;
    Tensor offsets = (lax::iota(DType::F32, {n}, 0) + 0.5) *
                     static_cast<double>(m) / static_cast<double>(n);
    std::vector<Index> indices(d, slice());
    indices.push_back(astype(floor(offsets), DType::I32));
    x = x.index(indices);
    if (!x.ok())
      return x;
  }
  return x;
}

Tensor resampled(Tensor x, const Shape &shape, const Ints &dims,
                 const Tensors &scales, const Tensors &translations,
                 ResizeMethod method, bool antialias) {
  if (method == ResizeMethod::CubicPytorch && antialias)
    method = ResizeMethod::Cubic;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t d = dims[i];
    if (method == ResizeMethod::CubicPytorch && !x.dim(d))
      return valueError("resize by cubic_pytorch expects dimensions with "
                        "elements: it repeats their edges");
    Tensor weights = astype(weightsOf(x.dim(d), shape[d], scales[i],
                                      translations[i], method, antialias),
                            x.dtype());
    if (!weights.ok())
      return weights;
    // The new dimension is the last one.
    x = lax::dot_general(x, weights, {{d}, {0}, {}, {}});
    if (!x.ok())
      return x;
    Ints order = iotaInts(x.rank() - 1);
    order.insert(order.begin() + d, x.rank() - 1);
    x = lax::transpose(x, order);
  }
  return x;
}

Status checkShape(const Tensor &image, const Shape &shape) {
  if (!image.ok())
    return image.error();
  if (shape.rank() != image.rank())
    return valueError("shape must have length equal to the number of "
                      "dimensions of x;  ",
                      tupleText(shape), " vs ", tupleText(image.shape()));
  for (int64_t n : shape)
    if (n < 0)
      return valueError("resize expects sizes of at least 0, got shape ",
                        tupleText(shape));
  return {};
}

} // namespace

Tensor resize(const Tensor &image, const Shape &shape, ResizeMethod method,
              bool antialias) {
  if (Status fits = checkShape(image, shape); !fits)
    return fits.error();
  if (method == ResizeMethod::Nearest)
    return nearest(image, shape);
  Ints dims;
  Tensors scales, translations;
  for (int64_t d = 0; d < image.rank(); ++d) {
    if (image.dim(d) == shape[d])
      continue;
    dims.push_back(d);
    double scale = shape[d] ? static_cast<double>(shape[d]) /
                                  static_cast<double>(image.dim(d))
                            : 1.0;
    scales.push_back(scalarOf(scale, canonicalType(DType::F64)));
    translations.push_back(scalarOf(0.0, canonicalType(DType::F64)));
  }
  return resampled(inexact(image), shape, dims, scales, translations, method,
                   antialias);
}

Tensor scaleAndTranslate(const Tensor &image, const Shape &shape,
                         const Ints &spatialDims, const Tensor &scale,
                         const Tensor &translation, ResizeMethod method,
                         bool antialias) {
  if (Status fits = checkShape(image, shape); !fits)
    return fits.error();
  if (const Error *error = errorIn(Tensors{scale, translation}))
    return *error;
  if (method == ResizeMethod::Nearest)
    return valueError("Nearest neighbor resampling is not currently supported "
                      "for scale_and_translate.");
  auto [by, to] = promotePair(scale, translation);
  by = inexact(by), to = inexact(to);
  auto count = static_cast<int64_t>(spatialDims.size());
  if (by.shape() != Shape{count} || to.shape() != Shape{count})
    return valueError("scale_and_translate expects a scale and a translation "
                      "for each of ",
                      count, " spatial dimensions, got shapes ",
                      tupleText(by.shape()), " and ", tupleText(to.shape()));
  Ints dims;
  Tensors scales, translations;
  for (int64_t i = 0; i < count; ++i) {
    Expected<int64_t> d = normalizedAxis(spatialDims[i], image.rank());
    if (!d)
      return d.error();
    if (containsInt(dims, *d))
      return valueError("scale_and_translate names dimension ", *d, " twice");
    dims.push_back(*d);
    scales.push_back(by[i]);
    translations.push_back(to[i]);
  }
  for (int64_t d = 0; d < image.rank(); ++d)
    if (!containsInt(dims, d) && shape[d] != image.dim(d))
      return valueError("scale_and_translate keeps the size ", image.dim(d),
                        " of dimension ", d,
                        ", which is not a spatial dimension; got ", shape[d]);
  return resampled(inexact(image), shape, dims, scales, translations, method,
                   antialias);
}

} // namespace shardwright::frontend::image
