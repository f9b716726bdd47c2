//===- type_errors.h - element types that are refused ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_TYPE_ERRORS_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_TYPE_ERRORS_H

#include "shardwright/frontend/array/aval.h"
#include "shardwright/frontend/base/error.h"

#include <map>

namespace shardwright::frontend {

/// The function of jax.numpy that promotes types and then applies a primitive;
/// empty if there is none.
inline std::string_view promotingName(std::string_view primitive) {
  static const std::map<std::string_view, std::string_view> names = {
      {"add", "add"},
      {"sub", "subtract"},
      {"mul", "multiply"},
      {"div", "divide"},
      {"max", "maximum"},
      {"min", "minimum"},
      {"atan2", "arctan2"},
      {"nextafter", "nextafter"},
      {"shift_left", "left_shift"},
      {"shift_right_logical", "right_shift"},
      {"shift_right_arithmetic", "right_shift"},
      {"eq", "equal"},
      {"ne", "not_equal"}};
  auto found = names.find(primitive);
  return found == names.end() ? "" : found->second;
}

/// The error for operands of two types.
inline Error differentTypes(std::string_view primitive, DType a, DType b) {
  if (primitive == "pow")
    return typeError("the first argument to pow must have an inexact dtype "
                     "(float or complex), and the second argument must have an "
                     "inexact or integer dtype, and two inexact dtypes must "
                     "match, but got ",
                     name(a), " and ", name(b), " respectively.");
  std::string_view tip = promotingName(primitive);
  return typeError("lax.", primitive,
                   " requires arguments to have the same dtypes, got ", name(a),
                   ", ", name(b), ".",
                   tip.empty() ? ""
                               : cat(" (Tip: jnp.", tip,
                                     " is a similar function that does "
                                     "automatic type promotion on inputs)."));
}

/// An error unless the operands from number `first` on are integers of one
/// type. `separator`: what stands between "got" and their types.
inline Status checkIndices(std::string_view primitive, const char *separator,
                           const std::vector<Aval> &in, size_t first) {
  bool fits = true;
  std::string types;
  for (size_t i = first; i < in.size(); ++i) {
    fits &= isInteger(in[i].dtype) && in[i].dtype == in[first].dtype;
    types += cat(types.empty() ? "" : ", ", name(in[i].dtype));
  }
  if (fits)
    return {};
  return typeError("index arguments to ", primitive,
                   " must be integers of the same type, got", separator, types);
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_TYPE_ERRORS_H
