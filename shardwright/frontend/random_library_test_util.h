//===- random_library_test_util.h - random calls of functions ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_RANDOM_LIBRARY_TEST_UTIL_H
#define SHARDWRIGHT_FRONTEND_RANDOM_LIBRARY_TEST_UTIL_H

#include "shardwright/frontend/hostile_calls_test_util.h"

namespace shardwright::frontend::testing {

/// Calls functions in the manner of jax.numpy, jax.scipy and jax.image on
/// values of the pool, with parameters that may be wrong.
class LibraryCalls : public HostileCalls {
public:
  using HostileCalls::HostileCalls;

protected:
  Tensors library(Choices &c) {
    switch (c.below(6)) {
    case 0:
      return statistics(c);
    case 1:
      return matrices(c);
    case 2:
      return images(c);
    case 3:
      return sets(c);
    case 4:
      return spectra(c);
    default:
      return arranged(c);
    }
  }

private:
  static Tensors both(const std::pair<Tensor, Tensor> &p) {
    return {p.first, p.second};
  }

  Tensors statistics(Choices &c) {
    Tensor x = pick(c);
    Axes axes(c.ints(2, -3, 3));
    switch (c.below(9)) {
    case 0:
      return {quantile(x, pick(c), axes,
                       static_cast<QuantileMethod>(c.below(5)), c.below(2)),
              nanquantile(x, pick(c))};
    case 1:
      return both(histogram(x, c.number(-1, 5), {.density = true}));
    case 2:
      return {histogram2d(x, pick(c), c.number(-1, 4)).counts,
              digitize(x, pick(c))};
    case 3:
      return {average(x, axes, pick(c)), ptp(x, axes), nanvar(x, axes)};
    case 4:
      return {cov(x), corrcoef(x), convolve(x, pick(c)),
              correlate(x, pick(c), ConvolveMode::Same)};
    case 5:
      return {interp(x, pick(c), pick(c)), trapezoid(x, pick(c)),
              unwrap(x, c.number(-3, 3))};
    case 6:
      return gradient(x, 0.5, axes);
    case 7:
      return {kaiser(c.number(-2, 6), 2), hanning(c.number(-2, 6)),
              cumulativeSum(x, c.number(-3, 3), true)};
    default:
      return {nanargmax(x, c.number(-3, 3)), nancumprod(x),
              median(x, axes, true)};
    }
  }

  Tensors matrices(Choices &c) {
    namespace sl = scipy::linalg;
    Tensor x = pick(c), y = pick(c);
    switch (c.below(8)) {
    case 0:
      return {sl::choSolve(sl::choFactor(x), y), sl::expm(x)};
    case 1:
      return {sl::luSolve(sl::luFactor(x), y,
                          static_cast<sl::Transposed>(c.below(3)))};
    case 2:
      return {sl::solveTriangular(x, y, {.unitDiagonal = true}),
              std::get<0>(sl::lu(x))};
    case 3:
      return {sl::blockDiag({x, y}), sl::toeplitz(x, y), sl::circulant(x)};
    case 4:
      return {sl::hadamard(c.number(-1, 9)), sl::hilbert(c.number(-1, 9))};
    case 5:
      return {cross(x, y, c.number(-3, 3)), vecdot(x, y, c.number(-3, 3)),
              matvec(x, y), vecmat(x, y)};
    case 6:
      return {linalg::cond(x), linalg::tensorinv(x, c.number(-1, 3)),
              linalg::tensorsolve(x, y)};
    default:
      return {
          polyval(x, y), polymul(x, y), polyint(x, c.number(-1, 3)),
          lax::conv_transpose(x, y, c.ints(2, 0, 3), lax::PaddingKind::Same)};
    }
  }

  Tensors images(Choices &c) {
    Tensor x = pick(c);
    Shape shape(c.ints(3, -1, 6));
    auto method = static_cast<image::ResizeMethod>(c.below(7));
    switch (c.below(4)) {
    case 0:
      return {image::resize(x, shape, method, c.below(2))};
    case 1:
      return {image::scaleAndTranslate(x, shape, c.ints(2, -1, 3), pick(c),
                                       pick(c), method)};
    case 2:
      return {ops::segmentSum(x, pick(c), {.numSegments = c.number(-1, 4)}),
              ops::segmentMax(x, pick(c),
                              {.numSegments = c.number(-1, 4),
                               .bucketSize = c.number(-1, 3)})};
    default:
      return {nn::initializers::orthogonal(1, c.number(-3, 3))(pick(c), shape),
              nn::initializers::glorotNormal()(pick(c), shape),
              random::multivariateNormal(pick(c), x, pick(c), shape)};
    }
  }

  Tensors sets(Choices &c) {
    Tensor x = pick(c);
    std::optional<int64_t> size;
    if (c.below(2))
      size = c.number(-1, 6);
    switch (c.below(4)) {
    case 0:
      return nonzero(x, size, c.number(-2, 9));
    case 1: {
      UniqueResult out = uniqueAll(x, size);
      return {out.values, out.index, out.inverse, out.counts};
    }
    case 2:
      return {extract(x, pick(c), size), setxor1d(x, pick(c)),
              compress(x, pick(c), c.number(-3, 3))};
    default:
      return {lexsort({x, pick(c)}, c.number(-3, 3)), isin(x, pick(c)),
              partition(x, c.number(-3, 3), c.number(-3, 3))};
    }
  }

  Tensors spectra(Choices &c) {
    Tensor x = pick(c);
    auto norm = static_cast<fft::Norm>(c.below(3));
    Axes axes(c.ints(3, -3, 3)), lengths(c.ints(3, -1, 5));
    switch (c.below(3)) {
    case 0:
      return {fft::fftn(x, lengths, axes, norm),
              fft::irfftn(x, {}, axes, norm)};
    case 1:
      return {fft::hfft(x, c.number(-1, 6), c.number(-3, 3), norm),
              fft::rfft2(x, {}, c.ints(2, -3, 3), norm)};
    default:
      return {scipy::special::logsumexp(x, axes), scipy::special::ndtr(x),
              scipy::special::xlogy(x, pick(c)),
              scipy::special::multigammaln(x, c.number(-1, 4))};
    }
  }

  Tensors arranged(Choices &c) {
    Tensor x = pick(c);
    switch (c.below(8)) {
    case 0:
      return {rot90(x, c.number(-3, 5), c.ints(2, -3, 3)),
              rollaxis(x, c.number(-3, 3), c.number(-3, 3))};
    case 1:
      return arraySplit(x, c.number(-1, 5), c.number(-3, 3));
    case 2:
      return {put(x, pick(c), pick(c), static_cast<TakeMode>(c.below(3))),
              putAlongAxis(x, pick(c), pick(c), c.number(-3, 3))};
    case 3:
      return {select({x, pick(c)}, {pick(c), pick(c)}),
              choose(x, {pick(c), pick(c)})};
    case 4:
      return {vander(x, c.number(-1, 4)), diagflat(x, c.number(-4, 4)),
              resize(x, Shape(c.ints(2, -1, 5)))};
    case 5:
      return unravelIndex(x, Shape(c.ints(3, 0, 4)));
    case 6:
      return {gcd(x, pick(c)), power(x, pick(c)), floorDivide(x, pick(c)),
              frexp(x).first, ldexp(x, pick(c))};
    default:
      return {block({{x, pick(c)}, {pick(c)}}), dstack({x, pick(c)}),
              fillDiagonal(x, pick(c)),
              eye(c.number(-1, 4), c.number(-1, 4), c.number(-9, 9))};
    }
  }
};

} // namespace shardwright::frontend::testing

#endif // SHARDWRIGHT_FRONTEND_RANDOM_LIBRARY_TEST_UTIL_H
