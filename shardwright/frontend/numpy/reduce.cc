//===- reduce.cc - reductions ---------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/reductions.h"
#include "shardwright/frontend/numpy/spread.h"

#include <cmath>

namespace shardwright::frontend {

Expected<int64_t> normalizedAxis(int64_t axis, int64_t rank) {
  int64_t out = axis < 0 ? axis + rank : axis;
  if (out < 0 || out >= rank)
    return valueError("axis ", axis,
                      " is out of bounds for array of "
                      "dimension ",
                      rank);
  return out;
}

namespace {

/// A kind of reduction.
struct Reduction {
  const char *name;
  Tensor (*reduce)(const Tensor &, const Ints &);
  Tensor (*combine)(const Tensor &, const Tensor &);
  /// The same for booleans.
  Tensor (*reduceBooleans)(const Tensor &, const Ints &);
  Tensor (*combineBooleans)(const Tensor &, const Tensor &);
  /// What elements that do not count are replaced by.
  double identity;
  bool hasIdentity = true;
};
constexpr Reduction sumOf = {"sum",          lax::reduce_sum, lax::add,
                             lax::reduce_or, lax::bitwise_or, 0};
constexpr Reduction prodOf = {"prod",          lax::reduce_prod, lax::mul,
                              lax::reduce_and, lax::bitwise_and, 1};
constexpr Reduction maxOf = {"max",
                             lax::reduce_max,
                             lax::max,
                             lax::reduce_max,
                             lax::max,
                             -INFINITY,
                             /*hasIdentity=*/false};
constexpr Reduction minOf = {"min",
                             lax::reduce_min,
                             lax::min,
                             lax::reduce_min,
                             lax::min,
                             INFINITY,
                             /*hasIdentity=*/false};
constexpr Reduction anyOf = {"any",          lax::reduce_or,  lax::bitwise_or,
                             lax::reduce_or, lax::bitwise_or, 0};
constexpr Reduction allOf = {
    "all",           lax::reduce_and,  lax::bitwise_and,
    lax::reduce_and, lax::bitwise_and, 1};

/// What all reductions know about their operands and results.
struct Request {
  Axes axes = {};
  bool keepDims = false;
  std::optional<Tensor> where = {}, initial = {};
  /// The type of the operation, and of the result.
  DType computed, result;
};

Expected<Ints> reducedDims(const Tensor &x, const Axes &axes) {
  if (!axes)
    return iotaInts(x.rank());
  Expected<Ints> out = distinctAxes(
      *axes, x.rank(), cat("duplicate value in 'axis': ", tupleText(*axes)));
  if (out)
    std::sort(out->begin(), out->end());
  return out;
}

/// An error unless the mask, if there is one, has booleans.
Status checkMask(const char *name, const std::optional<Tensor> &mask) {
  if (!mask)
    return {};
  if (const Error *error = errorIn(*mask))
    return *error;
  if (mask->dtype() != DType::Bool)
    return valueError("jnp.", name,
                      ": where must be None or a boolean array; got "
                      "where.dtype=dtype('",
                      shardwright::frontend::name(mask->dtype()), "').");
  return {};
}

/// The identity of a reduction in a type; of integers the least or greatest one
/// for an infinity.
Tensor identityOf(const Reduction &kind, DType type) {
  if (type == DType::Bool)
    return scalarOf(int64_t(kind.identity > 0), type);
  if (isInteger(type) && std::isinf(kind.identity)) {
    int64_t bits = bitWidth(type);
    bool isLow = kind.identity < 0;
    if (isUnsigned(type)) {
      Tensor zero = scalarOf(int64_t(0), type);
      return isLow ? zero : lax::bitwise_not(zero);
    }
    int64_t high = int64_t((uint64_t(1) << (bits - 1)) - 1);
    return scalarOf(isLow ? -high - 1 : high, type);
  }
  return scalarOf(kind.identity, type);
}

Tensor reduced(const Reduction &kind, const Tensor &in,
               const Request &request) {
  if (!in.ok())
    return in;
  if (Status mask = checkMask(kind.name, request.where); !mask.ok())
    return mask.error();
  if (!kind.hasIdentity && !request.initial && request.where)
    return valueError("reduction operation ", kind.name,
                      " does not have an identity, so to use a where mask one "
                      "has to specify 'initial'");
  Expected<Ints> dims = reducedDims(in, request.axes);
  if (!dims)
    return dims.error();
  if (!kind.hasIdentity && !request.initial)
    for (int64_t d : *dims)
      if (!in.dim(d))
        return valueError("zero-size array to reduction operation ", kind.name,
                          " which has no identity");
  Tensor x = lax::convert_element_type(in, request.computed);
  if (request.where)
    x = where(*request.where, x, identityOf(kind, request.computed));
  bool isBool = request.computed == DType::Bool;
  Tensor out = (isBool ? kind.reduceBooleans : kind.reduce)(x, *dims);
  if (request.initial) {
    Tensor initial =
        lax::convert_element_type(*request.initial, request.computed);
    if (!initial.ok())
      return initial;
    if (initial.rank())
      return valueError("initial value must be a scalar. Got array of shape ",
                        tupleText(initial.shape()));
    out = (isBool ? kind.combineBooleans : kind.combine)(initial, out);
  }
  if (request.keepDims)
    out = lax::expand_dims(out, *dims);
  return lax::convert_element_type(out, request.result);
}

Tensor accumulated(const Reduction &kind, const Tensor &x,
                   const SumOptions &options) {
  if (!x.ok())
    return x;
  DType type = x.dtype() == DType::Bool || options.promoteIntegers
                   ? sumType(x.dtype())
                   : x.dtype();
  Request request{options.axes, options.keepDims, options.where,
                  options.initial};
  request.result = options.dtype ? canonicalType(*options.dtype) : type;
  request.computed = options.dtype ? request.result : computationType(type);
  return reduced(kind, x, request);
}
Tensor extreme(const Reduction &kind, const Tensor &x,
               const ExtremeOptions &options) {
  if (!x.ok())
    return x;
  return reduced(kind, x,
                 {options.axes, options.keepDims, options.where,
                  options.initial, x.dtype(), x.dtype()});
}
Tensor truth(const Reduction &kind, const Tensor &x,
             const TruthOptions &options) {
  return reduced(kind, boolean(x),
                 {options.axes,
                  options.keepDims,
                  options.where,
                  {},
                  DType::Bool,
                  DType::Bool});
}

/// How many elements are reduced, as numbers of a type.
Tensor countOf(const Tensor &x, const MeanOptions &options, DType type) {
  if (options.where)
    return sum(
        broadcastTo(*options.where, x.shape()),
        {.axes = options.axes, .keepDims = options.keepDims, .dtype = type});
  Expected<Ints> dims = reducedDims(x, options.axes);
  if (!dims)
    return dims.error();
  double n = 1;
  for (int64_t d : *dims)
    n *= static_cast<double>(x.dim(d));
  return scalarOf(n, type);
}

/// The types in which a variance is computed and returned.
Expected<std::pair<DType, DType>> varianceTypes(const char *name, DType type,
                                                std::optional<DType> wanted) {
  if (wanted) {
    DType result = canonicalType(*wanted);
    if (isComplex(type) && !isComplex(result))
      return valueError(
          "jax.numpy.", name,
          " does not yet support real dtype parameters when computing the "
          "variance of an array of complex values.");
    return std::pair(computationType(result), result);
  }
  if (!isInexact(type))
    type = DType::F32;
  return std::pair(computationType(type), realType(type));
}

/// What a variance sums: differences from the mean, in the type of the
/// computation, and the type of the result.
struct Deviations {
  Tensor x, fromMean;
  DType result;
};
Expected<Deviations>
deviations(const char *name, const Tensor &in, const VarianceOptions &options,
           Tensor (*meanOf)(const Tensor &, const MeanOptions &)) {
  if (!in.ok())
    return in.error();
  SW_TRY(checkMask(name, options.where));
  Expected<std::pair<DType, DType>> types =
      varianceTypes(name, in.dtype(), options.dtype);
  if (!types)
    return types.error();
  auto [computed, result] = *types;
  Tensor x = lax::convert_element_type(in, computed);
  Tensor center = options.mean
                      ? lax::convert_element_type(*options.mean, computed)
                      : meanOf(x, {options.axes, /*keepDims=*/true, computed,
                                   options.where});
  return Deviations{x, x - center, result};
}

} // namespace

Tensor sum(const Tensor &x, const SumOptions &options) {
  return accumulated(sumOf, x, options);
}
Tensor prod(const Tensor &x, const SumOptions &options) {
  return accumulated(prodOf, x, options);
}
Tensor max(const Tensor &x, const ExtremeOptions &options) {
  return extreme(maxOf, x, options);
}
Tensor min(const Tensor &x, const ExtremeOptions &options) {
  return extreme(minOf, x, options);
}
Tensor any(const Tensor &x, const TruthOptions &options) {
  return truth(anyOf, x, options);
}
Tensor all(const Tensor &x, const TruthOptions &options) {
  return truth(allOf, x, options);
}

static DType inexactType(DType type) {
  return isInexact(type) ? type : canonicalType(DType::F64);
}
Tensor mean(const Tensor &x, const MeanOptions &options) {
  if (!x.ok())
    return x;
  SW_TRY(checkMask("mean", options.where));
  DType type =
      options.dtype ? canonicalType(*options.dtype) : inexactType(x.dtype());
  DType computed = options.dtype ? type : computationType(type);
  Tensor total = sum(x, {.axes = options.axes,
                         .keepDims = options.keepDims,
                         .dtype = computed,
                         .where = options.where});
  Tensor count = countOf(x, options, computed);
  return lax::convert_element_type(lax::div(total, count), type);
}
Tensor var(const Tensor &in, const VarianceOptions &options) {
  Expected<Deviations> parts = deviations("var", in, options, mean);
  if (!parts)
    return parts.error();
  const Tensor &x = parts->x;
  Tensor squares = squaredSize(parts->fromMean);
  if (!squares.ok())
    return squares;
  DType real = squares.dtype();
  MeanOptions counted{options.axes, options.keepDims, {}, options.where};
  Tensor count =
      lax::sub(countOf(x, counted, real),
               lax::convert_element_type(Tensor(options.correction), real));
  Tensor out = lax::div(sum(squares, {.axes = options.axes,
                                      .keepDims = options.keepDims,
                                      .dtype = real,
                                      .where = options.where}),
                        count);
  out = lax::convert_element_type(out, parts->result);
  return where(lax::gt(count, lax::convert_element_type(Tensor(0.0), real)),
               out, NAN);
}
Tensor stddev(const Tensor &x, const VarianceOptions &options) {
  if (options.dtype && !isInexact(*options.dtype))
    return valueError("dtype argument to jnp.std must be inexact; got ",
                      name(*options.dtype));
  return lax::sqrt(var(x, options));
}

// Without NaN.

Tensor nansum(const Tensor &x, const SumOptions &options) {
  return sum(withoutNan(x, 0), options);
}
Tensor nanprod(const Tensor &x, const SumOptions &options) {
  return prod(withoutNan(x, 1), options);
}
static Tensor nanExtreme(const Reduction &kind, const Tensor &x,
                         const ExtremeOptions &options) {
  Tensor out = extreme(kind, withoutNan(x, kind.identity), options);
  if (!out.ok() || !isInexact(x.dtype()) || options.initial)
    return out;
  return where(all(isnan(x), options.axes, options.keepDims),
               lax::full_like(out, NAN), out);
}
Tensor nanmax(const Tensor &x, const ExtremeOptions &options) {
  return nanExtreme(maxOf, x, options);
}
Tensor nanmin(const Tensor &x, const ExtremeOptions &options) {
  return nanExtreme(minOf, x, options);
}
Tensor nanmean(const Tensor &x, const MeanOptions &options) {
  if (!x.ok() || !isInexact(x.dtype()))
    return mean(x, options);
  SW_TRY(checkMask("nanmean", options.where));
  DType type = options.dtype ? canonicalType(*options.dtype) : x.dtype();
  DType computed = options.dtype ? type : computationType(type);
  SumOptions sums{.axes = options.axes,
                  .keepDims = options.keepDims,
                  .dtype = computed,
                  .where = options.where};
  Tensor mean = lax::div(nansum(x, sums), sum(~isnan(x), sums));
  return lax::convert_element_type(mean, type);
}
Tensor nanvar(const Tensor &in, const VarianceOptions &options) {
  Expected<Deviations> parts = deviations("nanvar", in, options, nanmean);
  if (!parts)
    return parts.error();
  Tensor isThere = ~isnan(parts->x);
  Tensor squares = squaredSize(where(isThere, parts->fromMean, 0));
  SumOptions sums{.axes = options.axes,
                  .keepDims = options.keepDims,
                  .where = options.where};
  Tensor total = sum(squares, sums), count = sum(isThere, sums);
  bool isWhole = options.correction == std::floor(options.correction) &&
                 std::abs(options.correction) < 0x1p31;
  count = count - (isWhole ? Tensor(static_cast<int64_t>(options.correction))
                           : Tensor(options.correction));
  if (const Error *error = errorIn(Tensors{total, count}))
    return *error;
  Tensor isEmpty = count <= 0;
  Tensor divisor = where(isEmpty, 1, count);
  total = where(isEmpty, NAN, total);
  return lax::convert_element_type(
      lax::div(total, lax::convert_element_type(divisor, total.dtype())),
      parts->result);
}
Tensor nanstd(const Tensor &x, const VarianceOptions &options) {
  return lax::sqrt(nanvar(x, options));
}

// With axes and keepDims alone.

Tensor sum(const Tensor &x, const Axes &axes, bool keepDims) {
  return sum(x, SumOptions{axes, keepDims});
}
Tensor prod(const Tensor &x, const Axes &axes, bool keepDims) {
  return prod(x, SumOptions{axes, keepDims});
}
Tensor max(const Tensor &x, const Axes &axes, bool keepDims) {
  return max(x, ExtremeOptions{axes, keepDims});
}
Tensor min(const Tensor &x, const Axes &axes, bool keepDims) {
  return min(x, ExtremeOptions{axes, keepDims});
}
Tensor any(const Tensor &x, const Axes &axes, bool keepDims) {
  return any(x, TruthOptions{axes, keepDims});
}
Tensor all(const Tensor &x, const Axes &axes, bool keepDims) {
  return all(x, TruthOptions{axes, keepDims});
}
Tensor mean(const Tensor &x, const Axes &axes, bool keepDims) {
  return mean(x, MeanOptions{axes, keepDims});
}
static VarianceOptions varianceOptions(const Axes &axes, bool keepDims,
                                       int64_t ddof) {
  return {.axes = axes,
          .keepDims = keepDims,
          .correction = static_cast<double>(ddof)};
}
Tensor var(const Tensor &x, const Axes &axes, bool keepDims, int64_t ddof) {
  return var(x, varianceOptions(axes, keepDims, ddof));
}
Tensor var(const Tensor &x, const Axes &axes, bool keepDims) {
  return var(x, varianceOptions(axes, keepDims, 0));
}
Tensor stddev(const Tensor &x, const Axes &axes, bool keepDims, int64_t ddof) {
  return stddev(x, varianceOptions(axes, keepDims, ddof));
}
Tensor nansum(const Tensor &x, const Axes &axes, bool keepDims) {
  return nansum(x, SumOptions{axes, keepDims});
}
Tensor nanprod(const Tensor &x, const Axes &axes, bool keepDims) {
  return nanprod(x, SumOptions{axes, keepDims});
}
Tensor nanmax(const Tensor &x, const Axes &axes, bool keepDims) {
  return nanmax(x, ExtremeOptions{axes, keepDims});
}
Tensor nanmin(const Tensor &x, const Axes &axes, bool keepDims) {
  return nanmin(x, ExtremeOptions{axes, keepDims});
}
Tensor nanmean(const Tensor &x, const Axes &axes, bool keepDims) {
  return nanmean(x, MeanOptions{axes, keepDims});
}
Tensor nanvar(const Tensor &x, const Axes &axes, bool keepDims, int64_t ddof) {
  return nanvar(x, varianceOptions(axes, keepDims, ddof));
}
Tensor nanstd(const Tensor &x, const Axes &axes, bool keepDims, int64_t ddof) {
  return nanstd(x, varianceOptions(axes, keepDims, ddof));
}
Tensor countNonzero(const Tensor &x, const Axes &axes, bool keepDims) {
  if (!x.ok())
    return x;
  return sum(lax::ne(x, lax::full_like(x, 0)),
             {.axes = axes, .keepDims = keepDims, .dtype = DType::I32});
}
Tensor countNonzero(const Tensor &x, const Axes &axes) {
  return countNonzero(x, axes, false);
}

} // namespace shardwright::frontend
