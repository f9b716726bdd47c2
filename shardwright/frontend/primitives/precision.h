//===- precision.h - how products round their operands ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_PRECISION_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_PRECISION_H

#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/trace/params.h"

namespace shardwright::frontend {

/// `DEFAULT`, `HIGH` or `HIGHEST`: of config::defaultMatmulPrecision.
inline const char *precisionName() {
  switch (config::defaultMatmulPrecision.get()) {
  case MatmulPrecision::High:
    return "HIGH";
  case MatmulPrecision::Highest:
    return "HIGHEST";
  default:
    return "DEFAULT";
  }
}

/// The parameter `precision` of a product of two operands.
inline Param precisionParam() {
  if (config::defaultMatmulPrecision.get() == MatmulPrecision::Unset)
    return std::monostate();
  return objectParam(TextParam(cat("(Precision.", precisionName(),
                                   ", Precision.", precisionName(), ")")));
}

/// The attribute that says it in a module.
inline std::string precisionAttr(const Params &params) {
  const auto *given = params.object<TextParam>("precision");
  std::string_view text = given ? std::string_view(given->text) : "";
  // The longer name contains the shorter one.
  const char *name = text.find("HIGHEST") != text.npos ? "HIGHEST"
                     : text.find("HIGH") != text.npos  ? "HIGH"
                                                       : "DEFAULT";
  return cat("precision_config = [#stablehlo<precision ", name,
             ">, #stablehlo<precision ", name, ">]");
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_PRECISION_H
