//===- types.cc - element types of FFI --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/types.h"

using namespace shardwright;

std::optional<int> ffi::ffiType(ElementType type) {
  switch (type) {
  case ElementType::Pred:
    return 1;
  case ElementType::S8:
    return 2;
  case ElementType::S16:
    return 3;
  case ElementType::S32:
    return 4;
  case ElementType::S64:
    return 5;
  case ElementType::U8:
    return 6;
  case ElementType::U16:
    return 7;
  case ElementType::U32:
    return 8;
  case ElementType::U64:
    return 9;
  case ElementType::F16:
    return 10;
  case ElementType::F32:
    return 11;
  case ElementType::F64:
    return 12;
  case ElementType::C64:
    return 15;
  case ElementType::BF16:
    return 16;
  case ElementType::C128:
    return 18;
  case ElementType::F8E5M2:
    return 19;
  case ElementType::F8E4M3FN:
    return 20;
  case ElementType::S4:
    return 21;
  case ElementType::U4:
    return 22;
  case ElementType::F8E4M3B11FNUZ:
    return 23;
  case ElementType::F8E5M2FNUZ:
    return 24;
  case ElementType::F8E4M3FNUZ:
    return 25;
  case ElementType::S2:
    return 26;
  case ElementType::U2:
    return 27;
  case ElementType::F8E4M3:
    return 28;
  case ElementType::F8E3M4:
    return 29;
  case ElementType::F4E2M1FN:
    return 32;
  case ElementType::F8E8M0FNU:
    return 33;
  case ElementType::F6E2M3FN:
  case ElementType::F6E3M2FN:
    return std::nullopt;
  }
  return std::nullopt;
}
