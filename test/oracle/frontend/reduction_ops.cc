//===- reduction_ops.cc - reductions with options by name -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

#include <cmath>

namespace shardwright::frontend {
namespace {

/// The types of reduction_calls.py, by number.
std::optional<DType> typeOf(const Keys &k) {
  constexpr DType types[] = {DType::Bool, DType::I8,   DType::I32, DType::U8,
                             DType::F16,  DType::BF16, DType::F32, DType::C64};
  return k.count("dtype") ? std::optional(numbered(types, k, "dtype"))
                          : std::nullopt;
}
Axes axesOf(const Keys &k) {
  return k.count("axes") ? Axes(get(k, "axes")) : Axes();
}
std::optional<int64_t> axisOf(const Keys &k) {
  return k.count("axis") ? std::optional<int64_t>(one(k, "axis"))
                         : std::nullopt;
}
/// The array with this number in a key, if there is one.
std::optional<Tensor> arrayOf(const Args &a, const Keys &k, const char *key) {
  int64_t number = one(k, key);
  return number > 0 && number < static_cast<int64_t>(a.size())
             ? std::optional<Tensor>(a[number])
             : std::nullopt;
}
SumOptions sumOptions(const Args &a, const Keys &k) {
  return {axesOf(k),
          one(k, "keep") != 0,
          typeOf(k),
          arrayOf(a, k, "where"),
          arrayOf(a, k, "initial"),
          one(k, "narrow") == 0};
}
ExtremeOptions extremeOptions(const Args &a, const Keys &k) {
  return {axesOf(k), one(k, "keep") != 0, arrayOf(a, k, "where"),
          arrayOf(a, k, "initial")};
}
TruthOptions truthOptions(const Args &a, const Keys &k) {
  return {axesOf(k), one(k, "keep") != 0, arrayOf(a, k, "where")};
}
MeanOptions meanOptions(const Args &a, const Keys &k) {
  return {axesOf(k), one(k, "keep") != 0, typeOf(k), arrayOf(a, k, "where")};
}
VarianceOptions varianceOptions(const Args &a, const Keys &k) {
  return {axesOf(k),
          one(k, "keep") != 0,
          typeOf(k),
          arrayOf(a, k, "where"),
          static_cast<double>(one(k, "correction")) / 2,
          arrayOf(a, k, "mean")};
}
/// With NaN among floats.
Tensor withNan(const Tensor &x) {
  return isFloat(x.dtype()) ? where(x > 2.0, NAN, x) : x;
}

} // namespace

void addReductionCalls(Ops &ops) {
  OP("reduced_sum", sum(a[0], sumOptions(a, k)))
  OP("reduced_prod", prod(a[0], sumOptions(a, k)))
  OP("reduced_nansum", nansum(withNan(a[0]), sumOptions(a, k)))
  OP("reduced_nanprod", nanprod(withNan(a[0]), sumOptions(a, k)))
  OP("reduced_max", max(a[0], extremeOptions(a, k)))
  OP("reduced_min", min(a[0], extremeOptions(a, k)))
  OP("reduced_nanmax", nanmax(withNan(a[0]), extremeOptions(a, k)))
  OP("reduced_nanmin", nanmin(withNan(a[0]), extremeOptions(a, k)))
  OP("reduced_any", any(a[0], truthOptions(a, k)))
  OP("reduced_all", all(a[0], truthOptions(a, k)))
  OP("reduced_mean", mean(a[0], meanOptions(a, k)))
  OP("reduced_nanmean", nanmean(withNan(a[0]), meanOptions(a, k)))
  OP("reduced_var", var(a[0], varianceOptions(a, k)))
  OP("reduced_std", stddev(a[0], varianceOptions(a, k)))
  OP("reduced_nanvar", nanvar(withNan(a[0]), varianceOptions(a, k)))
  OP("reduced_nanstd", nanstd(withNan(a[0]), varianceOptions(a, k)))
  OP("reduced_count_nonzero",
     countNonzero(a[0], axesOf(k), one(k, "keep") != 0))
  ops["reduced_average"] = [](const Args &a, const Keys &k) -> Tensors {
    auto [mean, weights] = averageAndWeights(
        a[0], axesOf(k), arrayOf(a, k, "weights"), one(k, "keep") != 0);
    return {mean, weights};
  };
  OP("typed_cumsum", cumsum(a[0], axisOf(k), *typeOf(k)))
  OP("typed_cumprod", cumprod(a[0], axisOf(k), *typeOf(k)))
  OP("typed_nancumsum", nancumsum(withNan(a[0]), axisOf(k), *typeOf(k)))
  OP("typed_nancumprod", nancumprod(withNan(a[0]), axisOf(k), *typeOf(k)))
  OP("typed_cumulative_sum",
     cumulativeSum(a[0], axisOf(k), *typeOf(k), one(k, "initial") != 0))
  OP("typed_cumulative_prod",
     cumulativeProd(a[0], axisOf(k), *typeOf(k), one(k, "initial") != 0))
}

} // namespace shardwright::frontend
