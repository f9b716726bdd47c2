//===- neutral_element_test.cc - neutral elements of reductions -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/neutral_element.h"

#include "shardwright/cpu/collectives/reduce.h"
#include "shardwright/runtime/random.h"
#include "shardwright/support/narrow_float.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace shardwright;

namespace {

using E = ElementType;

Array filled(E type, llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(randomArray(type, shape, 1, 0));
}

TEST(NeutralElement, NoSumIsChangedByIt) {
  for (int t = int(E::Pred); t <= int(E::C128); ++t) {
    E type = E(t);
    if (type == E::F8E8M0FNU) {
      char byte;
      EXPECT_EQ(toString(fillNeutral(type, ReductionKind::Sum, &byte, 1)),
                "elements of f8E8M0FNU have no zero, which a sum needs as its "
                "neutral element");
      continue;
    }
    auto addition =
        llvm::cantFail(cpu::Reduction::create(type, cpu::ReduceKind::Add));
    int64_t width = byteWidth(type);
    auto check = [&](const char *x) {
      alignas(16) char neutral[16], forth[16], back[16];
      llvm::cantFail(fillNeutral(type, ReductionKind::Sum, neutral, 1));
      const void *first[] = {x, neutral, neutral}, *last[] = {neutral, x};
      addition.run(first, 3, forth, 0, 1);
      addition.run(last, 2, back, 0, 1);
      EXPECT_EQ(std::memcmp(x, forth, width), 0) << str(type).str();
      EXPECT_EQ(std::memcmp(x, back, width), 0) << str(type).str();
    };
    // Zeros of both signs, and random numbers.
    alignas(16) char x[16] = {};
    check(x);
    if (isComplex(type) || type == E::F16 || type == E::BF16 ||
        type == E::F32 || type == E::F64) {
      x[width - 1] = char(0x80);
      check(x);
    } else if (isTinyFloat(type)) {
      for (int bits = 0; bits < 1 << bitWidth(type); ++bits) {
        double value = elementAsDouble(type, &bits, 0);
        x[0] = char(bits);
        if (value == value)
          check(x);
      }
    }
    Array random = filled(type, {50});
    for (int i = 0; i < 50; ++i) {
      std::memcpy(x, static_cast<char *>(random.data()) + i * width, width);
      check(x);
    }
  }
}

TEST(NeutralElement, NoMaximumOrMinimumIsChangedByIt) {
  for (int t = int(E::Pred); t <= int(E::F64); ++t) {
    E type = E(t);
    int64_t width = byteWidth(type);
    std::vector<std::string> elements;
    if (width == 1) {
      int first = isSignedInteger(type) ? -(1 << (bitWidth(type) - 1)) : 0;
      for (int i = 0; i < 1 << bitWidth(type); ++i)
        elements.push_back(std::string(1, char(first + i)));
    } else {
      // Numbers of all magnitudes, infinities and both zeros.
      std::mt19937_64 random(t);
      for (int i = 0; i < 2000; ++i) {
        uint64_t bits = random();
        elements.emplace_back(reinterpret_cast<char *>(&bits), width);
      }
      for (unsigned char top : {0x00, 0x80, 0x7f, 0xff}) {
        elements.emplace_back(width, '\0');
        elements.back().back() = char(top);
      }
    }
    for (ReductionKind kind : {ReductionKind::Max, ReductionKind::Min}) {
      auto reduction = llvm::cantFail(cpu::Reduction::create(
          type, kind == ReductionKind::Max ? cpu::ReduceKind::Max
                                           : cpu::ReduceKind::Min));
      alignas(16) char neutral[16], x[16], forth[16], back[16];
      llvm::cantFail(fillNeutral(type, kind, neutral, 1));
      for (const std::string &element : elements) {
        std::memcpy(x, element.data(), width);
        if (isFloat(type) && std::isnan(elementAsDouble(type, x, 0)))
          continue;
        const void *first[] = {x, neutral}, *last[] = {neutral, neutral, x};
        reduction.run(first, 2, forth, 0, 1);
        reduction.run(last, 3, back, 0, 1);
        EXPECT_EQ(std::memcmp(x, forth, width), 0) << str(type).str();
        EXPECT_EQ(std::memcmp(x, back, width), 0) << str(type).str();
      }
    }
  }
  char complex[8];
  EXPECT_EQ(toString(fillNeutral(E::C64, ReductionKind::Max, complex, 1)),
            "elements of complex<f32> have no order, so no maximum");
}

} // namespace
