//===- library_test.cc - library ops against their definitions ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/library_test_util.h"

#include "shardwright/cpu/library/counter_random.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <complex>
#include <set>
#include <thread>

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;

namespace {

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

// Each call site draws its own numbers on each device, also where there are
// more replicas than bits of a careless key.
TEST(RandomNumbers, DifferBySiteAndDevice) {
  auto draw = [](int64_t site, int32_t replica, int32_t partition) {
    LibraryCall call;
    call.name = "stablehlo.rng";
    call.inputs = {{ElementType::F32, {}},
                   {ElementType::F32, {}},
                   {ElementType::S64, {1}}};
    call.outputs = {{ElementType::F32, {4}}};
    put(call, "distribution", "UNIFORM");
    put(call, "site", site);
    auto op = makeLibraryOp(call);
    EXPECT_TRUE(bool(op)) << toString(op.takeError());
    float low = 0, high = 1;
    int64_t shape = 4;
    std::vector<float> numbers(4);
    void *inputs[] = {&low, &high, &shape}, *outputs[] = {numbers.data()};
    LibraryBuffers buffers{inputs, outputs, nullptr, replica, partition};
    llvm::Error e = op->run(buffers, 0, op->tasks);
    EXPECT_FALSE(bool(e)) << toString(std::move(e));
    return numbers;
  };
  std::set<std::vector<float>> drawn;
  for (int64_t site : {0, 1, 2, 255})
    for (int32_t replica : {0, 1, 4096, 1 << 19, (1 << 20) - 1})
      drawn.insert(draw(site, replica, 0));
  for (int32_t partition : {1, 4096, (1 << 20) - 1})
    drawn.insert(draw(0, 0, partition));
  EXPECT_EQ(drawn.size(), 4u * 5 + 3);
  EXPECT_EQ(draw(1, 2, 3), draw(1, 2, 3));
}

//===----------------------------------------------------------------------===//
// FFT
//===----------------------------------------------------------------------===//

TEST(Fft, IsTheSumOfItsDefinition) {
  for (int64_t n : {1, 2, 3, 8, 12, 17, 97, 101}) {
    Random random(n);
    std::vector<std::complex<double>> x;
    for (int64_t i = 0; i < 2 * n; ++i)
      x.push_back({double(random(-9, 9)), double(random(-9, 9))});
    LibraryCall call;
    call.name = "stablehlo.fft";
    call.inputs = call.outputs = {{ElementType::C128, {2, n}}};
    put(call, "fft_type", "FFT");
    put(call, "fft_length", llvm::ArrayRef<int64_t>{n});
    auto got = run(call, {bytesOf(x)});
    ASSERT_TRUE(bool(got)) << toString(got.takeError());
    auto y = valuesOf<std::complex<double>>((*got)[0]);
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t k = 0; k < n; ++k) {
        std::complex<double> sum = 0;
        for (int64_t i = 0; i < n; ++i)
          sum += x[row * n + i] *
                 std::polar(1.0, -2 * M_PI * double(i * k % n) / double(n));
        EXPECT_NEAR(std::abs(y[row * n + k] - sum), 0, 1e-10 * double(n));
      }
    // The inverse returns the input.
    call.attributes.clear();
    put(call, "fft_type", "IFFT");
    put(call, "fft_length", llvm::ArrayRef<int64_t>{n});
    auto back = run(call, {(*got)[0]});
    ASSERT_TRUE(bool(back)) << toString(back.takeError());
    auto z = valuesOf<std::complex<double>>((*back)[0]);
    for (int64_t i = 0; i < 2 * n; ++i)
      EXPECT_NEAR(std::abs(z[i] - x[i]), 0, 1e-11 * double(n));
  }
}

TEST(Fft, RealTransformsAreHalfOfTheComplexOne) {
  for (Shape length : {Shape{5}, Shape{8}, Shape{3, 4}, Shape{4, 3, 5}}) {
    Random random(length.size());
    Shape half = length;
    half.back() = half.back() / 2 + 1;
    std::vector<float> x = randomValues<float>(random, product(length));
    LibraryCall call;
    call.name = "stablehlo.fft";
    call.inputs = {{ElementType::F32, length}};
    call.outputs = {{ElementType::C64, half}};
    put(call, "fft_type", "RFFT");
    put(call, "fft_length", length);
    auto got = run(call, {bytesOf(x)});
    ASSERT_TRUE(bool(got)) << toString(got.takeError());
    std::swap(call.inputs, call.outputs);
    call.attributes[0].text = "IRFFT";
    auto back = run(call, {(*got)[0]});
    ASSERT_TRUE(bool(back)) << toString(back.takeError());
    auto y = valuesOf<float>((*back)[0]);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(y[i], x[i], 1e-5);
  }
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

TEST(RandomBits, VectorsOfThePaper) {
  // "Parallel random numbers: as easy as 1, 2, 3": known answers of Random123.
  uint32_t x0 = 0, x1 = 0;
  threefry2x32(0, 0, x0, x1);
  EXPECT_EQ(x0, 0x6b200159u);
  EXPECT_EQ(x1, 0x99ba4efeu);
  x0 = x1 = ~0u;
  threefry2x32(~0u, ~0u, x0, x1);
  EXPECT_EQ(x0, 0x1cb996fcu);
  EXPECT_EQ(x1, 0xbb002be7u);
  PhiloxBlock zero = philox4x32(0, 0, 0);
  EXPECT_EQ(zero.word[0], 0x6627e8d5u);
  EXPECT_EQ(zero.word[3], 0x9b00dbd8u);
}

LibraryCall bitsCall(llvm::StringRef algorithm, ElementType type, Shape shape,
                     int64_t words) {
  LibraryCall call;
  call.name = "stablehlo.rng_bit_generator";
  call.inputs = {{ElementType::U64, {words}}};
  call.outputs = {{ElementType::U64, {words}}, {type, std::move(shape)}};
  put(call, "algorithm", algorithm);
  return call;
}

TEST(RandomBits, PiecesDoNotMatter) {
  for (llvm::StringRef algorithm : {"THREE_FRY", "PHILOX"})
    for (ElementType type : {ElementType::U8, ElementType::U16,
                             ElementType::U32, ElementType::U64}) {
      LibraryCall call = bitsCall(algorithm, type, {3, 70001, 1}, 2);
      Bytes state = bytesOf<uint64_t>({42, ~uint64_t(0) - 5});
      auto a = run(call, {state}, true), b = run(call, {state}, false);
      ASSERT_TRUE(bool(a)) << toString(a.takeError());
      ASSERT_TRUE(bool(b)) << toString(b.takeError());
      EXPECT_EQ(*a, *b);
    }
}

TEST(RandomBits, TheStateMoves) {
  auto stateAfter = [](llvm::StringRef algorithm, ElementType type, Shape shape,
                       std::vector<uint64_t> state) {
    LibraryCall call =
        bitsCall(algorithm, type, std::move(shape), int64_t(state.size()));
    auto got = run(call, {bytesOf(state)});
    EXPECT_TRUE(bool(got));
    return valuesOf<uint64_t>((*got)[0]);
  };
  using Words = std::vector<uint64_t>;
  EXPECT_EQ(stateAfter("THREE_FRY", ElementType::U32, {5}, {1, 10}),
            (Words{1, 13}));
  EXPECT_EQ(stateAfter("THREE_FRY", ElementType::U64, {5}, {1, 10}),
            (Words{1, 15}));
  EXPECT_EQ(stateAfter("PHILOX", ElementType::U32, {5}, {1, 10}),
            (Words{1, 12}));
  EXPECT_EQ(stateAfter("PHILOX", ElementType::U32, {5}, {1, ~uint64_t(0), 7}),
            (Words{1, 1, 8}));
  EXPECT_EQ(stateAfter("PHILOX", ElementType::U32, {0}, {1, 3}), (Words{1, 3}));
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

TEST(Cholesky, TimesItsTransposeIsTheMatrix) {
  for (bool lower : {true, false}) {
    // The other triangle holds garbage: it must not be read.
    std::vector<double> a = {4, 2, 1, 2, 5, 3, 1, 3, 6};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (lower ? j > i : j < i)
          a[i * 3 + j] = 1e9;
    LibraryCall call;
    call.name = "stablehlo.cholesky";
    call.inputs = call.outputs = {{ElementType::F64, {3, 3}}};
    put(call, "lower", lower);
    auto got = run(call, {bytesOf(a)});
    ASSERT_TRUE(bool(got)) << toString(got.takeError());
    auto l = valuesOf<double>((*got)[0]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
          sum +=
              lower ? l[i * 3 + k] * l[j * 3 + k] : l[k * 3 + i] * l[k * 3 + j];
        EXPECT_NEAR(sum,
                    lower == (j <= i) || i == j ? a[i * 3 + j] : a[j * 3 + i],
                    1e-12);
      }
  }
}

TEST(Cholesky, OneBadMatrixDoesNotSpoilTheBatch) {
  LibraryCall call;
  call.name = "stablehlo.cholesky";
  call.inputs = call.outputs = {{ElementType::F32, {2, 1, 1}}};
  put(call, "lower", 1);
  auto got = run(call, {bytesOf<float>({-1, 4})});
  ASSERT_TRUE(bool(got)) << toString(got.takeError());
  EXPECT_TRUE(std::isnan(valuesOf<float>((*got)[0])[0]));
  EXPECT_EQ(valuesOf<float>((*got)[0])[1], 2);
}

// Without locking, OpenBLAS without threads computed some of these wrong;
// OpenBLAS with threads is not locked by us.
TEST(TriangularSolve, ManyCallersAtOnce) {
  constexpr int kBatch = 50000, kThreads = 8;
  LibraryCall call;
  call.name = "stablehlo.triangular_solve";
  call.inputs.assign(2, {ElementType::F32, {kBatch, 4, 4}});
  call.outputs = {call.inputs[0]};
  for (const char *name : {"left_side", "lower"})
    put(call, name, 1);
  put(call, "unit_diagonal", 0);
  put(call, "transpose_a", "NO_TRANSPOSE");
  Random random(5);
  std::vector<float> a(kBatch * 16), b(kBatch * 16);
  for (float &x : a)
    x = 4 + float(random(0, 100)) / 100;
  for (float &x : b)
    x = float(random(-100, 100)) / 100;
  auto expected = run(call, {bytesOf(a), bytesOf(b)}, /*wholeAtOnce=*/true);
  ASSERT_TRUE(bool(expected)) << toString(expected.takeError());
  std::array<bool, kThreads> same = {};
  std::vector<std::thread> threads;
  for (bool &isSame : same)
    threads.emplace_back([&] {
      auto got = cantFail(run(call, {bytesOf(a), bytesOf(b)}, true));
      isSame = got == *expected;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(same, testing::Each(true));
}

TEST(Lapack, ChecksItsOperands) {
  LibraryCall call;
  call.name = "lapack_spotrf_ffi";
  call.inputs = {{ElementType::F32, {2, 3}}};
  call.outputs = {{ElementType::F32, {2, 3}}, {ElementType::S32, {}}};
  put(call, "uplo", int64_t('L'));
  EXPECT_EQ(whyNot(call),
            std::string("operand 0 should be f32[2,2], got f32[2,3]"));
  call.inputs[0].shape = call.outputs[0].shape = {2, 2};
  call.attributes.clear();
  EXPECT_EQ(whyNot(call), std::string("requires an integer attribute 'uplo'"));
  call.name = "lapack_sfoo_ffi";
  EXPECT_EQ(whyNot(call),
            std::string("the cpu has no target of this name; "
                        "shardwright::registerCustomCall registers one"));
}

} // namespace
