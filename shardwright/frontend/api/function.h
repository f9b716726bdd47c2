//===- function.h - functions of trees as functions of leaves ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_FUNCTION_H
#define SHARDWRIGHT_FRONTEND_API_FUNCTION_H

#include "shardwright/frontend/api/tree.h"

namespace shardwright::frontend {

using FlatFunction = std::function<Tensors(const Tensors &)>;

namespace detail {
template <typename T> struct StripExpected {
  using Type = T;
  static constexpr bool isExpected = false;
};
template <typename T> struct StripExpected<Expected<T>> {
  using Type = T;
  static constexpr bool isExpected = true;
};
/// A number that is an argument is a tensor, unless the function takes only
/// numbers.
template <typename T>
using TensorIfNumber = std::conditional_t<std::is_arithmetic_v<T>, Tensor, T>;
template <typename F, typename... Args>
constexpr bool takesTensors =
    std::is_invocable_v<const F &, const TensorIfNumber<Args> &...>;
template <typename F, typename... Args>
using ArgumentTuple = std::conditional_t<takesTensors<F, Args...>,
                                         std::tuple<TensorIfNumber<Args>...>,
                                         std::tuple<Args...>>;
template <typename F, typename Tuple> struct AppliedTo;
template <typename F, typename... Args>
struct AppliedTo<F, std::tuple<Args...>> {
  using Type = std::decay_t<std::invoke_result_t<const F &, const Args &...>>;
};
} // namespace detail

/// A function whose arguments and result are trees, applied to leaves. Keeps
/// the structure of the result of the last call.
template <typename F, typename... Args> class TreeFunction {
public:
  using Tuple = detail::ArgumentTuple<F, Args...>;
  using Raw = typename detail::AppliedTo<F, Tuple>::Type;
  /// Of a function that returns an Expected, its value.
  using Result = typename detail::StripExpected<Raw>::Type;

  TreeFunction(const F &f, const Tuple &prototype)
      : function(f), arguments(withoutLeaves(prototype)),
        result(std::make_shared<std::optional<Result>>()),
        resultDef(std::make_shared<TreeDef>()) {}

  Tensors operator()(const Tensors &leaves) const {
    Tuple args = treeWith(arguments, leaves);
    Raw raw = std::apply(function, args);
    if constexpr (detail::StripExpected<Raw>::isExpected) {
      if (!raw)
        return {Tensor(raw.error())};
      *result = *raw;
    } else {
      *result = std::move(raw);
    }
    Flattener f;
    TreeTraits<Result>::flatten(**result, f);
    *resultDef = f.def;
    // The structure may be kept for long, traced values may not.
    *result = withoutLeaves(**result);
    return f.leaves;
  }
  /// The result's tree with these leaves.
  Result rebuild(const Tensors &leaves) const {
    return result->has_value()
               ? treeWith(**result, leaves)
               : failedValue<Result>(makeError(ErrorKind::Runtime,
                                               "the function was not called"));
  }
  /// Empty before the first call.
  const std::optional<Result> &prototype() const { return *result; }
  const TreeDef &def() const { return *resultDef; }

private:
  F function;
  Tuple arguments;
  std::shared_ptr<std::optional<Result>> result;
  std::shared_ptr<TreeDef> resultDef;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_FUNCTION_H
