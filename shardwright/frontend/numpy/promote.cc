//===- promote.cc - types, axes and positions of jax.numpy ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/promote.h"

#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/base/warning.h"
#include "shardwright/frontend/numpy/arrange.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>

namespace shardwright::frontend {

/// The name in jax.numpy of an operator or a function in C++.
static std::string pythonName(const std::string &function) {
  static const auto &operators =
      *new std::map<std::string, std::string>{{"operator+", "add"},
                                              {"operator-", "subtract"},
                                              {"operator*", "multiply"},
                                              {"operator/", "true_divide"},
                                              {"operator%", "remainder"},
                                              {"operator<", "less"},
                                              {"operator<=", "less_equal"},
                                              {"operator>", "greater"},
                                              {"operator>=", "greater_equal"},
                                              {"operator==", "equal"},
                                              {"operator!=", "not_equal"},
                                              {"operator&", "bitwise_and"},
                                              {"operator|", "bitwise_or"},
                                              {"operator^", "bitwise_xor"}};
  if (auto found = operators.find(function); found != operators.end())
    return found->second;
  std::string out;
  for (char c : function) {
    if (std::isupper(static_cast<unsigned char>(c)))
      out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

Status checkRanks(const char *function, const Shape &x, const Shape &y) {
  RankPromotion setting = config::numpyRankPromotion.get();
  if (setting == RankPromotion::Allow || x.empty() || y.empty() ||
      x.rank() == y.rank())
    return {};
  const char *page =
      "https://docs.jax.dev/en/latest/rank_promotion_warning.html.";
  std::string what =
      cat(pythonName(function), " on shapes ", tupleText(x), " ", tupleText(y));
  if (setting == RankPromotion::Raise)
    return valueError("Operands could not be broadcast together for ", what,
                      " and with the config option "
                      "jax_numpy_rank_promotion='raise'. For more information, "
                      "see ",
                      page);
  warn(cat("Following NumPy automatic rank promotion for ", what,
           ". Set the jax_numpy_rank_promotion config option to 'allow' to "
           "disable this warning; for more information, see ",
           page));
  return {};
}

Status checkBatchRanks(const std::vector<Shape> &shapes, const Ints &core,
                       const char *signature) {
  RankPromotion setting = config::numpyRankPromotion.get();
  std::set<int64_t> ranks;
  std::string list;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].rank())
      ranks.insert(shapes[i].rank() - core[i]);
    list += cat(i ? ", " : "", tupleText(shapes[i]));
  }
  if (setting == RankPromotion::Allow || ranks.size() < 2)
    return {};
  std::string text =
      cat("operands with shapes [", list,
          "] require rank promotion for jnp.vectorize function with signature ",
          signature,
          ". Set the jax_numpy_rank_promotion config option to 'allow' to "
          "disable this message; for more information, see "
          "https://docs.jax.dev/en/latest/rank_promotion_warning.html.");
  if (setting == RankPromotion::Raise)
    return valueError(text);
  warn(text);
  return {};
}

std::pair<Tensor, Tensor> inexactPair(const Tensor &x, const Tensor &y,
                                      const char *function) {
  auto [a, b] = promotePair(x, y, function);
  return {inexact(a), inexact(b)};
}

Tensor boolean(const Tensor &x) {
  return x.ok() && x.dtype() != DType::Bool
             ? lax::ne(x, scalarOf(int64_t(0), x.dtype()))
             : x;
}

Status joinType(Aval &type, const Tensor &x) {
  SW_TRY(checkPromotion(type.dtype, type.weak, x.dtype(), x.aval().weak));
  PromotedType joined =
      promoteTypes(type.dtype, type.weak, x.dtype(), x.aval().weak);
  type.dtype = canonicalType(joined.type), type.weak = joined.weak;
  return {};
}

DType computationType(DType type) {
  return isFloat(type) && bitWidth(type) <= 16 ? DType::F32 : type;
}

DType sumType(DType type) {
  if (type == DType::Bool || (isSigned(type) && bitWidth(type) < 32))
    return DType::I32;
  return isUnsigned(type) && bitWidth(type) < 32 ? DType::U32 : type;
}

Tensor squaredSize(const Tensor &x) {
  return x.ok() && isComplex(x.dtype()) ? lax::real(lax::mul(x, lax::conj(x)))
                                        : lax::square(x);
}

Tensor withoutNan(const Tensor &x, double value) {
  return x.ok() && isInexact(x.dtype())
             ? where(isnan(x), lax::full_like(x, value), x)
             : x;
}

Tensor nonzeroDivisor(const Tensor &x) {
  if (!x.ok() || !isInteger(x.dtype()))
    return x;
  Tensor zero = scalarOf(int64_t(0), x.dtype());
  return where(lax::eq(x, zero), onesLike(x), x);
}

int64_t nearestDiagonal(int64_t k, int64_t rows, int64_t columns) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max() - 1;
  return std::clamp(k, -std::clamp<int64_t>(rows, 0, most) - 1,
                    std::clamp<int64_t>(columns, 0, most) + 1);
}

Tensor fromBegin(const Tensor &positions, int64_t n, bool isKnown) {
  if (!positions.ok() || isUnsigned(positions.dtype()))
    return positions;
  Tensor zero = scalarOf(int64_t(0), positions.dtype()), isNegative;
  if (isKnown) {
    ScopedTrace none(nullptr);
    isNegative = lax::lt(positions, zero);
  } else {
    isNegative = lax::lt(positions, zero);
  }
  return lax::select(isNegative,
                     lax::add(positions, scalarOf(n, positions.dtype())),
                     positions);
}

Expected<Ints> distinctAxes(const Ints &axes, int64_t rank,
                            const std::string &repeated) {
  Ints out;
  for (int64_t axis : axes) {
    Expected<int64_t> d = normalizedAxis(axis, rank);
    if (!d)
      return d.error();
    if (containsInt(out, *d))
      return valueError(repeated);
    out.push_back(*d);
  }
  return out;
}

Tensor alongAxis(const Tensor &x, int64_t axis,
                 const std::function<Tensor(int64_t)> &op) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  return d ? op(*d) : Tensor(d.error());
}

} // namespace shardwright::frontend
