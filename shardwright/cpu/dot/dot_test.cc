//===- dot_test.cc - matrix products against a plain sum ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot.h"

#include "shardwright/support/narrow_float.h"

#include "gtest/gtest.h"

#include <complex>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

using Number = std::complex<long double>;

Number get(ElementType type, const void *data, int64_t i) {
  switch (type) {
  case ElementType::C64:
    return Number(static_cast<const std::complex<float> *>(data)[i]);
  case ElementType::C128:
    return Number(static_cast<const std::complex<double> *>(data)[i]);
  case ElementType::S64:
    return static_cast<const int64_t *>(data)[i];
  case ElementType::U64:
    return static_cast<const uint64_t *>(data)[i];
  default:
    return elementAsDouble(type, data, i);
  }
}

void put(ElementType type, void *data, int64_t i, std::mt19937_64 &random) {
  double x = std::uniform_real_distribution<double>(-1, 1)(random);
  int64_t small = int64_t(random() % 7) - 3;
  switch (type) {
  case ElementType::F32:
    static_cast<float *>(data)[i] = x;
    break;
  case ElementType::F64:
    static_cast<double *>(data)[i] = x;
    break;
  case ElementType::BF16:
    static_cast<uint16_t *>(data)[i] = floatToBf16(x);
    break;
  case ElementType::F16:
    static_cast<uint16_t *>(data)[i] = floatToF16(x);
    break;
  case ElementType::C64:
    static_cast<std::complex<float> *>(data)[i] = {float(x), float(small)};
    break;
  case ElementType::C128:
    static_cast<std::complex<double> *>(data)[i] = {x, double(small)};
    break;
  case ElementType::Pred:
    static_cast<uint8_t *>(data)[i] = small > 1;
    break;
  default:
    if (isFloat(type)) {
      static_cast<uint8_t *>(data)[i] = floatToF8(type, float(x));
      break;
    }
    if (!isSignedInteger(type))
      small += 3;
    if (type == ElementType::U2 || type == ElementType::S2)
      small &= 1;
    std::memcpy(static_cast<char *>(data) + i * byteWidth(type), &small,
                byteWidth(type));
  }
}

/// Strides of `sizes` in a random order of dimensions, sometimes with gaps.
Shape randomStrides(llvm::ArrayRef<int64_t> sizes, std::mt19937_64 &random,
                    bool dense) {
  llvm::SmallVector<int> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (random() % 2)
    std::shuffle(order.begin(), order.end(), random);
  Shape strides(sizes.size());
  int64_t stride = !dense && random() % 6 == 0 ? 2 : 1;
  for (int i : llvm::reverse(order)) {
    strides[i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
    if (!dense && random() % 5 == 0)
      stride += random() % 4;
  }
  return strides;
}

struct Types {
  ElementType lhs, rhs, out;
  double tolerance;
};

void check(const DotSpec &spec, double tolerance, std::mt19937_64 &random,
           int64_t tasks) {
  auto plan = DotPlan::create(spec);
  ASSERT_TRUE(bool(plan)) << toString(plan.takeError());
  std::vector<char> lhs(plan->lhsExtent() * byteWidth(spec.lhsType)),
      rhs(plan->rhsExtent() * byteWidth(spec.rhsType)),
      out(plan->outExtent() * byteWidth(spec.outType), 0x55);
  for (int64_t i = 0; i < plan->lhsExtent(); ++i)
    put(spec.lhsType, lhs.data(), i, random);
  for (int64_t i = 0; i < plan->rhsExtent(); ++i)
    put(spec.rhsType, rhs.data(), i, random);
  std::vector<char> before = out;
  for (int64_t task = 0; task < tasks; ++task)
    if (llvm::Error e =
            plan->run(lhs.data(), rhs.data(), out.data(), task, tasks))
      FAIL() << toString(std::move(e));

  int64_t batches = 1;
  for (int64_t b : spec.batch)
    batches *= b;
  std::vector<bool> written(plan->outExtent());
  for (int64_t b = 0; b < batches; ++b) {
    int64_t l = 0, r = 0, o = 0, rest = b;
    for (size_t i = spec.batch.size(); i-- > 0;) {
      int64_t index = rest % spec.batch[i];
      rest /= spec.batch[i];
      l += index * spec.lhsBatchStrides[i];
      r += index * spec.rhsBatchStrides[i];
      o += index * spec.outBatchStrides[i];
    }
    for (int64_t i = 0; i < spec.m; ++i)
      for (int64_t j = 0; j < spec.n; ++j) {
        Number sum = 0;
        long double size = 0;
        for (int64_t k = 0; k < spec.k; ++k) {
          Number a = get(spec.lhsType, lhs.data(),
                         l + i * spec.lhsStrideM + k * spec.lhsStrideK);
          Number b = get(spec.rhsType, rhs.data(),
                         r + k * spec.rhsStrideK + j * spec.rhsStrideN);
          // The product of std::complex is slow.
          Number x(a.real() * b.real() - a.imag() * b.imag(),
                   a.real() * b.imag() + a.imag() * b.real());
          sum += x;
          size += std::abs(x);
        }
        if (spec.outType == ElementType::Pred)
          sum = sum != Number(0);
        int64_t at = o + i * spec.outStrideM + j * spec.outStrideN;
        written[at] = true;
        Number got = get(spec.outType, out.data(), at);
        if (!isFloat(spec.outType) && !isComplex(spec.outType)) {
          // Integers wrap around.
          int bits = byteWidth(spec.outType) * 8;
          if (spec.outType == ElementType::S4 ||
              spec.outType == ElementType::U4)
            bits = 4;
          if (spec.outType == ElementType::S2 ||
              spec.outType == ElementType::U2)
            bits = 2;
          uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
          ASSERT_EQ(uint64_t(int64_t(got.real())) & mask,
                    uint64_t(int64_t(sum.real())) & mask)
              << "at " << b << " " << i << " " << j;
        } else {
          ASSERT_LE(std::abs(got - sum),
                    tolerance * (size + std::abs(sum)) + 1e-30)
              << "at " << b << " " << i << " " << j << " of " << spec.m << "x"
              << spec.n << "x" << spec.k << " got " << double(got.real())
              << " want " << double(sum.real());
        }
      }
  }
  int64_t width = byteWidth(spec.outType);
  for (int64_t i = 0; i < plan->outExtent(); ++i)
    if (!written[i]) {
      ASSERT_EQ(0, std::memcmp(&out[i * width], &before[i * width], width))
          << "wrote between the elements";
    }
}

DotSpec randomSpec(const Types &types, std::mt19937_64 &random,
                   int64_t largest) {
  auto size = [&]() -> int64_t {
    switch (random() % 6) {
    case 0:
      return 1;
    case 1:
      return random() % 4;
    case 2:
      return 1 + random() % largest;
    default:
      return 1 + random() % 24;
    }
  };
  DotSpec s;
  s.lhsType = types.lhs;
  s.rhsType = types.rhs;
  s.outType = types.out;
  int rank = random() % 3;
  for (int i = 0; i < rank; ++i)
    s.batch.push_back(random() % 12 == 0 ? 0 : 1 + random() % 3);
  s.m = size();
  s.n = size();
  s.k = size();
  auto set = [&](Shape &batch, int64_t a, int64_t b, int64_t &strideA,
                 int64_t &strideB) {
    Shape sizes(s.batch);
    sizes.push_back(a);
    sizes.push_back(b);
    Shape strides = randomStrides(sizes, random, random() % 2);
    strideA = strides[rank];
    strideB = strides[rank + 1];
    strides.truncate(rank);
    batch = strides;
  };
  set(s.lhsBatchStrides, s.m, s.k, s.lhsStrideM, s.lhsStrideK);
  set(s.rhsBatchStrides, s.k, s.n, s.rhsStrideK, s.rhsStrideN);
  set(s.outBatchStrides, s.m, s.n, s.outStrideM, s.outStrideN);
  // Operands may be broadcast with stride 0.
  if (rank > 0 && random() % 5 == 0)
    s.rhsBatchStrides[0] = 0;
  return s;
}

using E = ElementType;
const Types allTypes[] = {
    {E::F32, E::F32, E::F32, 1e-6},
    {E::F64, E::F64, E::F64, 1e-14},
    {E::F32, E::F32, E::F64, 1e-6},
    {E::BF16, E::BF16, E::BF16, 5e-3},
    {E::BF16, E::BF16, E::F32, 1e-6},
    {E::F16, E::F16, E::F16, 1e-3},
    {E::F16, E::F16, E::F32, 1e-6},
    {E::F32, E::BF16, E::F32, 1e-6},
    {E::F8E4M3FN, E::F8E4M3FN, E::F32, 1e-6},
    {E::F8E5M2, E::F8E4M3FN, E::BF16, 5e-3},
    {E::S8, E::S8, E::S32, 0},
    {E::U8, E::S8, E::S32, 0},
    {E::S8, E::U8, E::S32, 0},
    {E::U8, E::U8, E::S32, 0},
    {E::S8, E::S8, E::S8, 0},
    {E::S4, E::S4, E::S4, 0},
    {E::U2, E::U2, E::U2, 0},
    {E::S16, E::S16, E::S16, 0},
    {E::S32, E::S32, E::S32, 0},
    {E::U32, E::U32, E::U32, 0},
    {E::S64, E::S64, E::S64, 0},
    {E::S32, E::S32, E::S64, 0},
    {E::S8, E::S8, E::F32, 1e-6},
    {E::S32, E::S32, E::F32, 1e-6},
    {E::Pred, E::Pred, E::Pred, 0},
    {E::C64, E::C64, E::C64, 1e-5},
    {E::C128, E::C128, E::C128, 1e-14},
};

TEST(Dot, EveryTypeAndLayout) {
  std::mt19937_64 random(1);
  for (const Types &types : allTypes)
    for (int i = 0; i < 60; ++i) {
      SCOPED_TRACE(testing::Message()
                   << str(types.lhs).str() << " " << str(types.rhs).str() << " "
                   << str(types.out).str() << " #" << i);
      DotSpec spec = randomSpec(types, random, 90);
      ASSERT_NO_FATAL_FAILURE(check(spec, types.tolerance, random,
                                    i % 4 == 0 ? 1 + random() % 5 : 1));
    }
}

TEST(Dot, ManySmallProductsWhoseRowsInterleave) {
  std::mt19937_64 random(3);
  for (const Types &types :
       {allTypes[0], allTypes[3], allTypes[5], allTypes[10]})
    for (bool isLastLonger : {false, true}) {
      DotSpec s = randomSpec(types, random, 1);
      int64_t heads = isLastLonger ? 70 : 4, rows = isLastLonger ? 4 : 70;
      int64_t size = 17 + random() % 16;
      s.batch = {rows, heads};
      s.m = s.n = s.k = size;
      // Rows of the operands have all heads.
      s.lhsBatchStrides = s.rhsBatchStrides =
          s.outBatchStrides = {size * heads * size, size};
      s.lhsStrideM = s.rhsStrideN = s.outStrideM = heads * size;
      s.lhsStrideK = s.rhsStrideK = s.outStrideN = 1;
      SCOPED_TRACE(testing::Message() << str(types.lhs).str() << " " << size);
      ASSERT_NO_FATAL_FAILURE(check(s, types.tolerance, random, 1));
      std::swap(s.rhsStrideK, s.rhsStrideN);
      ASSERT_NO_FATAL_FAILURE(check(s, types.tolerance, random, 3));
    }
}

TEST(Dot, LargerThanABlock) {
  std::mt19937_64 random(2);
  for (const Types &types : allTypes) {
    DotSpec s;
    s.lhsType = types.lhs;
    s.rhsType = types.rhs;
    s.outType = types.out;
    s.m = 70;
    s.n = 140;
    s.k = 150;
    s.lhsStrideM = 150;
    s.lhsStrideK = 1;
    s.rhsStrideK = 1;
    s.rhsStrideN = 150;
    s.outStrideM = 140;
    s.outStrideN = 1;
    SCOPED_TRACE(str(types.lhs).str());
    ASSERT_NO_FATAL_FAILURE(check(s, types.tolerance, random, 3));
    // Matrix times vector, on both sides and in both layouts.
    s.m = 1;
    ASSERT_NO_FATAL_FAILURE(check(s, types.tolerance, random, 2));
    s.rhsStrideK = 140;
    s.rhsStrideN = 1;
    ASSERT_NO_FATAL_FAILURE(check(s, types.tolerance, random, 1));
    s.m = 1500;
    s.n = 1;
    s.rhsStrideK = 1;
    s.outStrideM = 1;
    ASSERT_NO_FATAL_FAILURE(check(s, types.tolerance, random, 1));
  }
}

template <typename T>
static void expectAccurate(E type, int64_t m, int64_t n, int64_t k, bool rows) {
  DotSpec s;
  s.lhsType = s.rhsType = s.outType = type;
  s.m = m;
  s.n = n;
  s.k = k;
  s.lhsStrideM = k;
  s.lhsStrideK = 1;
  s.rhsStrideK = rows ? 1 : n;
  s.rhsStrideN = rows ? k : 1;
  s.outStrideM = n;
  s.outStrideN = 1;
  auto plan = DotPlan::create(s);
  ASSERT_TRUE(bool(plan));
  std::vector<T> x(m * k, T(0.1f)), y(n * k, T(0.1f)), z(m * n);
  ASSERT_FALSE(bool(plan->run(x.data(), y.data(), z.data())));
  // Sequential sums would be off by 1 %.
  for (T sum : z)
    EXPECT_LT(std::abs(sum / T(double(k) * 0.1f * 0.1f) - T(1)), 3e-5);
}

TEST(Dot, LongSumsStayAccurate) {
  for (int64_t k : {1 << 20, (1 << 20) - 777})
    for (bool rows : {true, false}) {
      SCOPED_TRACE(testing::Message() << k << " " << rows);
      expectAccurate<float>(E::F32, 1, 3, k, rows);
      expectAccurate<float>(E::F32, 5, 4, k, rows);
      expectAccurate<std::complex<float>>(E::C64, 2, 3, k, rows);
    }
}

TEST(Dot, SeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      std::mt19937_64 random(t % 2);
      for (int i = 0; i < 20; ++i)
        check(randomSpec(allTypes[i % 5], random, 60),
              allTypes[i % 5].tolerance, random, 1);
    });
  for (auto &thread : threads)
    thread.join();
}

TEST(Dot, PiecesAreForManyThreadsAndLargeEnough) {
  auto tasks = [](int64_t batch, int64_t size, int64_t devices) {
    DotSpec s;
    s.lhsType = s.rhsType = s.outType = E::F32;
    s.m = s.n = s.k = size;
    s.lhsStrideM = s.rhsStrideK = s.outStrideM = size;
    s.lhsStrideK = s.rhsStrideN = s.outStrideN = 1;
    s.batch = {batch};
    s.lhsBatchStrides = s.rhsBatchStrides = s.outBatchStrides = {size * size};
    return llvm::cantFail(DotPlan::create(s)).tasks(devices);
  };
  EXPECT_EQ(tasks(1, 16, 1), 1);
  EXPECT_EQ(tasks(1, 512, 1), 8); // of 64 rows
  EXPECT_EQ(tasks(1, 512, 8), 4); // devices have threads, too
  EXPECT_EQ(tasks(1, 512, 64), 1);
  EXPECT_EQ(tasks(40, 128, 1), 32);
  EXPECT_EQ(tasks(3, 4096, 1), 32);
}

TEST(Dot, Malformed) {
  DotSpec s;
  s.lhsType = s.rhsType = s.outType = ElementType::F32;
  s.m = s.n = s.k = 4;
  s.lhsStrideM = s.rhsStrideK = s.outStrideM = 4;
  s.lhsStrideK = s.rhsStrideN = s.outStrideN = 1;
  auto message = [](DotSpec spec) {
    auto plan = DotPlan::create(spec);
    return plan ? std::string() : toString(plan.takeError());
  };
  EXPECT_EQ(message(s), "");
  DotSpec bad = s;
  bad.m = -1;
  EXPECT_NE(message(bad), "");
  bad = s;
  bad.lhsStrideM = INT64_MAX / 2;
  EXPECT_NE(message(bad), "");
  bad = s;
  bad.lhsType = ElementType::C64;
  EXPECT_EQ(message(bad), "no product of complex<f32> and f32 as f32");
  bad = s;
  bad.batch = {2};
  EXPECT_NE(message(bad), "");
}

} // namespace
