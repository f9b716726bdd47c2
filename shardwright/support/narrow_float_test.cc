//===- narrow_float_test.cc - floats of 8 and 16 bits ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/narrow_float.h"

#include "shardwright/support/element_type.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace shardwright;
using E = ElementType;

TEST(NarrowFloat, SixteenBitsRoundTripAndRound) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float h = f16ToFloat(uint16_t(bits)), b = bf16ToFloat(uint16_t(bits));
    if (h == h)
      ASSERT_EQ(floatToF16(h), bits);
    else
      ASSERT_NE(f16ToFloat(floatToF16(h)), f16ToFloat(floatToF16(h)));
    if (b == b)
      ASSERT_EQ(floatToBf16(b), bits);
    else
      ASSERT_NE(bf16ToFloat(floatToBf16(b)), bf16ToFloat(floatToBf16(b)));
    // Half way to the next value rounds to even.
    float next = f16ToFloat(uint16_t(bits + 1));
    if ((bits & 0x7fff) < 0x7bff && h == h) {
      ASSERT_EQ(floatToF16((h + next) / 2), (bits & 1) ? bits + 1 : bits);
    }
  }
  EXPECT_EQ(floatToF16(65519.9f), 0x7bff);
  EXPECT_EQ(floatToF16(65520.0f), 0x7c00);
  EXPECT_EQ(floatToF16(-1e30f), 0xfc00);
}

TEST(NarrowFloat, EightBitsRoundTrip) {
  for (int i = int(E::F8E3M4); i <= int(E::F8E8M0FNU); ++i) {
    auto type = E(i);
    for (int bits = 0; bits < 256; ++bits) {
      float x = f8Table(type)[bits];
      if (x == x)
        ASSERT_EQ(floatToF8(type, x), bits) << str(type).str();
      else
        ASSERT_NE(f8Table(type)[floatToF8(type, x)],
                  f8Table(type)[floatToF8(type, x)]);
    }
    // Out of range, NaN and tiny values must not crash.
    for (float x : {1e30f, -1e30f, float(INFINITY), -float(INFINITY),
                    float(NAN), 1e-30f, -1e-30f, 0.0f, -0.0f})
      floatToF8(type, x);
  }
}
