//===- element_types.cc - conversion of element types ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/element_types.h"

using namespace shardwright;
using namespace shardwright::pjrt;

namespace {
struct Pair {
  PJRT_Buffer_Type theirs;
  ElementType ours;
  llvm::StringLiteral name;
};

constexpr Pair pairs[] = {
#define PAIR(theirs, ours)                                                     \
  {PJRT_Buffer_Type_##theirs, ElementType::ours, #theirs}
    PAIR(PRED, Pred),
    PAIR(S2, S2),
    PAIR(S4, S4),
    PAIR(S8, S8),
    PAIR(S16, S16),
    PAIR(S32, S32),
    PAIR(S64, S64),
    PAIR(U2, U2),
    PAIR(U4, U4),
    PAIR(U8, U8),
    PAIR(U16, U16),
    PAIR(U32, U32),
    PAIR(U64, U64),
    PAIR(F4E2M1FN, F4E2M1FN),
    PAIR(F6E2M3FN, F6E2M3FN),
    PAIR(F6E3M2FN, F6E3M2FN),
    PAIR(F8E3M4, F8E3M4),
    PAIR(F8E4M3, F8E4M3),
    PAIR(F8E4M3FN, F8E4M3FN),
    PAIR(F8E4M3FNUZ, F8E4M3FNUZ),
    PAIR(F8E4M3B11FNUZ, F8E4M3B11FNUZ),
    PAIR(F8E5M2, F8E5M2),
    PAIR(F8E5M2FNUZ, F8E5M2FNUZ),
    PAIR(F8E8M0FNU, F8E8M0FNU),
    PAIR(F16, F16),
    PAIR(BF16, BF16),
    PAIR(F32, F32),
    PAIR(F64, F64),
    PAIR(C64, C64),
    PAIR(C128, C128),
#undef PAIR
};
} // namespace

std::optional<ElementType> pjrt::fromPjrt(PJRT_Buffer_Type type) {
  for (const Pair &pair : pairs)
    if (pair.theirs == type)
      return pair.ours;
  return std::nullopt;
}

PJRT_Buffer_Type pjrt::toPjrt(ElementType type) {
  for (const Pair &pair : pairs)
    if (pair.ours == type)
      return pair.theirs;
  return PJRT_Buffer_Type_INVALID;
}

llvm::StringRef pjrt::name(PJRT_Buffer_Type type) {
  for (const Pair &pair : pairs)
    if (pair.theirs == type)
      return pair.name;
  return type == PJRT_Buffer_Type_TOKEN ? "TOKEN" : "INVALID";
}
