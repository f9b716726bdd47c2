//===- image.h - resampling of images --------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_IMAGE_H
#define SHARDWRIGHT_FRONTEND_SCIPY_IMAGE_H

#include "shardwright/frontend/numpy/numpy.h"

/// JAX: jax.image.
namespace shardwright::frontend::image {

enum class ResizeMethod {
  Nearest,
  Linear,
  Lanczos3,
  Lanczos5,
  Cubic,        ///< Keys' kernel, A = -0.5
  CubicPytorch, ///< A = -0.75 without antialiasing, else Cubic
  Area,
};

/// The image with other sizes of its dimensions. `antialias`: where a dimension
/// shrinks, the kernel is as wide as the step between samples.
Tensor resize(const Tensor &image, const Shape &shape, ResizeMethod method,
              bool antialias = true);
/// Samples the image at (i + 0.5 - translation) / scale - 0.5 along each of the
/// dimensions `spatialDims`; zero outside of it. Not with Nearest.
Tensor scaleAndTranslate(const Tensor &image, const Shape &shape,
                         const Ints &spatialDims, const Tensor &scale,
                         const Tensor &translation, ResizeMethod method,
                         bool antialias = true);

} // namespace shardwright::frontend::image

#endif // SHARDWRIGHT_FRONTEND_SCIPY_IMAGE_H
