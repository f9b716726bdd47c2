//===- fft.h - discrete Fourier transforms ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_FFT_H
#define SHARDWRIGHT_FRONTEND_NUMPY_FFT_H

#include "shardwright/frontend/numpy/numpy.h"

/// JAX: jax.numpy.fft. `n`, `s`: lengths to which the dimensions are cut or
/// filled with zeros (of inverse real transforms: those of the result).
namespace shardwright::frontend::fft {

Tensor fft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1);
Tensor ifft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1);
Tensor rfft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1);
Tensor irfft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1);
/// Over up to three axes; none: all.
Tensor fftn(const Tensor &x, const Axes &s = {}, const Axes &axes = {});
Tensor ifftn(const Tensor &x, const Axes &s = {}, const Axes &axes = {});
Tensor rfftn(const Tensor &x, const Axes &s = {}, const Axes &axes = {});
Tensor irfftn(const Tensor &x, const Axes &s = {}, const Axes &axes = {});
/// Over the last two axes.
Tensor fft2(const Tensor &x);
Tensor ifft2(const Tensor &x);
/// Frequencies of the results of transforms of length n.
Tensor fftfreq(int64_t n, double d = 1);
Tensor rfftfreq(int64_t n, double d = 1);
/// Moves frequency 0 to the middle, and back.
Tensor fftshift(const Tensor &x, const Axes &axes = {});
Tensor ifftshift(const Tensor &x, const Axes &axes = {});

} // namespace shardwright::frontend::fft

#endif // SHARDWRIGHT_FRONTEND_NUMPY_FFT_H
