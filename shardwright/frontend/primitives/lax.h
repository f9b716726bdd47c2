//===- lax.h - primitives as functions --------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_LAX_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_LAX_H

#include "shardwright/frontend/array/tensor.h"

#include <optional>

namespace shardwright::frontend {

enum class RoundingMethod { AwayFromZero = 0, ToNearestEven = 1 };
enum class GatherMode { ClipIndices, FillOrDrop, PromiseInBounds };

/// Dimension numbers of gather and scatter, named as those of gather.
struct GatherDims {
  Ints offsetDims, collapsedSliceDims, startIndexMap, operandBatchingDims,
      startIndicesBatchingDims;
};
struct DotDims {
  Ints lhsContracting, rhsContracting, lhsBatch, rhsBatch;
};

/// A window that moves over an array. One entry for each dimension; empty
/// strides and dilations: 1; empty padding: none.
struct Window {
  Ints dims, strides;
  std::vector<Ints> padding; ///< (low, high)
  Ints baseDilation, windowDilation;
};

/// The padding with which windows at these strides cover each element: JAX's
/// "SAME".
std::vector<Ints> samePadding(const Shape &shape, const Ints &window,
                              const Ints &strides);

/// Dimensions of a convolution, by letters: `N` batch, `C` feature, `O` and `I`
/// output and input features of the kernel; others are spatial.
struct ConvLayout {
  std::string lhs = "NCHW", rhs = "OIHW", out = "NCHW";
};
/// Per spatial dimension; empty: strides and dilations of 1, no padding.
struct ConvOptions {
  Ints strides;
  std::vector<Ints> padding; ///< (low, high)
  Ints lhsDilation, rhsDilation;
  ConvLayout layout;
  int64_t featureGroups = 1, batchGroups = 1;
  /// The type of the result and of the sums; none: that of the operands.
  std::optional<DType> preferred;
};

enum class FftType { FFT, IFFT, RFFT, IRFFT };

/// How exactly a function is to be computed. JAX: lax.AccuracyMode,
/// lax.Tolerance.
struct Accuracy {
  enum class Mode { Default, Highest, Tolerance };
  Mode mode = Mode::Default;
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  static Accuracy highest() { return {Mode::Highest}; }
  static Accuracy tolerance(double atol, double rtol, int64_t ulps) {
    return {Mode::Tolerance, atol, rtol, ulps};
  }
};

/// Functions that apply one primitive each. They neither promote types nor
/// broadcast, except for scalars and dimensions of size 1. JAX: jax.lax.
namespace lax {

#define SW_LAX_UNARY(X)                                                        \
  X(neg)                                                                       \
  X(sign)                                                                      \
  X(floor)                                                                     \
  X(ceil)                                                                      \
  X(is_finite) X(exp) X(exp2) X(log) X(log1p) X(expm1) X(sin) X(cos) X(tan)    \
      X(tanh) X(logistic) X(sqrt) X(rsqrt) X(cbrt) X(abs) X(square) X(erf)     \
          X(erfc) X(erf_inv) X(lgamma) X(digamma) X(asin) X(acos) X(atan)      \
              X(sinh) X(cosh) X(asinh) X(acosh) X(atanh) X(real) X(imag)       \
                  X(conj) X(clz) X(population_count) X(stop_gradient)
#define SW_LAX_BINARY(X)                                                       \
  X(add)                                                                       \
  X(sub)                                                                       \
  X(mul)                                                                       \
  X(div)                                                                       \
  X(rem) X(max) X(min) X(pow) X(atan2) X(nextafter) X(complex) X(add_any)      \
      X(shift_left) X(shift_right_logical) X(shift_right_arithmetic) X(eq)     \
          X(ne) X(lt) X(le) X(gt) X(ge)

#define SW_DECLARE(name) Tensor name(const Tensor &x);
SW_LAX_UNARY(SW_DECLARE)
#undef SW_DECLARE
#define SW_DECLARE(name) Tensor name(const Tensor &x, const Tensor &y);
SW_LAX_BINARY(SW_DECLARE)
#undef SW_DECLARE
#define SW_LAX_ACCURATE(X)                                                     \
  X(exp)                                                                       \
  X(exp2)                                                                      \
  X(log)                                                                       \
  X(log1p)                                                                     \
  X(expm1) X(sin) X(cos) X(tan) X(tanh) X(logistic) X(sqrt) X(rsqrt) X(cbrt)
/// Functions with an accuracy, which programs carry; our own CPU computes them
/// in one way.
namespace accurate {
#define SW_DECLARE(name) Tensor name(const Tensor &x, const Accuracy &accuracy);
SW_LAX_ACCURATE(SW_DECLARE)
#undef SW_DECLARE
} // namespace accurate
/// The product in another type, into which the operands are converted first.
/// JAX: lax.mul(x, y, out_dtype=type).
Tensor mul_as(const Tensor &x, const Tensor &y, DType type);
/// The upper half of the product of integers.
Tensor mulhi(const Tensor &x, const Tensor &y);
Tensor bitwise_not(const Tensor &x);
Tensor bitwise_and(const Tensor &x, const Tensor &y);
Tensor bitwise_or(const Tensor &x, const Tensor &y);
Tensor bitwise_xor(const Tensor &x, const Tensor &y);
Tensor round(const Tensor &x,
             RoundingMethod method = RoundingMethod::AwayFromZero);
Tensor integer_pow(const Tensor &x, int64_t y);
Tensor select_n(const Tensor &which, const Tensors &cases);
/// onTrue where `which`, else onFalse.
Tensor select(const Tensor &which, const Tensor &onTrue, const Tensor &onFalse);
Tensor clamp(const Tensor &lo, const Tensor &x, const Tensor &hi);
/// Returns x itself if it has the type already.
Tensor convert_element_type(const Tensor &x, DType type, bool weak = false);
Tensor bitcast_convert_type(const Tensor &x, DType type);
Tensor reduce_precision(const Tensor &x, int64_t exponentBits,
                        int64_t mantissaBits);
Tensor copy(const Tensor &x);
Tensors optimization_barrier(const Tensors &xs);

/// Returns x itself if the shape is the same.
Tensor broadcast_in_dim(const Tensor &x, const Shape &shape, const Ints &dims);
/// A scalar or array of the same element everywhere.
Tensor full(const Shape &shape, double value, DType type);
Tensor full_like(const Tensor &x, double value);
Tensor zeros(const Aval &type);
Tensor reshape(const Tensor &x, const Shape &shape);
Tensor transpose(const Tensor &x, const Ints &permutation);
Tensor rev(const Tensor &x, const Ints &dimensions);
Tensor squeeze(const Tensor &x, const Ints &dimensions);
Tensor expand_dims(const Tensor &x, const Ints &dimensions);
Tensor concatenate(const Tensors &xs, int64_t dimension);
/// (low, high, interior) of each dimension.
Tensor pad(const Tensor &x, const Tensor &value,
           const std::vector<Ints> &config);
Tensor iota(DType type, const Shape &shape, int64_t dimension);

Tensor slice(const Tensor &x, const Ints &start, const Ints &limit,
             const Ints &strides = {});
/// x[start:limit:stride] along one dimension. Negative positions count from the
/// end; none: the whole dimension.
Tensor slice_in_dim(const Tensor &x, std::optional<int64_t> start,
                    std::optional<int64_t> limit, int64_t stride = 1,
                    int64_t axis = 0);
Tensor dynamic_slice(const Tensor &x, const Tensors &starts, const Ints &sizes);
Tensor dynamic_update_slice(const Tensor &x, const Tensor &update,
                            const Tensors &starts);
Tensor gather(const Tensor &x, const Tensor &indices, const GatherDims &dims,
              const Ints &sliceSizes, GatherMode mode = GatherMode::FillOrDrop,
              bool sorted = false, bool unique = false);
enum class ScatterKind { Set, Add, Mul, Min, Max, Sub };
/// `dims` as for gather: offset dims are the update's window dims.
Tensor scatter(ScatterKind kind, const Tensor &x, const Tensor &indices,
               const Tensor &updates, const GatherDims &dims,
               GatherMode mode = GatherMode::FillOrDrop, bool sorted = false,
               bool unique = false);

Tensor reduce_sum(const Tensor &x, const Ints &axes);
Tensor reduce_prod(const Tensor &x, const Ints &axes);
Tensor reduce_max(const Tensor &x, const Ints &axes);
Tensor reduce_min(const Tensor &x, const Ints &axes);
Tensor reduce_and(const Tensor &x, const Ints &axes);
Tensor reduce_or(const Tensor &x, const Ints &axes);
Tensor reduce_xor(const Tensor &x, const Ints &axes);
Tensor argmax(const Tensor &x, int64_t axis, DType indexType = DType::I32);
Tensor argmin(const Tensor &x, int64_t axis, DType indexType = DType::I32);
Tensor cumsum(const Tensor &x, int64_t axis, bool reverse = false);
Tensor cumprod(const Tensor &x, int64_t axis, bool reverse = false);
Tensor cummax(const Tensor &x, int64_t axis, bool reverse = false);
Tensor cummin(const Tensor &x, int64_t axis, bool reverse = false);
Tensor cumlogsumexp(const Tensor &x, int64_t axis, bool reverse = false);
Tensors sort(const Tensors &xs, int64_t dimension, int64_t numKeys = 1,
             bool isStable = true);

/// The `k` greatest elements along an axis, in descending order, and their
/// positions.
Tensors top_k(const Tensor &x, int64_t k, int64_t axis = -1);

Tensor reduce_window_sum(const Tensor &x, const Window &window);
Tensor reduce_window_max(const Tensor &x, const Window &window);
Tensor reduce_window_min(const Tensor &x, const Window &window);
/// Adds each element of `source` to the greatest element of its window.
Tensor select_and_scatter_add(const Tensor &source, const Tensor &x,
                              const Window &window);
Tensor conv_general_dilated(const Tensor &lhs, const Tensor &rhs,
                            const ConvOptions &options = {});
/// Over the last dimensions, of these lengths (IRFFT: of the result).
Tensor fft(const Tensor &x, FftType type, const Ints &lengths);

Tensor dot_general(const Tensor &x, const Tensor &y, const DotDims &dims,
                   std::optional<DType> preferred = {});

/// Two words of counts encrypted by two words of key: JAX's generator.
Tensors threefry2x32(const Tensor &k1, const Tensor &k2, const Tensor &x1,
                     const Tensor &x2);
Tensor random_seed(const Tensor &seed);
Tensor random_split(const Tensor &key, const Shape &shape);
Tensor random_fold_in(const Tensor &key, const Tensor &data);
Tensor random_bits(const Tensor &key, int64_t bitWidth, const Shape &shape);
/// Random bits of a width from the two words that threefry2x32 makes.
Tensor bitsOfWords(const Tensors &words, int64_t bitWidth);
Tensor random_wrap(const Tensor &data);
Tensor random_unwrap(const Tensor &key);

/// A token, and one that comes after others. They order nothing by themselves.
Tensor create_token();
Tensor after_all(const Tensors &tokens);

} // namespace lax
} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_LAX_H
