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

/// Which of a transform and its inverse is divided by the length: the inverse,
/// the transform, or both by its root.
enum class Norm { Backward, Forward, Ortho };

Tensor fft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1,
           Norm norm = Norm::Backward);
Tensor ifft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1,
            Norm norm = Norm::Backward);
Tensor rfft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1,
            Norm norm = Norm::Backward);
Tensor irfft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1,
             Norm norm = Norm::Backward);
/// Of a Hermitian signal, whose spectrum is real, and back.
Tensor hfft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1,
            Norm norm = Norm::Backward);
Tensor ihfft(const Tensor &x, std::optional<int64_t> n = {}, int64_t axis = -1,
             Norm norm = Norm::Backward);
/// Over several axes; none: the last ones, as many as `s` has lengths, or all.
Tensor fftn(const Tensor &x, const Axes &s = {}, const Axes &axes = {},
            Norm norm = Norm::Backward);
Tensor ifftn(const Tensor &x, const Axes &s = {}, const Axes &axes = {},
             Norm norm = Norm::Backward);
Tensor rfftn(const Tensor &x, const Axes &s = {}, const Axes &axes = {},
             Norm norm = Norm::Backward);
Tensor irfftn(const Tensor &x, const Axes &s = {}, const Axes &axes = {},
              Norm norm = Norm::Backward);
/// Over two axes.
Tensor fft2(const Tensor &x, const Axes &s = {}, const Ints &axes = {-2, -1},
            Norm norm = Norm::Backward);
Tensor ifft2(const Tensor &x, const Axes &s = {}, const Ints &axes = {-2, -1},
             Norm norm = Norm::Backward);
Tensor rfft2(const Tensor &x, const Axes &s = {}, const Ints &axes = {-2, -1},
             Norm norm = Norm::Backward);
Tensor irfft2(const Tensor &x, const Axes &s = {}, const Ints &axes = {-2, -1},
              Norm norm = Norm::Backward);
/// Frequencies of the results of transforms of length n.
Tensor fftfreq(int64_t n, double d = 1);
Tensor rfftfreq(int64_t n, double d = 1);
/// Moves frequency 0 to the middle, and back.
Tensor fftshift(const Tensor &x, const Axes &axes = {});
Tensor ifftshift(const Tensor &x, const Axes &axes = {});

} // namespace shardwright::frontend::fft

#endif // SHARDWRIGHT_FRONTEND_NUMPY_FFT_H
