//===- unit_floats.cc - random bits as floats -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/unit_floats.h"

#include "shardwright/frontend/primitives/lax.h"

#include <cmath>

namespace shardwright::frontend {

int64_t bitsOfUnit(const FloatParts &parts) {
  return parts.mantissa < 8 ? 8 : parts.bits;
}

Tensor unitFloats(const Tensor &bits, DType type, const FloatParts &parts) {
  auto word = [&](uint64_t v) {
    return scalarOf(static_cast<int64_t>(v), parts.word);
  };
  Tensor mantissa = lax::bitwise_or(
      lax::shift_right_logical(lax::convert_element_type(bits, parts.word),
                               word(bitsOfUnit(parts) - parts.mantissa)),
      word(parts.one));
  return lax::sub(lax::bitcast_convert_type(mantissa, type),
                  scalarOf(1.0, type));
}

Tensor normalFloats(const Tensor &uniform) {
  if (!uniform.ok())
    return uniform;
  return lax::mul(scalarOf(std::sqrt(2.0), uniform.dtype()),
                  lax::erf_inv(uniform));
}

} // namespace shardwright::frontend
